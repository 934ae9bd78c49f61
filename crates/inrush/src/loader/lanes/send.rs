//! A chunk's rows on their way into the open transaction, by one method, and what the server's answers leave in doubt.

use super::flight::{Inserts, WINDOW};
use super::lane::{Lane, Undone, some_rows_stay};
use super::sent::Sent;
use crate::loader::control::lock;
use crate::loader::plan::modes;
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::read::payload::{Payload, Statement};
use crate::loader::read::prepare::PreparedChunk;
use inrush_core::load::encode::load_data::LoadText;
use inrush_core::load::modes::Counted;
use inrush_core::session::Pipeline;
use inrush_core::write::Method;
use inrush_core::write::answer::{self, AcceptedWarnings, Verdict};
use inrush_core::{Error, Result};

impl Lane<'_> {
    pub(crate) fn send(&mut self, chunk: &PreparedChunk) -> Result<Sent> {
        if chunk.n_rows() == 0 {
            // An empty content packet would end a LOAD, and VALUES without rows is no SQL.
            return Ok(Sent::All { counted: Counted::default(), noted: Vec::new() });
        }
        let method = chunk.payload.method();
        modes::ready(&mut self.connection, &mut self.staged, &chunk.plan, method)?;
        let sent = self.fill(chunk)?;
        match (chunk.plan.writing.stage(method), sent) {
            (Some(stage), Sent::All { mut noted, .. }) => {
                self.waits(Some(chunk.plan.writing.mode.name()));
                match modes::apply(&mut self.connection, &chunk.plan, stage, chunk.n_rows()) {
                    Ok((counted, more)) => {
                        noted.extend(more);
                        Ok(Sent::All { counted, noted })
                    }
                    Err(e) if answer::is_row_fault(&e) => Ok(Sent::InDoubt { warnings: Vec::new() }),
                    Err(e) => Err(e),
                }
            }
            (_, sent) => Ok(sent),
        }
    }

    /// Sends the rows to the table, or to the stage before it.
    fn fill(&mut self, chunk: &PreparedChunk) -> Result<Sent> {
        match &chunk.payload {
            Payload::LoadData(text) => self.load(chunk, LoadText::encoded(text)),
            Payload::PassThrough { separators, is_ascii } => {
                let text = LoadText { text: &chunk.origin().text, is_ascii: *is_ascii, separators: *separators };
                self.load(chunk, text)
            }
            Payload::MultiRow { statements, .. } => {
                self.waits(Some("INSERT"));
                let inserted = match self.one_by_one {
                    true => self.insert_one_by_one(chunk, statements),
                    false => self.insert_in_flight(chunk, statements),
                };
                inserted.or_else(|error| self.not_stored(chunk.payload.method(), error))
            }
        }
    }

    fn load(&mut self, chunk: &PreparedChunk, text: LoadText<'_>) -> Result<Sent> {
        let SourcePlan { writing, .. } = &*chunk.plan;
        self.waits(Some("LOAD DATA"));
        match self.connection.load_local(|name| chunk.plan.load_statement(text, name), text.text) {
            Ok(outcome) => {
                let counts = crate::loader::sql::load_counts(&outcome)?;
                let all = || Sent::All { counted: writing.count_load(counts), noted: Vec::new() };
                match writing.compare_counts(chunk.n_rows(), counts) {
                    Verdict::Clean => Ok(all()),
                    Verdict::Doubt => Ok(Sent::InDoubt { warnings: Vec::new() }),
                    Verdict::Warned => {
                        let warnings = self.warnings()?;
                        let known = match chunk.plan.plan.computed.is_empty() {
                            true => writing.accepts(&warnings, counts, &lock(&self.target.accepted_warnings)),
                            // What is computed was not checked: the same warning can be harmless in one row, and harm in the next.
                            false => writing.accepts(&warnings, counts, &AcceptedWarnings::default()),
                        };
                        Ok(if known { all() } else { Sent::InDoubt { warnings } })
                    }
                }
            }
            Err(error) => self.not_stored(Method::LoadData, error),
        }
    }

    /// What an error in answer to rows means: another method, a row that is searched for, or an error of the chunk.
    fn not_stored(&self, method: Method, error: Error) -> Result<Sent> {
        if lock(&self.target.chooser).falls_back(method, &error) {
            return Ok(Sent::Refused(error));
        }
        match method {
            _ if answer::is_row_fault(&error) => Ok(Sent::InDoubt { warnings: Vec::new() }),
            Method::LoadData if method.is_refused_by(&error) => Err(error
                .with_hint("`--method auto` takes the next best way; `SET GLOBAL local_infile = 1` allows this one")),
            _ => Err(error),
        }
    }

    /// The server reports the warnings of its last statement only. So a chunk with warnings is undone, and from then on statements
    /// are sent one by one.
    fn insert_in_flight(&mut self, chunk: &PreparedChunk, statements: &[Statement]) -> Result<Sent> {
        let window = self.target.load.control.window(&self.target.config, statements.len())?;
        let window = if window.n_commands > 1 { WINDOW } else { window };
        let (target, number) = (self.target, self.number);
        let on_answer = || target.load.control.waits(number, Some("INSERT"));
        let mut inserts = Inserts::new(statements, &chunk.plan, chunk.payload.method(), on_answer);
        self.connection.run(Pipeline::new(&mut inserts).with_window(window))??;
        if !inserts.has_warned {
            return Ok(Sent::All { counted: inserts.counted, noted: Vec::new() });
        }
        self.one_by_one = true;
        if let Undone::NotAll = self.roll_back()? {
            return Err(some_rows_stay("the server warned of rows").outcome_unknown());
        }
        self.insert_one_by_one(chunk, statements)
    }

    fn insert_one_by_one(&mut self, chunk: &PreparedChunk, statements: &[Statement]) -> Result<Sent> {
        let (mut counted, mut noted) = (Counted::default(), Vec::new());
        for statement in statements {
            self.waits(Some("INSERT"));
            let mut inserts = Inserts::new(std::slice::from_ref(statement), &chunk.plan, chunk.payload.method(), || ());
            self.connection.run(Pipeline::new(&mut inserts))??;
            counted += inserts.counted;
            if inserts.has_warned {
                noted.extend(self.warnings()?);
            }
        }
        Ok(Sent::All { counted, noted })
    }
}
