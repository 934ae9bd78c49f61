//! Decides whether what a finished load has inserted can be taken back, row by row.
//!
//! | the line of the load | then |
//! |---|---|
//! | none, or of another version | refused |
//! | running | refused: the load is finished first |
//! | done, in another mode than `insert`, by a copy of the table, or of a stream | refused: what it has replaced, or which rows it had, is not known |
//! | done, with rejected rows | refused: a row that was there before may be like one of them |
//! | done, another content, read in another way, of another user without `--force` | refused |
//! | done | its rows are deleted |
//! | done and undone | nothing is left to do |
//!
//! An undo is a job of its own, and continues where it was killed. The transaction that ends it also notes in the line of the load that it is
//! undone; so a load that is not, behind a finished undo, was loaded again since.

use super::decide::difference_of_done;
use super::{Identity, JobLine, Mapping, State};
use crate::error::{Error, Kind, Result};
use crate::load::Mode;

/// What an undo finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undoable {
    /// The rows of the load are to be deleted; `again`: they were before, and it was loaded again since.
    Yes {
        /// Whether the line of the undo is of that time.
        again: bool,
    },
    /// They were deleted.
    WasUndone,
}

/// The load that is undone, as its source is now.
#[derive(Clone, Copy, Debug)]
pub struct Load<'a> {
    /// Its line.
    pub line: Option<&'a JobLine>,
    /// The source as the user wrote it.
    pub source: &'a str,
    /// What the source is now.
    pub identity: &'a Identity,
    /// How it is read now.
    pub mapping: &'a Mapping,
    /// Whether its rows came by a copy of the table.
    pub by_copy: bool,
    /// Whether its rows were deleted.
    pub was_undone: bool,
    /// Whether the job may be one of another user.
    pub force: bool,
    /// Who asks, as the server spells it.
    pub me: &'a str,
}

/// Decides about one source; `own` is the line of the undo.
///
/// # Errors
/// `Guarantee`, if which rows are its own is not known.
pub fn undoable(load: &Load<'_>, own: Option<&JobLine>) -> Result<Undoable> {
    let name = load.source;
    let Some(line) = load.line else {
        return Err(refused(
            format!("`{name}` was not loaded into this table, so far as the ledger knows"),
            "an undo takes the files and options of the load; `inrush load --status` lists what was loaded".into(),
        ));
    };
    if let Some(error) = line.of_another_version() {
        return Err(error);
    }
    if line.state == State::Running {
        return Err(refused(
            format!("`{name}` is not loaded to its end, and an undo takes a finished load back"),
            "finish it by the same command without `--mode undo`; then undo it".into(),
        ));
    }
    if !line.owner.is_empty() && line.owner != load.me && !load.force {
        return Err(refused(
            format!("`{name}` was loaded by user `{}`", line.owner),
            "ask them; then `--force` undoes it".into(),
        ));
    }
    let mode = line.mapping.get("mode").unwrap_or_default();
    if mode != Mode::Insert.name() {
        return Err(refused(
            format!(
                "`{name}` was loaded with `--mode {mode}`: which rows were there before, and what they held, is not known"
            ),
            "only what `--mode insert` has stored can be deleted again".into(),
        ));
    }
    if load.by_copy {
        return Err(refused(
            format!("`{name}` was loaded by a copy of the table"),
            format!("`inrush undo {}` puts the old table back, if it was kept", line.id),
        ));
    }
    let now = load.identity;
    if line.size.is_none() || now.size.is_none() {
        return Err(refused(
            format!("`{name}` is a stream, and whether all of it is the same cannot be known"),
            "`inrush load --mode delete` deletes rows by their keys, whatever else they hold".into(),
        ));
    }
    if (line.size, line.hash) != (now.size, Some(now.hash)) {
        return Err(refused(
            format!(
                "`{name}` was loaded on {} UTC with another content: which rows that had is not known",
                line.finished
            ),
            "put the old file back".into(),
        ));
    }
    if let Some(difference) = difference_of_done(&without_mode(&line.mapping), &without_mode(load.mapping)) {
        return Err(refused(
            format!("`{name}` was loaded on {} UTC, and was read in another way then: {difference}", line.finished),
            "give the options of the load".into(),
        ));
    }
    if line.totals.rejected > 0 {
        return Err(refused(
            format!(
                "{} of `{name}` were rejected: another row like one of them may be in the table, and would be deleted",
                line.totals.rejected
            ),
            "`inrush load --mode delete` deletes rows by their keys, whatever else they hold".into(),
        ));
    }
    match own.map(|own| own.state) {
        _ if !load.was_undone => Ok(Undoable::Yes { again: own.is_some_and(|own| own.state == State::Done) }),
        Some(State::Done) => Ok(Undoable::WasUndone),
        _ => Err(refused(
            format!("what `{name}` had stored was deleted before"),
            "the same command without `--mode undo` loads it again".into(),
        )),
    }
}

/// The undo has its own mode, and no order of rows.
fn without_mode(mapping: &Mapping) -> Mapping {
    mapping.clone().without("mode")
}

fn refused(message: String, hint: String) -> Error {
    Error::new(Kind::Guarantee, message).with_hint(hint)
}

#[cfg(test)]
mod tests;
