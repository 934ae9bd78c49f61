//! The lanes: a thread and a connection each, which take the parts of tables one after the other and write a file of each.

use super::file::{Layout, OpenFile, in_file};
use super::folder::{Folder, NewFile};
use super::known::{ErrorValues, Known};
use super::pace::Pace;
use crate::Output;
use crate::commands::manifest::WrittenFile;
use crate::commands::rows_read;
use arrow_schema::SchemaRef;
use inrush::blocking::{ArrowBatches, Connection};
use inrush::{ArrowOptions, InvalidDates};
use inrush_core::error::Kind;
use inrush_core::{Error, Result};
use inrush_files::mask::{TableMasks, UniqueMasks, mask_batch};
use inrush_files::{RowLayout, SqlStyle, WrittenFormat};
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
    pub(super) columns: Vec<String>,
}

/// How rows are read and written.
pub(super) struct Orders<'a> {
    /// Of each table; empty without masks.
    pub(super) masks: &'a [(TableMasks, UniqueMasks)],
    pub(super) layout: Layout,
    /// Of each table; those that are not written as SQL have none.
    pub(super) sql: Vec<SqlStyle>,
    pub(super) invalid_dates: InvalidDates,
    pub(super) error_values: ErrorValues,
    /// Whether rows go through arrays in all formats.
    pub(super) via_arrays: bool,
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
        let batches = connection.query_arrow_iter(&part.query, (), &self.options);
        let mut batches = batches.map_err(|error| of_part(error, part))?;
        let mut known = part.known.clone();
        known.add_documents(batches.columns());
        let schema = known.schema(batches.schema(), layout.format, self.orders.error_values);
        let file = OpenFile::new(name, file, layout, sql, &schema)?;
        let mut files = PartFiles { work: self, part, sql, schema: &schema, file, done: Vec::new(), steps: 0 };
        let is_written = match self.row_layout(part, &batches, &schema) {
            Some(layout) => files.write_rows(&mut batches, layout)?,
            None => files.write_batches(&mut batches)?,
        };
        if !is_written {
            return Ok(None);
        }
        let PartFiles { file, done: mut files, .. } = files;
        files.push(file.finish()?);
        let columns = schema.fields().iter().map(|field| field.name().clone()).collect();
        Ok(Some(Written { files, hex: layout.format.hex_columns(&schema), columns }))
    }

    /// Counts rows that were written, and waits as long as the rate says.
    fn count(&self, n: usize) {
        let rows = self.rows.fetch_add(n as u64, Ordering::Relaxed) + n as u64;
        self.orders.pace.wait(rows, &self.is_over);
    }

    /// How rows go into their lines without arrays; `None`: they need them.
    fn row_layout(&self, part: &Part, batches: &ArrowBatches<'_>, schema: &SchemaRef) -> Option<RowLayout> {
        let Layout { format, style, .. } = &self.orders.layout;
        let has_rows = matches!(format, WrittenFormat::Csv | WrittenFormat::Sql);
        if !has_rows || self.orders.via_arrays || self.orders.masks.get(part.table).is_some() {
            return None;
        }
        let mut layout = RowLayout::new(batches.columns(), (batches.schema(), schema), self.orders.invalid_dates)?;
        let has_quotes = *format != WrittenFormat::Csv || style.has_quotes();
        part.known.add_rules(&mut layout, self.orders.error_values, has_quotes);
        Some(layout)
    }

    /// Begins a file of a part.
    fn create(&self, part: &Part, nth: usize) -> Result<(String, NewFile)> {
        let name = self.orders.layout.file_name(&part.stem, nth);
        let file = self.folder.lock().unwrap_or_else(PoisonError::into_inner).create(&name)?;
        Ok((name, file))
    }
}

/// The files of a part under way.
struct PartFiles<'w, 'a> {
    work: &'w Work<'a>,
    part: &'w Part,
    sql: &'w SqlStyle,
    schema: &'w SchemaRef,
    file: OpenFile,
    done: Vec<WrittenFile>,
    /// Rows that may be written before the next check.
    steps: usize,
}

