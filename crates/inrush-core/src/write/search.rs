//! The search for bad rows in a chunk or a batch that the server refused as a whole: which rows are tried together, and which alone.
//!
//! Rows are tried in their order, so of two equal keys the first is stored. A statement that fails undoes only itself, and all
//! that it did before it met the bad row is lost. So halves are tried; where bad rows are many, each row is sent in a statement
//! of its own, all in one flight. The measurements are in docs/notes/bad-rows.md.

use std::ops::Range;

/// What is tried next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Try {
    /// These rows in one statement, as far as one holds them.
    Together(Range<usize>),
    /// Each of these rows in a statement of its own.
    OneByOne(Range<usize>),
}

/// A search in progress.
#[derive(Clone, Debug)]
pub struct Search {
    /// A stack, the earliest rows on top.
    pending: Vec<Try>,
    /// Rows whose fate is known, and how many of them are bad; the older they are, the less they count.
    tried: usize,
    bad: usize,
}

impl Search {
    /// A search in these rows. `bad_share` is what an earlier one came to, see [`Search::bad_share`].
    pub fn new(rows: Range<usize>, bad_share: f64) -> Self {
        // Where the last rows were good, the share among these rows is measured again.
        let bad = (bad_share.clamp(0.0, 1.0) * SAMPLE_ROWS as f64) as usize;
        let tried = if bad > 0 { SAMPLE_ROWS } else { 0 };
        let mut search = Self { pending: Vec::new(), tried, bad };
        search.push(Try::Together(rows));
        search
    }

    /// One that tries each of these rows alone.
    pub fn apart(rows: Range<usize>) -> Self {
        let mut search = Self { pending: Vec::new(), tried: 0, bad: 0 };
        search.push(Try::OneByOne(rows));
        search
    }

    /// These rows of the last statement were not sent and are left for later.
    pub fn left(&mut self, rows: Range<usize>) {
        self.push(Try::Together(rows));
    }

    /// So many rows went in together.
    pub fn stored(&mut self, n_rows: usize) {
        self.count(n_rows, 0);
    }

    /// These rows were refused together: at least one of them is bad. `named`: the row that the server names, counted from 1.
    pub fn refused(&mut self, rows: Range<usize>, named: Option<u64>) {
        if rows.len() <= APART_ROWS {
            self.push(Try::OneByOne(rows));
            return;
        }
        // Where bad rows are many, the first of them is among the first rows, and halves learn their share sooner.
        let is_far = |n: u64| n.saturating_sub(1).saturating_mul(FAR) >= rows.len() as u64;
        let parts = cut(rows.clone(), named.filter(|n| is_far(*n)));
        parts.into_iter().rev().for_each(|part| self.push(Try::Together(part)));
    }

    /// Counts rows that were tried one by one, and how many of them were bad.
    pub fn told_apart(&mut self, n_rows: usize, n_bad: usize) {
        self.count(n_rows, n_bad);
    }

    /// The share of bad rows among the last that were tried, for the next search in the same source.
    pub fn bad_share(&self) -> f64 {
        if self.tried < SAMPLE_ROWS { 0.0 } else { self.bad as f64 / self.tried as f64 }
    }

    fn push(&mut self, next: Try) {
        let (Try::Together(rows) | Try::OneByOne(rows)) = &next;
        if !rows.is_empty() {
            self.pending.push(next);
        }
    }

    fn count(&mut self, n_rows: usize, n_bad: usize) {
        self.tried += n_rows;
        self.bad += n_bad;
        while self.tried > MEMORY_ROWS {
            self.tried /= 2;
            self.bad /= 2;
        }
    }

    fn has_many_bad(&self) -> bool {
        self.tried >= SAMPLE_ROWS && self.bad * 100 > self.tried * MANY_PERCENT
    }
}

/// Splits rows that were refused together into the parts that are tried again, in their order: halves, or around the row that the
/// server named (counted from 1). The named row becomes a part of its own, which proves whether it is the bad one. The rows after
/// it are halved too, so that a trigger that names the same row each time does not cause them to be tried one by one. A part may
/// be empty.
fn cut(rows: Range<usize>, named: Option<u64>) -> [Range<usize>; 4] {
    let named = named.and_then(|n| usize::try_from(n).ok()?.checked_sub(1)).filter(|at| *at < rows.len());
    let (from, to) = match named {
        Some(at) => (rows.start + at, rows.start + at + 1),
        None => (rows.start + rows.len() / 2, rows.start + rows.len() / 2),
    };
    let half = match named {
        Some(_) => to + (rows.end - to) / 2,
        None => to,
    };
    [rows.start..from, from..to, to..half, half..rows.end]
}

/// What to try next; none: every row's fate is known.
impl Iterator for Search {
    type Item = Try;

    fn next(&mut self) -> Option<Try> {
        match self.pending.pop()? {
            Try::Together(rows) if self.has_many_bad() => {
                let end = rows.end.min(rows.start + FLIGHT_ROWS);
                self.push(Try::Together(end..rows.end));
                Some(Try::OneByOne(rows.start..end))
            }
            next => Some(next),
        }
    }
}

/// Above this share of bad rows a statement a row costs the server less than halves that are refused and undone
/// (docs/notes/bad-rows.md).
const MANY_PERCENT: usize = 1;

/// The number of rows that must be tried before their share of bad ones is significant.
const SAMPLE_ROWS: usize = 200;

/// Beyond this number of tried rows, the older ones count half.
const MEMORY_ROWS: usize = 4_000;

/// Rows that were refused together are tried one by one if there are at most this many: halving them further costs more round
/// trips than it saves statements.
const APART_ROWS: usize = 8;

/// The row that a server names is tried alone if at least one in so many of the statement's rows come before it.
const FAR: u64 = 2;

/// The number of rows tried one by one before the share of bad rows is evaluated again.
const FLIGHT_ROWS: usize = 500;

#[cfg(test)]
mod tests;
