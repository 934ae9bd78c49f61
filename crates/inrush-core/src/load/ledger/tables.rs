//! The three tables of the ledger: their names, the statements that create them, and the queries for those that exist.
//!
//! They are InnoDB whatever the server's default is, and they have no foreign keys: a chunk's line must never wait for more than
//! its own fence. Texts are compared by their bytes.

use crate::column::ident::{quote_ident, quote_table};

/// The version of the tables and of the identity of jobs. A line of another version is not touched.
pub(super) const VERSION: u8 = 1;

/// The ledger of a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ledger {
    /// The target's schema, which contains the tables: they are replicated and restored with the rows.
    pub schema: String,
    /// The clause that lets others read the selected rows and keeps writers waiting: `Profile::shared_lock`.
    pub shared_lock: &'static str,
    /// Whether each transaction of a run changes the job's line: see [`Fence::mark_statement`](super::Fence::mark_statement).
    pub is_marked: bool,
    /// Whether `inrush_job` has the columns of [`Ledger::OWNER_COLUMNS`], which a table made by an older version lacks.
    pub has_owners: bool,
    /// The same of [`Ledger::RUN_COLUMNS`].
    pub has_runs: bool,
}

impl Ledger {
    /// The names of the tables.
    pub const TABLES: [&str; 3] = ["inrush_job", "inrush_chunk", "inrush_reject"];

    /// Columns of `inrush_job` that older versions did not make: whose job it is, and what an atomic load has copied.
    pub const OWNER_COLUMNS: [&str; 2] = ["owner", "copied"];

    /// Columns that still later versions make: when the last run of the job began, when it ended without finishing it, and why.
    pub const RUN_COLUMNS: [&str; 3] = ["run_began", "run_ended", "run_error"];

    /// Returns the query for the existing ones of [`Ledger::OWNER_COLUMNS`] and [`Ledger::RUN_COLUMNS`]: a row for each, for
    /// [`Ledger::set_later_columns`].
    pub fn later_columns_query(&self) -> String {
        let names = [&Self::OWNER_COLUMNS[..], &Self::RUN_COLUMNS].concat();
        let names = names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        format!(
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = 'inrush_job' AND COLUMN_NAME IN ({names})",
            text(&self.schema)
        )
    }

    /// Learns which later columns the table has.
    pub fn set_later_columns(&mut self, there: &[Vec<String>]) {
        let has = |name: &str| there.iter().flatten().any(|found| found.eq_ignore_ascii_case(name));
        self.has_owners = Self::OWNER_COLUMNS.iter().all(|name| has(name));
        self.has_runs = Self::RUN_COLUMNS.iter().all(|name| has(name));
    }

    /// Adds those that are missing to a table of an older version, which continues to work with it; `None` if none is missing.
    pub fn add_columns_statement(&self) -> Option<String> {
        let owners = (!self.has_owners).then(|| format!("ADD COLUMN `owner` {OWNER}, ADD COLUMN `copied` {COPIED}"));
        let runs = (!self.has_runs).then(|| format!("ADD COLUMN {}", RUN_COLUMNS.replace(", ", ", ADD COLUMN ")));
        let added: Vec<String> = owners.into_iter().chain(runs).collect();
        (!added.is_empty()).then(|| format!("ALTER TABLE {} {}", self.jobs(), added.join(", ")))
    }

    /// Returns a query for any one job. It fails if the table does not exist, or if this user may not read it.
    pub fn first_job_query(&self) -> String {
        format!("SELECT `id` FROM {} LIMIT 1", self.jobs())
    }

    /// Returns the query for the existing tables, and their engines: rows of (name, engine).
    pub fn tables_query(&self) -> String {
        let names = Self::TABLES.map(|name| format!("'{name}'")).join(", ");
        format!(
            "SELECT TABLE_NAME, COALESCE(ENGINE, '') FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME IN ({names})",
            text(&self.schema)
        )
    }

