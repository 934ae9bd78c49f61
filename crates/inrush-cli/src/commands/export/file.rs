//! A file that is being written: how, how large it may become, and what the manifest says of it in the end.

use super::folder::NewFile;
use crate::commands::manifest::{WrittenFile, hash_text};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use inrush::Row;
use inrush_core::{Error, Kind, Result, human};
use inrush_files::{BatchWriter, CsvStyle, RowLayout, SqlStyle, WrittenCompression, WrittenFormat};
use std::hash::Hasher as _;
use std::io::Write;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use twox_hash::XxHash3_64;

/// How all files of an export are written.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) format: WrittenFormat,
    pub(super) style: CsvStyle,
    pub(super) compression: WrittenCompression,
    /// What names end with, after a dot.
    pub(super) extension: String,
    pub(super) split: Option<Split>,
}

/// Where a file ends and the next one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Split {
    Rows(u64),
    Bytes(u64),
}

impl Split {
    /// `1000000` is rows, `256MiB` is bytes.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let wrong = || {
            Error::config(format!("`--split {text}` is not understood"))
                .with_hint("it takes rows (`1000000`) or bytes (`256MiB`), at least 1")
        };
        Ok(match human::bytes_of(text).ok_or_else(wrong)? {
            (0, _) => return Err(wrong()),
            (bytes, true) => Self::Bytes(bytes),
            (rows, false) => Self::Rows(rows),
        })
    }

    /// The most rows that are written before the size is checked again, in a file that has `rows`.
    fn step(self, rows: u64) -> u64 {
        match self {
            Self::Rows(most) => most.saturating_sub(rows),
            Self::Bytes(_) => ROWS_BETWEEN_CHECKS,
        }
    }
}

impl Layout {
    /// The name of a file, the `nth` of its part from 0 on.
    pub(super) fn file_name(&self, stem: &str, nth: usize) -> String {
        match self.split {
            None => format!("{stem}.{}", self.extension),
            Some(_) => format!("{stem}.{}.{}", nth + 1, self.extension),
        }
    }

    /// How many rows may be written at once to a file that has `rows`.
    pub(super) fn step(&self, rows: u64, rate: Option<NonZeroU64>) -> usize {
        let step = self.split.map_or(u64::MAX, |split| split.step(rows)).min(rate.map_or(u64::MAX, NonZeroU64::get));
        usize::try_from(step.max(1)).unwrap_or(usize::MAX)
    }
}

/// A file under way.
pub(super) struct OpenFile {
    name: String,
    writer: BatchWriter<Counted>,
    n_bytes: Arc<AtomicU64>,
    pub(super) rows: u64,
}

impl OpenFile {
    pub(super) fn new(
        name: String,
        file: NewFile,
        layout: &Layout,
        sql: &SqlStyle,
        schema: &SchemaRef,
    ) -> Result<Self> {
        let n_bytes = Arc::new(AtomicU64::new(0));
        let counted = Counted { file, n_bytes: n_bytes.clone(), hash: XxHash3_64::with_seed(0) };
        let writer = match layout.format {
            WrittenFormat::Sql => BatchWriter::sql(sql, layout.compression, schema, counted),
            format => BatchWriter::styled(format, &layout.style, layout.compression, schema, counted),
        };
        Ok(Self { writer: writer.map_err(|error| in_file(error, &name))?, name, n_bytes, rows: 0 })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        self.writer.write(batch).map_err(|error| in_file(error, &self.name))?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    pub(super) fn write_row(&mut self, row: &Row<'_>, layout: &mut RowLayout) -> Result<()> {
        self.writer.write_row(row, layout).map_err(|error| match error.kind() {
            Kind::Data => error,
            _ => in_file(error, &self.name),
        })?;
        self.rows += 1;
        Ok(())
    }

    /// Whether the next row goes into another file.
    pub(super) fn is_full(&self, split: Option<Split>) -> bool {
        match split {
            None => false,
            Some(Split::Rows(most)) => self.rows >= most,
            Some(Split::Bytes(most)) => {
                self.n_bytes.load(Ordering::Relaxed) + self.writer.n_buffered() as u64 >= most && self.rows > 0
            }
        }
    }

    /// Waits until the file is whole and kept.
    pub(super) fn finish(self) -> Result<WrittenFile> {
        let Self { name, writer, n_bytes, rows } = self;
        let Counted { file, hash, .. } = writer.finish().map_err(|error| in_file(error, &name))?;
        file.seal()?;
        Ok(WrittenFile { name, rows, bytes: n_bytes.load(Ordering::Relaxed), xxh3: hash_text(hash.finish()) })
    }
}

/// An error with the file that it is about.
pub(super) fn in_file(error: Error, name: &str) -> Error {
    error.while_doing(&format!("`{name}`"))
}

/// A file whose bytes are counted and hashed on their way.
struct Counted {
    file: NewFile,
    n_bytes: Arc<AtomicU64>,
    hash: XxHash3_64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.n_bytes.fetch_add(n as u64, Ordering::Relaxed);
        self.hash.write(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// A file is larger than `--split` says by at most so many rows.
const ROWS_BETWEEN_CHECKS: u64 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rows_or_bytes() {
        assert_eq!(Split::parse("1000").unwrap(), Split::Rows(1000));
        assert_eq!(Split::parse("64MiB").unwrap(), Split::Bytes(64 << 20));
        for wrong in ["", "0", "0MiB", "-1", "ten", "1.5"] {
            assert!(Split::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn steps_end_with_the_file() {
        assert_eq!(Split::Rows(10).step(0), 10);
        assert_eq!(Split::Rows(10).step(7), 3);
        assert_eq!(Split::Bytes(10).step(7), ROWS_BETWEEN_CHECKS);
    }
}
