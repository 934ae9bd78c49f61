//! What all rows of an inserter have in common: the table, the columns, the statement.

use crate::inserter::options::{OnDuplicate, Terms};
use crate::table::TableName;
use crate::{Error, Kind, Result, Statement};
use inrush_core::batch::validator::Validator;
use inrush_core::column::Column;
use inrush_core::column::Rules;
use inrush_core::column::ident::quote_ident;
use inrush_core::convert::{BoundRows, Params, RowBuffer};
use inrush_core::value::Value;
use inrush_core::write::Table;
use std::time::{Duration, Instant};

/// The columns of an inserter's rows, and the statement that inserts them.
#[derive(Debug)]
pub(crate) struct RowShape {
    /// The statement for one row.
    pub(crate) statement: Statement,
    pub(crate) columns: Vec<Box<str>>,
    /// The schema of the table; empty for the connection's.
    pub(crate) schema: String,
    /// Whether a statement that fails half-way stores nothing.
    pub(crate) is_transactional: bool,
    /// Whether the server generates an id for each row.
    pub(crate) has_ids: bool,
    /// Has no checks if nothing is known of the table.
    validator: Validator,
    read_at: Instant,
}

/// What is known of the table and of the session that writes into it.
pub(crate) struct Known<'a> {
    pub(crate) table: Option<&'a Table>,
    pub(crate) rules: &'a Rules,
    pub(crate) at: Instant,
}

impl RowShape {
    /// The shape of rows for a table. `asked`: the columns that the options name; `named`: those that the first row names.
    /// Without either: all columns that need a value from the caller, not those that the server generates.
    ///
    /// # Errors
    /// `Config` for columns that do not exist or take no value; `Guarantee` if exactly once was requested and the table has no
    /// transactions.
    pub(crate) fn new(
        name: &TableName,
        known: &Known<'_>,
        asked: Option<&[String]>,
        named: &[&str],
        terms: Terms<'_>,
    ) -> Result<Self> {
        let table = known.table;
        if let Some(table) = table.filter(|table| terms.exactly_once && !table.transactional) {
            let message = format!("`{}` is a table of {}, which has no transactions", table.name, table.engine);
            return Err(Error::new(Kind::Guarantee, message).with_hint(
                "rows are stored exactly once in InnoDB; leave out `with_exactly_once(true)` to do without",
            ));
        }
        if let Some(table) = table.filter(|table| terms.exactly_once && table.is_elsewhere()) {
            let message = format!(
                "`{}` is a table of {}, whose rows are in other tables or on other servers: they do not commit together with the ledger",
                table.name, table.engine
            );
            return Err(Error::new(Kind::Guarantee, message).with_hint(
                "leave out `with_exactly_once(true)`, or insert into the tables of the other servers themselves",
            ));
        }
        let columns: Vec<Box<str>> = match (asked, named, table) {
            (Some(asked), _, _) => asked.iter().map(|name| name.as_str().into()).collect(),
            (None, [_, ..], _) => named.iter().map(|name| (*name).into()).collect(),
            (None, [], Some(table)) => {
                let takes_ours = |column: &&_| !is_made_by_server(column);
                table.columns.iter().filter(takes_ours).map(|column| column.name.as_str().into()).collect()
            }
            (None, [], None) => {
                let message = format!("the server does not report the columns of `{}`", name.name);
                return Err(Error::config(message)
                    .with_hint("is there such a table? `InserterOptions::with_columns` names the columns"));
            }
        };
        if let Some(table) = table {
            check(table, &columns)?;
        }
        let quoted = match name.schema.is_empty() {
            true => quote_ident(&name.name),
            false => name.quoted(),
        };
        let list: Vec<_> = columns.iter().map(|column| quote_ident(column)).collect();
        let marks = vec!["?"; columns.len()].join(", ");
        let tail = tail(terms.on_duplicate, &columns, known.rules.profile.row_alias)?;
        Ok(Self {
            statement: Statement::new(&format!("INSERT INTO {quoted} ({}) VALUES ({marks}){tail}", list.join(", ")))?,
            schema: name.schema.clone(),
            is_transactional: table.is_none_or(|table| table.transactional),
            has_ids: *terms.on_duplicate == OnDuplicate::Fail && table.is_some_and(|table| makes_ids(table, &columns)),
            validator: {
                let targets: Vec<_> = columns.iter().map(|name| find(table?, name)).collect();
                Validator::new(&targets, known.rules)
            },
            read_at: known.at,
            columns,
        })
    }

    /// The same rows, after the table was read again.
    ///
    /// # Errors
    /// Those of [`RowShape::new`]: a column may be gone.
    pub(crate) fn renewed(&self, name: &TableName, known: &Known<'_>, terms: Terms<'_>) -> Result<Self> {
        let columns: Vec<&str> = self.columns.iter().map(|name| &**name).collect();
        Self::new(name, known, None, &columns, terms)
    }

