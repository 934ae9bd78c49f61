//! What must not happen: rows in another table, rows gone before it is sure that others can follow, valid rows refused,
//! rows that stay without a word.

use crate::place::{Place, Rows, everywhere, methods, on};
use inrush_testkit::patience::{Wait, until};
use inrush_testkit::servers::with_local_infile;
use std::io::Write as _;
use std::process::{Child, Command, Output, Stdio};

const PEOPLE: &str = "CREATE TABLE people (id INT PRIMARY KEY, name LONGTEXT NOT NULL)";
const FILE: &str = "id,name\n1,Ann\n2,Bob\n";

fn prepared(place: &Place) {
    place.sql(PEOPLE);
    place.write("people.csv", FILE);
}

#[test]
fn names_that_differ_by_case_are_different_tables() {
    everywhere("case", |place| {
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
    everywhere("not_emptied", |place| {
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
    everywhere("large_row", |place| {
        prepared(place);
        place.write("people.csv", format!("id,name\n1,a\n2,{}\n3,c\n", "x".repeat(3 << 20)));
        for method in methods(place) {
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
fn the_longest_row_of_all_is_a_row_and_one_byte_more_is_not() {
    // Those with the smaller packets, 16 MiB.
    let servers = with_local_infile().into_iter().filter(|server| server.name.starts_with("mariadb")).collect();
    on(servers, "longest_row", |place| {
        prepared(place);
        let max: usize = place.sql("SELECT @@max_allowed_packet").parse().unwrap();
        let around = format!("INSERT INTO `{}`.`people` (`id`,`name`) VALUES (1,'')", place.schema.name()).len();
        for (name, code, want) in [(max - 2 - around, 0, Rows::stored(1)), (max - 1 - around, 4, Rows::rejecting(0, 1))]
        {
            place.write("people.csv", format!("id,name\n1,{}\n", "x".repeat(name)));
            let done = place.load("people.csv --into people --truncate --method multi-row --bad-rows skip");
            assert_eq!((done.code, done.rows()), (code, Some(want)), "{done}");
        }
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
        let done = place.load("people.csv --into people --bad-rows skip");
        assert_eq!((done.code, done.rows()), (5, None), "{done}");
        done.says("trigger `t` of table `people` names `audit`, a table without transactions");
        done.says("hint: `ALTER TABLE audit ENGINE=InnoDB`, or `--guarantee at-least-once` does without");
        for method in ["load-data", "multi-row"] {
            let args = "people.csv --into people --bad-rows skip --guarantee at-least-once";
            let done = place.load(&format!("{args} --method {method}"));
            assert_eq!((done.code, done.rows().unwrap().unknown), (3, 2), "{done}");
            done.says("not every table was");
            assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "1");
        }
        assert_eq!(place.sql("SELECT COUNT(*) FROM audit"), "4", "each row of each load once, not again by a replay");
    });
}

#[test]
fn a_pipe_that_says_nothing_more_keeps_nobody_from_stopping() {
    on(with_local_infile(), "idle_pipe", |place| {
        prepared(place);
        let command = place.command("- --into people --json -q --lanes 20");
        // More than the first read, which opens the source, and less than a chunk.
        let rows: String = (0..40_000).map(|id| format!("{id},Ann\n")).collect();
        let (mut load, pipe) = begin(command, format!("id,name\n{rows}").as_bytes());
        // The lanes are open, so it listens for signals, and nothing is left to do but to read.
        let lanes = "SELECT COUNT(*) FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = DATABASE() AND USER <> 'event_scheduler'";
        until("20 lanes", || place.sql(lanes).parse::<u32>().unwrap() >= 20);
        let pid = load.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        let done = place.done(&ended(&mut load));
        assert_eq!((done.code, done.rows()), (130, Some(Rows::default())), "{done}");
        drop(pipe);
    });
}

#[test]
fn a_bad_row_ends_the_load_though_its_pipe_is_open() {
    on(with_local_infile(), "open_pipe", |place| {
        prepared(place);
        let rows: String =
            (0..100_000).map(|id| format!("{},Ann\n", if id == 1_500 { "x".into() } else { id.to_string() })).collect();
        let command = place.command("- --into people --json -q --batch 1000");
        let (mut load, pipe) = begin(command, format!("id,name\n{rows}").as_bytes());
        let done = place.done(&ended(&mut load));
        assert_eq!(done.code, 2, "{done}");
        done.says("`x` is not a whole number (-, line 1502, column `id`)");
        let stored = done.rows().unwrap().stored;
        assert!(stored >= 1_000, "the chunk before it is stored\n{done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM people"), stored.to_string());
        drop(pipe);
    });
}

/// Starts a load from standard input, which gets `text` and stays open.
fn begin(mut command: Command, text: &[u8]) -> (Child, std::thread::JoinHandle<std::process::ChildStdin>) {
    let mut load = command.stdin(Stdio::piped()).spawn().unwrap();
    let (mut pipe, text) = (load.stdin.take().unwrap(), text.to_vec());
    let writer = std::thread::spawn(move || {
        // A load that has ended reads no more.
        let _ = pipe.write_all(&text);
        pipe
    });
    (load, writer)
}

/// What a load said, which must end though its pipe is open.
fn ended(load: &mut Child) -> Output {
    let wait = Wait::begin();
    let status = loop {
        if let Some(status) = load.try_wait().unwrap() {
            break status;
        }
        if wait.is_over() {
            load.kill().unwrap();
        }
        wait.pause("the end of the load");
    };
    let read = |stream: &mut dyn std::io::Read| {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        bytes
    };
    Output { status, stdout: read(load.stdout.as_mut().unwrap()), stderr: read(load.stderr.as_mut().unwrap()) }
}
