//! A batch made ready to send: every column is checked, bad rows are set aside, the others are encoded for one method. A batch whose
//! text is passed through is only validated.

use super::pass_through::pass_through;
use super::payload::{Payload, Statement};
use crate::loader::budget::Reservation;
use crate::loader::options::BadRows;
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::plan::target::Target;
use arrow_array::cast::AsArray;
use inrush_core::column::Cells;
use inrush_core::column::check::{BadCell, CheckedColumn, Known};
use inrush_core::convert::BoundRows;
use inrush_core::error::InputFault;
use inrush_core::load::checksum::checksum;
use inrush_core::load::encode::load_data;
use inrush_core::load::ledger::ChunkLine;
use inrush_core::load::modes::Counted;
use inrush_core::load::report::{Records, Stop};
use inrush_core::load::sort::SortKey;
use inrush_core::load::{Batch, Origin, PassThrough, RawChunk, Reject};
use inrush_core::write::Next;
use inrush_core::write::{CheckedRows, Method, RowSource};
use inrush_core::{Error, Place};
use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

/// A batch that is not parsed yet, with its number in the order of the load.
pub(crate) struct UnparsedChunk {
    /// Counted from 0 over all sources.
    pub(crate) number: u64,
    pub(crate) raw_chunk: Box<dyn RawChunk>,
    /// The memory that it is going to take.
    pub(crate) reservation: Reservation,
}

/// A chunk ready to send.
pub(crate) struct PreparedChunk {
    /// In the order of the load: counted from 0 over all sources.
    pub(crate) number: u64,
    /// [`Batch::bytes`], which are counted cell by cell where there is no text.
    pub(crate) bytes: u64,
    /// The memory that it takes, with what is made of it.
    pub(crate) reservation: Reservation,
    pub(crate) plan: Arc<SourcePlan>,
    rows: Rows,
    /// The checksum of what was read, for the chunk's line in the ledger.
    pub(crate) checksum: u64,
    pub(crate) payload: Payload,
}

/// The rows of a chunk.
enum Rows {
    /// Parsed and checked.
    Parsed(Checked),
    /// As their source has them, where validation for pass-through was enough; parsed when something needs them one by one.
    Unparsed { pass_through: PassThrough, parsed: Option<Checked> },
}

/// A batch that was checked.
pub(crate) struct Checked {
    pub(crate) plan: Arc<SourcePlan>,
    pub(crate) batch: Batch,
    columns: Vec<CheckedColumn>,
    /// Rows that are not sent, ascending: those our checks refused.
    skip: Vec<u32>,
    /// Records refused before anything was sent, in the order of their lines.
    rejects: Vec<Reject>,
}

impl PreparedChunk {
    /// How many rows it sends.
    pub(crate) fn n_rows(&self) -> u64 {
        let kept = |checked: &Checked| (checked.batch.rows.num_rows() - checked.skip.len()) as u64;
        self.checked().map_or_else(|| self.n_records(), kept)
    }

    /// Its rows, if they were parsed.
    fn checked(&self) -> Option<&Checked> {
        match &self.rows {
            Rows::Parsed(checked) => Some(checked),
            Rows::Unparsed { parsed, .. } => parsed.as_ref(),
        }
    }

    /// How many records of the source it covers: rows and rejects.
    pub(crate) fn n_records(&self) -> u64 {
        match &self.rows {
            Rows::Parsed(checked) => checked.batch.records(),
            Rows::Unparsed { pass_through, .. } => pass_through.n_rows(),
        }
    }

    pub(crate) fn origin(&self) -> &Origin {
        match &self.rows {
            Rows::Parsed(checked) => &checked.batch.origin,
            Rows::Unparsed { pass_through, .. } => &pass_through.origin,
        }
    }

    /// Records refused before anything was sent, in the order of their lines.
    pub(crate) fn rejects(&self) -> &[Reject] {
        self.checked().map_or(&[], |checked| &checked.rejects)
    }

