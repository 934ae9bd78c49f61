//! A rule by its name, and which types of columns it fits.

use super::texts::EMAIL_CHARS;
use inrush_core::column::{Column, ColumnType};
use inrush_core::error::{Error, Result};
use inrush_core::load::plan::nearest;
use std::fmt;

/// What becomes of the values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaskRule {
    /// As they are.
    Keep,
    /// NULL.
    Null,
    /// This text.
    Fixed(String),
    /// Hexadecimal digits of the HMAC: so many, else 32 or as many as the column has room for.
    Hmac(Option<usize>),
    /// A mail address.
    Email,
    /// A name of the same length.
    Name,
    /// As many `x`.
    Redact,
    /// `x`, but for the last characters.
    KeepLast(usize),
    /// `x`, but for the first characters.
    KeepFirst(usize),
    /// A UUID.
    Uuid,
    /// The number of a telephone.
    Phone,
    /// The number of a card.
    Card,
    /// A number with as many digits; different numbers stay different.
    Number,
    /// A whole number of the type's range.
    HashInt,
    /// The first day of the year.
    Year,
    /// The first day of the month.
    Month,
}

impl MaskRule {
    /// Reads a rule as a user writes it.
    ///
    /// # Errors
    /// `Config` for a rule that there is not.
    pub fn parse(text: &str) -> Result<Self> {
        let rule = match text.trim() {
            "keep" => Self::Keep,
            "null" => Self::Null,
            "hmac" => Self::Hmac(None),
            "email" => Self::Email,
            "name" | "fake-length" => Self::Name,
            "redact" => Self::Redact,
            "uuid" => Self::Uuid,
            "phone" => Self::Phone,
            "card" => Self::Card,
            "number" => Self::Number,
            "hash-int" => Self::HashInt,
            "year" => Self::Year,
            "month" => Self::Month,
            other => return Self::parse_argument(text, other),
        };
        Ok(rule)
    }

    fn parse_argument(text: &str, trimmed: &str) -> Result<Self> {
        let count = |prefix: &str| trimmed.strip_prefix(prefix)?.parse::<usize>().ok().filter(|n| *n > 0);
        if let Some(fixed) = text.strip_prefix("fixed:") {
            return Ok(Self::Fixed(fixed.to_owned()));
        }
        if let Some(n) = count("keep-last-") {
            return Ok(Self::KeepLast(n));
        }
        if let Some(n) = count("keep-first-") {
            return Ok(Self::KeepFirst(n));
        }
        if let Some(digits) = count("hmac:") {
            return match (LEAST_HEX..=MOST_HEX).contains(&digits) {
                true => Ok(Self::Hmac(Some(digits))),
                false => Err(Error::config(format!(
                    "`hmac:{digits}` is not a rule: it takes {LEAST_HEX} to {MOST_HEX} digits"
                ))
                .with_hint("16 hexadecimal digits are 64 bits: with fewer, different values become equal")),
            };
        }
        let error = Error::config(format!("there is no mask `{trimmed}`"));
        Err(match nearest(trimmed, NAMES.iter().copied()) {
            Some(near) => error.with_hint(format!("did you mean `{near}`?")),
            None => error.with_hint(format!("the masks are {}", NAMES.join(", "))),
        })
    }

    /// Whether different values stay different, but for less than one in 2^32 pairs of tables.
    pub fn is_unique(&self) -> bool {
        matches!(self, Self::Keep | Self::Null | Self::Hmac(_) | Self::Email | Self::Uuid | Self::Number)
    }

