//! The table of sysbench (T2 of docs/notes): a key, a number, two wide texts; with any number of columns, secondary indexes and
//! partitions. Pure.
//!
//! Everything but the key repeats after [`PERIOD`] rows. So any number of rows is ready, and none is made while a clock runs.

use super::{Checksum, Dice};
use arrow_array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow_schema::ArrowError;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

/// Which rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sbtest {
    seed: u64,
    columns: usize,
}

/// Prepared rows.
#[derive(Clone, Debug)]
pub struct SbtestRows {
    names: Vec<String>,
    /// All columns but the key: of the rows 0 to [`PERIOD`], and of as many after them as are requested at once.
    columns: Vec<ArrayRef>,
    /// The text of each row of a period, without the key.
    texts: Vec<String>,
}

impl Sbtest {
    /// Rows that this seed gives, with the table's own four columns.
    pub fn new(seed: u64) -> Self {
        Self { seed, columns: 4 }
    }

    /// With so many columns, two at least: the table's own first, then numbers.
    #[must_use]
    pub fn with_columns(self, columns: usize) -> Self {
        Self { columns: columns.max(2), ..self }
    }

    /// The names of the columns, in their order.
    pub fn names(&self) -> Vec<String> {
        let own = ["id", "k", "c", "pad"].map(str::to_owned);
        own.into_iter().chain((5..).map(|i| format!("k{i}"))).take(self.columns).collect()
    }

    /// The definition of the table `name`, which is quoted if need be. The secondary indexes are on one column each, in their order after
    /// the key; 0 partitions is a table without.
    pub fn ddl(&self, name: &str, indexes: usize, partitions: u64) -> String {
        let names = self.names();
        let mut parts = vec!["id INT NOT NULL PRIMARY KEY".to_owned()];
        parts.extend(names.iter().skip(1).map(|column| match column.as_str() {
            "c" => "c CHAR(120) NOT NULL DEFAULT ''".to_owned(),
            "pad" => "pad CHAR(60) NOT NULL DEFAULT ''".to_owned(),
            number => format!("{number} INT NOT NULL DEFAULT 0"),
        }));
        parts.extend(names.iter().skip(1).take(indexes).enumerate().map(|(i, name)| match i {
            0 => "KEY k_1 (k)".to_owned(),
            _ => format!("KEY {name}_{} ({name})", i + 1),
        }));
        let by = if partitions > 0 { format!(" PARTITION BY HASH(id) PARTITIONS {partitions}") } else { String::new() };
        format!("CREATE TABLE {name} ({}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4{by}", parts.join(", "))
    }

    /// The query for the [`Checksum`] of the table `name`: one row of two columns.
    pub fn checksum_query(&self, name: &str) -> String {
        super::checksum_query(name, &self.names())
    }

    /// The most bytes that a row takes as SQL text or bound.
    pub fn most_bytes(&self) -> u64 {
        self.names().iter().map(|name| if name == "c" || name == "pad" { 125 } else { 14 }).sum()
    }

    /// Prepared rows. A request may be for at most `most` of them at once.
    pub fn made(&self, most: u64) -> SbtestRows {
        let period: Vec<Row> = (0..PERIOD).map(|number| self.row(number)).collect();
        let all = || period.iter().cycle().take((PERIOD + most) as usize);
        let text = |value: fn(&Row) -> &str| Arc::new(StringArray::from_iter_values(all().map(value))) as ArrayRef;
        let number = |i: usize| Arc::new(Int32Array::from_iter_values(all().map(|row| row.numbers[i]))) as ArrayRef;
        let columns = (0..self.columns - 1).map(|i| match i {
            0 => number(0),
            1 => text(|row| &row.c),
            2 => text(|row| &row.pad),
            _ => number(i - 2),
        });
        let texts = period.iter().map(|row| row.text(self.columns)).collect();
        SbtestRows { names: self.names(), columns: columns.collect(), texts }
    }

    fn row(&self, number: u64) -> Row {
        let mut dice = Dice::new(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut digits = |groups: usize| {
            let group = |_| format!("{:011}", dice.below(100_000_000_000));
            (0..groups).map(group).collect::<Vec<_>>().join("-")
        };
        let (c, pad) = (digits(10), digits(5));
        let numbers = (0..self.columns.saturating_sub(3).max(1)).map(|_| 1 + dice.below(1_000_000) as i32).collect();
        Row { numbers, c, pad }
    }
}

impl SbtestRows {
    /// Rows of these numbers, which are their keys.
    ///
    /// # Errors
    /// More rows than may be requested at once, or a key that is not an `INT`.
    pub fn rows(&self, numbers: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let n = (numbers.end - numbers.start) as usize;
        let from = (numbers.start % PERIOD) as usize;
        let at_hand = self.columns.first().map_or(0, |column| column.len());
        if from + n > at_hand {
            return Err(ArrowError::InvalidArgumentError(format!("{n} rows are not at hand")));
        }
        if i32::try_from(numbers.end).is_err() {
            return Err(ArrowError::InvalidArgumentError(format!("{} is too large for a key", numbers.end)));
        }
        let id = Arc::new(Int32Array::from_iter_values(numbers.map(|number| number as i32))) as ArrayRef;
        let columns = std::iter::once(id).chain(self.columns.iter().map(|column| column.slice(from, n)));
        RecordBatch::try_from_iter_with_nullable(
            self.names.iter().zip(columns).map(|(name, column)| (name, column, false)),
        )
    }

