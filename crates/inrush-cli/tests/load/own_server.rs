//! What needs a server of its own: small packets, read-only, LOCAL INFILE switched off under way, a table space that may not
//! grow, a server that dies. One server a family, and one after the other on it; the last question ends it.

use crate::case::{CASE, Case};
use crate::export;
use crate::numbers::{TABLE, check_table, numbers};
use crate::place::{Place, Rows, best_insert};
use crate::server_of_own::{OwnServer, on_each_family};
use crate::stopped::{Running, await_true};
use crate::{doctor, tune};
use std::fs;
use std::process::Command;

on_each_family!(on_its_own);

fn on_its_own(family: &str) {
    let own = OwnServer::new(family, &SETTINGS);
    let place = Place::own(&own);
    export::by_a_lock_of_all_tables(&place);
    export::by_the_rights_of_the_user(&place);
    a_row_larger_than_a_packet(&place);
    a_read_only_server(&place);
    tune::on_a_server_that_refuses(&place);
    doctor::sends_queries_only(&place);
    local_infile_switched_off(&place);
    nothing_can_be_prepared(&place);
    odd_session_defaults(&place);
    packets_that_hold_no_statement(&place);
    a_full_table_space(&place);
    a_server_that_dies(&own, &place);
}

pub(crate) const CASES: &[Case] = &[ROW_TOO_LARGE, READ_ONLY];

const ROW_TOO_LARGE: Case = Case {
    title: "A row that is larger than the server accepts",
    advice: "`SET GLOBAL max_allowed_packet` raises the limit, up to 1 GiB, for connections made after it.",
    sql: "CREATE TABLE people (id INT PRIMARY KEY, name LONGTEXT)",
    file: b"id,name\n1,Ann\n2,xxxxxxxxxxxxxxxxxxxx .. and so on, 1.2 million of them\n3,Cy\n",
    says: "error: the row needs 1200003 bytes, and the server's `max_allowed_packet` is 1048576 (people.csv, line 3)\n\
           hint: `--bad-rows divert:rejected.csv` loads the rest\n\
           stored: nothing",
    rows: Some(Rows { read: 3, stored: 0, skipped: 0, rejected: 0, not_loaded: 3, unknown: 0 }),
    ..CASE
};

const READ_ONLY: Case = Case {
    title: "A server that is read-only",
    advice: "A replica, or a server in the middle of a switch-over: load into the primary.",
    code: 3,
    says: "error: cannot make the ledger of the load ready: The {MySQL|MariaDB} server is running with the --{super-|}read-only \
           option so it cannot execute this statement (server error 1290, SQLSTATE HY000)",
    rows: None,
    ..CASE
};

fn a_row_larger_than_a_packet(place: &Place) {
    for method in ["load-data", "multi-row"] {
        place.sql(&format!("DROP TABLE IF EXISTS people; {}", ROW_TOO_LARGE.sql));
        place.write("people.csv", format!("id,name\n1,Ann\n2,{}\n3,Cy\n", "x".repeat(1_200_000)));
        let done = place.load(&format!("people.csv --into people --method {method}"));
        assert_eq!((done.code, done.rows()), (2, ROW_TOO_LARGE.rows), "{done}");
        // A statement has more around the row than a LOAD has.
        let said = done.stderr.trim_end().replace("1200010 bytes", "1200003 bytes");
        assert_eq!(said, ROW_TOO_LARGE.says, "{method}: {done}");
        let done = place.load(&format!("people.csv --into people --method {method} --bad-rows divert:bad.csv"));
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(2, 1))), "{done}");
        assert_eq!(place.sql("SELECT * FROM people ORDER BY id"), "1,Ann|3,Cy");
        assert_eq!(place.read("bad.csv").len(), "id,name\n2,\n".len() + 1_200_000);
        fs::remove_file(place.path("bad.csv")).unwrap();
        fs::remove_file(place.path("bad.csv.log")).unwrap();
        // What fits goes in, however close: a packet holds the statement around the row as well.
        place.write("people.csv", format!("id,name\n4,{}\n", "x".repeat(1_000_000)));
        assert_eq!(place.load(&format!("people.csv --into people --method {method}")).code, 0);
    }
}

