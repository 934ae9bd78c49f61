//! Values as they are bound: a number that goes into an INT need not become text first. A value gets the verdict that its printed
//! form gets in a load, except that a number is compared as a number and a date as a date.
//!
//! What a server does with a value of one kind in a column of another was measured on the servers (docs/notes/column-checks.md).
//! Where it stores something else than the printed form (`5` into YEAR is 2005, `2` into an ENUM its second member, bytes into
//! BIT the bits of their characters, NaN into DECIMAL 0), the value is replaced by one that is stored as it is meant, or is bad.
//! So the write method does not matter either.

use super::network::NetworkValidator;
use super::{AnyValidator, CellValidator, Check, Task, Verdict, Why, takes_uuid};
use crate::convert::bounds::{Bounds, Within};
use crate::error::InputFault;
use crate::value::Value;
use std::fmt::{self, Write};

/// The verdict on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundVerdict {
    /// It is sent unchanged.
    Keep,
    /// It is sent as text: it is bytes, and they are UTF-8.
    AsText,
    /// What was appended to the scratch is sent in its place, as text.
    Text,
    /// What was appended to the scratch is sent in its place, as bytes.
    Bytes,
    /// This number is sent in its place.
    UInt(u64),
    /// It must not be sent.
    Bad(Why),
}

impl Check {
    /// Returns the bounds of the values that need no validator.
    pub fn bounds(&self) -> Bounds {
        let within = match &self.validator {
            AnyValidator::Int(validator) => validator.within(),
            AnyValidator::Chars(validator) => validator.within(),
            AnyValidator::Float(validator) => validator.within().unwrap_or(Within::Nothing),
            AnyValidator::DateTime(validator) => validator.within(),
            AnyValidator::Date(_) => Within::Date,
            AnyValidator::Bytes(validator) => Within::Bytes { max: validator.max as usize },
            AnyValidator::Pass => Within::Bytes { max: usize::MAX },
            _ => Within::Nothing,
        };
        Bounds { null: !self.null_is_bad, within }
    }

