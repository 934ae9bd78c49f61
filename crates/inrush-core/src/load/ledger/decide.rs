//! Decides what to do about a source, from its line in the ledger and its current state.
//!
//! | line | the source | then |
//! |---|---|---|
//! | none | | fresh |
//! | running | of another user, without `--force` | refused |
//! | running | read in the same way | resume |
//! | running | read in another way, or `--again` | refused; restarted if no chunk of it is stored |
//! | done | the same, read in the same way, whenever it was written last | already loaded |
//! | done | another content, grown, read in another way, a stream: its old rows may be in the new content | refused, unless a second load cannot store duplicates |
//! | running | the table (or the copy that is filled) is gone, or holds fewer rows than its mode leaves, or lacks a column that it had | refused |
//! | done | the same | refused, unless a second load cannot store duplicates: then restarted |
//! | done | `--again` | restarted |
//! | done | the load was a refresh that was undone | restarted; refused if the rows would come beside others, which an earlier load of the source may have stored |
//!
//! A part of a named job is known by its name. If it is done, another content is refused in every mode: the name stands for its rows.
//!
//! If a table is to be emptied first, it is emptied for all sources of a run or for none. None if an earlier run has begun with
//! one of them, or has finished with all. Otherwise all are loaded, also those that were loaded before.
//!
//! The creation time that the server reports for a table does not help. No server changes it at a TRUNCATE; all change it at an
//! ALTER and when a backup is restored, and a job continues after both of these (docs/notes/ledger.md). For the least number of
//! rows that the table must hold, see [`Mode::least_held`].

use super::job::JobLine;
use super::step::{JobStep, State};
use super::tables::VERSION;
use super::{Identity, Mapping, NamedJob};
use crate::error::{Error, Kind};
use crate::load::mode::Mode;

/// What a run finds.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What the source is now.
    pub identity: &'a Identity,
    /// How it is read now.
    pub mapping: &'a Mapping,
    /// The part of a named job that it is.
    pub named: Option<&'a NamedJob>,
    /// Whether an unfinished job may be taken over: it belongs to this user, its owner is not known, or the user requested it.
    pub may_take_over: bool,
    /// Whether to load again what is already loaded.
    pub again: bool,
    /// Whether a stream that begins like a loaded one is assumed to be the same stream.
    pub skip_loaded: bool,
    /// What the load does with each row.
    pub mode: Mode,
    /// Whether loading the same records again stores no duplicates: the mode prevents it, or the table is emptied before.
    pub repeatable: bool,
    /// How many of the rows that the line counts still exist.
    pub held: Held<'a>,
    /// Whether the load that the line is of was undone.
    pub undone: Undone,
    /// A column for values of the source that the table does not have, and would get: where rows of the source are stored, it is gone.
    pub lost: Option<&'a str>,
    /// The hash that the source would have if it ended where it did then; `None` if it is shorter or has no end.
    pub old_head: Option<u64>,
}

/// Whether a finished load was undone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undone {
    /// No: its rows are in the table.
    #[default]
    No,
    /// Yes. It had added rows to those of the table.
    Beside,
    /// Yes. It had put its rows in the place of all others, which are back: those of an earlier load of the source may be among them.
    InPlace,
}

/// What a run finds where the rows of a line should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held<'a> {
    /// Not known: a copy may or may not have replaced the table.
    Unknown,
    /// There is no such table.
    NoTable,
    /// The table has so many rows, counted as far as [`JobLine::look_for`] says.
    Rows(u64),
    /// The same of the copy of this name that an atomic load fills, which is not finished; `None`: the copy is gone.
    InCopy(&'a str, Option<u64>),
}

/// What is to be done about a source.
#[derive(Clone, Debug)]
pub enum Opening {
    /// It is loaded, and gets a line.
    Fresh,
    /// The source is loaded from the beginning, and its line is reset.
    Anew,
    /// What is missing of it is loaded.
    Resume,
    /// Nothing of it is missing.
    AlreadyLoaded,
    /// Nothing is done.
    Refused(Error),
}

