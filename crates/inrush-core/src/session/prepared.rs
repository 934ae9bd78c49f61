//! A prepared statement, as the server described it.

use crate::session::{Derived, Effect};
use crate::wire::{ColumnDef, StmtId};

/// A prepared statement. Lives as long as the connection, or until it is closed or the connection reset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The server's number for it.
    pub id: StmtId,
    /// Number of placeholders.
    pub n_params: u16,
    /// The columns of its result set; none if it has none.
    pub columns: Vec<ColumnDef>,
    /// The lasting effects that an execution may have.
    pub effect: Effect,
    /// The type that the server derived for each placeholder, where it keeps to that; empty where it does not.
    pub derived: Vec<Derived>,
}
