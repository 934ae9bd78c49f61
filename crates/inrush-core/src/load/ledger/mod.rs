//! The ledger of a load: tables in the target's schema that record which parts of each source are stored, written in the
//! transactions that store them. This module has its lines as values, its statements as texts, and the decisions that follow from
//! it; the loader does the I/O.
//!
//! ```text
//! inrush_job     a line a source: what it is, how it is read, how far it came, and the epoch that fences off older runs
//! inrush_chunk   a line a stored chunk of a job that is not done
//! inrush_reject  a line a record that was left out of a stored chunk
//! ```

mod decide;
mod fence;
mod id;
mod job;
mod mapping;
mod named;
mod run_lock;
mod step;
mod tables;
mod targets;
mod undo;

pub use decide::{Held, Opening, Run, Undone, decide};
pub use fence::{Fence, RejectRow};
pub use id::JobId;
pub use job::{JobLine, LastRun, Start, Totals};
pub use mapping::Mapping;
pub use named::NamedJob;
pub use run_lock::RunLocks;
pub use step::{JobStep, State};
pub use tables::{Ledger, text as text_literal};
pub use targets::{Routine, untransacted};
pub use undo::{Load as UndoneLoad, Undoable, undoable};

use std::ops::Range;

/// One chunk that is stored: a line of `inrush_chunk`. What no line covers is missing, and may be cut in any way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkLine {
    /// Which part of the source it is, as [`Origin::span`](super::Origin::span) has it.
    pub span: Range<u64>,
    /// The number of its first record, counted from 1.
    pub first_record: u64,
    /// How many records it has, the rejected and the skipped ones included.
    pub records: u64,
    /// The line on which it begins, counted from 1.
    pub first_line: u64,
    /// How many lines end in it.
    pub lines: u64,
    /// Rows that are in the table.
    pub rows: u64,
    /// Rows that the mode left out, such as duplicates under `ignore`.
    pub skipped: u64,
    /// Records that are in `inrush_reject` instead.
    pub rejected: u64,
    /// [`Batch::checksum`](super::Batch::checksum) of what was read.
    pub checksum: u64,
}

/// What a source is, beyond its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its name wherever the program is started: a path from the root; for a stream that has none `-`.
    pub name: String,
    /// Its bytes on the disk, compressed if they are; `None` for a stream.
    pub size: Option<u64>,
    /// When it was last written, in nanoseconds since 1970; `None` for a stream.
    pub modified: Option<i64>,
    /// XXH3 of its first and last block and of 16 in between, at places that its size decides; of a stream's first block.
    ///
    /// Of an object its ETag's, if it has one.
    pub hash: u64,
}

impl Identity {
    /// Whether it is an object of a store or an HTTP server. Nothing is appended to such a one, so that another hash is another content.
    pub fn is_object(&self) -> bool {
        !self.name.starts_with('/') && self.name.contains("://")
    }
}
