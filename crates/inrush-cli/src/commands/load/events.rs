//! `--events FILE`: the events of a load, a JSON object a line (version 1: docs/events.md). Every line is complete and flushed, so that
//! readers that follow the file never get a partial line; existing lines stay.

use inrush::{FrontEnd, Notice};
use inrush_core::printable::printable_json;
use inrush_core::{Error, Result};
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Where events go; clones write to the same file.
#[derive(Clone)]
pub(crate) struct Events(Option<Arc<Mutex<File>>>);

impl Events {
    /// Appends to `file`, or goes nowhere.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self> {
        let Some(path) = file else { return Ok(Self(None)) };
        // It may contain values of rows, so it is readable for the owner only, like a reject file.
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        match file {
            Ok(file) => Ok(Self(Some(Arc::new(Mutex::new(file))))),
            Err(e) => Err(Error::config(format!("cannot write `{}`: {e}", path.display())).with_hint("see `--events`")),
        }
    }

    /// Writes one event: `fields` is an object.
    pub(crate) fn write(&self, event: &str, fields: Value) {
        let Some(file) = &self.0 else { return };
        let mut line = json!({ "event": event, "version": VERSION, "at": jiff::Timestamp::now().to_string() });
        if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), fields) {
            line.extend(fields);
        }
        let text = printable_json(&format!("{line}\n"));
        // A disk that is full must not end a load; the report does not depend on this file.
        let _ = file.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
    }

    /// Writes an event of the loader.
    pub(crate) fn write_event(&self, notice: &Notice) {
        if self.0.is_some() {
            let (event, fields) = event(notice);
            self.write(event, fields);
        }
    }
}

const VERSION: u32 = 1;

/// The name and the fields of an event.
fn event(notice: &Notice) -> (&'static str, Value) {
    match notice {
        Notice::Method(choice) => ("method", json!({ "name": choice.method.name(), "reason": choice.reason })),
        Notice::Sorts { columns, reason, bytes } => {
            ("sort", json!({ "state": "begun", "columns": columns, "reason": reason, "bytes": bytes }))
        }
        Notice::Sorted(sort) => (
            "sort",
            json!({
                "state": "done", "columns": sort.columns, "records": sort.records, "runs": sort.runs,
                "temporary_bytes": sort.bytes, "seconds": sort.elapsed.as_secs_f64(),
            }),
        ),
        Notice::TempDir { folder, on } => ("temp_dir", json!({ "folder": folder.to_string_lossy(), "on": on })),
        Notice::ServerSorts { bytes } => ("sort", json!({ "state": "left to the server", "server_bytes": bytes })),
        Notice::AlreadyLoaded { source, on } => {
            ("job", json!({ "source": &**source, "state": "already loaded", "on": on }))
        }
        Notice::Resumed { source, job, rows, chunks } => (
            "job",
            json!({ "source": &**source, "state": "resumed", "job": job.to_string(), "rows": rows, "chunks": chunks }),
        ),
        Notice::Stored(chunk) => (
            "chunk",
            json!({
                "lane": chunk.lane,
                "source": chunk.records.source.to_string(),
                "first": chunk.records.first,
                "last": chunk.records.last,
                "first_line": chunk.records.first_line,
                "rows": chunk.rows,
                "skipped": chunk.skipped,
                "rejected": chunk.rejected,
                "bytes": chunk.bytes,
                "seconds": chunk.elapsed.as_secs_f64(),
            }),
        ),
        Notice::Rejected(reject) => (
            "reject",
            json!({
                "source": reject.place.source.to_string(),
                "line": reject.place.line,
                "column": reject.place.column.as_deref(),
                "code": reject.code,
                "reason": reject.reason,
            }),
        ),
        Notice::Retry { lane, place, code, message, pause } => (
            "retry",
            json!({
                "lane": lane, "source": place.source.to_string(), "line": place.line, "code": code, "message": message,
                "pause_seconds": pause.as_secs_f64(),
            }),
        ),
        Notice::RetryStep { what, code, message, pause } => {
            ("retry", json!({ "what": what, "code": code, "message": message, "pause_seconds": pause.as_secs_f64() }))
        }
        Notice::Tuned(tuned) => ("tuning", json!({ "what": tuned.to_string() })),
        Notice::Silent { lane, waiting_for, seconds, state } => {
            ("silent", json!({ "lane": lane, "waiting_for": waiting_for, "seconds": seconds, "state": state }))
        }
        Notice::FewerLanes { lanes, reason } => ("lanes", json!({ "lanes": lanes, "reason": reason })),
        // Steps, and all other events.
        other => ("notice", json!({ "what": other.in_words(FrontEnd::Command) })),
    }
}