    /// The checksum of a table of these rows.
    pub fn checksum(&self, numbers: Range<u64>) -> Checksum {
        let (mut key, mut checksum) = (String::new(), Checksum::default());
        for number in numbers {
            key.clear();
            // Writing into memory does not fail.
            let _ = write!(key, "{number}|");
            let mut crc = crc32fast::Hasher::new();
            crc.update(key.as_bytes());
            crc.update(self.texts[(number % PERIOD) as usize].as_bytes());
            checksum.rows += 1;
            checksum.sum += u64::from(crc.finalize());
        }
        checksum
    }

    /// A row as text, its fields with `separator` between them.
    pub fn line(&self, number: u64, separator: &str) -> String {
        // No value has a bar in it.
        format!("{number}|{}", self.texts[(number % PERIOD) as usize]).replace('|', separator)
    }
}

/// A row without its key: `k` and further numbers, the texts.
struct Row {
    numbers: Vec<i32>,
    c: String,
    pad: String,
}

impl Row {
    /// As `CONCAT_WS('|', ..)` has it, of a table of so many columns.
    fn text(&self, columns: usize) -> String {
        let own = [self.numbers[0].to_string(), self.c.clone(), self.pad.clone()];
        let more = self.numbers[1..].iter().map(i32::to_string);
        own.into_iter().chain(more).take(columns - 1).collect::<Vec<_>>().join("|")
    }
}

/// Rows until all but the key repeats. Far more than an index has pages in a table of a million rows, so that its places are as good as
/// random.
const PERIOD: u64 = 16_384;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_part_is_at_hand() {
        let made = Sbtest::new(7).made(100);
        let all = made.rows(1..101).unwrap();
        assert_eq!(made.rows(41..51).unwrap(), all.slice(40, 10));
        // Over the end of a period.
        let over = made.rows(PERIOD - 50..PERIOD + 50).unwrap();
        assert_eq!(over.slice(60, 40).columns()[1..], made.rows(10..50).unwrap().columns()[1..]);
        assert_eq!(over.slice(60, 40).column(0), made.rows(PERIOD + 10..PERIOD + 50).unwrap().column(0));
        assert!(made.rows(1..5_000_000_000).is_err() && made.rows(3_000_000_000..3_000_000_001).is_err());
        let parts = [made.checksum(1..41), made.checksum(41..101)];
        assert_eq!(made.checksum(1..101), parts[0] + parts[1]);
        assert_ne!(Sbtest::new(8).made(100).checksum(1..101), made.checksum(1..101));
    }

    #[test]
    fn a_row_reads_as_the_server_prints_it() {
        let made = Sbtest::new(1).with_columns(6).made(1);
        let line = made.line(3, ",");
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!((fields.len(), fields[0], fields[2].len(), fields[3].len()), (6, "3", 119, 59), "{line}");
        assert_eq!(made.checksum(3..4).sum, u64::from(crc32fast::hash(made.line(3, "|").as_bytes())));
    }

    #[track_caller]
    fn check(columns: usize, indexes: usize, partitions: u64, want: &str) {
        let ddl = Sbtest::new(1).with_columns(columns).ddl("t", indexes, partitions);
        assert_eq!(ddl.replace(" ENGINE=InnoDB DEFAULT CHARSET=utf8mb4", ""), format!("CREATE TABLE t {want}"));
    }

    #[test]
    fn a_table_of_any_shape() {
        let (id, k) = ("id INT NOT NULL PRIMARY KEY", "k INT NOT NULL DEFAULT 0");
        let (c, pad) = ("c CHAR(120) NOT NULL DEFAULT ''", "pad CHAR(60) NOT NULL DEFAULT ''");
        check(4, 1, 0, &format!("({id}, {k}, {c}, {pad}, KEY k_1 (k))"));
        check(2, 0, 0, &format!("({id}, {k})"));
        check(3, 2, 4, &format!("({id}, {k}, {c}, KEY k_1 (k), KEY c_2 (c)) PARTITION BY HASH(id) PARTITIONS 4"));
        check(5, 0, 0, &format!("({id}, {k}, {c}, {pad}, k5 INT NOT NULL DEFAULT 0)"));
    }
}
