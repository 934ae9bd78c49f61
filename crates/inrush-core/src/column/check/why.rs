//! What is wrong with a cell, as a small value, and the message that is made from it on request.

use super::number;
use crate::column::Rules;
use crate::column::{Column, ColumnType, GeometryKind};
use crate::error::{BadValue, InputFault, Reason};
use crate::printable::steers;
use std::fmt::Write;

/// What is wrong with a cell. [`super::Check::reason`] says it in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// NULL where none is allowed.
    Null,
    /// A UUID that MariaDB's type does not take.
    UuidNotTaken,
    /// Not UTF-8 from this byte on.
    NotUtf8 {
        /// Bytes before it.
        at: u32,
    },
    /// Not such a value at all.
    Shape,
    /// A spelling that would be lost in the column, which was created for a file.
    Spelling,
    /// Outside of the type's range.
    Range,
    /// So small, and not 0, that the type does not hold it.
    Underflow,
    /// Digits after the point that the type does not hold.
    Fraction,
    /// A year of one or two digits.
    ShortYear,
    /// A time of day in a DATE.
    TimeOfDay,
    /// A time that the clocks of the session's zone skip.
    NotInZone,
    /// A time that the clocks of the session's zone show twice.
    TwiceInZone,
    /// Too long.
    TooLong {
        /// Its length, in the unit of the type.
        len: u32,
    },
    /// A character that the column's set does not have.
    NotInCharset {
        /// The character.
        char: char,
    },
    /// Not a member of the ENUM or SET.
    NotAMember,
    /// A number that is the text of a member of the ENUM or SET, but not its position, which a server would read.
    NumberOfMember,
    /// A text for a BIT column, whose bits a server would store.
    BitText,
    /// Bytes for a text column in a character set in which they may be another text.
    BytesOfCharset,
    /// Infinity, or what is no number, for a column that is none of numbers.
    NotFinite,
    /// A FLOAT for a DECIMAL that has room for more digits than the FLOAT has.
    FloatDigits,
    /// Not JSON from this byte on.
    Json {
        /// Bytes before it.
        at: u32,
    },
    /// JSON with a number, from this byte on, that a DOUBLE does not hold.
    JsonNumber {
        /// Bytes before it.
        at: u32,
    },
    /// JSON that is nested too deeply.
    JsonDepth,
    /// JSON with too long a name of a member.
    JsonKey,
    /// A vector of another length.
    Dimensions {
        /// Its length.
        n: u32,
    },
    /// A geometry of another kind than the column's.
    GeometryKind,
    /// The same, of a geometry in bytes.
    GeometryKindOfBytes {
        /// Its kind.
        kind: GeometryKind,
    },
    /// A text for a geometry: a placeholder takes bytes only.
    GeometryText,
    /// Bytes that are no geometry.
    GeometryBytes,
    /// Bytes that are no 4-byte floats.
    VectorBytes,
    /// A vector with an infinite number, or one that is none.
    VectorNumber,
    /// Bytes with more bits than a BIT column has.
    TooManyBits,
    /// A time with an offset, in a session whose zone is the server's own.
    ZoneUnknown,
    /// A time with an offset for a TIMESTAMP, in a session whose named zone the server may define differently.
    ZoneNotCompared,
    /// A time for which the server's table of the session's zone differs from ours.
    ZoneDiffers,
    /// DEFAULT for a column without one.
    NoDefault,
}

impl Why {
    /// The reason that a server would give, for a program that reacts to it.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Null | Self::NoDefault => Reason::NotNullViolation,
            Self::TooLong { .. } | Self::TooManyBits => Reason::DataTooLong,
            Self::Range => Reason::OutOfRange,
            _ => Reason::Other,
        }
    }
}

/// The fault of a bad cell, as a value.
pub(super) fn fault(why: Why, cell: &[u8], ty: &ColumnType) -> InputFault {
    let why = match why {
        Why::Null => return InputFault::Null,
        Why::NotUtf8 { .. } => return InputFault::Encoding,
        Why::Shape if matches!(ty, ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. }) => {
            BadValue::NoDate
        }
        Why::Shape | Why::NotAMember | Why::NotFinite | Why::GeometryKind => BadValue::OtherKind,
        Why::TooLong { .. } => BadValue::TooLong,
        _ => BadValue::NotHeld,
    };
    InputFault::Value { shown: shown(cell).into(), why }
}

