//! Whole columns: NULLs, the order of bad rows, rewritten cells of every length, and no unnecessary copies.

use crate::column::check::tests::*;

#[track_caller]
fn check_null(nullable: bool, auto_increment: bool, want: Option<&str>) {
    let column = Column { nullable, auto_increment, ..column("int") };
    let check = Check::new(&column, &rules());
    let cells = BinaryViewArray::from_iter([Some("1"), None]);
    let mut bad = Vec::new();
    check.run(&cells, true, &mut bad);
    let reasons: Vec<String> = bad.iter().map(|b| check.reason(&cells, b).0).collect();
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

/// Where the known properties are enough, checking the cells finds nothing; and one more would be too much.
#[test]
fn what_is_known_is_enough() {
    let enough = |ty: &str, known: Known, cells: &[&str]| {
        let check = Check::new(&column(ty), &rules());
        let cells = BinaryViewArray::from_iter_values(cells.iter().map(|cell| cell.as_bytes()));
        let is_enough = check.accepts_unchanged(known, false);
        let mut bad = Vec::new();
        let looked_at = check.run(&cells, true, &mut bad);
        assert!(!is_enough || (bad.is_empty() && looked_at.cells == cells), "{ty} {known:?}");
        is_enough
    };
    let int = |min, max| Known::Int { min, max };
    for (ty, min, max) in [("tinyint", -128, 127), ("tinyint unsigned", 0, 255), ("bigint", i64::MIN, i64::MAX)] {
        assert!(enough(ty, int(min, max), &[&min.to_string(), &max.to_string(), "7"]));
    }
    assert!(!enough("tinyint", int(-129, 0), &["-129"]));
    assert!(!enough("tinyint", int(0, 128), &["128"]));
    assert!(!enough("bigint unsigned", int(-1, 5), &["-1"]));
    let decimal = |int_digits, scale, negative| Known::Decimal { int_digits, scale, negative };
    assert!(enough("decimal(5,2)", decimal(3, 2, true), &["-999.99", "0.01"]));
    assert!(enough("decimal(5,2)", decimal(3, 0, false), &["999"]));
    assert!(!enough("decimal(5,2)", decimal(4, 2, false), &["1000.00"]));
    assert!(!enough("decimal(5,2)", decimal(3, 3, false), &["1.001"]));
    assert!(!enough("decimal(5,2) unsigned", decimal(3, 2, true), &["-1.00"]));
    assert!(!enough("decimal(2,2)", decimal(1, 2, false), &["0.99"]));
    assert!(enough("date", Known::Date, &["0001-01-01", "9999-12-31"]));
    assert!(!enough("datetime", Known::Date, &["2026-01-02"]));
    assert!(!enough("varchar(3)", Known::Date, &["2026-01-02"]));
    assert!(!enough("int", Known::Nothing, &["x"]));
    let text = |longest| Known::Text { longest };
    assert!(enough("varchar(3)", text(3), &["abc", "\t"]));
    assert!(!enough("varchar(3)", text(4), &["abcd"]));
    assert!(enough("tinytext", text(255), &["a"]));
    assert!(!enough("int", text(1), &["x"]));
    assert!(!enough("enum('a')", text(1), &["b"]));
    assert!(!enough("json", text(1), &["{"]));
}

#[test]
fn a_null_is_looked_for_whatever_is_known() {
    let not_null = Column { nullable: false, ..column("int") };
    let cells = BinaryViewArray::from_iter([Some("1"), None]);
    let mut bad = Vec::new();
    Check::new(&not_null, &rules()).run_knowing(Known::Int { min: 1, max: 1 }, &cells, true, &mut bad);
    assert_eq!(bad, [BadCell { row: 1, why: Why::Null }]);
}

/// As text it would be 2000.
#[test]
fn a_number_is_the_year_0() {
    let year = Check::new(&column("year"), &rules());
    let cells = BinaryViewArray::from_iter([Some("0"), Some("2024"), None]);
    let mut bad = Vec::new();
    let known = year.run_knowing(Known::Int { min: 0, max: 4095 }, &cells, true, &mut bad);
    assert_eq!((known.cells, bad.len()), (BinaryViewArray::from_iter([Some("0000"), Some("2024"), None]), 0));
    year.run(&cells, true, &mut bad);
    assert_eq!(bad, [BadCell { row: 0, why: Why::ShortYear }]);
}