/// Decides about the sources of a run; with `truncate` the table is to be emptied first.
pub fn decide(sources: &[(Option<&JobLine>, Run<'_>)], truncate: bool) -> Vec<Opening> {
    let each = |emptied: bool| -> Vec<Opening> {
        let decided = |(line, run): &(Option<&JobLine>, Run<'_>)| {
            one(*line, &Run { repeatable: emptied || run.repeatable, ..*run })
        };
        sources.iter().map(decided).collect()
    };
    let has_begun = |(line, opening): (&(Option<&JobLine>, Run<'_>), &Opening)| {
        let has_rows = |line: &JobLine| line.step >= JobStep::Truncate || line.totals.chunks > 0;
        matches!(opening, Opening::Resume) && line.0.is_some_and(has_rows)
    };
    let kept = each(false);
    if !truncate || sources.iter().zip(&kept).any(has_begun) {
        return kept;
    }
    let emptied = each(true);
    if emptied.iter().all(|opening| matches!(opening, Opening::AlreadyLoaded)) {
        return emptied;
    }
    let loaded = |opening| if matches!(opening, Opening::AlreadyLoaded) { Opening::Anew } else { opening };
    emptied.into_iter().map(loaded).collect()
}

fn one(line: Option<&JobLine>, run: &Run<'_>) -> Opening {
    let Some(line) = line else { return Opening::Fresh };
    match line.state {
        State::Running => running(line, run),
        State::Done => done(line, run),
    }
}

impl JobLine {
    /// Returns the error for a line of another version, whose job this version cannot continue.
    pub fn of_another_version(&self) -> Option<Error> {
        (self.version != VERSION).then(|| {
            Error::new(
                Kind::Guarantee,
                format!("what is stored of `{}` was written down by another version of inrush", self.source),
            )
            .with_hint("go on with that version; or with `--forget`, and begin anew")
        })
    }

    /// What is different now about how an unfinished job is read. A column may be widened at any time: rows that are stored keep their values.
    pub fn difference_under_way(&self, now: &Mapping) -> Option<String> {
        let of = |mapping: &Mapping| mapping.clone().without(Mapping::WIDENED);
        of(&self.mapping).difference(&of(now))
    }

    /// Returns the least number of rows that the table must hold for the line to be trusted. It is capped, because counting more
    /// would take long.
    pub fn look_for(&self, mode: Mode) -> u64 {
        mode.least_held(self.totals.rows).min(MOST_COUNTED)
    }
}

fn running(line: &JobLine, run: &Run<'_>) -> Opening {
    if !run.may_take_over {
        return refused(
            format!("the load of `{}` is a job of user `{}`, and is not finished", line.source, line.owner),
            "a run of it may be at work, which would stop: ask them; then `--force` takes the job over".into(),
        );
    }
    let difference = line.difference_under_way(run.mapping);
    if line.totals.chunks == 0 && (run.again || difference.is_some()) {
        return Opening::Anew;
    }
    // Before the difference, which it makes as well: fewer of the columns that were added are there.
    if let Some(lost) = lost(line, run) {
        return refused(lost.described(line), lost.way_on(line));
    }
    if run.again {
        return refused(
            format!("`{}` is not loaded to its end, so it cannot be loaded again", line.source),
            format!(
                "without `--again` it is gone on with; `inrush load --forget {}` forgets what is stored of it",
                line.id
            ),
        );
    }
    if let Some(difference) = difference {
        return refused(
            format!("`{}` is loaded in part, and was read in another way then: {difference}", line.source),
            format!("give the options that it was begun with, or `inrush load --forget {}` and begin anew", line.id),
        );
    }
    let now = run.identity;
    if now.is_object() && now.size.is_some() && (line.size != now.size || line.hash != Some(now.hash)) {
        return match line.totals.chunks {
            0 => Opening::Anew,
            _ => refused(
                format!(
                    "`{}` is loaded in part, and was written to since: its ETag or its size is another one",
                    line.source
                ),
                format!(
                    "put the old object back, if the store gives it its old ETag (Azure does not); or `inrush load --forget {}`, which \
                     leaves its rows in the table",
                    line.id
                ),
            ),
        };
    }
    match missing(line, run) {
        Some(missing) => refused(missing.described(line), missing.way_on(line)),
        None => Opening::Resume,
    }
}

fn done(line: &JobLine, run: &Run<'_>) -> Opening {
    if run.again {
        return Opening::Anew;
    }
    if run.undone != Undone::No {
        return match run.repeatable || run.undone == Undone::Beside {
            true => Opening::Anew,
            false => refused(
                format!(
                    "`{}` was loaded on {} UTC in place of the rows that are in the table again, as that was undone: an earlier load of it \
                     may have stored some of them",
                    line.source, line.finished
                ),
                "`--replace-table` or `--truncate` loads it in place of all that is in the table; `--again` loads it beside".into(),
            ),
        };
    }
    if let Some(named) = run.named {
        return done_part(line, run, named);
    }
    let (now, name) = (run.identity, &line.source);
    let again = |why: String| {
        match run.repeatable {
        true => Opening::Anew,
        false => refused(
            why,
            "`--truncate` or `--replace-table` loads it in place of all that is in the table; `--again` loads it all once more, beside its old rows".into(),
        ),
    }
    };
    if now.size.is_none() || line.size.is_none() {
        if run.skip_loaded && line.hash == Some(now.hash) && missing(line, run).is_none() {
            return Opening::AlreadyLoaded;
        }
        return again(format!(
            "a stream that begins like `{name}` was loaded on {} UTC, and may be the same",
            line.finished
        ));
    }
    let is_same = line.size == now.size && line.hash == Some(now.hash);
    if is_same {
        if let Some(difference) = difference_of_done(&line.mapping, run.mapping) {
            let on = &line.finished;
            return again(format!("`{name}` was loaded on {on} UTC, and was read in another way then: {difference}"));
        }
        return match missing(line, run) {
            None => Opening::AlreadyLoaded,
            // A load that stored nothing leaves no duplicates.
            Some(_) if run.repeatable || line.totals.rows == 0 => Opening::Anew,
            Some(missing) => refused(missing.described(line), missing.way_back(line)),
        };
    }
    if line.size < now.size && run.old_head.is_some() && run.old_head == line.hash {
        return again(format!(
            "`{name}` was loaded on {} UTC and has grown since: its first rows are in the table",
            line.finished
        ));
    }
    again(format!(
        "`{name}` was loaded on {} UTC with another content, and rows of it may be in this one as well",
        line.finished
    ))
}

/// A part that is done, which `--truncate` would not replace: there are others in the table.
fn done_part(line: &JobLine, run: &Run<'_>, named: &NamedJob) -> Opening {
    let (now, on) = (run.identity, &line.finished);
    let another = |why: &str| {
        refused(
            format!("{named} was loaded on {on} UTC {why}"),
            format!(
                "a part has the same rows in every run: load other rows under another name; or `inrush load --forget {}` once its rows are removed",
                line.id
            ),
        )
    };
    let is_same = (line.size, line.hash) == (now.size, Some(now.hash));
    if !(is_same || run.skip_loaded) {
        return another("with another content");
    }
    if let Some(difference) = difference_of_done(&line.mapping, run.mapping) {
        return another(&format!("and was read in another way then: {difference}"));
    }
    match missing(line, run) {
        None => Opening::AlreadyLoaded,
        Some(_) if run.repeatable || line.totals.rows == 0 => Opening::Anew,
        Some(missing) => refused(
            missing.described(line),
            format!("`inrush load --forget {}`, then the same command, loads this part anew", line.id),
        ),
    }
}

/// What is different now about how a finished job is read. The order in which its rows came does not matter any more, nor which of
/// them would have been bad in the table that it created, nor which columns it added or widened.
pub(super) fn difference_of_done(then: &Mapping, now: &Mapping) -> Option<String> {
    let of = |mapping: &Mapping| {
        mapping.clone().without("sort").without("spelling").without(Mapping::ADDED).without(Mapping::WIDENED)
    };
    of(then).difference(&of(now))
}

/// What is missing of the rows that a line counts, in any mode.
fn missing<'a>(line: &JobLine, run: &Run<'a>) -> Option<Missing<'a>> {
    let least = line.look_for(run.mode);
    if let Some(lost) = lost(line, run) {
        return Some(lost);
    }
    match run.held {
        Held::Unknown => None,
        // A load whose line has no rows yet continues, and creates the table.
        Held::NoTable if line.state == State::Running && line.totals.rows == 0 => None,
        Held::NoTable => Some(Missing::Table),
        Held::InCopy(_, None) if line.totals.chunks == 0 => None,
        Held::InCopy(copy, None) => Some(Missing::Copy(copy)),
        Held::Rows(held) | Held::InCopy(_, Some(held)) if held >= least => None,
        Held::Rows(0) => Some(Missing::All),
        Held::Rows(held) => Some(Missing::Some { held }),
        Held::InCopy(copy, Some(_)) => Some(Missing::OfCopy(copy)),
    }
}

/// The column that rows of a line had, and have no more.
fn lost<'a>(line: &JobLine, run: &Run<'a>) -> Option<Missing<'a>> {
    run.lost.filter(|_| line.totals.chunks > 0).map(Missing::Column)
}

