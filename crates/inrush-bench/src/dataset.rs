//! Rows to be written: seeded, so that any part of a set can be made again anywhere, and known by a sum that the server can
//! compute as well. Pure.
//!
//! A row depends on the seed and its number alone. The sum is that of the CRC-32 of each row's text, `CONCAT_WS('|', column, ..)`, so it
//! does not depend on the order of the rows.

mod sbtest;

pub use sbtest::{Sbtest, SbtestRows};

use arrow_array::builder::{Float64Builder, Int32Builder, Int64Builder, StringBuilder, TimestampSecondBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::ArrowError;
use inrush::sans_io::{Error, Kind};
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

/// The table `bench_users` (T1 of docs/notes): a key of its own, texts, a whole number, a measurement, a time.
#[derive(Clone, Copy, Debug)]
pub struct Users {
    seed: u64,
}

/// The number of rows, and their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// Rows.
    pub rows: u64,
    /// The sum of their CRC-32s.
    pub sum: u64,
}

/// One row, as it is made.
struct User {
    id: i64,
    name: String,
    age: i32,
    /// One user in fifty has no address.
    email: Option<String>,
    /// A multiple of a quarter: every server prints it as we do.
    score: f64,
    /// Seconds since 1970.
    created: i64,
}

impl std::ops::Add for Checksum {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { rows: self.rows + other.rows, sum: self.sum + other.sum }
    }
}

impl Checksum {
    /// Compares the checksum `there` of a table with this one.
    ///
    /// # Errors
    /// `Protocol` if it does not.
    pub fn expect_there(self, there: Self) -> Result<(), Error> {
        if there == self {
            return Ok(());
        }
        Err(Error::new(
            Kind::Protocol,
            format!("the table holds {} rows of sum {}, not {} of sum {}", there.rows, there.sum, self.rows, self.sum),
        ))
    }
}

impl Users {
    /// The names of the columns, in their order.
    pub const COLUMNS: [&str; 6] = ["id", "name", "age", "email", "score", "created"];

    /// Rows that this seed gives.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// Rows of the same numbers that differ from these: what these become when they are changed.
    pub fn others(&self) -> Self {
        Self { seed: !self.seed }
    }

    /// The definition of the table `name`, which is quoted if need be.
    pub fn ddl(name: &str) -> String {
        format!(
            "CREATE TABLE {name} (id BIGINT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(64) NOT NULL, age INT NOT NULL, \
             email VARCHAR(128), score DOUBLE, created DATETIME NOT NULL) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4"
        )
    }

    /// The query for the [`Checksum`] of the table `name`: one row of two columns.
    pub fn checksum_query(name: &str) -> String {
        checksum_query(name, &Self::COLUMNS)
    }

    /// Rows of these numbers, which are their keys.
    ///
    /// # Errors
    /// Those of Arrow; no case is known.
    pub fn rows(&self, numbers: Range<u64>) -> Result<RecordBatch, ArrowError> {
        let mut id = Int64Builder::new();
        let mut name = StringBuilder::new();
        let mut age = Int32Builder::new();
        let mut email = StringBuilder::new();
        let mut score = Float64Builder::new();
        let mut created = TimestampSecondBuilder::new();
        for user in numbers.map(|number| self.row(number)) {
            id.append_value(user.id);
            name.append_value(user.name);
            age.append_value(user.age);
            email.append_option(user.email);
            score.append_value(user.score);
            created.append_value(user.created);
        }
        let columns: [ArrayRef; 6] = [
            Arc::new(id.finish()),
            Arc::new(name.finish()),
            Arc::new(age.finish()),
            Arc::new(email.finish()),
            Arc::new(score.finish()),
            Arc::new(created.finish()),
        ];
        RecordBatch::try_from_iter_with_nullable(Self::COLUMNS.into_iter().zip(columns).map(|(name, column)| {
            let nullable = name == "email";
            (name, column, nullable)
        }))
    }

    /// The values of one row, in the order of the columns; the time as text.
    pub fn values(&self, number: u64) -> (i64, String, i32, Option<String>, f64, String) {
        let user = self.row(number);
        let created = shown_time(user.created);
        (user.id, user.name, user.age, user.email, user.score, created)
    }

    /// Rows as LOAD DATA reads them by default: tabs between fields, a line feed after each row, `\\N` for NULL.
    pub fn tsv(&self, numbers: Range<u64>) -> String {
        let mut text = String::new();
        for number in numbers {
            let (id, name, age, email, score, created) = self.values(number);
            let email = email.as_deref().unwrap_or("\\N");
            // Writing into memory does not fail, and no value has a byte that must be escaped.
            let _ = writeln!(text, "{id}\t{name}\t{age}\t{email}\t{score}\t{created}");
        }
        text
    }

