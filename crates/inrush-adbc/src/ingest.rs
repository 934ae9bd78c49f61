//! Arrow data into a table.
//!
//! Outside of a transaction the loader does it, with lanes, ledger and all its checks; rows that it has stored stay if it fails. Inside of
//! a transaction the rows are batches in it, unless a job is named or the table is to be replaced, which no transaction of MySQL can hold.
//! Columns are matched by their names, never by their places.

use crate::batches;
use crate::failure::{self, Result};
use crate::names::{database, qualified};
use crate::options::text;
use crate::session::{Reader, SharedSession};
use adbc_core::error::{Error, Status};
use adbc_core::options::{IngestMode, OptionStatement, OptionValue};
use inrush::sans_io::column::ident::quote_ident;
use inrush::sans_io::load::report::{Report, Stop};
use inrush::table::{TableName, create_statement};
use inrush::{BadRows, BatchOptions, FrontEnd, LoadOptions, Loader, Mode, Source, Statement};
use inrush_files::{CsvOptions, FileSource, Inferred, fit_row};
use std::sync::Arc;

/// The options of an ingestion.
#[derive(Default)]
pub(crate) struct Ingest {
    table: Option<String>,
    catalog: Option<String>,
    db_schema: Option<String>,
    mode: Option<IngestMode>,
    temporary: bool,
    /// For a row whose key exists.
    on_key: Option<Mode>,
    key: Vec<String>,
    job: Option<String>,
    lanes: Option<usize>,
    bad_rows: Option<BadRows>,
    bad_rows_text: String,
    /// The report of the last ingestion, as JSON.
    report: Option<String>,
}

impl Ingest {
    pub(crate) fn is_wanted(&self) -> bool {
        self.table.is_some()
    }

    pub(crate) fn set_option(&mut self, key: &OptionStatement, value: OptionValue) -> Result<()> {
        match key {
            OptionStatement::TargetTable => self.table = Some(text(key, value)?),
            OptionStatement::TargetCatalog => self.catalog = Some(text(key, value)?),
            OptionStatement::TargetDbSchema => self.db_schema = Some(text(key, value)?),
            OptionStatement::IngestMode => self.mode = Some(IngestMode::try_from(&value)?),
            OptionStatement::Temporary => self.temporary = bool::try_from(value)?,
            OptionStatement::Other(name) => match &**name {
                MODE => self.on_key = Some(Mode::parse(&text(key, value)?).map_err(|error| failure::of(&error))?),
                KEY => self.key = text(key, value)?.split(',').map(|name| name.trim().to_owned()).collect(),
                JOB => self.job = Some(text(key, value)?).filter(|job| !job.is_empty()),
                LANES => {
                    let lanes = text(key, value)?.parse().ok().filter(|lanes| (1..=256).contains(lanes));
                    self.lanes = Some(lanes.ok_or_else(|| failure::invalid("`inrush.ingest.lanes` takes 1 to 256"))?);
                }
                BAD_ROWS => {
                    self.bad_rows_text = text(key, value)?;
                    let known = BadRows::parse(&self.bad_rows_text);
                    self.bad_rows = Some(known.ok_or_else(|| {
                        failure::invalid("`inrush.ingest.bad_rows` takes `stop`, `skip` or `divert:FILE`")
                    })?);
                }
                other => return Err(failure::no_option(other)),
            },
            other => return Err(failure::no_option(other.as_ref())),
        }
        Ok(())
    }

    pub(crate) fn option(&self, key: &OptionStatement) -> Option<String> {
        match key {
            OptionStatement::TargetTable => self.table.clone(),
            OptionStatement::TargetCatalog => self.catalog.clone(),
            OptionStatement::TargetDbSchema => self.db_schema.clone(),
            OptionStatement::IngestMode => self.mode.map(String::from),
            OptionStatement::Other(name) => match &**name {
                MODE => Some(self.on_key.unwrap_or_default().name().to_owned()),
                KEY => Some(self.key.join(",")),
                JOB => self.job.clone(),
                LANES => self.lanes.map(|lanes| lanes.to_string()),
                BAD_ROWS => Some(self.bad_rows_text.clone()),
                REPORT => self.report.clone(),
                _ => None,
            },
            _ => None,
        }
    }

