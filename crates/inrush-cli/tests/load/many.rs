//! Many files: patterns and folders into one table, and each file into the table of its name.

use crate::place::{Rows, everywhere};
use serde_json::json;

#[test]
fn a_pattern_or_a_folder_is_one_load() {
    everywhere("many_files", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20))");
        std::fs::create_dir(place.path("parts")).unwrap();
        for n in 1..=12 {
            place.write(&format!("parts/part-{n}.csv"), format!("id,name\n{n},Ann\n{},Bob\n", n + 100));
        }
        place.write("parts/.hidden", "not,of\nthe,files\n");
        for files in ["parts/part-*.csv", "parts", "parts/part-?.csv parts/part-1?.csv"] {
            place.sql("TRUNCATE people");
            let done = place.load(&format!("{files} --into people --guarantee at-least-once"));
            assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(24))), "{files}: {done}");
            assert_eq!(place.sql("SELECT COUNT(*), SUM(id) FROM people"), "24,1356", "{files}");
        }
        let done = place.load("parts/absent-*.csv --into people");
        assert_eq!(done.code, 1, "{done}");
        done.says("no file is named like `parts/absent-*.csv`");
    });
}

#[test]
fn each_file_goes_into_the_table_of_its_name() {
    everywhere("many_tables", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20)); CREATE TABLE items (id INT PRIMARY KEY, price DECIMAL(5,2))");
        std::fs::create_dir(place.path("dump")).unwrap();
        place.write("dump/people.1.csv", "id,name\n1,Ann\n");
        place.write("dump/people.2.csv", "id,name\n2,Bob\n");
        place.write("dump/items.tsv", "id\tprice\n1\t2.50\n2\tdear\n");
        place.write("dump/orders.csv", "id\n1\n");

        let done = place.load("dump --into * --bad-rows skip");
        // A table that is not there does not keep the others from being loaded, and the worst code is told.
        assert_eq!(done.code, 1, "{done}");
        done.says("table `orders`: error: there is no table `orders`");
        assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), "1,Ann|2,Bob");
        assert_eq!(place.sql("SELECT * FROM items"), "1,2.50");
        let codes: Vec<_> =
            done.json["tables"].as_array().unwrap().iter().map(|one| one["exit_code"].clone()).collect();
        assert_eq!(codes, [json!(4), json!(1), json!(0)], "in the order of the files: {done}");
        let total = &done.json["total"];
        assert_eq!(
            (&total["tables"], &total["rows"]["read"], &total["rows"]["stored"]),
            (&json!(3), &json!(4), &json!(3))
        );
    });
}

#[test]
fn bad_rows_of_several_tables_go_into_a_file_each() {
    everywhere("many_rejects", |place| {
        place.sql("CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY, c INT)");
        place.write("a.csv", "id\n1\nx\n");
        place.write("b.csv", "id,c\n1,2\n2,y\n");
        let done = place.load("a.csv b.csv --into * --bad-rows divert:bad.csv");
        assert_eq!(done.code, 1, "{done}");
        done.says("the bad rows of several tables do not fit into one file, `bad.csv`");
        assert_eq!(place.sql("SELECT COUNT(*) FROM a"), "0");
        let done = place.load("a.csv b.csv --into * --bad-rows divert:bad-*.csv");
        assert_eq!(done.code, 4, "{done}");
        assert_eq!((place.read("bad-a.csv"), place.read("bad-b.csv")), ("id\nx\n".into(), "id,c\n2,y\n".into()));
    });
}

#[test]
fn people_read_a_report_for_each_table_and_the_total() {
    everywhere("many_reports", |place| {
        place.sql("CREATE TABLE a (id INT PRIMARY KEY); CREATE TABLE b (id INT PRIMARY KEY)");
        place.write("a.csv", "id\n1\n2\n");
        place.write("b.csv", "id\n1\n");
        for (option, stored, n_rows) in [(" --dry-run", "would be stored", "0"), ("", "stored", "2")] {
            let load = format!("a.csv b.csv --into * --metrics-file load.prom{option}");
            let done = place.done(&place.command(&load).output().unwrap());
            assert_eq!(done.code, 0, "{done}");
            for line in [
                format!("rows      2 read = 2 {stored}"),
                format!("rows      1 read = 1 {stored}"),
                format!("total     2 of 2 tables {stored} whole"),
                format!("rows      3 read = 3 {stored}"),
            ] {
                assert!(done.stdout.lines().any(|one| one == line), "{line}: {done}");
            }
            assert_eq!(place.sql("SELECT COUNT(*) FROM a"), n_rows);
            let metric =
                format!("inrush_load_rows_stored_total{{run=\"load\",table=\"{}.a\"}} {n_rows}", place.schema.name());
            let metrics = place.read("load.prom");
            assert!(metrics.lines().any(|one| one == metric), "{metric}: {metrics}");
        }
    });
}

#[test]
fn more_files_than_a_process_may_have_open() {
    everywhere("very_many_files", |place| {
        place.sql("CREATE TABLE people (id INT PRIMARY KEY)");
        std::fs::create_dir(place.path("parts")).unwrap();
        for n in 0..1500 {
            place.write(&format!("parts/{n}.csv"), format!("id\n{n}\n"));
        }
        let mut command = std::process::Command::new("sh");
        let load = place.command("parts --into people --json -q --guarantee at-least-once");
        // What most systems allow at first.
        command.args(["-c", "ulimit -S -n 1024 && exec \"$0\" \"$@\""]).arg(load.get_program()).args(load.get_args());
        command.current_dir(place.folder.path());
        command.envs(load.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let done = place.done(&command.output().unwrap());
        assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(1500))), "{done}");
        assert_eq!(place.sql("SELECT COUNT(*), SUM(id) FROM people"), "1500,1124250");
    });
}
