//! Which rows share a packet, and what the packet contains.

use crate::value::Value;
use crate::write::bulk::*;
use crate::write::shown::{LIMITS, all};

fn bulk(limits: Limits) -> Bulk {
    Bulk::new(&Statement::new("INSERT INTO t VALUES (?, ?)").unwrap(), limits, false).unwrap()
}

/// The body of each packet after its flags, as types and rows, and its number of rows.
#[track_caller]
fn check(limits: Limits, rows: &[[Value<'_>; 2]], want: &[(usize, &[u8], &[u8])]) {
    let commands = all(&mut bulk(limits), rows).unwrap();
    let got: Vec<(usize, &[u8], &[u8])> = commands
        .iter()
        .map(|next| match next {
            Next::Command { command: Command::Bulk(_, body), n_rows } => {
                assert_eq!((body.n_params, &body.bytes[..2]), (2, &[0x80, 0][..]));
                (*n_rows, &body.bytes[2..6], &body.bytes[6..])
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(got, want);
}

const A: Value<'_> = Value::Text("a");
const ONE: &[u8] = b"\0\x01\0\0\0\0\0\0\0";

#[test]
fn values_nulls_and_defaults() {
    let rows = [[Value::Int(1), A], [Value::Null, Value::Default]];
    check(LIMITS, &rows, &[(2, b"\x08\0\xfd\0", &[ONE, b"\0\x01a\x01\x02"].concat())]);
}
#[test]
fn a_type_is_that_of_the_first_value_in_the_packet() {
    let rows = [[Value::Null, A], [Value::UInt(1), A]];
    check(LIMITS, &rows, &[(2, b"\x08\x80\xfd\0", &[b"\x01\0\x01a", ONE, b"\0\x01a"].concat())]);
}
#[test]
fn only_nulls() {
    check(LIMITS, &[[Value::Null, Value::Null]], &[(1, b"\x06\0\x06\0", b"\x01\x01")]);
}
#[test]
fn another_type_begins_a_packet() {
    let rows = [[A, A], [Value::Int(1), A], [Value::Null, A]];
    check(
        LIMITS,
        &rows,
        &[(1, b"\xfd\0\xfd\0", b"\0\x01a\0\x01a"), (2, b"\x08\0\xfd\0", &[ONE, b"\0\x01a\x01\0\x01a"].concat())],
    );
}
#[test]
fn a_sign_is_never_lost() {
    let (minus, huge) = (Value::Int(-1), Value::UInt(u64::MAX));
    let ff = b"\0\xff\xff\xff\xff\xff\xff\xff\xff";
    // In one packet as long as both kinds of integers hold the number, in separate packets where they do not.
    check(
        LIMITS,
        &[[minus, A], [Value::UInt(1), A], [huge, A], [Value::Int(1), A], [minus, A]],
        &[
            (2, b"\x08\0\xfd\0", &[ff, &b"\0\x01a"[..], ONE, b"\0\x01a"].concat()),
            (2, b"\x08\x80\xfd\0", &[ff, &b"\0\x01a"[..], ONE, b"\0\x01a"].concat()),
            (1, b"\x08\0\xfd\0", &[ff, &b"\0\x01a"[..]].concat()),
        ],
    );
}
#[test]
fn cut_by_rows() {
    let row = [A, A];
    let bytes: &[u8] = b"\0\x01a\0\x01a";
    let two = [bytes, bytes].concat();
    check(Limits { rows: 2, ..LIMITS }, &[row; 3], &[(2, b"\xfd\0\xfd\0", &two), (1, b"\xfd\0\xfd\0", bytes)]);
    // A command holds at least one row, whatever the limit.
    check(Limits { rows: 0, ..LIMITS }, &[row], &[(1, b"\xfd\0\xfd\0", bytes)]);
}
#[test]
fn cut_by_bytes() {
    let row = [A, A];
    let bytes: &[u8] = b"\0\x01a\0\x01a";
    let two = [bytes, bytes].concat();
    // Command and number, flags, types; then six bytes a row.
    let limits = Limits { bytes: 5 + 2 + 4 + 12, ..LIMITS };
    check(limits, &[row; 3], &[(2, b"\xfd\0\xfd\0", &two), (1, b"\xfd\0\xfd\0", bytes)]);
    let limits = Limits { bytes: 5 + 2 + 4 + 11, ..LIMITS };
    check(limits, &[row; 2], &[(1, b"\xfd\0\xfd\0", bytes), (1, b"\xfd\0\xfd\0", bytes)]);
    // A row that fits into one packet is sent, although it exceeds the target size.
    check(Limits { bytes: 1, ..LIMITS }, &[row; 2], &[(1, b"\xfd\0\xfd\0", bytes), (1, b"\xfd\0\xfd\0", bytes)]);
    let limits = Limits { bytes: 1000, max_bytes: 5 + 2 + 4 + 11, ..LIMITS };
    check(limits, &[row; 2], &[(1, b"\xfd\0\xfd\0", bytes), (1, b"\xfd\0\xfd\0", bytes)]);
}
#[test]
fn a_row_that_is_too_long_goes_alone() {
    let text = "x".repeat(600);
    let rows = [[A, A], [Value::Text(&text), Value::Text(&text)], [A, A]];
    let commands = all(&mut bulk(Limits { max_bytes: 1000, ..LIMITS }), &rows).unwrap();
    let [
        Next::Command { .. },
        Next::Command { command: Command::Execute(statement, bound), n_rows: 1 },
        Next::Command { .. },
    ] = &commands[..]
    else {
        panic!("{commands:?}")
    };
    assert_eq!((statement.sql(), bound.parts().2), ("INSERT INTO t VALUES (?, ?)", vec![(0, 600), (1, 600)]));
    let text = "x".repeat(1001);
    let commands = all(&mut bulk(Limits { max_bytes: 1000, ..LIMITS }), &[[Value::Text(&text), A]]).unwrap();
    assert!(matches!(commands[..], [Next::TooLong { bytes: 1001.. }]), "{commands:?}");
}
#[test]
fn unit_results_are_asked_for() {
    let statement = Statement::new("DELETE FROM t WHERE id = ?").unwrap();
    let commands = all(&mut Bulk::new(&statement, LIMITS, true).unwrap(), &[[Value::Int(1)]]).unwrap();
    let [Next::Command { command: Command::Bulk(_, body), .. }] = &commands[..] else { panic!("{commands:?}") };
    assert_eq!(body.bytes, [b"\xc0\0\x08\0", ONE].concat());
}
#[test]
fn a_statement_without_placeholders_is_refused() {
    assert!(Bulk::new(&Statement::new("DELETE FROM t").unwrap(), LIMITS, false).is_err());
}
#[test]
fn a_short_row_is_named() {
    let rows = vec![vec![Value::Int(1), A], vec![A]];
    assert_eq!(all(&mut bulk(LIMITS), &rows).unwrap_err().row(), Some(1));
}
