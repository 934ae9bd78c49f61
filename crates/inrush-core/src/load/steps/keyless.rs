//! The server sorts: rows go into a copy of the table without keys, in any order, and one ALTER creates the keys of the existing
//! rows.
//!
//! Only that ALTER finds duplicates. So that they can be named, and left out as in any other load, the copy has additional
//! columns until then, which record where each row comes from ([`Notes`]).

use super::indexes::{self, Index};
use crate::column::{Column, ColumnType};
use crate::load::Batch;
use arrow_array::builder::BinaryViewBuilder;
use arrow_array::{ArrayRef, BinaryViewArray};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// What the copy records about each row: a number in the order of the sources, its line, and the record where that must be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notes {
    /// Which of the load's jobs the rows are of, from 0.
    pub job: usize,
    /// Whether the record is kept, to be written into a file of rejects.
    pub keeps_records: bool,
}

const NUMBER: &str = "inrush_number";
const LINE: &str = "inrush_line";
const RECORD: &str = "inrush_record";

/// A row's number has that of its job above so many bits, and that of its record in these.
const RECORD_BITS: u32 = 48;

impl Notes {
    /// The columns, in the order of [`Notes::cells`].
    pub fn columns(self) -> Vec<Column> {
        let all = [(NUMBER, "bigint unsigned"), (LINE, "bigint unsigned"), (RECORD, "longblob")];
        let column = |(name, ty): (&str, &str)| Column {
            nullable: true,
            optional: true,
            ..Column::new(name.to_owned(), ColumnType::parse(ty))
        };
        all.into_iter().map(column).take(self.n_columns()).collect()
    }

    fn n_columns(self) -> usize {
        if self.keeps_records { 3 } else { 2 }
    }

    /// Returns the notes about the rows of a batch.
    pub fn cells(self, batch: &Batch) -> Vec<ArrayRef> {
        let n_rows = batch.rows.num_rows();
        let mut places = batch.origin.places();
        let first = ((self.job as u64) << RECORD_BITS) + batch.origin.first_record;
        let numbers: BinaryViewArray = (0..n_rows as u64).map(|row| Some((first + row).to_string())).collect_cells();
        let lines: BinaryViewArray = (0..n_rows).map(|row| Some(places.of(row).line.to_string())).collect_cells();
        let mut all: Vec<ArrayRef> = vec![Arc::new(numbers), Arc::new(lines)];
        if self.keeps_records {
            let mut records = BinaryViewBuilder::with_capacity(n_rows);
            (0..n_rows).for_each(|row| records.append_value(batch.raw(row)));
            all.push(Arc::new(records.finish()));
        }
        all
    }
}

/// Collects texts as cells.
trait CollectCells {
    fn collect_cells(self) -> BinaryViewArray;
}

impl<I: Iterator<Item = Option<String>>> CollectCells for I {
    fn collect_cells(self) -> BinaryViewArray {
        let mut cells = BinaryViewBuilder::new();
        self.for_each(|cell| cells.append_option(cell));
        cells.finish()
    }
}

/// The job and the record of a row's number.
pub fn job_and_record(number: u64) -> (usize, u64) {
    ((number >> RECORD_BITS) as usize, number & ((1 << RECORD_BITS) - 1))
}

/// Drops all `keys` of the copy and adds the columns for the notes. `table` is quoted.
pub fn strip_statement(table: &str, keys: &[Index], keeps_records: bool) -> String {
    let mut sql = format!("ALTER TABLE {table} {}", indexes::drops(keys));
    let _ = write!(sql, ", ADD COLUMN `{NUMBER}` BIGINT UNSIGNED NULL, ADD COLUMN `{LINE}` BIGINT UNSIGNED NULL");
    if keeps_records {
        let _ = write!(sql, ", ADD COLUMN `{RECORD}` LONGBLOB NULL");
    }
    sql
}

