//! One execution for each row, and the row that is too long to share a packet: its long values are sent ahead of it, in parts.

use super::row_source::RowSource;
use super::{Command, Limits, Next, Writer};
use crate::error::{Error, Result};
use crate::session::Statement;
use crate::session::cached_execute::{LONG, LONG_PART};
use crate::session::pipeline::Bound;
use crate::value::Value;
use crate::wire::stmt;
use std::ops::Range;

/// The user's own statement, once for each row.
#[derive(Debug)]
pub struct PreparedWriter {
    statement: Statement,
    max_bytes: usize,
}

impl PreparedWriter {
    /// For any statement.
    pub fn new(statement: &Statement, limits: Limits) -> Self {
        Self { statement: statement.clone(), max_bytes: limits.max_bytes }
    }
}

impl Writer for PreparedWriter {
    fn next(&mut self, rows: RowSource<'_>, range: Range<usize>, _spare: Vec<u8>) -> Result<Next> {
        let mut values = Vec::with_capacity(self.statement.marks().len());
        rows.as_bound().row(range.start, &mut values)?;
        alone(&self.statement, &values, self.max_bytes).map_err(|error| error.at_row(range.start as u64))
    }

    fn statements(&mut self, _n_rows: usize) -> Vec<Statement> {
        vec![self.statement.clone()]
    }
}

/// The execution of one row, with no more of its values ahead than need to be.
pub(super) fn alone(statement: &Statement, values: &[Value<'_>], max_bytes: usize) -> Result<Next> {
    refuse_default(values)?;
    let lengths = || values.iter().filter_map(|value| value.as_bytes()).map(<[u8]>::len);
    // Servers refuse a value of more bytes than a packet, also in parts.
    if lengths().all(|length| length <= max_bytes) {
        let part = LONG_PART.min(max_bytes.saturating_sub(stmt::LONG_DATA_HEAD).max(1));
        for longest in [LONG, SHORT] {
            let is_long = |value: &Value<'_>| value.as_bytes().is_some_and(|bytes| bytes.len() > longest);
            let n_long = lengths().filter(|length| *length > longest).sum::<usize>();
            if lengths().sum::<usize>() - n_long <= max_bytes {
                let bound = Bound::with_long(values, is_long, part);
                if bound.n_bytes() <= max_bytes {
                    return Ok(Next::Command { command: Command::Execute(statement.clone(), bound), n_rows: 1 });
                }
            }
        }
    }
    Ok(Next::TooLong {
        bytes: stmt::EXECUTE_HEAD + 2 * values.len() + values.len().div_ceil(8) + lengths().sum::<usize>(),
    })
}

/// Refuses DEFAULT, which an execution cannot contain.
pub(super) fn refuse_default(values: &[Value<'_>]) -> Result<()> {
    match values.iter().position(|value| matches!(value, Value::Default) || value.is_deferred()) {
        None => Ok(()),
        Some(i) if values[i].is_deferred() => stmt::check(values),
        Some(i) => Err(Error::config(format!("value {} is DEFAULT, which this method cannot send", i + 1))
            .with_hint("`multi-row` can, and `bulk` on MariaDB")),
    }
}

/// Values up to this length fit into one packet however many a row has; if need be, all longer ones are sent ahead.
const SHORT: usize = 64;

#[cfg(test)]
mod tests;
