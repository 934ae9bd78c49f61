//! JSON Lines: an object a line, its members as columns.
//!
//! [`RecordReader`] finds, counts, skips and compares the lines; this module parses each line. Views point into the text: only strings with
//! escapes are copied. The fields are the names of the first records, and the columns of the table that a
//! row without them leaves NULL: their names may come later. A record with any other name is bad, because its value would be lost silently.

use crate::csv::{READ_BYTES, RecordChunk, RecordReader, is_blank};
use crate::dialect::{CsvOptions, Dialect, HeaderNames};
use crate::file_source::{FileSource, RejectForm};
use crate::infer_types::{Inference, Inferred, Texts, fit_row, text_type};
use crate::input::Meter;
use crate::names::{Renamed, clean};
use crate::opened_file::OpenedFile;
use arrow_array::{ArrayRef, BinaryViewArray, RecordBatch, RecordBatchOptions};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use encoding_rs::{Encoding, UTF_8};
use inrush_core::column::ColumnType;
use inrush_core::column::json::{Fault, Limits, Scanner, Span, Text, Value, unescape};
use inrush_core::column::view;
use inrush_core::error::{Error, InputFault, Place, Result};
use inrush_core::load::ledger::{ChunkLine, Identity, Mapping};
use inrush_core::load::{Batch, ColumnKind, FieldUse, Origin, RawChunk, Reject, Source, Unchanged};
use memchr::memchr;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// A file of JSON Lines.
pub(crate) struct JsonlReader {
    lines: RecordReader,
    objects: Arc<Objects>,
    renamed: Renamed,
    how: HeaderNames,
    /// The memory for rows in progress.
    memory: usize,
    /// The names are those of all records.
    knows_all: bool,
}

/// The mapping of lines to rows.
#[derive(Clone, Debug, Default)]
struct Objects {
    names: Vec<String>,
    places: HashMap<Vec<u8>, usize>,
    /// Columns that no record has had yet, by their names in small letters.
    spare: HashMap<String, usize>,
    /// The names of the table's columns in small letters; empty if there is no table yet.
    columns: BTreeSet<String>,
    /// Names that are not columns are left out.
    ignores_others: bool,
    /// The same of names that the first records do not have.
    ignores_late: bool,
    uses: Vec<FieldUse>,
}

/// Lines that are not parsed yet.
struct JsonChunk {
    lines: RecordChunk,
    objects: Arc<Objects>,
}

/// A line of a chunk that is a record.
struct Line {
    /// Its number in the file, from 1.
    number: u64,
    /// Where it is in the text of the chunk, with its end.
    record: Range<usize>,
    /// The same without its end.
    json: Span,
    /// It was not valid in the encoding of the file.
    is_malformed: bool,
}

impl JsonlReader {
    /// Opens JSON Lines.
    ///
    /// # Errors
    /// Those of reading; `Data` for text that is not JSON, and for more names than a table has columns.
    pub(crate) fn open(file: OpenedFile<'_>, options: &CsvOptions) -> Result<Self> {
        Self::with(file, options, READ_BYTES)
    }

    /// `read_bytes` is the size of a read.
    pub(crate) fn with(file: OpenedFile<'_>, options: &CsvOptions, read_bytes: usize) -> Result<Self> {
        // Each line is a record. Jobs in ledgers know it by this dialect.
        let of_lines = CsvOptions {
            delimiter: Some(NO_JSON),
            quote: None,
            escape: None,
            comment: None,
            header: false,
            nulls: Vec::new(),
            max_record: options.max_record.min(options.memory),
            ..options.clone()
        };
        let mut lines = RecordReader::new(file, Dialect::new(&of_lines, NO_JSON)?, &of_lines, read_bytes)?;
        lines.begin();
        let ignores_others = options.ignore_extra_fields;
        let ignores_late = ignores_others || options.ignore_late_names;
        let mut objects = Objects { ignores_others, ignores_late, ..Objects::default() };
        let sample = lines.sample(SAMPLE_BYTES);
        if sample.n_records == 0 {
            lines.peek(SAMPLE_BYTES)?;
        }
        let knows_all = lines.is_all(sample.text.len()) && sample.n_records <= SAMPLE_ROWS as u64;
        if let Some(first) = lines_of(&sample).next() {
            if first.has_control_character(&sample.text) {
                let message = format!("`{}` is not JSON: it begins with a control character", lines.name());
                return Err(Error::data(message));
            }
            let fault = objects.find_names(&sample, SAMPLE_ROWS).map_err(|TooMany| too_many(lines.name()))?;
            if objects.names.is_empty() {
                return Err(no_names(&sample, fault));
            }
        }
        let table = match &options.columns_of_table {
            Some(table) if objects.ignores_others || !knows_all => table.read()?,
            _ => None,
        };
        let columns = table.unwrap_or_default();
        objects.columns = columns.iter().map(|column| folded(&column.name)).collect();
        objects.leave_others_out();
        if !knows_all {
            objects.add_spare(columns.into_iter().filter(|column| column.is_spare).map(|column| column.name));
        }
        let mut reader = Self {
            lines,
            objects: Arc::default(),
            renamed: Renamed::new(),
            how: options.names,
            memory: options.memory,
            knows_all,
        };
        reader.settle(objects);
        Ok(reader)
    }

