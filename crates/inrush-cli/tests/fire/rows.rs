//! Rows whose sum is known: what the source holds, what the table must hold afterwards, and what must be rejected.

use crate::dice::Dice;
use flate2::Crc;

/// The table of every fire test; the server refuses a negative value, which we cannot see.
pub(crate) fn table(has_key: bool) -> String {
    let key = if has_key { " PRIMARY KEY" } else { "" };
    format!(
        "CREATE TABLE fire (id INT NOT NULL{key}, value INT NOT NULL, name VARCHAR(40) NOT NULL, CHECK (value >= 0)) ENGINE=InnoDB CHARSET=utf8mb4"
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

/// A source's text, and what becomes of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Content {
    pub(crate) text: String,
    /// The rows that must be stored: id and checksum.
    pub(crate) sums: Vec<(u64, u64)>,
    /// The records that must be rejected, as they stand in the text.
    pub(crate) rejects: Vec<String>,
}

pub(crate) const HEADER: &str = "id,value,name\n";

/// Rows of ids from `first`; what is good of them is added to `held`.
pub(crate) fn content(first: u64, records: u64, has_bad: bool, held: &mut Held, dice: &mut Dice) -> Content {
    let mut content = Content { text: HEADER.to_owned(), ..Content::default() };
    for id in first..first + records {
        let value = dice.below(1_000_000);
        let (name, written) = name(id);
        let record = match (has_bad, id % 97, id % 131) {
            // We see that it is no number.
            (true, 5, _) => Err(format!("{id},x{value},{written}\n")),
            // Only the server sees this one.
            (true, _, 7) => Err(format!("{id},-{},{written}\n", value + 1)),
            _ => Ok(format!("{id},{value},{written}\n")),
        };
        match record {
            Ok(record) => {
                content.sums.push((id, held.add(id, value, &name)));
                content.text.push_str(&record);
            }
            Err(record) => {
                content.text.push_str(&record);
                content.rejects.push(record);
            }
        }
    }
    content
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
