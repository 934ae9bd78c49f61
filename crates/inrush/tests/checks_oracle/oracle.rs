//! One column on one server, and the ways into it.

use arrow_array::{ArrayRef, BinaryViewArray, RecordBatch};
use inrush::blocking::Connection;
use inrush::sans_io::column::Rules;
use inrush::sans_io::column::check::{BoundVerdict, Check, CheckedColumn, Form};
use inrush::sans_io::column::{Column, ColumnType};
use inrush::sans_io::load::encode::load_data::{self, LoadText};
use inrush::sans_io::load::encode::{Layout, is_bindable};
use inrush::sans_io::load::lane::LaneSession;
use inrush::sans_io::load::{Batch, Origin};
use inrush::sans_io::session::Pipeline;
use inrush::sans_io::session::pipeline::{Decision, Flight, NextCommand, Reply};
use inrush::sans_io::value::Value;
use inrush::sans_io::write::Insert;
use inrush::sans_io::write::literal::put_literal;
use inrush::sans_io::write::text::MultiRow;
use inrush::sans_io::write::{Bulk, Command, Limits, MultiRowPrepared, Next, Writer};
use inrush::sans_io::write::{CheckedRows, RowSource, Separators};
use inrush::{Config, Result};
use inrush_testkit::servers::{self, Schema, Server};
use jiff::tz::TimeZone;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// What a server did with a raw text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stored {
    /// It refused it, or warned, or stored something else.
    Noticed,
    /// It stored it as it is and said nothing.
    Silently,
}

/// Two tables `(id, c)` on one server, one for each method; `c` has the type in question.
pub(super) struct Oracle {
    declared: String,
    lane: Rc<Lane>,
    loaded: String,
    inserted: String,
    columns: [Column; 2],
    rules: Rules,
    time_zone: String,
}

/// A schema and a connection in a lane's session; a test makes one a server.
pub(super) struct Lane {
    // Dropped first: an open transaction would keep the schema from being dropped.
    pub(super) connection: RefCell<Connection>,
    pub(super) schema: Schema,
    n_tables: Cell<u32>,
}

thread_local! {
    static LANES: RefCell<HashMap<String, Rc<Lane>>> = RefCell::default();
}

impl Lane {
    pub(super) fn on(server: &Server) -> Rc<Lane> {
        LANES.with_borrow_mut(|lanes| {
            lanes.entry(server.name.clone()).or_insert_with(|| Rc::new(Lane::new(server.schema("oracle")))).clone()
        })
    }

    fn new(schema: Schema) -> Lane {
        let config = Config::from_url(&schema.url()).unwrap().with_local_infile(true);
        let mut connection = Connection::connect(&config).unwrap();
        let profile = *connection.session().profile();
        let unchecked = inrush_core::load::lane::Unchecked::default();
        let session = LaneSession { time_zone: "+00:00".into(), statement_binlog: false, profile, unchecked };
        for statement in session.setup() {
            connection.execute(&statement, ()).unwrap();
        }
        connection.execute("SET autocommit = 1", ()).unwrap();
        Lane { connection: RefCell::new(connection), schema, n_tables: Cell::new(0) }
    }

    pub(super) fn execute(&self, sql: &str) {
        self.connection.borrow_mut().execute(sql, ()).unwrap_or_else(|e| panic!("{sql}: {e}"));
    }

    /// A result as texts; NULL is `SQL NULL`.
    pub(super) fn query(&self, sql: &str) -> Result<Vec<Vec<String>>> {
        let set = self.connection.borrow_mut().query_result_sets(sql, ())?.remove(0);
        let text = |value| match value {
            Some(Value::Bytes(bytes)) => shown(bytes),
            _ => "SQL NULL".into(),
        };
        let row = |row| (0..set.columns().len()).map(|column| text(set.value(row, column))).collect();
        Ok((0..set.len()).map(row).collect())
    }
}

impl Oracle {
    /// One on each server that has the type; at least one has.
    pub(super) fn on_all(declared: &str) -> Vec<Oracle> {
        Self::on_all_in_zone(declared, &TimeZone::UTC, "+00:00")
    }