#[derive(Clone, Copy, Debug)]
enum Missing<'a> {
    Table,
    All,
    Some { held: u64 },
    Column(&'a str),
    Copy(&'a str),
    OfCopy(&'a str),
}

impl Missing<'_> {
    fn described(self, line: &JobLine) -> String {
        let JobLine { source, target, .. } = line;
        let stored = match line.totals.rows {
            1 => format!("1 row of `{source}` is stored"),
            n => format!("{n} rows of `{source}` are stored"),
        };
        match self {
            Missing::Table => format!("{stored}, and table `{target}` is gone: it was dropped or renamed since"),
            Missing::All => format!("{stored}, and table `{target}` is empty: it was emptied or made anew since"),
            Missing::Some { held } => format!(
                "{stored}, and table `{target}` holds fewer, {held}: rows were removed, or it was emptied or made anew since"
            ),
            Missing::Column(column) => format!(
                "{stored}, and column `{column}` of table `{target}` is gone, with what it held of them: it was dropped or renamed since"
            ),
            Missing::Copy(copy) => format!(
                "{stored} in table `{copy}`, which is gone, and `{target}` was not replaced: somebody dropped or renamed it"
            ),
            Missing::OfCopy(copy) => format!("{stored} in table `{copy}`, which holds fewer: it was emptied since"),
        }
    }

    /// What to do about an unfinished job.
    fn way_on(self, line: &JobLine) -> String {
        let id = line.id;
        match self {
            Missing::Table | Missing::All => {
                format!("`inrush load --forget {id}` and begin anew; or put the table back as it was")
            }
            Missing::Some { .. } => format!(
                "`inrush load --forget {id}`, remove its other rows and begin anew; or put the table back as it was"
            ),
            Missing::Column(_) => format!(
                "give the column its old name back; or `inrush load --forget {id}`, remove its rows and begin anew"
            ),
            Missing::Copy(_) => format!("`inrush load --forget {id}` and begin anew"),
            Missing::OfCopy(copy) => format!("`inrush load --forget {id}`, drop `{copy}` and begin anew"),
        }
    }

    /// What to do about a finished one.
    fn way_back(self, line: &JobLine) -> String {
        match self {
            Missing::Some { .. } => {
                "`--truncate` or `--replace-table` loads it all in place of the rows that are there; `--again` adds it to them"
                    .into()
            }
            Missing::Column(_) => {
                "give the column its old name back; or `--truncate` or `--replace-table` loads it all in place of the rows that are there".into()
            }
            _ => format!(
                "`--truncate` loads it all anew, and empties the table before; or `inrush load --forget {}`, then the same command",
                line.id
            ),
        }
    }
}

fn refused(message: String, hint: String) -> Opening {
    Opening::Refused(Error::new(Kind::Guarantee, message).with_hint(hint))
}

/// Counted within some hundredths of a second.
const MOST_COUNTED: u64 = 100_000;

#[cfg(test)]
mod tests;
