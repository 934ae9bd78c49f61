//! The options of a batch.

use crate::write::Method;

/// How a batch is written. By default inrush chooses the method, and one bad row undoes the whole batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchOptions {
    pub(super) method: Option<Method>,
    pub(super) on_bad_row: OnBadRow,
    pub(super) ids: bool,
    pub(super) affected_each: bool,
    pub(super) rows: Option<usize>,
    pub(super) bytes: Option<usize>,
}

/// What happens to a batch with a row that its column or the server refuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnBadRow {
    /// Nothing of the batch is stored; the error names the row.
    #[default]
    Stop,
    /// All others are stored; the report names the bad ones.
    Skip,
}

impl BatchOptions {
    /// The best method, and all rows or none.
    pub fn new() -> Self {
        Self::default()
    }

    /// Uses this method. A statement or server that it cannot serve is an error.
    #[must_use]
    pub fn with_method(mut self, method: impl Into<Option<Method>>) -> Self {
        self.method = method.into();
        self
    }

    /// Sets what happens to the batch if a row is bad.
    #[must_use]
    pub fn with_bad_rows(mut self, on_bad_row: OnBadRow) -> Self {
        self.on_bad_row = on_bad_row;
        self
    }

    /// Requests the generated id of each row. Where ids cost nothing, the report has them anyway. If they are requested, `auto`
    /// takes only methods that report them, and MariaDB returns them by a clause. If no method can report them, it is an error.
    #[must_use]
    pub fn with_ids(mut self, ids: bool) -> Self {
        self.ids = ids;
        self
    }

    /// Whether ids were requested.
    pub fn wants_ids(&self) -> bool {
        self.ids
    }

    /// Whether LOAD DATA was requested.
    pub fn wants_load_data(&self) -> bool {
        self.method == Some(Method::LoadData)
    }

    /// Whether bad rows are skipped.
    pub fn skips_bad_rows(&self) -> bool {
        self.on_bad_row == OnBadRow::Skip
    }

    /// Requests the number of rows that each set of values affected; `auto` takes only methods that report it.
    #[must_use]
    pub fn with_affected_each(mut self, affected_each: bool) -> Self {
        self.affected_each = affected_each;
        self
    }

    /// Puts at most so many rows into one command.
    #[must_use]
    pub fn with_rows(mut self, rows: usize) -> Self {
        self.rows = Some(rows.max(1));
        self
    }

    /// Puts about this many bytes into one command, and never more than the server's `max_allowed_packet`.
    #[must_use]
    pub fn with_bytes(mut self, bytes: usize) -> Self {
        self.bytes = Some(bytes.max(1));
        self
    }
}
