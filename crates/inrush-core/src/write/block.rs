//! A block of output on the stack. Cells are copied into it with a fixed number of bytes, which takes a few instructions and no
//! call. When it is full, it is appended to the caller's buffer (docs/notes/encode.md).

use wide::u8x32;

/// Appends to `out` through a block. [`Block::finish`] must be called at the end.
pub(crate) struct Block<'o> {
    bytes: [u8; SIZE],
    len: usize,
    out: &'o mut Vec<u8>,
}

impl<'o> Block<'o> {
    pub(crate) fn new(out: &'o mut Vec<u8>) -> Self {
        Self { bytes: [0; SIZE], len: 0, out }
    }

    /// Length of all that was ever appended to the caller's buffer.
    #[inline]
    pub(crate) fn total(&self) -> usize {
        self.out.len() + self.len
    }

    /// Removes what was appended after `total`.
    pub(crate) fn truncate(&mut self, total: usize) {
        self.len = total.saturating_sub(self.out.len());
        self.out.truncate(total);
    }

    /// Makes room for so many bytes in the caller's buffer.
    pub(crate) fn reserve(&mut self, n_bytes: usize) {
        self.out.reserve(n_bytes);
    }

    /// Replaces the last byte.
    #[inline]
    pub(crate) fn set_last(&mut self, byte: u8) {
        match self.len.checked_sub(1) {
            Some(last) => self.bytes[last] = byte,
            None => {
                if let Some(last) = self.out.last_mut() {
                    *last = byte;
                }
            }
        }
    }

    pub(crate) fn finish(mut self) {
        self.flush();
    }

