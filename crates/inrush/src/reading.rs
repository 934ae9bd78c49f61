//! How far a result was read: shared by both shells.

use inrush_core::session::Outcome;
use inrush_core::wire::ColumnDef;

/// The result under way.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// Its columns; none if the statement has none.
    pub(crate) columns: Vec<ColumnDef>,
    /// What it came to; none as long as it has rows.
    pub(crate) outcome: Option<Outcome>,
}
