//! The report of a load as a document.

use super::exit::code_of_report;
use inrush_core::load::Reject;
use inrush_core::load::report::{Job, Records, Report, Retry, Stop};
use inrush_core::load::tuner::{Change, Tuned};
use inrush_core::{Error, Kind};
use serde_json::{Value, json};

/// The document of `--json` for a load, version 1 (docs/load.md).
pub fn as_json(report: &Report) -> Value {
    let stop = report.stop.as_ref().map(|stop| match stop {
        Stop::BadData(error) => stop_json("bad-data", Some(error)),
        Stop::Failed(error) if error.kind() == Kind::Interrupted => stop_json("interrupted", Some(error)),
        Stop::Failed(error) => stop_json("server", Some(error)),
        Stop::Unreadable(error) => stop_json("source", Some(error)),
        Stop::Interrupted => stop_json("interrupted", None),
    });
    json!({
        "inrush": "load",
        "version": 1,
        "exit_code": code_of_report(report),
        "table": report.table,
        "mode": report.mode.name(),
        "server": report.server,
        "host": report.host,
        "method": { "name": report.method.name(), "reason": report.method_reason },
        "sort": {
            "sorted": report.sort.is_some(),
            "by_server": report.order.by_server,
            "expected_gain": report.order.gain,
            "reason": report.order.reason,
            "columns": report.sort.as_ref().map(|sort| &sort.columns),
            "is_exact": report.sort.as_ref().map(|sort| sort.is_exact),
            "runs": report.sort.as_ref().map(|sort| sort.runs),
            "temporary_bytes": report.sort.as_ref().map(|sort| sort.bytes),
            "seconds": report.sort.as_ref().map(|sort| sort.elapsed.as_secs_f64()),
        },
        "lanes": report.lanes,
        "tuning": report.tuning.iter().map(tuned_json).collect::<Vec<_>>(),
        "time_zone": report.time_zone,
        "dry_run": report.dry_run,
        "rows": rows_json(report),
        "pending": report.pending,
        "resumed": {
            "records": report.resumed.records,
            "rows": report.resumed.rows,
            "skipped": report.resumed.skipped,
            "rejected": report.resumed.rejected,
            "chunks": report.resumed.chunks,
        },
        "jobs": report.jobs.iter().map(job_json).collect::<Vec<_>>(),
        "chunks": report.chunks,
        "replays": report.replays,
        "retries": report.retries.iter().map(retry_json).collect::<Vec<_>>(),
        "bytes": report.bytes,
        "seconds": report.elapsed.as_secs_f64(),
        "yielded_seconds": report.yielded.as_secs_f64(),
        "waits": waits_json(report),
        "stored_records": report.stored_records.iter().map(records_json).collect::<Vec<_>>(),
        "unknown_records": report.unknown_records.iter().map(records_json).collect::<Vec<_>>(),
        "first_rejects": report.first_rejects.iter().map(reject_json).collect::<Vec<_>>(),
        "noted": report.harmless.iter().map(|w| json!({ "code": w.code, "message": w.message })).collect::<Vec<_>>(),
        "stop": stop,
    })
}

fn rows_json(report: &Report) -> Value {
    let counts = report.counts().map(|(name, count)| (name.to_owned(), json!(count)));
    let changed = ("changed".to_owned(), json!(report.changed));
    Value::Object(counts.into_iter().chain([changed]).collect())
}

fn waits_json(report: &Report) -> Value {
    let seconds = report.waits.named().map(|(name, time)| (format!("{name}_seconds"), json!(time.as_secs_f64())));
    let slow = report.slow_because().map(|(cause, share)| json!({ "for": cause.name(), "share": share }));
    Value::Object(seconds.into_iter().chain([("slow".to_owned(), json!(slow))]).collect())
}

fn job_json(job: &Job) -> Value {
    // As the ledger has it, in UTC.
    let (state, on) = (job.state.name(), job.state.loaded_on());
    let loaded_on = on.map(|on| format!("{}Z", on.replacen(' ', "T", 1)));
    json!({ "job": job.id.to_string(), "source": job.source.to_string(), "state": state, "loaded_on": loaded_on })
}

fn stop_json(why: &str, error: Option<&Error>) -> Value {
    let Some(error) = error else { return json!({ "why": why }) };
    let place = error.place();
    json!({
        "why": why,
        "message": error.to_string(),
        "hint": error.hint(),
        "code": error.code(),
        "source": place.map(|place| place.source.to_string()),
        "line": place.map(|place| place.line),
        "column": place.and_then(|place| place.column.as_deref().map(str::to_owned)),
    })
}

fn retry_json(retry: &Retry) -> Value {
    json!({ "code": retry.code, "message": retry.message, "times": retry.times })
}

fn records_json(records: &Records) -> Value {
    json!({
        "source": records.source.to_string(),
        "first": records.first,
        "last": records.last,
        "first_line": records.first_line,
        "last_line": records.last_line,
    })
}

fn tuned_json(tuned: &Tuned) -> Value {
    let (from, to) = match tuned.change {
        Change::Lanes { from, to } | Change::BatchBytes { from, to } => (json!(from), json!(to)),
        Change::Method { from, to } => (json!(from.name()), json!(to.name())),
    };
    json!({
        "seconds": tuned.at.as_secs_f64(),
        "what": tuned.change.name(),
        "from": from,
        "to": to,
        "why": tuned.why,
    })
}

fn reject_json(reject: &Reject) -> Value {
    json!({
        "source": reject.place.source.to_string(),
        "line": reject.place.line,
        "column": reject.place.column.as_deref(),
        "code": reject.code,
        "reason": reject.reason,
    })
}
