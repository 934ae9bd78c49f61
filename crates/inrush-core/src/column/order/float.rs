//! FLOAT and DOUBLE: the bits of IEEE 754, the sign bit flipped for positive numbers and all bits for negative ones.

/// The server reads a DOUBLE, then rounds it.
#[inline]
pub(super) fn append_float(cell: &[u8], key: &mut Vec<u8>) {
    // -0 is 0.
    let bits = (read(cell) as f32 + 0.0).to_bits();
    let mask = ((bits as i32) >> 31) as u32 | 1 << 31;
    key.extend_from_slice(&(bits ^ mask).to_be_bytes());
}

#[inline]
pub(super) fn append_double(cell: &[u8], key: &mut Vec<u8>) {
    let bits = (read(cell) + 0.0).to_bits();
    let mask = ((bits as i64) >> 63) as u64 | 1 << 63;
    key.extend_from_slice(&(bits ^ mask).to_be_bytes());
}

/// What is no number is 0.
#[inline]
fn read(cell: &[u8]) -> f64 {
    let value = std::str::from_utf8(cell).ok().and_then(|text| text.parse().ok());
    value.filter(|value: &f64| !value.is_nan()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use crate::column::order::tests::{ascends, compares, equal};
    use proptest::prelude::*;

    #[test]
    fn sorted() {
        for ty in ["float", "double"] {
            ascends(
                ty,
                &["-3e38", "-1e3", "-1.5", "-1e-30", "0", "1e-30", "0.5", "1", "1.5", "2", "10", "1e3", "3e38"],
            );
            equal(ty, &["0", "-0", "0.0", "-0e7", "word", "nan", ""]);
            equal(ty, &["1000", "1e3", "1E3", "+1000.0"]);
        }
        equal("float", &["0.1", "0.100000001"]);
        ascends("double", &["-1e308", "0.1", "0.10000000000000002", "1e308"]);
    }

    proptest! {
        #[test]
        fn as_numbers(a in any::<f64>(), b in any::<f64>()) {
            prop_assume!(!a.is_nan() && !b.is_nan());
            compares("double", &format!("{a:e}"), &format!("{b:e}"), a.partial_cmp(&b).unwrap());
        }
    }
}