    /// Refuses a column that the rule does not fit.
    ///
    /// # Errors
    /// `Config`, with what does fit.
    pub fn check(&self, column: &Column) -> Result<()> {
        let refuse = |why: String, hint: &str| {
            let message = format!("the mask `{self}` does not fit the column `{}`, {}: {why}", column.name, column.ty);
            Err(Error::config(message).with_hint(hint.to_owned()))
        };
        let ty = &column.ty;
        let room = chars_of(ty);
        let is_text = room.is_some() && !is_bytes(ty);
        match self {
            Self::Keep => Ok(()),
            Self::Null if column.nullable => Ok(()),
            Self::Null => refuse("it is NOT NULL".into(), "`redact` or `fixed:TEXT` leave nothing of a value either"),
            Self::Hmac(digits) => {
                let least = digits.unwrap_or(LEAST_HEX);
                match room {
                    Some(room) if room >= least => Ok(()),
                    Some(_) => refuse(
                        format!("it has no room for {least} hexadecimal digits ({} bits)", least * 4),
                        "`redact`, `name` and `number` keep the length of a value",
                    ),
                    None => refuse("it is for texts and bytes".into(), of_type(ty)),
                }
            }
            Self::Email if is_text && room >= Some(EMAIL_CHARS) => Ok(()),
            Self::Email if is_text => refuse(
                format!("it has no room for {EMAIL_CHARS} characters"),
                "`redact`, `name` keep the length of a value",
            ),
            Self::Name | Self::KeepLast(_) | Self::KeepFirst(_) | Self::Phone | Self::Card if is_text => Ok(()),
            Self::Redact if room.is_some() => Ok(()),
            Self::Uuid => match ty {
                ColumnType::Uuid => Ok(()),
                ColumnType::Binary { bytes: 16 } | ColumnType::VarBinary { bytes: 16 } => Ok(()),
                _ if is_text && room >= Some(36) => Ok(()),
                _ => refuse("it is for UUID, BINARY(16) and texts of 36 characters".into(), of_type(ty)),
            },
            Self::Number => match ty {
                ColumnType::Decimal { precision, .. } if *precision > 38 => {
                    refuse("it is for at most 38 digits".into(), of_type(ty))
                }
                ColumnType::Decimal { .. } => Ok(()),
                _ if is_text || range_of(ty).is_some() => Ok(()),
                _ => refuse("it is for numbers and texts of digits".into(), of_type(ty)),
            },
            Self::HashInt if range_of(ty).is_some() => Ok(()),
            Self::HashInt => refuse("it is for whole numbers".into(), of_type(ty)),
            Self::Year | Self::Month => match ty {
                ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => Ok(()),
                _ => refuse("it is for DATE, DATETIME and TIMESTAMP".into(), of_type(ty)),
            },
            Self::Fixed(text) => fixed(text, column).or_else(|why| refuse(why.into(), of_type(ty))),
            Self::Email
            | Self::Name
            | Self::KeepLast(_)
            | Self::KeepFirst(_)
            | Self::Phone
            | Self::Card
            | Self::Redact => refuse("it is for texts".into(), of_type(ty)),
        }
    }
}

impl fmt::Display for MaskRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Keep => f.write_str("keep"),
            Self::Null => f.write_str("null"),
            Self::Fixed(text) => write!(f, "fixed:{text}"),
            Self::Hmac(None) => f.write_str("hmac"),
            Self::Hmac(Some(digits)) => write!(f, "hmac:{digits}"),
            Self::Email => f.write_str("email"),
            Self::Name => f.write_str("name"),
            Self::Redact => f.write_str("redact"),
            Self::KeepLast(n) => write!(f, "keep-last-{n}"),
            Self::KeepFirst(n) => write!(f, "keep-first-{n}"),
            Self::Uuid => f.write_str("uuid"),
            Self::Phone => f.write_str("phone"),
            Self::Card => f.write_str("card"),
            Self::Number => f.write_str("number"),
            Self::HashInt => f.write_str("hash-int"),
            Self::Year => f.write_str("year"),
            Self::Month => f.write_str("month"),
        }
    }
}

const NAMES: &[&str] = &[
    "hmac",
    "email",
    "phone",
    "name",
    "fake-length",
    "card",
    "keep-last-4",
    "keep-first-4",
    "year",
    "month",
    "number",
    "hash-int",
    "uuid",
    "redact",
    "fixed:TEXT",
    "null",
    "keep",
];

/// 64 bits: with fewer, two of some millions of values become equal.
const LEAST_HEX: usize = 16;
const MOST_HEX: usize = 64;