    /// The same in another zone; the servers know it by `name`.
    pub(super) fn on_all_in_zone(declared: &str, zone: &TimeZone, name: &str) -> Vec<Oracle> {
        let servers = servers::with_local_infile();
        let have_it = servers.iter().filter(|server| has_type(&server.name, declared));
        let oracles: Vec<Oracle> = have_it.map(|server| Oracle::new(Lane::on(server), declared, zone, name)).collect();
        assert!(!oracles.is_empty());
        oracles
    }

    fn new(lane: Rc<Lane>, declared: &str, zone: &TimeZone, zone_name: &str) -> Oracle {
        let number = lane.n_tables.replace(lane.n_tables.get() + 1);
        let (loaded, inserted) = (format!("loaded_{number}"), format!("inserted_{number}"));
        for table in [&loaded, &inserted] {
            lane.execute(&format!("CREATE TABLE {table} (id INT PRIMARY KEY, c {declared} NULL)"));
        }
        let columns = [described(&lane, &loaded, "id", "int"), described(&lane, &loaded, "c", declared)];
        let rules = Rules::new(zone.clone(), *lane.connection.borrow().session().profile());
        Oracle { declared: declared.into(), lane, loaded, inserted, columns, rules, time_zone: zone_name.into() }
    }

    pub(super) fn server_name(&self) -> &str {
        &self.lane.schema.server().name
    }

    /// Our own verdict: the reason if the cell is bad.
    pub(super) fn verdict(&self, cell: &[u8]) -> std::result::Result<(), String> {
        let check = Check::new(&self.columns[1], &self.rules);
        let cells = BinaryViewArray::from_iter([Some(cell)]);
        let mut bad = Vec::new();
        check.run(&cells, false, &mut bad);
        bad.first().map_or(Ok(()), |bad| Err(check.reason(&cells, bad).0))
    }

    /// Both methods store what stands beside each cell, without a warning.
    #[track_caller]
    pub(super) fn check_stored(&self, cells: &[(&str, &str)]) {
        let texts: Vec<&[u8]> = cells.iter().map(|(cell, _)| cell.as_bytes()).collect();
        let want: Vec<&[u8]> = cells.iter().map(|(_, want)| want.as_bytes()).collect();
        self.check_stored_as(&texts, &want);
    }

    /// The same for bytes, which stay as they are.
    #[track_caller]
    pub(super) fn check_stored_bytes(&self, cells: &[&[u8]]) {
        self.check_stored_as(cells, cells);
    }

    #[track_caller]
    fn check_stored_as(&self, cells: &[&[u8]], want: &[&[u8]]) {
        let place = format!("{} on {}", self.declared, self.server_name());
        let texts = BinaryViewArray::from_iter(cells.iter().copied().map(Some));
        let check = Check::new(&self.columns[1], &self.rules);
        let mut bad = Vec::new();
        let checked = check.run(&texts, false, &mut bad);
        let reasons: Vec<String> = bad.iter().map(|bad| check.reason(&texts, bad).0).collect();
        assert!(bad.is_empty(), "{place}: {reasons:?}");
        let columns = [ids(cells.len()), checked];
        for (table, method) in [(&self.loaded, Oracle::load as Method), (&self.inserted, Oracle::insert)] {
            self.lane.execute(&format!("DELETE FROM {table}"));
            let warnings = method(self, &columns).unwrap_or_else(|e| panic!("{place}: {e}"));
            assert_eq!(warnings, [""; 0], "{place}, {table}");
        }
        let want: Vec<String> = want.iter().map(|bytes| shown(bytes)).collect();
        let stored = self.contents();
        assert_eq!(stored[..cells.len()], want, "{place}, loaded");
        assert_eq!(stored[cells.len()..], want, "{place}, inserted");
        for (name, mut writer) in self.bound_writers() {
            self.lane.execute(&format!("DELETE FROM {}", self.inserted));
            let warnings = self.send_rows(&mut *writer, &columns).unwrap_or_else(|e| panic!("{place}, {name}: {e}"));
            assert_eq!(warnings, [""; 0], "{place}, {name}");
            assert_eq!(self.contents()[cells.len()..], want, "{place}, {name}");
        }
        self.check_as_they_stand(cells, &columns[1], &want);
    }

