//! Where batches come from: a [`Source`] returns them in order, and a later run can make it leave out what is stored.

use super::batch::{Batch, Origin};
use super::ledger::{ChunkLine, Identity, Mapping};
use crate::column::ColumnKind;
use crate::column::check::Check;
use crate::error::{Error, Kind};
use std::fmt;
use std::io;
use std::sync::Arc;

/// How one field of a source is used: which field, and what its emptiness means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldUse {
    /// Index of the field within the source's [`Source::fields`].
    pub index: usize,
    /// Whether an unquoted empty field is NULL; if not, it is the empty string.
    pub empty_is_null: bool,
    /// Whether a quoted empty field is NULL as well, because the column holds no empty text.
    pub quoted_empty_is_null: bool,
    /// What kind of column it goes into.
    pub column_kind: ColumnKind,
}

/// A batch of a source before it is parsed: its begin and end are fixed by the one reader; the rest can be done on any thread.
pub trait RawChunk: Send {
    /// How many records it covers: rows and rejects.
    fn records(&self) -> u64;

    /// Bytes of text; 0 for sources that are not text.
    fn bytes(&self) -> u64;

    /// Validates the raw chunk for pass-through, that is, whether a server may read its text unchanged. All its records must be
    /// rows, one per line, and its text must be [verbatim](Origin::verbatim). LOAD DATA must read no field of it as NULL and no
    /// byte as an escape. The check of each column must keep every cell unchanged, and no cell may be NULL. `checks` are those of
    /// the columns, in the order of the uses. `None` means that nothing was decided: then the chunk must be parsed.
    fn pass_through(&self, checks: &[Check]) -> Option<PassThrough> {
        let _ = checks;
        None
    }

    /// Writes rows without a text as the text of a LOAD ([`Lines`]), if the check of each column keeps its cells unchanged.
    /// `room` returns a buffer for about so many bytes. `checks` are as for [`RawChunk::pass_through`]; no column is one of
    /// bytes. `None` means undecided.
    ///
    /// [`Lines`]: super::encode::load_data::Lines
    fn write(&self, checks: &[Check], room: &dyn Fn(usize) -> Vec<u8>) -> Option<(PassThrough, Vec<u8>)> {
        let _ = (checks, room);
        None
    }

    /// Parses it.
    fn parse(self: Box<Self>) -> Result<Batch, Error>;
}

/// A raw chunk that need not be parsed: all its records are rows, and the checks keep each of their cells unchanged.
pub struct PassThrough {
    /// Where the rows come from; the position of each row in the text was not recorded.
    pub origin: Origin,
    /// Length of the longest record, line end included, in bytes of the text that is sent.
    pub longest: usize,
    /// Bytes of memory that it keeps.
    pub memory: usize,
    /// Whether all of the text is ASCII, if the validation has noticed.
    pub is_ascii: Option<bool>,
    parse: Box<dyn Fn() -> Result<Batch, Error> + Send>,
}

impl PassThrough {
    /// `parse` parses the raw chunk if that is needed after all, from `memory` bytes that it keeps.
    pub fn new(
        origin: Origin,
        longest: usize,
        memory: usize,
        parse: impl Fn() -> Result<Batch, Error> + Send + 'static,
    ) -> Self {
        Self { origin, longest, memory, is_ascii: None, parse: Box::new(parse) }
    }

    /// The same where it is known whether all of the text is ASCII.
    pub fn known_as_ascii(self, is_ascii: bool) -> Self {
        Self { is_ascii: Some(is_ascii), ..self }
    }

    /// How many rows there are.
    pub fn n_rows(&self) -> u64 {
        self.origin.lines
    }

    /// Parses the raw chunk, for callers that need its rows one by one.
    pub fn parse(&self) -> Result<Batch, Error> {
        (self.parse)()
    }
}

impl fmt::Debug for PassThrough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PassThrough")
            .field("origin", &self.origin)
            .field("longest", &self.longest)
            .finish_non_exhaustive()
    }
}

impl RawChunk for Batch {
    fn records(&self) -> u64 {
        Batch::records(self)
    }

    fn bytes(&self) -> u64 {
        Batch::bytes(self)
    }

    fn parse(self: Box<Self>) -> Result<Batch, Error> {
        Ok(*self)
    }
}

/// Objects of a store that the bad rows of a load and their log are written to, in the place of files.
pub trait RejectStore: Send + Sync {
    /// Refuses a place where one of both is already: it may hold rows of an earlier load.
    ///
    /// # Errors
    /// `Config` for such a place, and for one that cannot be read.
    fn check(&self) -> Result<(), Error>;

    /// Begins the records and the log, in this order.
    ///
    /// # Errors
    /// Those of the store.
    fn begin(&self) -> Result<[Box<dyn RejectObject>; 2], Error>;
}

