//! What a server answers to statements that KILL QUERY meets (docs/notes/client-traps.md). Needs the right to make a database.
//!
//! ```text
//! cargo run -p inrush --example killed_statements -- "$(inrush server url)"
//! ```
//!
//! Each statement runs in a loop, in a transaction that is rolled back, while another connection kills its queries. It counts errors,
//! and OKs that say that no row, or not every row, was changed.
#![allow(clippy::print_stdout, reason = "the numbers are the result")]

use inrush::Result;
use inrush::blocking::Connection;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

const SECONDS: u64 = 3;

/// The statement, and the rows that it changes.
const STATEMENTS: [(&str, u64); 10] = [
    ("UPDATE killed.a SET b = b + 1 WHERE id = 3", 1),
    ("UPDATE killed.a SET b = b + 1 WHERE id BETWEEN 2 AND 4", 3),
    ("UPDATE killed.a AS l JOIN (SELECT 1 AS one) AS o SET b = b + 1 WHERE id = 3", 1),
    ("DELETE FROM killed.a WHERE id = 3", 1),
    ("DELETE FROM killed.a WHERE id BETWEEN 2 AND 4", 3),
    ("DELETE FROM killed.a USING killed.a WHERE id BETWEEN 2 AND 4", 3),
    ("INSERT INTO killed.c VALUES (1, 1), (2, 2), (3, 3)", 3),
    ("INSERT INTO killed.c SELECT * FROM killed.b WHERE id = 3", 1),
    ("INSERT INTO killed.c SELECT * FROM killed.b", 5),
    ("INSERT INTO killed.a SELECT id + 100, b FROM killed.b ON DUPLICATE KEY UPDATE b = VALUES(b)", 5),
];

fn main() -> Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "mysql://root@localhost".into());
    let (mut connection, mut killer) = (Connection::connect(url.as_str())?, Connection::connect(url.as_str())?);
    for sql in [
        "CREATE DATABASE IF NOT EXISTS killed",
        "DROP TABLE IF EXISTS killed.a, killed.b, killed.c",
        "CREATE TABLE killed.a (id INT PRIMARY KEY, b BIGINT, KEY (b)) ENGINE=InnoDB",
        "CREATE TABLE killed.b LIKE killed.a",
        "CREATE TABLE killed.c (id INT, b BIGINT) ENGINE=InnoDB",
        "INSERT INTO killed.a VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5)",
        "INSERT INTO killed.b SELECT * FROM killed.a",
    ] {
        connection.execute(sql, ())?;
    }
    let kill = format!("KILL QUERY {}", connection.connection_id());
    let is_over = AtomicBool::new(false);
    scope(|threads| {
        threads.spawn(|| {
            while !is_over.load(SeqCst) {
                let _ = killer.execute(&*kill, ());
                sleep(Duration::from_micros(50));
            }
        });
        STATEMENTS.iter().for_each(|(sql, n_rows)| measure(&mut connection, sql, *n_rows));
        is_over.store(true, SeqCst);
    });
    while connection.execute("DROP DATABASE killed", ()).is_err() {}
    Ok(())
}

fn measure(connection: &mut Connection, sql: &str, n_rows: u64) {
    let (mut well, mut errors, mut no_row, mut in_part) = (0, 0, 0, 0);
    let end = Instant::now() + Duration::from_secs(SECONDS);
    while Instant::now() < end {
        while connection.execute("BEGIN", ()).is_err() {}
        match connection.execute(sql, ()).map(|outcome| outcome.affected) {
            Ok(affected) if affected == n_rows => well += 1,
            Ok(0) => no_row += 1,
            Ok(_) => in_part += 1,
            Err(_) => errors += 1,
        }
        while connection.execute("ROLLBACK", ()).is_err() {}
    }
    println!("{sql}: {well} well, {errors} errors, {no_row} OK with no row, {in_part} OK with a part of the rows");
}
