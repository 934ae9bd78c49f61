//! LOAD DATA LOCAL from memory: nothing, one row, much; refusals of both sides.

use crate::cases::{Route, Twin, everywhere, in_cases};
use inrush::Kind;
use inrush::sans_io::session::LoadCounts;
use inrush_testkit::servers::{self, Schema};
use std::io::Write as _;

fn statement(name: &str) -> String {
    format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE t CHARACTER SET utf8mb4 (id, name)")
}

/// A table and a connection that may load into it.
fn open(case: &crate::cases::Case) -> (Schema, Twin) {
    let schema = case.server.schema("loadlocal");
    let config = case.config().with_local_infile(true).with_database(schema.name());
    let mut connection = case.open_with(&config);
    connection.execute("CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(700) NOT NULL) ENGINE = InnoDB").unwrap();
    (schema, connection)
}

/// Rows of about `width` bytes.
fn rows(n: usize, width: usize) -> Vec<u8> {
    let mut rows = Vec::with_capacity(n * (width + 20));
    for i in 0..n {
        writeln!(rows, "{i}\t{i:0width$}").unwrap();
    }
    rows
}

#[track_caller]
fn check_load(connection: &mut Twin, content: &[u8], n: u64) {
    connection.execute("TRUNCATE t").unwrap();
    let outcome = connection.load_local(statement, content).unwrap();
    let counts = LoadCounts::parse(&outcome.info).unwrap();
    assert_eq!((outcome.affected, counts), (n, LoadCounts { records: n, deleted: 0, skipped: 0, warnings: 0 }));
    assert_eq!(connection.ask("SELECT COUNT(*) FROM t"), n.to_string());
}

#[test]
fn nothing_and_one_row() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls, Route::Unix], |case| {
        let (_schema, mut connection) = open(case);
        check_load(&mut connection, b"", 0);
        check_load(&mut connection, b"1\tone\n", 1);
        check_load(&mut connection, b"1\twithout an end of line", 1);
        connection.ping().unwrap();
    });
}

#[test]
fn fifty_megabytes() {
    let content = rows(80_000, 620);
    assert!(content.len() > 50_000_000);
    in_cases(servers::with_local_infile(), &[Route::Unix], |case| {
        let (_schema, mut connection) = open(case);
        check_load(&mut connection, &content, 80_000);
    });
}

#[test]
fn a_few_megabytes_over_tcp_and_tls() {
    let content = rows(8_000, 620);
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls], |case| {
        let (_schema, mut connection) = open(case);
        check_load(&mut connection, &content, 8_000);
    });
}

#[test]
fn an_error_of_the_server_comes_after_all_content_and_leaves_the_connection_usable() {
    let content = rows(10_000, 600);
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls, Route::Unix], |case| {
        let (_schema, mut connection) = open(case);
        connection.execute("CREATE TRIGGER stop BEFORE INSERT ON t FOR EACH ROW SIGNAL SQLSTATE '45000'").unwrap();
        let error = connection.load_local(statement, &content).unwrap_err();
        assert!(error.code() == 1644 && !error.is_fatal(), "{error:?}");
        assert_eq!(connection.ask("SELECT COUNT(*) FROM t"), "0");
        // Refused before any content is asked for.
        let error =
            connection.load_local(|name| statement(name).replace("TABLE t", "TABLE nowhere"), b"1\tx\n").unwrap_err();
        assert!(error.code() == 1146 && !error.is_fatal(), "{error:?}");
        connection.execute("DROP TRIGGER stop").unwrap();
        check_load(&mut connection, b"1\tone\n", 1);
    });
}

#[test]
fn a_server_that_forbids_it_says_so_and_stays_usable() {
    in_cases(servers::without_local_infile(), &[Route::Tcp, Route::Tls, Route::Unix], |case| {
        let (_schema, mut connection) = open(case);
        let error = connection.load_local(statement, b"1\tone\n").unwrap_err();
        assert_eq!(error.kind(), Kind::Server, "{error:?}");
        let code = match case.server.vendor {
            servers::Vendor::Mysql => 3948,
            servers::Vendor::Mariadb => 4166,
        };
        assert!(error.code() == code && !error.is_fatal(), "{error:?}");
        assert_eq!(connection.ask("SELECT COUNT(*) FROM t"), "0");
    });
}

#[test]
fn without_asking_for_it_at_login_nothing_is_sent() {
    everywhere(|case| {
        let mut connection = case.open();
        let error = connection.load_local(statement, b"1\tone\n").unwrap_err();
        assert!(error.kind() == Kind::Config && error.hint().is_some() && !error.is_fatal(), "{error:?}");
        connection.ping().unwrap();
    });
}

#[test]
fn a_plain_statement_never_sends_a_file() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Unix], |case| {
        let (schema, mut connection) = open(case);
        let secret = std::env::current_exe().unwrap();
        let error = connection.execute(&statement(&secret.display().to_string())).unwrap_err();
        assert!(error.kind() == Kind::Protocol && error.is_fatal(), "{error:?}");
        assert!(connection.ping().unwrap_err().is_fatal());
        assert_eq!(case.server.sql(&format!("SELECT COUNT(*) FROM {}.t", schema.name())), [["0"]]);
    });
}

#[test]
fn a_statement_that_names_another_file_sends_nothing() {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Unix], |case| {
        let (schema, mut connection) = open(case);
        let error = connection.load_local(|_| statement("/etc/passwd"), b"1\tone\n").unwrap_err();
        assert!(error.kind() == Kind::Protocol && error.is_fatal(), "{error:?}");
        assert_eq!(case.server.sql(&format!("SELECT COUNT(*) FROM {}.t", schema.name())), [["0"]]);
    });
}