/// An object that is written, and does not appear before it is complete. Dropping it leaves nothing.
pub trait RejectObject: io::Write + Send {
    /// Makes it appear in the place of what has its name.
    ///
    /// # Errors
    /// Those of the store.
    fn complete(self: Box<Self>) -> Result<(), Error>;
}

/// Compares a source with its state when it was opened. It lives longer than the source, so that it can compare once more when
/// every row is stored.
pub trait Unchanged: Send + Sync {
    /// Compares what can be compared without reading: before each batch is sent.
    ///
    /// # Errors
    /// `Data` if the source was cut, has grown or was written to since.
    fn check(&self) -> Result<(), Error>;

    /// Compares everything that distinguishes one content from another: at the end of the reading, and before the job is done.
    ///
    /// # Errors
    /// As [`Unchanged::check`].
    fn confirm(&self) -> Result<(), Error>;

    /// Whether the source's name means another file now, or none: what was read is the old one, as a whole.
    fn is_replaced(&self) -> bool;
}

/// A source of rows: a CSV file, later Parquet, Arrow, a generator.
pub trait Source: Send {
    /// The name as the user wrote it: a path, or `-`.
    fn name(&self) -> &str;

    /// The names of all its fields, in order.
    fn fields(&self) -> &[String];

    /// Chooses which fields the batches hold, in which order (one column a use). Called before the first `next`.
    fn select(&mut self, uses: &[FieldUse]);

    /// Returns the next batch, in order; `None` at the end. After an error, `next` is not called again.
    fn next(&mut self) -> Result<Option<Batch>, Error>;

    /// Returns the next batch unparsed: [`Source::next`] is this and [`RawChunk::parse`].
    fn next_raw_chunk(&mut self) -> Result<Option<Box<dyn RawChunk>>, Error> {
        Ok(self.next()?.map(|batch| Box::new(batch) as Box<dyn RawChunk>))
    }

    /// Identifies the source, so that a later run can check that it is the same one; `None` for a source that cannot be read
    /// again. Called before the first `next`.
    fn identity(&mut self) -> Result<Option<Identity>, Error> {
        Ok(None)
    }

    /// Whether its batches have text. Then a reject file gets the record exactly as in the source; otherwise it gets a line of
    /// CSV.
    fn is_text(&self) -> bool {
        true
    }

    /// What [`Identity::hash`] would be if the source had only its first `bytes` bytes on the disk: this distinguishes a source
    /// that only grew from one that was changed. `None` for what has no size. Called before the first `next`.
    fn hash_of_first(&mut self, bytes: u64) -> Result<Option<u64>, Error> {
        let _ = bytes;
        Ok(None)
    }

    /// How its bytes become records: a job is continued only if that is the same.
    fn reading(&self) -> Mapping {
        Mapping::default()
    }

    /// The time zone in which its times without an offset are, if it says one. A load in another zone is refused.
    fn time_zone(&self) -> Option<&str> {
        None
    }

    /// Leaves out what is stored: `stored` are lines of the ledger, ascending by their spans, which do not overlap. Records and
    /// lines are counted on as if they had been read. With `verify` their text is read again and must have the checksums of the
    /// lines: at once where the source can go back to its beginning, else when `next` passes over it. Called before the first `next`.
    ///
    /// # Errors
    /// `Guarantee` if the source is not the one those rows came from.
    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<(), Error> {
        let _ = verify;
        match stored {
            [] => Ok(()),
            _ => Err(Error::new(Kind::Guarantee, format!("`{}` cannot be read from its middle", self.name()))),
        }
    }

    /// Compares lines of the ledger with what the source holds, as [`Source::resume`] does with `verify`, and leaves everything as it
    /// was. Returns false if the source cannot be read but once. Called before the first `next`.
    ///
    /// # Errors
    /// As [`Source::resume`].
    fn compare(&mut self, stored: &[ChunkLine]) -> Result<bool, Error> {
        let _ = stored;
        Ok(false)
    }

    /// Returns the first records, about `bytes` bytes and at most one batch; `next` still delivers them. `None` if there are
    /// none, or if the source cannot look ahead. Called after [`Source::select`] and before the first `next`.
    ///
    /// # Errors
    /// The error that prevents these records from being read, or later ones as far as that is known now.
    fn peek(&mut self, bytes: usize) -> Result<Option<Batch>, Error> {
        let _ = bytes;
        Ok(None)
    }

    /// Whether it can look ahead: then a [`Source::peek`] without a record means that there is none.
    fn can_peek(&self) -> bool {
        false
    }

    /// Returns an object that compares the source with its state when it was opened; `None` for one that cannot be read again,
    /// such as a pipe.
    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        None
    }

    /// About how many bytes of text are still to come; `None` if that is not known.
    fn bytes_left(&self) -> Option<u64> {
        None
    }

    /// From the next batch on, batches are to have about this many bytes of text. Ignored where a number of rows was requested.
    fn set_batch_bytes(&mut self, bytes: usize) {
        let _ = bytes;
    }
}