    /// Returns the same and removes them from the chunk, for a caller that keeps them.
    pub(crate) fn take_rejects(&mut self) -> Vec<Reject> {
        match &mut self.rows {
            Rows::Parsed(checked) | Rows::Unparsed { parsed: Some(checked), .. } => mem::take(&mut checked.rejects),
            Rows::Unparsed { parsed: None, .. } => Vec::new(),
        }
    }

    /// The range of records that it covers, refused ones included.
    pub(crate) fn records(&self) -> Records {
        let origin = self.origin();
        let (first_row, last_row, rejects) = match &self.rows {
            Rows::Parsed(checked) => {
                let (first, last) = checked.batch.row_lines();
                (first, last, &checked.batch.rejects[..])
            }
            Rows::Unparsed { pass_through, .. } => {
                (origin.first_line, origin.first_line + pass_through.n_rows() - 1, &[][..])
            }
        };
        let lines = || rejects.iter().map(|reject| reject.place.line);
        Records {
            source_index: self.plan.index,
            source: origin.source.clone(),
            first: origin.first_record,
            last: origin.first_record + self.n_records().saturating_sub(1),
            first_line: lines().fold(first_row, u64::min),
            last_line: lines().fold(last_row, u64::max),
        }
    }

    /// Where it begins.
    pub(crate) fn place(&self) -> Place {
        match &self.rows {
            Rows::Parsed(checked) => checked.batch.origin.place(0),
            Rows::Unparsed { pass_through: PassThrough { origin, .. }, .. } => {
                Place { source: origin.source.clone(), line: origin.first_line, column: None }
            }
        }
    }

    /// How large its transaction is, as far as the server's limits go.
    pub(crate) fn bytes_sent(&self) -> usize {
        match &self.payload {
            Payload::PassThrough { .. } => self.origin().text.len(),
            encoded => encoded.memory(),
        }
    }

    /// Its rows one by one.
    pub(crate) fn parsed(&mut self, target: &Target) -> Result<&mut Checked, Stop> {
        match self.rows {
            Rows::Parsed(ref mut checked) | Rows::Unparsed { parsed: Some(ref mut checked), .. } => Ok(checked),
            Rows::Unparsed { ref pass_through, ref mut parsed } => {
                let batch = pass_through.parse().map_err(Stop::Unreadable)?;
                let checked = parsed.insert(Checked::new(batch, self.plan.clone()));
                reserve(&mut self.reservation, self.bytes, checked.memory(), target);
                Ok(checked)
            }
        }
    }

    /// The same rows as two chunks. None if it cannot be cut.
    pub(crate) fn halves(&mut self, method: Method, target: &Target) -> Option<Result<[PreparedChunk; 2], Stop>> {
        let (number, plan) = (self.number, self.plan.clone());
        let batch = match self.parsed(target) {
            Ok(checked) => &checked.batch,
            Err(stop) => return Some(Err(stop)),
        };
        let (first, second) = batch.cut(batch.rows.num_rows() / 2)?;
        let half = |batch: Batch| {
            let reservation = target.tuning.budget().reserve(batch.bytes());
            prepare_parsed(number, batch, reservation, plan.clone(), method, target)
        };
        Some(half(first).and_then(|first| Ok([first, half(second)?])))
    }

    /// Its line in the ledger, once its rows are counted and `late` more were refused by the server.
    pub(crate) fn line(&self, counted: Counted, late: u64) -> ChunkLine {
        let origin = self.origin();
        ChunkLine {
            span: origin.span.clone(),
            first_record: origin.first_record,
            records: self.n_records(),
            first_line: origin.first_line,
            lines: origin.lines,
            rows: counted.stored,
            skipped: counted.skipped,
            rejected: self.rejects().len() as u64 + late,
            checksum: self.checksum,
        }
    }

    /// Counts the memory that it takes: its batch, and what was made of it. Reserved memory that was never touched does not count.
    fn count_memory(&mut self, target: &Target) {
        let rejected: usize = self.rejects().iter().map(|reject| reject.raw.len()).sum();
        let rows = match &self.rows {
            Rows::Unparsed { pass_through, parsed: None } => pass_through.memory,
            Rows::Parsed(checked) | Rows::Unparsed { parsed: Some(checked), .. } => checked.memory(),
        };
        reserve(&mut self.reservation, self.bytes, rows + self.payload.memory() + rejected, target);
    }

