//! The probe: measures on the server what rules can only know in general. It writes, into a schema of its own, and drops that at its end.
//!
//! Rows of the table, or of the files that are to be loaded into it, are copied within the server, into a table like it and into the same
//! without its secondary indexes, so neither this client nor the network is measured. Triggers and foreign keys are not copied: what they would do is not ours to repeat.

use super::disk;
use super::facts::{Facts, Probe, Table};
use super::read::Flushed;
use super::source::Files;
use crate::own_schema::OwnSchema;
use inrush::blocking::Connection;
use inrush::sans_io::column::ident::{quote_ident, quote_table};
use inrush::sans_io::{Error, Kind, Result};
use inrush::table::TableName;
use inrush::{Config, OwnedRow};
use std::time::{Duration, Instant};

/// Runs the probe.
///
/// # Errors
/// `Server` if this user may not create a schema; `Interrupted` if the files say so; other refusals become lines of [`Facts::unknown`].
pub(super) fn run(config: &Config, facts: &mut Facts, files: Option<&mut (dyn Files + '_)>) -> Result<()> {
    let config = config.clone().without_database().with_query_timeout(Some(LIMIT));
    let schema = OwnSchema::create(&config, PREFIX, "`--probe` writes")?;
    let mut connection = Connection::connect(&config)?;
    let mut probe = Probe::default();
    let mut trial = Trial { connection: &mut connection, schema: schema.name() };
    let before = Flushed::now(trial.connection);
    match trial.commits(&mut probe) {
        // What the server flushes now, and not in the mean since its start.
        Ok(()) => {
            let (redo, binlog) = Flushed::now(trial.connection).since(before);
            (facts.redo_sync, facts.binlog_sync) = (redo.or(facts.redo_sync), binlog.or(facts.binlog_sync));
        }
        Err(error) => facts.unknown.push(format!("the price of a commit: {}", error.message())),
    }
    let mut descending = None;
    let indexes = match &facts.table {
        Some(table) => trial.indexes(table, files, &mut probe, &mut descending),
        None => Ok(()),
    };
    if let Err(error) = indexes {
        if error.kind() == Kind::Interrupted {
            return Err(schema.remove_after(error));
        }
        facts.unknown.push(format!("the price of the indexes: {}", error.message()));
    }
    if let Some(source) = &mut facts.source {
        source.descending = descending;
    }
    facts.disk_sync = disk::measure(facts);
    if let Err(error) = schema.remove() {
        facts.unknown.push(error.message().to_owned());
    }
    facts.probe = Some(probe);
    Ok(())
}

/// The beginning of the names of its schemas.
const PREFIX: &str = "inrush_doctor_";

struct Trial<'c> {
    connection: &'c mut Connection,
    schema: &'c str,
}

