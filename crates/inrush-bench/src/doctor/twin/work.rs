//! The work on a twin: rows of the sample are copied into the table, 1,000 a transaction, in no order of its keys. Nothing but the
//! statements comes from the client, so neither it nor a network is measured.

use crate::doctor::facts::Table;
use crate::rows_of_table::RowsOfTable;
use inrush::blocking::Connection;
use inrush::sans_io::column::ident::{quote_ident, quote_table};
use inrush::sans_io::{Error, Result};
use inrush::table::TableName;
use inrush::{Config, LoadOptions, Loader, Row, Stop, Unchecked};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The table and rows for it.
pub(super) struct Sample {
    /// The statement that makes the table.
    create: String,
    name: String,
    rows: Rows,
}

enum Rows {
    /// Of the table.
    Read(RowsOfTable),
    /// Made by the twin itself; why, if a table was named.
    Generated(Option<String>),
}

impl Sample {
    /// Reads rows of the table. Without a table, or if it has none, rows are made up.
    pub(super) fn read(config: &Config, table: Option<&Table>) -> Result<Self> {
        let generated = |why| Ok(Self { create: PLAIN.into(), name: "plain".into(), rows: Rows::Generated(why) });
        let Some(table) = table else { return generated(None) };
        if !table.engine.eq_ignore_ascii_case("InnoDB") {
            return generated(Some(format!("it is a table of {}", table.engine)));
        }
        let name = TableName { schema: table.schema.clone(), name: table.table.clone() };
        let rows = match RowsOfTable::read(config, &name, MOST_ROWS, MOST_BYTES, READING) {
            Ok(rows) if rows.n_rows() >= LEAST_ROWS => rows,
            Ok(rows) => return generated(Some(format!("it has {} rows", rows.n_rows()))),
            Err(error) => return generated(Some(error.message().to_owned())),
        };
        let mut connection = Connection::connect(config)?;
        let mut create = String::new();
        connection.query_each(&format!("SHOW CREATE TABLE {}", name.quoted()), (), |row: Row<'_>| {
            create = row.get(1)?;
            Ok(())
        })?;
        Ok(Self { create, name: name.name, rows: Rows::Read(rows) })
    }

    /// Why the rows of a table that was named are not its own.
    pub(super) fn why_generated(&self) -> Option<&str> {
        match &self.rows {
            Rows::Generated(why) => why.as_deref(),
            Rows::Read(_) => None,
        }
    }
}

/// A twin with the sample.
pub(super) struct Workshop {
    config: Config,
    create: String,
    table: String,
    columns: String,
    n_rows: u64,
}

/// Rows that were copied, and the time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worked {
    rows: u64,
    time: Duration,
}

impl Worked {
    pub(super) fn seconds_a_row(self) -> f64 {
        self.time.as_secs_f64() / self.rows.max(1) as f64
    }

    /// About how many rows are copied in this time.
    pub(super) fn rows_within(self, time: Duration) -> u64 {
        (time.as_secs_f64() / self.seconds_a_row().max(1e-9)) as u64
    }
}

impl Workshop {
    /// Makes the table, and the sample in another one.
    pub(super) fn open(config: Config, sample: &Sample) -> Result<Self> {
        let mut connection = session(&config)?;
        connection.execute(&format!("DROP DATABASE IF EXISTS `{SCHEMA}`"), ())?;
        connection.execute(&format!("CREATE DATABASE `{SCHEMA}`"), ())?;
        connection.execute(&format!("USE `{SCHEMA}`"), ())?;
        connection.execute(&sample.create, ())?;
        let table = quote_table(SCHEMA, &sample.name);
        match &sample.rows {
            Rows::Read(rows) => load(&config, &sample.name, rows)?,
            Rows::Generated(_) => fill(&mut connection, &table)?,
        }
        // Ids that the server gives itself are left to it, as by programs that insert rows without one.
        let columns: Vec<String> = connection.query(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? \
             AND COALESCE(generation_expression, '') = '' AND extra NOT LIKE '%auto_increment%' ORDER BY ordinal_position",
            (SCHEMA, &sample.name),
        )?;
        if columns.is_empty() {
            return Err(Error::config("the table has no column but its id"));
        }
        let columns = columns.iter().map(|name| quote_ident(name)).collect::<Vec<_>>().join(", ");
        connection.execute(
            &format!(
                "CREATE TABLE {SAMPLE} (`{NUMBER}` INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE = InnoDB \
                 SELECT {columns} FROM {table} ORDER BY RAND(7)"
            ),
            (),
        )?;
        let n_rows = connection.query_one::<u64>(&format!("SELECT COUNT(*) FROM {SAMPLE}"), ())?;
        Ok(Self { config, create: sample.create.clone(), table, columns, n_rows })
    }

