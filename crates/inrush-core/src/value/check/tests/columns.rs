//! Whole columns: NULLs, the order of bad rows, rewritten cells of every length, and that nothing is copied without need.

use super::*;

#[track_caller]
fn check_null(nullable: bool, auto_increment: bool, want: Option<&str>) {
    let column = Column { nullable, auto_increment, ..column("int") };
    let check = Check::new(&column, &rules());
    let cells = BinaryViewArray::from_iter([Some("1"), None]);
    let mut bad = Vec::new();
    check.run(&cells, true, &mut bad);
    let reasons: Vec<String> = bad.iter().map(|b| check.reason(&cells, b)).collect();
    assert_eq!(reasons, Vec::from_iter(want.map(str::to_owned)));
}

#[test]
fn null_into_a_nullable_column() {
    check_null(true, false, None);
}
#[test]
fn null_into_a_not_null_column() {
    check_null(false, false, Some("NULL into NOT NULL column"));
}
#[test]
fn null_asks_for_a_generated_id() {
    check_null(false, true, None);
}

#[test]
fn bad_rows_come_in_order() {
    let column = Column { nullable: false, ..column("tinyint") };
    let check = Check::new(&column, &rules());
    let cells = BinaryViewArray::from_iter([Some("x"), None, Some("7"), Some("999"), None, Some("+8")]);
    let mut bad = Vec::new();
    let checked = check.run(&cells, true, &mut bad);
    assert_eq!(bad.iter().map(|b| b.row).collect::<Vec<_>>(), [0, 1, 3, 4]);
    assert_eq!(checked.cells.value(5), b"8");
    assert_eq!(checked.cells.value(2), b"7");
}

#[test]
fn an_untouched_column_is_not_copied() {
    let cells = BinaryViewArray::from_iter([Some("a text that is longer than a view"), Some("short")]);
    let checked = Check::new(&column("text"), &rules()).run(&cells, true, &mut Vec::new());
    assert_eq!(checked.cells.views().as_ptr(), cells.views().as_ptr());
}

#[test]
fn rewritten_cells_of_every_length_stand_beside_old_ones() {
    let old = "2013-01-05 07:03:00";
    let cells = BinaryViewArray::from_iter([Some(old), Some("2013-01-05T07:03:00Z"), None, Some("x"), Some(old)]);
    let mut bad = Vec::new();
    let checked = Check::new(&column("datetime"), &rules()).run(&cells, true, &mut bad);
    let want = [Some(old.as_bytes()), Some(old.as_bytes()), None, Some(b"x"), Some(old.as_bytes())];
    assert_eq!(checked.cells.iter().collect::<Vec<_>>(), want);
    assert_eq!(bad.len(), 1);
    let dates = BinaryViewArray::from_iter(["2013/1/5", "2013-01-05", "20130105"].map(Some));
    let checked = Check::new(&column("date"), &rules()).run(&dates, true, &mut bad);
    assert_eq!(checked.cells.iter().collect::<Vec<_>>(), [Some(&b"2013-01-05"[..]); 3]);
}

#[test]
fn a_slice_is_checked_as_a_slice() {
    let cells = BinaryViewArray::from_iter([Some("x"), None, Some("+7"), Some("a long text that is not a number")]);
    let column = Column { nullable: false, ..column("int") };
    let mut bad = Vec::new();
    let checked = Check::new(&column, &rules()).run(&cells.slice(1, 2), true, &mut bad);
    assert_eq!(bad, [BadCell { row: 0, why: Why::Null }]);
    assert_eq!(checked.cells.value(1), b"7");
}