/// Adds the column for records where an earlier run needed none; `None` if it exists.
pub fn keep_records_statement(table: &str, there: &[String]) -> Option<String> {
    let is_there = there.iter().any(|column| column == RECORD);
    (!is_there).then(|| format!("ALTER TABLE {table} ADD COLUMN `{RECORD}` LONGBLOB NULL"))
}

/// Creates the keys and drops the notes. Of several FULLTEXT indexes each but the first gets an ALTER of its own, see
/// [`indexes::add_statements`]. `there` are the names of the columns that the table has.
pub fn finish_statements(table: &str, missing: &[Index], there: &[String]) -> Vec<String> {
    let noted = [NUMBER, LINE, RECORD].into_iter().filter(|name| there.iter().any(|column| column == name));
    let drops: Vec<String> = noted.map(|name| format!("DROP COLUMN `{name}`")).collect();
    let mut statements = if missing.is_empty() { Vec::new() } else { indexes::add_statements(table, missing) };
    if !drops.is_empty() {
        match statements.first_mut() {
            Some(first) => *first += &format!(", {}", drops.join(", ")),
            None => statements.push(format!("ALTER TABLE {table} {}", drops.join(", "))),
        }
    }
    statements
}

/// Returns a column of the table that has one of our names, if there is one.
pub fn name_in_use<'a>(columns: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    columns.into_iter().find(|name| [NUMBER, LINE, RECORD].iter().any(|ours| ours.eq_ignore_ascii_case(name)))
}

/// Whether the table still has the notes.
pub fn has_notes(there: &[String]) -> bool {
    there.iter().any(|column| column == NUMBER)
}

/// Returns the query for the rows that share a value of a key with others: rows of (number, 0 for one that the table had before;
/// the highest number that has this value). `None` for an index that may have the same value twice.
pub fn shared_query(table: &str, key: &Index) -> Option<String> {
    let values = key.unique.as_ref()?;
    let is_there = values.iter().map(|value| format!("{value} IS NOT NULL")).collect::<Vec<_>>().join(" AND ");
    Some(format!(
        "SELECT `n`, `last` FROM (SELECT COALESCE(`{NUMBER}`, 0) AS `n`, MAX(`{NUMBER}`) OVER `w` AS `last`, COUNT(*) OVER `w` AS `c` \
         FROM {table} WHERE {is_there} WINDOW `w` AS (PARTITION BY {})) AS `shared` WHERE `c` > 1",
        values.join(", ")
    ))
}

/// Returns the query for the notes about rows: (number, line, record or an empty text).
pub fn notes_query(table: &str, numbers: &[u64], keeps_records: bool) -> String {
    let record = if keeps_records { format!("`{RECORD}`") } else { "''".to_owned() };
    format!("SELECT `{NUMBER}`, `{LINE}`, {record} FROM {table} WHERE `{NUMBER}` IN ({})", list(numbers))
}

/// Removes rows.
pub fn remove_statement(table: &str, numbers: &[u64]) -> String {
    format!("DELETE FROM {table} USING {table} WHERE `{NUMBER}` IN ({})", list(numbers))
}