fn a_read_only_server(place: &Place) {
    // A user who may not write all the same; root may, unless MySQL is told that it may not either.
    place.sql(
        "CREATE OR REPLACE VIEW nothing AS SELECT 1; DROP USER IF EXISTS app@localhost; CREATE USER app@localhost IDENTIFIED BY 'app-Pass1'; GRANT ALL ON *.* TO app@localhost",
    );
    let switch = if place.is_mysql() { "super_read_only" } else { "read_only" };
    if !place.is_mysql() {
        place.sql("REVOKE SUPER, READ_ONLY ADMIN ON *.* FROM app@localhost");
    }
    place.sql(&format!("DROP TABLE IF EXISTS people; {}; SET GLOBAL {switch} = 1", READ_ONLY.sql));
    place.write("people.csv", READ_ONLY.file);
    let mut load = place.bare("people.csv --into people --json -q -u app");
    load.arg("-S").arg(&place.server.socket).args(["-D", place.schema.name()]).env("INRUSH_PASSWORD", "app-Pass1");
    let done = place.done(&load.output().unwrap());
    place.sql("SET GLOBAL read_only = 0");
    assert_eq!((done.code, done.rows()), (3, READ_ONLY.rows), "{done}");
    assert_eq!(done.stderr.trim_end(), crate::case::words(READ_ONLY.says, place.is_mysql()), "{done}");
    assert_eq!(place.sql("SELECT COUNT(*) FROM people"), "0");
}

/// The server said yes when it was asked, and no when it came to it: `auto` goes on by INSERTs, and no row is lost or doubled.
fn local_infile_switched_off(place: &Place) {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    let mut load = Running::start(place, "- --into numbers --batch 1000");
    load.begin();
    place.sql("SET GLOBAL local_infile = 0");
    let mut stdin = load.stdin.take().unwrap();
    let rows: String = (60_001..=80_000).map(|id| format!("{id},{id}\n")).collect();
    std::io::Write::write_all(&mut stdin, rows.as_bytes()).unwrap();
    drop(stdin);
    let done = load.end();
    place.sql("SET GLOBAL local_infile = 1");
    assert_eq!((done.code, done.rows()), (0, Some(Rows::stored(80_000))), "{done}");
    let insert = best_insert(place);
    assert_eq!(done.json["method"]["name"], insert, "{done}");
    done.says(&format!("method {insert}: `load-data` was refused: "));
    assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "80000,3200040000");
}

/// A server that prepares no more statements gets texts, unless bound rows were asked for.
fn nothing_can_be_prepared(place: &Place) {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    place.write("numbers.csv", numbers(2_000, |id| format!("{id},{id}")));
    place.sql("SET GLOBAL local_infile = 0; SET GLOBAL max_prepared_stmt_count = 0");
    let asked = place.load("numbers.csv --into numbers --method multi-row-prepared");
    let auto = place.load("numbers.csv --into numbers");
    place.sql("SET GLOBAL local_infile = 1; SET GLOBAL max_prepared_stmt_count = 16382");
    assert_eq!((asked.code, asked.rows().map(|rows| rows.stored)), (3, Some(0)), "{asked}");
    assert_eq!((auto.code, auto.rows()), (0, Some(Rows::stored(2_000))), "{auto}");
    assert_eq!(auto.json["method"]["name"], "multi-row", "{auto}");
    let reason = auto.json["method"]["reason"].as_str().unwrap();
    assert!(reason.starts_with("`multi-row-prepared` was refused: "), "{auto}");
    assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "2000,2001000");
    // A method that is only tried, beside LOAD DATA, is left where it is refused.
    place.sql("TRUNCATE numbers; SET GLOBAL max_prepared_stmt_count = 0");
    let tried = place.load("numbers.csv --into numbers --again --lanes 1 --batch 50");
    place.sql("SET GLOBAL max_prepared_stmt_count = 16382");
    assert_eq!((tried.code, tried.rows()), (0, Some(Rows::stored(2_000))), "{tried}");
    assert_eq!((&tried.json["method"]["name"], &tried.json["tuning"]), (&"load-data".into(), &serde_json::json!([])));
    assert_eq!(place.sql("SELECT COUNT(*), SUM(value) FROM numbers"), "2000,2001000");
}

