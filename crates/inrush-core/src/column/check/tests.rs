//! One line for each cell. `good` passes unchanged, `becomes` is rewritten, `bad` is refused for this reason. The same verdicts
//! are compared with real servers in crates/inrush/tests/checks_oracle.rs.

mod bytes_and_texts;
mod columns;
mod numbers;
mod others;
mod properties;
mod times;
mod values;

use crate::column::ZoneTables;
use crate::column::check::*;
use crate::wire::ServerVersion;
use arrow_array::{Array, BinaryViewArray};
use jiff::tz::TimeZone;

/// A nullable utf8mb4 column of the type, on MySQL, in UTC.
fn column(ty: &str) -> Column {
    Column { optional: false, ..Column::new("c", ColumnType::parse(ty)) }
}

fn rules() -> Rules {
    Rules::utc(ServerVersion::parse("9.7.4"))
}

fn on_mariadb() -> Rules {
    Rules::utc(ServerVersion::parse("10.11.19-MariaDB"))
}

fn in_berlin() -> Rules {
    Rules { zone: TimeZone::get("Europe/Berlin").unwrap(), tables: ZoneTables::same(), ..rules() }
}

/// Whether it keeps a cell in the middle of a text, and at its end.
fn pass_through(check: &Check, cell: &[u8]) -> [bool; 2] {
    [",0123456789abcdef,", ","].map(|behind| {
        let text = [b"7,", cell, behind.as_bytes()].concat();
        let bounds = [1, 2 + cell.len() as u32];
        check.accepts_column(Grid::new(&text, &bounds, 1), 0)
    })
}

/// The cell after the check, or why it is bad.
fn run(column: &Column, rules: &Rules, cell: &[u8]) -> Result<Vec<u8>, String> {
    let check = Check::new(column, rules);
    // A neighbour on both sides: a rewritten cell must not touch them.
    let cells = BinaryViewArray::from_iter([None, Some(cell), None]);
    let mut bad = Vec::new();
    let checked = check.run(&cells, false, &mut bad);
    bad.retain(|b| b.why != Why::Null);
    assert!(checked.cells.is_null(0) && checked.cells.is_null(2));
    if str::from_utf8(cell).is_ok() {
        let is_kept = bad.is_empty() && checked.cells.value(1) == cell;
        assert_eq!(pass_through(&check, cell), [is_kept; 2], "what is validated for pass-through");
    }
    match bad[..] {
        [] => Ok(checked.cells.value(1).to_vec()),
        [only] => {
            assert_eq!(only.row, 1);
            Err(check.reason(&cells, &only).0)
        }
        _ => panic!("{bad:?}"),
    }
}

#[track_caller]
fn good(ty: &str, cells: &[&str]) {
    for cell in cells {
        becomes(ty, cell, cell);
    }
}

#[track_caller]
fn becomes(ty: &str, cell: &str, want: &str) {
    becomes_under(&rules(), ty, cell, want);
}

#[track_caller]
fn becomes_under(rules: &Rules, ty: &str, cell: &str, want: &str) {
    match run(&column(ty), rules, cell.as_bytes()) {
        Ok(got) => assert_eq!(String::from_utf8_lossy(&got), want, "{ty} of `{cell}`"),
        Err(reason) => panic!("{ty}: {reason}"),
    }
}

#[track_caller]
fn bad(ty: &str, cell: &str, reason: &str) {
    bad_under(&rules(), ty, cell, reason);
}

#[track_caller]
fn bad_under(rules: &Rules, ty: &str, cell: &str, reason: &str) {
    assert_eq!(run(&column(ty), rules, cell.as_bytes()), Err(reason.to_owned()), "{ty} of `{cell}`");
}

/// Each is refused, with a reason that ends with `end`.
#[track_caller]
fn all_bad(ty: &str, cells: &[&str], end: &str) {
    for cell in cells {
        let reason = run(&column(ty), &rules(), cell.as_bytes()).expect_err(cell);
        assert!(reason.ends_with(end), "{ty} of `{cell}`: {reason}");
    }
}
