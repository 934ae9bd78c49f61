//! One row in the sort, as bytes.
//!
//! ```text
//! varint  length of the key         the key, as memcmp compares it
//! varint  SourcePlace
//! varint  length of the line        the line of a LOAD, its end included
//! varint  length of the raw record  the record exactly as in its source; empty if it is not kept
//! ```

use super::SourcePlace;
use crate::error::{Error, Result};
use std::cmp::Ordering;

/// A row: its key, its place in the sources, and the line that is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its key, in the order of the server.
    pub key: &'a [u8],
    /// Its place in the sources.
    pub place: SourcePlace,
    /// Its line in the text of a LOAD ([`Lines`](crate::load::encode::load_data::Lines)), line end included.
    pub line: &'a [u8],
    /// The record exactly as in its source; empty where that is not kept.
    pub raw: &'a [u8],
}

impl<'a> Record<'a> {
    /// Appends it.
    pub fn write(&self, out: &mut Vec<u8>) {
        put_sized(self.key, out);
        put_varint(self.place.0, out);
        put_sized(self.line, out);
        put_sized(self.raw, out);
    }

    /// Takes the first record of `bytes`.
    ///
    /// # Errors
    /// `Io` if there is none.
    pub fn take(bytes: &mut &'a [u8]) -> Result<Self> {
        let mut record = || {
            let key = take_sized(bytes)?;
            let place = SourcePlace(take_varint(bytes)?);
            Some(Self { key, place, line: take_sized(bytes)?, raw: take_sized(bytes)? })
        };
        record().ok_or_else(damaged)
    }

    /// The order of the sequence: by the key, then by the place in the sources.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.key.cmp(other.key).then(self.place.cmp(&other.place))
    }
}

/// The lines of a text of a LOAD, their ends included: no field holds a bare one.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text).map(move |at| &text[std::mem::replace(&mut start, at + 1)..=at])
}

/// The error for bytes that are not a record.
pub(super) fn damaged() -> Error {
    Error::new(crate::Kind::Io, "these sorted rows are damaged")
}

/// The first bytes of a key as a number that compares as they do; of equal numbers the rest decides.
#[inline]
pub(super) fn prefix(key: &[u8]) -> u64 {
    match key.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => {
            let mut padded = [0; 8];
            padded[..key.len()].copy_from_slice(key);
            u64::from_be_bytes(padded)
        }
    }
}

#[inline]
fn put_sized(bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// LEB128: seven bits a byte, the lowest first.
#[inline]
fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[inline]
fn take_sized<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let len = take_varint(bytes)?;
    bytes.split_off(..usize::try_from(len).ok()?)
}

#[inline]
fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.split_off_first()?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_and_back() {
        let long = vec![b'x'; 300];
        let records = [
            Record::default(),
            Record { key: b"k", place: SourcePlace::new(3, 1 << 40), line: b"1\t2\n", raw: b"1,2\r\n" },
            Record { key: &long, place: SourcePlace(u64::MAX), line: &long, raw: b"" },
        ];
        let mut bytes = Vec::new();
        records.iter().for_each(|record| record.write(&mut bytes));
        let mut rest = &bytes[..];
        for record in records {
            assert_eq!(Record::take(&mut rest).unwrap(), record);
        }
        assert!(rest.is_empty() && Record::take(&mut rest).is_err());
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let mut bytes = Vec::new();
        Record { key: b"key", place: SourcePlace(9), line: b"a line\n", raw: b"" }.write(&mut bytes);
        for end in 0..bytes.len() {
            assert!(Record::take(&mut &bytes[..end]).is_err(), "{end}");
        }
        assert!(Record::take(&mut &[0xff; 40][..]).is_err());
    }

    #[test]
    fn a_prefix_compares_as_its_bytes() {
        let keys: [&[u8]; 6] = [b"", b"\0\0", b"a", b"ab", b"abcdefgh", b"abcdefgi"];
        assert!(keys.map(prefix).is_sorted());
    }
}
