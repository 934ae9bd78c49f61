//! What must not happen: rows in another table, rows gone before it is sure that others can follow, valid rows refused,
//! rows that stay without a word.

use crate::place::{Place, Rows, on, on_all};
use inrush_testkit::servers::with_local_infile;

const PEOPLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name LONGTEXT NOT NULL)";
const FILE: &str = "id,name\n1,Ann\n2,Bob\n";

fn prepared(place: &Place) {
    place.sql(PEOPLE);
    place.write("people.csv", FILE);
}

#[test]
fn names_that_differ_by_case_are_different_tables() {
    on_all("case", |place| {
        place.write("people.csv", FILE);
        for name in ["PEOPLE", "People", "people", "pEOPLE"] {
            place.sql(&format!("CREATE TABLE {name} (id INT PRIMARY KEY, name JSON)"));
        }
        place.write("people.csv", "id,name\n1,{}\n2,[]\n");
        for (loaded, held) in [("people", "0,0,2,0"), ("People", "0,2,2,0")] {
            let done = place.load(&format!("people.csv --into {loaded}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
            let count = |name| format!("(SELECT COUNT(*) FROM {name})");
            let counts = ["PEOPLE", "People", "people", "pEOPLE"].map(count).join(",");
            assert_eq!(place.sql(&format!("SELECT {counts}")), held, "{loaded}");
        }
        let done = place.load("people.csv --into peOple");
        assert_eq!(done.code, 1, "{done}");
        done.says("there is no table `peOple`");
    });
}

#[test]
fn a_table_is_not_emptied_before_rows_can_follow() {
    on_all("not_emptied", |place| {
        prepared(place);
        place.sql("INSERT INTO people VALUES (7, 'Gus')");
        // No test server has the zone tables.
        let done = place.load("people.csv --into people --truncate --time-zone Europe/Berlin");
        assert_eq!(done.code, 3, "{done}");
        assert_eq!(place.sql("SELECT * FROM people"), "7,Gus");
        let done = place.load("people.csv --into people --truncate --time-zone +5:45");
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(2))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "2");
    });
}

#[test]
fn a_row_larger_than_a_usual_statement_is_a_row() {
    on_all("large_row", |place| {
        prepared(place);
        place.write("people.csv", format!("id,name\n1,a\n2,{}\n3,c\n", "x".repeat(3 << 20)));
        for method in ["multi-row", "auto"] {
            let done = place.load(&format!("people.csv --into people --truncate --method {method}"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(3))), "{method}\n{done}");
            assert_eq!(place.sql("SELECT SUM(LENGTH(name)) FROM people"), ((3 << 20) + 2).to_string());
        }
        // By replay too: one row of the chunk is a duplicate.
        place.sql("DELETE FROM people WHERE id < 3");
        let done = place.load("people.csv --into people --bad-rows skip");
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 1))), "{done}");
    });
}

#[test]
fn what_a_trigger_leaves_behind_is_told() {
    // MySQL refuses such a statement outright where GTIDs must be consistent.
    let servers = with_local_infile().into_iter().filter(|server| server.name.starts_with("mariadb")).collect();
    on(servers, "trigger_rest", |place| {
        prepared(place);
        place.sql(
            "CREATE TABLE audit (id INT) ENGINE=MyISAM; INSERT INTO people VALUES (2, 'there');
             CREATE TRIGGER t BEFORE INSERT ON people FOR EACH ROW INSERT INTO audit VALUES (NEW.id)",
        );
        for method in ["load-data", "multi-row"] {
            let done = place.load(&format!("people.csv --into people --bad-rows skip --method {method}"));
            assert_eq!((done.code, done.rows().unwrap().unknown), (3, 2), "{done}");
            done.says("not every table was");
            assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "1");
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM audit"), "4", "each row of each load once, not again by a replay");
    });
}
