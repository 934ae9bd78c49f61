//! VECTOR(n): `[1,2.5,-3e2]`, each number in the range of a FLOAT. MariaDB's vectors have n numbers, MySQL's have n at most.
//! Numbers are rewritten to the shape that JSON has for them, because MariaDB reads no other.

use super::number::{self, Number};
use super::{Judge, Rules, Verdict, Why};

#[derive(Clone, Debug)]
pub(super) struct VectorJudge {
    dim: u32,
    exact: bool,
}

impl VectorJudge {
    pub(super) fn new(dim: u32, rules: &Rules) -> Self {
        Self { dim, exact: rules.is_mariadb() }
    }

    fn rewrite(&self, cell: &[u8], out: &mut Vec<u8>) -> Result<(), Why> {
        let [b'[', inside @ .., b']'] = number::trim(cell) else { return Err(Why::Shape) };
        let mut n = 0;
        for text in inside.split(|b| *b == b',') {
            out.push(if n == 0 { b'[' } else { b',' });
            write_number(number::trim(text), out)?;
            n += 1;
        }
        out.push(b']');
        if n > self.dim || (self.exact && n != self.dim) { Err(Why::Dimensions { n }) } else { Ok(()) }
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

fn write_number(text: &[u8], out: &mut Vec<u8>) -> Result<(), Why> {
    let number = Number::parse(text).ok_or(Why::Shape)?;
    let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f32>().ok()).ok_or(Why::Shape)?;
    if !value.is_finite() {
        return Err(Why::Range);
    }
    if value == 0.0 && !number.is_zero() {
        return Err(Why::Underflow);
    }
    number.write_json(text, out);
    Ok(())
}
