//! What is to be done about a source, from what the ledger says of it and what it is now.
//!
//! | line | the source | then |
//! |---|---|---|
//! | none | | fresh |
//! | running | of another user, without `--force` | refused |
//! | running | read in the same way | resume |
//! | running | read in another way, or `--again` | refused; anew if no chunk of it is stored |
//! | done | the same, read in the same way, whenever it was written last | already loaded |
//! | done | another content, grown, read in another way, a stream: its old rows may be in the new content | refused, unless doubles cannot come of it |
//! | any but anew | the table holds fewer rows than are stored | refused |
//! | done | `--again` | anew |
//!
//! A table that is to be emptied first is emptied for all sources of a run or for none: none if an earlier run has begun with one of
//! them, or has finished with all; else all are loaded, also those that were.
//!
//! When the server says a table was made is no help: no server changes it at a TRUNCATE, and all do at an ALTER and at a restore of a
//! backup, after both of which a job goes on (docs/notes/ledger.md). How many rows it holds is.

use super::job::JobLine;
use super::step::{State, Step};
use super::tables::VERSION;
use super::{Identity, Mapping};
use crate::error::{Error, Kind};

/// What a run finds.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What the source is now.
    pub identity: &'a Identity,
    /// How it is read now.
    pub mapping: &'a Mapping,
    /// Whether a job that is not finished may be taken over: it is this user's, or nobody's that is known, or that is asked for.
    pub may_take_over: bool,
    /// Whether to load anew what is loaded.
    pub again: bool,
    /// Whether a stream that begins as one that is loaded is believed to be the same.
    pub skip_loaded: bool,
    /// Whether nothing is doubled by loading the same records once more: the mode sees to it.
    pub repeatable: bool,
    /// How many rows the table holds, counted as far as [`JobLine::look_for`] says; `None` if that says nothing in this mode.
    pub held: Option<u64>,
    /// The hash that the source would have if it ended where it did then; `None` if it is shorter or has no end.
    pub old_head: Option<u64>,
}

/// What is to be done about a source.
#[derive(Clone, Debug)]
pub enum Opening {
    /// It is loaded, and gets a line.
    Fresh,
    /// It is loaded, and its line begins anew.
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
        let has_rows = |line: &JobLine| line.step >= Step::Truncate || line.totals.chunks > 0;
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
    /// The error for a line that this version does not know how to go on with.
    pub fn of_another_version(&self) -> Option<Error> {
        (self.version != VERSION).then(|| {
            Error::new(
                Kind::Guarantee,
                format!("what is stored of `{}` was written down by another version of inrush", self.source),
            )
            .with_hint("go on with that version; or with `--forget`, and begin anew")
        })
    }

    /// How many rows the table must hold at least for the line to be believed. Counting more would take long.
    pub fn look_for(&self) -> u64 {
        self.totals.rows.min(MOST_COUNTED)
    }
}

fn running(line: &JobLine, run: &Run<'_>) -> Opening {
    if !run.may_take_over {
        return refused(
            format!("the load of `{}` is a job of user `{}`, and is not finished", line.source, line.owner),
            "a run of it may be at work, which would stop: ask them; then `--force` takes the job over".into(),
        );
    }
    let difference = line.mapping.difference(run.mapping);
    if line.totals.chunks == 0 && (run.again || difference.is_some()) {
        return Opening::Anew;
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
    match is_emptied(line, run) {
        true => refused(
            emptied(line),
            format!("`inrush load --forget {}` and begin anew; or put the table back as it was", line.id),
        ),
        false => Opening::Resume,
    }
}

fn done(line: &JobLine, run: &Run<'_>) -> Opening {
    if run.again {
        return Opening::Anew;
    }
    let (now, name) = (run.identity, &line.source);
    let again = |why: String| match run.repeatable {
        true => Opening::Anew,
        false => refused(why, "`--again` loads it all once more, whatever is in the table".into()),
    };
    if now.size.is_none() || line.size.is_none() {
        if run.skip_loaded && line.hash == Some(now.hash) && !is_emptied(line, run) {
            return Opening::AlreadyLoaded;
        }
        return again(format!(
            "a stream that begins like `{name}` was loaded on {} UTC, and may be the same",
            line.finished
        ));
    }
    let is_same = line.size == now.size && line.hash == Some(now.hash);
    if is_same {
        // The order in which its rows came in is no matter any more.
        let of = |mapping: &Mapping| mapping.clone().without("sort");
        if let Some(difference) = of(&line.mapping).difference(&of(run.mapping)) {
            let on = &line.finished;
            return again(format!("`{name}` was loaded on {on} UTC, and was read in another way then: {difference}"));
        }
        return match (is_emptied(line, run), run.repeatable) {
            (true, true) => Opening::Anew,
            (true, false) => refused(emptied(line), "`--again` loads it once more".into()),
            (false, _) => Opening::AlreadyLoaded,
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

fn is_emptied(line: &JobLine, run: &Run<'_>) -> bool {
    run.held.is_some_and(|held| held < line.look_for())
}

fn emptied(line: &JobLine) -> String {
    format!(
        "{} rows of `{}` are stored, and table `{}` holds fewer: it was emptied or made anew since",
        line.totals.rows, line.source, line.target
    )
}

fn refused(message: String, hint: String) -> Opening {
    Opening::Refused(Error::new(Kind::Guarantee, message).with_hint(hint))
}

/// Counted within some hundredths of a second.
const MOST_COUNTED: u64 = 100_000;

#[cfg(test)]
mod tests;
