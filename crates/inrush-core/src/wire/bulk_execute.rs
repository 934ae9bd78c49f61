//! COM_STMT_BULK_EXECUTE, of MariaDB: one prepared statement, many sets of values in one packet.

use crate::value::Value;
use crate::wire::{ParamType, StmtId, stmt};

/// The body after the statement's number: flags, types, sets of values. It belongs to no connection.
///
/// ```text
/// ff ff     flags: 80 types follow, 40 a result for each set of values
/// tt uu ..  type and flag (80: unsigned) of each parameter
/// ..        set by set, parameter by parameter: an indicator, and behind 00 the value as in COM_STMT_EXECUTE
/// ```
///
/// Every packet contains its types: those of an earlier packet may have come from NULLs only, and are not valid for other values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkBody {
    /// How many parameters a set has.
    pub n_params: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// The byte before each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Indicator {
    /// The value follows.
    Value = 0,
    /// NULL.
    Null = 1,
    /// The column's DEFAULT.
    Default = 2,
    /// The column is left as it is (UPDATE).
    Ignore = 3,
}

/// COM_STMT_BULK_EXECUTE.
///
/// ```text
/// fa           command
/// ss ss ss ss  statement id
/// ..           see `BulkBody`
/// ```
pub fn bulk_execute(out: &mut Vec<u8>, id: StmtId, body: &BulkBody) {
    out.push(0xFA);
    out.extend_from_slice(&id.0.to_le_bytes());
    out.extend_from_slice(&body.bytes);
}

/// Appends one row, by the slow path. Returns `false` if a value has another type than those before it, or is longer than any
/// packet.
pub(crate) fn put_row(row: &[Value<'_>], types: &mut [ParamType], max_bytes: usize, out: &mut Vec<u8>) -> bool {
    for (value, ty) in row.iter().zip(types) {
        match value {
            Value::Null => out.push(Indicator::Null as u8),
            Value::Default => out.push(Indicator::Default as u8),
            Value::Bytes(bytes) if bytes.len() > max_bytes => return false,
            Value::Text(text) if text.len() > max_bytes => return false,
            // In a command of its own, it is refused with its number.
            _ if value.is_deferred() || !ty.takes(value) => return false,
            _ => {
                out.push(Indicator::Value as u8);
                stmt::put_value(out, value);
            }
        }
    }
    true
}

/// Bytes of the command before its body.
pub const BULK_HEAD: usize = 5;

/// Types of the parameters follow the flags.
pub const SEND_TYPES: u16 = 128;

/// The reply is a result set with a row for each set of values: generated id, affected rows.
pub const SEND_UNIT_RESULTS: u16 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packet() {
        let body = BulkBody { n_params: 1, bytes: b"\x80\0\x08\0\x01\x00\x05\0\0\0\0\0\0\0".to_vec() };
        let mut out = Vec::new();
        bulk_execute(&mut out, StmtId(0x0102_0304), &body);
        assert_eq!(out, b"\xfa\x04\x03\x02\x01\x80\0\x08\0\x01\x00\x05\0\0\0\0\0\0\0");
        assert_eq!(out.len(), BULK_HEAD + body.bytes.len());
    }
}