    /// The server reads from the text of a file what it was sent of the same cells encoded.
    #[track_caller]
    fn check_as_they_stand(&self, cells: &[&[u8]], checked: &CheckedColumn, want: &[String]) {
        let place = format!("{} on {}, as they stand", self.declared, self.server_name());
        if checked.form == Form::Bytes {
            return;
        }
        let untouched = |at: &usize| checked.cells.value(*at) == cells[*at];
        let without = |bytes: &'static [u8]| move |at: &usize| !cells[*at].iter().any(|byte| bytes.contains(byte));
        let bare = (0..cells.len()).filter(untouched).filter(without(b"|\n\\\0"));
        self.check_text(&place, bare.collect(), cells, None, want);
        let quoted = (0..cells.len()).filter(untouched).filter(without(b"\\\0")).filter(|at| cells[*at] != b"NULL");
        self.check_text(&place, quoted.collect(), cells, Some(b'"'), want);
    }

    #[track_caller]
    fn check_text(&self, place: &str, those: Vec<usize>, cells: &[&[u8]], quote: Option<u8>, want: &[String]) {
        if those.is_empty() {
            return;
        }
        let (batch, columns) = self.batch(&those, cells, quote);
        let separators =
            load_data::batch_passes_through(&batch, &columns, &[]).unwrap_or_else(|| panic!("{place}: {batch:?}"));
        self.lane.execute(&format!("DELETE FROM {}", self.loaded));
        self.enter_zone();
        let layout = Layout::plain(&self.columns);
        let into = format!("INTO TABLE {}", self.loaded);
        let text = LoadText { text: &batch.origin.text, is_ascii: None, separators };
        let sql = |name: &str| load_data::statement_into(&into, &self.columns, &layout, &self.rules, text, name);
        let outcome = self.lane.connection.borrow_mut().load_local(sql, &batch.origin.text).unwrap();
        assert_eq!(outcome.warnings, 0, "{place}: {:?}", self.warnings());
        let stored = self.stored(true);
        assert_eq!(stored.len(), those.len(), "{place}");
        those.iter().for_each(|at| assert_eq!(stored[at], want[*at], "{place}"));
    }

    /// Those of the cells, each behind its number, as a reader makes them of a file; where there are quotes, cells of an even number are
    /// only quoted if they must be: a quote that is not the first byte is text.
    fn batch(&self, those: &[usize], cells: &[&[u8]], quote: Option<u8>) -> (Batch, Vec<CheckedColumn>) {
        let ids = BinaryViewArray::from_iter(those.iter().map(|at| Some(at.to_string())));
        let values = BinaryViewArray::from_iter(those.iter().map(|at| Some(cells[*at])));
        let (mut text, mut record_ends) = (Vec::new(), Vec::new());
        for at in those {
            text.extend([at.to_string().as_bytes(), b"|"].concat());
            match quote {
                Some(quote)
                    if at % 2 == 1
                        || cells[*at].first() == Some(&quote)
                        || cells[*at].iter().any(|byte| b"|\n".contains(byte)) =>
                {
                    text.push(quote);
                    for byte in cells[*at] {
                        text.extend(std::iter::repeat_n(*byte, 1 + usize::from(*byte == quote)));
                    }
                    text.push(quote);
                }
                _ => text.extend(cells[*at]),
            }
            text.push(b'\n');
            record_ends.push(text.len() as u32);
        }
        let origin = Origin {
            source: "cells".into(),
            first_record: 1,
            first_line: 1,
            span: 0..text.len() as u64,
            lines: text.iter().filter(|byte| **byte == b'\n').count() as u64,
            text: text.into(),
            verbatim: Some(Separators { terminated_by: b'|', enclosed_by: quote }),
            record_starts: std::iter::once(0).chain(record_ends.iter().copied()).take(those.len()).collect(),
            record_ends,
            stood: None,
        };
        let check = |(column, cells)| Check::new(column, &self.rules).run(cells, false, &mut Vec::new());
        let columns = self.columns.iter().zip([&ids, &values]).map(check).collect();
        let arrays = [("id", ids), ("c", values)].map(|(name, array)| (name, Arc::new(array) as ArrayRef));
        (
            Batch {
                rows: RecordBatch::try_from_iter(arrays).unwrap(),
                utf8: false,
                known: Vec::new(),
                origin,
                rejects: Vec::new(),
            },
            columns,
        )
    }