    /// Returns the statement that creates table `name` of [`Ledger::TABLES`].
    pub fn create_statement(&self, name: &str) -> String {
        let columns = match name {
            "inrush_job" => format!("{JOB_COLUMNS}, `owner` {OWNER}, `copied` {COPIED}, {RUN_COLUMNS}"),
            "inrush_chunk" => CHUNK_COLUMNS.to_owned(),
            _ => REJECT_COLUMNS.to_owned(),
        };
        format!(
            "CREATE TABLE IF NOT EXISTS {} ({columns}) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin \
             COMMENT='ledger of inrush load: which rows of which source are stored'",
            self.table(name)
        )
    }

    /// Statements that change nothing, and fail where the user may not do what a load does with the tables.
    pub fn probes(&self) -> Vec<String> {
        let none = "x'00000000000000000000000000000000'";
        let mut probes = Vec::new();
        for (table, key) in [(self.jobs(), "id"), (self.chunks(), "job"), (self.rejects(), "job")] {
            probes.push(format!("INSERT INTO {table} SELECT * FROM {table} WHERE `{key}` = {none}"));
            probes.push(format!("DELETE FROM {table} WHERE `{key}` = {none}"));
        }
        probes.push(format!("UPDATE {} SET `epoch` = `epoch` + 1 WHERE `id` = {none}", self.jobs()));
        probes.push(format!("SELECT `epoch` FROM {} WHERE `id` = {none} {}", self.jobs(), self.shared_lock));
        probes
    }

    pub(super) fn jobs(&self) -> String {
        self.table("inrush_job")
    }

    pub(super) fn chunks(&self) -> String {
        self.table("inrush_chunk")
    }

    pub(super) fn rejects(&self) -> String {
        self.table("inrush_reject")
    }

    fn table(&self, name: &str) -> String {
        quote_table(&self.schema, name)
    }
}

/// A list of columns, quoted: some of them are words of SQL.
pub(super) fn columns(names: &[&str]) -> String {
    names.iter().map(|name| quote_ident(name)).collect::<Vec<_>>().join(", ")
}

/// A text as a literal that is right in every sql_mode: hex has no escapes.
pub fn text(text: &str) -> String {
    if text.is_empty() { "''".into() } else { format!("CONVERT({} USING utf8mb4)", hex(text.as_bytes())) }
}

/// Bytes as a literal.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut literal = String::with_capacity(2 * bytes.len() + 3);
    literal.push_str("x'");
    for byte in bytes {
        literal.push(DIGITS[usize::from(byte >> 4)].into());
        literal.push(DIGITS[usize::from(byte & 15)].into());
    }
    literal.push('\'');
    literal
}

/// A number or NULL.
pub(super) fn or_null<T: std::fmt::Display>(value: Option<T>) -> String {
    value.map_or_else(|| "NULL".into(), |value| value.to_string())
}

const JOB_COLUMNS: &str = "\
`id` BINARY(16) NOT NULL PRIMARY KEY, `version` TINYINT UNSIGNED NOT NULL, `epoch` INT UNSIGNED NOT NULL, \
`target` VARCHAR(512) NOT NULL, `source` TEXT NOT NULL, `size` BIGINT UNSIGNED NULL, `modified` BIGINT NULL, \
`hash` BIGINT UNSIGNED NULL, `mapping` MEDIUMTEXT NOT NULL, `step` VARCHAR(32) NOT NULL, \
`indexes` MEDIUMTEXT NULL, `state` VARCHAR(16) NOT NULL, `chunks` BIGINT UNSIGNED NOT NULL, \
`records` BIGINT UNSIGNED NOT NULL, `n_rows` BIGINT UNSIGNED NOT NULL, `skipped` BIGINT UNSIGNED NOT NULL, \
`rejected` BIGINT UNSIGNED NOT NULL, `started` DATETIME(6) NOT NULL, `finished` DATETIME(6) NULL, \
`program` VARCHAR(64) NOT NULL";

