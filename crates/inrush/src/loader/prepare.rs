//! A batch made ready to send: every column checked, bad rows set aside, the rest encoded for one method.

use super::budget::Held;
use super::options::BadRows;
use super::shared::{Shared, SourcePlan};
use arrow_array::BinaryViewArray;
use arrow_array::cast::AsArray;
use inrush_core::bulk::encode::load_data;
use inrush_core::bulk::encode::multi_row::Next;
use inrush_core::bulk::ledger::ChunkLine;
use inrush_core::bulk::modes::Counted;
use inrush_core::bulk::report::{Records, Stop};
use inrush_core::bulk::{Batch, Method, Reject, Separators, Stretch};
use inrush_core::value::check::{BadCell, CheckedColumn};
use inrush_core::{Error, Place};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A batch that nobody has taken apart yet, with its number in the order of the load.
pub(super) struct Unparsed {
    /// Counted from 0 over all sources.
    pub(super) number: u64,
    pub(super) stretch: Box<dyn Stretch>,
    /// The memory that it is going to take.
    pub(super) held: Held,
}

impl Unparsed {
    pub(super) fn parse(self) -> Result<Work, Stop> {
        let batch = self.stretch.parse().map_err(Stop::Unreadable)?;
        Ok(Work::new(self.number, batch, self.held))
    }
}

/// A batch with its number in the order of the load.
pub(super) struct Work {
    /// Counted from 0 over all sources.
    pub(super) number: u64,
    pub(super) batch: Batch,
    /// [`Batch::bytes`], which are counted cell by cell where there is no text.
    pub(super) bytes: u64,
    /// The memory that it takes, with what is made of it.
    pub(super) held: Held,
}

impl Work {
    pub(super) fn new(number: u64, batch: Batch, held: Held) -> Self {
        Self { number, bytes: batch.bytes(), batch, held }
    }
}

/// A chunk ready to send.
pub(super) struct Prepared {
    pub(super) work: Work,
    pub(super) plan: Arc<SourcePlan>,
    pub(super) columns: Vec<CheckedColumn>,
    /// Rows that are not sent, ascending: those our checks refused.
    pub(super) skip: Vec<u32>,
    /// Records refused before anything was sent, in the order of their lines.
    pub(super) rejects: Vec<Reject>,
    /// Of what was read: what the chunk's line in the ledger says.
    pub(super) checksum: u64,
    pub(super) payload: Payload,
}

/// The bytes of a chunk, by method.
pub(super) enum Payload {
    /// The text of a LOAD.
    LoadData(Vec<u8>),
    /// The same, where the batch's own text will do.
    AsItStands { separators: Separators },
    /// INSERTs of many rows, as text or bound.
    MultiRow { method: Method, statements: Vec<Statement> },
}

/// One INSERT.
pub(super) struct Statement {
    pub(super) bytes: Vec<u8>,
    pub(super) form: StatementForm,
    /// The rows that are in it.
    pub(super) n_rows: u64,
}

/// What the bytes of a statement are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StatementForm {
    /// All of it.
    Text,
    /// The values of the plan's prepared statement.
    Bound,
}

impl Payload {
    pub(super) fn method(&self) -> Method {
        match self {
            Payload::LoadData(_) | Payload::AsItStands { .. } => Method::LoadData,
            Payload::MultiRow { method, .. } => *method,
        }
    }

    /// Bytes that were made of the batch.
    fn memory(&self) -> usize {
        match self {
            Payload::LoadData(text) => text.len(),
            Payload::AsItStands { .. } => 0,
            Payload::MultiRow { statements, .. } => statements.iter().map(|statement| statement.bytes.len()).sum(),
        }
    }
}

impl Prepared {
    /// How many rows it sends.
    pub(super) fn n_rows(&self) -> u64 {
        (self.work.batch.rows.num_rows() - self.skip.len()) as u64
    }

    /// The stretch of records it covers, refused ones included.
    pub(super) fn records(&self) -> Records {
        let batch = &self.work.batch;
        let (first_row, last_row) = batch.row_lines();
        let rejected = |pick: fn(&Reject) -> u64| batch.rejects.iter().map(pick);
        let line = |reject: &Reject| reject.place.line;
        Records {
            source_index: self.plan.index,
            source: batch.origin.source.clone(),
            first: batch.origin.first_record,
            last: batch.origin.first_record + batch.records().saturating_sub(1),
            first_line: rejected(line).fold(first_row, u64::min),
            last_line: rejected(line).fold(last_row, u64::max),
        }
    }

    /// Where it begins.
    pub(super) fn place(&self) -> Place {
        self.work.batch.origin.place(0)
    }

    /// How large its transaction is, as far as the server's limits go.
    pub(super) fn bytes(&self) -> usize {
        match &self.payload {
            Payload::AsItStands { .. } => self.work.batch.origin.text.len(),
            encoded => encoded.memory(),
        }
    }

