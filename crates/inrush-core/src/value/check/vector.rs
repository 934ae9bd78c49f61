//! VECTOR(n): `[1,2.5,-3e2]`, each number in the range of a FLOAT. MariaDB's vectors have n numbers, MySQL's have n at most.
//! Numbers are rewritten to the shape that JSON has for them, because MariaDB reads no other.

use super::number::{self, Number};
use super::{Judge, Rules, Verdict, Why};

#[derive(Clone, Debug)]
pub(super) struct VectorJudge {
    dim: u32,
    mariadb: bool,
}

impl VectorJudge {
    pub(super) fn new(dim: u32, rules: &Rules) -> Self {
        Self { dim, mariadb: rules.is_mariadb() }
    }

    fn rewrite(&self, cell: &[u8], out: &mut Vec<u8>) -> Result<(), Why> {
        let [b'[', inside @ .., b']'] = number::trim(cell) else { return Err(Why::Shape) };
        let mut n = 0;
        let mut squares = 0.0;
        for text in inside.split(|b| *b == b',') {
            out.push(if n == 0 { b'[' } else { b',' });
            let value = self.write_number(number::trim(text), out)?;
            squares += value * value;
            n += 1;
        }
        out.push(b']');
        if n > self.dim || (self.mariadb && n != self.dim) {
            return Err(Why::Dimensions { n });
        }
        // MariaDB keeps the square of a vector's length beside it, as a FLOAT.
        if self.mariadb && squares > f64::from(f32::MAX) { Err(Why::Range) } else { Ok(()) }
    }

    fn write_number(&self, text: &[u8], out: &mut Vec<u8>) -> Result<f64, Why> {
        let number = Number::parse(text).ok_or(Why::Shape)?;
        let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f32>().ok()).ok_or(Why::Shape)?;
        if !value.is_finite() {
            return Err(Why::Range);
        }
        // MySQL refuses what is not zero and yet has no normal FLOAT, MariaDB makes 0 of what has none at all.
        let smallest = if self.mariadb { f32::from_bits(1) } else { f32::MIN_POSITIVE };
        if !number.is_zero() && value.abs() < smallest {
            return Err(Why::Underflow);
        }
        number.write_json(text, out);
        Ok(value.into())
    }
}

impl Judge for VectorJudge {
    fn judge(&self, cell: &[u8], out: &mut Vec<u8>) -> Verdict {
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