    /// We refuse it, and the server does not take it in silence.
    #[track_caller]
    pub(super) fn check_refused(&self, cell: &[u8]) {
        let place = format!("{}: `{}` on {}", self.declared, shown(cell), self.server_name());
        assert!(self.verdict(cell).is_err(), "{place} passed");
        assert_eq!(self.raw(cell), Stored::Noticed, "{place}");
    }

    /// We refuse it, although the server takes it in silence.
    #[track_caller]
    pub(super) fn check_stricter(&self, cell: &[u8]) {
        let place = format!("{}: `{}` on {}", self.declared, shown(cell), self.server_name());
        assert!(self.verdict(cell).is_err(), "{place} passed");
        assert_eq!(self.raw(cell), Stored::Silently, "{place}");
    }

    /// Sends a cell without any check by strict INSERT; it does not stay.
    pub(super) fn raw(&self, cell: &[u8]) -> Stored {
        let form = match Form::of(&self.columns[1].ty, &self.rules) {
            Form::Number | Form::Bits | Form::Plain => Form::Text,
            other => other,
        };
        let cells = BinaryViewArray::from_iter([Some(cell)]);
        self.lane.execute("BEGIN");
        self.lane.execute(&format!("DELETE FROM {}", self.inserted));
        let stored = match self.insert(&[ids(1), CheckedColumn { cells, form }]) {
            Ok(warnings) if warnings.is_empty() => self.inserted_content() == shown(cell),
            _ => false,
        };
        self.lane.execute("ROLLBACK");
        if stored { Stored::Silently } else { Stored::Noticed }
    }