    /// From now on the fields are these.
    fn settle(&mut self, mut objects: Objects) {
        // Values are found by their names in the file.
        self.renamed = clean(&mut objects.names, self.how);
        self.lines.limit_rows(self.memory / (objects.names.len().max(1) * PLACE_BYTES) / SHARE);
        objects.uses = (0..objects.names.len()).map(|index| FieldUse { index, ..FieldUse::default() }).collect();
        self.objects = Arc::new(objects);
    }

    /// Whether records after the first ones may have other names, and the file can be read again to find them.
    pub(crate) fn may_have_more_names(&self) -> bool {
        !self.knows_all && self.can_be_read_again()
    }

    /// Takes the names of all records, which `again`, another reader of the same file, reads.
    ///
    /// # Errors
    /// Those of reading; `Data` for more names than a table has columns.
    pub(crate) fn take_all_names(&mut self, again: &mut Self) -> Result<()> {
        let Objects { ignores_others, ignores_late, columns, .. } = (*self.objects).clone();
        let mut objects = Objects { ignores_others, ignores_late, columns, ..Objects::default() };
        while let Some(lines) = again.lines.next(usize::MAX)? {
            objects.find_names(&lines, usize::MAX).map_err(|TooMany| too_many(again.lines.name()))?;
        }
        objects.leave_others_out();
        self.knows_all = true;
        self.settle(objects);
        Ok(())
    }
}

fn too_many(name: &str) -> Error {
    Error::data(format!("the records of `{name}` have more than {MAX_FIELDS} names, and no table has more columns"))
        .with_hint("names that are data belong into values: a JSON column, or a record for each")
}

/// The error for a file whose first records have no names.
fn no_names(sample: &RecordChunk, fault: Option<(Line, Fault)>) -> Error {
    let (name, text) = (&sample.name, &sample.text);
    match fault {
        Some((line, fault)) if line.json.of(text).trim_ascii().starts_with(b"{") => {
            let (what, fault) = what_is_wrong(fault, line.json, text);
            let place = Place { source: name.clone(), line: line.number, column: None };
            let hint = NO_NUMBER_HINT.replace("FILE", name);
            Error::data(what).with_input_fault(fault).at(place).with_hint(hint)
        }
        _ => Error::data(format!("the first records of `{name}` are no JSON objects with names in them"))
            .with_hint("JSON Lines has an object on each line: `{\"id\": 1, \"name\": \"Ann\"}`"),
    }
}

/// The lines of a chunk that are records.
fn lines_of(chunk: &RecordChunk) -> impl Iterator<Item = Line> {
    let text = chunk.text.as_slice();
    let (mut start, mut number) = (0, chunk.first_line);
    let mut malformed = chunk.malformed.iter().peekable();
    std::iter::from_fn(move || {
        while start < text.len() {
            let end = memchr(b'\n', &text[start..]).map_or(text.len(), |at| start + at + 1);
            let mut is_malformed = false;
            while malformed.next_if(|at| **at < end).is_some() {
                is_malformed = true;
            }
            let record = std::mem::replace(&mut start, end)..end;
            number += 1;
            if is_blank(&text[record.clone()]) {
                continue;
            }
            let n_ends = text[record.clone()].iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            let json = Span { start: record.start, end: end - n_ends };
            return Some(Line { number: number - 1, record, json, is_malformed });
        }
        None
    })
}

impl Line {
    fn has_control_character(&self, text: &[u8]) -> bool {
        memchr(NO_JSON, self.json.of(text)).is_some()
    }
}

