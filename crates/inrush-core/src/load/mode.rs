//! What a load does with a row whose key exists already, or must exist.

use crate::error::{Error, Result};
use std::fmt;

/// What a load does with each row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Every row is inserted; one whose key exists is a bad row.
    #[default]
    Insert,
    /// A row whose key exists is skipped; all other errors stay errors.
    Ignore,
    /// A row whose key exists replaces the existing row completely.
    Replace,
    /// A row whose key exists updates the existing row with its values.
    Upsert,
    /// Existing rows get the values; rows without an existing one are skipped.
    Update,
    /// Rows with these keys are deleted; keys that do not exist are skipped.
    Delete,
    /// Rows that an earlier load of the same sources has inserted are deleted, if they still have the values of the source; others are kept.
    Undo,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 7] =
        [Mode::Insert, Mode::Ignore, Mode::Replace, Mode::Upsert, Mode::Update, Mode::Delete, Mode::Undo];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Insert => "insert",
            Mode::Ignore => "ignore",
            Mode::Replace => "replace",
            Mode::Upsert => "upsert",
            Mode::Update => "update",
            Mode::Delete => "delete",
            Mode::Undo => "undo",
        }
    }

    /// Returns the least number of rows that a table holds after `stored` rows were stored, if no row is removed by others.
    /// Several rows of an upsert may be one row of the table; a delete leaves none, nor does an undo.
    pub fn least_held(self, stored: u64) -> u64 {
        match self {
            Mode::Insert | Mode::Ignore => stored,
            Mode::Replace | Mode::Upsert | Mode::Update => stored.min(1),
            Mode::Delete | Mode::Undo => 0,
        }
    }

    /// Whether storing the same rows again leaves the table as it is.
    pub fn is_repeatable(self) -> bool {
        self != Mode::Insert
    }

    /// Whether rows are found by their key alone, in a stage that takes those of the source first, and none is added.
    pub fn is_by_key(self) -> bool {
        matches!(self, Mode::Update | Mode::Delete | Mode::Undo)
    }

    /// The mode of this name.
    pub fn parse(name: &str) -> Result<Mode> {
        Self::ALL.into_iter().find(|mode| mode.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|mode| format!("`{mode}`")).collect();
            Error::config(format!("`{name}` is not a mode")).with_hint(format!("it takes {}", known.join(", ")))
        })
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_of_stored_rows() {
        assert_eq!(Mode::ALL.map(|mode| mode.least_held(7)), [7, 7, 1, 1, 1, 0, 0]);
        assert!(Mode::ALL.iter().all(|mode| mode.least_held(0) == 0));
    }

    #[test]
    fn every_mode_is_found_by_its_name() {
        for mode in Mode::ALL {
            assert_eq!(Mode::parse(mode.name()).unwrap(), mode);
        }
        assert!(Mode::parse("insrt").unwrap_err().hint().unwrap().contains("`upsert`"));
    }
}
