//! The events of a load in words, for people.

use super::LoadEvent;
use inrush_core::{FrontEnd, human};
use std::fmt;

/// In words; empty for what is not for people. Options have the names of this library.
impl fmt::Display for LoadEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.in_words(FrontEnd::Library))
    }
}

impl LoadEvent {
    /// In words, with the names that options have in this front end; empty for what is not for people.
    pub fn in_words(&self, front_end: FrontEnd) -> String {
        front_end.names(&described(self), true).into_owned()
    }
}

/// The most fields that a message names.
const MOST_FIELDS: usize = 10;

fn described(event: &LoadEvent) -> String {
    match event {
        LoadEvent::Created(statement) => format!("created the table:\n{statement}"),
        LoadEvent::WouldCreate(statement) => format!("would create the table:\n{statement}"),
        LoadEvent::Dropped => "dropped the new table again: nothing is stored in it".into(),
        LoadEvent::Redefined { changes } if changes.is_empty() => {
            "the new table has the definition of the old one".into()
        }
        LoadEvent::Redefined { changes } => {
            format!("the new table has another definition than the old one:\n{}", changes.join("\n"))
        }
        LoadEvent::Adds { statement } => format!("adding columns to the table:\n{statement}"),
        LoadEvent::AddsSlowly { reason } => {
            format!("the server rewrites the table for the new columns, which takes a while: {reason}")
        }
        LoadEvent::WouldAdd { statement } => format!("would add columns to the table:\n{statement}"),
        LoadEvent::Widens { statement } => {
            format!("widening columns of the table, which the server may have to rewrite for it:\n{statement}")
        }
        LoadEvent::WouldWiden { statement } => format!("would widen columns of the table:\n{statement}"),
        LoadEvent::FieldsLeftOut { source, fields } => format!(
            "left out of `{source}`, because the table has no such column: {}{}",
            fields.iter().take(MOST_FIELDS).cloned().collect::<Vec<_>>().join(", "),
            if fields.len() > MOST_FIELDS {
                format!(" and {} more", fields.len() - MOST_FIELDS)
            } else {
                String::new()
            }
        ),
        LoadEvent::Truncated => "emptied the table".into(),
        LoadEvent::Method(choice) => format!("method {}: {}", choice.method, choice.reason),
        LoadEvent::Sorts { columns, reason, bytes } => {
            let size = bytes.map_or(String::new(), |bytes| format!(", about {} of text", human::bytes(bytes as f64)));
            format!("sorting by {} first: {reason}{size}", columns.join(", "))
        }
        LoadEvent::Sorted(sort) => format!(
            "sorted {} in {}: {} of temporary files",
            human::counted(sort.records, "record"),
            human::time(sort.elapsed),
            human::bytes(sort.bytes as f64)
        ),
        LoadEvent::TempDir { folder, on } => format!(
            "sorted rows go to `{}`, which is on {on}; `--temp-dir DIR` names a folder on a local disk",
            folder.display()
        ),
        LoadEvent::ServerSorts { bytes } => {
            let size = bytes.map_or("three times the text".into(), |bytes| human::bytes(bytes as f64));
            format!("the server makes the keys at the end: it needs about {size} of disk for that")
        }
        LoadEvent::FewerLanes { lanes, reason } => format!("only {lanes} of the lanes could connect: {reason}"),
        LoadEvent::Retry { lane, place, message, pause, .. } => {
            let pause = human::time(*pause);
            format!("lane {lane}, the chunk from {place} on: {message}; trying again in {pause}")
        }
        LoadEvent::RetryStep { what, message, pause, .. } => {
            format!("{what}: {message}; trying again in {}", human::time(*pause))
        }
        LoadEvent::Shrunk { place, bytes, message } => {
            let bytes = human::bytes(*bytes as f64);
            format!("transactions of {bytes} are too large for the server ({message}): smaller ones from {place} on")
        }
        LoadEvent::Resumed { source, job, rows, chunks } => format!(
            "going on with `{source}`: {} and {} are stored (job {job})",
            human::counted(*rows, "row"),
            human::counted(*chunks, "chunk")
        ),
        LoadEvent::Touched { source } => {
            format!(
                "`{source}` was written since it was loaded, and its content looks the same: nothing of it is loaded"
            )
        }
        LoadEvent::Replaced { source } => {
            format!("`{source}` is another file now: what was loaded is the one that was there when the load began")
        }
        LoadEvent::WaitsForOlderRun { seconds } => {
            format!("another run of this load is not done with what it has begun: waiting for it for {seconds} s")
        }
        LoadEvent::Ran { option, statement } => format!("{option}: ran {statement}"),
        LoadEvent::IndexesDropped { names } => format!("dropped until the end: index {}", names.join(", ")),
        LoadEvent::IndexesRebuilt { names } => format!("rebuilt index {}", names.join(", ")),
        LoadEvent::RejectsNotKept { missing } => format!(
            "the reject file lacks {} that an earlier run of this load refused, which did not divert them",
            human::counted(*missing, "record")
        ),
        LoadEvent::Swapped => "the filled copy has taken the table's place".into(),
        LoadEvent::Kept { table, job } => {
            format!("the old table is kept as `{table}`: `inrush undo {job}` puts it back")
        }
        LoadEvent::KeptTooLong { table } => format!("dropped `{table}`, which an earlier load kept: its time is over"),
        LoadEvent::NotEmptied => "the table was not emptied: rows of this load are in it".into(),
        LoadEvent::ShortOfMemory { lanes, takes, memory, enough } => format!(
            "there is no memory to keep {lanes} lanes busy: a batch takes {}, `--memory` is {}; make `--batch` smaller, or \
             `--memory {}MiB`",
            human::bytes(*takes as f64),
            human::bytes(*memory as f64),
            enough.div_ceil(1 << 20)
        ),
        LoadEvent::Silent { lane, waiting_for, seconds, state } => {
            format!("no answer to {waiting_for} for {seconds} s on lane {lane}; the server says: {state}")
        }
        // Reasons that begin with a signal of `--throttle`.
        LoadEvent::Yields { reason } if reason.starts_with('`') => {
            format!("waiting, a server has too much to do: {reason}")
        }
        LoadEvent::Yields { reason } => format!("waiting: {reason}"),
        LoadEvent::Continues { waited } => format!("going on after {}", human::time(*waited)),
        LoadEvent::Yielded { times, waited, reason } => {
            let because = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            format!("waited {} in {}{because}", human::time(*waited), human::counted(*times, "short wait"))
        }
        LoadEvent::ThrottleUnread { waits, reason } => {
            let meanwhile = if *waits { "waiting until it can" } else { "going on meanwhile" };
            format!("what the load yields to cannot be read, {meanwhile}: {reason}")
        }
        LoadEvent::Tuned(tuned) => tuned.to_string(),
        LoadEvent::AlreadyLoaded { source, on } => {
            format!("`{source}` was loaded on {on} UTC already: nothing of it is read")
        }
        LoadEvent::AlreadyUndone { source, on } => {
            format!("the load of `{source}` was undone on {on} UTC already: nothing of it is read")
        }
        LoadEvent::Stored(_) | LoadEvent::Rejected(_) => String::new(),
    }
}
