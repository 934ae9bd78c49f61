//! VECTOR(n): `[1,2.5,-3e2]`, each number in the range of a FLOAT. MariaDB's vectors have n numbers, MySQL's have n at most.
//! Numbers are rewritten to the shape that JSON has for them, because MariaDB reads no other.

use super::number::{self, Number};
use super::{CellValidator, Rules, Verdict, Why};
use crate::profile::Vectors;

#[derive(Clone, Debug)]
pub(super) struct VectorValidator {
    dim: u32,
    takes: Vectors,
}

impl VectorValidator {
    pub(super) fn new(dim: u32, rules: &Rules) -> Self {
        Self { dim, takes: rules.profile.vectors }
    }

    /// The floats that a column holds, each in 4 bytes, little endian.
    pub(super) fn validate_bytes(&self, bytes: &[u8]) -> Verdict {
        let (floats, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() || floats.is_empty() {
            return Verdict::Bad(Why::VectorBytes);
        }
        let mut squares = 0.0;
        for float in floats {
            let value = f64::from(f32::from_le_bytes(*float));
            if !value.is_finite() {
                return Verdict::Bad(Why::VectorNumber);
            }
            squares += value * value;
        }
        self.measure(floats.len(), squares).map_or_else(Verdict::Bad, |()| Verdict::Keep)
    }

    /// Writes these bytes of a text.
    pub(super) fn write_bytes(&self, cell: &[u8], out: &mut Vec<u8>) -> Result<(), Why> {
        self.read(cell, |value, _, _| out.extend_from_slice(&value.to_le_bytes()))
    }

    fn rewrite(&self, cell: &[u8], out: &mut Vec<u8>) -> Result<(), Why> {
        out.push(b'[');
        let start = out.len();
        self.read(cell, |_, number, text| {
            if out.len() > start {
                out.push(b',');
            }
            number.write_json(text, out);
        })?;
        out.push(b']');
        Ok(())
    }

    fn read(&self, cell: &[u8], mut each: impl FnMut(f32, Number<'_>, &[u8])) -> Result<(), Why> {
        let [b'[', inside @ .., b']'] = number::trim(cell) else { return Err(Why::Shape) };
        let mut n = 0;
        let mut squares = 0.0;
        for text in inside.split(|b| *b == b',').map(number::trim) {
            let number = Number::parse(text).ok_or(Why::Shape)?;
            let value = self.read_number(text, &number)?;
            each(value, number, text);
            squares += f64::from(value) * f64::from(value);
            n += 1;
        }
        self.measure(n, squares)
    }

    fn measure(&self, n: usize, squares: f64) -> Result<(), Why> {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        if n > self.dim || (self.takes.exact_length && n != self.dim) {
            return Err(Why::Dimensions { n });
        }
        // MariaDB stores the square of a vector's length with it, as a FLOAT.
        if self.takes.bounded_length && squares > f64::from(f32::MAX) { Err(Why::Range) } else { Ok(()) }
    }

    fn read_number(&self, text: &[u8], number: &Number<'_>) -> Result<f32, Why> {
        let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f32>().ok()).ok_or(Why::Shape)?;
        if !value.is_finite() {
            return Err(Why::Range);
        }
        // MySQL refuses a number that is not zero but has no normal FLOAT; MariaDB stores 0 for one that no FLOAT can hold.
        let smallest = if self.takes.subnormals { f32::from_bits(1) } else { f32::MIN_POSITIVE };
        if !number.is_zero() && value.abs() < smallest {
            return Err(Why::Underflow);
        }
        Ok(value)
    }
}

impl CellValidator for VectorValidator {
    fn validate(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
        let start = out.len();
        match self.rewrite(cell, out) {
            Ok(()) if out[start..] == *cell => {
                out.truncate(start);
                Verdict::Keep
            }
            Ok(()) => Verdict::Rewrite,
            Err(why) => Verdict::Bad(why),
        }
    }
}
