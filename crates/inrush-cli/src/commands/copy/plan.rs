//! What is to be copied: the tables, what earlier runs have done of each, whether the target can take them, and what is left out.
//!
//! Invariant: nothing is changed here, and nothing is changed anywhere before all of this is found to be in order.

use super::args::CopyArgs;
use super::conditions::Conditions;
use crate::commands::export::tables::{Table, definition, find};
use crate::commands::load::{RestoreTarget, TablesToMake, plan_tables};
use crate::commands::masks::{self, Masked};
use inrush::blocking::Connection;
use inrush::parts::check_condition;
use inrush::sans_io::load::lag::Heartbeats;
use inrush::sans_io::load::ledger::Mapping;
use inrush::sans_io::load::ledger::{Ledger, State as JobState};
use inrush::table::TableName;
use inrush::{Config, JobStatus, Loader};
use inrush_core::column::Column;
use inrush_core::verify::Compared;
use inrush_core::{Error, Kind, Result};
use inrush_files::mask::{MaskRules, TableMasks, UniqueMasks};

/// All of a copy.
pub(super) struct CopyPlan {
    pub(super) tables: Vec<PlannedTable>,
    /// Tables that the target lacks.
    pub(super) missing: TablesToMake,
    /// Tables whose rows may refer to rows of another one that a condition leaves out.
    pub(super) partial: Vec<(String, String)>,
    /// Kinds of things that are left out, each with its names.
    pub(super) not_copied: Vec<(&'static str, Vec<String>)>,
}

/// A table of the source, and where it goes.
pub(super) struct PlannedTable {
    pub(super) source: Table,
    pub(super) target: TableName,
    /// The name of its rows in the ledger and in messages.
    pub(super) job: String,
    /// The condition of the rows that are copied; `None`: all.
    pub(super) condition: Option<String>,
    /// What must be the same when the copy is continued.
    pub(super) reading: Mapping,
    pub(super) masks: Option<CopyMasks>,
    pub(super) state: EarlierRuns,
    /// As the source estimates them.
    pub(super) rows: u64,
    pub(super) bytes: u64,
}

/// What masks the columns of a table.
#[derive(Clone)]
pub(super) struct CopyMasks {
    /// Of the columns that are copied.
    pub(super) masks: TableMasks,
    /// Columns that hold each value once.
    unique: Vec<String>,
}

impl CopyMasks {
    /// Compares masked values of unique columns, from the beginning of a table.
    pub(super) fn unique(&self) -> UniqueMasks {
        UniqueMasks::of(&self.masks, &self.unique)
    }
}

/// What earlier runs have done of a table.
pub(super) enum EarlierRuns {
    /// Nothing: the target lacks the table.
    Missing,
    /// Nothing: the table is there.
    There,
    /// A part of its rows is stored.
    Begun,
    /// All of them are.
    Copied {
        /// The id of the job.
        job: String,
        rows: u64,
    },
    /// Rows are stored of a copy with other options, whose job it was, and are to be replaced.
    Otherwise { job: String },
}

impl EarlierRuns {
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::There => "there",
            Self::Begun => "begun",
            Self::Copied { .. } => "copied",
            Self::Otherwise { .. } => "otherwise",
        }
    }
}

