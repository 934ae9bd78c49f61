//! What a batch requires of its method, what that reports about single rows, and the batch's scope, before anything is sent.

use super::attempt::ResultDetail;
use super::options::BatchOptions;
use crate::column::Column;
use crate::column::ident::quote_ident;
use crate::error::{Error, Result};
use crate::profile::Profile;
use crate::session::Statement;
use crate::write::method::RowReport;
use crate::write::template::{Cell, Kind, Template};
use crate::write::{Allowed, Chooser, LocalInfile, Method, Need, Rows, Table};

/// What is known about the connection and the table.
#[derive(Clone, Debug)]
pub struct BatchFacts<'a> {
    /// What the server can do, and the connection has agreed on.
    pub profile: &'a Profile,
    /// Whether the server commits within a LOAD DATA (Galera's `wsrep_load_data_splitting`).
    pub splits_loads: bool,
    /// Whether a transaction is open.
    pub in_transaction: bool,
    /// Whether each statement outside of a transaction is committed by itself.
    pub autocommit: bool,
    /// The target, if it is known.
    pub table: Option<&'a Table>,
    /// The session's `auto_increment_increment`, if it is known.
    pub increment: Option<u64>,
}

/// What the chosen method reports about single rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
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

/// Chooses the method of a batch.
///
/// # Errors
/// `Config` if the requested method cannot write this batch, or no method can report the requested ids or counts.
pub fn choose(
    statement: &Statement,
    template: &Template,
    n_rows: usize,
    options: &BatchOptions,
    facts: &BatchFacts<'_>,
) -> Result<Chooser> {
    if template.returning {
        return Err(Error::config("a batch has no use for the rows that RETURNING gives")
            .with_hint("`with_ids(true)` asks for generated ids; or run the statement as a query"));
    }
    let is_single = n_rows == 1 && options.method.is_none();
    let need = Need {
        rows: Rows::Batch(n_rows),
        requested: options.method,
        has_placeholders: !statement.marks().is_empty(),
        is_dml: template.kind != Kind::Other,
        no_multi_row: match template.multi_row(statement) {
            Err(error) if !is_single => Some(error.message().to_owned()),
            _ => None,
        },
        not_bindable: None,
        no_load_data: (!is_single).then(|| no_load_data(statement, template, facts)).flatten().map(Into::into),
        load_is_serial: false,
        has_triggers: false,
        skips_bad_rows: options.skips_bad_rows(),
        ids: options.ids,
        many_rows_have_ids: options.ids && ids_of_many(template, facts).detail != ResultDetail::Nothing,
        affected_each: options.affected_each,
    };
    let local_infile = if facts.profile.local_infile { LocalInfile::On } else { LocalInfile::NotEnabled };
    Chooser::new(need, Allowed::new(facts.profile, local_infile, facts.splits_loads))
}

/// What `method` reports about the rows of this batch.
pub fn reported(method: Method, template: &Template, options: &BatchOptions, facts: &BatchFacts<'_>) -> Reported {
    let plain = |detail| Reported { detail, returning: None };
    match method.reports() {
        RowReport::EachReply => plain(ResultDetail::EachReply),
        RowReport::UnitResults if options.ids || options.affected_each => plain(ResultDetail::UnitResults),
        RowReport::Ids if options.ids => ids_of_many(template, facts),
        RowReport::UnitResults | RowReport::Ids | RowReport::Nothing => plain(ResultDetail::Nothing),
    }
}

/// Returns how the ids of a statement of many rows become known.
fn ids_of_many(template: &Template, facts: &BatchFacts<'_>) -> Reported {
    let nothing = Reported { detail: ResultDetail::Nothing, returning: None };
    let Some(column) = generated_column(template, facts).filter(|_| !template.ignore) else { return nothing };
    let is_plain = template.kind == Kind::Insert && !template.on_duplicate;
    match facts.increment {
        _ if facts.profile.returning => Reported {
            detail: ResultDetail::ReturnedIds,
            returning: Some(format!(" RETURNING {}", quote_ident(&column.name))),
        },
        // Rows whose number is known beforehand get ids that follow each other, in every lock mode.
        Some(increment) if facts.profile.consecutive_ids && is_plain => {
            Reported { detail: ResultDetail::FirstId(increment), returning: None }
        }
        _ => nothing,
    }
}

/// The AUTO_INCREMENT column, unless the statement itself gives it a value.
fn generated_column<'a>(template: &Template, facts: &BatchFacts<'a>) -> Option<&'a Column> {
    let column = facts.table?.columns.iter().find(|column| column.auto_increment)?;
    let listed = template.columns.as_ref()?;
    let is_given = listed.iter().any(|name| name.eq_ignore_ascii_case(&column.name));
    (!is_given).then_some(column)
}

/// Why LOAD DATA does not do what the statement does, if it does not.
fn no_load_data(statement: &Statement, template: &Template, facts: &BatchFacts<'_>) -> Option<&'static str> {
    if template.kind != Kind::Insert || template.ignore || template.on_duplicate {
        return Some("it takes a plain INSERT");
    }
    let row = template.row.as_ref().filter(|row| row.n_rows == 1 && row.cells.len() == statement.marks().len());
    let is_bare = row.is_some_and(|row| row.cells.iter().enumerate().all(|(i, cell)| *cell == Cell::Placeholder(i)));
    match facts.table {
        _ if !is_bare => Some("it takes an INSERT whose values are all placeholders"),
        None => Some("the columns of its table are not known"),
        Some(_) => None,
    }
}
