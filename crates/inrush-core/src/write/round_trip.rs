//! Random rows by both bound writers under random limits, read back by what each command says of itself.

use super::shown::{LIMITS, all};
use super::template::Template;
use crate::value::Value;
use crate::wire::{ColumnType, Cursor};
use crate::write::*;
use proptest::prelude::*;

const VALUES: [Value<'_>; 9] = [
    Value::Null,
    Value::Int(-1),
    Value::Int(5),
    Value::UInt(5),
    Value::UInt(u64::MAX),
    Value::Double(0.5),
    Value::Text("text"),
    Value::Text("a longer text, so that rows differ in length"),
    Value::Bytes(b"bytes"),
];

proptest! {
    #[test]
    fn what_is_written_is_read(picks in prop::collection::vec((0..9_usize, 0..9_usize), 1..80), bytes in 1..2000_usize, rows in 1..40_usize) {
        let sent: Vec<[Value<'_>; 2]> = picks.iter().map(|(a, b)| [VALUES[*a], VALUES[*b]]).collect();
        let limits = Limits { bytes, rows, ..LIMITS };
        let statement = Statement::new("INSERT INTO t VALUES (?, ?)").unwrap();
        let writers: [Box<dyn Writer>; 2] = [
            Box::new(Bulk::new(&statement, limits, false).unwrap()),
            Box::new(MultiRowPrepared::new(&statement, &Template::parse(&statement), limits).unwrap()),
        ];
        for mut writer in writers {
            let commands = all(&mut *writer, &sent).unwrap();
            let read: Vec<String> = commands.iter().flat_map(|next| read(next, limits)).collect();
            prop_assert_eq!(read, sent.as_flattened().iter().map(shown).collect::<Vec<_>>());
        }
    }
}

/// The values of a command, each as a text of what the server would see.
fn read(next: &Next, limits: Limits) -> Vec<String> {
    let Next::Command { command, n_rows } = next else { panic!("{next:?}") };
    assert!(*n_rows <= limits.rows);
    let n = 2 * n_rows;
    match command {
        Command::Query(_) => panic!("{command:?}"),
        Command::Bulk(_, body) => {
            assert!(*n_rows == 1 || body.bytes.len() + 5 <= limits.bytes);
            let (types, rows) = body.bytes[2..].split_at(4);
            let mut r = Cursor::new(rows, "rows");
            let each = |i: usize| match r.u8().unwrap() {
                0 => value(&types[i % 2 * 2..], &mut r),
                indicator => format!("indicator {indicator}"),
            };
            let values = (0..n).map(each).collect();
            assert!(r.is_empty());
            values
        }
        Command::Execute(statement, bound) => {
            assert_eq!(statement.marks().len(), n);
            let (head, values, _) = bound.parts();
            assert!(*n_rows == 1 || bound.n_bytes() <= limits.bytes);
            let (bitmap, types) = head.split_at(n.div_ceil(8));
            let mut r = Cursor::new(values, "values");
            let each = |i: usize| match bitmap[i / 8] & 1 << (i % 8) {
                0 => value(&types[2 * i..], &mut r),
                _ => "indicator 1".to_owned(),
            };
            let values = (0..n).map(each).collect();
            assert!(r.is_empty());
            values
        }
    }
}

fn value(ty: &[u8], r: &mut Cursor<'_>) -> String {
    const LONGLONG: u8 = ColumnType::MYSQL_TYPE_LONGLONG as u8;
    const DOUBLE: u8 = ColumnType::MYSQL_TYPE_DOUBLE as u8;
    match (ty[0], ty[1]) {
        (LONGLONG, 0) => format!("integer {}", r.u64().unwrap() as i64),
        (LONGLONG, 0x80) => format!("integer {}", r.u64().unwrap()),
        (DOUBLE, 0) => format!("{DOUBLE} {}", f64::from_bits(r.u64().unwrap())),
        (ty, 0) => format!("{ty} {}", String::from_utf8_lossy(r.lenenc_bytes().unwrap())),
        other => panic!("{other:?}"),
    }
}

fn shown(value: &Value<'_>) -> String {
    match value {
        Value::Null => "indicator 1".to_owned(),
        Value::Int(_) | Value::UInt(_) => format!("integer {value}"),
        Value::Double(_) => format!("{} {value}", ColumnType::MYSQL_TYPE_DOUBLE as u8),
        Value::Text(_) => format!("{} {value}", ColumnType::MYSQL_TYPE_VAR_STRING as u8),
        _ => format!("{} {value}", ColumnType::MYSQL_TYPE_BLOB as u8),
    }
}