/// The message for a bad cell.
pub(super) fn explain(why: Why, cell: &[u8], column: &Column, rules: &Rules) -> String {
    let ty = &column.ty;
    let value = quoted(cell);
    match why {
        Why::Null => "NULL into NOT NULL column".into(),
        Why::UuidNotTaken => format!("{value} is a UUID that MariaDB's UUID type does not take"),
        Why::NotUtf8 { at } => format!("not valid UTF-8 at byte {}", u64::from(at) + 1),
        Why::Shape => format!("{value} is not {}", ty.properties().noun),
        Why::Spelling => format!("{value} would lose its spelling in a column of {ty}"),
        Why::Range => format!("{value} is out of range for {ty}{}", range(ty, rules)),
        Why::Underflow if matches!(ty, ColumnType::Vector { .. }) => format!("{value} has too small a number for {ty}"),
        Why::Underflow => format!("{value} is too small for {ty}: it would become 0"),
        Why::Fraction => format!("{value} {}", fraction(ty)),
        Why::ShortYear => format!("{value} has no four-digit year"),
        Why::TimeOfDay => format!("{value} has a time of day, which DATE does not hold"),
        Why::NotInZone => format!("{value} does not exist in time zone {}", zone(rules)),
        Why::TwiceInZone => format!("{value} is a time that time zone {} has twice", zone(rules)),
        Why::TooLong { len } => format!("{value} is {len} {} long, {ty} takes {}", unit(ty), limit(ty)),
        Why::NotInCharset { char } => format!(
            "`{}` (U+{:04X}) does not exist in character set {}",
            char.escape_debug(),
            char as u32,
            column.charset.as_deref().unwrap_or("of the column")
        ),
        Why::NotAMember => format!("{value} is not a member of {ty}"),
        Why::NumberOfMember => format!("{value} is a number, which stands for the place of a member of {ty}"),
        Why::BitText => format!("{value} is a text, whose bits {ty} would hold"),
        Why::BytesOfCharset => format!(
            "{value} is bytes, which are another text in character set {}",
            column.charset.as_deref().unwrap_or("of the column")
        ),
        Why::NotFinite => format!("{value} is not a number that {ty} holds"),
        Why::FloatDigits => format!("{value} is a FLOAT, of which {ty} would hold more digits than it has"),
        Why::Json { at } => format!("not valid JSON at byte {}", u64::from(at) + 1),
        Why::JsonNumber { at } => format!("JSON with a number out of range at byte {}", u64::from(at) + 1),
        Why::JsonDepth => format!("JSON nested deeper than {} levels", rules.profile.json_depth),
        Why::JsonKey => "JSON with a name longer than 65535 bytes".into(),
        Why::Dimensions { n } => format!("{value} has {n} numbers, {ty} takes {}", limit(ty)),
        Why::GeometryKind => format!("{value} is not a {ty}"),
        Why::GeometryKindOfBytes { kind } => format!("a {} is not a {ty}", kind.name()),
        Why::GeometryText => format!("{value} is a text, and a placeholder takes a {ty} in bytes only"),
        Why::GeometryBytes => format!("{} bytes that are no {ty} (4 bytes SRID, then WKB, or WKB alone)", cell.len()),
        Why::VectorBytes => format!("{} bytes are not the 4-byte floats of a {ty}", cell.len()),
        Why::VectorNumber => format!("a number that is not finite, in a {ty}"),
        Why::TooManyBits => format!("{} bytes with more bits than {ty} takes", cell.len()),
        Why::ZoneUnknown => format!("{value} has an offset, and the session's time zone is not known"),
        Why::ZoneNotCompared => format!(
            "{value} has an offset, and time zone {} of the session may not be the same in the server's tables",
            zone(rules)
        ),
        Why::ZoneDiffers => {
            format!("{value} is a time for which the server's table of time zone {} is another one", zone(rules))
        }
        Why::NoDefault => "DEFAULT into a column that has none".into(),
    }
}