    /// Validates one value; its replacement is appended to `scratch`. For a bad value, `scratch` is left unchanged.
    pub fn validate_value(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> BoundVerdict {
        // The common kinds, each in its common column.
        match (&self.validator, value) {
            (AnyValidator::Int(validator), Value::Int(n)) => validator.int(*n).into(),
            (AnyValidator::Chars(validator), Value::Text(text)) => validator.validate(text.as_bytes(), scratch).into(),
            (AnyValidator::Float(validator), Value::Double(n)) if validator.holds(*n) => BoundVerdict::Keep,
            (AnyValidator::DateTime(validator), Value::DateTime(moment)) => validator.moment(moment).into(),
            (_, Value::Null) if self.null_is_bad => BoundVerdict::Bad(Why::Null),
            (_, Value::Null) => BoundVerdict::Keep,
            _ => self.validate_further(value, scratch),
        }
    }

    /// Why `value` is bad: as in an error message, and as a value.
    pub fn reason_of(&self, value: &Value<'_>, why: Why) -> (String, InputFault) {
        let printed;
        let cell = match value {
            Value::Bytes(bytes) => bytes,
            Value::Text(text) => text.as_bytes(),
            other => {
                printed = Printed::of(other);
                printed.bytes()
            }
        };
        (super::why::explain(why, cell, &self.column, &self.rules), super::why::fault(why, cell, &self.column.ty))
    }

    fn validate_further(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> BoundVerdict {
        let start = scratch.len();
        let verdict = match value {
            // A server treats a text as characters, and would store their bits.
            Value::Text(_) if matches!(self.validator, AnyValidator::Bit(_)) => BoundVerdict::Bad(Why::BitText),
            Value::Text(text) => self.validate_text(text, scratch),
            Value::Bytes(bytes) => self.validate_bytes(bytes, scratch),
            Value::Int(n) => self.validate_int(*n, scratch),
            Value::UInt(n) => self.validate_uint(*n, scratch),
            Value::Default if self.column.optional || self.column.generated => BoundVerdict::Keep,
            Value::Default => BoundVerdict::Bad(Why::NoDefault),
            _ => self.validate_other(value, scratch),
        };
        if let BoundVerdict::Bad(_) = verdict {
            scratch.truncate(start);
        }
        verdict
    }

    fn validate_text(&self, text: &str, scratch: &mut Vec<u8>) -> BoundVerdict {
        match &self.validator {
            AnyValidator::Bit(validator) => {
                validator.number(text.as_bytes()).map_or_else(BoundVerdict::Bad, BoundVerdict::UInt)
            }
            AnyValidator::Vector(validator) => match validator.write_bytes(text.as_bytes(), scratch) {
                Ok(()) => BoundVerdict::Bytes,
                Err(why) => BoundVerdict::Bad(why),
            },
            AnyValidator::Geometry(_) => BoundVerdict::Bad(Why::GeometryText),
            _ => self.validate_cell(text.as_bytes(), scratch).into(),
        }
    }

    fn validate_bytes(&self, bytes: &[u8], scratch: &mut Vec<u8>) -> BoundVerdict {
        match &self.validator {
            AnyValidator::Pass | AnyValidator::Unknown => BoundVerdict::Keep,
            AnyValidator::Bytes(validator) => validator.validate(bytes, scratch).into(),
            AnyValidator::Bit(validator) => validator.bits(bytes).map_or_else(BoundVerdict::Bad, BoundVerdict::UInt),
            AnyValidator::Vector(validator) => validator.validate_bytes(bytes).into(),
            AnyValidator::Geometry(validator) => match validator.validate_bytes(bytes, scratch) {
                Verdict::Rewrite => BoundVerdict::Bytes,
                verdict => verdict.into(),
            },
            validator => {
                if let AnyValidator::Network(network) = validator
                    && network.write_raw(bytes, scratch)
                {
                    let is_taken = !matches!(network, NetworkValidator::Uuid) || takes_uuid(scratch);
                    return if is_taken { BoundVerdict::Text } else { BoundVerdict::Bad(Why::UuidNotTaken) };
                }
                match std::str::from_utf8(bytes) {
                    Err(e) => BoundVerdict::Bad(Why::NotUtf8 { at: e.valid_up_to() as u32 }),
                    Ok(text) => match self.validate_cell(text.as_bytes(), scratch) {
                        // Bytes are not converted to the column's character set; these do not need it.
                        Verdict::Keep if matches!(validator, AnyValidator::Chars(validator) if validator.is_utf8()) => {
                            BoundVerdict::Keep
                        }
                        // The server would read them as text in the column's own character set.
                        Verdict::Keep | Verdict::Rewrite if matches!(validator, AnyValidator::Chars(validator) if !validator.reads_bytes(bytes)) => {
                            BoundVerdict::Bad(Why::BytesOfCharset)
                        }
                        Verdict::Keep => BoundVerdict::AsText,
                        verdict => verdict.into(),
                    },
                }
            }
        }
    }

    fn validate_int(&self, n: i64, scratch: &mut Vec<u8>) -> BoundVerdict {
        match (&self.validator, u64::try_from(n)) {
            (AnyValidator::Int(validator), _) => validator.int(n).into(),
            (AnyValidator::Decimal(validator), _) => validator.int(n < 0, n.unsigned_abs()).into(),
            (AnyValidator::Float(validator), _) if validator.holds(n as f64) => BoundVerdict::Keep,
            (AnyValidator::Enum(_) | AnyValidator::Set(_), Err(_)) => BoundVerdict::Bad(Why::NotAMember),
            (_, Ok(n)) => self.validate_uint(n, scratch),
            _ => self.validate_other(&Value::Int(n), scratch),
        }
    }

    fn validate_uint(&self, n: u64, scratch: &mut Vec<u8>) -> BoundVerdict {
        match &self.validator {
            AnyValidator::Int(validator) => validator.uint(n).into(),
            AnyValidator::Decimal(validator) => validator.int(false, n).into(),
            AnyValidator::Float(validator) if validator.holds(n as f64) => BoundVerdict::Keep,
            AnyValidator::Bit(validator) => validator.uint(n).into(),
            AnyValidator::Year(validator) => validator.uint(n, scratch).into(),
            AnyValidator::Enum(validator) => {
                self.validate_member(validator.index(n.to_string().as_bytes()), n, scratch)
            }
            AnyValidator::Set(validator) => self.validate_member(validator.bit(n.to_string().as_bytes()), n, scratch),
            _ => self.validate_other(&Value::UInt(n), scratch),
        }
    }

    fn validate_other(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> BoundVerdict {
        match (&self.validator, value) {
            // MySQL stores the greatest number for the DOUBLEs next to it.
            (AnyValidator::Int(validator), Value::Double(n)) => match validator.double(*n).into() {
                BoundVerdict::Keep if *n >= EXACT => BoundVerdict::UInt(*n as u64),
                verdict => verdict,
            },
            (AnyValidator::Int(validator), Value::Float(n)) => validator.double(f64::from(*n)).into(),
            (AnyValidator::Bit(_) | AnyValidator::Enum(_) | AnyValidator::Set(_), Value::Float(n)) => {
                self.validate_double_for_bits(f64::from(*n), scratch)
            }
            (AnyValidator::Bit(_) | AnyValidator::Enum(_) | AnyValidator::Set(_), Value::Double(n)) => {
                self.validate_double_for_bits(*n, scratch)
            }
            (AnyValidator::Float(validator), Value::Float(n)) if validator.holds(f64::from(*n)) => BoundVerdict::Keep,
            // A server prints a DOUBLE and reads the text again; it converts a FLOAT to a DOUBLE before.
            (AnyValidator::Decimal(_), Value::Double(_)) => self.validate_double_for_decimal(value, scratch),
            (AnyValidator::Decimal(validator), Value::Float(n)) => match self.validate_printed(value, scratch) {
                // The digits after those of the FLOAT, which an execution stores.
                BoundVerdict::Text if !validator.rounds_alike(*n) => BoundVerdict::Bad(Why::FloatDigits),
                verdict => verdict,
            },
            (AnyValidator::Date(validator), Value::Date(date)) => validator.date(date).into(),
            (AnyValidator::Date(validator), Value::DateTime(moment)) => validator.moment(moment).into(),
            (AnyValidator::DateTime(validator), Value::Date(date)) => validator.date(date).into(),
            (AnyValidator::Time(validator), Value::Time(time)) => match validator.time(time) {
                // MySQL converts it to something that is not a time.
                Verdict::Keep if time.negative && time.as_micros() == Some(0) => self.validate_printed(value, scratch),
                verdict => verdict.into(),
            },
            (AnyValidator::Unknown, _) => BoundVerdict::Keep,
            // For a column of texts or bytes; a LONGBLOB takes any.
            (AnyValidator::Chars(_) | AnyValidator::Bytes(_) | AnyValidator::Pass, Value::Double(n))
                if !n.is_finite() =>
            {
                BoundVerdict::Bad(Why::NotFinite)
            }
            (AnyValidator::Chars(_) | AnyValidator::Bytes(_) | AnyValidator::Pass, Value::Float(n))
                if !n.is_finite() =>
            {
                BoundVerdict::Bad(Why::NotFinite)
            }
            // A server converts a FLOAT to a DOUBLE, and prints that.
            (_, Value::Float(n)) if !matches!(self.validator, AnyValidator::Float(_)) => {
                self.validate_printed(&Value::Double(f64::from(*n)), scratch)
            }
            _ => self.validate_printed(value, scratch),
        }
    }

    /// Validates a number for an ENUM or a SET. A server reads it as the position of a member, a user as its text: both must agree.
    fn validate_member(&self, place: Option<u64>, n: u64, scratch: &mut Vec<u8>) -> BoundVerdict {
        match place {
            Some(place) if place != n => BoundVerdict::Bad(Why::NumberOfMember),
            _ => self.validate_printed(&Value::UInt(n), scratch),
        }
    }

    /// All digits of a whole number, where its bits matter.
    fn validate_double_for_bits(&self, n: f64, scratch: &mut Vec<u8>) -> BoundVerdict {
        if n.fract() != 0.0 || !n.is_finite() {
            return BoundVerdict::Bad(if n.is_finite() { Why::Fraction } else { Why::Shape });
        }
        match (&self.validator, u64::try_from(n as i128)) {
            // From here on servers store the greatest BIGINT.
            (AnyValidator::Bit(_), Ok(BEYOND_BIGINT..)) => BoundVerdict::Bad(Why::Range),
            (AnyValidator::Bit(validator), Ok(n)) => match validator.uint(n) {
                Verdict::Keep => BoundVerdict::UInt(n),
                verdict => verdict.into(),
            },
            (_, Ok(n)) => self.validate_uint(n, scratch),
            (AnyValidator::Bit(_), Err(_)) => BoundVerdict::Bad(Why::Range),
            (_, Err(_)) => BoundVerdict::Bad(Why::NotAMember),
        }
    }

    /// A DOUBLE with so few digits is printed in only one form, so the number itself can be sent.
    fn validate_double_for_decimal(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> BoundVerdict {
        let start = scratch.len();
        let verdict = self.validate_printed(value, scratch);
        let n_digits = scratch[start..].iter().filter(|byte| byte.is_ascii_digit()).count();
        if verdict != BoundVerdict::Text || n_digits > f64::DIGITS as usize {
            return verdict;
        }
        scratch.truncate(start);
        BoundVerdict::Keep
    }

    /// Any other value is sent as its printed text. So no number is ever bound for a column of texts: MySQL takes the type of the
    /// first value that is bound as the type of all of them, and stores `7` for the text `007` that follows a number.
    fn validate_printed(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> BoundVerdict {
        let start = scratch.len();
        let printed = Printed::of(value);
        match self.validate_text(printed.text(), scratch) {
            BoundVerdict::Keep => {
                scratch.truncate(start);
                scratch.extend_from_slice(printed.bytes());
                BoundVerdict::Text
            }
            verdict => verdict,
        }
    }

    /// A text that is known to be UTF-8.
    fn validate_cell(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        self.validator.give_to(Bound { cell, out })
    }
}

/// Validates one bound text.
struct Bound<'a> {
    cell: &'a [u8],
    out: &'a mut Vec<u8>,
}

impl Task for Bound<'_> {
    type Done = Verdict;

    #[inline]
    fn with(self, validator: &impl CellValidator, _is_text: bool) -> Verdict {
        validator.validate_bound(self.cell, self.out)
    }
}

impl From<Verdict> for BoundVerdict {
    #[inline]
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Keep => Self::Keep,
            Verdict::Rewrite => Self::Text,
            Verdict::Bad(why) => Self::Bad(why),
        }
    }
}

const BEYOND_BIGINT: u64 = 1 << 63;

/// A number, a date or a time in print, without an allocation.
struct Printed {
    bytes: [u8; LONGEST],
    len: usize,
}

impl Printed {
    fn of(value: &Value<'_>) -> Self {
        let mut printed = Self { bytes: [0; LONGEST], len: 0 };
        // A value that does not fit is cut; no value is that long.
        let _ = write!(printed, "{value}");
        printed
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn text(&self) -> &str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

impl Write for Printed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes.get_mut(self.len..end).ok_or(fmt::Error)?.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

/// `-4294967295 days` as hours has 25 characters, the longest DOUBLE without an exponent 34.
const LONGEST: usize = 64;
/// 2^53: from here on a DOUBLE is a whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;
