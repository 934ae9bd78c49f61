//! A batch as files of LOAD DATA LOCAL, one transaction for all of them.
//!
//! LOCAL turns what an INSERT would refuse into warnings. So any answer that does not confirm that every row is stored as it was
//! sent is a doubt: the batch is undone and written again, strictly, by statements, whose result counts.

use super::report::Counters;
use crate::convert::BoundRows;
use crate::error::{Error, Kind, Result};
use crate::session::{LoadCounts, Outcome};
use crate::write::answer::{Verdict, compare_counts};
use crate::write::load_data::LoadData;

/// A batch that is sent as files.
pub struct Load<'a> {
    text: LoadData,
    rows: &'a dyn BoundRows,
    /// The first row that is not sent yet.
    next: usize,
    /// Rows of the current file.
    n_sent: usize,
    in_doubt: bool,
    counters: Counters,
}

impl<'a> Load<'a> {
    pub(super) fn new(text: LoadData, rows: &'a dyn BoundRows) -> Self {
        Self { text, rows, next: 0, n_sent: 0, in_doubt: false, counters: Counters::default() }
    }

    /// The statement that reads a file of this content and name.
    pub fn sql(&self, content: &[u8], file_name: &str) -> String {
        self.text.statement(content, file_name)
    }

    /// Writes the next file. Returns `false` if there is none.
    ///
    /// # Errors
    /// Those of the rows; `Data` for a value that a text cannot represent, which is a doubt.
    pub fn content(&mut self, out: &mut Vec<u8>) -> Result<bool> {
        out.clear();
        let range = self.next..self.rows.n_rows();
        let n_rows = self.text.encode(self.rows, range, FILE_BYTES, out).inspect_err(|error| {
            self.in_doubt = error.kind() == Kind::Data;
        })?;
        self.n_sent = n_rows;
        self.next += n_rows;
        Ok(n_rows > 0)
    }

    /// Handles the answer to a file.
    ///
    /// # Errors
    /// `Data` if it leaves a doubt.
    pub fn answered(&mut self, outcome: &Outcome) -> Result<()> {
        let counts = LoadCounts::parse(&outcome.info);
        if counts.is_some_and(|counts| compare_counts(self.n_sent as u64, counts) == Verdict::Clean) {
            self.counters.n_rows += self.n_sent as u64;
            self.counters.add(outcome);
            return Ok(());
        }
        self.in_doubt = true;
        let said = if outcome.info.is_empty() { "nothing" } else { outcome.info.trim() };
        Err(Error::data(format!("LOAD DATA of {} rows was answered by: {said}", self.n_sent)))
    }

    /// Whether an answer left a doubt.
    pub fn is_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Returns the sums over the answers.
    pub fn take_counters(&mut self) -> Counters {
        std::mem::take(&mut self.counters)
    }
}

/// As much as a chunk of a load (docs/notes/chunk-size.md).
const FILE_BYTES: usize = 4 * 1024 * 1024;
