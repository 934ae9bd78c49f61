//! Where a writer takes the rows of a command from: values that a caller bound, or the cells of a file that passed their checks.
//!
//! Both kinds can be bound. As text, bound values become literals by their own type, and checked cells by the form that their
//! column's check found for them.

#[cfg(feature = "loader")]
mod checked;
#[cfg(not(feature = "loader"))]
#[path = "row_source/no_checked.rs"]
mod checked;

use crate::convert::BoundRows;
use crate::wire::ParamType;
pub use checked::CheckedRows;

/// The rows that a [`Writer`](super::Writer) is offered.
#[derive(Clone, Copy)]
pub enum RowSource<'a> {
    /// Values of a caller, one for each placeholder.
    Bound(&'a dyn BoundRows),
    /// Checked cells of a file.
    Checked(&'a CheckedRows<'a>),
}

impl<'a> RowSource<'a> {
    /// How many rows there are.
    pub fn n_rows(self) -> usize {
        self.as_bound().n_rows()
    }

    /// The rows as values to be bound.
    pub fn as_bound(self) -> &'a dyn BoundRows {
        match self {
            Self::Bound(rows) => rows,
            Self::Checked(rows) => rows,
        }
    }

    /// Sets the types of the placeholders where they are the same for all rows.
    pub(super) fn put_types(self, types: &mut [ParamType]) {
        if let Self::Checked(rows) = self {
            rows.put_types(types);
        }
    }
}
