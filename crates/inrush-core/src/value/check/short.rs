//! A cell of up to 12 bytes as its view holds it: all of them are looked at together, which takes half the time of one after the other
//! (docs/notes/csv.md).

use crate::value::cells::INLINE;

/// The bytes of a cell, the first one lowest, with zeros behind them.
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

    /// If it is digits and nothing else: how many.
    #[inline(always)]
    pub(super) fn digits(self) -> Option<usize> {
        (self.len > 0 && self.others() == 0).then_some(self.len)
    }

    /// If it is digits, or digits with a point among them: how many are before and behind the point.
    #[inline(always)]
    pub(super) fn number(self) -> Option<(usize, usize)> {
        let others = self.others();
        if others == 0 {
            return (self.len > 0).then_some((self.len, 0));
        }
        let at = others.trailing_zeros() as usize / 8;
        let is_point = others & (others - 1) == 0 && (self.bytes >> (8 * at)) as u8 == b'.';
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
}

const ONES: u128 = u128::MAX / 0xff;

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
