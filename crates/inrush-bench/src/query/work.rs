//! What every client of `query` does.

use super::Mode;
use inrush::sans_io::{Error, Kind, Result};
use inrush::{Config, Statement};
use std::time::Duration;

/// What every client does.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) config: Config,
    pub(super) mode: Mode,
    pub(super) batch: u64,
    pub(super) queries: u64,
    pub(super) warm_up: u64,
    pub(super) ask: Ask,
    /// What every answer has.
    pub(super) answer_rows: Option<u64>,
    pub(super) cap: Duration,
}

/// The query.
#[derive(Debug)]
pub(super) enum Ask {
    Text(String),
    Prepared(Statement),
}

impl Work {
    /// How many queries are sent together if `left` are still to be sent.
    pub(super) fn flight(&self, left: u64) -> u64 {
        self.batch.min(left)
    }

    /// So many of them as one text.
    pub(super) fn joined(&self, n: u64) -> String {
        match &self.ask {
            Ask::Text(sql) => vec![sql.trim_end_matches([';', ' ', '\n']); n as usize].join("; "),
            Ask::Prepared(statement) => statement.sql().to_owned(),
        }
    }

    /// An answer has as many rows as it must.
    pub(super) fn check(&self, rows: u64) -> Result<()> {
        match self.answer_rows {
            Some(want) if want != rows => {
                Err(Error::new(Kind::Protocol, format!("an answer has {rows} rows instead of {want}")))
            }
            _ => Ok(()),
        }
    }
}
