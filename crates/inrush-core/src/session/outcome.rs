//! The outcome of a command.

use crate::error::{Error, Result};
use crate::wire::{OkPacket, Status};

/// The outcome of a command: an OK packet that outlives its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Rows changed, as the server counts for this kind of statement.
    pub affected: u64,
    /// The first id that was generated (or `LAST_INSERT_ID(expr)`); `None` if the server reported none, which it sends as 0.
    pub last_insert_id: Option<u64>,
    /// Number of warnings; stops at 65,535.
    pub warnings: u16,
    /// Text for people; for LOAD DATA the only place of the true counts: see [`LoadCounts`].
    pub info: String,
    /// The status flags.
    pub status: Status,
}

impl Outcome {
    /// The id that the server generated for the row that was inserted (for the first of several).
    ///
    /// # Errors
    /// `Config`: the server generated none.
    pub fn inserted_id(&self) -> Result<u64> {
        self.last_insert_id.ok_or_else(|| {
            Error::config("the server generated no id for this statement").with_hint(
                "it generates one for a row that is inserted into a table with an AUTO_INCREMENT column and does not give the id itself",
            )
        })
    }

    /// Whether a transaction was open afterwards.
    pub fn in_transaction(&self) -> bool {
        self.status.contains(Status::SERVER_STATUS_IN_TRANS)
    }

    /// The three counts that the server reports for some statements: records, duplicates and warnings of an INSERT of several
    /// rows; rows found, rows changed and warnings of an UPDATE. The words are translated where `lc_messages` says so.
    pub fn counts(&self) -> Option<[u64; 3]> {
        numbers(&self.info)?.try_into().ok()
    }
}

impl From<OkPacket<'_>> for Outcome {
    fn from(ok: OkPacket<'_>) -> Self {
        Self {
            affected: ok.affected,
            last_insert_id: (ok.last_insert_id != 0).then_some(ok.last_insert_id),
            warnings: ok.warnings,
            info: String::from_utf8_lossy(ok.info).into_owned(),
            status: ok.status,
        }
    }
}

/// The four counts of LOAD DATA. They do not saturate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadCounts {
    /// Rows read.
    pub records: u64,
    /// Rows that a REPLACE deleted.
    pub deleted: u64,
    /// Rows not stored.
    pub skipped: u64,
    /// Warnings.
    pub warnings: u64,
}

impl LoadCounts {
    /// Reads an info text: `Records: 3  Deleted: 0  Skipped: 1  Warnings: 1`.
    ///
    /// The words are translated where `lc_messages` says so; the order of the four numbers is not.
    pub fn parse(info: &str) -> Option<Self> {
        match numbers(info)?[..] {
            [records, deleted, skipped, warnings] => Some(Self { records, deleted, skipped, warnings }),
            _ => None,
        }
    }
}

fn numbers(info: &str) -> Option<Vec<u64>> {
    let numbers = info.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    numbers.map(str::parse).collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(info: &str, want: Option<[u64; 4]>) {
        let got = LoadCounts::parse(info).map(|c| [c.records, c.deleted, c.skipped, c.warnings]);
        assert_eq!(got, want);
    }

    #[test]
    fn of_an_update() {
        let info = "Rows matched: 3  Changed: 2  Warnings: 0".to_owned();
        let outcome = Outcome { affected: 2, last_insert_id: None, warnings: 0, info, status: Status::empty() };
        assert_eq!(outcome.counts(), Some([3, 2, 0]));
        assert_eq!(Outcome { info: String::new(), ..outcome }.counts(), None);
    }
    #[test]
    fn of_a_load() {
        check("Records: 64000  Deleted: 0  Skipped: 12  Warnings: 70000", Some([64_000, 0, 12, 70_000]));
    }
    #[test]
    fn in_another_language() {
        check("Datensätze: 3  Gelöscht: 1  Ausgelassen: 2  Warnungen: 4", Some([3, 1, 2, 4]));
    }
    #[test]
    fn of_anything_else() {
        check("", None);
        check("Records: 3  Duplicates: 0  Warnings: 0", None);
        check("Records: 99999999999999999999  Deleted: 0  Skipped: 1  Warnings: 1", None);
    }
}
