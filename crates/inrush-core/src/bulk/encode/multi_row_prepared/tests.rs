//! What an execution binds, read back; which rows it takes, and which tables cannot be bound.

use super::*;
use crate::value::check::Check;
use crate::wire::{Cursor, ServerVersion};
use arrow_array::BinaryViewArray;

fn rules() -> Rules {
    Rules::utc(ServerVersion::parse("9.7.4"))
}

fn column(ty: &str) -> Column {
    Column { charset: None, ..Column::new("c", crate::value::column::ColumnType::parse(ty)) }
}

/// Row `row` of a column whose every third cell is NULL and whose others are `cell`.
fn cell(row: usize, cell: &'static [u8]) -> Option<&'static [u8]> {
    (row % 3 != 1).then_some(cell)
}

fn checked(ty: &str, text: &'static [u8], n_rows: usize) -> CheckedColumn {
    let cells = BinaryViewArray::from_iter((0..n_rows).map(|row| cell(row, text)));
    Check::new(&column(ty), &rules()).run(&cells, true, &mut Vec::new())
}

/// All values that were bound.
fn read(bound: &[u8], n: usize) -> Vec<Option<Vec<u8>>> {
    let mut r = Cursor::new(bound, "bound values");
    let bitmap = r.take(n.div_ceil(8)).unwrap();
    let values = (0..n).map(|i| {
        let is_null = bitmap[i / 8] & 1 << (i % 8) != 0;
        (!is_null).then(|| r.lenenc_bytes().unwrap().to_vec())
    });
    let values = values.collect();
    assert!(r.is_empty());
    values
}

#[track_caller]
fn check(ty: &str, text: &'static [u8], want_type: ColumnType, want: &[u8]) {
    let columns = [column("int"), column(ty)];
    let prepared = MultiRowPrepared::new("`t`", &columns, &rules(), usize::MAX).unwrap();
    let n_rows = prepared.rows();
    let cells = [checked("int", b"7", n_rows), checked(ty, text, n_rows)];
    let mut out = b"before".to_vec();
    assert_eq!(prepared.next(&cells, &[], 0..n_rows, &mut out), Some(n_rows));
    assert_eq!(prepared.types(), [ColumnType::MYSQL_TYPE_VAR_STRING as u8, 0, want_type as u8, 0].repeat(n_rows));
    let values = read(out.strip_prefix(b"before").unwrap(), 2 * n_rows);
    for (row, pair) in values.chunks(2).enumerate() {
        let want: [Option<&[u8]>; 2] = [cell(row, b"7"), cell(row, b"").map(|_| want)];
        assert_eq!(pair.iter().map(Option::as_deref).collect::<Vec<_>>(), want, "row {row}");
    }
}

#[test]
fn texts_go_as_they_are() {
    check("text", b"it's\\", ColumnType::MYSQL_TYPE_VAR_STRING, b"it's\\");
    check("text", b"", ColumnType::MYSQL_TYPE_VAR_STRING, b"");
    check("text", &[b'x'; 250], ColumnType::MYSQL_TYPE_VAR_STRING, &[b'x'; 250]);
    check("text", &[b'x'; 251], ColumnType::MYSQL_TYPE_VAR_STRING, &[b'x'; 251]);
    check("text", &[b'x'; 300], ColumnType::MYSQL_TYPE_VAR_STRING, &[b'x'; 300]);
}
#[test]
fn numbers_and_times_go_as_their_checked_text() {
    check("decimal(5,2)", b"+1.50", ColumnType::MYSQL_TYPE_VAR_STRING, b"1.5");
    check("datetime", b"2013-01-05T07:03:00Z", ColumnType::MYSQL_TYPE_VAR_STRING, b"2013-01-05 07:03:00");
}
#[test]
fn bytes_go_as_bytes() {
    check("varbinary(9)", b"\0'\xff", ColumnType::MYSQL_TYPE_BLOB, b"\0'\xff");
}

#[test]
fn one_statement_for_all_rows_of_an_execution() {
    let columns = [Column { name: "a`b".into(), ..column("int") }, column("text")];
    let prepared = MultiRowPrepared::new("`d`.`t`", &columns, &rules(), usize::MAX).unwrap();
    let rest = prepared.sql().strip_prefix("INSERT INTO `d`.`t` (`a``b`,`c`) VALUES (?,?)").unwrap();
    assert_eq!(rest, ",(?,?)".repeat(ROWS - 1));
}

#[track_caller]
fn check_rows(n_rows: usize, skip: &[u32], from: usize, max_bytes: usize, want: Option<usize>) {
    let prepared = MultiRowPrepared::new("`t`", &[column("text")], &rules(), max_bytes).unwrap();
    let cells = [checked("text", b"0123456789", n_rows)];
    let mut out = b"before".to_vec();
    assert_eq!(prepared.next(&cells, skip, from..n_rows, &mut out), want);
    match want {
        None => assert_eq!(out, b"before"),
        Some(end) => {
            let values = read(out.strip_prefix(b"before").unwrap(), prepared.rows());
            let kept = (from..end).filter(|row| !skip.contains(&(*row as u32)));
            assert_eq!(values, kept.map(|row| cell(row, b"0123456789").map(<[u8]>::to_vec)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn exactly_as_many_rows() {
    check_rows(ROWS, &[], 0, usize::MAX, Some(ROWS));
    check_rows(ROWS + 5, &[], 3, usize::MAX, Some(ROWS + 3));
}
#[test]
fn too_few_rows() {
    check_rows(ROWS - 1, &[], 0, usize::MAX, None);
    check_rows(0, &[], 0, usize::MAX, None);
}
#[test]
fn skipped_rows_are_passed_over() {
    check_rows(ROWS + 2, &[0, 4], 0, usize::MAX, Some(ROWS + 2));
    check_rows(ROWS + 2, &[0, 4, 5], 0, usize::MAX, None);
    check_rows(ROWS + 9, &[0, ROWS as u32 + 1], 1, usize::MAX, Some(ROWS + 1));
}
#[test]
fn rows_that_are_too_long_are_left_alone() {
    let values = (0..ROWS).filter(|row| cell(*row, b"").is_some()).count() * 11;
    let bytes = EXECUTE_HEAD + ROWS.div_ceil(8) + 2 * ROWS + values;
    check_rows(ROWS, &[], 0, bytes, Some(ROWS));
    check_rows(ROWS, &[], 0, bytes - 1, None);
}
#[test]
fn a_packet_too_small_for_the_statement_itself() {
    assert!(MultiRowPrepared::new("`t`", &[column("text")], &rules(), 2_000).is_none());
    assert!(MultiRowPrepared::new("`t`", &[column("text")], &rules(), 1_000).is_none());
}

#[track_caller]
fn check_refused(types: &[&str]) {
    let columns: Vec<Column> = types.iter().map(|ty| column(ty)).collect();
    assert!(MultiRowPrepared::new("`t`", &columns, &rules(), usize::MAX).is_none());
}

#[test]
fn what_needs_an_expression() {
    check_refused(&["int", "bit(8)"]);
    check_refused(&["point"]);
    check_refused(&["vector(2)"]);
}
#[test]
fn more_columns_than_it_is_worth() {
    check_refused(&["int"; MAX_PLACEHOLDERS / FEWEST_ROWS + 1]);
    let columns: Vec<Column> = (0..MAX_PLACEHOLDERS / FEWEST_ROWS).map(|_| column("int")).collect();
    assert_eq!(MultiRowPrepared::new("`t`", &columns, &rules(), usize::MAX).unwrap().rows(), FEWEST_ROWS);
}
