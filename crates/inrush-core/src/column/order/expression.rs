//! Binary keys that the server computes from a text: `UNHEX(@f)`, `UNHEX(REPLACE(@f,'-',''))`, `UUID_TO_BIN(@f)`, `UUID_TO_BIN(@f, 1)`.

use super::bytes::BytesOrder;
use super::network::{HEX, hex_16};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Computation {
    Unhex,
    /// The same without hyphens.
    UnhexOfUuid,
    UuidToBin,
    /// The groups of the time from the highest to the lowest.
    UuidToBinSwapped,
}

impl Computation {
    /// Reads the expression with `@` for its field, in any case and with any blanks outside of its texts.
    pub(super) fn parse(sql: &str) -> Option<Self> {
        let compact: String = sql.chars().filter(|c| !c.is_ascii_whitespace()).collect();
        // The only text is `'-'`, and `''`: a blank in either would be part of it.
        let blank_in_text =
            sql.split('\'').skip(1).step_by(2).any(|text| text.contains(|c: char| c.is_ascii_whitespace()));
        match compact.to_ascii_lowercase().as_str() {
            "unhex(@)" => Some(Self::Unhex),
            "unhex(replace(@,'-',''))" if !blank_in_text => Some(Self::UnhexOfUuid),
            "uuid_to_bin(@)" | "uuid_to_bin(@,0)" => Some(Self::UuidToBin),
            "uuid_to_bin(@,1)" => Some(Self::UuidToBinSwapped),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn append(self, cell: &[u8], order: BytesOrder, key: &mut Vec<u8>) {
        match self {
            Self::Unhex => unhex(cell, order, key),
            Self::UnhexOfUuid if cell.len() == 36 => order.append(&hex_16(cell), key),
            Self::UnhexOfUuid => unhex(cell, order, key),
            Self::UuidToBin => order.append(&hex_16(cell), key),
            Self::UuidToBinSwapped => {
                let [a, b, c, d, e, f, g, h, rest @ ..] = hex_16(cell);
                let mut swapped = [g, h, e, f, a, b, c, d, 0, 0, 0, 0, 0, 0, 0, 0];
                swapped[8..].copy_from_slice(&rest);
                order.append(&swapped, key);
            }
        }
    }
}

/// Two digits a byte; other bytes are skipped. A digit too many in front is a byte of its own, as the servers read it.
#[inline]
fn unhex(cell: &[u8], order: BytesOrder, key: &mut Vec<u8>) {
    let mut buffer = [0; BUFFER];
    let mut at = cell.iter().filter(|byte| HEX[usize::from(**byte)] < 16).count() % 2;
    for byte in cell {
        let digit = HEX[usize::from(*byte)];
        if digit < 16 && at / 2 < BUFFER {
            buffer[at / 2] |= digit << (4 * (1 - at % 2));
            at += 1;
        }
    }
    order.append(&buffer[..at / 2], key);
}

/// Bytes of a computed value that count; longer keys are cut, which only makes ties.
const BUFFER: usize = 64;

#[cfg(test)]
mod tests {
    use super::Computation;
    use crate::column::order::KeyPart;
    use crate::column::order::tests::column;

    #[track_caller]
    fn key(ty: &str, sql: &str, cell: &str) -> Vec<u8> {
        let mut key = Vec::new();
        KeyPart::of_expression(&column(ty), sql, None, false).unwrap().append(Some(cell.as_bytes()), &mut key);
        key[1..].to_vec()
    }

    const UUID: &str = "6ccd780c-baba-1026-9564-5b8c656024db";

    #[test]
    fn spellings() {
        assert_eq!(Computation::parse(" unhex ( @ ) "), Some(Computation::Unhex));
        assert_eq!(Computation::parse("UNHEX(REPLACE(@, '-', ''))"), Some(Computation::UnhexOfUuid));
        assert_eq!(Computation::parse("UNHEX(REPLACE(@, '- ', ''))"), None);
        assert_eq!(Computation::parse("Uuid_To_Bin(@)"), Some(Computation::UuidToBin));
        assert_eq!(Computation::parse("UUID_TO_BIN(@ , 0)"), Some(Computation::UuidToBin));
        assert_eq!(Computation::parse("UUID_TO_BIN(@,1)"), Some(Computation::UuidToBinSwapped));
        assert_eq!(Computation::parse("UUID_TO_BIN(@,2)"), None);
        assert_eq!(Computation::parse("MD5(@)"), None);
        assert!(KeyPart::of_expression(&column("varchar(32)"), "UNHEX(@)", None, false).is_none());
    }

    #[test]
    fn what_the_server_stores() {
        let plain = b"\x6c\xcd\x78\x0c\xba\xba\x10\x26\x95\x64\x5b\x8c\x65\x60\x24\xdb";
        assert_eq!(key("binary(16)", "UUID_TO_BIN(@)", UUID), plain);
        assert_eq!(key("binary(16)", "UNHEX(REPLACE(@,'-',''))", UUID), plain);
        assert_eq!(key("binary(16)", "UNHEX(@)", &UUID.replace('-', "").to_uppercase()), plain);
        let swapped = b"\x10\x26\xba\xba\x6c\xcd\x78\x0c\x95\x64\x5b\x8c\x65\x60\x24\xdb";
        assert_eq!(key("binary(16)", "UUID_TO_BIN(@, 1)", UUID), swapped);
        assert_eq!(key("binary(2)", "UNHEX(@)", "abc"), b"\x0a\xbc");
        assert_eq!(key("varbinary(4)", "UNHEX(@)", "ab"), b"\xab\0\0");
        assert_eq!(key("binary(2)", "UNHEX(@)", ""), b"\0\0");
    }
}
