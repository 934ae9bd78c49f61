//! `--events FILE`: the events of a load, a JSON object a line (version 1: docs/events.md). Every line is complete and flushed, so that
//! readers that follow the file never get a partial line; existing lines stay.

use super::exit::code_of;
use super::report::as_json;
use crate::{FrontEnd, LoadEvent};
use inrush_core::load::report::Report;
use inrush_core::printable::printable_json;
use inrush_core::{Error, Result};
use serde_json::{Value, json};
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// Where events go; clones write to the same place.
#[derive(Clone, Default)]
pub struct Events(Option<Take>);

/// Takes a line, from any thread.
type Take = Arc<dyn Fn(&str) + Send + Sync>;

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events").field("are_written", &self.0.is_some()).finish()
    }
}

impl Events {
    /// Appends to `file`, or goes nowhere.
    ///
    /// # Errors
    /// `Config` for a file that cannot be written.
    pub fn open(file: Option<&Path>) -> Result<Self> {
        let Some(path) = file else { return Ok(Self(None)) };
        // It may contain values of rows, so it is readable for the owner only, like a reject file.
        let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path);
        let file = Mutex::new(file.map_err(|e| {
            Error::config(format!("cannot write `{}`: {e}", path.display())).with_hint("see `--events`")
        })?);
        // A disk that is full must not end a load; the report does not depend on this file.
        let append = |file: &mut File, line: &str| drop(file.write_all(line.as_bytes()));
        Ok(Self::to(move |line| append(&mut file.lock().unwrap_or_else(PoisonError::into_inner), line)))
    }

    /// Calls `take` with each line, from any thread; a line ends with a line feed.
    pub fn to(take: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(take)))
    }

    /// Writes one event: `fields` is an object.
    pub fn write(&self, event: &str, fields: Value) {
        let Some(take) = &self.0 else { return };
        let mut line = json!({ "event": event, "version": VERSION, "at": jiff::Timestamp::now().to_string() });
        if let (Some(line), Value::Object(fields)) = (line.as_object_mut(), fields) {
            line.extend(fields);
        }
        take(&printable_json(&format!("{line}\n")));
    }

    /// Writes an event of the loader.
    pub fn write_event(&self, event: &LoadEvent) {
        if self.0.is_some() {
            let (name, fields) = described(event);
            self.write(name, fields);
        }
    }

    /// Writes the end: the report, or why nothing was sent.
    pub fn write_end(&self, end: &Result<Report>) {
        match end {
            Ok(report) => self.write("summary", as_json(report)),
            Err(error) => {
                self.write("failure", json!({ "message": error.to_string(), "exit_code": code_of(error) }));
            }
        }
    }
}

const VERSION: u32 = 1;

/// The name and the fields of an event.
fn described(event: &LoadEvent) -> (&'static str, Value) {
    match event {
        LoadEvent::Method(choice) => ("method", json!({ "name": choice.method.name(), "reason": choice.reason })),
        LoadEvent::Sorts { columns, reason, bytes } => {
            ("sort", json!({ "state": "begun", "columns": columns, "reason": reason, "bytes": bytes }))
        }
        LoadEvent::Sorted(sort) => (
            "sort",
            json!({
                "state": "done", "columns": sort.columns, "records": sort.records, "runs": sort.runs,
                "temporary_bytes": sort.bytes, "seconds": sort.elapsed.as_secs_f64(),
            }),
        ),
        LoadEvent::TempDir { folder, on } => ("temp_dir", json!({ "folder": folder.to_string_lossy(), "on": on })),
        LoadEvent::ServerSorts { bytes } => ("sort", json!({ "state": "left to the server", "server_bytes": bytes })),
        LoadEvent::AlreadyLoaded { source, on } => {
            ("job", json!({ "source": &**source, "state": "already loaded", "on": on }))
        }
        LoadEvent::AlreadyUndone { source, on } => {
            ("job", json!({ "source": &**source, "state": "already undone", "on": on }))
        }
        LoadEvent::Resumed { source, job, rows, chunks } => (
            "job",
            json!({ "source": &**source, "state": "resumed", "job": job.to_string(), "rows": rows, "chunks": chunks }),
        ),
        LoadEvent::Stored(chunk) => (
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
        LoadEvent::Rejected(reject) => (
            "reject",
            json!({
                "source": reject.place.source.to_string(),
                "line": reject.place.line,
                "column": reject.place.column.as_deref(),
                "code": reject.code,
                "reason": reject.reason,
            }),
        ),
        LoadEvent::Retry { lane, place, code, message, pause } => (
            "retry",
            json!({
                "lane": lane, "source": place.source.to_string(), "line": place.line, "code": code, "message": message,
                "pause_seconds": pause.as_secs_f64(),
            }),
        ),
        LoadEvent::RetryStep { what, code, message, pause } => {
            ("retry", json!({ "what": what, "code": code, "message": message, "pause_seconds": pause.as_secs_f64() }))
        }
        LoadEvent::Tuned(tuned) => ("tuning", json!({ "what": tuned.to_string() })),
        LoadEvent::Silent { lane, waiting_for, seconds, state } => {
            ("silent", json!({ "lane": lane, "waiting_for": waiting_for, "seconds": seconds, "state": state }))
        }
        LoadEvent::Yields { reason } => ("throttle", json!({ "waits": true, "reason": reason })),
        LoadEvent::Yielded { times, waited, reason } => (
            "throttle",
            json!({ "waits": false, "times": times, "waited_seconds": waited.as_secs_f64(), "reason": reason }),
        ),
        LoadEvent::Continues { waited } => {
            ("throttle", json!({ "waits": false, "waited_seconds": waited.as_secs_f64() }))
        }
        LoadEvent::FewerLanes { lanes, reason } => ("lanes", json!({ "lanes": lanes, "reason": reason })),
        // Steps, and all other events.
        other => ("notice", json!({ "what": other.in_words(FrontEnd::Command) })),
    }
}
