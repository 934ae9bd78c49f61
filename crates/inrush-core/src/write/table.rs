//! A target table, as far as batches and loads must know it.

use crate::column::Column;

/// A target table as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The schema (database) it lives in.
    pub schema: String,
    /// Its name as the server spells it.
    pub name: String,
    /// Its storage engine; empty if the server does not report it.
    pub engine: String,
    /// Whether the engine has transactions.
    pub transactional: bool,
    /// Its columns in order.
    pub columns: Vec<Column>,
}
