//! The lanes: a thread and a connection each, which take the parts of tables one after the other and write a file of each.

use super::folder::{Folder, NewFile};
use super::known::Known;
use crate::Output;
use crate::commands::manifest::{WrittenFile, hash_text};
use crate::commands::rows_read;
use inrush::blocking::Connection;
use inrush::{ArrowOptions, InvalidDates};
use inrush_core::error::Kind;
use inrush_core::{Error, Result};
use inrush_files::mask::{TableMasks, UniqueMasks, mask_batch};
use inrush_files::{BatchWriter, WrittenCompression, WrittenFormat};
use std::hash::Hasher as _;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;
use twox_hash::XxHash3_64;

/// A query, and the file of its rows.
#[derive(Debug)]
pub(super) struct Part {
    /// The number of its table.
    pub(super) table: usize,
    pub(super) query: String,
    pub(super) known: Known,
    /// The name of the file.
    pub(super) file: String,
}

/// A file that is whole.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) file: WrittenFile,
    /// Columns of bytes whose values are hexadecimal digits in it.
    pub(super) hex: Vec<String>,
}

/// Writes the files of all parts, in their order; they have no names yet. The first error ends all lanes.
pub(super) fn write_all(
    connections: Vec<Connection>,
    parts: &[Part],
    masks: &[(TableMasks, UniqueMasks)],
    folder: &mut Folder,
    (format, compression, invalid_dates): (WrittenFormat, WrittenCompression, InvalidDates),
    output: &Output,
) -> Result<Vec<Written>> {
    let files = parts.iter().map(|part| folder.create(&part.file).map(Some)).collect::<Result<Vec<_>>>()?;
    let files: Vec<_> = files.into_iter().map(std::sync::Mutex::new).collect();
    let work = Work {
        parts,
        masks,
        next: AtomicUsize::new(0),
        rows: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        format,
        compression,
        options: ArrowOptions::default().with_batch_rows(BATCH_ROWS).with_invalid_dates(invalid_dates),
    };
    let (over, is_over) = channel::<()>();
    thread::scope(|scope| {
        let (work, files) = (&work, &files);
        let shown = scope.spawn(move || rows_read::show(&is_over, || work.rows.load(Ordering::Relaxed), output));
        let lanes: Vec<_> =
            connections.into_iter().map(|connection| scope.spawn(move || work.lane(connection, files))).collect();
        let mut written = Vec::new();
        let mut failed = None;
        for lane in lanes {
            match lane.join() {
                Ok(Ok(files)) => written.extend(files),
                Ok(Err(error)) => failed = failed.or(Some(error)),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        drop(over);
        let _ = shown.join();
        if let Some(error) = failed {
            return Err(error);
        }
        written.sort_by_key(|(at, _): &(usize, Written)| *at);
        Ok(written.into_iter().map(|(_, file)| file).collect())
    })
}

/// What all lanes share.
struct Work<'a> {
    parts: &'a [Part],
    /// Of each table; empty without masks.
    masks: &'a [(TableMasks, UniqueMasks)],
    next: AtomicUsize,
    rows: AtomicU64,
    /// A lane has failed.
    is_over: AtomicBool,
    format: WrittenFormat,
    compression: WrittenCompression,
    options: ArrowOptions,
}

impl Work<'_> {
    /// Parts until there are no more, each with its number.
    fn lane(
        &self,
        mut connection: Connection,
        files: &[std::sync::Mutex<Option<NewFile>>],
    ) -> Result<Vec<(usize, Written)>> {
        let mut written = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let (Some(part), Some(file)) = (self.parts.get(at), files.get(at)) else { break };
            let file = file.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            let Some(file) = file else { break };
            match self.write(&mut connection, part, file) {
                Ok(Some(file)) => written.push((at, file)),
                Ok(None) => break,
                Err(error) => {
                    self.is_over.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            }
        }
        Ok(written)
    }

    /// Writes a part. `None`: another lane failed meanwhile.
    fn write(&self, connection: &mut Connection, part: &Part, file: NewFile) -> Result<Option<Written>> {
        let mut batches = connection.query_arrow_iter(&part.query, (), &self.options).map_err(hint)?;
        let in_file = |error: Error| error.while_doing(&format!("`{}`", part.file));
        let counted = Counted { file, bytes: 0, hash: XxHash3_64::with_seed(0) };
        let schema = part.known.schema(batches.schema());
        let mut writer = BatchWriter::compressed(self.format, self.compression, &schema, counted).map_err(in_file)?;
        let masks = self.masks.get(part.table);
        let shown = |error: Error| if masks.is_some() { hidden(error) } else { error };
        let mut rows = 0;
        while let Some(batch) = batches.next_batch().map_err(shown).map_err(hint)? {
            let batch = match masks {
                Some((masks, unique)) => mask_batch(&batch, masks, unique).map_err(in_file)?,
                None => batch,
            };
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(None);
            }
            writer.write(&Known::batch(&schema, &batch)?).map_err(in_file)?;
            rows += batch.num_rows() as u64;
            self.rows.fetch_add(batch.num_rows() as u64, Ordering::Relaxed);
        }
        let Counted { file, bytes, hash } = writer.finish().map_err(in_file)?;
        file.seal()?;
        let file = WrittenFile { name: part.file.clone(), rows, bytes, xxh3: hash_text(hash.finish()) };
        Ok(Some(Written { file, hex: self.format.hex_columns(&schema) }))
    }
}

/// An error of reading values, without the value that it may hold.
fn hidden(error: Error) -> Error {
    if error.kind() != Kind::Data {
        return error;
    }
    Error::data("a value cannot be read; masks hide which one, because the message may hold it").with_hint(
        "`--invalid-dates null` or `text` reads days that no calendar has; without masks the message has the value",
    )
}

/// An export cannot be continued: the state that it reads ends with its transaction.
fn hint(error: Error) -> Error {
    if error.hint().is_some() || !error.is_fatal() {
        return error;
    }
    error.with_hint(
        "nothing was written: the state that was read is gone with its connection; the same command begins anew",
    )
}

/// A file whose bytes are counted and hashed on their way.
struct Counted {
    file: NewFile,
    bytes: u64,
    hash: XxHash3_64,
}

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.bytes += n as u64;
        self.hash.write(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

/// Rows of a batch: enough for columns to be worth it.
const BATCH_ROWS: usize = 16_384;
