//! The events of a running load, their text, and the function that receives them.

mod words;

use inrush_core::Place;
use inrush_core::load::Reject;
use inrush_core::load::ledger::JobId;
use inrush_core::load::report::{Records, Sort};
use inrush_core::load::tuner::Tuned;
use inrush_core::write::Choice;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// An event of a running load that is worth reporting.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadEvent {
    /// The table was created by this statement.
    Created(String),
    /// The table would be created by this statement: reported by a dry run.
    WouldCreate(String),
    /// The table that this run created was dropped again: nothing is stored in it.
    Dropped,
    /// The table that is to take the old one's place has another definition.
    Redefined {
        /// Lines of SHOW CREATE TABLE that are removed (`- ..`) and added (`+ ..`); none if it is the same.
        changes: Vec<String>,
    },
    /// The table is about to get the columns of this statement.
    Adds {
        /// ALTER TABLE .. ADD COLUMN.
        statement: String,
    },
    /// The server cannot add the columns without a rewrite of the table, which it does now.
    AddsSlowly {
        /// The server's message.
        reason: String,
    },
    /// The table would get the columns of this statement: reported by a dry run.
    WouldAdd {
        /// ALTER TABLE .. ADD COLUMN.
        statement: String,
    },
    /// Columns of the table are about to get the types of this statement.
    Widens {
        /// ALTER TABLE .. MODIFY COLUMN.
        statement: String,
    },
    /// Columns of the table would get the types of this statement: reported by a dry run.
    WouldWiden {
        /// ALTER TABLE .. MODIFY COLUMN.
        statement: String,
    },
    /// Fields that the table has no column for are left out.
    FieldsLeftOut {
        /// The source.
        source: Arc<str>,
        /// Their names.
        fields: Vec<String>,
    },
    /// The table was emptied.
    Truncated,
    /// The write method, and why; reported again when the server refuses one and the next is tried.
    Method(Choice),
    /// Rows are read and sorted first, before any of them is sent.
    Sorts {
        /// By these columns.
        columns: Vec<String>,
        /// Why.
        reason: String,
        /// About so many bytes of text, if the sources know.
        bytes: Option<u64>,
    },
    /// The rows are sorted.
    Sorted(Sort),
    /// Sorted rows are to be stored on a file system that is not on a disk of this machine.
    TempDir {
        /// The temporary folder.
        folder: PathBuf,
        /// The kind of file system, as text for people: a network, memory.
        on: &'static str,
    },
    /// The server is to sort rows, once all of them are stored.
    ServerSorts {
        /// It needs about so many bytes of disk for that, as far as is known.
        bytes: Option<u64>,
    },
    /// The server has no room for the requested number of connections.
    FewerLanes {
        /// How many there are.
        lanes: usize,
        /// The server's message.
        reason: String,
    },
    /// A chunk is stored.
    Stored(StoredChunk),
    /// A record was refused, and its chunk stored without it.
    Rejected(Reject),
    /// A chunk could not be stored, and will be tried again.
    Retry {
        /// The lane's number, counted from 1.
        lane: usize,
        /// Where the chunk begins.
        place: Place,
        /// The server's error code, 0 where the network failed.
        code: u16,
        /// The error message.
        message: String,
        /// How long it waits before that.
        pause: Duration,
    },
    /// A step of the load could not be done, and will be tried again.
    RetryStep {
        /// Which.
        what: &'static str,
        /// The server's error code, 0 where the network failed.
        code: u16,
        /// The error message.
        message: String,
        /// How long it waits before that.
        pause: Duration,
    },
    /// The server refused a transaction for its size: this chunk and those to come are stored in smaller ones.
    Shrunk {
        /// Where the chunk begins.
        place: Place,
        /// How large it was, in bytes as they are sent.
        bytes: usize,
        /// The server's message.
        message: String,
    },
    /// An earlier run has loaded this source; nothing of it is read.
    AlreadyLoaded {
        /// The source.
        source: Arc<str>,
        /// When, in UTC.
        on: String,
    },
    /// An earlier run has undone the load of this source; nothing of it is read.
    AlreadyUndone {
        /// The source.
        source: Arc<str>,
        /// When, in UTC.
        on: String,
    },
    /// The source was written to since it was loaded; as far as size and hash show, its content is the same.
    Touched {
        /// The source.
        source: Arc<str>,
    },
    /// Another file has taken the source's name since it was opened, or it has none any more; what was loaded is the old one.
    Replaced {
        /// The source.
        source: Arc<str>,
    },
    /// An earlier run has stored a part of this source; this run loads the remaining part.
    Resumed {
        /// The source.
        source: Arc<str>,
        /// Which job it is.
        job: JobId,
        /// Rows that are stored.
        rows: u64,
        /// Chunks that they came in.
        chunks: u64,
    },
    /// Another run of the same job still has transactions open, or prepares or ends its table; or a server has not noticed that its client
    /// is gone.
    WaitsForOlderRun {
        /// For how long, in seconds.
        seconds: u64,
    },
    /// A statement of the user was run.
    Ran {
        /// Which option it was given by.
        option: &'static str,
        /// The statement.
        statement: String,
    },
    /// The reject file lacks records that an earlier run refused: that run had no option to keep them.
    RejectsNotKept {
        /// How many.
        missing: u64,
    },
    /// Indexes were dropped, and will be rebuilt after the last row.
    IndexesDropped {
        /// Their names.
        names: Vec<String>,
    },
    /// The indexes were created again.
    IndexesRebuilt {
        /// Their names.
        names: Vec<String>,
    },
    /// The filled copy has taken the table's place.
    Swapped,
    /// The table that was replaced is kept: [`Loader::undo`](crate::Loader::undo) puts it back.
    Kept {
        /// Its name now.
        table: String,
        /// The job that names it.
        job: JobId,
    },
    /// A table that an earlier load had kept was dropped: its time was over.
    KeptTooLong {
        /// Its name.
        table: String,
    },
    /// The table was not emptied: rows of this load are in it already.
    NotEmptied,
    /// Lanes have nothing to do because there is no memory for another batch of the requested size. Reported once.
    ShortOfMemory {
        /// How many lanes are to be kept busy.
        lanes: usize,
        /// What a batch takes, in bytes, with the text made of it.
        takes: u64,
        /// What there is, in bytes: [`LoadOptions::memory`](crate::LoadOptions::memory).
        memory: u64,
        /// What would be enough, in bytes.
        enough: u64,
    },
    /// A lane has had no answer for this many seconds; `state` is what the server says it does.
    Silent {
        /// The lane's number, counted from 1.
        lane: usize,
        /// What it waits for.
        waiting_for: &'static str,
        /// For how long, in seconds.
        seconds: u64,
        /// The server's state of that connection, or why it is not known.
        state: String,
    },
    /// The load waits, because the server has too much to do or a replica lags: the first time, and if a wait is long. Again each minute while it
    /// waits.
    Yields {
        /// Which signals and lags exceed their limits, and by what; or why lags are not known.
        reason: String,
    },
    /// The load continues after a wait that was reported.
    Continues {
        /// For how long it waited.
        waited: Duration,
    },
    /// It has waited since the last report: the short waits of a minute.
    Yielded {
        /// How many there were.
        times: u64,
        /// How long they were in all.
        waited: Duration,
        /// Why, as in `Yields`: the reason of one of the last.
        reason: String,
    },
    /// What the load yields to cannot be read for now; the load waits or continues as before.
    ThrottleUnread {
        /// Whether it waits.
        waits: bool,
        /// The error.
        reason: String,
    },
    /// The number of lanes or the size of batches changes now, or stays after a trial.
    Tuned(Tuned),
}

/// A chunk that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// The lane's number, counted from 1.
    pub lane: usize,
    /// Which records.
    pub records: Records,
    /// Rows stored.
    pub rows: u64,
    /// Rows that the mode left out.
    pub skipped: u64,
    /// Records refused.
    pub rejected: u64,
    /// Bytes of its text (decompressed).
    pub bytes: u64,
    /// From the moment the lane had it to the server's last answer.
    pub elapsed: Duration,
}

/// The function that receives the events.
pub type EventHandler = Box<dyn Fn(&LoadEvent) + Send + Sync>;