    /// Gives back the memory of what was sent. The batch's own goes back to its source by itself.
    pub(crate) fn recycle(self, target: &Target) {
        match self.payload {
            Payload::LoadData(text) => target.load.buffers.put(text),
            Payload::PassThrough { .. } => {}
            Payload::MultiRow { statements, .. } => {
                statements.into_iter().for_each(|one| target.load.buffers.put(one.command.into_buffer()));
            }
        }
    }

    /// A bad row under `--bad-rows stop` is the error.
    fn stop_if_asked(&self, target: &Target) -> Result<(), Stop> {
        match self.rejects() {
            rejects @ [first, ..] if target.load.options.bad_rows == BadRows::Stop => {
                Err(Stop::BadData(stopping(first, rejects.len())))
            }
            _ => Ok(()),
        }
    }
}

/// Reserves what a chunk of `bytes` takes, as measured.
fn reserve(reservation: &mut Reservation, bytes: u64, memory: usize, target: &Target) {
    reservation.set(memory as u64);
    target.tuning.budget().learn(bytes, memory as u64);
}

impl Checked {
    /// The same of a batch that is not sent in this form; rows that are too long for a packet are among the rejects.
    pub(crate) fn of_first(batch: Batch, plan: &Arc<SourcePlan>, max_packet: usize) -> Self {
        let is_long = batch.bytes() as usize > max_packet;
        let mut checked = Self::new(batch, plan.clone());
        if is_long {
            checked.refuse_long_rows(max_packet);
        }
        checked
    }

    /// Records refused before anything was sent, in the order of their lines.
    pub(crate) fn rejects(&self) -> &[Reject] {
        &self.rejects
    }

