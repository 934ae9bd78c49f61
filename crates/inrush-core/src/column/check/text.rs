//! CHAR, VARCHAR and TEXT: every character in the column's set, and not too long. BINARY, VARBINARY and BLOB: not too long.

use super::charset::Charset;
use super::{CellValidator, Verdict, Why};
use crate::convert::bounds::Within;

#[derive(Clone, Debug)]
pub(super) struct CharsValidator {
    charset: Charset,
    /// A text of at most this many bytes of UTF-8 fits, whatever its content.
    surely_fits: usize,
    limit: Limit,
}

#[derive(Clone, Copy, Debug)]
enum Limit {
    Chars(u32),
    /// In the column's character set.
    Bytes(u32),
}

impl CharsValidator {
    /// CHAR and VARCHAR.
    pub(super) fn chars(chars: u32, charset: Option<&str>) -> Self {
        let charset = Charset::named(charset);
        Self { charset, surely_fits: chars as usize, limit: Limit::Chars(chars) }
    }

    /// TINYTEXT to LONGTEXT.
    pub(super) fn bytes(bytes: u32, charset: Option<&str>) -> Self {
        let charset = Charset::named(charset);
        // A byte of UTF-8 is never more than 4 bytes in a set we know.
        let surely_fits = if matches!(charset, Charset::Utf8mb4 | Charset::Utf8mb3) { bytes } else { bytes / 4 };
        Self { charset, surely_fits: surely_fits as usize, limit: Limit::Bytes(bytes) }
    }

    /// Whether the server keeps the bytes of a text as they come.
    pub(super) fn is_utf8(&self) -> bool {
        matches!(self.charset, Charset::Utf8mb4 | Charset::Utf8mb3)
    }

    /// Whether bytes are the same text to a server as they are in UTF-8.
    pub(super) fn reads_bytes(&self, bytes: &[u8]) -> bool {
        self.is_utf8() || bytes.is_ascii() && self.charset.has_ascii()
    }

    /// Whether every such column holds the text.
    #[inline]
    pub(super) fn surely_holds(&self, text: &[u8]) -> bool {
        text.len() <= self.surely_fits && (self.charset.holds_all() || text.is_ascii())
    }

    pub(super) fn within(&self) -> Within {
        Within::Text { max: self.surely_fits, ascii: !self.charset.holds_all() }
    }

    #[cold]
    fn validate_uncommon(&self, cell: &[u8]) -> Verdict {
        // `sweep_text` has checked that this is UTF-8.
        let Ok(text) = std::str::from_utf8(cell) else { return Verdict::Bad(Why::NotUtf8 { at: 0 }) };
        if let Some(c) = text.chars().find(|c| !self.charset.holds(*c)) {
            return Verdict::Bad(Why::NotInCharset { char: c });
        }
        let (len, max) = match self.limit {
            Limit::Chars(max) => (Some(text.chars().count()), max),
            Limit::Bytes(max) => (self.charset.encoded_len(text), max),
        };
        match len {
            Some(len) if len > max as usize => Verdict::Bad(Why::TooLong { len: len.min(u32::MAX as usize) as u32 }),
            _ => Verdict::Keep,
        }
    }
}

impl CellValidator for CharsValidator {
    #[inline]
    fn validate(&self, cell: &[u8], _: &mut Vec<u8>) -> Verdict {
        if self.surely_holds(cell) { Verdict::Keep } else { self.validate_uncommon(cell) }
    }

    fn accepts_up_to(&self, bytes: u32) -> bool {
        bytes as usize <= self.surely_fits && self.charset.holds_all()
    }
}

#[derive(Clone, Debug)]
pub(super) struct BytesValidator {
    pub(super) max: u32,
}

impl CellValidator for BytesValidator {
    #[inline]
    fn validate(&self, cell: &[u8], _: &mut Vec<u8>) -> Verdict {
        if cell.len() <= self.max as usize {
            Verdict::Keep
        } else {
            Verdict::Bad(Why::TooLong { len: cell.len().min(u32::MAX as usize) as u32 })
        }
    }

    fn accepts_up_to(&self, bytes: u32) -> bool {
        bytes <= self.max
    }
}
