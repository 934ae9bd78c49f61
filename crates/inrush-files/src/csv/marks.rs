//! Finds the bytes that can end a field: delimiters and line feeds, 64 bytes of text at a time.
//!
//! It does not search for quotes: a quote is special only as the first byte of a field, which the splitter checks anyway, and this saves
//! a third of the comparisons.
//! Why not `memchr2`: it restarts after every hit, and fields are short (docs/notes/csv.md has the numbers).

use wide::u8x64;

/// Iterates over the marks of one text, in order. They are found well before their use: the loop that only searches runs without a
/// mispredicted branch, and so does the loop that uses them.
#[derive(Debug)]
pub(super) struct Marks {
    delimiter: u8,
    /// The marks that were found and not returned yet are `ahead[next..end]`.
    ahead: Vec<u32>,
    next: usize,
    end: usize,
    /// All marks before this byte have been found.
    searched: usize,
}

impl Marks {
    /// Marks from byte `at` of the text on.
    pub(super) fn from(delimiter: u8, at: usize) -> Self {
        Self { delimiter, ahead: Vec::new(), next: 0, end: 0, searched: at }
    }

    /// The next mark, or `None` if the rest of the text has none.
    #[inline(always)]
    pub(super) fn next(&mut self, text: &[u8]) -> Option<usize> {
        if self.next == self.end && !self.find_more(text) {
            return None;
        }
        let at = self.ahead[self.next] as usize;
        self.next += 1;
        Some(at)
    }

    /// Skips all marks before byte `at`.
    #[inline(always)]
    pub(super) fn pass(&mut self, at: usize) {
        if at >= self.searched {
            self.next = self.end;
            self.searched = at;
            return;
        }
        while self.next < self.end && (self.ahead[self.next] as usize) < at {
            self.next += 1;
        }
    }

    /// Finds the next few hundred marks; false if there are none.
    #[inline(never)]
    fn find_more(&mut self, text: &[u8]) -> bool {
        self.ahead.resize(AHEAD + BLOCK, 0);
        let end = find(text, self.delimiter, &mut self.searched, &mut self.ahead, |_, marks| marks);
        (self.next, self.end) = (0, end);
        end > 0
    }
}

/// Writes the places of the marks from `*at` on to `marks`, a block at a time while `marks` has room for the most marks of a block.
/// Returns their number, and moves `at` to the end of the last block. `which` selects the marks of a block that count.
#[inline(always)]
pub(super) fn find(
    text: &[u8],
    delimiter: u8,
    at: &mut usize,
    marks: &mut [u32],
    mut which: impl FnMut(&[u8; BLOCK], u64) -> u64,
) -> usize {
    let mut n = 0;
    while *at < text.len()
        && let Some(room) = marks[n..].first_chunk_mut()
    {
        let bits = match text[*at..].first_chunk() {
            Some(block) => which(block, bits_of(block, delimiter)),
            None => {
                let block = padded(&text[*at..]);
                let real = (1 << (text.len() - *at)) - 1;
                which(&block, bits_of(&block, delimiter) & real)
            }
        };
        n += note(bits, *at as u32, room);
        *at += BLOCK;
    }
    n
}

/// Writes the numbers of the set bits, counted from `base`, and returns how many there are.
#[inline(always)]
fn note(mut bits: u64, base: u32, room: &mut [u32; BLOCK]) -> usize {
    let n = bits.count_ones() as usize;
    let mut put = |slots: &mut [u32]| {
        for slot in slots {
            *slot = base + bits.trailing_zeros();
            bits &= bits.wrapping_sub(1);
        }
    };
    // Always eight, or sixteen, some of them unused: this is cheaper than a mispredicted branch.
    put(&mut room[..8]);
    if n > 8 {
        put(&mut room[8..16]);
        put(&mut room[16..n.max(16)]);
    }
    n
}

/// The end of a text, padded to a block.
#[cold]
fn padded(tail: &[u8]) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    block[..tail.len()].copy_from_slice(tail);
    block
}

#[inline(always)]
fn bits_of(block: &[u8; BLOCK], delimiter: u8) -> u64 {
    let bytes = u8x64::new(*block);
    (bytes.simd_eq(u8x64::splat(delimiter)) | bytes.simd_eq(u8x64::splat(b'\n'))).to_bitmask()
}

/// 512 marks, that is about 6 KB of text: both are still in the first-level cache when they are used.
const AHEAD: usize = 512;

/// The width of a block is the width of the bit set.
pub(super) const BLOCK: usize = 64;

#[cfg(test)]
mod tests;
