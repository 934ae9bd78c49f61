//! What an answer of the server means for the rows of a chunk: all stored, in doubt, or the fault of a row.
//!
//! Warnings alone prove nothing in either direction: servers warn about accepted changes and do not warn about some harmful ones.
//! So any doubt after a LOAD means: roll back, replay by strict INSERTs, and trust *their* verdict. A (code, column) pair that a
//! replay proved harmless is remembered, so that it costs a replay once.

use crate::error::{Error, Kind};
use crate::session::LoadCounts;
use std::collections::BTreeSet;

/// What the answer to a LOAD means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every row is stored as sent.
    Clean,
    /// Every row is stored, and the server reported warnings, which decide.
    Warned,
    /// Not every row is stored.
    Doubt,
}

/// Compares what was sent with what the server says it stored.
pub fn compare_counts(sent: u64, answer: LoadCounts) -> Verdict {
    if answer.records != sent || answer.skipped != 0 || answer.deleted != 0 {
        Verdict::Doubt
    } else if answer.warnings != 0 {
        Verdict::Warned
    } else {
        Verdict::Clean
    }
}

/// One line of SHOW WARNINGS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadWarning {
    /// The code, e.g. 1265.
    pub code: u16,
    /// The message.
    pub message: String,
}

impl LoadWarning {
    /// The column a message speaks of (`.. for column 'age' at row 3`); empty if it names none.
    pub fn column(&self) -> &str {
        let after = |mark: &str| self.message.rfind(mark).map(|at| &self.message[at + mark.len()..]);
        after("column '").and_then(|rest| rest.split('\'').next()).unwrap_or("")
    }
}

/// Warnings that a strict replay proved harmless.
#[derive(Clone, Debug, Default)]
pub struct AcceptedWarnings(BTreeSet<(u16, String)>);

impl AcceptedWarnings {
    /// Remembers the warnings of a chunk whose replay stored every row. Returns those that are new.
    pub fn learn(&mut self, warnings: &[LoadWarning]) -> Vec<LoadWarning> {
        warnings.iter().filter(|w| self.0.insert((w.code, w.column().to_owned()))).cloned().collect()
    }

    /// Whether all of a chunk's warnings are known to be harmless. `total` is their number; SHOW WARNINGS lists at most 65,535,
    /// and warnings that it does not list are not known to be harmless.
    pub fn covers(&self, warnings: &[LoadWarning], total: u64) -> bool {
        let known = |w: &LoadWarning| self.0.contains(&(w.code, w.column().to_owned()));
        // A duplicate key or a dropped foreign key is about one row's value, never about a column as such.
        let of_the_column = |w: &LoadWarning| !w.column().is_empty() && !is_row_dropped(w.code);
        warnings.len() as u64 >= total && warnings.iter().all(|w| known(w) && of_the_column(w))
    }
}

/// The error for an INSERT that did not affect as many rows as it carries.
pub fn miscounted(affected: u64, sent: u64) -> Error {
    Error::protocol(format!("the server counts {affected} affected rows for {sent} inserted"))
        .with_hint("a trigger, a view or a storage engine such as BLACKHOLE changes what an INSERT means here; `--method multi-row-prepared` may count its rows alone")
}

/// ER_WARNING_NOT_COMPLETE_ROLLBACK: a ROLLBACK left rows in a table without transactions.
pub const NOT_ROLLED_BACK: u16 = 1196;

/// Codes with which a LOAD DATA LOCAL drops a row with a mere warning.
fn is_row_dropped(code: u16) -> bool {
    matches!(code, 1022 | 1062 | 1452 | 1526 | 1586 | 1369 | 1748 | 3819 | 4025)
}

/// Whether an error is the fault of a row's values: another row of the same statement could still be stored.
///
/// By SQLSTATE class 22 (data), 23 (constraints), 44 (check option), 45 (SIGNAL), and by number where the class says too little.
pub fn is_row_fault(error: &Error) -> bool {
    if error.kind() != Kind::Server {
        return false;
    }
    ["22", "23", "44", "45"].iter().any(|class| error.sql_state().starts_with(class))
        || OTHER_ROW_FAULTS.contains(&error.code())
        || (error.code() == UNKNOWN_ERROR && error.message().contains(LONG_DATA))
}

/// Returns the row that an error's message names (`.. for column 'age' at row 3`), counted from 1 within the statement. A
/// statement in a trigger counts its own rows, so the caller must retry that row alone to confirm it.
pub fn row_of(error: &Error) -> Option<u64> {
    let (_, number) = error.message().rsplit_once(" at row ")?;
    number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().ok()).flatten()
}