impl CopyPlan {
    pub(super) fn make(
        (source, from): (&mut Connection, &Config),
        (target, to): (&mut Connection, &Config),
        args: &CopyArgs,
        rules: Option<&MaskRules>,
    ) -> Result<Self> {
        let schema = from.database().unwrap_or_default();
        let into = to.database().unwrap_or_default();
        let mut tables = find(source, &names(schema, &args.tables)?, &[])?;
        let all = tables.iter().map(|table| table.name.name.clone()).filter(|name| is_of_refresh(name));
        let of_refreshes: Vec<_> = all.filter(|_| args.tables.is_empty()).collect();
        match args.tables.is_empty() {
            // The ledger of loads into the source is about the source.
            true => tables.retain(|table| !is_of_ledger(&table.name.name) && !is_of_refresh(&table.name.name)),
            false => tables.iter().try_for_each(check_named)?,
        }
        if tables.is_empty() {
            return Err(Error::config(format!("database `{schema}` has no table to copy")));
        }
        let conditions = Conditions::parse(&args.conditions)?;
        conditions.check_names(schema, &tables.iter().map(|table| table.name.name.as_str()).collect::<Vec<_>>())?;
        let mut masks = masks_of(&tables, from, rules)?.into_iter();
        let mut restored = Vec::new();
        for table in &tables {
            let name = TableName { schema: into.to_owned(), name: table.name.name.clone() };
            let definition = Some(definition(source, &table.name)?);
            restored.push(RestoreTarget { name, database: schema.to_owned(), definition });
        }
        let (missing, _) = plan_tables(target, &restored, true)?;
        let jobs = Loader::status(to, into)?;
        let mut not_copied = left_out(source, schema, &args.tables)?;
        not_copied.extend((!of_refreshes.is_empty()).then_some(("refresh", of_refreshes)));
        let mut planned = Vec::new();
        for (table, restored) in tables.into_iter().zip(restored) {
            let masks = masks.next();
            let condition = conditions.of(&table.name.name).map(str::to_owned);
            if let Some(condition) = &condition {
                check_condition(source, &table.name.quoted(), condition)?;
            }
            let job = format!("copy of {} at {}", table.name.quoted(), from.address());
            // The line of a table that a refresh has replaced keeps the name of its source; some servers take names that differ by case for the same.
            let of = format!("{into}.{}", restored.name.name).to_lowercase();
            let is_of_it =
                |found: &&JobStatus| found.source == job && !found.is_kept_table && found.target.to_lowercase() == of;
            let of_it = jobs.iter().find(is_of_it);
            let now = reading(condition.as_deref(), masks.as_ref(), rules);
            let state = match missing.has(&restored.name) {
                true => missing_state(&table, of_it)?,
                false => {
                    check_target((source, from), (target, to), &table, &restored.name)?;
                    match of_it.map(|job| read_otherwise(job, &table, &now, args.truncate)).transpose()?.flatten() {
                        Some(otherwise) => otherwise,
                        None => there_state(target, &restored.name, of_it, args.truncate)?,
                    }
                }
            };
            let (rows, bytes) = size(source, &table.name)?;
            planned.push(PlannedTable {
                source: table,
                target: restored.name,
                job,
                condition,
                reading: now,
                masks,
                state,
                rows,
                bytes,
            });
        }
        let partial = partial(source, schema, &planned)?;
        Ok(Self { tables: planned, missing, partial, not_copied })
    }
}

/// The tables that are copied, as `export` takes them: each in backticks.
fn names(schema: &str, wanted: &[String]) -> Result<Vec<String>> {
    if wanted.is_empty() {
        return Ok(vec![format!("{}.*", inrush_core::column::ident::quote_ident(schema))]);
    }
    let name = |text: &String| {
        let name = TableName::parse(text.trim())?.in_schema(Some(schema))?;
        match name.schema == schema {
            true => Ok(name.quoted()),
            false => Err(Error::config(format!("`{text}` is of another database than `{schema}`")).with_hint(
                "a copy is of one database, the one that FROM names; a name with a dot in it is written in backticks",
            )),
        }
    };
    wanted.iter().map(name).collect()
}

fn is_of_ledger(name: &str) -> bool {
    Ledger::TABLES.iter().chain([&Heartbeats::TABLE]).any(|table| name.eq_ignore_ascii_case(table))
}

/// Whether a name is one that a refresh gives to the tables that it replaces and fills, or a comparison of files to its copy.
fn is_of_refresh(name: &str) -> bool {
    let is_tagged = |(_, tag): (&str, &str)| tag.len() == 8 && tag.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.ends_with("__inrush_new")
        || name.ends_with("__inrush_old")
        || ["__inrush_kept_", "__inrush_undone_", "__inrush_verify_"]
            .iter()
            .any(|word| name.rsplit_once(word).is_some_and(is_tagged))
}

/// Refuses what is named and is no table to copy.
fn check_named(table: &Table) -> Result<()> {
    let name = table.name.quoted();
    if table.engine.is_none() {
        return Err(Error::config(format!("{name} is a view, and views are not copied"))
            .with_hint("make it at the target, by the text of SHOW CREATE VIEW"));
    }
    if is_of_ledger(&table.name.name) {
        return Err(Error::config(format!("{name} is a table of the ledger of loads"))
            .with_hint("a ledger belongs to the rows beside it, and is not copied"));
    }
    Ok(())
}

/// The state of a table that is not there: whatever is known of it is void.
fn missing_state(table: &Table, job: Option<&JobStatus>) -> Result<EarlierRuns> {
    if let Some(known) = job.filter(|known| known.totals.rows > 0) {
        return Err(Error::new(
            Kind::Guarantee,
            format!(
                "{} was copied by an earlier run, at least in part, and is not there any more",
                table.name.quoted()
            ),
        )
        .with_hint(format!(
            "`inrush load --forget {}` at the target, then the same command, copies it anew",
            known.id
        )));
    }
    match (&table.engine, table.has_transactions) {
        (Some(engine), false) => Err(without_transactions(&table.name, engine)
            .with_hint("make the table at the target first, with ENGINE=InnoDB; the same command fills it")),
        _ => Ok(EarlierRuns::Missing),
    }
}

