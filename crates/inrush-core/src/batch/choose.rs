//! Chooses the method that writes a batch, what it reports about single rows, and its scope, before anything is sent.

use super::attempt::ResultDetail;
use super::options::{BatchOptions, OnBadRow};
use crate::column::Column;
use crate::column::ident::quote_ident;
use crate::error::{Error, Result};
use crate::profile::Profile;
use crate::session::Statement;
use crate::write::template::{Cell, Kind, Template};
use crate::write::{Method, Table};

/// What is known about the connection and the table.
#[derive(Clone, Debug)]
pub struct BatchFacts<'a> {
    /// What the server can do.
    pub profile: &'a Profile,
    /// Whether COM_STMT_BULK_EXECUTE was agreed on.
    pub has_bulk: bool,
    /// Whether its results row by row were agreed on.
    pub has_unit_results: bool,
    /// Whether LOAD DATA LOCAL may be sent.
    pub local_infile: bool,
    /// Whether the server commits within a LOAD DATA (Galera's `wsrep_load_data_splitting`).
    pub splits_loads: bool,
    /// Whether a command may hold several statements.
    pub multi_statements: bool,
    /// Whether a transaction is open.
    pub in_transaction: bool,
    /// Whether each statement outside of a transaction is committed by itself.
    pub autocommit: bool,
    /// The target, if it is known.
    pub table: Option<&'a Table>,
    /// The session's `auto_increment_increment`, if it is known.
    pub increment: Option<u64>,
}

/// How a batch is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchPlan {
    /// By which method.
    pub method: Method,
    /// Why, as half a sentence.
    pub reason: String,
    /// Whether another may take its place if the server refuses it.
    pub may_fall_back: bool,
    /// Where ids and counts come from.
    pub detail: ResultDetail,
    /// The clause by which the server returns the ids, if a clause is needed.
    pub returning: Option<String>,
}

/// What keeps a batch together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Nothing: it is one statement.
    Autocommit,
    /// A transaction of its own.
    Transaction,
    /// A savepoint in the transaction that is open, or that its first statement opens.
    Savepoint,
}

/// What one command of a method carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsPerCommand {
    /// One row.
    Single,
    /// Many rows of one statement.
    Many,
    /// A file.
    File,
}

impl Method {
    /// What one command of it carries.
    pub fn rows_per_command(self) -> RowsPerCommand {
        match self {
            Method::Row | Method::Prepared | Method::Pipelined => RowsPerCommand::Single,
            Method::LoadData => RowsPerCommand::File,
            Method::Bulk | Method::MultiRow | Method::MultiRowPrepared | Method::MultiStatement => RowsPerCommand::Many,
        }
    }
}

impl Scope {
    /// What a batch of commands needs. `is_one`: it is a single one, which the server undoes as a whole when it fails.
    pub fn of(is_one: bool, facts: &BatchFacts<'_>) -> Scope {
        match (is_one, facts.in_transaction || !facts.autocommit) {
            (true, _) => Scope::Autocommit,
            (false, true) => Scope::Savepoint,
            (false, false) => Scope::Transaction,
        }
    }
}

/// Chooses. Methods in `refused` are those that the server refused already, with its reasons.
///
/// # Errors
/// `Config` if the requested method cannot write this batch, or no method can report the requested ids or counts.
pub fn plan(
    statement: &Statement,
    template: &Template,
    n_rows: usize,
    options: &BatchOptions,
    facts: &BatchFacts<'_>,
    refused: &[(Method, String)],
) -> Result<BatchPlan> {
    if template.returning {
        return Err(Error::config("a batch has no use for the rows that RETURNING gives")
            .with_hint("`with_ids(true)` asks for generated ids; or run the statement as a query"));
    }
    let case = Case { statement, template, n_rows, options, facts };
    if let Some(method) = options.method {
        return case.try_method(method, "requested".into(), false).map_err(|why| {
            Error::config(format!("`{method}` cannot write this batch: {why}"))
                .with_hint("without a method inrush chooses one that can")
        });
    }
    let mut whys = Vec::new();
    for (method, reason) in case.preference() {
        if refused.iter().any(|(known, _)| *known == method) {
            continue;
        }
        let reason = match refused.last() {
            None => reason.to_owned(),
            Some((before, why)) => format!("{reason}; `{before}` was refused: {why}"),
        };
        match case.try_method(method, reason, true) {
            Ok(plan) => return Ok(plan),
            Err(why) => whys.push(format!("`{method}`: {why}")),
        }
    }
    Err(Error::config(format!("no method can write this batch: {}", whys.join("; "))))
}

struct Case<'a> {
    statement: &'a Statement,
    template: &'a Template,
    n_rows: usize,
    options: &'a BatchOptions,
    facts: &'a BatchFacts<'a>,
}

