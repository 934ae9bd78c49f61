//! The report of a load as people read it, and as programs do (`--json`, version 1).

use super::stopped::why_it_stopped;
use super::verified::Outcome;
use crate::{Output, exit};
use inrush::documents::as_json;
use inrush::sans_io::load::Mode;
use inrush::sans_io::load::report::{Job, JobState, Report};
use inrush_core::human;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::Path;

/// Prints the report: a summary or one JSON document on standard output, why it stopped on standard error. `reject_file` is the one of the
/// options.
pub(crate) fn report(report: &Report, reject_file: Option<&Path>, verified: Option<&Outcome>, output: &Output) {
    if output.is_json() {
        output.result(&format!("{:#}", document(report, verified)));
    } else {
        let mut text = summary(report, reject_file);
        if let Some(result) = verified.and_then(Outcome::as_text) {
            let _ = write!(text, "\n{:<LABEL$}{}", "verified", result.replace('\n', &format!("\n{:LABEL$}", "")));
        }
        output.result(&output.fitted(&text, LABEL));
    }
    let loaded = |job: &Job| matches!(job.state, JobState::AlreadyLoaded(_));
    if report.read == 0 && report.stop.is_none() && !report.jobs.iter().any(loaded) {
        output.notice("no rows: the files end after their headers");
    }
    why_it_stopped(report, output);
    verified.into_iter().for_each(|verified| verified.explain(output));
}

/// The document of `--json`.
pub(super) fn document(report: &Report, verified: Option<&Outcome>) -> Value {
    let mut document = as_json(report);
    if let Some(verified) = verified {
        document["verify"] = verified.as_json();
        document["exit_code"] = json!(exit::worst([exit::code_of_report(report), verified.code()]));
    }
    document
}

fn summary(report: &Report, reject_file: Option<&Path>) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name:<LABEL$}{value}");
    };
    let seconds = report.elapsed.as_secs_f64().max(0.001);
    let host = report.host.as_ref().map_or_else(String::new, |host| format!(" at `{host}`"));
    let (table, server, zone) = (&report.table, &report.server, &report.time_zone);
    line("table", format!("{table} on {server}{host}, times without an offset are in {zone}"));
    let is_nothing_left = !report.jobs.is_empty() && report.lanes == 0;
    if report.dry_run {
        line("dry run", "every row was checked, nothing was sent".into());
    } else if !is_nothing_left {
        line("method", format!("{}: {}", report.method, report.method_reason));
    }
    if let Some(text) = sort_line(report) {
        line("sorted", text);
    }
    already(&report.jobs, report.mode).into_iter().for_each(|text| line("already", text));
    line("rows", rows_line(report));
    if is_nothing_left {
        if report.rejected > 0 {
            line("rejected", where_rejects_are(reject_file));
        }
        return text.trim_end().to_owned();
    }
    if report.resumed.records > 0 {
        let chunks = human::counted(report.resumed.chunks, "chunk");
        line("resumed", format!("{} of them are of earlier runs, in {chunks}", human::exact(report.resumed.records)));
    }
    let replayed = match report.replays {
        0 => String::new(),
        n => format!(", {n} of them replayed by strict INSERTs"),
    };
    if !report.dry_run {
        line(
            "chunks",
            format!(
                "{} committed over {}{replayed}",
                human::exact(report.chunks),
                human::counted(report.lanes as u64, "lane")
            ),
        );
    }
    for retry in &report.retries {
        line("retried", format!("{}: {}", human::counted(retry.times, "time"), retry.message));
    }
    line(
        "speed",
        format!(
            "{} rows/s, {}/s, {}",
            human::short((report.stored - report.resumed.rows) as f64 / seconds),
            human::bytes(report.bytes as f64 / seconds),
            human::time(report.elapsed)
        ),
    );
    if !report.yielded.is_zero() {
        let share = (100.0 * report.yielded.as_secs_f64() / seconds).min(100.0);
        line("waited", format!("{} for others, {share:.0} % of the time", human::time(report.yielded)));
    }
    for warning in &report.harmless {
        line(
            "noted",
            format!("the server remarks ({}): {}; strict INSERTs store the same", warning.code, warning.message),
        );
    }
    rejects(&mut text, report);
    text.truncate(text.trim_end().len());
    text
}