impl Trial<'_> {
    fn table(&self, name: &str) -> String {
        quote_table(self.schema, name)
    }

    fn timed(&mut self, sql: &str) -> Result<Duration> {
        let began = Instant::now();
        self.connection.execute(sql, ())?;
        Ok(began.elapsed())
    }

    /// Rows that are committed one by one, and rows of one transaction.
    fn commits(&mut self, probe: &mut Probe) -> Result<()> {
        let table = self.table("commits");
        self.timed(&format!(
            "CREATE TABLE {table} (id INT PRIMARY KEY AUTO_INCREMENT, t VARCHAR(100)) ENGINE = InnoDB"
        ))?;
        let row = format!("INSERT INTO {table} (t) VALUES (REPEAT('x', 100))");
        let mut single = Vec::new();
        let began = Instant::now();
        while single.len() < SINGLE_ROWS && (single.len() < 5 || began.elapsed() < ENOUGH) {
            single.push(self.timed(&row)?);
        }
        self.timed("SET autocommit = 0")?;
        let mut within = Vec::new();
        for _ in 0..single.len() {
            within.push(self.timed(&row)?);
        }
        let many = vec!["(REPEAT('x', 100))"; ROWS].join(", ");
        let batch = self.timed(&format!("INSERT INTO {table} (t) VALUES {many}"))?;
        self.timed("COMMIT")?;
        self.timed("SET autocommit = 1")?;
        probe.single = median(single);
        probe.commit = probe.single.saturating_sub(median(within));
        probe.thousand_rows = batch;
        Ok(())
    }

    /// The table's own rows, or those of the files, with and without its secondary indexes; and how many of those of the files have a lesser
    /// key than the row before.
    fn indexes(
        &mut self,
        table: &Table,
        files: Option<&mut (dyn Files + '_)>,
        probe: &mut Probe,
        descending: &mut Option<f64>,
    ) -> Result<()> {
        let names: Vec<String> =
            table.secondary().map(|index| format!("DROP INDEX {}", quote_ident(&index.name))).collect();
        if table.rows == 0 && files.is_none() {
            return Err(Error::config("the table has no rows to sample"));
        }
        let (schema, name) = (&table.schema, &table.table);
        let source = quote_table(schema, name);
        let columns: Vec<OwnedRow> = self.connection.query(
            "SELECT column_name FROM information_schema.columns WHERE table_schema = ? AND table_name = ? \
             AND COALESCE(generation_expression, '') = '' ORDER BY ordinal_position",
            (schema, name),
        )?;
        let columns =
            columns.iter().map(|row| Ok(quote_ident(&row.get::<String>(0)?))).collect::<Result<Vec<_>>>()?.join(", ");
        let row_bytes = (table.data_bytes / table.rows.max(1)).max(1);
        let n = (SAMPLE_BYTES / row_bytes).clamp(1, SAMPLE_ROWS);
        let of_table = if files.is_some() { 0 } else { n };
        let [sample, all, bare] = ["sample", "all_indexes", "no_indexes"].map(|name| self.table(name));
        self.timed("SET SESSION sql_mode = ''")?;
        self.timed(&format!("CREATE TABLE {sample} AS SELECT {columns} FROM {source} LIMIT {of_table}"))?;
        if let Some(files) = files {
            files.load(n, &TableName { schema: self.schema.to_owned(), name: "sample".into() })?;
            *descending = self.descending(table, &sample)?;
        }
        self.timed(&format!("CREATE TABLE {all} LIKE {source}"))?;
        self.timed(&format!("CREATE TABLE {bare} LIKE {source}"))?;
        if !names.is_empty() {
            self.timed(&format!("ALTER TABLE {bare} {}", names.join(", ")))?;
        }
        let mut best = [Duration::MAX; 2];
        // In turns, so that other work slows both.
        for _ in 0..TURNS {
            for (table, best) in [&all, &bare].into_iter().zip(&mut best) {
                let copy = format!("INSERT INTO {table} ({columns}) SELECT {columns} FROM {sample}");
                *best = self.timed(&copy)?.min(*best);
                self.timed(&format!("TRUNCATE TABLE {table}"))?;
            }
        }
        let rows: (u64,) =
            self.connection.query_one(&format!("SELECT CAST(COUNT(*) AS UNSIGNED) FROM {sample}"), ())?;
        probe.sampled = rows.0;
        [probe.all_indexes, probe.no_indexes] = best;
        Ok(())
    }

    /// The share of rows with a lesser primary key than the row before. The sample has no key, so that its rows lie as they came.
    fn descending(&mut self, table: &Table, sample: &str) -> Result<Option<f64>> {
        let Some(key) = table.primary() else { return Ok(None) };
        let number = quote_ident(NUMBER);
        // MySQL's ALGORITHM=INPLACE reads ranges of the table side by side, and numbers the rows of each as they come.
        self.timed(&format!(
            "ALTER TABLE {sample} ADD COLUMN {number} BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, \
             ALGORITHM=COPY"
        ))?;
        let (mut names, mut pairs) = ([Vec::new(), Vec::new()], Vec::new());
        for (n, (column, _)) in key.columns.iter().enumerate() {
            let column = quote_ident(column);
            pairs.push(format!("{column} AS this{n}, LAG({column}) OVER (ORDER BY {number}) AS before{n}"));
            names[0].push(format!("this{n}"));
            names[1].push(format!("before{n}"));
        }
        let [this, before] = names.map(|names| names.join(", "));
        let (lesser, all): (Option<u64>, u64) = self.connection.query_one(
            &format!(
                "SELECT CAST(SUM(({this}) < ({before})) AS UNSIGNED), CAST(COUNT(*) AS UNSIGNED) \
                 FROM (SELECT {} FROM {sample}) AS in_order",
                pairs.join(", ")
            ),
            (),
        )?;
        Ok((all > 1).then(|| lesser.unwrap_or_default() as f64 / (all - 1) as f64))
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// The column with the numbers of the sample's rows.
const NUMBER: &str = "inrush_row_number";
/// A statement of the probe may take so long.
const LIMIT: Duration = Duration::from_secs(60);
const SINGLE_ROWS: usize = 50;
/// Single rows are written for no longer than that.
const ENOUGH: Duration = Duration::from_secs(2);
const ROWS: usize = 1000;
const SAMPLE_ROWS: u64 = 20_000;
const SAMPLE_BYTES: u64 = 16 << 20;
const TURNS: usize = 3;