/// Why a line is no JSON, in words and as a value.
fn what_is_wrong(fault: Fault, line: Span, text: &[u8]) -> (String, InputFault) {
    let at = fault.at - line.start + 1;
    let rest = &text[fault.at.min(line.end)..line.end];
    let word = ["NaN", "nan", "Infinity"].into_iter().find(|word| rest.starts_with(word.as_bytes()));
    match word {
        Some(word) => {
            let reason = format!("not valid JSON, which has no `{word}`, at byte {at} of the line");
            (reason, InputFault::NumberWord(word))
        }
        None => (format!("not valid JSON: {} at byte {at} of the line", fault.what), InputFault::Other),
    }
}

impl Source for JsonlReader {
    fn name(&self) -> &str {
        self.lines.name()
    }

    fn fields(&self) -> &[String] {
        &self.objects.names
    }

    fn select(&mut self, uses: &[FieldUse]) {
        self.objects = Arc::new(Objects { uses: uses.to_vec(), ..(*self.objects).clone() });
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        self.next_raw_chunk()?.map(|raw_chunk| raw_chunk.parse()).transpose()
    }

    fn next_raw_chunk(&mut self) -> Result<Option<Box<dyn RawChunk>>> {
        let objects = self.objects.clone();
        let lines = self.lines.next(usize::MAX)?;
        Ok(lines.map(|lines| Box::new(JsonChunk { lines, objects }) as Box<dyn RawChunk>))
    }

    fn identity(&mut self) -> Result<Option<Identity>> {
        self.lines.identity()
    }

    fn reading(&self) -> Mapping {
        Mapping::default().with("format", "JSON Lines").and(self.lines.reading())
    }

    fn hash_of_first(&mut self, bytes: u64) -> Result<Option<u64>> {
        self.lines.hash_of_first(bytes)
    }

    fn resume(&mut self, stored: &[ChunkLine], verify: bool) -> Result<()> {
        self.lines.resume(stored, verify)
    }

    fn compare(&mut self, stored: &[ChunkLine]) -> Result<bool> {
        self.lines.compare(stored)
    }

    fn can_peek(&self) -> bool {
        true
    }

    fn peek(&mut self, bytes: usize) -> Result<Option<Batch>> {
        self.objects.parse(&self.lines.peek(bytes)?, &mut []).map(Some)
    }

    fn unchanged(&self) -> Option<Arc<dyn Unchanged>> {
        self.lines.unchanged()
    }

    fn bytes_left(&self) -> Option<u64> {
        self.lines.bytes_left()
    }

    fn set_batch_bytes(&mut self, bytes: usize) {
        self.lines.set_batch_bytes(bytes);
    }
}

impl FileSource for JsonlReader {
    fn meter(&self) -> Arc<Meter> {
        self.lines.meter()
    }

    fn infer_types(&mut self, max_bytes: usize) -> Result<Vec<Inferred>> {
        if self.objects.names.is_empty() {
            return Ok(Vec::new());
        }
        let sample = self.lines.sample(max_bytes);
        let is_all = self.lines.is_all(sample.text.len());
        let mut types = Types::new(&self.objects);
        types.note(&sample)?;
        Ok(types.judge(is_all))
    }

    fn infer_from_records(&mut self, n: u64, _texts: Texts) -> Result<Vec<Inferred>> {
        let mut types = Types::new(&self.objects);
        let (mut seen, mut ended) = (0, self.objects.names.is_empty());
        while seen < n && !ended {
            match self.lines.next(usize::try_from(n - seen).unwrap_or(usize::MAX))? {
                Some(lines) => {
                    seen += lines.n_records;
                    types.note(&lines)?;
                }
                None => ended = true,
            }
        }
        Ok(types.judge(ended))
    }

    fn can_be_read_again(&self) -> bool {
        self.lines.can_be_read_again()
    }

    fn renamed(&self) -> &[(usize, String, String)] {
        &self.renamed
    }

    fn reject_form(&self) -> RejectForm {
        RejectForm::Lines
    }
}

impl RawChunk for JsonChunk {
    fn records(&self) -> u64 {
        self.lines.n_records
    }

    fn bytes(&self) -> u64 {
        self.lines.text.len() as u64
    }

    fn parse(self: Box<Self>) -> Result<Batch> {
        self.objects.parse(&self.lines, &mut [])
    }
}

