//! BINARY, VARBINARY and BLOB: by their bytes; a shorter value is before its extension.

#[derive(Clone, Copy, Debug)]
pub(super) struct BytesOrder {
    max: usize,
    padded: bool,
}

impl BytesOrder {
    /// BINARY: the server pads it with zero bytes.
    pub(super) fn padded(bytes: u32) -> Self {
        Self { max: bytes as usize, padded: true }
    }

    /// VARBINARY and BLOB.
    pub(super) fn varying(bytes: u32) -> Self {
        Self { max: bytes as usize, padded: false }
    }

    #[inline]
    pub(super) fn append(self, cell: &[u8], key: &mut Vec<u8>) {
        let cell = &cell[..cell.len().min(self.max)];
        if !self.padded {
            append_escaped(cell, key);
        } else if self.max <= FIXED_WIDTH {
            key.extend_from_slice(cell);
            key.resize(key.len() + self.max - cell.len(), 0);
        } else {
            let zeros = cell.iter().rev().take_while(|byte| **byte == 0).count();
            append_escaped(&cell[..cell.len() - zeros], key);
        }
    }
}

/// Zero bytes become `00 ff`; the end is `00 00`.
#[inline]
pub(super) fn append_escaped(bytes: &[u8], key: &mut Vec<u8>) {
    let mut rest = bytes;
    while let Some(at) = memchr::memchr(0, rest) {
        key.extend_from_slice(&rest[..at]);
        key.extend_from_slice(&[0, 0xff]);
        rest = &rest[at + 1..];
    }
    key.extend_from_slice(rest);
    key.extend_from_slice(&[0, 0]);
}

/// The largest BINARY whose padding is written out.
const FIXED_WIDTH: usize = 32;

#[cfg(test)]
mod tests {
    use crate::column::order::tests::{ascends, compares_bytes, equal};
    use proptest::prelude::*;

    #[test]
    fn varying() {
        for ty in ["varbinary(20)", "blob"] {
            ascends(ty, &["", "\0", "\0\0", "\0\x01", "\x01", "a", "a\0", "a\0\0", "a\0b", "a\x01", "aa", "b"]);
        }
    }

    #[test]
    fn padded() {
        for ty in ["binary(5)", "binary(200)"] {
            ascends(ty, &["", "\0\x01", "\x01", "a", "a\0b", "a\x01", "aa", "b"]);
            equal(ty, &["a", "a\0", "a\0\0"]);
        }
    }

    proptest! {
        #[test]
        fn as_bytes(a in prop::collection::vec(0..4_u8, 0..6), b in prop::collection::vec(0..4_u8, 0..6)) {
            compares_bytes("varbinary(9)", &a, &b, a.cmp(&b));
            let pad = |bytes: &[u8]| [bytes, &[0; 9]].concat()[..9].to_vec();
            compares_bytes("binary(9)", &a, &b, pad(&a).cmp(&pad(&b)));
            compares_bytes("binary(90)", &a, &b, pad(&a).cmp(&pad(&b)));
        }
    }
}