fn list(numbers: &[u64]) -> String {
    numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Rows that share a value of a key, as [`shared_query`] gives them for each key.
#[derive(Debug, Default)]
pub struct Shared {
    /// For each row: the number of a key and the number of the row's value in it.
    of_rows: HashMap<u64, Vec<(usize, u64)>>,
    /// Values of rows that were in the table before.
    taken: HashSet<(usize, u64)>,
}

impl Shared {
    /// Takes a row of the answer for key number `key`.
    pub fn push(&mut self, key: usize, number: u64, last: u64) {
        if number == 0 {
            self.taken.insert((key, last));
        } else {
            self.of_rows.entry(number).or_default().push((key, last));
        }
    }

    /// Returns the rows that a load which stores one row after the other would refuse, each with the key that refuses it:
    /// ascending.
    pub fn refused(mut self) -> Vec<(u64, usize)> {
        let mut rows: Vec<_> = self.of_rows.into_iter().collect();
        rows.sort_unstable_by_key(|(number, _)| *number);
        let mut refused = Vec::new();
        for (number, values) in rows {
            match values.iter().find(|value| self.taken.contains(value)) {
                Some((key, _)) => refused.push((number, *key)),
                None => self.taken.extend(values),
            }
        }
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE `t` (PRIMARY KEY (`a`,`b`(3)), UNIQUE KEY `u` (`c`), KEY `k` (`d`), \
                          FULLTEXT KEY `f` (`e`), FULLTEXT KEY `g` (`e`)) x";

    #[test]
    fn statements() {
        let keys = Index::all_of_table(CREATE);
        assert_eq!(
            strip_statement("`t`", &keys[..2], true),
            "ALTER TABLE `t` DROP PRIMARY KEY, DROP INDEX `u`, ADD COLUMN `inrush_number` BIGINT UNSIGNED NULL, \
             ADD COLUMN `inrush_line` BIGINT UNSIGNED NULL, ADD COLUMN `inrush_record` LONGBLOB NULL"
        );
        let there = ["a", "inrush_number", "inrush_line"].map(str::to_owned);
        assert_eq!(
            finish_statements("`t`", &keys, &there),
            [
                "ALTER TABLE `t` ADD PRIMARY KEY (`a`,`b`(3)),\nADD UNIQUE KEY `u` (`c`),\nADD KEY `k` (`d`),\n\
                 ADD FULLTEXT KEY `f` (`e`), DROP COLUMN `inrush_number`, DROP COLUMN `inrush_line`",
                "ALTER TABLE `t` ADD FULLTEXT KEY `g` (`e`)"
            ]
        );
        assert_eq!(finish_statements("`t`", &keys[4..], &there[..1]), ["ALTER TABLE `t` ADD FULLTEXT KEY `g` (`e`)"]);
        assert_eq!(finish_statements("`t`", &[], &there[..1]), [""; 0]);
        assert_eq!(
            shared_query("`t`", &keys[0]).unwrap(),
            "SELECT `n`, `last` FROM (SELECT COALESCE(`inrush_number`, 0) AS `n`, MAX(`inrush_number`) OVER `w` AS `last`, \
             COUNT(*) OVER `w` AS `c` FROM `t` WHERE `a` IS NOT NULL AND LEFT(`b`,3) IS NOT NULL \
             WINDOW `w` AS (PARTITION BY `a`, LEFT(`b`,3))) AS `shared` WHERE `c` > 1"
        );
        assert_eq!(shared_query("`t`", &keys[2]), None);
        assert_eq!(name_in_use(["a", "INRUSH_line"]), Some("INRUSH_line"));
        let add = "ALTER TABLE `t` ADD COLUMN `inrush_record` LONGBLOB NULL";
        assert_eq!(keep_records_statement("`t`", &there).as_deref(), Some(add));
        assert_eq!(keep_records_statement("`t`", &["inrush_record".to_owned()]), None);
    }

    #[track_caller]
    fn check(rows: &[(usize, u64, u64)], want: &[(u64, usize)]) {
        let mut shared = Shared::default();
        rows.iter().for_each(|(key, number, last)| shared.push(*key, *number, *last));
        assert_eq!(shared.refused(), want, "{rows:?}");
    }

    #[test]
    fn the_first_of_several_stays() {
        check(&[], &[]);
        check(&[(0, 7, 7), (0, 3, 7), (0, 5, 7)], &[(5, 0), (7, 0)]);
        // What the table had before stays, whatever comes.
        check(&[(0, 7, 7), (0, 0, 7)], &[(7, 0)]);
        check(&[(0, 0, 7), (0, 7, 7), (1, 0, 8), (1, 8, 8)], &[(7, 0), (8, 1)]);
        // Row 2 is refused for its second key, so the value of its first one is free for row 3.
        check(&[(0, 2, 3), (0, 3, 3), (1, 1, 2), (1, 2, 2)], &[(2, 1)]);
    }

    #[test]
    fn numbers_say_job_and_record() {
        assert_eq!(job_and_record((3 << RECORD_BITS) + 17), (3, 17));
    }
}