    /// What is sent for a bound value, or why it is bad.
    pub(super) fn judge<'a>(
        &self,
        value: Value<'a>,
        scratch: &'a mut Vec<u8>,
    ) -> std::result::Result<Value<'a>, String> {
        let check = Check::new(&self.columns[1], &self.rules);
        let verdict = check.validate_value(&value, scratch);
        let text = |bytes: &'a [u8]| Value::Text(std::str::from_utf8(bytes).unwrap());
        Ok(match verdict {
            BoundVerdict::Keep => value,
            BoundVerdict::AsText => text(value.as_bytes().unwrap()),
            BoundVerdict::Text => text(scratch),
            BoundVerdict::Bytes => Value::Bytes(scratch),
            BoundVerdict::UInt(n) => Value::UInt(n),
            BoundVerdict::Bad(why) => return Err(check.reason_of(&value, why).0),
        })
    }

    /// Does it in one transaction and in the oracle's zone.
    pub(super) fn at_once(&self, work: impl FnOnce()) {
        self.enter_zone();
        self.lane.execute("BEGIN");
        work();
        self.lane.execute("COMMIT");
    }

    /// Inserts a value, bound or as a literal; with no word from the server, or its word.
    pub(super) fn send(&self, id: usize, value: Value<'_>, bound: bool) -> std::result::Result<(), String> {
        let sent = match bound {
            true => {
                // A statement of its own for each kind: MySQL takes the type of the first value for that of all.
                let kind = std::mem::discriminant(&value);
                let sql = format!("INSERT INTO {} VALUES (?, ?) /* {kind:?} */", self.inserted);
                self.lane.connection.borrow_mut().execute(&sql, &[Value::UInt(id as u64), value][..])
            }
            false => {
                let mut sql = format!("INSERT INTO {} VALUES ({id}, ", self.inserted).into_bytes();
                put_literal(&value, true, &mut sql).unwrap();
                sql.push(b')');
                self.lane.connection.borrow_mut().execute(&sql, ())
            }
        };
        match sent.map_err(|e| e.to_string())?.warnings {
            0 => Ok(()),
            _ => Err(self.warnings().unwrap().join("; ")),
        }
    }

    /// Loads those of the texts that are good, each into the row of its number.
    pub(super) fn load_good(&self, texts: &[Vec<u8>]) {
        let good: Vec<usize> = (0..texts.len()).filter(|at| self.verdict(&texts[*at]).is_ok()).collect();
        let cells = BinaryViewArray::from_iter(good.iter().map(|at| Some(&*texts[*at])));
        let checked = Check::new(&self.columns[1], &self.rules).run(&cells, false, &mut Vec::new());
        let ids = BinaryViewArray::from_iter(good.iter().map(|id| Some(id.to_string())));
        let warnings = self.load(&[CheckedColumn { cells: ids, form: Form::Number }, checked]).unwrap();
        assert_eq!(warnings, [""; 0], "{} on {}", self.declared, self.server_name());
    }

    /// What the rows of one of the tables hold, by number.
    pub(super) fn stored(&self, loaded: bool) -> HashMap<usize, String> {
        let table = if loaded { &self.loaded } else { &self.inserted };
        let sql = format!("SET time_zone = '+00:00'; SELECT id, {} FROM {table};", self.read_back());
        self.lane.schema.sql(&sql).iter().map(|row| (row[0].parse().unwrap(), unhex(&row[1]))).collect()
    }

    fn load(&self, columns: &[CheckedColumn]) -> Result<Vec<String>> {
        self.enter_zone();
        let mut content = Vec::new();
        load_data::encode(columns, &[], &mut content);
        let sql = |name: &str| load_data::statement(&self.loaded, &self.columns, &self.rules, &content, name);
        let outcome = self.lane.connection.borrow_mut().load_local(sql, &content)?;
        if outcome.warnings == 0 { Ok(Vec::new()) } else { self.warnings() }
    }

    fn insert_statement(&self) -> Insert {
        Layout::plain(&self.columns).insert("INSERT INTO", &self.inserted, "")
    }

    fn insert(&self, columns: &[CheckedColumn]) -> Result<Vec<String>> {
        self.send_rows(&mut MultiRow::of_insert(&self.insert_statement(), LIMITS, true), columns)
    }

    /// Writers that bind the cells; none if the column's type needs an expression.
    fn bound_writers(&self) -> Vec<(&'static str, Box<dyn Writer>)> {
        let insert = self.insert_statement();
        if !is_bindable(&self.columns, &Layout::plain(&self.columns), &self.rules) {
            return Vec::new();
        }
        let prepared = MultiRowPrepared::of_insert(&insert, LIMITS).unwrap();
        let mut writers: Vec<(_, Box<dyn Writer>)> = vec![("prepared", Box::new(prepared))];
        if self.server_name().contains("mariadb") {
            writers.push(("bulk", Box::new(Bulk::new(&insert.statement, LIMITS, false).unwrap())));
        }
        writers
    }

    fn send_rows(&self, writer: &mut dyn Writer, columns: &[CheckedColumn]) -> Result<Vec<String>> {
        self.enter_zone();
        let n_all = columns[0].cells.views().len();
        let insert = self.insert_statement();
        let rows = CheckedRows::new(columns, n_all, &[], &insert.uses);
        let (mut next, mut warnings) = (0, Vec::new());
        while next < n_all {
            match writer.next(RowSource::Checked(&rows), next..n_all, Vec::new())? {
                Next::Command { command, n_rows } => {
                    next += n_rows;
                    let mut one = One { command: Some(command), n_warnings: 0 };
                    self.lane.connection.borrow_mut().run(Pipeline::new(&mut one))??;
                    if one.n_warnings > 0 {
                        warnings.extend(self.warnings()?);
                    }
                }
                Next::TooLong { bytes } => panic!("{bytes} bytes"),
            }
        }
        Ok(warnings)
    }

    fn enter_zone(&self) {
        self.lane.execute(&format!("SET time_zone = '{}'", self.time_zone));
    }

    fn warnings(&self) -> Result<Vec<String>> {
        Ok(self.lane.query("SHOW WARNINGS")?.iter().map(|row| row.join(" ")).collect())
    }

    /// What `c` holds in both tables, in order of the rows, read in UTC by the server's own client program.
    fn contents(&self) -> Vec<String> {
        let c = self.read_back();
        let select = |table| format!("SELECT {c} FROM {table} ORDER BY id;");
        let sql = format!("SET time_zone = '+00:00'; {} {}", select(&self.loaded), select(&self.inserted));
        self.lane.schema.sql(&sql).iter().map(|row| unhex(&row[0])).collect()
    }

    /// What the one row of an open transaction holds; only its own connection can see it.
    fn inserted_content(&self) -> String {
        let rows = self.lane.query(&format!("SELECT {} FROM {}", self.read_back(), self.inserted)).unwrap();
        unhex(&rows[0][0])
    }

    fn read_back(&self) -> String {
        let text = match &self.columns[1].ty {
            ColumnType::Binary { .. } | ColumnType::VarBinary { .. } | ColumnType::Blob { .. } => {
                return "HEX(c)".into();
            }
            ColumnType::Bit { .. } => "c+0",
            ColumnType::Geometry { .. } => "ST_AsText(c)",
            ColumnType::Vector { .. } if self.server_name().contains("mariadb") => "VEC_ToText(c)",
            ColumnType::Vector { .. } => "VECTOR_TO_STRING(c)",
            _ => "c",
        };
        format!("HEX(CONVERT({text} USING utf8mb4))")
    }
}