/// Whatever the server gives its sessions, a load reads all of the table's description and of its ledger, and goes on.
fn odd_session_defaults(place: &Place) {
    let vendors = match place.is_mysql() {
        true => "max_execution_time = 1, show_gipk_in_create_table_and_information_schema = 0",
        false => "sql_if_exists = 1",
    };
    let set = |values: &str| place.sql(&format!("SET GLOBAL {values}"));
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    place.forget();
    place.write("numbers.csv", numbers(300, |id| if id == 250 { "250,x".into() } else { format!("{id},{id}") }));
    for defaults in [
        "sql_select_limit = 1",
        "sql_select_limit = 0",
        "max_join_size = 1",
        "sql_safe_updates = 1",
        "sql_mode = 'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PAD_CHAR_TO_FULL_LENGTH,IGNORE_SPACE'",
        "transaction_read_only = 1, autocommit = 0",
        vendors,
    ] {
        let defaults =
            if place.is_mysql() { defaults.to_owned() } else { defaults.replace("transaction_read", "tx_read") };
        place.sql("TRUNCATE numbers");
        place.forget();
        place.write("numbers.csv", numbers(300, |id| if id == 250 { "250,x".into() } else { format!("{id},{id}") }));
        let values: Vec<&str> = defaults.split(", ").filter(|part| part.contains(" = ")).collect();
        set(&values.join(", GLOBAL "));
        let args = "numbers.csv --into numbers --batch 100 --lanes 2 --bad-rows divert:bad.csv";
        let stopped = place.go_on(&args.replace("divert:bad.csv", "stop"));
        let status = place.done(&place.command("--status --json").output().unwrap());
        let done = place.go_on(args);
        for value in &values {
            // A session that was opened meanwhile has the odd values too.
            let (name, _) = value.split_once(" = ").unwrap();
            let usual = if name == "autocommit" { "1" } else { "DEFAULT" };
            place.sql(&format!("SET SESSION sql_select_limit = DEFAULT; SET GLOBAL {name} = {usual}"));
        }
        assert_eq!(stopped.code, 2, "{defaults}: {stopped}");
        assert_eq!(status.json["jobs"].as_array().map(Vec::len), Some(1), "{defaults}: {status}");
        assert_eq!((done.code, done.rows()), (4, Some(Rows::rejecting(299, 1))), "{defaults}: {done}");
        assert_eq!(place.sql("SELECT COUNT(*) FROM numbers"), "299", "{defaults}");
        assert_eq!(place.read("bad.csv"), "id,value\n250,x\n", "{defaults}");
        fs::remove_file(place.path("bad.csv")).unwrap();
        fs::remove_file(place.path("bad.csv.log")).unwrap();
    }
}

/// The least that a server can be set to: nothing is begun.
fn packets_that_hold_no_statement(place: &Place) {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    place.write("numbers.csv", numbers(300, |id| format!("{id},{id}")));
    let least = if place.is_mysql() { "SET GLOBAL net_buffer_length = 1024; " } else { "" };
    place.sql(&format!("{least}SET GLOBAL max_allowed_packet = 1024"));
    let refused = place.load("numbers.csv --into numbers");
    place.sql("SET GLOBAL max_allowed_packet = 1048576");
    assert_eq!((refused.code, refused.rows()), (1, None), "{refused}");
    refused.says("error: the server's `max_allowed_packet` is 1024 bytes, and a load needs 16384\nhint: `SET GLOBAL max_allowed_packet");
    assert_eq!(place.load("numbers.csv --into numbers").code, 0);
}

fn a_full_table_space(place: &Place) {
    place.sql("DROP TABLE IF EXISTS numbers; CREATE TABLE numbers (id INT PRIMARY KEY, value INT, pad VARCHAR(4000)) ENGINE=InnoDB");
    let pad = "x".repeat(3_000);
    place
        .write("numbers.csv", numbers(20_000, |id| format!("{id},{id},{pad}")).replacen("id,value", "id,value,pad", 1));
    for method in ["load-data", "multi-row"] {
        let done = place.load(&format!("numbers.csv --into numbers --batch 500 --method {method}"));
        assert_eq!((done.code, &done.json["stop"]["code"]), (3, &1114.into()), "{done}");
        done.says("error: The table 'numbers' is full (server error 1114, SQLSTATE HY000)\n");
        let stored = check_table(place, &done, |_| true);
        // What a TRUNCATE gave back need not be free again yet.
        assert!(!stored.is_empty() || method == "multi-row", "{done}");
        place.sql("TRUNCATE numbers");
    }
}

fn a_server_that_dies(own: &OwnServer, place: &Place) {
    place.sql(&format!("DROP TABLE IF EXISTS numbers; {TABLE}"));
    let mut load = Running::start(place, "- --into numbers --batch 500 --retry-for 0");
    let feeder = load.feed();
    await_true("rows in the table", || place.sql("SELECT COUNT(*) > 0 FROM numbers") == "1");
    assert!(Command::new("kill").args(["-9", &place.server.pid.to_string()]).status().unwrap().success());
    let done = load.end();
    feeder.join().unwrap();
    assert_eq!((done.code, &done.json["stop"]["why"]), (3, &"server".into()), "{done}");
    // A zombie has no command line any more.
    let command_line = format!("/proc/{}/cmdline", place.server.pid);
    await_true("the end of the killed server", || fs::read(&command_line).map_or(true, |line| line.is_empty()));
    own.start();
    check_table(place, &done, |_| true);
}

const SETTINGS: [&str; 3] = [
    "max-allowed-packet=1M",
    // All tables in one file that may not grow.
    "innodb-file-per-table=0",
    "innodb-data-file-path=ibdata1:12M:autoextend:max:64M",
];
