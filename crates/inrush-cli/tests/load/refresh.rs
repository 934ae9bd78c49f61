//! A refresh (`--replace-table`, `--atomic`): sessions that read all the time see the old content, then the new one, and nothing else.

use crate::numbers::numbers;
use crate::place::{Place, everywhere};
use crate::session::await_true;
use crate::stopped::Running;
use inrush::blocking::Connection;
use inrush::{Config, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

const N_ROWS: u64 = 3_000;

/// Text, a prepared statement, a view.
const QUERIES: [&str; 3] = [
    "SELECT COUNT(*), MIN(value), MAX(value) FROM numbers",
    "SELECT COUNT(*), MIN(value), MAX(value) FROM numbers WHERE id > ?",
    "SELECT COUNT(*), MIN(value), MAX(value) FROM shown",
];

/// What a session has read: the number of rows, the least and the greatest value.
type Content = (u64, Option<i64>, Option<i64>);

/// A session that reads, and each content that differs from the one before.
#[derive(Default)]
struct Reader {
    seen: Mutex<Vec<Content>>,
    n_readings: AtomicU64,
    is_over: AtomicBool,
}

impl Reader {
    fn read(&self, config: &Config, query: &str) -> Result<()> {
        let mut connection = Connection::connect(config)?;
        while !self.is_over.load(SeqCst) {
            let content = content(&mut connection, query)?;
            let mut seen = self.seen.lock().unwrap();
            if seen.last() != Some(&content) {
                seen.push(content);
            }
            self.n_readings.fetch_add(1, SeqCst);
        }
        Ok(())
    }

    fn await_content(&self, content: Content) {
        await_true("a reader to see the content", || self.seen.lock().unwrap().last() == Some(&content));
    }

    fn await_another_reading(&self) {
        let before = self.n_readings.load(SeqCst);
        await_true("another reading", || self.n_readings.load(SeqCst) > before + 1);
    }
}

fn content(connection: &mut Connection, query: &str) -> Result<Content> {
    let rows: Vec<Content> = match query.contains('?') {
        true => connection.query(query, (0,))?,
        false => connection.query(query, ())?,
    };
    Ok(rows[0])
}

#[test]
fn readers_see_the_old_content_or_the_new_one() {
    everywhere("refresh", |place| {
        let user = prepare(place);
        let refreshes = [
            ("--replace-table", 1, (N_ROWS, Some(1), Some(1))),
            ("--atomic --truncate", 2, (N_ROWS, Some(2), Some(2))),
            // All or nothing, beside the rows that are there.
            ("--atomic", 3, (2 * N_ROWS, Some(2), Some(3))),
            ("--replace-table --create-table --key id", 4, (N_ROWS, Some(4), Some(4))),
        ];
        let readers: [Reader; 3] = Default::default();
        std::thread::scope(|scope| {
            let threads: Vec<_> = readers
                .iter()
                .zip(QUERIES)
                .map(|(reader, query)| scope.spawn(|| reader.read(&reading(place, &user), query)))
                .collect();
            // Also if an assertion fails.
            let end = End(&readers);
            let mut want = vec![(N_ROWS, Some(0), Some(0))];
            readers.iter().for_each(|reader| reader.await_content(want[0]));
            for (args, version, new) in refreshes {
                let above = if args == "--atomic" { N_ROWS } else { 0 };
                place.write("numbers.csv", numbers(N_ROWS, |id| format!("{},{version}", id + above)));
                let mut command = place.command(&format!("numbers.csv --into numbers --batch 500 {args}"));
                command.env("INRUSH_FAULT", "swap.before:1:stop");
                place.forget();
                let load = Running::spawn(place, command);
                // All rows are stored, and none of them is seen.
                await_true("the load to be stopped before the RENAME", || load.is_stopped());
                readers.iter().for_each(Reader::await_another_reading);
                load.signal("CONT");
                let done = load.end();
                assert_eq!(done.code, 0, "{args}: {done}");
                want.push(new);
                readers.iter().for_each(|reader| reader.await_content(new));
            }
            drop(end);
            for (thread, query) in threads.into_iter().zip(QUERIES) {
                thread.join().unwrap().unwrap_or_else(|error| panic!("{query}: {error}"));
            }
            for (reader, query) in readers.iter().zip(QUERIES) {
                assert_eq!(*reader.seen.lock().unwrap(), want, "{query}");
            }
        });
        assert_eq!(place.sql("SHOW TABLES LIKE 'numbers%'"), "numbers");
        place.sql(&format!("DROP USER {user}"));
    });
}

/// A transaction keeps the table that it has read, and the RENAME waits for it. One that began before the RENAME and reads the table after it
/// gets an error, as its state has no rows of the new table; it never gets an empty table.
#[test]
fn a_transaction_sees_no_empty_table() {
    everywhere("refresh_tx", |place| {
        let user = prepare(place);
        let config = reading(place, &user);
        let (mut has_read, mut reads_later) =
            (Connection::connect(&config).unwrap(), Connection::connect(&config).unwrap());
        for connection in [&mut has_read, &mut reads_later] {
            connection.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT", ()).unwrap();
        }
        let old = (N_ROWS, Some(0), Some(0));
        assert_eq!(content(&mut has_read, QUERIES[0]).unwrap(), old);
        place.write("numbers.csv", numbers(N_ROWS, |id| format!("{id},1")));
        let load = Running::start(place, "numbers.csv --into numbers --replace-table");
        await_true("the load to wait for the transaction", || {
            place.sql("SELECT COUNT(*) > 0 FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE DB = DATABASE() AND STATE LIKE 'Waiting for table metadata%'") == "1"
        });
        assert_eq!(content(&mut has_read, QUERIES[0]).unwrap(), old);
        has_read.execute("COMMIT", ()).unwrap();
        let done = load.end();
        assert_eq!(done.code, 0, "{done}");
        let new = (N_ROWS, Some(1), Some(1));
        assert_eq!(content(&mut has_read, QUERIES[0]).unwrap(), new);
        // ER_TABLE_DEF_CHANGED
        assert_eq!(content(&mut reads_later, QUERIES[0]).map_err(|error| error.code()), Err(1412));
        reads_later.execute("ROLLBACK", ()).unwrap();
        assert_eq!(content(&mut reads_later, QUERIES[0]).unwrap(), new);
        place.sql(&format!("DROP USER {user}"));
    });
}

/// The table, a view of it, and a user who may read these two alone.
fn prepare(place: &Place) -> String {
    let (schema, user) = (place.schema.name(), place.schema.name());
    place.sql(&format!(
        "CREATE TABLE numbers (id INT PRIMARY KEY, value INT NOT NULL) COMMENT 'kept'; CREATE VIEW shown AS SELECT * FROM numbers; \
         CREATE USER {user}@'%' IDENTIFIED BY 'some-Pass1'; GRANT SELECT ON `{schema}`.numbers TO {user}@'%'; \
         GRANT SELECT ON `{schema}`.shown TO {user}@'%'"
    ));
    place.write("numbers.csv", numbers(N_ROWS, |id| format!("{id},0")));
    assert_eq!(place.load("numbers.csv --into numbers").code, 0);
    format!("{user}@'%'")
}

fn reading(place: &Place, user: &str) -> Config {
    let config = Config::from_url(&place.schema.url()).unwrap();
    config.with_user(user.trim_end_matches("@'%'")).with_password("some-Pass1")
}

/// Ends the readers.
struct End<'a>(&'a [Reader]);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|reader| reader.is_over.store(true, SeqCst));
    }
}
