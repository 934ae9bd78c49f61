//! Finds the bytes that can end a field: delimiters and line feeds, 64 bytes of text at a time.
//!
//! Quotes are not looked for here: a quote only means something as the first byte of a field, where the splitter looks
//! anyway, and leaving it out saves a third of the comparisons.
//! Why not `memchr2`: it starts anew after every hit, and fields are short (docs/notes/csv.md has the numbers).

/// Walks over the marks of one text, in order.
#[derive(Debug)]
pub(super) struct Marks {
    delimiter: u8,
    /// Where the block under work begins.
    base: usize,
    /// Bit `i` stands for byte `base + i`; marks already given out, or passed over, are cleared.
    bits: u64,
}

impl Marks {
    /// Marks from byte `at` of the text on.
    pub(super) fn from(text: &[u8], delimiter: u8, at: usize) -> Self {
        Self { delimiter, base: at, bits: if at < text.len() { block_bits(text, at, delimiter) } else { 0 } }
    }

    /// The next mark, or `None` if the rest of the text holds none.
    #[inline(always)]
    pub(super) fn next(&mut self, text: &[u8]) -> Option<usize> {
        while self.bits == 0 {
            self.base += BLOCK;
            if self.base >= text.len() {
                return None;
            }
            self.bits = block_bits(text, self.base, self.delimiter);
        }
        let at = self.base + self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some(at)
    }

    /// Passes over all marks before byte `at`.
    #[inline(always)]
    pub(super) fn pass(&mut self, text: &[u8], at: usize) {
        match at.saturating_sub(self.base) {
            ahead @ 0..BLOCK => self.bits &= u64::MAX << ahead,
            _ => *self = Self::from(text, self.delimiter, at),
        }
    }
}

/// The marks among the 64 bytes from `base` on, of which the last ones may lie behind the text's end.
#[inline(always)]
fn block_bits(text: &[u8], base: usize, delimiter: u8) -> u64 {
    match text[base..].first_chunk::<BLOCK>() {
        Some(block) => bits_of(block, delimiter),
        None => tail_bits(&text[base..], delimiter),
    }
}

#[cold]
fn tail_bits(tail: &[u8], delimiter: u8) -> u64 {
    // Neither a delimiter nor a line feed, so that the padding has no marks.
    let filler = if delimiter == b' ' { b'-' } else { b' ' };
    let mut block = [filler; BLOCK];
    block[..tail.len()].copy_from_slice(tail);
    bits_of(&block, delimiter)
}

/// No intrinsics (they need `unsafe`): the first loop becomes SIMD compares, the second gathers eight bytes a multiplication.
#[inline(always)]
fn bits_of(block: &[u8; BLOCK], delimiter: u8) -> u64 {
    let mut hits = [0u8; BLOCK];
    for (hit, &byte) in hits.iter_mut().zip(block) {
        *hit = u8::from(byte == delimiter) | u8::from(byte == b'\n');
    }
    let mut bits = 0u64;
    for (i, word) in hits.as_chunks::<8>().0.iter().enumerate() {
        let gathered = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= gathered << (8 * i);
    }
    bits
}

/// The width of a block is the width of the bit set.
const BLOCK: usize = 64;

#[cfg(test)]
mod tests;
