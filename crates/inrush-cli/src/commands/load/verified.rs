//! `--verify`: the last step of a load compares its files with the table. What it finds is part of the report; it undoes nothing.

use super::args::LoadArgs;
use super::compared::{FilesVerified, Request, verify as verify_files};
use super::interrupt::Watch;
use crate::commands::differences::Sink;
use crate::connection::hint_at_login;
use crate::{Output, exit};
use inrush::blocking::Connection;
use inrush::table::TableName;
use inrush::{Config, VerifyOptions};
use inrush_core::Result;
use serde_json::{Value, json};

/// How the comparison ended, and the differences that are shown.
pub(super) struct Outcome {
    done: Result<FilesVerified>,
    sink: Option<Sink>,
}

/// Compares the files of a load that is done with its table.
pub(super) fn verify(args: &LoadArgs, config: &Config, signals: &Watch, output: &Output) -> Outcome {
    let mut sink = None;
    let done = compare(args, config, &mut sink, signals, output)
        .map_err(|error| hint_at_login(error).while_doing("comparing the files with the table"));
    Outcome { done, sink }
}

fn compare(
    args: &LoadArgs,
    config: &Config,
    kept: &mut Option<Sink>,
    signals: &Watch,
    output: &Output,
) -> Result<FilesVerified> {
    let sink = kept.insert(Sink::new(None, SHOWN, (config, &TableName::parse(args.into())?))?);
    let fills_alone = args.fills_alone();
    // A table without a key may have held the same rows before.
    let options = VerifyOptions::new();
    let has_nulls = args.makes_rows_anew()? && !has_insert_triggers(config, args.into())?;
    let request = Request { load: args, rows: None, subset: !fills_alone, once: fills_alone, has_nulls, options };
    // Its notices about the files were printed by the load.
    verify_files(&request, config, sink, signals, &output.clone().without_notices())
}

/// Whether a trigger may fill columns that the files lack. An account that may not see triggers sees none.
fn has_insert_triggers(config: &Config, into: &str) -> Result<bool> {
    let table = TableName::parse(into)?.in_schema(config.database())?;
    let count = "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE EVENT_MANIPULATION = 'INSERT' \
                 AND EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ?";
    let count = Connection::connect(config)?.query_one::<i64>(count, (&table.schema, &table.name))?;
    Ok(count > 0)
}

/// Differences with their values.
const SHOWN: usize = 20;

impl Outcome {
    pub(super) fn code(&self) -> u8 {
        self.done.as_ref().map_or_else(exit::code_of, FilesVerified::code)
    }

    /// `None`: it failed, see [`Outcome::explain`].
    pub(super) fn as_text(&self) -> Option<String> {
        let (done, sink) = self.done.as_ref().ok().zip(self.sink.as_ref())?;
        Some(done.as_text(sink))
    }

    pub(super) fn as_json(&self) -> Value {
        match (&self.done, &self.sink) {
            (Ok(done), Some(sink)) => done.as_json(sink),
            (Ok(_), None) => Value::Null,
            (Err(error), _) => json!({
                "equal": null,
                "error": { "message": error.to_string(), "hint": error.hint(), "code": error.code() },
            }),
        }
    }

    /// Prints why it came to no result.
    pub(super) fn explain(&self, output: &Output) {
        match &self.done {
            Ok(done) => done.explain(output),
            Err(error) => output.error(&exit::explain(error)),
        }
    }
}