/// One command.
struct One {
    command: Option<Command>,
    n_warnings: u16,
}

impl Flight for &mut One {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        match self.command.take() {
            Some(command) => next.send(&command),
            None => next.end(),
        }
    }

    fn reply(&mut self, _step: u64, reply: Result<Reply>) -> Result<()> {
        if let Reply::Done(outcome) = reply? {
            self.n_warnings += outcome.warnings;
        }
        Ok(())
    }
}

const LIMITS: Limits = Limits { bytes: 1 << 20, max_bytes: 1 << 20, rows: usize::MAX };

type Method = fn(&Oracle, &[CheckedColumn]) -> Result<Vec<String>>;

/// Readable, and yet different for all that is different.
fn shown(bytes: &[u8]) -> String {
    bytes.utf8_chunks().map(|chunk| format!("{}{}", chunk.valid(), chunk.invalid().escape_ascii())).collect()
}

fn unhex(digits: &str) -> String {
    if digits.ends_with("NULL") {
        return "SQL NULL".into();
    }
    let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
    shown(&(0..digits.len()).step_by(2).map(byte).collect::<Vec<_>>())
}

/// The column as the server describes it; that JSON is JSON only its declaration tells on MariaDB.
fn described(lane: &Lane, table: &str, name: &str, declared: &str) -> Column {
    let sql = format!(
        "SELECT column_type, character_set_name FROM information_schema.columns \
         WHERE table_schema = '{}' AND table_name = '{table}' AND column_name = '{name}'",
        lane.schema.name()
    );
    let rows = lane.query(&sql).unwrap();
    let ty = if declared.starts_with("json") { ColumnType::Json } else { ColumnType::parse(&rows[0][0]) };
    assert!(!matches!(ty, ColumnType::Other(_)), "{ty:?}");
    Column { charset: Some(rows[0][1].clone()).filter(|charset| charset != "SQL NULL"), ..Column::new(name, ty) }
}

fn ids(n: usize) -> CheckedColumn {
    let cells = BinaryViewArray::from_iter((0..n).map(|id| Some(id.to_string())));
    CheckedColumn { cells, form: Form::Number }
}

pub(super) fn has_type(server: &str, declared: &str) -> bool {
    match declared.split('(').next() {
        Some("uuid" | "inet4" | "inet6") => server.contains("mariadb"),
        Some("vector") => server != "mariadb-10.11",
        _ => true,
    }
}
