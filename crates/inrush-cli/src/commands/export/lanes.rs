//! The lanes: a thread and a connection each, which take the parts of tables one after the other and write a file of each.

use super::file::{Layout, OpenFile, in_file};
use super::folder::{Folder, NewFile};
use super::known::Known;
use super::pace::Pace;
use crate::Output;
use crate::commands::manifest::WrittenFile;
use crate::commands::rows_read;
use inrush::blocking::Connection;
use inrush::{ArrowOptions, InvalidDates};
use inrush_core::error::Kind;
use inrush_core::{Error, Result};
use inrush_files::mask::{TableMasks, UniqueMasks, mask_batch};
use inrush_files::{SqlStyle, WrittenFormat};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// A query, and the files of its rows.
#[derive(Debug)]
pub(super) struct Part {
    /// The number of its table.
    pub(super) table: usize,
    pub(super) query: String,
    pub(super) known: Known,
    /// The names of the files, without what follows.
    pub(super) stem: String,
}

/// What became of a part.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) files: Vec<WrittenFile>,
    /// Columns of bytes whose values are hexadecimal digits in them.
    pub(super) hex: Vec<String>,
}

/// How rows are read and written.
pub(super) struct Orders<'a> {
    /// Of each table; empty without masks.
    pub(super) masks: &'a [(TableMasks, UniqueMasks)],
    pub(super) layout: Layout,
    /// Of each table; those that are not written as SQL have none.
    pub(super) sql: Vec<SqlStyle>,
    pub(super) invalid_dates: InvalidDates,
    pub(super) pace: Pace,
}

/// Writes the files of all parts, and returns them in the order of the parts; they have no names yet. The first error ends all lanes.
pub(super) fn write_all(
    connections: Vec<Connection>,
    parts: &[Part],
    orders: &Orders<'_>,
    folder: &mut Folder,
    output: &Output,
) -> Result<Vec<Written>> {
    let options = ArrowOptions::default().with_batch_rows(BATCH_ROWS).with_invalid_dates(orders.invalid_dates);
    let work = Work {
        parts,
        orders,
        folder: Mutex::new(folder),
        next: AtomicUsize::new(0),
        rows: AtomicU64::new(0),
        is_over: AtomicBool::new(false),
        options,
    };
    let (over, is_over) = channel::<()>();
    thread::scope(|scope| {
        let work = &work;
        let shown = scope.spawn(move || rows_read::show(&is_over, || work.rows.load(Ordering::Relaxed), output));
        let lanes: Vec<_> =
            connections.into_iter().map(|connection| scope.spawn(move || work.lane(connection))).collect();
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
        Ok(written.into_iter().map(|(_, written)| written).collect())
    })
}

/// What all lanes share.
struct Work<'a> {
    parts: &'a [Part],
    orders: &'a Orders<'a>,
    folder: Mutex<&'a mut Folder>,
    next: AtomicUsize,
    rows: AtomicU64,
    /// A lane has failed.
    is_over: AtomicBool,
    options: ArrowOptions,
}

impl Work<'_> {
    /// Parts until there are no more, each with its number.
    fn lane(&self, mut connection: Connection) -> Result<Vec<(usize, Written)>> {
        let mut written = Vec::new();
        while !self.is_over.load(Ordering::Relaxed) {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = self.parts.get(at) else { break };
            match self.write(&mut connection, part) {
                Ok(Some(files)) => written.push((at, files)),
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
    fn write(&self, connection: &mut Connection, part: &Part) -> Result<Option<Written>> {
        let layout = &self.orders.layout;
        let none = SqlStyle::default();
        let sql = self.orders.sql.get(part.table).unwrap_or(&none);
        let (name, file) = self.create(part, 0)?;
        let of_table = |error: Error| hint(error).while_doing(&format!("`{}`", part.stem));
        let mut batches = connection.query_arrow_iter(&part.query, (), &self.options).map_err(of_table)?;
        let schema = part.known.schema(batches.schema(), layout.format);
        let mut file = OpenFile::new(name, file, layout, sql, &schema)?;
        let mut files = Vec::new();
        let masks = self.orders.masks.get(part.table);
        let shown = |error: Error| if masks.is_some() { hidden(error) } else { error };
        while let Some(batch) = batches.next_batch().map_err(shown).map_err(of_table)? {
            let batch = match masks {
                Some((masks, unique)) => mask_batch(&batch, masks, unique).map_err(|e| in_file(e, &part.stem))?,
                None => batch,
            };
            let batch = Known::batch(&schema, &batch)?;
            if layout.format == WrittenFormat::Csv && !layout.style.has_quotes() {
                part.known.check_without_quotes(&batch).map_err(|e| in_file(e, &part.stem))?;
            }
            let mut at = 0;
            while at < batch.num_rows() {
                if self.is_over.load(Ordering::Relaxed) {
                    return Ok(None);
                }
                if file.is_full(layout.split) {
                    files.push(file.finish()?);
                    let (name, next) = self.create(part, files.len())?;
                    file = OpenFile::new(name, next, layout, sql, &schema)?;
                }
                let n = layout.step(file.rows, self.orders.pace.rate).min(batch.num_rows() - at);
                file.write(&batch.slice(at, n))?;
                at += n;
                let rows = self.rows.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
                self.orders.pace.wait(rows, &self.is_over);
            }
        }
        files.push(file.finish()?);
        Ok(Some(Written { files, hex: layout.format.hex_columns(&schema) }))
    }

    /// Begins a file of a part.
    fn create(&self, part: &Part, nth: usize) -> Result<(String, NewFile)> {
        let name = self.orders.layout.file_name(&part.stem, nth);
        let file = self.folder.lock().unwrap_or_else(PoisonError::into_inner).create(&name)?;
        Ok((name, file))
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
    let hint = match error.code() {
        _ if error.hint().is_some() => return error,
        CHANGED | NO_SUCH_TABLE => {
            "the table was altered, renamed or dropped after the export began; nothing was written. The same command begins anew"
        }
        _ if error.is_fatal() => {
            "nothing was written: the state that was read is gone with its connection; the same command begins anew"
        }
        _ => return error,
    };
    error.with_hint(hint)
}

/// ER_TABLE_DEF_CHANGED: the definition is another one than that of the state that is read.
const CHANGED: u16 = 1412;
/// ER_NO_SUCH_TABLE. It was there when the export began.
const NO_SUCH_TABLE: u16 = 1146;

/// Rows of a batch: enough for columns to be worth it.
const BATCH_ROWS: usize = 16_384;
