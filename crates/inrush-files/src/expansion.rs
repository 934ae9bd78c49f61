//! The size of compressed data in memory, and when it is refused.

/// Returns why compressed data is refused: a few bytes that expand to more than `memory`. 37 KB of an Arrow file expanded to 1.2 GiB.
/// Data that exceeds the memory but compresses at a common ratio is accepted, since the file itself has that size.
pub(crate) fn expands_too_far(stored: u64, plain: u64, memory: u64) -> Option<String> {
    let is_blown_up = plain > memory && plain / MOST_EXPANSION > stored;
    is_blown_up.then(|| {
        format!("of {stored} bytes comes to {} MiB, more than the {} MiB of `--memory`", plain >> 20, memory >> 20)
    })
}

/// LZ4 reaches 255 for constant text; real data compresses to a tenth.
pub(crate) const MOST_EXPANSION: u64 = 200;
