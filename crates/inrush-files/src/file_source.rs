//! What the program asks of a file beyond its rows, whatever its format.

use crate::dialect::Dialect;
use crate::infer_types::Inferred;
use crate::input::Meter;
use inrush_core::bulk::Source;
use inrush_core::error::Result;
use std::any::Any;
use std::sync::Arc;

/// A file as a source.
pub trait FileSource: Source + Any {
    /// How much of the file has been read, for progress.
    fn meter(&self) -> Arc<Meter>;

    /// The types of all fields: of a format that has none, as about this many bytes at the file's beginning let one guess.
    /// `next` will still deliver all rows.
    fn infer_types(&mut self, max_bytes: usize) -> Result<Vec<Inferred>>;

    /// How its bad records are written down.
    fn reject_form(&self) -> RejectForm;
}

/// How bad records are written down, so that they can be corrected and loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RejectForm {
    /// As they stand in a file of this dialect.
    Csv(Dialect),
    /// As they stand in the file; each is a line.
    Lines,
    /// Their cells as a line of CSV, under the names of their columns.
    Cells,
}