fn without_transactions(table: &TableName, engine: &str) -> Error {
    Error::new(
        Kind::Guarantee,
        format!("{} is {engine}, which has no transactions: its rows could be stored twice", table.quoted()),
    )
}

fn columns(config: &Config, name: &TableName) -> Result<Vec<Column>> {
    let gone = || Error::config(format!("there is no table {} that this user may see", name.quoted()));
    Loader::columns(config, &name.quoted())?.ok_or_else(gone)
}

/// Refuses a table of the target that would hold something else than the source's rows.
fn check_target(
    (source, from): (&Connection, &Config),
    (connection, to): (&mut Connection, &Config),
    table: &Table,
    name: &TableName,
) -> Result<()> {
    let quoted = name.quoted();
    let written_there = columns(to, name)?;
    let alike = "make both tables alike; or drop the one of the target, and the copy makes it";
    let written: Vec<_> = written_there.iter().filter(|column| !column.generated).map(|column| &column.name).collect();
    let is_in = |names: &[&String], name: &str| names.iter().any(|other| other.eq_ignore_ascii_case(name));
    if let Some(lacks) = table.columns.iter().find(|name| !is_in(&written, name)) {
        return Err(Error::config(format!("{quoted} of the target has no column `{lacks}` that could be written"))
            .with_hint(alike));
    }
    let own: Vec<_> = table.columns.iter().collect();
    if let Some(more) = written.iter().find(|name| !is_in(&own, name)) {
        return Err(Error::config(format!("{quoted} of the target has a column `{more}`, and the source has none"))
            .with_hint(alike));
    }
    // A value that the target rounds would be found only by comparing it.
    let is_one_family = source.session().profile().family == connection.session().profile().family;
    for one in columns(from, &table.name)?.iter().filter(|column| !column.generated) {
        let same = written_there.iter().find(|other| other.name.eq_ignore_ascii_case(&one.name));
        if let Some(other) = same {
            Compared::new(one, other, is_one_family)
                .map_err(|error| error.while_doing(&format!("{quoted} of the target")).with_hint(alike))?;
        }
    }
    let engine = connection.query_opt::<(Option<String>, Option<String>)>(
        "SELECT t.ENGINE, e.TRANSACTIONS FROM information_schema.TABLES t LEFT JOIN information_schema.ENGINES e USING (ENGINE)
         WHERE t.TABLE_SCHEMA = ? AND t.TABLE_NAME = ?",
        (&name.schema, &name.name),
    )?;
    if let Some((Some(engine), Some(transactions))) = engine
        && transactions == "NO"
    {
        return Err(without_transactions(name, &engine).with_hint("`ALTER TABLE .. ENGINE=InnoDB` at the target"));
    }
    let triggers = connection.query::<String>(
        "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS
         WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? AND EVENT_MANIPULATION = 'INSERT'",
        (&name.schema, &name.name),
    )?;
    match triggers.first() {
        Some(trigger) => Err(Error::config(format!(
            "{quoted} of the target has the trigger `{trigger}`, which would run for each row"
        ))
        .with_hint("drop it, and make it again after the copy")),
        None => Ok(()),
    }
}

/// The state of a table that is there.
fn there_state(
    connection: &mut Connection,
    name: &TableName,
    job: Option<&JobStatus>,
    truncate: bool,
) -> Result<EarlierRuns> {
    match job {
        Some(job) if job.state == JobState::Done => {
            return Ok(EarlierRuns::Copied { job: job.id.to_string(), rows: job.totals.rows });
        }
        Some(job) if job.totals.rows > 0 => return Ok(EarlierRuns::Begun),
        _ => {}
    }
    let row = connection.query_first::<i64>(&format!("SELECT 1 FROM {} LIMIT 1", name.quoted()), ())?;
    match row {
        Some(_) if !truncate => Err(Error::config(format!("{} of the target is not empty", name.quoted()))
            .with_hint("`--truncate` empties such tables first; `--tables` names others")),
        _ => Ok(EarlierRuns::There),
    }
}

