//! A checked reader over the body of one packet. Every read either fits into the bytes of the packet or is [`Malformed`]; nothing
//! is allocated.

use std::fmt;

use crate::error::Error;

/// Reads a packet's fields in order. Knows the packet's name, for the error.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    rest: &'a [u8],
    packet: &'static str,
}

/// A packet that is shorter than it claims, or holds what its kind cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    packet: &'static str,
    why: &'static str,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte of `body`; `packet` names it in errors.
    pub fn new(body: &'a [u8], packet: &'static str) -> Self {
        Self { rest: body, packet }
    }

    /// Takes `n` bytes.
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], Malformed> {
        let (head, tail) = self.rest.split_at_checked(n).ok_or_else(|| self.malformed("it ends too early"))?;
        self.rest = tail;
        Ok(head)
    }

    /// Takes exactly `N` bytes as an array.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (head, tail) = self.rest.split_first_chunk().ok_or_else(|| self.malformed("it ends too early"))?;
        self.rest = tail;
        Ok(*head)
    }

    /// int<1>.
    pub fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(u8::from_le_bytes)
    }

    /// int<2>.
    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    /// int<4>.
    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    /// int<8>.
    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    /// int<lenenc>. 0xFB (NULL) and 0xFF are no numbers.
    pub fn lenenc(&mut self) -> Result<u64, Malformed> {
        match self.u8()? {
            small @ 0..=0xFA => Ok(u64::from(small)),
            0xFC => self.u16().map(u64::from),
            0xFD => self.array::<3>().map(|[a, b, c]| u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0])),
            0xFE => self.u64(),
            _ => Err(self.malformed("a length begins with a byte no length begins with")),
        }
    }

    /// string<lenenc>: a length, and that many bytes.
    pub fn lenenc_bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = self.lenenc()?;
        // A length beyond the address space is beyond the packet, too.
        self.take(usize::try_from(length).unwrap_or(usize::MAX))
    }

    /// string<lenenc>, or None for 0xFB: a field of a text row.
    pub fn nullable_bytes(&mut self) -> Result<Option<&'a [u8]>, Malformed> {
        match self.rest.first() {
            Some(0xFB) => {
                self.rest = &self.rest[1..];
                Ok(None)
            }
            _ => self.lenenc_bytes().map(Some),
        }
    }

    /// string<NUL>: up to a NUL byte, which is consumed.
    pub fn nul_bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let end = memchr::memchr(0, self.rest).ok_or_else(|| self.malformed("a string has no end"))?;
        let string = self.take(end)?;
        self.rest = &self.rest[1..];
        Ok(string)
    }

    /// Takes one byte that must be `byte`.
    pub fn expect(&mut self, byte: u8) -> Result<(), Malformed> {
        match self.u8()? == byte {
            true => Ok(()),
            false => Err(self.malformed("a fixed byte has another value")),
        }
    }

    /// Takes all that is left.
    pub fn rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// How many bytes are left.
    pub fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Fails unless nothing is left.
    pub fn end(&self) -> Result<(), Malformed> {
        match self.is_empty() {
            true => Ok(()),
            false => Err(self.malformed("bytes follow its end")),
        }
    }

    /// The error for this packet.
    pub fn malformed(&self, why: &'static str) -> Malformed {
        Malformed { packet: self.packet, why }
    }
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed {} from the server: {}", self.packet, self.why)
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Error::protocol(malformed.to_string())
    }
}