    /// The cells of each column, as they were checked.
    pub(crate) fn cells(&self) -> Vec<Cells<'_>> {
        self.columns.iter().map(|column| Cells::new(&column.cells)).collect()
    }

    /// The rows that are to be stored, by their numbers in the batch.
    pub(crate) fn kept(&self) -> impl Iterator<Item = usize> {
        let mut skip = self.skip.iter().peekable();
        (0..self.batch.rows.num_rows()).filter(move |row| skip.next_if(|skipped| **skipped as usize == *row).is_none())
    }

    /// The keys of the rows that are to be stored.
    pub(crate) fn keys(&self, key: &SortKey) -> Vec<Vec<u8>> {
        let cells = self.cells();
        let of_row = |row| {
            let mut bytes = Vec::new();
            key.append(&cells, row, &mut bytes);
            bytes
        };
        self.kept().map(of_row).collect()
    }

    /// Runs every column's check. A row is rejected once, for the first of its columns that is bad.
    fn new(batch: Batch, plan: Arc<SourcePlan>) -> Self {
        let mut columns = Vec::with_capacity(plan.checks.len());
        let mut found: Vec<(BadCell, usize)> = Vec::new();
        let mut bad = Vec::new();
        let noted = plan.notes.map_or_else(Vec::new, |notes| notes.cells(&batch));
        for (check, array) in plan.checks.iter().zip(&noted) {
            columns.push(check.run_knowing(Known::default(), array.as_binary_view(), false, &mut bad));
        }
        for (i, (check, array)) in plan.checks[noted.len()..].iter().zip(batch.rows.columns()).enumerate() {
            let known = batch.known.get(i).copied().unwrap_or_default();
            columns.push(check.run_knowing(known, array.as_binary_view(), batch.utf8, &mut bad));
            found.extend(bad.drain(..).map(|cell| (cell, i)));
        }
        found.sort_by_key(|(cell, column)| (cell.row, *column));
        found.dedup_by_key(|(cell, _)| cell.row);
        let mut rejects = batch.rejects.clone();
        let mut places = batch.origin.places();
        for (cell, i) in &found {
            let check = &plan.checks[noted.len() + *i];
            let mut place = places.of(cell.row as usize);
            place.column = Some(check.column().name.as_str().into());
            let (reason, fault) = check.reason(batch.rows.column(*i).as_binary_view(), cell);
            rejects.push(Reject::new(place, reason, fault, batch.raw(cell.row as usize)));
        }
        rejects.sort_by_key(|reject| reject.place.line);
        let skip = found.iter().map(|(cell, _)| cell.row).collect();
        Self { plan, batch, columns, skip, rejects }
    }

    /// A row longer than `max_allowed_packet` could be loaded in pieces, but neither inserted nor read again.
    fn refuse_long_rows(&mut self, max_packet: usize) {
        let lengths = (0..self.batch.rows.num_rows()).map(|row| (row, self.batch.row_bytes(row)));
        let long: Vec<(usize, usize)> = lengths.filter(|(_, bytes)| *bytes > max_packet).collect();
        for (row, bytes) in long {
            self.refuse(row, too_long(bytes, max_packet));
        }
    }

    fn refuse(&mut self, row: usize, reason: String) {
        if let Err(at) = self.skip.binary_search(&(row as u32)) {
            self.skip.insert(at, row as u32);
            self.rejects.push(reject(&self.batch, row, self.batch.origin.place(row), reason));
            self.rejects.sort_by_key(|reject| reject.place.line);
        }
    }

    /// The rows that are to be stored.
    pub(crate) fn rows(&self) -> CheckedRows<'_> {
        CheckedRows::new(&self.columns, self.batch.rows.num_rows(), &self.skip, &self.plan.insert.uses)
    }

    /// [`Batch::checksum`]. It is the checksum of `payload` where the payload says all that the batch does.
    fn checksum(&self, payload: &Payload) -> u64 {
        match payload {
            Payload::LoadData(text)
                if self.batch.origin.text.is_empty() && load_data::says_all(&self.batch, &self.columns, &self.skip) =>
            {
                checksum(text)
            }
            _ => self.batch.checksum(),
        }
    }

    /// The bytes of what is kept, for `method`.
    fn encode(&mut self, bytes: u64, method: Method, target: &Target) -> Result<Payload, Stop> {
        Ok(match method {
            Method::LoadData => {
                if let Some(separators) = load_data::batch_passes_through(&self.batch, &self.columns, &self.skip) {
                    return Ok(Payload::PassThrough { separators, is_ascii: None });
                }
                let mut text = target.load.buffers.take(bytes as usize + self.batch.rows.num_rows() * 4);
                load_data::encode(&self.columns, &self.skip, &mut text);
                Payload::LoadData(text)
            }
            _ => Payload::MultiRow { method, statements: self.inserts(method, target)? },
        })
    }

    /// The statements of a whole chunk. A row that no statement can hold is set aside.
    fn inserts(&mut self, method: Method, target: &Target) -> Result<Vec<Statement>, Stop> {
        let mut writer = self.plan.writers.of(method);
        let rows = self.rows();
        let (mut statements, mut long, mut next) = (Vec::new(), Vec::new(), 0);
        while next < rows.n_rows() {
            let made = writer.next(RowSource::Checked(&rows), next..rows.n_rows(), target.load.buffers.take(0));
            next += match made.map_err(Stop::Failed)? {
                Next::Command { command, n_rows } => {
                    statements.push(Statement { command, n_rows: n_rows as u64 });
                    n_rows
                }
                Next::TooLong { bytes } => {
                    long.push((rows.row_of_batch(next), bytes));
                    1
                }
            };
        }
        drop(rows);
        for (row, bytes) in long {
            self.refuse(row, too_long(bytes, target.max_packet));
        }
        Ok(statements)
    }

    /// Buffers are shared, between the columns of a batch and with those that were checked: each counts once.
    fn memory(&self) -> usize {
        let origin = &self.batch.origin;
        let mut seen = BTreeMap::from([(origin.text.as_ptr(), origin.text.len())]);
        let columns = self.batch.rows.columns().iter().map(|column| column.as_binary_view());
        for cells in columns.chain(self.columns.iter().map(|column| &column.cells)) {
            let views = cells.views().inner();
            seen.insert(views.as_ptr(), views.len());
            seen.extend(cells.data_buffers().iter().map(|buffer| (buffer.as_ptr(), buffer.len())));
        }
        seen.values().sum::<usize>() + (origin.record_starts.len() + origin.record_ends.len()) * size_of::<u32>()
    }
}

