//! VECTOR(n): `[1,2.5,-3e2]`, with as many numbers as the column has dimensions, each in the range of a FLOAT.

use super::number::{self, Number};
use super::{Judge, Verdict, Why};

#[derive(Clone, Debug)]
pub(super) struct VectorJudge {
    pub(super) dim: u32,
}

impl Judge for VectorJudge {
    fn judge(&self, cell: &[u8], _: &mut Vec<u8>) -> Verdict {
        let [b'[', inside @ .., b']'] = number::trim(cell) else { return Verdict::Bad(Why::Shape) };
        let mut n = 0u32;
        for text in inside.split(|b| *b == b',') {
            let text = number::trim(text);
            let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f32>().ok());
            match (Number::parse(text), value) {
                (Some(_), Some(value)) if value.is_finite() => n = n.saturating_add(1),
                (Some(_), _) => return Verdict::Bad(Why::Range),
                (None, _) => return Verdict::Bad(Why::Shape),
            }
        }
        if n == self.dim { Verdict::Keep } else { Verdict::Bad(Why::Dimensions { n }) }
    }
}
