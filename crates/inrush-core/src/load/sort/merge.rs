//! Merges runs into one sequence: the least of the first rows of all runs comes next.

use super::record::{Record, prefix};
use crate::error::Result;
use std::cmp::Ordering;

/// Where a run's blocks come from, in order.
pub trait Blocks {
    /// Replaces the content of `records` by the records of the next block, verified. Returns `false` if there is none.
    ///
    /// # Errors
    /// `Io` if it cannot be read, or is not what was written.
    fn next_block(&mut self, records: &mut Vec<u8>) -> Result<bool>;
}

/// Merges runs.
#[derive(Debug)]
pub struct Merge<B> {
    runs: Vec<Cursor<B>>,
    /// A heap: the run with the least row is first.
    heap: Vec<Head>,
}

/// The row that a run is at.
#[derive(Clone, Copy, Debug)]
struct Head {
    prefix: u64,
    run: usize,
}

#[derive(Debug)]
struct Cursor<B> {
    blocks: B,
    /// Records.
    block: Vec<u8>,
    /// Where the row that it is at begins in the block, and where the next one does.
    at: usize,
    next: usize,
}

impl<B: Blocks> Cursor<B> {
    /// Advances to the next row. Returns `false` if there is none.
    fn advance(&mut self) -> Result<bool> {
        self.at = self.next;
        while self.at == self.block.len() {
            self.block.clear();
            if !self.blocks.next_block(&mut self.block)? {
                (self.at, self.next) = (0, 0);
                return Ok(false);
            }
            self.at = 0;
        }
        let mut rest = &self.block[self.at..];
        Record::take(&mut rest)?;
        self.next = self.block.len() - rest.len();
        Ok(true)
    }
}

impl<B> Cursor<B> {
    /// The row that it is at, which was read before.
    fn record(&self) -> Record<'_> {
        Record::take(&mut &self.block[self.at..]).unwrap_or_default()
    }
}

impl<B: Blocks> Merge<B> {
    /// Of these runs.
    ///
    /// # Errors
    /// As [`Blocks::next_block`].
    pub fn new(runs: impl IntoIterator<Item = B>) -> Result<Self> {
        let cursor = |blocks| Cursor { blocks, block: Vec::new(), at: 0, next: 0 };
        let mut merge = Self { runs: runs.into_iter().map(cursor).collect(), heap: Vec::new() };
        for (run, cursor) in merge.runs.iter_mut().enumerate() {
            if cursor.advance()? {
                merge.heap.push(Head { prefix: prefix(cursor.record().key), run });
            }
        }
        (0..merge.heap.len() / 2).rev().for_each(|i| merge.sink(i));
        Ok(merge)
    }

    /// Returns the next row without advancing.
    pub fn peek(&self) -> Option<Record<'_>> {
        self.heap.first().map(|head| self.runs[head.run].record())
    }

    /// Advances past the row that [`Merge::peek`] returns.
    ///
    /// # Errors
    /// As [`Blocks::next_block`].
    pub fn advance(&mut self) -> Result<()> {
        let Some(head) = self.heap.first_mut() else { return Ok(()) };
        let cursor = &mut self.runs[head.run];
        if cursor.advance()? {
            head.prefix = prefix(cursor.record().key);
        } else {
            self.heap.swap_remove(0);
        }
        self.sink(0);
        Ok(())
    }

    /// Moves a head down to where it belongs.
    fn sink(&mut self, mut at: usize) {
        loop {
            let mut least = at;
            for child in [2 * at + 1, 2 * at + 2] {
                if child < self.heap.len() && self.order(self.heap[child], self.heap[least]) == Ordering::Less {
                    least = child;
                }
            }
            if least == at {
                return;
            }
            self.heap.swap(at, least);
            at = least;
        }
    }

    fn order(&self, a: Head, b: Head) -> Ordering {
        let of = |head: Head| self.runs[head.run].record();
        a.prefix.cmp(&b.prefix).then_with(|| of(a).order(&of(b)))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::load::sort::block::{HEADER_BYTES, Header};
    use crate::load::sort::{RunBuilder, SourcePlace};
    use proptest::prelude::*;

    /// The blocks of a run, in memory.
    #[derive(Debug)]
    pub(in crate::load::sort) struct InMemory(std::vec::IntoIter<Vec<u8>>);

    impl InMemory {
        pub(in crate::load::sort) fn of(run: &mut RunBuilder) -> Self {
            let mut blocks = Vec::new();
            run.write(|block| {
                blocks.push(block.to_vec());
                Ok(())
            })
            .unwrap();
            Self(blocks.into_iter())
        }
    }

    impl Blocks for InMemory {
        fn next_block(&mut self, records: &mut Vec<u8>) -> Result<bool> {
            let Some(block) = self.0.next() else { return Ok(false) };
            let (header, rest) = block.split_first_chunk::<HEADER_BYTES>().unwrap();
            Header::read(header)?.verify(rest)?;
            *records = rest.to_vec();
            Ok(true)
        }
    }

    /// Keys and lines in the order of the sequence; every `per_run` rows are a run.
    fn sorted(rows: &[(Vec<u8>, u64)], per_run: usize) -> Vec<(Vec<u8>, u64)> {
        let mut runs = Vec::new();
        for rows in rows.chunks(per_run) {
            let mut run = RunBuilder::new(0);
            for (key, line) in rows {
                let text = format!("{}\n", "x".repeat((line % 7) as usize * 3000));
                run.push(&Record { key, place: SourcePlace::new(0, *line), line: text.as_bytes(), raw: b"" });
            }
            assert_eq!(run.n_rows(), rows.len());
            runs.push(InMemory::of(&mut run));
            assert_eq!((run.n_rows(), run.memory()), (0, 0));
        }
        let mut merge = Merge::new(runs).unwrap();
        let mut out = Vec::new();
        while let Some(record) = merge.peek() {
            out.push((record.key.to_vec(), record.place.line()));
            merge.advance().unwrap();
        }
        merge.advance().unwrap();
        out
    }

    proptest! {
        #[test]
        fn runs_of_any_length_come_to_one_sequence(
            keys in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..12), 0..200),
            per_run in 1usize..60,
        ) {
            let rows: Vec<(Vec<u8>, u64)> = keys.into_iter().zip(1..).collect();
            let mut want = rows.clone();
            // Stable: equal keys keep the order of the source.
            want.sort_by(|a, b| a.0.cmp(&b.0));
            prop_assert_eq!(sorted(&rows, per_run), want);
        }
    }

    #[test]
    fn damage_ends_it() {
        let mut run = RunBuilder::new(0);
        run.push(&Record { key: b"k", ..Record::default() });
        let mut blocks = Vec::new();
        run.write(|block| {
            blocks.push(block.to_vec());
            Ok(())
        })
        .unwrap();
        let last = blocks[0].len() - 1;
        blocks[0][last] ^= 1;
        assert!(Merge::new([InMemory(blocks.into_iter())]).is_err());
    }
}