impl Why {
    /// What to do about it, where that is not plain from the message.
    pub fn hint(self) -> Option<&'static str> {
        match self {
            Self::UuidNotTaken => Some("a CHAR(36) or BINARY(16) column holds it"),
            Self::NumberOfMember => Some("give the member's text"),
            Self::BitText => Some("give a number"),
            Self::BytesOfCharset => Some("give a text (`&str`, `String`)"),
            Self::FloatDigits => Some("give a DOUBLE or a text with the digits that are meant"),
            Self::GeometryText => Some("write `ST_GeomFromText(?)` in the statement"),
            Self::ZoneUnknown => {
                Some("`SET time_zone = '+00:00'`, or another that is not SYSTEM, or give times without an offset")
            }
            Self::ZoneNotCompared => Some("`SET time_zone = '+00:00'`, or give times without an offset"),
            _ => None,
        }
    }
}

/// A value as a message shows it: in backticks, shortened, on one line. Empty text has a name of its own.
pub(super) fn quoted(cell: &[u8]) -> String {
    if cell.is_empty() {
        return "empty text".into();
    }
    format!("`{}`", shown(cell))
}

/// The same without backticks.
fn shown(cell: &[u8]) -> String {
    let mut shown = String::new();
    for chunk in cell.utf8_chunks() {
        for c in chunk.valid().chars() {
            if shown.len() >= SHOWN_BYTES {
                break;
            }
            if steers(c) { shown.extend(c.escape_debug()) } else { shown.push(c) }
        }
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}");
        }
        if shown.len() >= SHOWN_BYTES {
            shown.push_str("..");
            break;
        }
    }
    shown
}

fn range(ty: &ColumnType, rules: &Rules) -> String {
    match ty {
        ColumnType::Int { bytes, unsigned, .. } => {
            let (min, max) = number::range(*bytes, *unsigned);
            format!(" ({min} to {max})")
        }
        ColumnType::Bit { bits } => format!(" (0 to {})", u64::MAX >> (64 - u32::from((*bits).clamp(1, 64)))),
        ColumnType::Year => " (1901 to 2155)".into(),
        ColumnType::Time { .. } => " (-838:59:59 to 838:59:59)".into(),
        ColumnType::Timestamp { .. } => {
            let end = if rules.profile.timestamp_max > i32::MAX.into() { 2106 } else { 2038 };
            format!(" (1970 to {end})")
        }
        _ => String::new(),
    }
}

fn fraction(ty: &ColumnType) -> String {
    match ty {
        ColumnType::Int { .. } | ColumnType::Bit { .. } => format!("has a fraction, which {ty} does not hold"),
        ColumnType::Decimal { scale, .. } => format!("has more than {scale} digits behind the point, {ty}"),
        ColumnType::Float { digits: Some((_, d)), .. } | ColumnType::Double { digits: Some((_, d)), .. } => {
            format!("has more than {d} digits behind the point, {ty}")
        }
        _ => format!("has a finer fraction of a second than {ty} holds"),
    }
}

fn unit(ty: &ColumnType) -> &'static str {
    match ty {
        ColumnType::Char { .. } | ColumnType::VarChar { .. } => "characters",
        _ => "bytes",
    }
}

fn limit(ty: &ColumnType) -> u32 {
    match ty {
        ColumnType::Char { chars: n }
        | ColumnType::VarChar { chars: n }
        | ColumnType::Text { bytes: n }
        | ColumnType::Binary { bytes: n }
        | ColumnType::VarBinary { bytes: n }
        | ColumnType::Blob { bytes: n }
        | ColumnType::Vector { dim: n } => *n,
        _ => 0,
    }
}

fn zone(rules: &Rules) -> String {
    match (rules.zone.iana_name(), rules.zone.to_fixed_offset()) {
        (Some(name), _) => name.into(),
        (None, Ok(offset)) => offset.to_string(),
        (None, Err(_)) => "of the session".into(),
    }
}

/// Longer values are cut in messages.
const SHOWN_BYTES: usize = 40;