impl Objects {
    /// Collects the names of so many records, in the order of their appearance. Returns what is wrong with the first bad one.
    fn find_names(&mut self, sample: &RecordChunk, most_rows: usize) -> Result<Option<(Line, Fault)>, TooMany> {
        let text = &sample.text;
        let mut first_fault = None;
        let is_whole = |line: &Line| !line.is_malformed && !line.has_control_character(text);
        for line in lines_of(sample).filter(is_whole).take(most_rows) {
            let mut names = Vec::new();
            let whole = Scanner::new(text, line.json, Limits::default()).object(|key, _| {
                names.push(plain(text, key));
                if names.len() > MAX_FIELDS { Err(Stop::TooMany) } else { Ok(()) }
            });
            match whole {
                Ok(()) => {}
                Err(Stop::TooMany) => return Err(TooMany),
                // A bad record is reported when it is loaded.
                Err(Stop::Fault(fault)) => {
                    first_fault.get_or_insert((line, fault));
                    continue;
                }
            }
            for name in names {
                let (Ok(shown), false) = (String::from_utf8(name.clone()), self.places.contains_key(&name)) else {
                    continue;
                };
                if self.names.len() == MAX_FIELDS {
                    return Err(TooMany);
                }
                self.places.insert(name, self.names.len());
                self.names.push(shown);
            }
        }
        Ok(first_fault)
    }

    /// Adds columns that no record has had yet.
    fn add_spare(&mut self, columns: impl Iterator<Item = String>) {
        let known: BTreeSet<String> = self.names.iter().map(|name| folded(name)).collect();
        for column in columns.filter(|column| !known.contains(&folded(column))) {
            self.spare.insert(folded(&column), self.names.len());
            self.names.push(column);
        }
    }

    /// Leaves out the names that are not columns, if the options say so.
    fn leave_others_out(&mut self) {
        if !self.ignores_others || self.columns.is_empty() {
            return;
        }
        self.names.retain(|name| self.columns.contains(&folded(name)));
        self.places = self.names.iter().enumerate().map(|(index, name)| (name.clone().into_bytes(), index)).collect();
    }

    /// The field that the value of a name belongs to.
    fn place_of(&self, name: &[u8]) -> Option<usize> {
        let spare = || self.spare.get(&folded(str::from_utf8(name).ok()?)).copied();
        self.places.get(name).copied().or_else(|| if self.spare.is_empty() { None } else { spare() })
    }

