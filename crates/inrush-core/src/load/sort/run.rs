//! A run: as many rows as memory holds, in their order.
//!
//! One buffer holds the rows in the order in which they came. The sort moves entries of 16 bytes for each row: the first 8 bytes
//! of its key, and its position. The rest of a key is compared only where those are equal.

use super::block::{BLOCK_BYTES, HEADER_BYTES, Header};
use super::record::{Record, prefix};
use crate::error::Result;

/// Takes rows in any order, and returns them in the order of their keys.
#[derive(Debug)]
pub struct RunBuilder {
    /// Records, each as [`Record::write`] has it.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
    /// Rows are pushed in the order of their keys.
    is_sorted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    prefix: u64,
    /// Where its record begins.
    at: u64,
}

impl RunBuilder {
    /// For about so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), entries: Vec::new(), is_sorted: false }
    }

    /// For rows that are pushed in their order, to be written block by block.
    pub fn in_order() -> Self {
        Self { is_sorted: true, ..Self::new(2 * BLOCK_BYTES) }
    }

    /// Whether its rows fill a block.
    pub fn is_block(&self) -> bool {
        self.bytes.len() >= BLOCK_BYTES
    }

    /// Takes a row.
    pub fn push(&mut self, record: &Record<'_>) {
        if self.entries.len() == self.entries.capacity() {
            // Not twice as many: what is reserved counts as memory.
            self.entries.reserve_exact(self.entries.len() / 4 + 1024);
        }
        self.entries.push(Entry { prefix: prefix(record.key), at: self.bytes.len() as u64 });
        record.write(&mut self.bytes);
    }

    /// How many rows it has.
    pub fn n_rows(&self) -> usize {
        self.entries.len()
    }

    /// Bytes of memory that it takes.
    pub fn memory(&self) -> usize {
        self.bytes.len() + self.entries.len() * size_of::<Entry>()
    }

    /// Passes all rows to `write` in their order, as blocks that follow their headers. Afterwards `self` is empty.
    ///
    /// # Errors
    /// What `write` returns; then rows are left, in any order.
    pub fn write(&mut self, mut write: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let bytes = &self.bytes;
        if !self.is_sorted {
            self.entries
                .sort_unstable_by(|a, b| a.prefix.cmp(&b.prefix).then_with(|| at(bytes, a).order(&at(bytes, b))));
        }
        let mut block = Vec::with_capacity(HEADER_BYTES + 2 * BLOCK_BYTES);
        block.resize(HEADER_BYTES, 0);
        for entry in &self.entries {
            let mut rest = &bytes[entry.at as usize..];
            let before = rest;
            Record::take(&mut rest)?;
            block.extend_from_slice(&before[..before.len() - rest.len()]);
            if block.len() >= HEADER_BYTES + BLOCK_BYTES {
                seal(&mut block, &mut write)?;
            }
        }
        if block.len() > HEADER_BYTES {
            seal(&mut block, &mut write)?;
        }
        self.entries.clear();
        self.bytes.clear();
        Ok(())
    }
}

fn seal(block: &mut Vec<u8>, write: &mut impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let header = Header::of(&block[HEADER_BYTES..])?;
    block[..HEADER_BYTES].copy_from_slice(&header);
    write(block)?;
    block.truncate(HEADER_BYTES);
    Ok(())
}

/// What was written is read again.
fn at<'a>(bytes: &'a [u8], entry: &Entry) -> Record<'a> {
    Record::take(&mut &bytes[entry.at as usize..]).unwrap_or_default()
}
