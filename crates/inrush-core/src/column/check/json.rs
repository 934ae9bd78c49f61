//! JSON: a document that the server takes and stores as it is.

use super::number::Number;
use super::{CellValidator, Verdict, Why};
use crate::column::Rules;
use crate::column::json::{Fault, Limits, Scanner, Span, What};

#[derive(Clone, Debug)]
pub(super) struct JsonValidator {
    limits: Limits,
}

impl JsonValidator {
    pub(super) fn new(rules: &Rules) -> Self {
        let depth = rules.profile.json_depth;
        let limits = match rules.profile.json_is_text {
            true => Limits { depth, ..Limits::default() },
            false => Limits { depth, key_bytes: KEY_BYTES, takes_number: fits_a_double },
        };
        Self { limits }
    }
}

impl CellValidator for JsonValidator {
    fn validate(&self, cell: &[u8], _: &mut Vec<u8>) -> Verdict {
        let whole = Span { start: 0, end: cell.len() };
        match Scanner::new(cell, whole, self.limits).document() {
            Ok(()) => Verdict::Keep,
            Err(fault) => Verdict::Bad(why(fault)),
        }
    }
}

fn why(fault: Fault) -> Why {
    let at = fault.at as u32;
    match fault.what {
        What::Grammar(_) => Why::Json { at },
        What::Depth => Why::JsonDepth,
        What::Key => Why::JsonKey,
        What::Number => Why::JsonNumber { at },
    }
}

/// Whether the binary form can hold a number: neither beyond a double, nor so small that nothing is left of it.
fn fits_a_double(text: &[u8]) -> bool {
    if text.len() <= 300 && !text.iter().any(|byte| matches!(byte, b'e' | b'E')) {
        return true;
    }
    let value = std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    let is_zero = Number::parse(text).is_some_and(|number| number.is_zero());
    value.is_finite() && (value != 0.0 || is_zero)
}

/// The longest name of a member in the binary form.
const KEY_BYTES: usize = 65_535;