    /// Parses lines: members become columns, bad lines become rejects. If `kinds` is not empty, it records the kinds of each field's values.
    fn parse(&self, lines: &RecordChunk, kinds: &mut [Kinds]) -> Result<Batch> {
        let text = &lines.text;
        let n_lines = lines.n_records as usize;
        let is_utf8 = simdutf8::basic::from_utf8(text).is_ok();
        let mut rows = Rows::new(self.uses.len(), n_lines);
        let mut values: Vec<Option<Value>> = vec![None; self.names.len()];
        let (mut starts, mut ends) = (Vec::with_capacity(n_lines), Vec::with_capacity(n_lines));
        let mut rejects = Vec::new();
        for line in lines_of(lines) {
            values.fill(None);
            let outcome = match &text[line.record.clone()] {
                _ if line.is_malformed => Err(Bad::Encoding(lines.encoding)),
                _ if line.has_control_character(text) => Err(Bad::ControlCharacter),
                record if !is_utf8 && str::from_utf8(record).is_err() => Err(Bad::Encoding(UTF_8)),
                _ => self.members(text, line.json, &mut values),
            };
            if let Err(bad) = outcome {
                let (reason, fault, column) = bad.explain(line.json, text, &self.columns);
                let place = Place { source: lines.name.clone(), line: line.number, column };
                rejects.push(Reject::new(place, reason, fault, &text[line.record]));
                continue;
            }
            kinds.iter_mut().zip(&values).for_each(|(kinds, value)| kinds.note(*value));
            rows.push(text, &self.uses, &values);
            starts.push(line.record.start as u32);
            ends.push(line.record.end as u32);
        }
        let n_rows = starts.len();
        let fields = self.uses.iter().map(|use_| Field::new(&self.names[use_.index], DataType::BinaryView, true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let options = RecordBatchOptions::new().with_row_count(Some(n_rows));
        let rows = RecordBatch::try_new_with_options(schema, rows.finish(text.clone())?, &options)
            .map_err(|e| Error::data(format!("a batch could not be built: {e}")))?;
        let origin = Origin { record_starts: starts, record_ends: ends, ..lines.origin(None) };
        Ok(Batch { rows, utf8: true, known: Vec::new(), origin, rejects })
    }

    /// Writes the values of a line to the places of their names.
    fn members(&self, text: &[u8], line: Span, values: &mut [Option<Value>]) -> Result<(), Bad> {
        // The records of a file mostly have the same order of names.
        let mut expected = 0;
        Scanner::new(text, line, Limits::default()).object(|key, value| {
            let is_next =
                !key.escaped && self.names.get(expected).is_some_and(|name| name.as_bytes() == key.span.of(text));
            let found = if is_next { Some(expected) } else { self.place_of(&plain(text, key)) };
            let Some(index) = found else {
                let is_column = || self.columns.contains(&folded(&String::from_utf8_lossy(&plain(text, key))));
                return if self.ignores_late && !is_column() { Ok(()) } else { Err(Bad::Unknown(key)) };
            };
            if values[index].replace(value).is_some() {
                return Err(Bad::Twice(key));
            }
            expected = index + 1;
            Ok(())
        })
    }
}

/// Why the names of a record are not collected.
enum Stop {
    Fault(Fault),
    TooMany,
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// There are more names than a table has columns.
#[derive(Debug)]
struct TooMany;

/// What is wrong with a line.
enum Bad {
    Encoding(&'static Encoding),
    ControlCharacter,
    Json(Fault),
    Unknown(Text),
    Twice(Text),
}

impl From<Fault> for Bad {
    fn from(fault: Fault) -> Self {
        Bad::Json(fault)
    }
}

impl Bad {
    /// The reason, in words and as a value, and the name that caused it.
    fn explain(self, line: Span, text: &[u8], columns: &BTreeSet<String>) -> (String, InputFault, Option<Arc<str>>) {
        let name = |key| String::from_utf8_lossy(&plain(text, key)).into_owned();
        match self {
            Bad::Encoding(encoding) => {
                (format!("the text is not valid {}", encoding.name()), InputFault::Encoding, None)
            }
            Bad::ControlCharacter => {
                ("not valid JSON: there is a control character in it".into(), InputFault::Other, None)
            }
            Bad::Json(fault) => {
                let (reason, fault) = what_is_wrong(fault, line, text);
                (reason, fault, None)
            }
            Bad::Unknown(key) => {
                let name = name(key);
                let is_column = (!columns.is_empty()).then(|| columns.contains(&folded(&name)));
                let so = match is_column {
                    Some(true) => "so its column was to have its default",
                    None => "so there is no column for it",
                    Some(false) => "and the table has no such column",
                };
                let reason = format!("none of the first records has a `{}`, {so}", name.escape_debug());
                (reason, InputFault::UnknownName { is_column }, Some(name.into()))
            }
            Bad::Twice(key) => {
                let name = name(key);
                (format!("`{}` occurs twice", name.escape_debug()), InputFault::Other, Some(name.into()))
            }
        }
    }
}

/// The columns of a batch under construction.
struct Rows {
    columns: Vec<JsonColumn>,
    /// Strings without their escapes.
    side: Vec<u8>,
    n_rows: usize,
}

struct JsonColumn {
    views: Vec<u128>,
    nulls: Vec<usize>,
}

impl Rows {
    fn new(n_columns: usize, room: usize) -> Self {
        let columns =
            (0..n_columns).map(|_| JsonColumn { views: Vec::with_capacity(room), nulls: Vec::new() }).collect();
        Self { columns, side: Vec::new(), n_rows: 0 }
    }

    fn push(&mut self, text: &[u8], uses: &[FieldUse], values: &[Option<Value>]) {
        for (column, use_) in self.columns.iter_mut().zip(uses) {
            let in_text = |span: Span| view(span.of(text), TEXT, span.start);
            let view = match values[use_.index] {
                None | Some(Value::Null) => {
                    column.nulls.push(self.n_rows);
                    0
                }
                Some(Value::Bool(value)) => match (use_.column_kind, value) {
                    (ColumnKind::Json, true) => view(b"true", TEXT, 0),
                    (ColumnKind::Json, false) => view(b"false", TEXT, 0),
                    (_, true) => view(b"1", TEXT, 0),
                    (_, false) => view(b"0", TEXT, 0),
                },
                Some(Value::Number(span) | Value::Nested(span)) => in_text(span),
                Some(Value::String(Text { span, .. })) if use_.column_kind == ColumnKind::Json => {
                    in_text(Span { start: span.start - 1, end: span.end + 1 })
                }
                Some(Value::String(Text { span, escaped: false })) => in_text(span),
                Some(Value::String(Text { span, escaped: true })) => {
                    let start = self.side.len();
                    unescape(span.of(text), &mut self.side);
                    view(&self.side[start..], SIDE, start)
                }
            };
            column.views.push(view);
        }
        self.n_rows += 1;
    }

    fn finish(self, text: Buffer) -> Result<Vec<ArrayRef>> {
        let buffers = vec![text, Buffer::from_vec(self.side)];
        let column = |column: JsonColumn| {
            let nulls = (!column.nulls.is_empty()).then(|| {
                let mut valid = vec![true; self.n_rows];
                column.nulls.iter().for_each(|&row| valid[row] = false);
                NullBuffer::from(valid)
            });
            let array = BinaryViewArray::try_new(ScalarBuffer::from(column.views), buffers.clone(), nulls);
            Ok(Arc::new(array.map_err(|e| Error::data(format!("a column could not be built: {e}")))?) as ArrayRef)
        };
        self.columns.into_iter().map(column).collect()
    }
}

/// The types of a sample's fields, under inspection.
struct Types {
    objects: Objects,
    inference: Inference,
    kinds: Vec<Kinds>,
}

impl Types {
    fn new(objects: &Objects) -> Self {
        let n = objects.names.len();
        let uses = (0..n).map(|index| FieldUse { index, ..FieldUse::default() }).collect();
        Self {
            objects: Objects { uses, ..objects.clone() },
            inference: Inference::new(n, Texts::Json),
            kinds: vec![Kinds::default(); n],
        }
    }

    fn note(&mut self, lines: &RecordChunk) -> Result<()> {
        let batch = self.objects.parse(lines, &mut self.kinds)?;
        self.inference.note(&batch.rows, &batch.origin);
        Ok(())
    }

    fn judge(self, is_all: bool) -> Vec<Inferred> {
        let mut fields = self.inference.judge(&self.objects.names, is_all);
        fields.iter_mut().zip(&self.kinds).for_each(|(field, kinds)| kinds.settle(field));
        fit_row(&mut fields);
        fields
    }
}

/// The kinds of a field's values in a sample.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds {
    bools: bool,
    numbers: bool,
    strings: bool,
    nested: bool,
}

impl Kinds {
    fn note(&mut self, value: Option<Value>) {
        match value {
            None | Some(Value::Null) => {}
            Some(Value::Bool(_)) => self.bools = true,
            Some(Value::Number(_)) => self.numbers = true,
            Some(Value::String(_)) => self.strings = true,
            Some(Value::Nested(_)) => self.nested = true,
        }
    }

    /// Corrects the type of `field`, which was inferred from the values' texts, by their JSON kinds.
    fn settle(self, field: &mut Inferred) {
        use ColumnType::{Char, Date, DateTime, Time, Uuid};
        let ty = match self {
            Kinds { nested: true, .. }
            | Kinds { strings: true, bools: true, .. }
            | Kinds { strings: true, numbers: true, .. } => ColumnType::Json,
            Kinds { bools: true, numbers: false, .. } => ColumnType::Int { bytes: 1, unsigned: false, bool: true },
            // Digits in quotes are a text, and so is `true`.
            Kinds { strings: true, .. } => match &field.ty {
                ty @ (Date | DateTime { .. } | Time { .. } | Uuid | Char { .. }) => ty.clone(),
                _ => text_type(field.max_chars, 4 * field.max_chars),
            },
            _ => return,
        };
        // A JSON column takes every value of JSON as it is.
        field.keeps_spelling &= ty != ColumnType::Json;
        (field.ty, field.cause) = (ty, None);
    }
}

/// A name as servers compare those of columns.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

/// The text of a string.
fn plain(text: &[u8], string: Text) -> Vec<u8> {
    let mut plain = Vec::new();
    unescape(string.span.of(text), &mut plain);
    plain
}

/// What makes JSON of a text with NaN.
const NO_NUMBER_HINT: &str = "`jq -c . FILE | inrush load - --format jsonl ..` makes null of NaN";

/// The buffers of a column.
const TEXT: usize = 0;
const SIDE: usize = 1;

/// A byte that does not occur in JSON.
const NO_JSON: u8 = 1;

/// The bytes, and the records, that are searched for the names of the fields.
const SAMPLE_BYTES: usize = 4 << 20;
const SAMPLE_ROWS: usize = 10_000;

/// The most columns of a table (both servers' manuals, "Limits on Table Column Count").
const MAX_FIELDS: usize = 4_096;

/// Every field has a view for every record.
const PLACE_BYTES: usize = 16;

/// The share of the memory for the views of one batch: several batches are in progress at a time.
const SHARE: usize = 8;

#[cfg(test)]
mod tests;