    /// Ingests all rows; returns how many are stored.
    pub(crate) fn run(&mut self, session: &Arc<SharedSession>, rows: Reader) -> Result<u64> {
        if self.temporary {
            return Err(failure::not_implemented(
                "a temporary table is seen by one connection only, and a load has several: use a table, or INSERTs with bound values",
            ));
        }
        let name = self.table.clone().unwrap_or_default();
        let table = qualified(self.catalog.as_deref(), self.db_schema.as_deref(), &name)?;
        let mode = self.mode.unwrap_or(IngestMode::Create);
        let there = exists(session, database(self.catalog.as_deref(), self.db_schema.as_deref())?, &name)?;
        match (mode, there) {
            (IngestMode::Create, true) => {
                return Err(Error::with_message_and_status(
                    format!("the table {table} is there already"),
                    Status::AlreadyExists,
                ));
            }
            (IngestMode::Append, false) => {
                return Err(Error::with_message_and_status(format!("there is no table {table}"), Status::NotFound));
            }
            _ => {}
        }
        let creates = !there || mode == IngestMode::Replace;
        if session.autocommit() || self.job.is_some() || mode == IngestMode::Replace {
            return self.load(session, &table, rows, creates, mode == IngestMode::Replace);
        }
        if self.on_key.is_some_and(|mode| mode != Mode::Insert) || self.bad_rows.is_some() || self.lanes.is_some() {
            return Err(failure::state(
                "modes, lanes and bad rows are the loader's, which has transactions of its own: switch autocommit on, or name a job",
            ));
        }
        self.insert(session, &table, rows, creates)
    }

    /// Ingests by the loader.
    fn load(
        &mut self,
        session: &Arc<SharedSession>,
        table: &str,
        rows: Reader,
        creates: bool,
        replaces: bool,
    ) -> Result<u64> {
        if !session.autocommit() {
            // The loader's connections would wait for what this one has locked.
            session.commit()?;
        }
        let ours = |error: inrush_core::Error| failure::of(&error);
        let mut source = match &self.job {
            Some(job) => inrush_files::record_batches(job, rows, &CsvOptions::default()),
            None => inrush_files::record_batches_once("data", rows, &CsvOptions::default()),
        }
        .map_err(ours)?;
        let mut options = LoadOptions::default()
            .with_mode(self.on_key.unwrap_or_default())
            .with_key(self.key.clone())
            .with_lanes(self.lanes)
            .with_bad_rows(self.bad_rows.clone().unwrap_or(BadRows::Stop))
            .with_atomic(replaces)
            .with_truncate(replaces)
            .with_replace(replaces)
            // The standard's mode drops the table, whatever comes.
            .with_allow_empty(replaces);
        if creates {
            options.create = Some(columns(&mut *source, &self.key).map_err(ours)?);
        }
        let loader = Loader::new(session.config(), table).with_options(options).with_front_end(FrontEnd::Command);
        session.watch(Some(loader.control()));
        let report = loader.load(vec![source as Box<dyn Source>]);
        session.watch(None);
        let report = report.map_err(ours)?;
        self.report = Some(as_json(&report));
        match &report.stop {
            None => Ok(report.stored),
            Some(Stop::Interrupted) => Err(Error::with_message_and_status("the load was cancelled", Status::Cancelled)),
            Some(Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error)) => {
                let mut failure = failure::of(error);
                failure.message += &format!("; {} of {} rows are stored", report.stored, report.read);
                Err(failure)
            }
        }
    }

    /// In the connection's transaction.
    fn insert(&mut self, session: &Arc<SharedSession>, table: &str, rows: Reader, creates: bool) -> Result<u64> {
        let ours = |error: inrush_core::Error| failure::of(&error);
        let schema = rows.schema();
        let names: Vec<String> = schema.fields().iter().map(|field| quote_ident(field.name())).collect();
        if names.is_empty() {
            return Err(failure::invalid("the data have no columns"));
        }
        let mut kept = Vec::new();
        let mut rows: Reader = rows;
        if creates {
            // Types may depend on the first rows.
            kept.extend(rows.next().transpose().map_err(failure::of_arrow)?);
            let first = arrow_array::RecordBatchIterator::new(kept.clone().into_iter().map(Ok), schema.clone());
            let mut sample = inrush_files::record_batches_once("data", first, &CsvOptions::default()).map_err(ours)?;
            let columns = columns(&mut *sample, &self.key).map_err(ours)?;
            let name =
                TableName::parse(table).and_then(|name| name.in_schema(session.config().database())).map_err(ours)?;
            let statement = create_statement(&name, &columns, &self.key);
            session.with(|connection| connection.execute(&statement, ()))?;
        }
        let marks = vec!["?"; names.len()].join(", ");
        let sql = format!("INSERT INTO {table} ({}) VALUES ({marks})", names.join(", "));
        let statement = Statement::new(&sql).map_err(ours)?;
        let all = kept.into_iter().map(Ok).chain(rows);
        let done = session.with(|connection| batches::execute(connection, &statement, all, &BatchOptions::new()));
        if done.is_err() && creates {
            // It was made for these rows. Nothing can be done if that fails, and the first error is what counts.
            let _ = session.with(|connection| connection.execute(&format!("DROP TABLE {table}"), ()));
        }
        done.map(|done| done.n_rows)
    }
}