/// What must be the same when a copy is continued.
fn reading(condition: Option<&str>, masks: Option<&CopyMasks>, rules: Option<&MaskRules>) -> Mapping {
    // Where values are masked, a condition may name some of them.
    let shown = |condition: &str| rules.map_or(condition.to_owned(), |rules| rules.fingerprint_of(condition));
    let mapping = condition.map_or(Mapping::default(), |condition| Mapping::default().with(WHERE, shown(condition)));
    masks.map_or(mapping.clone(), |masks| mapping.with(MASKS, &masks.masks.fingerprint))
}

const WHERE: &str = "where";
/// Of rules and key: neither can be read off it.
const MASKS: &str = "masks";

/// The masks of each table; none without rules.
fn masks_of(tables: &[Table], from: &Config, rules: Option<&MaskRules>) -> Result<Vec<CopyMasks>> {
    let Some(rules) = rules else { return Ok(Vec::new()) };
    let read = |table: &Table| Masked::read(from, &table.name.quoted());
    let masked = tables.iter().map(read).collect::<Result<Vec<_>>>()?;
    masks::check_names(rules, &masked)?;
    let of = |(masked, table): (&Masked, &Table)| {
        let (masks, _) = masked.of_columns(rules, &table.columns)?;
        Ok(CopyMasks { masks, unique: masked.unique().to_vec() })
    };
    masked.iter().zip(tables).map(of).collect()
}

/// Tables with a foreign key to one of which a condition leaves out rows.
fn partial(connection: &mut Connection, schema: &str, tables: &[PlannedTable]) -> Result<Vec<(String, String)>> {
    if tables.iter().all(|table| table.condition.is_none()) {
        return Ok(Vec::new());
    }
    let found = connection.query::<(String, String)>(
        "SELECT DISTINCT TABLE_NAME, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE
         WHERE TABLE_SCHEMA = ? AND REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA",
        (schema,),
    )?;
    let named = |name: &str| tables.iter().find(|table| table.source.name.name == name);
    let is_partial = |(child, parent): &(String, String)| {
        named(child).is_some() && named(parent).is_some_and(|parent| parent.condition.is_some())
    };
    Ok(found.into_iter().filter(is_partial).collect())
}

/// The state of a table of which rows are stored that were chosen otherwise; `None`: they were not.
///
/// # Errors
/// `Guarantee` unless such rows are to be replaced.
fn read_otherwise(job: &JobStatus, table: &Table, now: &Mapping, truncate: bool) -> Result<Option<EarlierRuns>> {
    let known = [WHERE, MASKS].into_iter().filter_map(|name| Some((name, job.mapping.get(name)?)));
    let was = known.fold(Mapping::default(), |was, (name, value)| was.with_stored(name, value));
    let difference = was.difference(now).filter(|_| job.totals.rows > 0 || job.state == JobState::Done);
    match difference {
        None => Ok(None),
        Some(_) if truncate => Ok(Some(EarlierRuns::Otherwise { job: job.id.to_string() })),
        Some(difference) => Err(Error::new(
            Kind::Guarantee,
            format!("rows of {} were copied by an earlier run with other options: {difference}", table.name.quoted()),
        )
        .with_hint("give the options that it was begun with; `--truncate` copies the table anew")),
    }
}

/// The server's estimates of rows and bytes.
fn size(connection: &mut Connection, name: &TableName) -> Result<(u64, u64)> {
    let found = connection.query_opt::<(Option<u64>, Option<u64>)>(
        "SELECT TABLE_ROWS, DATA_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
        (&name.schema, &name.name),
    )?;
    let (rows, bytes) = found.unwrap_or_default();
    Ok((rows.unwrap_or_default(), bytes.unwrap_or_default()))
}

/// What the database has besides tables. Of named tables only their triggers.
fn left_out(connection: &mut Connection, schema: &str, named: &[String]) -> Result<Vec<(&'static str, Vec<String>)>> {
    let all = [
        ("view", "SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?"),
        ("trigger", "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ?"),
        ("routine", "SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = ?"),
        ("event", "SELECT EVENT_NAME FROM information_schema.EVENTS WHERE EVENT_SCHEMA = ?"),
        (
            "sequence",
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'SEQUENCE'",
        ),
        (
            "history",
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_TYPE = 'SYSTEM VERSIONED'",
        ),
    ];
    let mut found = Vec::new();
    for (kind, query) in all {
        if !named.is_empty() && kind != "trigger" && kind != "history" {
            continue;
        }
        let mut names = connection.query::<String>(query, (schema,))?;
        names.sort();
        if !names.is_empty() {
            found.push((kind, names));
        }
    }
    Ok(found)
}