/// An account: a user's name of at most 128 characters, `@`, a host's name of at most 255.
const OWNER: &str = "VARCHAR(512) NOT NULL DEFAULT ''";

const COPIED: &str = "VARCHAR(512) NOT NULL DEFAULT ''";

/// Of [`Ledger::RUN_COLUMNS`].
const RUN_COLUMNS: &str = "\
`run_began` DATETIME(6) NULL, `run_ended` DATETIME(6) NULL, `run_error` VARCHAR(1024) NOT NULL DEFAULT ''";

const CHUNK_COLUMNS: &str = "\
`job` BINARY(16) NOT NULL, `start` BIGINT UNSIGNED NOT NULL, `end` BIGINT UNSIGNED NOT NULL, \
`first_record` BIGINT UNSIGNED NOT NULL, `records` BIGINT UNSIGNED NOT NULL, `first_line` BIGINT UNSIGNED NOT NULL, \
`n_lines` BIGINT UNSIGNED NOT NULL, `n_rows` BIGINT UNSIGNED NOT NULL, `skipped` BIGINT UNSIGNED NOT NULL, \
`rejected` BIGINT UNSIGNED NOT NULL, `checksum` BIGINT UNSIGNED NOT NULL, `epoch` INT UNSIGNED NOT NULL, \
PRIMARY KEY (`job`, `start`)";

/// A record that is longer than a statement may be is stored as several lines, which are its parts.
const REJECT_COLUMNS: &str = "\
`job` BINARY(16) NOT NULL, `line` BIGINT UNSIGNED NOT NULL, `part` INT UNSIGNED NOT NULL, `start` BIGINT UNSIGNED NOT NULL, \
`column_name` VARCHAR(256) NOT NULL, `code` SMALLINT UNSIGNED NOT NULL, `reason` TEXT NOT NULL, `raw` LONGBLOB NOT NULL, \
PRIMARY KEY (`job`, `line`, `part`)";

#[cfg(test)]
mod tests {
    use super::*;

    const LEDGER: fn() -> Ledger = || Ledger {
        schema: "my`shop".into(),
        shared_lock: "FOR SHARE",
        is_marked: false,
        has_owners: true,
        has_runs: true,
    };

    #[test]
    fn names_are_quoted() {
        assert!(
            LEDGER()
                .create_statement("inrush_job")
                .starts_with("CREATE TABLE IF NOT EXISTS `my``shop`.`inrush_job` (`id`")
        );
        assert!(LEDGER().tables_query().contains("x'6d796073686f70'"));
    }

    #[test]
    fn every_table_is_made_for_transactions() {
        for name in Ledger::TABLES {
            let made = LEDGER().create_statement(name);
            assert!(made.contains("ENGINE=InnoDB") && made.contains("PRIMARY KEY") && made.contains(name), "{made}");
        }
    }

    #[test]
    fn what_an_older_version_lacks_is_added() {
        let mut ledger = LEDGER();
        assert_eq!(ledger.add_columns_statement(), None);
        ledger.set_later_columns(&[vec!["owner".into()], vec!["copied".into()], vec!["run_began".into()]]);
        assert_eq!((ledger.has_owners, ledger.has_runs), (true, false));
        let added = ledger.add_columns_statement().unwrap();
        assert!(!added.contains("`owner`") && added.matches("ADD COLUMN").count() == 3, "{added}");
        ledger.set_later_columns(&[]);
        assert_eq!(ledger.add_columns_statement().unwrap().matches("ADD COLUMN").count(), 5);
    }

    #[test]
    fn literals() {
        assert_eq!(text("é'"), "CONVERT(x'c3a927' USING utf8mb4)");
        assert_eq!(text(""), "''");
        assert_eq!((hex(b""), hex(b"\x00\xff")), ("x''".to_owned(), "x'00ff'".to_owned()));
        assert_eq!((or_null(Some(7)), or_null(None::<u8>)), ("7".to_owned(), "NULL".to_owned()));
    }
}
