//! Single rows of many callers that are sent together: what both twins of an inserter share, which is everything but the waiting.
//!
//! | file | what |
//! |---|---|
//! | [`options`] | how much a batch holds, how much may wait, what is promised |
//! | [`queue`] | which rows form the next batch, who waits for room, which lane has work: pure |
//! | [`attempts`] | a batch from its first attempt to its end: pure |
//! | [`shape`] | the columns of the rows, and their statement |
//! | [`answers`] | where the callers of a batch find their answers, be they threads or tasks |
//! | [`shared`] | the queue in its mutex, and the values that give back what they hold when they are dropped |
//! | [`workers`] | which worker writes for the lanes of one or of many inserters |
//! | [`tables`] | the inserters of many tables, by their names |
//! | [`meters`] | metrics in the style of OpenTelemetry |
//!
//! Invariants: every row that was taken is answered exactly once, whatever ends; no row is sent again unless nothing of the last
//! attempt can be stored; there is no batching delay.

pub(crate) mod answers;
pub(crate) mod attempts;
#[cfg(feature = "metrics")]
mod meters;
#[cfg(not(feature = "metrics"))]
#[path = "no_meters.rs"]
mod meters;
mod options;
pub(crate) mod queue;
pub(crate) mod shape;
pub(crate) mod shared;
pub(crate) mod tables;
pub(crate) mod workers;

pub use options::{InserterOptions, OnDuplicate};

use crate::{Error, Result};
use inrush_core::batch::{BatchOptions, OnBadRow};
use inrush_core::convert::{BoundRows, RowBuffer};
use inrush_core::profile::Profile;
use inrush_core::value::Value;
use inrush_core::write::Method;

/// The values of a row that is alone in its batch, and can be bound: it is checked already, so it is sent like any INSERT, at its price.
pub(crate) fn one_row(rows: &RowBuffer) -> Result<Option<Vec<Value<'_>>>> {
    if rows.n_rows() != 1 {
        return Ok(None);
    }
    let mut values = Vec::with_capacity(rows.n_columns());
    rows.row(0, &mut values)?;
    Ok(Some(values).filter(|values| !values.contains(&Value::Default)))
}

/// The error of a statement that commits by itself: without the server's answer, it may have been done.
pub(crate) fn unanswered(error: Error) -> Error {
    match error.is_fatal() && error.code() == 0 {
        true => error.outcome_unknown(),
        false => error,
    }
}

/// How several rows are written: bad rows among them are set aside.
///
/// If text is fast, one statement of text is used: it is one command, so one commit, whatever the number of rows.
pub(crate) fn batch_options(n_rows: usize, profile: &Profile, wants_ids: bool) -> BatchOptions {
    let options = BatchOptions::new().with_bytes(MAX_COMMAND);
    if n_rows == 1 {
        // An invalid option is reported later, by its own error.
        return options;
    }
    let method = profile.text_is_fast.then_some(Method::MultiRow);
    options.with_method(method).with_bad_rows(OnBadRow::Skip).with_ids(wants_ids)
}

/// Memory of a batch that is kept for the next one: of an inserter by itself, and of one among many.
pub(crate) const MAX_SPARE_BYTES: usize = 8 << 20;
pub(crate) const MAX_SPARE_BYTES_OF_MANY: usize = 64 << 10;

/// One command a batch, as far as the server accepts it.
const MAX_COMMAND: usize = 1 << 30;

/// A row that is stored for good.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inserted {
    /// The id that the server generated for it, if the server reports one.
    pub id: Option<u64>,
}

/// An inserter at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InserterStatus {
    /// Rows that wait to be written.
    pub queued: usize,
    /// Their bytes.
    pub queued_bytes: usize,
    /// Rows that are being written.
    pub in_flight: usize,
    /// How many callers wait for room in the queue.
    pub waiting: usize,
    /// Rows stored so far.
    pub stored: u64,
    /// Rows refused so far; none of them is stored.
    pub failed: u64,
    /// Rows of unknown outcome.
    pub unknown: u64,
    /// Batches so far.
    pub batches: u64,
}
