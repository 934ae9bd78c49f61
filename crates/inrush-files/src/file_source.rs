//! The interface of a file beyond [`Source`], for every format.

use crate::dialect::Dialect;
use crate::formats::Proposal;
use crate::infer_types::{Inferred, Texts};
use crate::input::Meter;
use inrush_core::error::Result;
use inrush_core::load::Source;
use std::any::Any;
use std::sync::Arc;

/// A file as a source.
pub trait FileSource: Source + Any {
    /// Bytes of the file that were read, for progress.
    fn meter(&self) -> Arc<Meter>;

    /// The types of all fields. For an untyped format they are inferred from about this many bytes at the file's beginning.
    /// `next` still returns all rows, as if nothing was inferred, until [`FileSource::read_as`].
    ///
    /// # Errors
    /// Those of reading.
    fn infer_types(&mut self, max_bytes: usize) -> Result<Vec<Inferred>>;

    /// The same from this many records, which are consumed: for a reader that is used for nothing else. `texts` is for untyped formats.
    ///
    /// # Errors
    /// Those of reading.
    fn infer_from_records(&mut self, n: u64, texts: Texts) -> Result<Vec<Inferred>>;

    /// From now on reads texts as what they were inferred to be: `NA` as NULL, a date by the format found. `fields` are all of its fields.
    fn read_as(&mut self, fields: &[Inferred]) {
        let _ = fields;
    }

    /// The fields whose names were changed: the number of the field, from 1, its name in the file, and its new name.
    fn renamed(&self) -> &[(usize, String, String)] {
        &[]
    }

    /// Sets the number of rows of a source that cannot know it, for progress and the size of the last chunks. Nothing else depends on
    /// it, so it may be wrong.
    fn expect_rows(&mut self, n: u64) {
        let _ = n;
    }

    /// Whether another reader would read the same once more.
    fn can_be_read_again(&self) -> bool;

    /// How numbers and dates of these fields seem to be written, if not as SQL does: for a person to decide. Reads about this many
    /// bytes at the file's beginning; `next` still returns all rows.
    fn proposals(&mut self, fields: &[String], max_bytes: usize) -> Result<Vec<Proposal>> {
        let _ = (fields, max_bytes);
        Ok(Vec::new())
    }

    /// The form in which its bad records are diverted.
    fn reject_form(&self) -> RejectForm;
}

/// The form in which bad records are diverted, so that they can be corrected and loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RejectForm {
    /// Unchanged, as records of this dialect.
    Csv(Dialect),
    /// Unchanged; each is a line.
    Lines,
    /// Their cells as a line of CSV, under the names of their columns.
    Cells,
}