/// The jobs that earlier runs have finished: each in a line, or many in one.
fn already(jobs: &[Job], mode: Mode) -> Vec<String> {
    let loaded: Vec<(&Job, &str)> = jobs.iter().filter_map(|job| Some((job, job.state.loaded_on()?))).collect();
    if mode == Mode::Undo {
        return loaded.iter().map(|(job, on)| format!("the load of `{}` was undone on {on} UTC", job.source)).collect();
    }
    let rejected = |n: u64| if n == 0 { String::new() } else { format!("; {} rejected then", were(n)) };
    if let ([(first, _), .., (last, _)], true) = (&loaded[..], loaded.len() > MOST_ALREADY) {
        let (from, to) =
            loaded.iter().fold((loaded[0].1, loaded[0].1), |(from, to), (_, on)| (from.min(on), to.max(on)));
        let all = loaded.iter().map(|(job, _)| job.resumed.rejected).sum();
        return vec![format!(
            "{} files, `{}` to `{}`, were loaded from {from} to {to} UTC{}; `--again` loads them once more",
            loaded.len(),
            first.source,
            last.source,
            rejected(all)
        )];
    }
    let one = |(job, on): (&Job, &str)| {
        if let Some(named) = &job.named {
            return format!("{named} was loaded on {on} UTC{}", rejected(job.resumed.rejected));
        }
        let again = "`--again` loads it once more";
        format!("`{}` was loaded on {on} UTC{}; {again}", job.source, rejected(job.resumed.rejected))
    };
    loaded.into_iter().map(one).collect()
}

/// More of them are one line.
const MOST_ALREADY: usize = 3;

/// The line about the sort that was done, or would be done.
fn sort_line(report: &Report) -> Option<String> {
    match &report.sort {
        Some(sort) => Some(format!(
            "by {}: {}{}; {} of temporary files, {}",
            sort.columns.join(", "),
            report.order.reason,
            gain(report.order.gain),
            human::bytes(sort.bytes as f64),
            human::time(sort.elapsed)
        )),
        None if report.order.by_server => Some(report.order.reason.clone()),
        None if report.dry_run && report.order.sorts => {
            let gain = gain(report.order.gain);
            Some(format!("rows would be: {}{gain}", report.order.reason))
        }
        None if report.dry_run => Some(format!("rows would not be: {}", report.order.reason)),
        None => None,
    }
}

/// The expected gain of a sort; empty if it is small or unknown.
fn gain(times: Option<f64>) -> String {
    match times {
        Some(times) if times >= LEAST_GAIN => format!("; expected to be {times:.0} times as fast"),
        _ => String::new(),
    }
}

/// Less is within what an estimate may miss.
const LEAST_GAIN: f64 = 1.5;

fn were(rows: u64) -> String {
    format!("{} {}", human::counted(rows, "row"), if rows == 1 { "was" } else { "were" })
}

/// For rows that an earlier run rejected: a ledger does not keep them once the job is finished.
fn where_rejects_are(reject_file: Option<&Path>) -> String {
    match reject_file.filter(|file| file.exists()) {
        Some(file) => format!("see `{0}`, and `{0}.log` for the reasons", file.display()),
        None => "the output of the run that finished the load names them; the ledger has only their number".into(),
    }
}

/// The columns of a summary's label.
const LABEL: usize = 10;

/// `336,776 read = 336,776 stored`, with every other outcome that has rows.
fn rows_line(report: &Report) -> String {
    let stored = match report.dry_run {
        true => format!("would be {}", verb(report.mode, false)),
        false => verb(report.mode, false).to_owned(),
    };
    let mut text = format!("{} read = {} {stored}", human::exact(report.read), human::exact(report.stored));
    let changed = match report.mode {
        Mode::Replace => " rows replaced",
        Mode::Upsert | Mode::Update => " rows changed",
        Mode::Insert | Mode::Ignore | Mode::Delete | Mode::Undo => "",
    };
    if let (false, false, Some(count)) = (changed.is_empty(), report.dry_run, report.changed) {
        let _ = write!(text, " ({}{changed})", human::exact(count));
    }
    for (count, fate) in [
        (report.skipped, skipped(report.mode)),
        (report.rejected, "rejected"),
        (report.not_loaded, "not loaded"),
        (report.unknown, "of unknown fate"),
    ] {
        if count > 0 {
            let _ = write!(text, " + {} {fate}", human::exact(count));
        }
    }
    text
}

/// The verb for a row that is not left out.
pub(super) fn verb(mode: Mode, dry_run: bool) -> &'static str {
    match mode {
        _ if dry_run => "checked",
        Mode::Update => "updated",
        Mode::Delete | Mode::Undo => "deleted",
        _ => "stored",
    }
}

/// Why the mode left rows out.
fn skipped(mode: Mode) -> &'static str {
    match mode {
        Mode::Update | Mode::Delete => "skipped (no such key)",
        Mode::Undo => "kept (changed or deleted since)",
        _ => "skipped (their key was there)",
    }
}

/// The bad rows that are printed; the rest is in the reject file's log or the JSON report.
const SHOWN: usize = 5;

fn rejects(text: &mut String, report: &Report) {
    for reject in report.first_rejects.iter().take(SHOWN) {
        let _ = writeln!(text, "rejected  {} ({})", reject.reason, reject.place);
    }
    let more = report.rejected.saturating_sub(report.first_rejects.len().min(SHOWN) as u64);
    if more > 0 {
        let _ = writeln!(text, "          and {} more", human::exact(more));
    }
}
