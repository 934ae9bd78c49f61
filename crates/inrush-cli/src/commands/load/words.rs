//! Notices of a load in words, for people.

use crate::human;
use inrush::Notice;

/// A notice in words; empty for what is not for people.
pub(super) fn describe(notice: &Notice) -> String {
    match notice {
        Notice::Created(statement) => format!("created the table:\n{statement}"),
        Notice::WouldCreate(statement) => format!("would create the table:\n{statement}"),
        Notice::Dropped => "dropped the new table again: nothing is stored in it".into(),
        Notice::Truncated => "emptied the table".into(),
        Notice::Method(choice) => format!("method {}: {}", choice.method, choice.reason),
        Notice::FewerLanes { lanes, reason } => format!("only {lanes} of the lanes could connect: {reason}"),
        Notice::Retry { lane, place, message, pause, .. } => {
            let pause = human::time(*pause);
            format!("lane {lane}, the chunk from {place} on: {message}; trying again in {pause}")
        }
        Notice::RetryStep { what, message, pause, .. } => {
            format!("{what}: {message}; trying again in {}", human::time(*pause))
        }
        Notice::Shrunk { place, bytes, message } => {
            let bytes = human::bytes(*bytes as f64);
            format!("transactions of {bytes} are too large for the server ({message}): smaller ones from {place} on")
        }
        Notice::Resumed { source, job, rows, chunks } => format!(
            "going on with `{source}`: {} and {} are stored (job {job})",
            human::counted(*rows, "row"),
            human::counted(*chunks, "chunk")
        ),
        Notice::Touched { source } => {
            format!(
                "`{source}` was written since it was loaded, and its content looks the same: nothing of it is loaded"
            )
        }
        Notice::Replaced { source } => {
            format!("`{source}` is another file now: what was loaded is the one that was there when the load began")
        }
        Notice::WaitsForOlderRun { seconds } => {
            format!("another run of this load is not done with what it has begun: waiting for it for {seconds} s")
        }
        Notice::Ran { option, statement } => format!("{option}: ran {statement}"),
        Notice::IndexesDropped { names } => format!("dropped until the end: index {}", names.join(", ")),
        Notice::IndexesRebuilt { names } => format!("rebuilt index {}", names.join(", ")),
        Notice::RejectsNotKept { missing } => format!(
            "the reject file lacks {} that an earlier run of this load refused, which did not divert them",
            human::counted(*missing, "record")
        ),
        Notice::Swapped => "the filled copy has taken the table's place".into(),
        Notice::NotEmptied => "the table was not emptied: rows of this load are in it".into(),
        Notice::ShortOfMemory { lanes, takes, memory, enough } => format!(
            "there is no memory to keep {lanes} lanes busy: a batch takes {}, `--memory` is {}; make `--batch` smaller, or \
             `--memory {}MiB`",
            human::bytes(*takes as f64),
            human::bytes(*memory as f64),
            enough.div_ceil(1 << 20)
        ),
        Notice::Silent { lane, waiting_for, seconds, state } => {
            format!("no answer to {waiting_for} for {seconds} s on lane {lane}; the server says: {state}")
        }
        _ => String::new(),
    }
}