/// How many digits [`MaskRule::Hmac`] has in a column: 128 bits where there is room.
pub(super) fn hmac_digits(wanted: Option<usize>, ty: &ColumnType) -> usize {
    wanted.unwrap_or_else(|| chars_of(ty).unwrap_or(LEAST_HEX).min(32))
}

/// Whether a column holds bytes and not characters.
pub(super) fn is_bytes(ty: &ColumnType) -> bool {
    matches!(ty, ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. })
}

/// The range of a column of whole numbers.
pub(super) fn range_of(ty: &ColumnType) -> Option<(i128, i128)> {
    let ColumnType::Int { bytes, unsigned, .. } = ty else { return None };
    let bits = u32::from(*bytes) * 8;
    Some(match unsigned {
        true => (0, (1 << bits) - 1),
        false => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
    })
}

/// How many ASCII characters a column of texts or bytes has room for.
fn chars_of(ty: &ColumnType) -> Option<usize> {
    Some(match ty {
        ColumnType::Char { chars } | ColumnType::VarChar { chars } => *chars as usize,
        ColumnType::Binary { bytes } | ColumnType::VarBinary { bytes } | ColumnType::Blob { bytes } => *bytes as usize,
        // A character has at most four bytes, in UTF-32.
        ColumnType::Text { bytes } => *bytes as usize / 4,
        _ => return None,
    })
}

/// What fits a type.
fn of_type(ty: &ColumnType) -> &'static str {
    match ty {
        ColumnType::Int { .. } => "whole numbers take `number`, `hash-int`, `fixed:NUMBER`, `null`, `keep`",
        ColumnType::Decimal { .. } => "DECIMAL takes `number`, `fixed:NUMBER`, `null`, `keep`",
        ColumnType::Date | ColumnType::DateTime { .. } | ColumnType::Timestamp { .. } => {
            "dates take `year`, `month`, `fixed:DATE`, `null`, `keep`"
        }
        ColumnType::Uuid => "a UUID takes `uuid`, `null`, `keep`",
        ty if is_bytes(ty) => "bytes take `hmac`, `redact`, `fixed:TEXT`, `null`, `keep`",
        ty if chars_of(ty).is_some() => {
            "texts take `hmac`, `email`, `phone`, `name`, `card`, `keep-last-N`, `number`, `redact`, `fixed:TEXT`, `null`, `keep`"
        }
        _ => "this type takes `null` and `keep`",
    }
}

fn fixed(text: &str, column: &Column) -> Result<(), &'static str> {
    let is_whole = |text: &str| text.strip_prefix('-').unwrap_or(text).bytes().all(|byte| byte.is_ascii_digit());
    let ty = &column.ty;
    if let Some((least, most)) = range_of(ty) {
        let value = text.parse::<i128>().ok().filter(|_| is_whole(text));
        return if value.is_some_and(|value| value >= least && value <= most) {
            Ok(())
        } else {
            Err("it is no number of its range")
        };
    }
    match ty {
        ColumnType::Decimal { precision, scale, unsigned } => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            let fits = !whole.is_empty()
                && whole.len() <= usize::from(precision - scale)
                && fraction.len() <= usize::from(*scale)
                && is_whole(whole)
                && is_whole(fraction)
                && !(*unsigned && text.starts_with('-'))
                && *precision <= 38;
            if fits { Ok(()) } else { Err("it is no number that its column holds") }
        }
        ColumnType::Date if text.parse::<jiff::civil::Date>().is_ok() && text.len() == 10 => Ok(()),
        ColumnType::DateTime { .. } if text.parse::<jiff::civil::DateTime>().is_ok() && text.len() == 19 => Ok(()),
        ColumnType::Date | ColumnType::DateTime { .. } => Err("it is no `YYYY-MM-DD`, with ` HH:MM:SS` for DATETIME"),
        ty => match chars_of(ty) {
            None => Err("its type takes no fixed text"),
            Some(room) if text.chars().count() > room => Err("it is longer than the column"),
            Some(_) if !text.is_ascii() && !column.charset.as_deref().is_none_or(|name| name.starts_with("utf")) => {
                Err("its character set may not hold it: only ASCII is sure to fit")
            }
            Some(_) => Ok(()),
        },
    }
}
