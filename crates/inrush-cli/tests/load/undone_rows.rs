//! `--mode undo`: the rows that a load has inserted are deleted if they are unchanged, each once, whatever is killed; all others stay.

use crate::place::{Place, Rows, everywhere, methods};

const TABLE: &str = "DROP TABLE IF EXISTS goods; CREATE TABLE goods (id INT PRIMARY KEY, \
     name VARCHAR(20) COLLATE utf8mb4_general_ci, price DECIMAL(8,2), kind ENUM('a','b'), f FLOAT, d DOUBLE, b VARBINARY(8), \
     j JSON, t TIMESTAMP(3) NULL, n INT NOT NULL DEFAULT 7); INSERT INTO goods (id, name) VALUES (0, 'before')";
const FILE: &str = "id,name,price,kind,f,d,b,j,t\n1,Ann,1.5,a,0.1,0.1,xy,\"[1, 2]\",2026-01-02 03:04:05.678\n2,,,,,,,,\n\
     3,\"\",0,b,1e10,1e300,\"\",{},2026-01-02 03:04:05\n4,Cy,2.25,a,3,4,z,null,\n";
const LOAD: &str = "goods.csv --into goods";
const IDS: &str = "SELECT COALESCE(GROUP_CONCAT(id ORDER BY id), '') FROM goods";

fn fresh(place: &Place) {
    place.forget();
    place.sql(TABLE);
    place.write("goods.csv", FILE);
}

#[test]
fn a_load_and_back_by_every_method() {
    everywhere("undone_rows", |place| {
        for method in methods(place) {
            fresh(place);
            let load = format!("{LOAD} --method {method}");
            assert_eq!(place.go_on(&load).rows(), Some(Rows::stored(4)), "{method}");
            let undone = place.go_on(&format!("{load} --mode undo"));
            assert_eq!((undone.code, undone.rows()), (0, Some(Rows::stored(4))), "{method}\n{undone}");
            assert_eq!(place.sql("SELECT id, name FROM goods"), "0,before", "{method}");
            let again = place.go_on(&format!("{load} --mode undo"));
            assert_eq!((again.code, again.rows()), (0, Some(Rows::stored(4))), "{method}\n{again}");
            assert_eq!(again.json["jobs"][0]["state"], "already-loaded", "{again}");
            // It is as if it had never been loaded; and once it is loaded again, it can be undone again.
            for _ in 0..2 {
                let loaded = place.go_on(&load);
                assert_eq!((loaded.code, loaded.rows()), (0, Some(Rows::stored(4))), "{method}\n{loaded}");
                assert_eq!(place.sql(IDS), "0,1,2,3,4");
                assert_eq!(place.go_on(&load).json["jobs"][0]["state"], "already-loaded");
                let undone = place.go_on(&format!("{load} --mode undo"));
                assert_eq!((undone.code, undone.rows()), (0, Some(Rows::stored(4))), "{method}\n{undone}");
                assert_eq!(place.sql(IDS), "0");
            }
        }
    });
}

/// One column after the other, by the least change: what differs from the file in one byte is not the load's row any more.
#[test]
fn changed_rows_are_kept() {
    everywhere("undone_changed", |place| {
        for change in [
            "name = 'ann'",
            "name = 'Ann '",
            "name = NULL",
            "price = 1.51",
            "kind = 'b'",
            "f = 0.10000001",
            "d = 0.1000000000000001",
            "b = 'xY'",
            "b = 'xy\\0'",
            "j = '[1, 2, 3]'",
            "t = '2026-01-02 03:04:05.679'",
            "id = 11",
        ] {
            fresh(place);
            assert_eq!(place.go_on(LOAD).code, 0);
            place.sql(&format!("UPDATE goods SET {change} WHERE id = 1; DELETE FROM goods WHERE id = 2"));
            let undone = place.go_on(&format!("{LOAD} --mode undo"));
            assert_eq!((undone.code, undone.rows()), (4, Some(Rows::skipping(2, 2))), "{change}\n{undone}");
            let kept = if change == "id = 11" { "0,11" } else { "0,1" };
            assert_eq!(place.sql(IDS), kept, "{change}");
        }
        // What the file does not have is not compared.
        fresh(place);
        assert_eq!(place.go_on(LOAD).code, 0);
        place.sql("UPDATE goods SET n = 8 WHERE id = 1");
        assert_eq!(place.go_on(&format!("{LOAD} --mode undo")).code, 0);
        assert_eq!(place.sql(IDS), "0");
    });
}

