//! The sorted sequence as a source of a load: its chunks are cut from the merge; what is already stored is compared and skipped.
//!
//! Invariant: a row takes as many positions of the sequence as its line has bytes, a reject takes one; rejects come after all
//! rows. So a chunk's span says which part of the sequence it is, in every run.

use super::merge::{Blocks, Merge};
use super::reject::{is_reject, read_reject};
use super::{Sequence, SortedText};
use crate::error::{Error, Kind, Result};
use crate::load::ledger::ChunkLine;
use crate::load::{Batch, FieldUse, Origin, RawChunk, Reject, Source};
use arrow_array::{ArrayRef, BinaryViewArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::Buffer;
use arrow_schema::{DataType, Field, Schema};
use std::collections::VecDeque;
use std::hash::Hasher;
use std::sync::Arc;
use twox_hash::XxHash3_64;

/// Rows and rejects in the order of the sequence.
#[derive(Debug)]
pub struct SortedSource<B> {
    merge: Merge<B>,
    sequence: Sequence,
    /// What is stored, ascending.
    stored: VecDeque<ChunkLine>,
    size: Size,
    /// Where it is in the sequence.
    at: u64,
    /// Records before that.
    n_before: u64,
    /// Bytes of all lines.
    text_bytes: u64,
}

/// How large a chunk becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// So many rows.
    Rows(usize),
    /// About so many bytes of text, until [`Source::set_batch_bytes`] says otherwise.
    Bytes(usize),
}

impl<B: Blocks> SortedSource<B> {
    /// Of `merge`, whose lines have `text_bytes` bytes together. `stored` are lines of the ledger, ascending.
    pub fn new(merge: Merge<B>, sequence: Sequence, size: Size, text_bytes: u64, stored: Vec<ChunkLine>) -> Self {
        Self { merge, sequence, stored: stored.into(), size, at: 0, n_before: 0, text_bytes }
    }

    /// Skips the stored chunks that begin here, and compares them.
    fn pass_over(&mut self) -> Result<()> {
        while let Some(line) = self.stored.front() {
            if self.at < line.span.start {
                return Ok(());
            }
            let (mut sum, mut n_records) = (XxHash3_64::with_seed(0), 0);
            while self.at < line.span.end
                && let Some(record) = self.merge.peek()
            {
                if is_reject(&record) {
                    self.at += 1;
                } else {
                    sum.write(record.line);
                    self.at += record.line.len() as u64;
                }
                n_records += 1;
                self.merge.advance()?;
            }
            if (self.at, n_records, sum.finish()) != (line.span.end, line.records, line.checksum) {
                return Err(self.not_the_same());
            }
            self.n_before += n_records;
            self.stored.pop_front();
        }
        Ok(())
    }

    fn not_the_same(&self) -> Error {
        let message = format!("what is stored of {} is not what it would be now", self.sequence.name);
        Error::new(Kind::Guarantee, message)
            .with_hint("a file has changed, or another one was sorted with it, or an option is another one: go on with those that the load was begun with")
    }

    /// Whether `taken` places of the sequence reach the next stored chunk; an error if they go beyond its start.
    fn is_at_stored(&self, taken: u64) -> Result<bool> {
        match self.stored.front() {
            Some(line) if self.at + taken > line.span.start => Err(self.not_the_same()),
            Some(line) => Ok(self.at + taken == line.span.start),
            None => Ok(false),
        }
    }

    fn rows(&mut self) -> Result<Box<dyn RawChunk>> {
        let (most_rows, most_bytes) = match self.size {
            Size::Rows(rows) => (rows, MOST_BYTES),
            Size::Bytes(bytes) => (usize::MAX, bytes.clamp(1, MOST_BYTES)),
        };
        let mut text = SortedText::default();
        while let Some(record) = self.merge.peek().filter(|record| !is_reject(record)) {
            let is_full = text.n_rows() >= most_rows as u64 || text.len() + record.line.len() > most_bytes;
            if is_full && !text.is_empty() || !text.is_empty() && self.is_at_stored(text.len() as u64)? {
                break;
            }
            text.push(&record);
            self.merge.advance()?;
        }
        self.is_at_stored(text.len() as u64)?;
        let (start, n_before) = (self.at, self.n_before);
        self.at += text.len() as u64;
        self.n_before += text.n_rows();
        Ok(Box::new(text.take(&self.sequence, n_before, start)))
    }

