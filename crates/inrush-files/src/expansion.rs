//! What a part of a compressed file comes to in memory, and when that is too much.

/// Says what is wrong with a part of a file that a few bytes blow up to more than the memory that there is: 37 KB of an Arrow file
/// came to 1.2 GiB. A large part that is not of a few bytes is read all the same.
pub(crate) fn expands_too_far(stored: u64, plain: u64, memory: u64) -> Option<String> {
    let is_blown_up = plain > memory && plain / MOST_EXPANSION > stored;
    is_blown_up.then(|| {
        format!("of {stored} bytes comes to {} MiB, more than the {} MiB of `--memory`", plain >> 20, memory >> 20)
    })
}

/// LZ4 reaches 255 for text that says nothing; what people store compresses to a tenth.
pub(crate) const MOST_EXPANSION: u64 = 200;