/// Makes a raw chunk ready to send: only validates it, if that is enough; otherwise parses, checks and encodes it. A bad row under
/// `--bad-rows stop` is the error.
pub(crate) fn prepare(
    UnparsedChunk { number, raw_chunk, reservation }: UnparsedChunk,
    plan: Arc<SourcePlan>,
    method: Method,
    target: &Target,
) -> Result<PreparedChunk, Stop> {
    let Some((pass_through, payload)) = pass_through(&*raw_chunk, &plan, method, target) else {
        let batch = raw_chunk.parse().map_err(Stop::Unreadable)?;
        return prepare_parsed(number, batch, reservation, plan, method, target);
    };
    // What is written says all that the rows do.
    let text = if let Payload::LoadData(written) = &payload { written } else { &pass_through.origin.text[..] };
    let checksum = plan.fence.as_ref().map_or(0, |_| checksum(text));
    let rows = Rows::Unparsed { pass_through, parsed: None };
    let mut chunk = PreparedChunk { number, bytes: raw_chunk.bytes(), reservation, plan, rows, checksum, payload };
    chunk.count_memory(target);
    Ok(chunk)
}

/// The same of a batch.
fn prepare_parsed(
    number: u64,
    batch: Batch,
    reservation: Reservation,
    plan: Arc<SourcePlan>,
    method: Method,
    target: &Target,
) -> Result<PreparedChunk, Stop> {
    let bytes = batch.bytes();
    let mut checked = Checked::new(batch, plan.clone());
    if bytes as usize > target.max_packet {
        checked.refuse_long_rows(target.max_packet);
    }
    let payload = match target.load.options.dry_run {
        true => Payload::MultiRow { method: Method::MultiRow, statements: Vec::new() },
        false => checked.encode(bytes, method, target)?,
    };
    let checksum = if plan.fence.is_some() { checked.checksum(&payload) } else { 0 };
    let mut chunk = PreparedChunk { number, bytes, reservation, plan, rows: Rows::Parsed(checked), checksum, payload };
    chunk.stop_if_asked(target)?;
    chunk.count_memory(target);
    Ok(chunk)
}

/// Encodes what is kept of a chunk for another method than before.
pub(crate) fn encode_again(chunk: &mut PreparedChunk, method: Method, target: &Target) -> Result<(), Stop> {
    let bytes = chunk.bytes;
    chunk.payload = chunk.parsed(target)?.encode(bytes, method, target)?;
    chunk.count_memory(target);
    chunk.stop_if_asked(target)
}

pub(crate) fn reject(batch: &Batch, row: usize, place: Place, reason: String) -> Reject {
    Reject::new(place, reason, InputFault::Other, batch.raw(row))
}

pub(crate) fn too_long(bytes: usize, max_packet: usize) -> String {
    format!("the row needs {bytes} bytes, and the server's `max_allowed_packet` is {max_packet}")
}

/// The bad rows of a batch that is not to be sent.
pub(crate) fn first_bad_rows(batch: Batch, plan: &Arc<SourcePlan>, max_packet: usize) -> Vec<Reject> {
    Checked::of_first(batch, plan, max_packet).rejects
}

/// The error for a load that stops at a bad row; more of the same chunk are counted.
pub(crate) fn stopping(first: &Reject, found: usize) -> Error {
    let more = match found - 1 {
        0 => String::new(),
        1 => "; 1 more bad row in the same chunk".into(),
        n => format!("; {n} more bad rows in the same chunk"),
    };
    Error::data(format!("{}{more}", first.reason))
        .with_row_code(first.code)
        .with_input_fault(first.fault.clone())
        .at(first.place.clone())
        .with_hint("`--bad-rows divert:rejected.csv` loads the rest")
}
