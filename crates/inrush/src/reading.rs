//! How far a result was read: shared by both shells.

use inrush_core::session::Outcome;
use inrush_core::wire::ColumnDef;

/// The current result.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Its columns; none if the statement has none.
    pub(crate) columns: Vec<ColumnDef>,
    /// Its outcome; none as long as it has rows.
    pub(crate) outcome: Option<Outcome>,
}
