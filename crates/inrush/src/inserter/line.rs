//! The ledger of an inserter that stores exactly once: a line a lane in the table `inrush_inserter`, moved on by one in the
//! transaction of each batch.
//!
//! ```text
//! START TRANSACTION; INSERT ..; UPDATE inrush_inserter SET batch = 8 WHERE .. AND batch = 7; COMMIT
//! SELECT batch FROM inrush_inserter WHERE .. FOR UPDATE     when the answer to COMMIT was lost: 8 it is stored, 7 it is not
//! ```
//!
//! Why that settles it: COMMIT is sent after the UPDATE's reply, so whoever may commit holds the line's lock until its transaction is
//! over, and a locking read waits for that end. A plain read would not.

use inrush_core::value::ident::{quote_ident, quote_table};

/// The line of one lane.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Quoted, with its schema.
    table: String,
    inserter: String,
    lane: usize,
}

impl Line {
    /// The line of a lane of this inserter, in the schema of its rows; empty for the connection's.
    pub(crate) fn new(schema: &str, inserter: u128, lane: usize) -> Self {
        let table = match schema.is_empty() {
            true => quote_ident(TABLE),
            false => quote_table(schema, TABLE),
        };
        Self { table, inserter: format!("{inserter:032x}"), lane }
    }

    /// Makes the table.
    pub(crate) fn create(&self) -> String {
        format!(
            "CREATE TABLE IF NOT EXISTS {} (\n  inserter CHAR(32) CHARACTER SET ascii NOT NULL,\n  \
             lane SMALLINT UNSIGNED NOT NULL,\n  batch BIGINT UNSIGNED NOT NULL,\n  \
             moved TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,\n  \
             PRIMARY KEY (inserter, lane)\n) ENGINE=InnoDB",
            self.table
        )
    }

    /// Begins the line.
    pub(crate) fn begin(&self) -> String {
        let Self { table, inserter, lane } = self;
        format!("INSERT INTO {table} (inserter, lane, batch) VALUES ('{inserter}', {lane}, 0)")
    }

    /// Moves it on from where it is. Affects one row, or the line is not there.
    pub(crate) fn advance(&self, from: u64) -> String {
        format!("UPDATE {} SET batch = {} WHERE {} AND batch = {from}", self.table, from + 1, self.condition())
    }

    /// Reads where it is, once nobody can move it any more.
    pub(crate) fn settle(&self) -> String {
        format!("SELECT batch FROM {} WHERE {} FOR UPDATE", self.table, self.condition())
    }

    /// Ends it.
    pub(crate) fn end(&self) -> String {
        format!("DELETE FROM {} WHERE {}", self.table, self.condition())
    }

    fn condition(&self) -> String {
        format!("inserter = '{}' AND lane = {}", self.inserter, self.lane)
    }
}

/// The name of the table.
pub(crate) const TABLE: &str = "inrush_inserter";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        let line = Line::new("shop", 0xAB, 1);
        let condition = "inserter = '000000000000000000000000000000ab' AND lane = 1";
        let table = "`shop`.`inrush_inserter`";
        assert_eq!(line.advance(7), format!("UPDATE {table} SET batch = 8 WHERE {condition} AND batch = 7"));
        assert_eq!(line.settle(), format!("SELECT batch FROM {table} WHERE {condition} FOR UPDATE"));
        assert_eq!(line.end(), format!("DELETE FROM {table} WHERE {condition}"));
        assert_eq!(
            line.begin(),
            format!("INSERT INTO {table} (inserter, lane, batch) VALUES ('000000000000000000000000000000ab', 1, 0)")
        );
    }
    #[test]
    fn without_a_schema_it_is_the_connections() {
        assert!(Line::new("", 1, 0).create().starts_with("CREATE TABLE IF NOT EXISTS `inrush_inserter` ("));
        assert!(Line::new("", 1, 0).create().ends_with("ENGINE=InnoDB"));
    }
}