    /// The same rows as two chunks. None if it cannot be cut.
    pub(super) fn halves(&self, method: Method, shared: &Shared) -> Option<Result<[Prepared; 2], Stop>> {
        let batch = &self.work.batch;
        let (first, second) = batch.cut(batch.rows.num_rows() / 2)?;
        let half = |batch: Batch| {
            let held = shared.tuning.budget().hold(batch.bytes());
            prepare(Work::new(self.work.number, batch, held), self.plan.clone(), method, shared)
        };
        Some(half(first).and_then(|first| Ok([first, half(second)?])))
    }

    /// Its line in the ledger, once its rows are counted and `late` more were refused by the server.
    pub(super) fn line(&self, counted: Counted, late: u64) -> ChunkLine {
        let batch = &self.work.batch;
        ChunkLine {
            span: batch.origin.span.clone(),
            first_record: batch.origin.first_record,
            records: batch.records(),
            first_line: batch.origin.first_line,
            lines: batch.origin.lines,
            rows: counted.stored,
            skipped: counted.skipped,
            rejected: self.rejects.len() as u64 + late,
            checksum: self.checksum,
        }
    }

    /// Bytes of memory that it takes: its batch, and what was made of it. What is reserved and was never touched is no memory.
    pub(super) fn memory(&self) -> u64 {
        let rejected: usize = self.rejects.iter().map(|reject| reject.raw.len()).sum();
        let cells = self.columns.iter().map(|column| &column.cells);
        (batch_memory(&self.work.batch, cells) + self.payload.memory() + rejected) as u64
    }

    /// Gives back the memory of what was sent. The batch's own goes back to its source by itself.
    pub(super) fn recycle(self, shared: &Shared) {
        match self.payload {
            Payload::LoadData(text) => shared.spares.put(text),
            Payload::AsItStands { .. } => {}
            Payload::MultiRow { statements, .. } => {
                statements.into_iter().for_each(|one| shared.spares.put(one.bytes));
            }
        }
    }

    /// Appends to `sql` the INSERT for as many of `rows` as one statement may carry.
    pub(super) fn insert(&self, rows: Range<usize>, sql: &mut Vec<u8>) -> Next {
        self.plan.multi_row.next(&self.columns, &self.skip, rows, sql)
    }
}

/// Buffers are shared, between the columns of a batch and with those that were checked: each counts once.
fn batch_memory<'a>(batch: &'a Batch, checked: impl Iterator<Item = &'a BinaryViewArray>) -> usize {
    let origin = &batch.origin;
    let mut seen = BTreeMap::from([(origin.text.as_ptr(), origin.text.len())]);
    let columns = batch.rows.columns().iter().map(|column| column.as_binary_view());
    for cells in columns.chain(checked) {
        let views = cells.views().inner();
        seen.insert(views.as_ptr(), views.len());
        seen.extend(cells.data_buffers().iter().map(|buffer| (buffer.as_ptr(), buffer.len())));
    }
    seen.values().sum::<usize>() + (origin.record_starts.len() + origin.record_ends.len()) * size_of::<u32>()
}

/// Checks a batch and encodes it. A bad row under `--bad-rows stop` is the error.
pub(super) fn prepare(work: Work, plan: Arc<SourcePlan>, method: Method, shared: &Shared) -> Result<Prepared, Stop> {
    let mut chunk = check(work, plan);
    refuse_long_rows(&mut chunk, shared);
    if !shared.options.dry_run {
        encode(&mut chunk, method, shared)?;
    }
    stop_if_asked(&chunk, shared)?;
    let memory = chunk.memory();
    chunk.work.held.set(memory);
    shared.tuning.budget().learn(chunk.work.bytes, memory);
    Ok(chunk)
}

/// Encodes what is kept of a chunk for `method`.
pub(super) fn encode(chunk: &mut Prepared, method: Method, shared: &Shared) -> Result<(), Stop> {
    chunk.payload = match method {
        Method::LoadData => {
            if let Some(separators) = load_data::as_it_stands(&chunk.work.batch, &chunk.columns, &chunk.skip) {
                chunk.payload = Payload::AsItStands { separators };
                return Ok(());
            }
            let bytes = chunk.work.bytes as usize + chunk.work.batch.rows.num_rows() * 4;
            let mut text = shared.spares.take(bytes);
            load_data::encode(&chunk.columns, &chunk.skip, &mut text);
            Payload::LoadData(text)
        }
        _ => Payload::MultiRow { method, statements: inserts(chunk, method, shared) },
    };
    stop_if_asked(chunk, shared)
}

