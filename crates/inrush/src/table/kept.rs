//! The tables that a connection has read, so that a batch need not query its target each time.
//!
//! A description becomes old when another session alters the table. If it is too strict, it costs one more query, because a caller that
//! is about to refuse a value reads the table again first ([`Tables::forget`]). If it is too lenient, it would let a value through that
//! the server bends. So none is used for longer than [`MAX_AGE`], nor after a statement of this connection that may change a table. A
//! reset removes the temporary tables and changes no other, so that what is kept of the others stays right for the next user.

use inrush_core::write::Table;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is kept of the tables of one connection: a few, for a connection writes into few.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    /// The one used last is the last entry.
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    schema: Box<str>,
    name: Box<str>,
    read_at: Instant,
    /// `None`: a temporary table, whose columns are unknown.
    table: Option<Arc<Table>>,
}

impl Tables {
    /// What is known of a table; the outer `None` if it must be read.
    pub(crate) fn find(&mut self, schema: &str, name: &str, now: Instant) -> Option<Option<Arc<Table>>> {
        let at = self.position(schema, name)?;
        let entry = self.entries.remove(at);
        if now.saturating_duration_since(entry.read_at) > MAX_AGE {
            return None;
        }
        let table = entry.table.clone();
        self.entries.push(entry);
        Some(table)
    }

    /// Keeps what was read.
    pub(crate) fn keep(&mut self, schema: &str, name: &str, table: Option<Arc<Table>>, now: Instant) {
        self.forget(schema, name);
        if self.entries.len() == MAX_TABLES {
            self.entries.remove(0);
        }
        self.entries.push(Entry { schema: schema.into(), name: name.into(), read_at: now, table });
    }

    /// Makes the next [`Tables::find`] return `None`, so that the table is read again.
    pub(crate) fn forget(&mut self, schema: &str, name: &str) {
        if let Some(at) = self.position(schema, name) {
            self.entries.remove(at);
        }
    }

    /// After a reset: the temporary tables are gone.
    pub(crate) fn forget_temporary(&mut self) {
        self.entries.retain(|entry| entry.table.is_some());
    }

    /// Another account may see other tables.
    pub(crate) fn forget_all(&mut self) {
        self.entries.clear();
    }

    /// Records a statement of this connection.
    pub(crate) fn see(&mut self, sql: &[u8]) {
        if !self.entries.is_empty() && may_change_tables(sql) {
            self.forget_all();
        }
    }

    fn position(&self, schema: &str, name: &str) -> Option<usize> {
        self.entries.iter().position(|entry| *entry.schema == *schema && *entry.name == *name)
    }
}

/// Whether a statement begins like one that makes, changes or drops tables, or with a comment; what follows a comment is not checked.
fn may_change_tables(sql: &[u8]) -> bool {
    let sql = sql.trim_ascii_start();
    let begins_with = |word: &&[u8]| sql.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    BEGINNINGS.iter().any(begins_with)
}

const BEGINNINGS: [&[u8]; 9] = [b"ALTER", b"CREATE", b"DROP", b"RENAME", b"CALL", b"EXECUTE", b"/*", b"--", b"#"];
/// The oldest description that is used.
const MAX_AGE: Duration = Duration::from_secs(60);
/// More than the targets of one connection in most programs; each is a few KiB.
const MAX_TABLES: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str) -> Option<Arc<Table>> {
        Some(Arc::new(Table {
            schema: "s".into(),
            name: name.into(),
            engine: "InnoDB".into(),
            transactional: true,
            columns: Vec::new(),
        }))
    }

    #[test]
    fn what_was_read_is_found_until_it_is_old() {
        let start = Instant::now();
        let mut tables = Tables::default();
        tables.keep("s", "t", table("t"), start);
        assert_eq!(tables.find("s", "t", start + MAX_AGE), Some(table("t")));
        assert_eq!(tables.find("t", "s", start), None);
        assert_eq!(tables.find("s", "t", start + MAX_AGE + Duration::from_nanos(1)), None);
    }
    #[test]
    fn the_one_used_longest_ago_makes_room() {
        let now = Instant::now();
        let mut tables = Tables::default();
        for n in 0..MAX_TABLES {
            tables.keep("s", &n.to_string(), None, now);
        }
        assert!(tables.find("s", "0", now).is_some());
        tables.keep("s", "new", None, now);
        assert!(tables.find("s", "0", now).is_some());
        assert!(tables.find("s", "1", now).is_none());
        assert_eq!(tables.entries.len(), MAX_TABLES);
    }
    #[test]
    fn a_reset_takes_temporary_tables_away() {
        let now = Instant::now();
        let mut tables = Tables::default();
        tables.keep("s", "temporary", None, now);
        tables.keep("s", "t", table("t"), now);
        tables.forget_temporary();
        assert_eq!((tables.find("s", "temporary", now), tables.find("s", "t", now)), (None, Some(table("t"))));
    }
    #[test]
    fn statements_that_may_change_a_table() {
        for (sql, changes) in [
            ("ALTER TABLE t ADD c INT", true),
            (" \n create temporary table t (a int)", true),
            ("/* shard 3 */ ALTER TABLE t ADD c INT", true),
            ("CALL migrate()", true),
            ("INSERT INTO t VALUES (1)", false),
            ("SELECT 1", false),
            ("", false),
            ("ü", false),
        ] {
            let mut tables = Tables::default();
            tables.keep("s", "t", None, Instant::now());
            tables.see(sql.as_bytes());
            assert_eq!(tables.entries.is_empty(), changes, "{sql}");
        }
    }
}
