//! SQL dumps: the rows of their INSERTs as lines for the reader of CSV, and what else is in them.
//!
//! ```text
//! bytes -> statements (a script's, an INSERT in parts) -> words (which table, which columns)
//!       -> rows (of one table) -> cells (a row of literals as a line) -> csv
//!       -> contents (which tables, their definitions, everything that is no row)
//! ```
//!
//! Nothing is executed here. A value that is no literal is refused: only a server knows it.
//!
//! Invariant: memory depends on the longest row and the longest statement that is no INSERT, not on the dump.

mod cells;
mod contents;
mod folder;
mod renamed;
mod row_text;
mod rows;
mod statements;
mod words;

pub use contents::{DumpContents, DumpTable, OtherStatement};
pub use folder::DumpFolder;
pub use row_text::RowText;
pub(crate) use rows::{KnownTable, Rows};

use inrush_core::error::{Error, Result};
use statements::{Part, Settings};
use words::CreateTable;

/// Refuses what may change rows: rows are not loaded in the order of the dump.
fn other(text: &[u8], line: u64) -> Error {
    Error::data(format!("line {line}: `{}` may change rows, or means what only a server knows", beginning(text)))
        .with_hint("`inrush run` plays such a dump as it is, in its order")
}

/// Refuses what else is in a file of a folder that has the rows of a table.
fn besides_rows(text: &[u8], line: u64, table: &str) -> Error {
    Error::data(format!("line {line}: `{}` is in a file of rows of table `{table}`", beginning(text)))
        .with_hint("a file of the folder has the rows of one table and nothing else: dump again, into a new folder")
}

/// Refuses a statement that nothing but the end of the file ends: it may have been longer.
fn check_ended(part: &Part, text: &[u8]) -> Result<()> {
    if !part.is_last || part.is_ended {
        return Ok(());
    }
    let hint =
        "the file may have been cut off: compare its size with that of its origin; if it is whole, end it with `;`";
    let message = format!("line {}: nothing ends the last statement, `{}`", part.line, beginning(text));
    Err(Error::data(message).with_hint(hint))
}

/// Refuses rows whose quotes might be read in two ways.
fn check_mode(settings: &Settings, line: u64) -> Result<()> {
    let Some(set_at) = settings.unknown_mode else { return Ok(()) };
    let message =
        format!("line {line}: how quotes are read depends on the sql_mode of line {set_at}, which is no literal");
    Err(Error::data(message).with_hint("`inrush run` plays such a dump as it is"))
}

/// Refuses a definition that would mean something else in the mode in which tables are made. Dump programs write neither of these.
fn check_meaning(settings: &Settings, created: &CreateTable, line: u64) -> Result<()> {
    let what = match () {
        () if settings.concats_pipes && words::has_pipes(&created.definition) => "`||`, which puts texts together",
        () if settings.real_is_float && created.columns.iter().any(|column| column.ty == "REAL") => {
            "REAL, which is FLOAT"
        }
        () => return Ok(()),
    };
    let table = &created.table;
    Err(Error::data(format!(
        "line {line}: table `{table}` has {what} in the sql_mode of the dump, and not in the usual one"
    ))
    .with_hint("write CONCAT or FLOAT in its place; `inrush run` plays such a dump as it is"))
}

/// The beginning of a statement, on one line.
fn beginning(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(&text[..text.len().min(240)]).into_owned();
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{} ..", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests;
