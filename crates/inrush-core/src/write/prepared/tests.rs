//! Which values are sent ahead of their row, and which rows fit nowhere.

use crate::write::prepared::*;
use crate::write::shown::{LIMITS, all};

/// Returns the lengths of the values that are sent ahead of a row with texts of these lengths; an error: bytes of the packet that
/// would have held it.
#[track_caller]
fn check(max_bytes: usize, lengths: &[usize], want: Result<&[usize], usize>) {
    let texts: Vec<String> = lengths.iter().map(|&n| "x".repeat(n)).collect();
    let marks = vec!["?"; lengths.len()].join(",");
    let statement = Statement::new(&format!("INSERT INTO t VALUES ({marks})")).unwrap();
    let next = all(&mut PreparedWriter::new(&statement, Limits { max_bytes, ..LIMITS }), &[texts.as_slice()]).unwrap();
    match (&next[..], want) {
        ([Next::Command { command: Command::Execute(_, bound), n_rows: 1 }], Ok(want)) => {
            assert_eq!(bound.parts().2.iter().map(|(_, length)| *length).collect::<Vec<_>>(), want);
            assert!(bound.n_bytes() <= max_bytes);
        }
        ([Next::TooLong { bytes }], Err(want)) => assert_eq!(*bytes, want),
        other => panic!("{other:?}"),
    }
}

#[test]
fn short_values_stay() {
    check(1 << 20, &[0, 100, 256 * 1024], Ok(&[]));
}
#[test]
fn long_values_go_ahead() {
    check(1 << 20, &[0, 256 * 1024 + 1, 70], Ok(&[256 * 1024 + 1]));
}
#[test]
fn shorter_ones_too_where_they_do_not_fit_together() {
    check(1000, &[400, 64, 400, 65, 1000], Ok(&[400, 400, 65, 1000]));
}
#[test]
fn what_fits_nowhere_is_too_long() {
    check(1000, &[1001], Err(11 + 1 + 2 + 1001));
    check(1000, &[60; 20], Err(11 + 3 + 40 + 1200));
}
#[test]
fn default_is_refused() {
    let statement = Statement::new("INSERT INTO t VALUES (?)").unwrap();
    let rows = [[Value::Int(1)], [Value::Default]];
    let error = all(&mut PreparedWriter::new(&statement, LIMITS), &rows).unwrap_err();
    assert_eq!(
        error.to_string(),
        "value 1 is DEFAULT, which this method cannot send (row 1 of the batch, counted from 0)"
    );
}
