//! Which rows share a statement, what an execution binds, and what is refused.

use crate::write::multi_row_prepared::*;
use crate::write::shown::{LIMITS, all};

fn writer(limits: Limits) -> MultiRowPrepared {
    let statement = Statement::new("INSERT INTO t VALUES (?, ?) ON DUPLICATE KEY UPDATE a = a").unwrap();
    MultiRowPrepared::new(&statement, &Template::parse(&statement), limits).unwrap()
}

/// How many rows the commands have.
#[track_caller]
fn sizes(limits: Limits, rows: &[[Value<'_>; 2]], want: &[usize]) {
    let commands = all(&mut writer(limits), rows).unwrap();
    let n_rows = |next: &Next| if let Next::Command { n_rows, .. } = next { *n_rows } else { panic!("{next:?}") };
    assert_eq!(commands.iter().map(n_rows).collect::<Vec<_>>(), want);
}

/// Bitmap and types, then values, of each command.
#[track_caller]
fn check(rows: &[[Value<'_>; 2]], want: &[(&[u8], &[u8])]) {
    let commands = all(&mut writer(LIMITS), rows).unwrap();
    let got: Vec<(&[u8], &[u8])> = commands
        .iter()
        .map(|next| match next {
            Next::Command { command: Command::Execute(_, bound), .. } => (bound.parts().0, bound.parts().1),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(got, want);
}

const A: Value<'_> = Value::Text("a");
const ONE: Value<'_> = Value::Int(1);
const ONE_BYTES: &[u8] = b"\x01\0\0\0\0\0\0\0";

#[test]
fn the_largest_statement_again_and_again_then_a_power_of_two_each() {
    let few = Limits { rows: 8, ..LIMITS };
    sizes(few, &[[A, A]; 27], &[8, 8, 8, 2, 1]);
    sizes(Limits { rows: 13, ..LIMITS }, &[[A, A]; 27], &[8, 8, 8, 2, 1]);
    sizes(few, &[[A, A]; 7], &[4, 2, 1]);
    sizes(LIMITS, &[[A, A]; 1000], &[512, 256, 128, 64, 32, 8]);
    sizes(LIMITS, &[[A, A]; 2500], &[1024, 1024, 256, 128, 64, 4]);
    sizes(Limits { bytes: 1, ..LIMITS }, &[[Value::Null, Value::Null]; 2], &[1, 1]);
    sizes(Limits { rows: 0, ..LIMITS }, &[[A, A]; 2], &[1, 1]);
}
#[test]
fn the_list_is_written_out_and_what_is_behind_it_stays() {
    let mut writer = writer(LIMITS);
    let texts: Vec<String> = writer.statements(3).iter().map(|statement| statement.sql().to_owned()).collect();
    let want = [
        "INSERT INTO t VALUES (?, ?),(?, ?) ON DUPLICATE KEY UPDATE a = a",
        "INSERT INTO t VALUES (?, ?) ON DUPLICATE KEY UPDATE a = a",
    ];
    assert_eq!(texts, want);
    assert_eq!(writer.statements(1024 * 3 + 4).iter().map(|s| s.marks().len() / 2).collect::<Vec<_>>(), [1024, 4]);
    assert_eq!(writer.statements(0).len(), 0);
}
#[test]
fn a_statement_has_a_limited_number_of_placeholders() {
    let marks = vec!["?"; 1000].join(",");
    let statement = Statement::new(&format!("INSERT INTO t VALUES ({marks})")).unwrap();
    let mut writer = MultiRowPrepared::new(&statement, &Template::parse(&statement), LIMITS).unwrap();
    assert_eq!(writer.statements(1000)[0].marks().len(), 64_000);
    let marks = vec!["?"; 65_536].join(",");
    let statement = Statement::new(&format!("INSERT INTO t VALUES ({marks})")).unwrap();
    let error = MultiRowPrepared::new(&statement, &Template::parse(&statement), LIMITS).unwrap_err();
    assert_eq!(error.message(), "65536 placeholders are more than a server takes, 65535");
}
#[test]
fn a_statement_fits_into_a_packet() {
    // 57 bytes, and 7 for each further row.
    sizes(Limits { max_bytes: 57 + 4 * 7, ..LIMITS }, &[[Value::Null, Value::Null]; 5], &[4, 1]);
    sizes(Limits { max_bytes: 57 + 4 * 7 - 1, ..LIMITS }, &[[Value::Null, Value::Null]; 5], &[2, 2, 1]);
}
#[test]
fn cut_by_bytes() {
    // Head, then of each row two types of two bytes, a byte of the bitmap at most, and four bytes of values.
    sizes(Limits { bytes: 11 + 4 * 9, ..LIMITS }, &[[A, A]; 9], &[4, 4, 1]);
    sizes(Limits { bytes: 11 + 4 * 9 - 1, ..LIMITS }, &[[A, A]; 9], &[2, 2, 2, 2, 1]);
    sizes(Limits { bytes: 1, ..LIMITS }, &[[A, A]; 3], &[1, 1, 1]);
}
#[test]
fn after_long_rows_short_ones_travel_together_again() {
    let long = "x".repeat(1000);
    let rows = [vec![[Value::Text(&long), A]; 3], vec![[A, A]; 60]].concat();
    sizes(Limits { bytes: 1500, rows: 16, ..LIMITS }, &rows, &[1, 1, 1, 1, 2, 4, 8, 16, 16, 8, 4, 1]);
}
#[test]
fn a_very_long_value_goes_ahead_of_its_row() {
    let long = "x".repeat(300 * 1024);
    let commands = all(&mut writer(LIMITS), &[[A, A], [Value::Text(&long), A], [A, A]]).unwrap();
    let ahead: Vec<_> = commands
        .iter()
        .map(|next| match next {
            Next::Command { command: Command::Execute(_, bound), n_rows: 1 } => bound.parts().2,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ahead, [vec![], vec![(0, long.len())], vec![]]);
    let commands = all(&mut writer(Limits { max_bytes: 200_000, ..LIMITS }), &[[Value::Text(&long), A]]).unwrap();
    assert!(matches!(commands[..], [Next::TooLong { bytes: 307_000.. }]), "{commands:?}");
}
#[test]
fn nulls_are_bits_of_their_columns_type() {
    let rows = [[ONE, Value::Null], [Value::Null, A], [ONE, A], [ONE, Value::Null]];
    let types = b"\x08\0\xfd\0".repeat(4);
    check(&rows, &[(&[b"\x86", &types[..]].concat(), &[ONE_BYTES, b"\x01a", ONE_BYTES, b"\x01a", ONE_BYTES].concat())]);
}
#[test]
fn bits_of_rows_that_are_left_out_are_not_sent() {
    // A third row is encoded, and belongs to the next command.
    let rows = [[ONE, ONE], [ONE, ONE], [Value::Null, ONE]];
    let commands =
        all(&mut writer(Limits { bytes: 11 + 3 * 21 + 13 - 1, ..LIMITS }), &[rows.as_slice(), &rows].concat()).unwrap();
    let Next::Command { command: Command::Execute(_, bound), n_rows: 2 } = &commands[0] else { panic!("{commands:?}") };
    assert_eq!((bound.parts().0, bound.parts().1.len()), (&b"\0\x08\0\x08\0\x08\0\x08\0"[..], 32));
}
#[test]
fn what_does_not_have_its_columns_type_says_so_and_the_next_command_expects_it() {
    let rows = [[ONE, A], [A, A], [Value::Null, A]];
    let first = (&b"\0\x08\0\xfd\0\xfd\0\xfd\0"[..], &[ONE_BYTES, b"\x01a\x01a\x01a"].concat()[..]);
    check(&rows, &[first, (b"\x01\xfd\0\xfd\0", b"\x01a")]);
}
#[test]
fn a_sign_is_never_lost() {
    let (minus, huge) = (Value::Int(-1), Value::UInt(u64::MAX));
    let ff = &[0xFF; 16][..];
    check(
        &[[minus, A], [huge, A]],
        &[(b"\0\x08\0\xfd\0\x08\x80\xfd\0", &[&ff[..8], b"\x01a", &ff[..8], b"\x01a"].concat())],
    );
    check(
        &[[minus, minus], [ONE, Value::UInt(1)]],
        &[(b"\0\x08\0\x08\0\x08\0\x08\0", &[ff, ONE_BYTES, ONE_BYTES].concat())],
    );
}
#[test]
fn default_is_refused() {
    let error = all(&mut writer(LIMITS), &[[A, A], [A, Value::Default]]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "value 2 is DEFAULT, which this method cannot send (row 1 of the batch, counted from 0)"
    );
}
#[test]
fn a_statement_that_cannot_carry_many_rows() {
    let statement = Statement::new("UPDATE t SET a = ?").unwrap();
    assert!(MultiRowPrepared::new(&statement, &Template::parse(&statement), LIMITS).is_err());
}
