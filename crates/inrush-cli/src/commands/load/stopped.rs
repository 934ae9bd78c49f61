//! Why a load stopped, and what of it is in the table: the last lines on standard error.

use crate::{Output, exit};
use inrush::sans_io::load::report::{JobState, Report, Stop};
use inrush_core::Kind;
use std::fmt::Write as _;

/// Prints why it stopped, if it did.
pub(crate) fn why_it_stopped(report: &Report, output: &Output) {
    if let Some(text) = stopped(report) {
        output.error(&text);
        if !stops_again(report) && report.jobs.iter().any(|job| job.state == JobState::Unfinished) {
            output.notice("the same command goes on where this one stopped");
        }
    }
}

/// Whether the same command would stop at the same place: at a bad row that is the first that would be stored, or at a refusal, whose hint
/// names another command.
fn stops_again(report: &Report) -> bool {
    match &report.stop {
        Some(Stop::BadData(_)) => report.stored_records.is_empty(),
        Some(Stop::Failed(error)) => error.kind() == Kind::Guarantee,
        _ => false,
    }
}

/// Why it stopped, and which records are in the table.
fn stopped(report: &Report) -> Option<String> {
    let mut text = match report.stop.as_ref()? {
        Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error) => exit::explain(error),
        Stop::Interrupted => "interrupted: what is stored stays".into(),
    };
    for records in &report.unknown_records {
        let is_known = report.jobs.iter().any(|job| job.source == records.source && job.state == JobState::Unfinished);
        let advice = match is_known {
            true => "in the table or not, which is in the ledger: the same command goes on",
            false => "in the table or not; look for them before you load them again",
        };
        let _ = write!(text, "\nunknown: {records}: {advice}");
    }
    if report.dry_run {
        return Some(text);
    }
    if report.stored_records.is_empty() {
        text.push_str("\nstored: nothing");
    }
    for records in &report.stored_records {
        let _ = write!(text, "\nstored: {records}{}", but_rejects(report));
    }
    for pending in &report.pending {
        let _ = write!(text, "\npending: {pending}");
    }
    Some(text)
}

fn but_rejects(report: &Report) -> &'static str {
    if report.rejected > 0 { ", but for the rejected ones" } else { "" }
}
