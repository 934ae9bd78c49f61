//! Length-encoded integers and strings, the writing side (the reading side is [`crate::wire::Cursor`]).

/// int<lenenc>: 1, 3, 4 or 9 bytes.
pub fn put_int(out: &mut Vec<u8>, n: u64) {
    let bytes = n.to_le_bytes();
    match n {
        0..=0xFA => out.push(bytes[0]),
        0xFB..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&bytes[..2]);
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&bytes[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&bytes);
        }
    }
}

/// string<lenenc>.
#[inline]
pub fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    match u8::try_from(bytes.len()) {
        // Nearly all of them, without a call.
        Ok(length @ 0..=0xFA) => out.push(length),
        _ => put_int(out, bytes.len() as u64),
    }
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Cursor;

    #[track_caller]
    fn check(n: u64, length: usize) {
        let mut out = Vec::new();
        put_int(&mut out, n);
        assert_eq!(out.len(), length);
        assert_eq!(Cursor::new(&out, "test").lenenc(), Ok(n));
    }

    #[test]
    fn each_width_at_its_edges() {
        check(0, 1);
        check(0xFA, 1);
        check(0xFB, 3);
        check(0xFFFF, 3);
        check(0x1_0000, 4);
        check(0xFF_FFFF, 4);
        check(0x100_0000, 9);
        check(u64::MAX, 9);
    }

    #[test]
    fn what_begins_no_number_is_malformed() {
        assert!(Cursor::new(&[0xFB], "test").lenenc().is_err());
        assert!(Cursor::new(&[0xFF, 0, 0, 0, 0, 0, 0, 0, 0], "test").lenenc().is_err());
        assert!(Cursor::new(&[0xFD, 1, 2], "test").lenenc().is_err());
        assert!(Cursor::new(&[0xFE, 255, 255, 255, 255, 255, 255, 255, 255], "test").lenenc_bytes().is_err());
    }
}