impl PartFiles<'_, '_> {
    /// Writes rows as the server sent them. Returns whether all are written: another lane may have failed meanwhile.
    fn write_rows(&mut self, rows: &mut ArrowBatches<'_>, mut layout: RowLayout) -> Result<bool> {
        let part = self.part;
        let mut n = 0;
        while let Some(row) = rows.next_row().map_err(|error| of_part(error, part))? {
            if n == self.steps {
                self.work.count(n);
                if !self.begin_step(BATCH_ROWS)? {
                    return Ok(false);
                }
                n = 0;
            }
            self.file.write_row(&row, &mut layout).map_err(|error| match error.kind() {
                Kind::Data => of_part(error, part),
                _ => error,
            })?;
            n += 1;
        }
        self.work.count(n);
        Ok(true)
    }

    /// The same by record batches.
    fn write_batches(&mut self, batches: &mut ArrowBatches<'_>) -> Result<bool> {
        let (work, part, schema) = (self.work, self.part, self.schema);
        let Orders { masks, layout, error_values, .. } = work.orders;
        let masks = masks.get(part.table);
        let shown = |error: Error| if masks.is_some() { hidden(error) } else { error };
        while let Some(batch) = batches.next_batch().map_err(shown).map_err(|error| of_part(error, part))? {
            let batch = part.known.without_error_values(batch, *error_values).map_err(|e| in_file(e, &part.stem))?;
            let batch = match masks {
                Some((masks, unique)) => mask_batch(&batch, masks, unique).map_err(|e| in_file(e, &part.stem))?,
                None => batch,
            };
            let batch = Known::batch(schema, &batch)?;
            if layout.format == WrittenFormat::Csv && !layout.style.has_quotes() {
                part.known.check_without_quotes(&batch).map_err(|e| in_file(e, &part.stem))?;
            }
            let mut at = 0;
            while at < batch.num_rows() {
                if !self.begin_step(batch.num_rows() - at)? {
                    return Ok(false);
                }
                self.file.write(&batch.slice(at, self.steps))?;
                at += self.steps;
                work.count(self.steps);
            }
        }
        Ok(true)
    }

    /// Begins the next file if this one is full, and finds how many of `left` rows may be written to it. `false`: another lane has failed.
    fn begin_step(&mut self, left: usize) -> Result<bool> {
        let (work, layout) = (self.work, &self.work.orders.layout);
        if work.is_over.load(Ordering::Relaxed) {
            return Ok(false);
        }
        if self.file.is_full(layout.split) {
            let (name, next) = work.create(self.part, self.done.len() + 1)?;
            let next = OpenFile::new(name, next, layout, self.sql, self.schema)?;
            self.done.push(std::mem::replace(&mut self.file, next).finish()?);
        }
        self.steps = layout.step(self.file.rows, work.orders.pace.rate).min(left);
        Ok(true)
    }
}

/// An error with the part that it is about.
fn of_part(error: Error, part: &Part) -> Error {
    named(error, &part.stem)
}

/// An error with the table or the part of this name, which was there when the export began.
pub(super) fn named(error: Error, name: &str) -> Error {
    hint(error).while_doing(&format!("`{name}`"))
}

/// An error of reading values, without the value that it may hold.
pub(crate) fn hidden(error: Error) -> Error {
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
        // The library names its own options.
        _ if error.hint().is_some_and(|hint| hint.contains("InvalidDates")) => INVALID_DATES,
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

const INVALID_DATES: &str =
    "`--invalid-dates null` makes it NULL, `--invalid-dates text` makes texts of all dates and times of days";

/// ER_TABLE_DEF_CHANGED: the definition is another one than that of the state that is read.
const CHANGED: u16 = 1412;
/// ER_NO_SUCH_TABLE. It was there when the export began.
const NO_SUCH_TABLE: u16 = 1146;

/// Rows of a batch: enough for columns to be worth it.
const BATCH_ROWS: usize = 16_384;