    #[inline]
    pub(crate) fn push(&mut self, byte: u8) {
        if self.len == SIZE {
            self.flush();
        }
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    pub(crate) fn extend(&mut self, bytes: &[u8]) {
        if bytes.len() > SIZE - self.len {
            self.flush();
            if bytes.len() > SIZE {
                return self.out.extend_from_slice(bytes);
            }
        }
        self.bytes[self.len..self.len + bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
    }

    /// Appends the first `len` bytes of `source`.
    #[inline]
    pub(crate) fn copy(&mut self, (source, len): (&[u8], usize)) {
        if len <= STEP
            && let Some(step) = source.first_chunk::<STEP>()
            && let Some(target) = self.bytes[self.len..].first_chunk_mut::<STEP>()
        {
            *target = *step;
            self.len += len;
        } else {
            self.extend(&source[..len]);
        }
    }

    /// Appends the lowest `len` of 16 bytes, where `len` is less than 16, and one more byte after them.
    #[inline]
    pub(crate) fn put_16(&mut self, bytes: u128, len: usize, behind: u8) {
        match self.bytes[self.len..].first_chunk_mut::<16>() {
            Some(target) if len < target.len() => {
                // As two words: one value of 16 bytes would be assembled in memory, which the copy would wait for
                // (docs/notes/load-speed.md).
                let (low, high) = target.split_at_mut(8);
                low.copy_from_slice(&(bytes as u64).to_le_bytes());
                high.copy_from_slice(&((bytes >> 64) as u64).to_le_bytes());
                target[len] = behind;
                self.len += len + 1;
            }
            _ => {
                self.extend(&bytes.to_le_bytes()[..len]);
                self.push(behind);
            }
        }
    }

    /// Appends a text that is short in most cases and has no readable bytes after it: as two copies of a fixed length that overlap.
    #[inline]
    pub(crate) fn put(&mut self, text: &[u8]) {
        let n = text.len();
        let room = self.bytes[self.len..].first_chunk_mut::<STEP>();
        let Some(target) = room.filter(|_| n <= STEP) else {
            return self.extend(text);
        };
        if let (Some(first), Some(last)) = (text.first_chunk::<16>(), text.last_chunk::<16>()) {
            target[..16].copy_from_slice(first);
            target[n - 16..n].copy_from_slice(last);
        } else if let (Some(first), Some(last)) = (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            target[..8].copy_from_slice(first);
            target[n - 8..n].copy_from_slice(last);
        } else if let (Some(first), Some(last)) = (text.first_chunk::<4>(), text.last_chunk::<4>()) {
            target[..4].copy_from_slice(first);
            target[n - 4..n].copy_from_slice(last);
        } else if let (Some(first), Some(last)) = (text.first_chunk::<2>(), text.last_chunk::<2>()) {
            target[..2].copy_from_slice(first);
            target[n - 2..n].copy_from_slice(last);
        } else if let [byte] = text {
            target[0] = *byte;
        }
        self.len += n;
    }

    /// Appends the first `len` bytes of `source`, and replaces those that `special` finds by what `escape` returns.
    #[inline]
    pub(crate) fn copy_escaped(
        &mut self,
        (source, len): (&[u8], usize),
        special: Special,
        escape: impl Fn(u8) -> [u8; 2],
    ) {
        let (mut source, mut len) = (source, len);
        while let Some(step) = source.first_chunk::<STEP>()
            && let Some(target) = self.bytes[self.len..].first_chunk_mut::<STEP>()
            && special.first_in(step) >= len.min(STEP)
        {
            *target = *step;
            self.len += len.min(STEP);
            if len <= STEP {
                return;
            }
            (source, len) = (&source[STEP..], len - STEP);
        }
        self.copy_escaped_long(&source[..len], special, escape);
    }

    /// Appends the hex digits of `bytes`.
    pub(crate) fn hex(&mut self, bytes: &[u8]) {
        for piece in bytes.chunks(SIZE / 2) {
            if SIZE - self.len < 2 * piece.len() {
                self.flush();
            }
            let target = &mut self.bytes[self.len..self.len + 2 * piece.len()];
            for (digits, byte) in target.as_chunks_mut::<2>().0.iter_mut().zip(piece) {
                *digits = hex_digits(*byte);
            }
            self.len += 2 * piece.len();
        }
    }

    fn copy_escaped_long(&mut self, text: &[u8], special: Special, escape: impl Fn(u8) -> [u8; 2]) {
        let (steps, tail) = text.as_chunks::<STEP>();
        for step in steps {
            if special.first_in(step) == STEP {
                self.extend(step);
            } else {
                self.escape_each(step, special, &escape);
            }
        }
        self.escape_each(tail, special, &escape);
    }

    fn escape_each(&mut self, bytes: &[u8], special: Special, escape: &impl Fn(u8) -> [u8; 2]) {
        for byte in bytes {
            if special.is(*byte) { self.extend(&escape(*byte)) } else { self.push(*byte) }
        }
    }

    fn flush(&mut self) {
        self.out.extend_from_slice(&self.bytes[..self.len]);
        self.len = 0;
    }
}

/// For values that are seldom written.
impl std::io::Write for Block<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn hex_digits(byte: u8) -> [u8; 2] {
    [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// Up to four bytes that must be escaped.
#[derive(Clone, Copy)]
pub(crate) struct Special {
    bytes: [u8; 4],
}

impl Special {
    /// Fewer than four are repeated.
    pub(crate) const fn new(bytes: [u8; 4]) -> Self {
        Self { bytes }
    }

    #[inline]
    fn is(self, byte: u8) -> bool {
        self.bytes.contains(&byte)
    }

    /// Where the first of them is; `STEP` if there is none.
    #[inline]
    fn first_in(self, step: &[u8; STEP]) -> usize {
        let bytes = u8x32::new(*step);
        let [a, b, c, d] = self.bytes.map(|byte| bytes.simd_eq(u8x32::splat(byte)));
        (a | b | c | d).to_bitmask().trailing_zeros() as usize
    }
}

/// Cells up to this length are copied at once.
const STEP: usize = 32;

/// Fits into the processor's first cache together with the cells.
const SIZE: usize = 8 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], want: usize) {
        let mut step = [b'x'; STEP];
        step[..text.len()].copy_from_slice(text);
        assert_eq!(Special::new([b'\t', b'\n', b'\\', 0]).first_in(&step), want);
    }

    #[test]
    fn finds_the_first_special() {
        check(b"", STEP);
        check(b"\t", 0);
        check(b"abc\\\t", 3);
        check(b"abcdefg\0", 7);
        check(b"abcdefgh\n", 8);
        check(b"\x01\x08\x0b\x0c\x80\x89\x8a\xdc\xff", STEP);
        check(&[[b'x'; 31].as_slice(), b"\n"].concat(), 31);
    }

    #[test]
    fn takes_back_across_a_flush() {
        let mut out = b"abc".to_vec();
        let mut block = Block::new(&mut out);
        block.extend(&[b'x'; SIZE]);
        let mark = block.total();
        block.extend(&[b'y'; SIZE]);
        block.truncate(mark - 1);
        block.set_last(b'!');
        block.push(b'z');
        block.finish();
        assert_eq!(out.len(), 3 + SIZE);
        assert_eq!(&out[..4], b"abcx");
        assert_eq!(&out[out.len() - 3..], b"x!z");
    }

    #[test]
    fn texts_of_any_length_are_put() {
        let text: Vec<u8> = (0..60).collect();
        let mut out = Vec::new();
        let mut block = Block::new(&mut out);
        (0..=60).for_each(|n| block.put(&text[..n]));
        block.extend(&[b'x'; SIZE - 61 * 30 - 5]);
        (0..=60).for_each(|n| block.put(&text[..n]));
        block.finish();
        let want: Vec<u8> = (0..=60).flat_map(|n| &text[..n]).copied().collect();
        assert!(out.starts_with(&want) && out.ends_with(&want));
        assert_eq!(out.len(), 2 * want.len() + SIZE - 61 * 30 - 5);
    }

    #[test]
    fn long_texts_pass_whole() {
        let mut out = Vec::new();
        let mut block = Block::new(&mut out);
        let text: Vec<u8> = (0..3 * SIZE).map(|i| b'a' + (i % 26) as u8).collect();
        block.push(b'<');
        block.copy((&text, text.len()));
        block.copy((&text, 5));
        block.finish();
        assert_eq!(out.len(), 1 + text.len() + 5);
        assert!(out.ends_with(b"abcde") && out[1..].starts_with(&text));
    }
}
