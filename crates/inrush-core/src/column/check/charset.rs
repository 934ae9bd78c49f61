//! Which characters a column's character set holds, and how many bytes they take there.
//!
//! Known: the Unicode sets, ascii and latin1 (which is Windows' 1252 with the five holes filled). Every other set is left to
//! the server, which refuses a character it does not have.

/// A character set of a text column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Charset {
    Utf8mb4,
    Utf8mb3,
    Ascii,
    Latin1,
    Ucs2,
    Utf16,
    Utf32,
    Unknown,
}

impl Charset {
    pub(super) fn named(name: Option<&str>) -> Self {
        match name {
            Some("utf8mb4") => Self::Utf8mb4,
            Some("utf8mb3" | "utf8") => Self::Utf8mb3,
            Some("ascii") => Self::Ascii,
            Some("latin1") => Self::Latin1,
            Some("ucs2") => Self::Ucs2,
            Some("utf16" | "utf16le") => Self::Utf16,
            Some("utf32") => Self::Utf32,
            _ => Self::Unknown,
        }
    }

    /// Whether ASCII characters are their own bytes in it.
    pub(super) fn has_ascii(self) -> bool {
        !matches!(self, Self::Ucs2 | Self::Utf16 | Self::Utf32)
    }

    /// True if it holds every character.
    pub(super) fn holds_all(self) -> bool {
        matches!(self, Self::Utf8mb4 | Self::Utf16 | Self::Utf32 | Self::Unknown)
    }

    pub(super) fn holds(self, c: char) -> bool {
        match self {
            Self::Ascii => c.is_ascii(),
            Self::Latin1 => matches!(c, '\0'..='\x7f' | '\u{a0}'..='\u{ff}') || LATIN1_80_TO_9F.contains(&c),
            Self::Utf8mb3 | Self::Ucs2 => (c as u32) < 0x1_0000,
            Self::Utf8mb4 | Self::Utf16 | Self::Utf32 | Self::Unknown => true,
        }
    }

    /// Bytes that a text takes; `None` if we do not know.
    pub(super) fn encoded_len(self, text: &str) -> Option<usize> {
        match self {
            Self::Utf8mb4 | Self::Utf8mb3 => Some(text.len()),
            Self::Ascii | Self::Latin1 => Some(text.chars().count()),
            Self::Ucs2 => Some(text.chars().count() * 2),
            Self::Utf16 => Some(text.encode_utf16().count() * 2),
            Self::Utf32 => Some(text.chars().count() * 4),
            Self::Unknown => None,
        }
    }
}

/// What latin1 has in the place of the control characters 80 to 9f.
const LATIN1_80_TO_9F: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}', '‘', '’',
    '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];