    /// Whether the table may have changed since it was read.
    pub(crate) fn is_old(&self, now: Instant) -> bool {
        now.saturating_duration_since(self.read_at) > FRESH
    }

    /// Appends the values of a row in the order of the columns, and checks them. `Some`: this row is to be sent instead, which has the
    /// same meaning to a server.
    ///
    /// # Errors
    /// `Config` for a row that does not have exactly a value for each; `Data` for a value that its column cannot hold.
    pub(crate) fn values<'r, P: Params + ?Sized>(
        &self,
        row: &'r P,
        out: &mut Vec<Value<'r>>,
    ) -> Result<Option<RowBuffer>> {
        out.extend_from_slice(row.values(&self.columns)?.as_ref());
        if out.len() != self.columns.len() {
            let message = format!("a row of {} values for {} columns", out.len(), self.columns.len());
            return Err(Error::config(message).with_hint(format!("they are {}", listed(&self.columns))));
        }
        let one = One(out);
        let checked = self.validator.check(&one).map_err(Error::without_row)?;
        if checked.n_replaced() == 0 {
            return Ok(None);
        }
        let mut values = Vec::with_capacity(out.len());
        checked.row(0, &mut values)?;
        let mut replaced = RowBuffer::new(values.len());
        replaced.push(&values).map(|()| Some(replaced))
    }
}

/// The clause after the values, for rows whose key exists.
fn tail(on_duplicate: &OnDuplicate, columns: &[Box<str>], row_alias: bool) -> Result<String> {
    let is_ours = |name: &&String| columns.iter().any(|column| column.to_lowercase() == name.to_lowercase());
    let updated: Vec<String> = match on_duplicate {
        OnDuplicate::Fail => return Ok(String::new()),
        // This is strict; INSERT IGNORE is not.
        OnDuplicate::Keep => {
            let first = columns.first().map(|column| quote_ident(column)).unwrap_or_default();
            return Ok(format!(" ON DUPLICATE KEY UPDATE {first} = {first}"));
        }
        OnDuplicate::Update => columns.iter().map(|column| quote_ident(column)).collect(),
        OnDuplicate::UpdateColumns(some) => {
            if let Some(other) = some.iter().find(|name| !is_ours(name)) {
                let message = format!("column `{other}` cannot be updated: the rows have no value for it");
                return Err(Error::config(message).with_hint(format!("they have {}", listed(columns))));
            }
            some.iter().map(|column| quote_ident(column)).collect()
        }
    };
    let set = |column: &String| match row_alias {
        true => format!("{column} = {NEW}.{column}"),
        false => format!("{column} = VALUES({column})"),
    };
    let set: Vec<_> = updated.iter().map(set).collect();
    let alias = if row_alias { format!(" AS {NEW}") } else { String::new() };
    Ok(format!("{alias} ON DUPLICATE KEY UPDATE {}", set.join(", ")))
}

/// The alias of the row that could not be inserted.
const NEW: &str = "inrush_new";

/// Whether a row needs no value from the caller for it.
fn is_made_by_server(column: &Column) -> bool {
    column.generated || column.auto_increment
}

fn check(table: &Table, columns: &[Box<str>]) -> Result<()> {
    if columns.is_empty() {
        return Err(Error::config(format!("`{}` has no column that takes a value", table.name)));
    }
    for name in columns {
        match find(table, name) {
            Some(column) if column.generated => {
                let message = format!("column `{name}` of `{}` is generated and takes no value", table.name);
                return Err(Error::config(message));
            }
            Some(_) => {}
            None => {
                let known: Vec<Box<str>> = table.columns.iter().map(|column| column.name.as_str().into()).collect();
                return Err(Error::config(format!("`{}` has no column `{name}`", table.name))
                    .with_hint(format!("it has {}", listed(&known))));
            }
        }
    }
    Ok(())
}

/// The servers compare names of columns without regard to case.
fn find<'t>(table: &'t Table, name: &str) -> Option<&'t Column> {
    table.columns.iter().find(|column| column.name.to_lowercase() == name.to_lowercase())
}

/// Whether the server generates an id for each of these rows.
fn makes_ids(table: &Table, columns: &[Box<str>]) -> bool {
    let is_ours = |column: &Column| columns.iter().any(|name| name.to_lowercase() == column.name.to_lowercase());
    table.columns.iter().any(|column| column.auto_increment && !is_ours(column))
}

fn listed(names: &[Box<str>]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// One row.
struct One<'a>(&'a [Value<'a>]);

impl BoundRows for One<'_> {
    fn n_rows(&self) -> usize {
        1
    }

    fn row<'s>(&'s self, _row: usize, out: &mut Vec<Value<'s>>) -> Result<()> {
        out.extend_from_slice(self.0);
        Ok(())
    }
}

/// Before a value is refused, a description older than this is read again.
const FRESH: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests;