    fn rejects(&mut self) -> Result<Box<dyn RawChunk>> {
        let (mut rejects, mut bytes): (Vec<Reject>, usize) = (Vec::new(), 0);
        while let Some(record) = self.merge.peek() {
            let is_full = rejects.len() >= REJECTS_A_CHUNK || bytes + record.raw.len() > REJECT_BYTES_A_CHUNK;
            if !rejects.is_empty() && (is_full || self.is_at_stored(rejects.len() as u64)?) {
                break;
            }
            bytes += record.raw.len();
            rejects.push(read_reject(&record, &self.sequence.sources)?);
            self.merge.advance()?;
        }
        let n_rejects = rejects.len() as u64;
        let origin = Origin {
            source: self.sequence.name.clone(),
            first_record: self.n_before + 1,
            first_line: self.n_before + 1,
            span: self.at..self.at + n_rejects,
            text: Buffer::from(&[][..]),
            lines: 0,
            verbatim: None,
            record_starts: Vec::new(),
            record_ends: Vec::new(),
            stood: None,
        };
        self.at += n_rejects;
        self.n_before += n_rejects;
        Ok(Box::new(Batch { rows: no_rows(&self.sequence.fields)?, utf8: true, known: Vec::new(), origin, rejects }))
    }
}

impl<B: Blocks + Send> Source for SortedSource<B> {
    fn name(&self) -> &str {
        &self.sequence.name
    }

    fn fields(&self) -> &[String] {
        &self.sequence.fields
    }

    /// All of them were selected when they were sorted.
    fn select(&mut self, _: &[FieldUse]) {}

    fn next(&mut self) -> Result<Option<Batch>> {
        self.next_raw_chunk()?.map(RawChunk::parse).transpose()
    }

    fn next_raw_chunk(&mut self) -> Result<Option<Box<dyn RawChunk>>> {
        self.pass_over()?;
        match self.merge.peek().map(|record| is_reject(&record)) {
            Some(true) => self.rejects().map(Some),
            Some(false) => self.rows().map(Some),
            None if self.stored.is_empty() => Ok(None),
            None => Err(self.not_the_same()),
        }
    }

    fn bytes_left(&self) -> Option<u64> {
        Some(self.text_bytes.saturating_sub(self.at))
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        if let Size::Bytes(now) = &mut self.size {
            *now = bytes;
        }
    }
}

fn no_rows(fields: &[String]) -> Result<RecordBatch> {
    let schema =
        Schema::new(fields.iter().map(|name| Field::new(name, DataType::BinaryView, true)).collect::<Vec<_>>());
    let column = || Arc::new(BinaryViewArray::from_iter_values([] as [&[u8]; 0])) as ArrayRef;
    let options = RecordBatchOptions::new().with_row_count(Some(0));
    RecordBatch::try_new_with_options(Arc::new(schema), fields.iter().map(|_| column()).collect(), &options)
        .map_err(|error| Error::data(format!("a batch could not be built: {error}")))
}

/// 1 GiB: offsets within a chunk are 32 bits.
const MOST_BYTES: usize = 1 << 30;

