//! Values as they are bound: a number that goes into an INT need not become text first. A value gets the verdict that its printed
//! form gets in a load, except that a number is compared as a number and a date as a date.
//!
//! What a server does with a value of one kind in a column of another was measured on the servers (docs/notes/column-checks.md).
//! Where it stores something else than the printed form (`5` into YEAR is 2005, `2` into an ENUM its second member, bytes into
//! BIT the bits of their characters, NaN into DECIMAL 0), the value is replaced by one that is stored as it is meant, or is bad.
//! So the write method does not matter either.

use super::network::NetworkJudge;
use super::{AnyJudge, Check, Judge, Verdict, Why, member, takes_uuid};
use crate::convert::bounds::{Bounds, Within};
use crate::wire::Value;
use std::fmt::{self, Write};

/// The verdict on a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judged {
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
    /// Returns the bounds of the values that need no judge.
    pub fn bounds(&self) -> Bounds {
        let within = match &self.judge {
            AnyJudge::Int(judge) => judge.within(),
            AnyJudge::Chars(judge) => judge.within(),
            AnyJudge::Float(judge) => judge.within().unwrap_or(Within::Nothing),
            AnyJudge::DateTime(judge) => judge.within(),
            AnyJudge::Date(_) => Within::Date,
            AnyJudge::Bytes(judge) => Within::Bytes { max: judge.max as usize },
            AnyJudge::Pass => Within::Bytes { max: usize::MAX },
            _ => Within::Nothing,
        };
        Bounds { null: !self.null_is_bad, within }
    }

    /// Judges one value; its replacement is appended to `scratch`. For a bad value, `scratch` is left unchanged.
    pub fn judge_value(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> Judged {
        // The common kinds, each in its common column.
        match (&self.judge, value) {
            (AnyJudge::Int(judge), Value::Int(n)) => judge.int(*n).into(),
            (AnyJudge::Chars(judge), Value::Text(text)) => judge.judge(text.as_bytes(), scratch).into(),
            (AnyJudge::Float(judge), Value::Double(n)) if judge.holds(*n) => Judged::Keep,
            (AnyJudge::DateTime(judge), Value::DateTime(moment)) => judge.moment(moment).into(),
            (_, Value::Null) if self.null_is_bad => Judged::Bad(Why::Null),
            (_, Value::Null) => Judged::Keep,
            _ => self.judge_further(value, scratch),
        }
    }

    /// Why `value` is bad, as in an error message.
    pub fn reason_of(&self, value: &Value<'_>, why: Why) -> String {
        let printed;
        let cell = match value {
            Value::Bytes(bytes) => bytes,
            Value::Text(text) => text.as_bytes(),
            other => {
                printed = Printed::of(other);
                printed.bytes()
            }
        };
        super::why::explain(why, cell, &self.column, &self.rules)
    }

    fn judge_further(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> Judged {
        let start = scratch.len();
        let judged = match value {
            // A server treats a text as characters, and would store their bits.
            Value::Text(_) if matches!(self.judge, AnyJudge::Bit(_)) => Judged::Bad(Why::BitText),
            Value::Text(text) => self.judge_text(text, scratch),
            Value::Bytes(bytes) => self.judge_bytes(bytes, scratch),
            Value::Int(n) => self.judge_int(*n, scratch),
            Value::UInt(n) => self.judge_uint(*n, scratch),
            Value::Default if self.column.optional || self.column.generated => Judged::Keep,
            Value::Default => Judged::Bad(Why::NoDefault),
            _ => self.judge_other(value, scratch),
        };
        if let Judged::Bad(_) = judged {
            scratch.truncate(start);
        }
        judged
    }

    fn judge_text(&self, text: &str, scratch: &mut Vec<u8>) -> Judged {
        match &self.judge {
            AnyJudge::Bit(judge) => judge.number(text.as_bytes()).map_or_else(Judged::Bad, Judged::UInt),
            AnyJudge::Vector(judge) => match judge.write_bytes(text.as_bytes(), scratch) {
                Ok(()) => Judged::Bytes,
                Err(why) => Judged::Bad(why),
            },
            AnyJudge::Geometry(_) => Judged::Bad(Why::GeometryText),
            _ => self.judge_cell(text.as_bytes(), scratch).into(),
        }
    }

    fn judge_bytes(&self, bytes: &[u8], scratch: &mut Vec<u8>) -> Judged {
        match &self.judge {
            AnyJudge::Pass | AnyJudge::Unknown => Judged::Keep,
            AnyJudge::Bytes(judge) => judge.judge(bytes, scratch).into(),
            AnyJudge::Bit(judge) => judge.bits(bytes).map_or_else(Judged::Bad, Judged::UInt),
            AnyJudge::Vector(judge) => judge.judge_bytes(bytes).into(),
            AnyJudge::Geometry(judge) => match judge.judge_bytes(bytes, scratch) {
                Verdict::Rewrite => Judged::Bytes,
                verdict => verdict.into(),
            },
            judge => {
                if let AnyJudge::Network(network) = judge
                    && network.write_raw(bytes, scratch)
                {
                    let is_taken = !matches!(network, NetworkJudge::Uuid) || takes_uuid(scratch);
                    return if is_taken { Judged::Text } else { Judged::Bad(Why::UuidNotTaken) };
                }
                match std::str::from_utf8(bytes) {
                    Err(e) => Judged::Bad(Why::NotUtf8 { at: e.valid_up_to() as u32 }),
                    Ok(text) => match self.judge_cell(text.as_bytes(), scratch) {
                        // Bytes are not converted to the column's character set; these do not need it.
                        Verdict::Keep if matches!(judge, AnyJudge::Chars(judge) if judge.is_utf8()) => Judged::Keep,
                        // The server would read them as text in the column's own character set.
                        Verdict::Keep | Verdict::Rewrite if matches!(judge, AnyJudge::Chars(judge) if !judge.reads_bytes(bytes)) => {
                            Judged::Bad(Why::BytesOfCharset)
                        }
                        Verdict::Keep => Judged::AsText,
                        verdict => verdict.into(),
                    },
                }
            }
        }
    }

    fn judge_int(&self, n: i64, scratch: &mut Vec<u8>) -> Judged {
        match (&self.judge, u64::try_from(n)) {
            (AnyJudge::Int(judge), _) => judge.int(n).into(),
            (AnyJudge::Decimal(judge), _) => judge.int(n < 0, n.unsigned_abs()).into(),
            (AnyJudge::Float(judge), _) if judge.holds(n as f64) => Judged::Keep,
            (AnyJudge::Enum(_) | AnyJudge::Set(_), Err(_)) => Judged::Bad(Why::NotAMember),
            (_, Ok(n)) => self.judge_uint(n, scratch),
            _ => self.judge_other(&Value::Int(n), scratch),
        }
    }

    fn judge_uint(&self, n: u64, scratch: &mut Vec<u8>) -> Judged {
        match &self.judge {
            AnyJudge::Int(judge) => judge.uint(n).into(),
            AnyJudge::Decimal(judge) => judge.int(false, n).into(),
            AnyJudge::Float(judge) if judge.holds(n as f64) => Judged::Keep,
            AnyJudge::Bit(judge) => judge.uint(n).into(),
            AnyJudge::Year(judge) => judge.uint(n, scratch).into(),
            AnyJudge::Enum(judge) => self.judge_member(judge.index(n.to_string().as_bytes()), n, scratch),
            AnyJudge::Set(judge) => self.judge_member(judge.bit(n.to_string().as_bytes()), n, scratch),
            _ => self.judge_other(&Value::UInt(n), scratch),
        }
    }

    fn judge_other(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> Judged {
        match (&self.judge, value) {
            // MySQL stores the greatest number for the DOUBLEs next to it.
            (AnyJudge::Int(judge), Value::Double(n)) => match judge.double(*n).into() {
                Judged::Keep if *n >= EXACT => Judged::UInt(*n as u64),
                judged => judged,
            },
            (AnyJudge::Int(judge), Value::Float(n)) => judge.double(f64::from(*n)).into(),
            (AnyJudge::Bit(_) | AnyJudge::Enum(_) | AnyJudge::Set(_), Value::Float(n)) => {
                self.judge_double_for_bits(f64::from(*n), scratch)
            }
            (AnyJudge::Bit(_) | AnyJudge::Enum(_) | AnyJudge::Set(_), Value::Double(n)) => {
                self.judge_double_for_bits(*n, scratch)
            }
            (AnyJudge::Float(judge), Value::Float(n)) if judge.holds(f64::from(*n)) => Judged::Keep,
            // A server prints a DOUBLE and reads the text again; it converts a FLOAT to a DOUBLE before.
            (AnyJudge::Decimal(_), Value::Double(_)) => self.judge_double_for_decimal(value, scratch),
            (AnyJudge::Decimal(judge), Value::Float(n)) => match self.judge_printed(value, scratch) {
                // The digits after those of the FLOAT, which an execution stores.
                Judged::Text if !judge.rounds_alike(*n) => Judged::Bad(Why::FloatDigits),
                judged => judged,
            },
            (AnyJudge::Date(judge), Value::Date(date)) => judge.date(date).into(),
            (AnyJudge::Date(judge), Value::DateTime(moment)) => judge.moment(moment).into(),
            (AnyJudge::DateTime(judge), Value::Date(date)) => judge.date(date).into(),
            (AnyJudge::Time(judge), Value::Time(time)) => match judge.time(time) {
                // MySQL converts it to something that is not a time.
                Verdict::Keep if time.negative && time.as_micros() == Some(0) => self.judge_printed(value, scratch),
                verdict => verdict.into(),
            },
            (AnyJudge::Unknown, _) => Judged::Keep,
            // For a column of texts or bytes; a LONGBLOB takes any.
            (AnyJudge::Chars(_) | AnyJudge::Bytes(_) | AnyJudge::Pass, Value::Double(n)) if !n.is_finite() => {
                Judged::Bad(Why::NotFinite)
            }
            (AnyJudge::Chars(_) | AnyJudge::Bytes(_) | AnyJudge::Pass, Value::Float(n)) if !n.is_finite() => {
                Judged::Bad(Why::NotFinite)
            }
            // A server converts a FLOAT to a DOUBLE, and prints that.
            (_, Value::Float(n)) if !matches!(self.judge, AnyJudge::Float(_)) => {
                self.judge_printed(&Value::Double(f64::from(*n)), scratch)
            }
            _ => self.judge_printed(value, scratch),
        }
    }

    /// Judges a number for an ENUM or a SET. A server reads it as the position of a member, a user as its text: both must agree.
    fn judge_member(&self, place: Option<u64>, n: u64, scratch: &mut Vec<u8>) -> Judged {
        match place {
            Some(place) if place != n => Judged::Bad(Why::NumberOfMember),
            _ => self.judge_printed(&Value::UInt(n), scratch),
        }
    }

    /// All digits of a whole number, where its bits matter.
    fn judge_double_for_bits(&self, n: f64, scratch: &mut Vec<u8>) -> Judged {
        if n.fract() != 0.0 || !n.is_finite() {
            return Judged::Bad(if n.is_finite() { Why::Fraction } else { Why::Shape });
        }
        match (&self.judge, u64::try_from(n as i128)) {
            // From here on servers store the greatest BIGINT.
            (AnyJudge::Bit(_), Ok(BEYOND_BIGINT..)) => Judged::Bad(Why::Range),
            (AnyJudge::Bit(judge), Ok(n)) => match judge.uint(n) {
                Verdict::Keep => Judged::UInt(n),
                verdict => verdict.into(),
            },
            (_, Ok(n)) => self.judge_uint(n, scratch),
            (AnyJudge::Bit(_), Err(_)) => Judged::Bad(Why::Range),
            (_, Err(_)) => Judged::Bad(Why::NotAMember),
        }
    }

    /// A DOUBLE with so few digits is printed in only one form, so the number itself can be sent.
    fn judge_double_for_decimal(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> Judged {
        let start = scratch.len();
        let judged = self.judge_printed(value, scratch);
        let n_digits = scratch[start..].iter().filter(|byte| byte.is_ascii_digit()).count();
        if judged != Judged::Text || n_digits > f64::DIGITS as usize {
            return judged;
        }
        scratch.truncate(start);
        Judged::Keep
    }

    /// Any other value is sent as its printed text. So no number is ever bound for a column of texts: MySQL takes the type of the
    /// first value that is bound as the type of all of them, and stores `7` for the text `007` that follows a number.
    fn judge_printed(&self, value: &Value<'_>, scratch: &mut Vec<u8>) -> Judged {
        let start = scratch.len();
        let printed = Printed::of(value);
        match self.judge_text(printed.text(), scratch) {
            Judged::Keep => {
                scratch.truncate(start);
                scratch.extend_from_slice(printed.bytes());
                Judged::Text
            }
            judged => judged,
        }
    }

    /// A cell that is known to be UTF-8.
    fn judge_cell(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        match &self.judge {
            AnyJudge::Pass | AnyJudge::Unknown => Verdict::Keep,
            AnyJudge::Int(judge) => judge.judge(cell, out),
            AnyJudge::Decimal(judge) => judge.judge(cell, out),
            AnyJudge::Float(judge) => judge.judge(cell, out),
            AnyJudge::Bit(judge) => judge.judge(cell, out),
            AnyJudge::Year(judge) => judge.judge(cell, out),
            AnyJudge::Date(judge) => judge.judge(cell, out),
            AnyJudge::Time(judge) => judge.judge(cell, out),
            AnyJudge::DateTime(judge) => judge.judge(cell, out),
            AnyJudge::Bytes(judge) => judge.judge(cell, out),
            AnyJudge::Vector(judge) => judge.judge(cell, out),
            AnyJudge::Geometry(judge) => judge.judge(cell, out),
            AnyJudge::Network(judge) => judge.judge(cell, out),
            AnyJudge::Chars(judge) => judge.judge(cell, out),
            AnyJudge::Enum(judge) => member::judge_bound(judge, cell, out),
            AnyJudge::Set(judge) => member::judge_bound(judge, cell, out),
            AnyJudge::Json(judge) => judge.judge(cell, out),
        }
    }
}

impl From<Verdict> for Judged {
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