#[test]
fn what_is_refused_changes_nothing() {
    everywhere("undone_refused", |place| {
        fresh(place);
        place.sql(
            "DROP TABLE IF EXISTS child; DROP TABLE IF EXISTS keyless; CREATE TABLE keyless (id INT, name VARCHAR(20))",
        );
        place.write("half.csv", "id,name\n20,x\n21,y\n22,much too long for a column of twenty\n");
        place.write("twice.csv", "id,name\n30,x\n30,x\n");
        place.write("plain.csv", "id,name\n1,x\n");
        let refused = |arguments: &str, code: i32, message: &str| {
            let done = place.go_on(arguments);
            assert!(done.code == code, "{arguments}: {done}");
            done.says(message);
        };
        refused("goods.csv --into goods --mode undo", 5, "was not loaded into this table");
        assert_eq!(place.go_on("half.csv --into goods --batch 1").code, 2);
        refused("half.csv --into goods --mode undo", 5, "is not loaded to its end");
        assert_eq!(place.go_on("twice.csv --into goods --bad-rows skip").code, 4);
        refused("twice.csv --into goods --mode undo", 5, "1 of `twice.csv` were rejected");
        assert_eq!(place.go_on("plain.csv --into keyless").code, 0);
        refused("plain.csv --into keyless --mode undo", 1, "has no unique key");
        assert_eq!(place.go_on("goods.csv --into goods").code, 0);
        let before = place.sql(IDS);
        for (options, code, message) in [
            ("--truncate", 1, "exclude each other"),
            ("--replace-table", 1, "exclude each other"),
            ("--again", 1, "exclude each other"),
            ("--dry-run", 1, "exclude each other"),
            ("--verify", 1, "exclude each other"),
            ("--before DO_1", 1, "exclude each other"),
            ("--job-name a --part 1", 1, "exclude each other"),
            ("--guarantee at-least-once", 1, "has none"),
            ("--time-zone +02:00", 5, "was read in another way then"),
        ] {
            refused(&format!("goods.csv --into goods --mode undo {options}"), code, message);
        }
        place.sql(
            "CREATE TABLE child (id INT PRIMARY KEY, parent INT, FOREIGN KEY (parent) REFERENCES goods (id) ON DELETE CASCADE)",
        );
        refused("goods.csv --into goods --mode undo", 5, "ON DELETE CASCADE");
        place.sql("DROP TABLE child");
        place.write("goods.csv", FILE.replace("Ann", "Bob"));
        refused("goods.csv --into goods --mode undo", 5, "with another content");
        assert_eq!(place.sql(IDS), before);
        place.write("goods.csv", FILE);
        assert_eq!(place.go_on("goods.csv --into goods --mode undo").code, 0);
    });
}

#[test]
fn killed_anywhere_each_row_is_deleted_once() {
    everywhere("undone_killed", |place| {
        place.sql("CREATE TABLE many (id INT PRIMARY KEY, name VARCHAR(20)); INSERT INTO many VALUES (0, 'before')");
        let rows: String = (1..=60).map(|n| format!("{n},row {n}\n")).collect();
        place.write("many.csv", format!("id,name\n{rows}"));
        let load = "many.csv --into many --batch 10 --lanes 2";
        let points = [
            "job.taken:1",
            "chunk.begin:3",
            "line.sent:2",
            "commit.sent:1",
            "commit.sent:4",
            "commit.answered:3",
            "done.sent:1",
            "done.answered:1",
        ];
        for point in points {
            assert_eq!(place.go_on(load).rows(), Some(Rows::stored(60)), "{point}");
            let mut command = place.command(&format!("{load} --mode undo"));
            command.env("INRUSH_FAULT", point);
            let killed = place.done(&command.output().unwrap());
            assert_eq!(killed.code, -1, "{point}: {killed}");
            let done = place.go_on(&format!("{load} --mode undo"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(60))), "{point}\n{done}");
            assert_eq!(place.sql("SELECT id FROM many"), "0", "{point}");
        }
    });
}