/// The statements of a whole chunk. A row that no statement can hold is set aside.
fn inserts(chunk: &mut Prepared, method: Method, shared: &Shared) -> Vec<Statement> {
    let plan = chunk.plan.clone();
    let bound = plan.bound.as_ref().filter(|_| method == Method::MultiRowPrepared);
    let mut statements = Vec::new();
    let mut next = 0;
    let n_rows = chunk.work.batch.rows.num_rows();
    loop {
        let mut bytes = shared.spares.take(shared.statement_bytes + ROOM_FOR_A_ROW.min(shared.statement_bytes));
        if let Some(bound) = bound
            && let Some(end) = bound.next(&chunk.columns, &chunk.skip, next..n_rows, &mut bytes)
        {
            next = end;
            statements.push(Statement { bytes, form: StatementForm::Bound, n_rows: bound.rows() as u64 });
            continue;
        }
        match chunk.insert(next..n_rows, &mut bytes) {
            Next::End => {
                shared.spares.put(bytes);
                return statements;
            }
            Next::Statement { rows, n_rows } => {
                next = rows.end;
                statements.push(Statement { bytes, form: StatementForm::Text, n_rows: n_rows as u64 });
            }
            Next::TooLong { row, bytes: needed } => {
                shared.spares.put(bytes);
                refuse(chunk, row, too_long(needed, shared.max_packet));
                next = row + 1;
            }
        }
    }
}

/// The row that does not fit a statement any more is written all the same, then taken back.
const ROOM_FOR_A_ROW: usize = 64 << 10;

/// Runs every column's check. A row is rejected once, for the first of its columns that is bad.
fn check(work: Work, plan: Arc<SourcePlan>) -> Prepared {
    let batch = &work.batch;
    let mut columns = Vec::with_capacity(plan.checks.len());
    let mut found: Vec<(BadCell, usize)> = Vec::new();
    let mut bad = Vec::new();
    for (i, (check, array)) in plan.checks.iter().zip(batch.rows.columns()).enumerate() {
        let known = batch.known.get(i).copied().unwrap_or_default();
        columns.push(check.run_knowing(known, array.as_binary_view(), batch.utf8, &mut bad));
        found.extend(bad.drain(..).map(|cell| (cell, i)));
    }
    found.sort_by_key(|(cell, column)| (cell.row, *column));
    found.dedup_by_key(|(cell, _)| cell.row);
    let mut rejects = batch.rejects.clone();
    let mut places = batch.origin.places();
    for (cell, i) in &found {
        let check = &plan.checks[*i];
        let mut place = places.of(cell.row as usize);
        place.column = Some(check.column().name.as_str().into());
        let reason = check.reason(batch.rows.column(*i).as_binary_view(), cell);
        rejects.push(reject(batch, cell.row as usize, place, reason));
    }
    rejects.sort_by_key(|reject| reject.place.line);
    let skip = found.iter().map(|(cell, _)| cell.row).collect();
    let checksum = if plan.fence.is_some() { batch.checksum() } else { 0 };
    Prepared {
        work,
        plan,
        columns,
        skip,
        rejects,
        checksum,
        payload: Payload::MultiRow { method: Method::MultiRow, statements: Vec::new() },
    }
}

/// A row longer than `max_allowed_packet` could be loaded in pieces, but neither inserted nor read again.
fn refuse_long_rows(chunk: &mut Prepared, shared: &Shared) {
    if chunk.work.bytes as usize <= shared.max_packet {
        return;
    }
    let batch = &chunk.work.batch;
    let lengths = (0..batch.rows.num_rows()).map(|row| (row, batch.row_bytes(row)));
    let long: Vec<(usize, usize)> = lengths.filter(|(_, bytes)| *bytes > shared.max_packet).collect();
    for (row, bytes) in long {
        refuse(chunk, row, too_long(bytes, shared.max_packet));
    }
}

fn refuse(chunk: &mut Prepared, row: usize, reason: String) {
    if let Err(at) = chunk.skip.binary_search(&(row as u32)) {
        chunk.skip.insert(at, row as u32);
        let batch = &chunk.work.batch;
        chunk.rejects.push(reject(batch, row, batch.origin.place(row), reason));
        chunk.rejects.sort_by_key(|reject| reject.place.line);
    }
}

pub(super) fn reject(batch: &Batch, row: usize, place: Place, reason: String) -> Reject {
    Reject { place, reason, code: 0, raw: batch.raw(row) }
}

pub(super) fn too_long(bytes: usize, max_packet: usize) -> String {
    format!("the row needs {bytes} bytes, and the server's `max_allowed_packet` is {max_packet}")
}

fn stop_if_asked(chunk: &Prepared, shared: &Shared) -> Result<(), Stop> {
    match chunk.rejects.first() {
        Some(first) if shared.options.bad_rows == BadRows::Stop => {
            Err(Stop::BadData(stopping(first, chunk.rejects.len())))
        }
        _ => Ok(()),
    }
}

/// The error for a load that stops at a bad row; more of the same chunk are counted.
pub(super) fn stopping(first: &Reject, found: usize) -> Error {
    let more = match found - 1 {
        0 => String::new(),
        1 => "; 1 more bad row in the same chunk".into(),
        n => format!("; {n} more bad rows in the same chunk"),
    };
    Error::data(format!("{}{more}", first.reason))
        .at(first.place.clone())
        .with_hint("`--bad-rows divert:rejected.csv` loads the rest")
}
