//! What the statements do besides storing a value: NULL, empty lines, other modes, hostile names.

use super::oracle::Lane;
use arrow_array::BinaryViewArray;
use inrush::sans_io::column::Rules;
use inrush::sans_io::column::check::{Check, CheckedColumn};
use inrush::sans_io::column::ident::{quote_ident, quote_table};
use inrush::sans_io::column::{Column, ColumnType};
use inrush::sans_io::load::encode::{Layout, load_data};
use inrush::sans_io::load::lane::SQL_MODE;
use inrush::sans_io::write::text::MultiRow;
use inrush::sans_io::write::{CheckedRows, RowSource};
use inrush::sans_io::write::{Limits, Next};
use inrush_testkit::servers;
use std::rc::Rc;

/// A table, and what goes into it.
struct Case<'a> {
    create: &'a str,
    columns: Vec<Column>,
    rows: &'a [&'a [Option<&'a str>]],
}

impl Case<'_> {
    fn rules(lane: &Lane) -> Rules {
        Rules::utc(*lane.connection.borrow().session().profile())
    }

    fn checked(&self, lane: &Lane) -> Vec<CheckedColumn> {
        let mut bad = Vec::new();
        let check = |(i, column): (usize, &Column)| {
            let cells = BinaryViewArray::from_iter(self.rows.iter().map(|row| row[i]));
            Check::new(column, &Self::rules(lane)).run(&cells, true, &mut bad)
        };
        let checked = self.columns.iter().enumerate().map(check).collect();
        assert!(bad.is_empty(), "{bad:?}");
        checked
    }

    /// Both methods leave these rows on every server.
    #[track_caller]
    fn check(&self, select: &str, want: &[&[&str]]) {
        self.check_in_mode("", select, want);
    }

    /// The same with another mode added to the session's.
    #[track_caller]
    fn check_in_mode(&self, mode: &str, select: &str, want: &[&[&str]]) {
        for server in servers::with_local_infile() {
            let lane = Lane::on(&server);
            lane.execute(&format!("SET sql_mode = '{SQL_MODE},{mode}'"));
            for method in [load, insert] {
                lane.execute("DROP TABLE IF EXISTS `t``1`");
                lane.execute(self.create);
                assert_eq!(method(self, &lane), 0, "warnings on {}", server.name);
                assert_eq!(lane.query(select).unwrap(), want, "{}", server.name);
            }
        }
    }
}

fn load(case: &Case<'_>, lane: &Rc<Lane>) -> u16 {
    let mut content = Vec::new();
    load_data::encode(&case.checked(lane), &[], &mut content);
    let table = quote_table(lane.schema.name(), "t`1");
    let rules = Case::rules(lane);
    let sql = |name: &str| load_data::statement(&table, &case.columns, &rules, &content, name);
    lane.connection.borrow_mut().load_local(sql, &content).unwrap().warnings
}

fn insert(case: &Case<'_>, lane: &Rc<Lane>) -> u16 {
    let escapes = !lane.connection.borrow().session().no_backslash_escapes();
    let limits = Limits { bytes: 1 << 20, max_bytes: 1 << 20, rows: 100 };
    let insert = Layout::plain(&case.columns).insert("INSERT INTO", &quote_ident("t`1"), "");
    let (columns, n_rows) = (case.checked(lane), case.rows.len());
    let rows = CheckedRows::new(&columns, n_rows, &[], &insert.uses);
    let writer = MultiRow::of_insert(&insert, limits, escapes);
    let made = writer.statement(RowSource::Checked(&rows), 0..n_rows, Vec::new()).unwrap();
    let Next::Command { command, .. } = made else { panic!("{made:?}") };
    lane.connection.borrow_mut().execute(&command.into_buffer(), ()).unwrap().warnings
}

fn column(name: &str, ty: &str) -> Column {
    Column::new(name, ColumnType::parse(ty))
}

#[test]
fn null_asks_for_an_id_and_zero_stays() {
    let id = Column { nullable: false, auto_increment: true, ..column("id", "int") };
    let case = Case {
        create: "CREATE TABLE `t``1` (id INT AUTO_INCREMENT PRIMARY KEY, v INT)",
        columns: vec![id, column("v", "int")],
        rows: &[&[Some("5"), Some("1")], &[None, None], &[Some("0"), Some("3")]],
    };
    case.check("SELECT id, v FROM `t``1` ORDER BY id", &[&["0", "3"], &["5", "1"], &["6", "SQL NULL"]]);
}

#[test]
fn one_column_of_empty_texts() {
    let case = Case {
        create: "CREATE TABLE `t``1` (c TEXT)",
        columns: vec![column("c", "text")],
        rows: &[&[Some("")], &[None], &[Some("")], &[Some("\\N")]],
    };
    case.check("SELECT COUNT(*), SUM(c = ''), SUM(c IS NULL), MAX(c) FROM `t``1`", &[&["4", "2", "1", "\\N"]]);
}

#[test]
fn texts_and_bytes_under_no_backslash_escapes() {
    let case = Case {
        create: "CREATE TABLE `t``1` (a TEXT, b BLOB)",
        columns: vec![column("a", "text"), column("b", "blob")],
        rows: &[&[Some("it's a\\b\\"), Some("'\\\t\n\0")], &[None, None], &[Some("\\N"), Some("")]],
    };
    let want: [&[&str]; 3] = [&["6974277320615C625C", "275C090A00"], &["SQL NULL", "SQL NULL"], &["5C4E", ""]];
    case.check_in_mode("NO_BACKSLASH_ESCAPES", "SELECT HEX(a), HEX(b) FROM `t``1`", &want);
    case.check("SELECT HEX(a), HEX(b) FROM `t``1`", &want);
}

#[test]
fn hostile_names() {
    let case = Case {
        create: "CREATE TABLE `t``1` (`a``b` INT, `select` BLOB, `@c1` BIT(3), `x,y) -- z` TEXT)",
        columns: vec![
            column("a`b", "int"),
            column("select", "blob"),
            column("@c1", "bit(3)"),
            column("x,y) -- z", "text"),
        ],
        rows: &[&[Some("1"), Some("b"), Some("5"), Some("'); DROP TABLE x; -- ")]],
    };
    case.check(
        "SELECT `a``b`, `select`, `@c1`+0, `x,y) -- z` FROM `t``1`",
        &[&["1", "b", "5", "'); DROP TABLE x; -- "]],
    );
}

/// Why NULL into NOT NULL is bad even where a LOAD says nothing.
#[test]
fn null_into_a_timestamp_becomes_now_in_silence() {
    for server in servers::with_local_infile() {
        let lane = Lane::on(&server);
        lane.execute("CREATE TABLE n (id INT, ts TIMESTAMP NOT NULL)");
        let sql = |name: &str| format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE n");
        let outcome = lane.connection.borrow_mut().load_local(sql, b"1\t\\N\n").unwrap();
        assert_eq!(outcome.warnings, 0, "{}", server.name);
        assert_eq!(lane.query("SELECT YEAR(ts) > 2000 FROM n").unwrap(), [["1"]], "{}", server.name);
    }
}
