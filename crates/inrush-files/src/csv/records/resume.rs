//! Resume: skips the ranges of the text that are stored already.
//!
//! The reader reads the gaps between them. A gap ends where the next stored range begins, and no record may cross that place: otherwise the
//! source is a different one, also if checksums are not compared. Plain UTF-8 files are compared at once, and the reader seeks in them; all
//! others are read in order, and compared meanwhile.

use super::RecordReader;
use crate::input::Input;
use crate::on_disk::{OnDisk, changed};
use crate::opened_file::TextPlace;
use inrush_core::error::{Error, Result};
use inrush_core::load::ledger::{ChunkLine, Identity};
use std::collections::VecDeque;
use std::hash::Hasher as _;
use twox_hash::XxHash3_64;

/// The stored ranges that the reader has not reached yet.
#[derive(Debug, Default)]
pub(super) struct Stored {
    ahead: VecDeque<ChunkLine>,
    /// Whether they are compared when they are skipped.
    verify: bool,
}

impl Stored {
    /// The end of the current gap, unless it is the end of the text.
    pub(super) fn gap_end(&self) -> Option<u64> {
        self.ahead.front().map(|line| line.span.start)
    }
}

impl RecordReader {
    /// See [`Source::identity`](inrush_core::load::Source::identity).
    pub(crate) fn identity(&mut self) -> Result<Option<Identity>> {
        match &self.place {
            TextPlace::OnDisk(file) => return file.identity().map(Some),
            TextPlace::Nowhere => return Ok(None),
            TextPlace::Stream => {}
        }
        while self.input.head().len() < Input::HEAD && !self.ended && self.failed.is_none() {
            self.fill(0);
        }
        let hash = inrush_core::load::checksum::checksum(self.input.head());
        Ok(Some(Identity { name: "-".into(), size: None, modified: None, hash }))
    }

    /// See [`Source::resume`](inrush_core::load::Source::resume).
    pub(crate) fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<()> {
        self.in_order(stored)?;
        // The ledger compares identities before.
        let is_proved = self.seekable().is_some_and(OnDisk::is_proved);
        if let Some(file) = self.seekable().filter(|_| !is_proved) {
            self.compare_in(file, stored, verify)?;
        }
        self.stored = Stored { ahead: stored.iter().cloned().collect(), verify };
        Ok(())
    }

    /// Compares the stored ranges if that is possible without advancing. Returns whether it is.
    pub(crate) fn compare(&self, stored: &[ChunkLine]) -> Result<bool> {
        let Some(file) = self.seekable() else { return Ok(false) };
        self.in_order(stored)?;
        self.compare_in(file, stored, true)?;
        Ok(true)
    }

    fn in_order(&self, stored: &[ChunkLine]) -> Result<()> {
        let mut at = self.text_at;
        for line in stored {
            if line.span.start < at || line.span.end <= line.span.start {
                return Err(changed(&self.name, &format!("its rows begin behind byte {}", line.span.start)));
            }
            at = line.span.end;
        }
        Ok(())
    }

    fn compare_in(&self, file: &OnDisk, stored: &[ChunkLine], verify: bool) -> Result<()> {
        let mark = self.input.mark();
        for line in stored {
            let Some(end) = mark.checked_add(line.span.end).filter(|end| *end <= file.size()) else {
                return Err(self.too_short(line));
            };
            let bytes = line.span.end - line.span.start;
            if verify && file.checksum(end - bytes, bytes)? != line.checksum {
                return Err(self.differs(line));
            }
            if !file.is_line_end(end)? {
                return Err(self.went_on(line));
            }
        }
        Ok(())
    }

    /// Skips the stored ranges at the current place of the text.
    pub(super) fn pass_stored(&mut self) -> Result<()> {
        while self.stored.gap_end() == Some(self.text_at)
            && let Some(line) = self.stored.ahead.pop_front()
        {
            if line.span.end - self.text_at <= self.text.len() as u64 && self.seekable().is_some() {
                self.take_away((line.span.end - self.text_at) as usize);
            } else if let Some(file) = self.seekable().cloned() {
                self.jump(&file, line.span.end);
            } else {
                self.read_over(&line)?;
            }
            self.line = line.first_line + line.lines;
            self.record = line.first_record + line.records;
        }
        Ok(())
    }

    /// The error for a source that ends within the gap, or with a record that crosses the start of the next stored range.
    pub(super) fn gap_is_torn(&self) -> Error {
        let line = self.stored.ahead.front().map_or(0, |line| line.first_line);
        changed(&self.name, &format!("line {line} and those after it are stored, but no line begins there any more"))
    }

    /// The file, if offsets of the text are offsets in the file.
    fn seekable(&self) -> Option<&OnDisk> {
        self.place.on_disk().filter(|_| {
            self.compression == crate::Compression::None && !self.is_rewritten && self.input.is_as_on_disk()
        })
    }

    fn jump(&mut self, file: &OnDisk, to: u64) {
        self.text.clear();
        self.text_at = to;
        self.input = self.input.moved(file, to, &self.meter);
        (self.ended, self.failed) = (false, None);
    }

    /// Reads a stored range, and compares it.
    fn read_over(&mut self, line: &ChunkLine) -> Result<()> {
        let mut hasher = XxHash3_64::with_seed(0);
        let mut last = None;
        while self.text_at < line.span.end {
            if self.text.is_empty() {
                if self.ended {
                    return Err(self.too_short(line));
                }
                self.read_on(0)?;
            }
            let n = self.text.len().min((line.span.end - self.text_at) as usize);
            if self.stored.verify {
                hasher.write(&self.text[..n]);
            }
            last = self.text[..n].last().copied();
            self.take_away(n);
        }
        if self.stored.verify && hasher.finish() != line.checksum {
            return Err(self.differs(line));
        }
        if last != Some(b'\n') {
            if self.text.is_empty() && !self.ended {
                self.read_on(0)?;
            }
            if !self.text.is_empty() {
                return Err(self.went_on(line));
            }
        }
        Ok(())
    }

    /// Removes the first `n` bytes; the caller counts their lines.
    fn take_away(&mut self, n: usize) {
        self.text.drain(..n);
        self.text_at += n as u64;
        self.input.forget_malformed_before(self.text_at);
    }

    fn differs(&self, line: &ChunkLine) -> Error {
        let (first, last) = (line.first_line, line.first_line + line.lines.max(1) - 1);
        changed(&self.name, &format!("lines {first} to {last} have changed since"))
    }

    /// The error for a last line that was stored while it was being written.
    fn went_on(&self, line: &ChunkLine) -> Error {
        // The number of lines is the number of line ends.
        let last = line.first_line + line.lines;
        changed(&self.name, &format!("line {last} was its last one, had no line end, and goes on now"))
    }

    fn too_short(&self, line: &ChunkLine) -> Error {
        changed(&self.name, &format!("it ends before line {}", line.first_line + line.lines))
    }
}