    /// The checksum of a table of these rows.
    pub fn checksum(&self, numbers: Range<u64>) -> Checksum {
        let mut text = String::new();
        let mut checksum = Checksum::default();
        for user in numbers.map(|number| self.row(number)) {
            text.clear();
            user.write(&mut text);
            checksum.rows += 1;
            checksum.sum += u64::from(crc32fast::hash(text.as_bytes()));
        }
        checksum
    }

    fn row(&self, number: u64) -> User {
        let mut dice = Dice::new(self.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let name = format!("{} {}", dice.one_of(&FIRST), dice.one_of(&LAST));
        let has_email = dice.below(50) > 0;
        let email = has_email.then(|| format!("{}.{number}@example.com", name.replace(' ', ".").to_lowercase()));
        User {
            id: number as i64,
            age: 18 + dice.below(70) as i32,
            score: dice.below(4_000) as f64 / 4.0,
            // Three years from 2020-01-01 on.
            created: 1_577_836_800 + dice.below(3 * 365 * 86_400) as i64,
            name,
            email,
        }
    }
}

impl User {
    /// As `CONCAT_WS` of MySQL and MariaDB has it, which leaves NULLs out.
    fn write(&self, text: &mut String) {
        let Self { id, name, age, email, score, created } = self;
        let email = email.as_ref().map(|email| format!("{email}|")).unwrap_or_default();
        // Writing into memory does not fail.
        let _ = write!(text, "{id}|{name}|{age}|{email}{score}|{}", shown_time(*created));
    }
}

/// The query for the [`Checksum`] of these columns of the table `name`: one row of two columns.
pub(crate) fn checksum_query(name: &str, columns: &[impl std::borrow::Borrow<str>]) -> String {
    let columns = columns.join(", ");
    format!("SELECT COUNT(*), CAST(COALESCE(SUM(CRC32(CONCAT_WS('|', {columns}))), 0) AS UNSIGNED) FROM {name}")
}

/// `2026-01-02 03:04:05`.
fn shown_time(seconds: i64) -> String {
    let time = jiff::Timestamp::from_second(seconds).unwrap_or_default().to_zoned(jiff::tz::TimeZone::UTC);
    time.strftime("%F %T").to_string()
}

/// Pseudo-random numbers of a seed (SplitMix64, Steele et al. 2014).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, which is far below 2^64.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        words.get(self.below(words.len() as u64) as usize).copied().unwrap_or_default()
    }

    /// Puts what is in `items` into another order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end as u64 + 1) as usize);
        }
    }
}

/// Names of several lengths and alphabets.
const FIRST: [&str; 16] = [
    "Ada",
    "Björn",
    "Chloé",
    "Dmitri",
    "Elif",
    "Fatima",
    "Grace",
    "Hiro",
    "Inés",
    "João",
    "Katarzyna",
    "Lê",
    "Maximiliane",
    "Nia",
    "Олег",
    "小明",
];
const LAST: [&str; 12] = [
    "Abara",
    "Çelik",
    "Dubois",
    "Fernández",
    "Ito",
    "Kowalska",
    "Li",
    "Müller",
    "Nguyễn",
    "O'Neill",
    "Smith",
    "van der Berg",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_its_seed_and_its_number() {
        let users = Users::new(7);
        let all = users.rows(1..101).unwrap();
        assert_eq!(users.rows(41..51).unwrap(), all.slice(40, 10));
        assert_ne!(Users::new(8).rows(1..101).unwrap(), all);
        let parts = [users.checksum(1..41), users.checksum(41..101)];
        assert_eq!(users.checksum(1..101), parts[0] + parts[1]);
        assert_ne!(users.others().rows(1..101).unwrap(), all);
        let (_, name, ..) = users.values(3);
        assert!(users.tsv(3..4).starts_with(&format!("3\t{name}\t")), "{}", users.tsv(3..4));
    }

    #[test]
    fn a_row_reads_as_the_server_prints_it() {
        let mut text = String::new();
        let user = User { id: 3, name: "Ann".into(), age: 40, email: None, score: 12.0, created: 1_577_836_800 };
        user.write(&mut text);
        assert_eq!(text, "3|Ann|40|12|2020-01-01 00:00:00");
        text.clear();
        User { email: Some("a@b".into()), score: 0.25, ..user }.write(&mut text);
        assert_eq!(text, "3|Ann|40|a@b|0.25|2020-01-01 00:00:00");
    }

    #[test]
    fn dice_are_fair_enough() {
        let mut dice = Dice::new(1);
        let mut counts = [0_u32; 6];
        (0..60_000).for_each(|_| counts[dice.below(6) as usize] += 1);
        assert!(counts.iter().all(|count| (9_600..10_400).contains(count)), "{counts:?}");
        let mut order: Vec<u32> = (0..50).collect();
        dice.shuffle(&mut order);
        assert!(order != (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
