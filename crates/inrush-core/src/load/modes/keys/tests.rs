//! Which key a mode takes, a case a line.

use crate::column::ColumnType;
use crate::load::modes::keys::*;

fn column(name: &str) -> Column {
    let ty = ColumnType::parse("int");
    Column::new(name, ty)
}

/// `id` primary; `a, b` unique; `c` unique by its beginning; an expression.
fn keys() -> Keys {
    let rows = [
        ["by_half", "c", "1", "YES"],
        ["by_pair", "a", "0", ""],
        ["by_pair", "b", "0", "YES"],
        ["by_sum", "", "0", "YES"],
        ["PRIMARY", "id", "0", ""],
    ];
    Keys::read(rows.map(|row| row.map(str::to_owned)), false)
}

fn table() -> Table {
    Table {
        schema: "s".into(),
        name: "t".into(),
        engine: "InnoDB".into(),
        transactional: true,
        columns: ["id", "a", "b", "c"].map(column).to_vec(),
    }
}

#[track_caller]
fn check(mode: Mode, asked: &str, mapped: &str, want: Result<&str, &str>) {
    let list = |text: &str| text.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect::<Vec<_>>();
    let mapped: Vec<Column> = list(mapped).iter().map(|name| column(name)).collect();
    match (keys().choose(mode, &list(asked), &mapped, &table()), want) {
        (Ok(got), Ok(want)) => assert_eq!(got, list(want)),
        (Err(error), Err(want)) => assert!(format!("{error} {}", error.hint().unwrap()).contains(want), "{error}"),
        (got, want) => panic!("{got:?}, not {want:?}"),
    }
}

#[test]
fn the_primary_key_comes_first() {
    check(Mode::Upsert, "", "id,a,b,c", Ok("id"));
    check(Mode::Update, "", "a,b,id", Ok("id"));
}
#[test]
fn another_one_where_the_primary_key_is_not_loaded() {
    check(Mode::Upsert, "", "a,b,c", Ok("a,b"));
    check(Mode::Replace, "", "c", Ok(""));
    check(Mode::Update, "", "a,b,c", Err("needs the columns of the primary key"));
}
#[test]
fn the_one_asked_for() {
    check(Mode::Update, "B,a", "a,b,c", Ok("b,a"));
    check(Mode::Delete, "a", "a,b,c", Err("it has (`id`), (`by_half` (of expressions or prefixes)), (`a`, `b`)"));
    check(Mode::Delete, "c", "a,b,c", Err("is not a unique key"));
    check(Mode::Delete, "id", "a,b,c", Err("no field goes into column `id`"));
}
#[test]
fn inserts_need_none() {
    check(Mode::Insert, "", "c", Ok(""));
}
#[test]
fn a_table_without_keys() {
    for mode in Mode::ALL {
        let chosen = Keys::default().choose(mode, &[], &[column("id")], &table());
        assert_eq!(chosen.is_ok(), mode == Mode::Insert, "{mode}");
    }
}
