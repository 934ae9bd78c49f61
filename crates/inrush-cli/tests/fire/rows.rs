//! Rows whose sum is known: what the source holds, what the table must hold afterwards, and what must be rejected.

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use flate2::Crc;
use inrush_testkit::dice::Dice;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use std::sync::Arc;

/// The table of every fire test; the server refuses a negative value, which we cannot see.
pub(crate) fn table(key: Option<&str>, is_partitioned: bool) -> String {
    let key = key.map_or(String::new(), |columns| format!(", PRIMARY KEY ({columns})"));
    let partitions = if is_partitioned { " PARTITION BY HASH (id) PARTITIONS 5" } else { "" };
    format!(
        "CREATE TABLE fire (id INT NOT NULL, value INT NOT NULL, name VARCHAR(40) NOT NULL, CHECK (value >= 0){key}) ENGINE=InnoDB CHARSET=utf8mb4{partitions}"
    )
}

/// Asks for [`Held`].
pub(crate) const HELD: &str = "SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS('|', id, value, name))), 0), COUNT(DISTINCT id), \
     COALESCE(MIN(id), 0), COALESCE(MAX(id), 0) FROM fire WHERE id > 0";

/// What a table holds: rows, the sum of their checksums, different ids, the lowest and the highest of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) rows: u64,
    pub(crate) sum: u64,
    pub(crate) ids: u64,
    pub(crate) lowest: u64,
    pub(crate) highest: u64,
}

impl Held {
    /// Reads the answer to [`HELD`].
    pub(crate) fn parse(answer: &str) -> Self {
        let numbers: Vec<u64> = answer.split(',').map(|number| number.parse().unwrap()).collect();
        let [rows, sum, ids, lowest, highest] = numbers[..] else { panic!("`{answer}`") };
        Self { rows, sum, ids, lowest, highest }
    }

    fn add(&mut self, id: u64, value: u64, name: &str) -> u64 {
        let mut crc = Crc::new();
        crc.update(format!("{id}|{value}|{name}").as_bytes());
        self.rows += 1;
        self.ids += 1;
        self.sum += u64::from(crc.sum());
        self.lowest = if self.rows == 1 { id } else { self.lowest.min(id) };
        self.highest = self.highest.max(id);
        u64::from(crc.sum())
    }
}

/// A source, and what becomes of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub(crate) bytes: Vec<u8>,
    /// The rows that must be stored: id and checksum.
    pub(crate) sums: Vec<(u64, u64)>,
    /// The records that must be rejected, as the reject file must have them.
    pub(crate) rejects: Vec<String>,
}

/// How records are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Csv,
    JsonLines,
    /// Its rejects are lines of CSV.
    Parquet,
}

impl Form {
    /// What stands before the records, and before the rejects.
    pub(crate) fn header(self) -> &'static str {
        if self == Form::JsonLines { "" } else { "id,value,name\n" }
    }

    fn record(self, cells: &[String; 3], written: &str) -> String {
        let [id, value, name] = cells;
        match self {
            Form::JsonLines => format!("{{\"id\":{id},\"value\":\"{value}\",\"name\":{}}}\n", serde_json::json!(name)),
            Form::Csv | Form::Parquet => format!("{id},{value},{written}\n"),
        }
    }
}

/// Which bad rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bad {
    No,
    /// Some that we refuse, some that only the server does.
    Values,
    /// The same, and some whose id an earlier one has.
    ValuesAndKeys,
}

/// Rows of ids from `first`; what is good of them is added to `held`.
pub(crate) fn content(form: Form, first: u64, records: u64, bad: Bad, held: &mut Held, dice: &mut Dice) -> Content {
    let (mut sums, mut rejects) = (Vec::new(), Vec::new());
    let mut rows = Vec::new();
    let mut text = form.header().to_owned();
    for id in first..first + records {
        let value = dice.below(1_000_000);
        let (name, written) = name(id);
        let refused = match (bad != Bad::No, id % 97, id % 131) {
            // We see that it is no number.
            (true, 5, _) => Some(format!("x{value}")),
            // Only the server sees this one.
            (true, _, 7) => Some(format!("-{}", value + 1)),
            _ => None,
        };
        if refused.is_none() {
            sums.push((id, held.add(id, value, &name)));
        }
        let is_bad = refused.is_some();
        let cells = [id.to_string(), refused.unwrap_or_else(|| value.to_string()), name];
        let record = form.record(&cells, &written);
        text.push_str(&record);
        rows.push(cells);
        if is_bad {
            rejects.push(record);
        } else if bad == Bad::ValuesAndKeys && id % 53 == 11 {
            let again = form.record(&[id.to_string(), "0".into(), "again".into()], "again");
            text.push_str(&again);
            rejects.push(again);
        }
    }
    let bytes = if form == Form::Parquet { parquet(&rows) } else { text.into_bytes() };
    Content { bytes, sums, rejects }
}

/// A file of row groups of 700 rows; all columns are text, so that a cell may hold what its column cannot.
fn parquet(rows: &[[String; 3]]) -> Vec<u8> {
    let column = |i: usize| Arc::new(StringArray::from_iter_values(rows.iter().map(|row| &row[i]))) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("id", column(0)), ("value", column(1)), ("name", column(2))]).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(700)).build();
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

/// A name, and how it is written: some hold what a splitter must not take for an end.
fn name(id: u64) -> (String, String) {
    match id % 13 {
        0 => (format!("Ann, no {id}"), format!("\"Ann, no {id}\"")),
        3 => (format!("two\nlines {id}"), format!("\"two\nlines {id}\"")),
        6 => (format!("\"quoted\" {id}"), format!("\"\"\"quoted\"\" {id}\"")),
        9 => (format!("Zoë {id}"), format!("Zoë {id}")),
        _ => (format!("n{id}"), format!("n{id}")),
    }
}
