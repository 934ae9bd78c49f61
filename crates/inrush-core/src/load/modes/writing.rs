//! How a mode writes the rows of one mapping: the parts of its INSERTs and LOADs around the rows, whether they go through a
//! stage, and what the answer to a LOAD means.

use super::{Counted, Keys, Stage};
use crate::column::Column;
use crate::column::ident::quote_ident;
use crate::error::{Error, Result};
use crate::load::Mode;
use crate::profile::Profile;
use crate::session::LoadCounts;
use crate::write::Method;
use crate::write::answer::{AcceptedWarnings, LoadWarning, Verdict, compare_counts};

/// How the rows of one mapping are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writing {
    /// The mode.
    pub mode: Mode,
    /// The columns that find an existing row; empty where every unique key does.
    pub key: Vec<String>,
    /// What an INSERT of rows begins with, up to the table: `INSERT INTO`, `REPLACE INTO`.
    pub verb: &'static str,
    /// The text that follows its rows.
    pub tail: String,
    target: String,
    /// The stage for update, delete, undo and an upsert by LOAD DATA.
    stage: Option<Stage>,
}

impl Writing {
    /// `target` and `stage` are quoted, with their schema; `columns` are those that are filled, `key` those of them that
    /// [`Keys::choose`] chose.
    ///
    /// # Errors
    /// `Config` if there is nothing that an update could set.
    pub fn new(
        mode: Mode,
        target: &str,
        stage: &str,
        columns: &[Column],
        key: Vec<String>,
        keys: &Keys,
        profile: &Profile,
    ) -> Result<Self> {
        let others: Vec<&Column> = columns.iter().filter(|column| !key.contains(&column.name)).collect();
        if mode == Mode::Update && others.is_empty() {
            return Err(Error::config("`--mode update` has nothing to set: only the key's columns are loaded"));
        }
        let (tail, stage) = match mode {
            Mode::Insert | Mode::Replace => (String::new(), None),
            // A trigger would run even for an update that changes nothing.
            Mode::Ignore if keys.update_triggers => (String::new(), None),
            Mode::Ignore => (nothing(columns), None),
            Mode::Upsert if others.is_empty() => (nothing(columns), None),
            Mode::Upsert => {
                let values = if profile.row_alias { alias } else { values_function };
                let tail = values(&others);
                let staged = Stage::in_order(stage, target, columns, NEW, &assigned(&others));
                (tail, Some(staged))
            }
            Mode::Update | Mode::Delete | Mode::Undo => {
                (String::new(), Some(Stage::by_key(mode, stage, target, columns, &key)))
            }
        };
        let verb = if mode == Mode::Replace { "REPLACE INTO" } else { "INSERT INTO" };
        Ok(Self { mode, key, verb, tail, target: target.into(), stage })
    }

    /// The stage that rows written by `method` go through, if they do.
    pub fn stage(&self, method: Method) -> Option<&Stage> {
        let always = self.mode.is_by_key();
        self.stage.as_ref().filter(|_| always || method == Method::LoadData)
    }

    /// The table that rows written by `method` go into first.
    pub fn fills(&self, method: Method) -> &str {
        self.stage(method).map_or(&self.target, |stage| &stage.name)
    }

    /// What a LOAD says between its file and the columns: `REPLACE INTO TABLE t`.
    pub fn load_into(&self) -> String {
        let duplicates = match self.mode {
            Mode::Ignore => "IGNORE ",
            Mode::Replace => "REPLACE ",
            _ => "",
        };
        format!("{duplicates}INTO TABLE {}", self.fills(Method::LoadData))
    }

    /// The mode in which rows go into [`Writing::fills`].
    fn filling(&self, method: Method) -> Mode {
        if self.stage(method).is_some() { Mode::Insert } else { self.mode }
    }

    /// What the answer to an INSERT of `n_rows` means.
    ///
    /// # Errors
    /// See [`Counted::of_insert`].
    pub fn count_insert(&self, method: Method, n_rows: u64, answer: &crate::session::Outcome) -> Result<Counted> {
        match self.filling(method) {
            // Plain INSERTs: see `new`.
            Mode::Ignore | Mode::Upsert if self.tail.is_empty() => Counted::of_insert(Mode::Insert, n_rows, answer),
            mode => Counted::of_insert(mode, n_rows, answer),
        }
    }

    /// Returns what the answer to a LOAD of `sent` rows means, before its warnings are known.
    pub fn compare_counts(&self, sent: u64, answer: LoadCounts) -> Verdict {
        match self.filling(Method::LoadData) {
            Mode::Ignore if answer.skipped <= sent => {
                let as_if_none = compare_counts(sent, LoadCounts { skipped: 0, ..answer });
                if answer.skipped > 0 && as_if_none == Verdict::Clean { Verdict::Doubt } else { as_if_none }
            }
            Mode::Replace => compare_counts(sent, LoadCounts { deleted: 0, ..answer }),
            _ => compare_counts(sent, answer),
        }
    }

    /// Whether these warnings of a LOAD can be accepted: each is a duplicate key that was to be ignored, or known to be harmless.
    pub fn accepts(&self, warnings: &[LoadWarning], answer: LoadCounts, accepted: &AcceptedWarnings) -> bool {
        let ignores = self.filling(Method::LoadData) == Mode::Ignore;
        let (ignored, others): (Vec<_>, Vec<_>) =
            warnings.iter().cloned().partition(|warning| ignores && is_duplicate(warning.code));
        ignored.len() as u64 == answer.skipped && accepted.covers(&others, answer.warnings - answer.skipped)
    }

    /// Returns the outcome of the rows of a LOAD that was accepted.
    pub fn count_load(&self, answer: LoadCounts) -> Counted {
        let all = Counted::all(answer.records);
        match self.filling(Method::LoadData) {
            Mode::Ignore => Counted { stored: answer.records - answer.skipped, skipped: answer.skipped, ..all },
            Mode::Replace => Counted { changed: Some(answer.deleted), ..all },
            _ => all,
        }
    }

    /// Whether a row that a strict INSERT refused with this code is left out, and not bad.
    pub fn skips(&self, code: u16) -> bool {
        self.mode == Mode::Ignore && is_duplicate(code)
    }
}

/// ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME.
fn is_duplicate(code: u16) -> bool {
    matches!(code, 1062 | 1586)
}

/// An update that does nothing, and so is strict where INSERT IGNORE is not.
fn nothing(columns: &[Column]) -> String {
    let ident = columns.first().map(|column| quote_ident(&column.name)).unwrap_or_default();
    format!(" ON DUPLICATE KEY UPDATE {ident}={ident}")
}

fn alias(columns: &[&Column]) -> String {
    format!(" AS {NEW}{}", assigned(columns))
}

fn assigned(columns: &[&Column]) -> String {
    let set = |column: &&Column| format!("{0}={NEW}.{0}", quote_ident(&column.name));
    format!(" ON DUPLICATE KEY UPDATE {}", columns.iter().map(set).collect::<Vec<_>>().join(","))
}

fn values_function(columns: &[&Column]) -> String {
    let set = |column: &&Column| format!("{0}=VALUES({0})", quote_ident(&column.name));
    format!(" ON DUPLICATE KEY UPDATE {}", columns.iter().map(set).collect::<Vec<_>>().join(","))
}

const NEW: &str = "inrush_new";

#[cfg(test)]
mod tests;
