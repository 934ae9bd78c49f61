//! The header of a Parquet page, as far as it is required before the page is decompressed. It has Thrift's compact protocol.

use std::io::{self, ErrorKind, Read};

/// The kind and the sizes of a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Header {
    /// 0 is a data page, 1 an index, 2 a dictionary, 3 a data page of version 2.
    pub(super) kind: u64,
    /// Bytes of the page when it is decompressed.
    pub(super) plain: u64,
    /// Bytes of the page in the file.
    pub(super) stored: u64,
    /// Bytes of the header itself.
    pub(super) len: u64,
}

/// Reads the header that `bytes` begin with.
///
/// # Errors
/// If the bytes are not such a header, or if a size is negative.
pub(super) fn read(bytes: impl Read) -> io::Result<Header> {
    let mut thrift = Thrift { bytes, len: 0 };
    let (mut header, mut id) = (Header::default(), 0);
    while let Some((next, kind)) = thrift.field(id)? {
        id = next;
        match (id, kind) {
            (1, INT32) => header.kind = thrift.size()?,
            (2, INT32) => header.plain = thrift.size()?,
            (3, INT32) => header.stored = thrift.size()?,
            _ => thrift.skip(kind, 0)?,
        }
    }
    header.len = thrift.len;
    Ok(header)
}

struct Thrift<R> {
    bytes: R,
    /// Bytes that were read.
    len: u64,
}

impl<R: Read> Thrift<R> {
    /// The number and the type of the next field; `None` at the end of the struct.
    fn field(&mut self, before: u64) -> io::Result<Option<(u64, u8)>> {
        let byte = self.byte()?;
        match (byte >> 4, byte & 15) {
            (_, 0) => Ok(None),
            (0, kind) => Ok(Some((self.varint()? >> 1, kind))),
            (delta, kind) => Ok(Some((before + u64::from(delta), kind))),
        }
    }

    /// Reads over a value.
    fn skip(&mut self, kind: u8, depth: usize) -> io::Result<()> {
        match kind {
            // A boolean field is in its type.
            TRUE | FALSE => Ok(()),
            _ if depth > MAX_DEPTH => Err(broken("fields nested too deep")),
            3 => self.byte().map(drop),
            4..=6 => self.varint().map(drop),
            7 => self.pass(8),
            8 => {
                let len = self.varint()?;
                self.pass(len)
            }
            9 | 10 => {
                let byte = self.byte()?;
                let n = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
                (0..n).try_for_each(|_| match byte & 15 {
                    // A boolean in a list has a byte.
                    TRUE | FALSE => self.pass(1),
                    kind => self.skip(kind, depth + 1),
                })
            }
            12 => {
                let mut id = 0;
                while let Some((next, kind)) = self.field(id)? {
                    id = next;
                    self.skip(kind, depth + 1)?;
                }
                Ok(())
            }
            _ => Err(broken("a field of an unknown type")),
        }
    }

    fn varint(&mut self) -> io::Result<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(broken("a number of too many bytes"))
    }

    /// A number that may not be negative; numbers are in zigzag.
    fn size(&mut self) -> io::Result<u64> {
        let value = self.varint()?;
        if value & 1 == 1 { Err(broken("a negative size")) } else { Ok(value >> 1) }
    }

    fn byte(&mut self) -> io::Result<u8> {
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        self.len += 1;
        Ok(byte[0])
    }

    fn pass(&mut self, n: u64) -> io::Result<()> {
        let passed = io::copy(&mut self.bytes.by_ref().take(n), &mut io::sink())?;
        self.len += passed;
        if passed == n { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("the header of a page has {what}"))
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INT32: u8 = 5;

/// A header has three levels: the page, its kind, its statistics.
const MAX_DEPTH: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    /// A data page with statistics, then its body.
    const PAGE: &[u8] = &[
        0x15, 0x00, 0x15, 0xf2, 0x01, 0x15, 0x20, 0x2c, 0x15, 0x14, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06, 0x1c, 0x18,
        0x02, b'a', b'b', 0x16, 0x02, 0x11, 0x00, 0x00, 0x00, 0xff, 0xff,
    ];

    #[test]
    fn a_header_is_read_over_what_is_not_needed() {
        assert_eq!(read(PAGE).unwrap(), Header { kind: 0, plain: 121, stored: 16, len: 27 });
    }

    #[test]
    fn a_header_that_is_cut_or_negative_is_an_error() {
        for end in 0..26 {
            assert!(read(&PAGE[..end]).is_err(), "{end}");
        }
        assert!(read(&[0x15, 0x00, 0x15, 0x03, 0x00][..]).is_err());
        assert!(read(&[0x1c; 100][..]).is_err());
    }
}