/// Row faults of other classes: 1242 a trigger's subquery finds more than one row; 1264/1265/1366 on some versions; 1300 invalid
/// character string; 1301 a function's result is too long; 1364 no default; 1369 CHECK OPTION; 1411 function argument; 1525/1526
/// no partition; 1644 SIGNAL; 1748 partition set; 1906 generated column (MariaDB); 1958 bad base64 (MariaDB); 1977 a character that
/// a set does not have (MariaDB); 3105 generated column; 3140..3157 JSON; 3516..3732 geometry; 3819 CHECK; 4025 CHECK (MariaDB); 4038 JSON (MariaDB);
/// 4161 (MariaDB) value not storable; 6136.. VECTOR.
const OTHER_ROW_FAULTS: [u16; 32] = [
    1242, 1264, 1265, 1292, 1300, 1301, 1364, 1366, 1367, 1369, 1411, 1416, 1525, 1526, 1644, 1690, 1748, 1906, 1958,
    1977, 3037, 3105, 3140, 3141, 3617, 3643, 3819, 4025, 4038, 4161, 6136, 6138,
];

/// ER_UNKNOWN_ERROR, with which both servers refuse a value that went ahead of its execution and is longer than a packet, and what its
/// message names in every language.
const UNKNOWN_ERROR: u16 = 1105;
const LONG_DATA: &str = "mysql_send_long_data()";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(records: u64, deleted: u64, skipped: u64, warnings: u64, want: Verdict) {
        assert_eq!(compare_counts(10, LoadCounts { records, deleted, skipped, warnings }), want);
    }

    #[test]
    fn all_in() {
        check(10, 0, 0, 0, Verdict::Clean);
    }
    #[test]
    fn fewer_records_than_rows() {
        check(9, 0, 0, 0, Verdict::Doubt);
    }
    #[test]
    fn more_records_than_rows() {
        check(11, 0, 0, 0, Verdict::Doubt);
    }
    #[test]
    fn a_row_was_dropped() {
        check(10, 0, 1, 1, Verdict::Doubt);
    }
    #[test]
    fn a_row_was_replaced() {
        check(10, 1, 0, 0, Verdict::Doubt);
    }
    #[test]
    fn warned() {
        check(10, 0, 0, 3, Verdict::Warned);
    }

    fn warning(code: u16, message: &str) -> LoadWarning {
        LoadWarning { code, message: message.into() }
    }

    #[test]
    fn the_column_of_a_warning() {
        assert_eq!(warning(1265, "Data truncated for column 'price' at row 7").column(), "price");
        assert_eq!(warning(1062, "Duplicate entry 'x' for key 'PRIMARY'").column(), "");
        assert_eq!(warning(1366, "Incorrect string value: 'a column 'b' for column `s`.`t`.`c`").column(), "b");
    }

    #[test]
    fn harmless_is_learnt_by_code_and_column() {
        let mut accepted = AcceptedWarnings::default();
        let price = [warning(1265, "Data truncated for column 'price' at row 7")];
        assert!(!accepted.covers(&price, 1));
        assert_eq!(accepted.learn(&price).len(), 1);
        assert!(accepted.covers(&[warning(1265, "Data truncated for column 'price' at row 900")], 1));
        assert!(!accepted.covers(&[warning(1265, "Data truncated for column 'name' at row 900")], 1));
        assert!(!accepted.covers(&price, 70_000), "what SHOW WARNINGS does not list is not known");
        assert_eq!(accepted.learn(&price).len(), 0, "said once");
    }

    #[test]
    fn a_dropped_row_is_never_harmless() {
        let mut accepted = AcceptedWarnings::default();
        let duplicate = [warning(1062, "Duplicate entry '1' for key 'PRIMARY'")];
        accepted.learn(&duplicate);
        assert!(!accepted.covers(&duplicate, 1));
    }

    #[test]
    fn the_row_of_an_error() {
        let row = |message: &'static str| row_of(&Error::server(1264, *b"22003", message));
        assert_eq!(row("Out of range value for column 'age' at row 17"), Some(17));
        assert_eq!(row("Duplicate entry 'at row 2' for key 'PRIMARY'"), None);
        assert_eq!(row("x at row "), None);
        assert_eq!(row("x at row 99999999999999999999"), None);
    }

    #[track_caller]
    fn fault(code: u16, state: &[u8; 5], want: bool) {
        assert_eq!(is_row_fault(&Error::server(code, *state, "x")), want, "{code}");
    }

    #[test]
    fn whose_fault_an_error_is() {
        fault(1062, b"23000", true);
        fault(1452, b"23000", true);
        fault(1406, b"22001", true);
        fault(1644, b"45000", true);
        fault(3819, b"HY000", true);
        fault(1213, b"40001", false);
        fault(1205, b"HY000", false);
        fault(1146, b"42S02", false);
        fault(1114, b"HY000", false);
        assert!(!is_row_fault(&Error::protocol("x")));
        fault(1105, b"HY000", false);
        let long = "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes";
        assert!(is_row_fault(&Error::server(1105, *b"HY000", long)));
        // A server may send any five bytes, also ones whose second is the middle of a character.
        fault(1064, "aé23".as_bytes().try_into().unwrap(), false);
    }
}