    /// Bytes of the table with all rows and its indexes.
    pub(super) fn table_bytes(&mut self) -> Result<u64> {
        let mut connection = session(&self.config)?;
        connection.query_each(&format!("ANALYZE TABLE {}", self.table), (), |_: Row<'_>| Ok(()))?;
        // MySQL remembers sizes of before.
        let _ = connection.execute("SET SESSION information_schema_stats_expiry = 0", ());
        connection.query_one(
            "SELECT CAST(SUM(data_length + index_length) AS UNSIGNED) FROM information_schema.tables \
             WHERE table_schema = ? AND table_name <> 'inrush_sample' AND table_name NOT LIKE '\\_\\_inrush\\_%'",
            (SCHEMA,),
        )
    }

    /// The server was started again.
    pub(super) fn reached_by(&mut self, config: Config) {
        self.config = config;
    }

    /// Copies at most so many rows, and no more once `longest` is over, on so many connections, into the table with half of the sample.
    pub(super) fn work(&mut self, rows: u64, lanes: usize, longest: Duration) -> Result<Worked> {
        let mut connection = session(&self.config)?;
        connection.execute(&format!("USE `{SCHEMA}`"), ())?;
        // Else the binlogs of all turns would fill the disk. The first is what MySQL calls it from 8.2 on; without a binlog both are refused.
        let _ = ["RESET BINARY LOGS AND GTIDS", "RESET MASTER"].map(|sql| connection.execute(sql, ()).is_ok());
        connection.execute(&format!("DROP TABLE IF EXISTS {}", self.table), ())?;
        connection.execute(&self.create, ())?;
        let half = self.n_rows / 2;
        connection.execute(&self.copy(0..half), ())?;
        let rows = (self.n_rows - half).min(rows.max(LEAST_ROWS));
        let (next, copied) = (AtomicU64::new(0), AtomicU64::new(0));
        let mut sessions = (0..lanes).map(|_| session(&self.config)).collect::<Result<Vec<_>>>()?;
        let began = Instant::now();
        std::thread::scope(|scope| {
            let (next, copied, this) = (&next, &copied, &*self);
            let lanes: Vec<_> = sessions
                .iter_mut()
                .map(|session| {
                    scope.spawn(move || -> Result<()> {
                        while began.elapsed() < longest {
                            let from = next.fetch_add(TRANSACTION, Ordering::Relaxed);
                            let to = (from + TRANSACTION).min(rows);
                            if from >= to {
                                break;
                            }
                            session.execute(&this.copy(half + from..half + to), ())?;
                            copied.fetch_add(to - from, Ordering::Relaxed);
                        }
                        Ok(())
                    })
                })
                .collect();
            lanes.into_iter().try_for_each(|lane| {
                lane.join().unwrap_or_else(|_| Err(Error::config("a connection of the work was lost")))
            })
        })?;
        Ok(Worked { rows: copied.into_inner(), time: began.elapsed() })
    }

    fn copy(&self, rows: Range<u64>) -> String {
        let Self { table, columns, .. } = self;
        // Without statistics a server may read the whole sample each time.
        format!(
            "INSERT INTO {table} ({columns}) SELECT {columns} FROM {SAMPLE} FORCE INDEX (PRIMARY) \
             WHERE `{NUMBER}` > {} AND `{NUMBER}` <= {}",
            rows.start, rows.end
        )
    }
}

/// A session that makes and fills any table, also one whose parents are not there, and a table with DATA DIRECTORY in the twin's own folder: else its
/// file would be beside that of the examined server, and stay there.
fn session(config: &Config) -> Result<Connection> {
    let mut connection = Connection::connect(config.clone().without_database())?;
    connection.execute(
        "SET SESSION sql_mode = 'NO_DIR_IN_CREATE', foreign_key_checks = 0, innodb_strict_mode = 0, autocommit = 1",
        (),
    )?;
    Ok(connection)
}

fn load(config: &Config, name: &str, rows: &RowsOfTable) -> Result<()> {
    let unchecked = Unchecked { zero_dates: true, foreign_keys: true, ..Unchecked::default() };
    let options = LoadOptions::default().with_again(true).with_unchecked(unchecked);
    let table = quote_table(SCHEMA, name);
    let report = Loader::new(config.clone(), table).with_options(options).load(vec![rows.source(u64::MAX)?])?;
    match report.stop {
        None => Ok(()),
        Some(Stop::Interrupted) => Err(Error::config("the sample was not loaded to its end")),
        Some(Stop::BadData(error) | Stop::Unreadable(error) | Stop::Failed(error)) => Err(error),
    }
}

/// Rows like those of many tables: a code, numbers, a text.
fn fill(connection: &mut Connection, table: &str) -> Result<()> {
    let digits = (0..10).map(|n| format!("SELECT {n} AS d")).collect::<Vec<_>>().join(" UNION ALL ");
    let tables = (0..5).map(|n| format!("({digits}) t{n}")).collect::<Vec<_>>().join(", ");
    let number = "t0.d + 10 * t1.d + 100 * t2.d + 1000 * t3.d + 10000 * t4.d";
    connection.execute(
        &format!(
            "INSERT INTO {table} (code, a, b, c, note) SELECT LEFT(SHA2(n, 256), 32), n * 7 % 1000003, n * 11 % 1000003, n * 13 % 1000003, \
             CONCAT('a note of some length about row ', n) FROM (SELECT {number} AS n FROM {tables}) numbers WHERE n < {GENERATED}"
        ),
        (),
    )?;
    Ok(())
}

const PLAIN: &str = "CREATE TABLE plain (id BIGINT AUTO_INCREMENT PRIMARY KEY, code CHAR(32) CHARACTER SET ascii, a INT, b INT, c INT, \
                     note VARCHAR(100), KEY by_a (a), KEY by_code (code)) ENGINE = InnoDB";
const SCHEMA: &str = "inrush_twin";
const SAMPLE: &str = "`inrush_twin`.`inrush_sample`";
const NUMBER: &str = "inrush_number";
const GENERATED: u64 = 40_000;
const TRANSACTION: u64 = 1000;
/// A table with fewer rows says too little.
const LEAST_ROWS: u64 = 2 * TRANSACTION;
const MOST_ROWS: u64 = 100_000;
const MOST_BYTES: usize = 48 << 20;
const READING: Duration = Duration::from_secs(15);