impl Case<'_> {
    /// What `auto` would take, the best first (docs/notes/batch-speed.md has the numbers).
    fn preference(&self) -> Vec<(Method, &'static str)> {
        const ANY: (Method, &str) = (Method::Pipelined, "each row is a statement, and they travel in one flight");
        if self.n_rows == 1 {
            return vec![(Method::Prepared, "a single row")];
        }
        let mut methods = Vec::new();
        let skips = self.options.on_bad_row == OnBadRow::Skip;
        let profile = self.facts.profile;
        if self.n_rows >= LOAD_ROWS && !skips && profile.prefers_load_data {
            methods.push((Method::LoadData, "the connection may send LOAD DATA LOCAL, this server's fastest way in"));
        }
        methods.push((Method::Bulk, "one command carries many rows, already bound: MariaDB's fastest way in"));
        if self.n_rows >= if profile.binds_fast { PREPARED_ROWS_BOUND_FAST } else { PREPARED_ROWS } {
            methods.push((Method::MultiRowPrepared, "one statement for many rows, bound: parsed once"));
        }
        methods.push((Method::MultiRow, "one statement for all rows"));
        methods.push(ANY);
        methods
    }

    /// The plan with this method, or why it cannot be.
    fn try_method(&self, method: Method, reason: String, may_fall_back: bool) -> Result<BatchPlan, String> {
        let (detail, returning) = self.suits(method)?;
        if self.options.ids && matches!(detail, ResultDetail::Nothing) {
            return Err("it does not report the id of each row".into());
        }
        if self.options.affected_each && !matches!(detail, ResultDetail::EachReply | ResultDetail::UnitResults) {
            return Err("it does not report how many rows each set of values affected".into());
        }
        Ok(BatchPlan { method, reason, may_fall_back, detail, returning })
    }

    fn suits(&self, method: Method) -> Result<(ResultDetail, Option<String>), String> {
        let n_params = self.statement.marks().len();
        match method {
            Method::Row | Method::Prepared | Method::Pipelined => Ok((ResultDetail::EachReply, None)),
            Method::MultiStatement if !self.facts.multi_statements => {
                Err("the connection does not take several statements in one command (`multi-statements=true`)".into())
            }
            // It would not be known which result belongs to which row.
            Method::MultiStatement if starts_with_call(self.statement) => {
                Err("a CALL has as many results as the procedure likes".into())
            }
            Method::MultiStatement => Ok((ResultDetail::EachReply, None)),
            Method::MultiRow | Method::MultiRowPrepared => {
                self.template.multi_row(self.statement).map_err(|e| e.message().to_owned())?;
                if n_params == 0 {
                    return Err("the statement has no placeholder".into());
                }
                Ok(self.ids_of_many())
            }
            Method::Bulk if !self.facts.has_bulk => Err("only MariaDB has COM_STMT_BULK_EXECUTE".into()),
            Method::Bulk if n_params == 0 => Err("the statement has no placeholder".into()),
            Method::Bulk if self.template.kind == Kind::Other => {
                Err("it takes INSERT, REPLACE, UPDATE and DELETE".into())
            }
            Method::Bulk if self.options.ids || self.options.affected_each => match self.facts.has_unit_results {
                true => Ok((ResultDetail::UnitResults, None)),
                false => {
                    Err("this server does not report the results of single rows (MariaDB does from 11.5 on)".into())
                }
            },
            Method::Bulk => Ok((ResultDetail::Nothing, None)),
            Method::LoadData => self.check_load().map(|()| (ResultDetail::Nothing, None)),
        }
    }

    /// Returns how the ids of a statement of many rows become known.
    fn ids_of_many(&self) -> (ResultDetail, Option<String>) {
        let Some(column) = self.generated_column().filter(|_| self.options.ids && !self.template.ignore) else {
            return (ResultDetail::Nothing, None);
        };
        let (profile, is_plain) =
            (self.facts.profile, self.template.kind == Kind::Insert && !self.template.on_duplicate);
        match self.facts.increment {
            _ if profile.returning => {
                (ResultDetail::ReturnedIds, Some(format!(" RETURNING {}", quote_ident(&column.name))))
            }
            // Rows whose number is known beforehand get ids that follow each other, in every lock mode.
            Some(increment) if profile.consecutive_ids && is_plain => (ResultDetail::FirstId(increment), None),
            _ => (ResultDetail::Nothing, None),
        }
    }

    /// The AUTO_INCREMENT column, unless the statement itself gives it a value.
    fn generated_column(&self) -> Option<&Column> {
        let column = self.facts.table?.columns.iter().find(|column| column.auto_increment)?;
        let listed = self.template.columns.as_ref()?;
        let is_given = listed.iter().any(|name| name.eq_ignore_ascii_case(&column.name));
        (!is_given).then_some(column)
    }

    fn check_load(&self) -> Result<(), String> {
        let template = self.template;
        if template.kind != Kind::Insert || template.ignore || template.on_duplicate {
            return Err("it takes a plain INSERT".into());
        }
        let n_params = self.statement.marks().len();
        let is_bare = template.row.as_ref().is_some_and(|row| {
            row.n_rows == 1 && row.cells.iter().enumerate().all(|(i, cell)| *cell == Cell::Placeholder(i))
        });
        if !is_bare || template.row.as_ref().map(|row| row.cells.len()) != Some(n_params) {
            return Err("it takes an INSERT whose values are all placeholders".into());
        }
        if self.facts.table.is_none() {
            return Err("the columns of its table are not known".into());
        }
        if self.facts.splits_loads {
            return Err("the server has `wsrep_load_data_splitting` on and commits within a LOAD DATA; a batch is stored whole or not at \
                        all"
                .into());
        }
        match self.facts.local_infile {
            true => Ok(()),
            false => Err("LOAD DATA LOCAL was not enabled when this connection was made (`local-infile=1`), or the \
                          server has it off"
                .into()),
        }
    }
}

fn starts_with_call(statement: &Statement) -> bool {
    let mut words = statement.sql().split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("CALL"))
}

/// From this many rows on, a file is faster than statements (docs/notes/batch-speed.md).
const LOAD_ROWS: usize = 1_000;

/// From this many rows on, prepared statements cost no more than text, which needs fewer statements (docs/notes/batch-speed.md).
const PREPARED_ROWS: usize = 1_000;

/// The same where text takes the server longer: `Profile::binds_fast`.
const PREPARED_ROWS_BOUND_FAST: usize = 100;
