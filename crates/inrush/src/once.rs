//! The ledger by which inserters and a pool's transactions store exactly once: a line a lane in the table `inrush_inserter`, moved on by
//! one in each transaction.
//!
//! ```text
//! START TRANSACTION; INSERT ..; UPDATE inrush_inserter SET batch = 8 WHERE .. AND batch = 7; COMMIT
//! SELECT batch FROM inrush_inserter WHERE .. FOR UPDATE     when the answer to COMMIT was lost: 8 it is stored, 7 it is not
//! ```
//!
//! Why that settles it: COMMIT is sent after the UPDATE's reply, so a session that may commit holds the line's lock until its
//! transaction is over, and a locking read waits for that end. A plain read would not.

use crate::{Error, Kind, Result};
use inrush_core::column::ident::{quote_ident, quote_table};
use inrush_core::profile::{Cluster, Profile};

/// A lane's line, and where it is.
#[derive(Debug)]
pub(crate) struct LineLedger {
    pub(crate) line: Line,
    pub(crate) place: LinePlace,
}

/// Where a line is, as far as its lane knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinePlace {
    /// It does not exist yet.
    Unbegun,
    /// At this batch.
    At(u64),
    /// The answer to a COMMIT was lost, and after that no server could be queried.
    Unsure,
}

/// What a locking read of a line says of a COMMIT that was to move it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finding {
    Committed,
    NotCommitted,
    /// The line is gone, or another program moved it.
    Unexpected,
}

impl LineLedger {
    pub(crate) fn new(line: Line) -> Self {
        Self { line, place: LinePlace::Unbegun }
    }

    /// Records what a locking read found after a COMMIT that was to move the line on from `before`.
    pub(crate) fn settled(&mut self, before: u64, found: Option<u64>) -> Finding {
        self.place = found.map_or(LinePlace::Unbegun, LinePlace::At);
        match found {
            Some(at) if at == before + 1 => Finding::Committed,
            Some(at) if at == before => Finding::NotCommitted,
            _ => Finding::Unexpected,
        }
    }
}

/// The error if the line is not as this lane left it.
pub(crate) fn unexpected() -> Error {
    let message = format!("a line in `{TABLE}` was changed or removed by somebody else");
    Error::new(Kind::Guarantee, message)
}

/// The error if the ledger cannot be used.
pub(crate) fn unusable(error: Error) -> Error {
    error.while_doing(&format!("cannot keep the ledger `{TABLE}`")).with_hint(format!(
        "`with_exactly_once(true)` needs the right to SELECT, INSERT, UPDATE and DELETE in `{TABLE}` of the table's schema, and to \
         CREATE it if it is not there"
    ))
}

/// The error if row locks do not reach all servers, or a COMMIT does not, so that the ledger settles nothing.
pub(crate) fn check_cluster(cluster: Cluster, profile: &Profile) -> Result<()> {
    let message = match cluster.with_local_locks() {
        Some(name) => format!("this server is part of {name}, where a lost COMMIT cannot be settled by a lock"),
        None if profile.commits_together => return Ok(()),
        None => {
            format!("{} commits on one server after the other: rows and ledger do not commit together", profile.name)
        }
    };
    Err(Error::new(Kind::Guarantee, message).with_hint("leave out `with_exactly_once(true)` to do without"))
}

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
            "CREATE TABLE IF NOT EXISTS {} (\n  inserter CHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,\n  \
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

    /// Moves it on from where it is. Affects one row, or the line does not exist.
    pub(crate) fn advance(&self, from: u64) -> String {
        format!("UPDATE {} SET batch = {} WHERE {} AND batch = {from}", self.table, from + 1, self.condition())
    }

    /// Reads where it is, once no session can move it any more.
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

/// The server has no such table.
pub(crate) const NO_SUCH_TABLE: u16 = 1146;
/// The line exists: the answer to its INSERT was lost.
pub(crate) const DUPLICATE: u16 = 1062;
const TABLE: &str = "inrush_inserter";

#[cfg(test)]
mod tests {
    use super::*;
    use inrush_core::wire::ServerVersion;

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
    fn what_a_locking_read_says() {
        for (found, finding, place) in [
            (Some(8), Finding::Committed, LinePlace::At(8)),
            (Some(7), Finding::NotCommitted, LinePlace::At(7)),
            (Some(9), Finding::Unexpected, LinePlace::At(9)),
            (None, Finding::Unexpected, LinePlace::Unbegun),
        ] {
            let mut ledger = LineLedger::new(Line::new("", 1, 0));
            assert_eq!((ledger.settled(7, found), ledger.place), (finding, place));
        }
    }
    #[test]
    fn clusters_are_refused() {
        let check = |cluster, version| check_cluster(cluster, &Profile::of(&ServerVersion::parse(version)));
        for cluster in [Cluster::Galera, Cluster::ManyPrimaries] {
            assert_eq!(check(cluster, "9.7.4").unwrap_err().kind(), Kind::Guarantee);
        }
        check(Cluster::OnePrimary, "9.7.4").unwrap();
        check(Cluster::None, "9.7.4").unwrap();
        let proxy = check(Cluster::None, "5.7.22-ShardingSphere-Proxy 5.4.1").unwrap_err();
        assert!(proxy.message().starts_with("ShardingSphere-Proxy commits on one server after the other"), "{proxy}");
    }
    #[test]
    fn without_a_schema_it_is_the_connections() {
        assert!(Line::new("", 1, 0).create().starts_with("CREATE TABLE IF NOT EXISTS `inrush_inserter` ("));
        assert!(Line::new("", 1, 0).create().ends_with("ENGINE=InnoDB"));
    }
}
