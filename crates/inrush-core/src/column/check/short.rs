//! A cell of up to 12 bytes, from its view or from the text that contains it. All of its bytes are compared at once, which takes
//! half the time of one after the other (docs/notes/csv.md).

use crate::column::INLINE;

/// The bytes of a cell, the first one lowest; bytes after its end do not count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Short {
    bytes: u128,
    len: usize,
}

impl Short {
    /// `None` for a cell that is longer.
    #[inline(always)]
    pub(super) fn of(view: u128) -> Option<Self> {
        let len = view as u32 as usize;
        (len <= INLINE).then_some(Self { bytes: view >> 32, len })
    }

    /// The cell of a text from `start` to `end`. `None` for one that is longer, or too near to the text's end.
    #[inline(always)]
    pub(super) fn within(text: &[u8], start: usize, end: usize) -> Option<Self> {
        let len = end.wrapping_sub(start);
        let bytes = u128::from_le_bytes(*text.get(start..)?.first_chunk()?);
        (len <= INLINE).then_some(Self { bytes, len })
    }

    /// If it is digits and nothing else: how many.
    #[inline(always)]
    pub(super) fn digits(self) -> Option<usize> {
        // Most are that short, and two words take twice as long as one.
        let is_digits = if self.len <= WORD { self.others_of_word() == 0 } else { self.others() == 0 };
        (self.len > 0 && is_digits).then_some(self.len)
    }

    /// Whether its digits begin with a zero that is followed by another digit.
    #[inline(always)]
    pub(super) fn has_leading_zero(self) -> bool {
        self.len > 1 && self.bytes as u8 == b'0' && ((self.bytes >> 8) as u8).is_ascii_digit()
    }

    /// Whether this is its last byte.
    #[inline(always)]
    pub(super) fn ends_in(self, byte: u8) -> bool {
        self.len > 0 && (self.bytes >> (8 * (self.len - 1))) as u8 == byte
    }

    /// If it is digits, or digits with a point among them: returns how many are before and after the point.
    #[inline(always)]
    pub(super) fn number(self) -> Option<(usize, usize)> {
        let (at, are_others, is_one) = if self.len <= WORD {
            let others = self.others_of_word();
            (others.trailing_zeros() as usize / 8, others != 0, others & others.wrapping_sub(1) == 0)
        } else {
            let others = self.others();
            (others.trailing_zeros() as usize / 8, others != 0, others & others.wrapping_sub(1) == 0)
        };
        if !are_others {
            return (self.len > 0).then_some((self.len, 0));
        }
        let is_point = is_one && (self.bytes >> (8 * at)) as u8 == b'.';
        (is_point && at > 0 && at + 1 < self.len).then(|| (at, self.len - at - 1))
    }

    /// The top bit of every byte that is no digit.
    #[inline(always)]
    fn others(self) -> u128 {
        let value = self.bytes ^ (ONES * b'0' as u128);
        let above_nine = (value & (ONES * 0x7f)) + ONES * (0x7f - 9);
        let within = (1u128 << (8 * self.len)) - 1;
        (above_nine | value) & (ONES * 0x80) & within
    }

    /// The same for a cell of up to [`WORD`] bytes.
    #[inline(always)]
    fn others_of_word(self) -> u64 {
        const ONES: u64 = u64::MAX / 0xff;
        let value = self.bytes as u64 ^ (ONES * b'0' as u64);
        let above_nine = (value & (ONES * 0x7f)) + ONES * (0x7f - 9);
        (above_nine | value) & (ONES * 0x80) & WITHIN[self.len & 15]
    }
}

const ONES: u128 = u128::MAX / 0xff;

/// Bytes of a word.
const WORD: usize = 8;

/// The bytes of a word that belong to a cell, by its length.
const WITHIN: [u64; 16] = {
    let mut within = [u64::MAX; 16];
    let mut len = 0;
    while len < WORD {
        within[len] = (1 << (8 * len)) - 1;
        len += 1;
    }
    within
};

#[cfg(test)]
mod tests {
    use super::*;

    fn short(text: &str) -> Option<Short> {
        let mut view = [0; 16];
        view[..4].copy_from_slice(&(text.len() as u32).to_le_bytes());
        view[4..].iter_mut().zip(text.bytes()).for_each(|(to, byte)| *to = byte);
        Short::of(u128::from_le_bytes(view))
    }

    #[track_caller]
    fn check(text: &str, digits: Option<usize>, number: Option<(usize, usize)>) {
        let short = short(text).unwrap();
        assert_eq!((short.digits(), short.number()), (digits, number));
    }

    #[test]
    fn digits_and_numbers() {
        check("", None, None);
        check("0", Some(1), Some((1, 0)));
        check("123456789012", Some(12), Some((12, 0)));
        check("1.5", None, Some((1, 1)));
        check("1234567890.9", None, Some((10, 1)));
        check("1.", None, None);
        check(".5", None, None);
        check(".", None, None);
        check("1.2.3", None, None);
        check("-1", None, None);
        check("1e5", None, None);
        check("1,5", None, None);
        check("12345678901x", None, None);
        check("é1", None, None);
        check("1\0", None, None);
        check("1 ", None, None);
    }

    #[test]
    fn every_other_byte_is_none() {
        for byte in 0..=0x7f_u8 {
            let text = format!("12{}4", char::from(byte));
            assert_eq!(short(&text).unwrap().digits().is_some(), byte.is_ascii_digit(), "{text:?}");
        }
    }

    #[test]
    fn longer_ones_are_none() {
        assert!(short("1234567890123").is_none());
    }
}