/// The columns of a table for these rows.
fn columns(source: &mut dyn FileSource, key: &[String]) -> inrush::Result<Vec<(String, String)>> {
    let mut fields = source.infer_types(4 << 20)?;
    fit_row(&mut fields);
    // A program's first rows do not show whether later rows have NULL.
    fields.iter_mut().for_each(|field| field.nullable = true);
    source.read_as(&fields);
    let in_key = |field: &Inferred| key.iter().any(|key| key.to_lowercase() == field.name.to_lowercase());
    Ok(fields.iter().map(|field| (field.name.clone(), field.definition(in_key(field)))).collect())
}

fn exists(session: &Arc<SharedSession>, database: Option<&str>, table: &str) -> Result<bool> {
    let count = "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?";
    let (count,): (u64,) = session.with(|connection| connection.query_one(count, (database, table)))?;
    Ok(count > 0)
}

/// The counts of a report.
fn as_json(report: &Report) -> String {
    let counts: serde_json::Map<String, serde_json::Value> =
        report.counts().into_iter().map(|(name, count)| (name.to_owned(), count.into())).collect();
    serde_json::json!({
        "table": report.table,
        "rows": counts,
        "changed": report.changed,
        "resumed": report.resumed.rows,
        "chunks": report.chunks,
        "lanes": report.lanes,
        "method": report.method.name(),
        "seconds": report.elapsed.as_secs_f64(),
        "rejects": report.first_rejects.iter().map(|reject| serde_json::json!({
            "line": reject.place.line, "column": reject.place.column.as_deref(), "reason": reject.reason,
        })).collect::<Vec<_>>(),
    })
    .to_string()
}

/// What to do with a row whose key exists: `insert`, `ignore`, `replace`, `upsert`, `update`, `delete`.
const MODE: &str = "inrush.ingest.mode";
/// The columns of the unique key that the mode goes by, between commas; of a new table the primary key.
const KEY: &str = "inrush.ingest.key";
/// A name by which a later ingestion recognizes the same rows.
const JOB: &str = "inrush.ingest.job";
/// Connections side by side.
const LANES: &str = "inrush.ingest.lanes";
/// `stop`, `skip` or `divert:FILE`.
const BAD_ROWS: &str = "inrush.ingest.bad_rows";
/// The counts of the last ingestion by the loader, as JSON.
const REPORT: &str = "inrush.ingest.report";