/// Each chunk is a transaction, and holds the records in memory.
const REJECTS_A_CHUNK: usize = 1000;
const REJECT_BYTES_A_CHUNK: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Place;
    use crate::load::checksum::checksum;
    use crate::load::sort::merge::tests::InMemory;
    use crate::load::sort::{REJECT, ROW, Record, RunBuilder, SourcePlace, write_reject};

    const N_ROWS: u64 = 2000;
    const N_REJECTS: u64 = 2500;

    fn source(size: Size, stored: Vec<ChunkLine>) -> SortedSource<InMemory> {
        let mut runs = [RunBuilder::new(0), RunBuilder::new(0)];
        for i in 0..N_ROWS {
            let (key, line) = ([ROW, (i % 251) as u8], format!("{}\t{i}\n", "x".repeat((i % 50) as usize)));
            let place = SourcePlace::new(0, i + 1);
            runs[i as usize % 2].push(&Record { key: &key, place, line: line.as_bytes(), raw: b"" });
        }
        for i in 0..N_REJECTS {
            let mut line = Vec::new();
            let place = Place { source: "a.csv".into(), line: N_ROWS + i, column: None };
            write_reject(&Reject::new(place, format!("bad {i}"), Default::default(), []), &mut line);
            let place = SourcePlace::new(0, N_ROWS + i);
            runs[i as usize % 2].push(&Record { key: &[REJECT], place, line: &line, raw: b"bad\n" });
        }
        let sequence = Sequence {
            name: "`a.csv`, sorted".into(),
            sources: [Arc::from("a.csv")].into(),
            fields: ["a".to_owned(), "b".to_owned()].into(),
            keeps_raw: false,
        };
        let merge = Merge::new(runs.map(|mut run| InMemory::of(&mut run))).unwrap();
        SortedSource::new(merge, sequence, size, 0, stored)
    }

    fn all(source: &mut SortedSource<InMemory>) -> Result<Vec<ChunkLine>> {
        let mut lines = Vec::new();
        while let Some(batch) = source.next()? {
            lines.push(ChunkLine {
                span: batch.origin.span.clone(),
                first_record: batch.origin.first_record,
                records: batch.records(),
                first_line: batch.origin.first_line,
                lines: batch.origin.lines,
                rows: batch.rows.num_rows() as u64,
                skipped: 0,
                rejected: batch.rejects.len() as u64,
                checksum: batch.checksum(),
            });
        }
        Ok(lines)
    }

    #[test]
    fn chunks_cover_the_sequence() {
        for size in [Size::Rows(300), Size::Bytes(5000), Size::Bytes(1)] {
            let lines = all(&mut source(size, Vec::new())).unwrap();
            let (mut at, mut n_before) = (0, 0);
            for line in &lines {
                assert_eq!((line.span.start, line.first_record), (at, n_before + 1));
                (at, n_before) = (line.span.end, n_before + line.records);
                assert_eq!(line.rows + line.rejected, line.records);
            }
            assert_eq!(lines.iter().map(|line| line.rows).sum::<u64>(), N_ROWS);
            assert_eq!(lines.iter().map(|line| line.rejected).sum::<u64>(), N_REJECTS);
        }
    }

    #[test]
    fn what_is_stored_is_left_out_however_the_rest_is_cut() {
        let first = all(&mut source(Size::Bytes(3000), Vec::new())).unwrap();
        for every in 2..5 {
            let stored: Vec<ChunkLine> = first.iter().skip(every % 2).step_by(every).cloned().collect();
            let mut lines = all(&mut source(Size::Rows(70), stored.clone())).unwrap();
            lines.extend(stored);
            lines.sort_by_key(|line| line.span.start);
            assert!(lines.windows(2).all(|pair| pair[0].span.end == pair[1].span.start));
            assert!(lines.windows(2).all(|pair| pair[0].first_record + pair[0].records == pair[1].first_record));
            assert_eq!(lines.iter().map(|line| line.records).sum::<u64>(), N_ROWS + N_REJECTS);
        }
        assert_eq!(all(&mut source(Size::Rows(70), first)).unwrap(), []);
    }

    #[test]
    fn what_is_stored_must_be_the_same() {
        let line = all(&mut source(Size::Bytes(3000), Vec::new())).unwrap().swap_remove(2);
        let wrong: [fn(&mut ChunkLine); 5] = [
            |line| line.checksum ^= 1,
            |line| line.records += 1,
            |line| line.span.end += 1,
            |line| line.span.start += 1,
            |line| line.span = 1 << 40..(1 << 40) + 1,
        ];
        for change in wrong {
            let mut line = line.clone();
            change(&mut line);
            let error = all(&mut source(Size::Bytes(3000), vec![line])).unwrap_err();
            assert_eq!(error.kind(), Kind::Guarantee, "{error}");
        }
    }

    #[test]
    fn rejects_keep_their_places() {
        let mut source = source(Size::Bytes(1 << 20), Vec::new());
        let mut rejects = Vec::new();
        while let Some(batch) = source.next().unwrap() {
            assert_eq!(batch.origin.text.is_empty(), batch.rows.num_rows() == 0);
            assert_eq!(batch.checksum(), checksum(&batch.origin.text));
            rejects.extend(batch.rejects);
        }
        let lines: Vec<u64> = rejects.iter().map(|reject| reject.place.line).collect();
        assert_eq!(lines, (N_ROWS..N_ROWS + N_REJECTS).collect::<Vec<_>>());
        assert_eq!(
            (&*rejects[7].place.source, &*rejects[7].reason, &*rejects[7].raw),
            ("a.csv", "bad 7", &b"bad\n"[..])
        );
    }
}
