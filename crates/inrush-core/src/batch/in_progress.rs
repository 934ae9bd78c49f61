//! A batch from its start to its end: which attempt comes next, and what it means for the rows.

use super::as_files::Load;
use super::attempt::{Attempt, Mode, ResultDetail};
use super::choose::{BatchFacts, Reported, Scope, choose, reported};
use super::options::{BatchOptions, OnBadRow};
use super::report::{BatchReport, Counters};
use crate::column::Rules;
use crate::convert::BoundRows;
use crate::error::{Error, Result};
use crate::session::Statement;
use crate::write::answer::is_row_fault;
use crate::write::load_data::LoadData;
use crate::write::template::{Kind, Template};
use crate::write::{Chooser, Limits, Method, RowsPerCommand, Table, Writer, writer};

/// A batch that is being written.
pub struct Batch<'a> {
    statement: &'a Statement,
    template: &'a Template,
    rows: &'a dyn BoundRows,
    options: &'a BatchOptions,
    facts: BatchFacts<'a>,
    session: WriterSession<'a>,
    chooser: Chooser,
    reported: Reported,
    /// The statement with the clause by which the ids are returned.
    returning: Option<Statement>,
    /// Why everything is written again, strictly.
    strict: Option<String>,
}

/// What writers must know of the session.
#[derive(Clone, Copy, Debug)]
pub struct WriterSession<'a> {
    /// The server's `max_allowed_packet`.
    pub max_packet: usize,
    /// Whether a backslash escapes in string literals.
    pub backslash_escapes: bool,
    /// What holds for all columns.
    pub rules: &'a Rules,
}

/// What to do next.
pub enum Try<'a> {
    /// Run this flight in this scope.
    Fly(Attempt<'a>, Scope),
    /// Send these files by LOAD DATA LOCAL, in this scope.
    Load(Load<'a>, Scope),
}

impl<'a> Batch<'a> {
    /// # Errors
    /// Those of [`choose`].
    pub fn new(
        statement: &'a Statement,
        template: &'a Template,
        rows: &'a dyn BoundRows,
        options: &'a BatchOptions,
        facts: BatchFacts<'a>,
        session: WriterSession<'a>,
    ) -> Result<Self> {
        let chooser = choose(statement, template, rows.n_rows(), options, &facts)?;
        let reported = reported(chooser.choice().method, template, options, &facts);
        let (returning, strict) = (None, None);
        let mut this =
            Self { statement, template, rows, options, facts, session, chooser, reported, returning, strict };
        this.ask_for_ids()?;
        Ok(this)
    }

    /// The next attempt.
    ///
    /// # Errors
    /// `Config` for a statement that the method cannot repeat; those of the rows.
    pub fn attempt(&mut self) -> Result<Try<'_>> {
        let this = &*self;
        if !this.is_strict() && this.method().rows_per_command() == RowsPerCommand::File {
            let columns = this.facts.table.map_or(&[][..], |table| &table.columns);
            let text = LoadData::new(this.statement, this.template, columns)?;
            return Ok(Try::Load(Load::new(text, this.rows), Scope::of(false, &this.facts)));
        }
        let statement = this.returning.as_ref().unwrap_or(this.statement);
        let attempt = Attempt::new(this.rows, statement, this.writer(statement)?, this.reported.detail, this.mode());
        let mut attempt = attempt.one_at_a_time(this.method().waits_for_replies());
        let is_one = attempt.is_one()? && !this.leaves_rows();
        let scope = Scope::of(is_one && !this.is_strict(), &this.facts);
        Ok(Try::Fly(attempt, scope))
    }

    /// The report of no rows at all.
    pub fn nothing(&self) -> Option<BatchReport> {
        (self.rows.n_rows() == 0).then(|| self.report(Counters::default()))
    }

    /// Handles the outcome of an attempt; if it failed, what it had done is undone. `None`: there is another attempt.
    ///
    /// `in_doubt`: every command succeeded, but the answers do not confirm that all rows are stored.
    pub fn ended(&mut self, end: Result<Counters>, in_doubt: bool) -> Option<Result<BatchReport>> {
        let error = match end {
            Ok(counters) => return Some(Ok(self.report(counters))),
            Err(error) => error,
        };
        if self.is_strict() || error.is_fatal() || error.is_outcome_unknown() {
            return Some(Err(self.explained(error)));
        }
        let can_skip = self.options.on_bad_row == OnBadRow::Skip;
        if in_doubt || (is_row_fault(&error) && (error.row().is_none() || can_skip)) {
            self.strict = Some(error.message().to_owned());
            return None;
        }
        let method = self.method();
        if self.chooser.falls_back(method, &error) && self.chooser.refuse(method, &error).is_ok() {
            self.reported = reported(self.method(), self.template, self.options, &self.facts);
            if self.ask_for_ids().is_ok() {
                return None;
            }
        }
        Some(Err(self.explained(error)))
    }

    /// Whether to switch autocommit off, so that commands that follow a deadlock are not committed by themselves. That is worth
    /// it only where each row is a command of its own.
    pub fn wants_autocommit_off(&self) -> bool {
        let method = self.method();
        let is_flight = method.rows_per_command() == RowsPerCommand::Single && !method.waits_for_replies();
        self.facts.autocommit && !self.is_strict() && is_flight
    }

    fn method(&self) -> Method {
        self.chooser.choice().method
    }

    /// Whether a command that fails leaves some of its rows, so that they must not be sent again with the others: MariaDB's bulk
    /// command of an UPDATE or a DELETE, which runs as many statements, and any statement on a table whose rows are on other servers.
    fn leaves_rows(&self) -> bool {
        let is_many = self.method().leaves_rows() && !matches!(self.template.kind, Kind::Insert | Kind::Replace);
        is_many || self.facts.table.is_some_and(Table::is_elsewhere)
    }

    fn is_strict(&self) -> bool {
        self.strict.is_some()
    }

    fn ask_for_ids(&mut self) -> Result<()> {
        self.returning = match &self.reported.returning {
            None => None,
            Some(clause) => {
                let sql = self.statement.sql();
                let (sql, rest) = sql.split_at(self.template.end().unwrap_or(sql.len()));
                Some(Statement::new(&format!("{sql}{clause}{rest}"))?)
            }
        };
        Ok(())
    }

    fn mode(&self) -> Mode {
        match (self.is_strict(), self.options.on_bad_row, self.reported.detail) {
            (true, OnBadRow::Stop, _) => Mode::StrictStop,
            (true, OnBadRow::Skip, _) => Mode::StrictSkip,
            (false, OnBadRow::Skip, ResultDetail::EachReply) => Mode::EachAlone,
            (false, _, _) => Mode::Quick,
        }
    }

    /// What makes the commands. `None`: each row is an execution.
    fn writer(&self, statement: &Statement) -> Result<Option<Box<dyn Writer>>> {
        let method = match self.method() {
            _ if self.is_strict() && self.leaves_rows() => return Ok(None),
            // The same rows as statements.
            method if self.is_strict() && method.rows_per_command() == RowsPerCommand::File => Method::MultiRow,
            method => method,
        };
        let WriterSession { max_packet, backslash_escapes, rules } = self.session;
        let limits = |by_default: Limits| match (self.options.bytes, self.options.rows.unwrap_or(usize::MAX)) {
            (None, rows) => Limits { rows, ..by_default },
            (Some(bytes), rows) => Limits { rows, ..Limits::new(bytes, max_packet) },
        };
        let unit_results = self.reported.detail == ResultDetail::UnitResults;
        let sizes = (rules.profile.statement_bytes, max_packet);
        writer(method, statement, limits, sizes, (backslash_escapes, unit_results))
    }

    fn report(&self, counters: Counters) -> BatchReport {
        let reason = &self.chooser.choice().reason;
        let has_each = matches!(self.reported.detail, ResultDetail::EachReply | ResultDetail::UnitResults);
        let reason = match &self.strict {
            None => reason.clone(),
            Some(why) => format!("{reason}; written a second time, strictly, because of `{why}`"),
        };
        BatchReport {
            method: self.method(),
            reason,
            n_rows: counters.n_rows,
            affected: counters.affected,
            warnings: counters.warnings,
            ids: Some(counters.ids).filter(|ids| !ids.has_none()),
            affected_each: has_each.then_some(counters.affected_each),
            bad_rows: counters.bad_rows,
        }
    }

    /// Adds the outcome of the other rows to the error that the caller gets.
    fn explained(&self, error: Error) -> Error {
        match error.hint() {
            None if error.row().is_some() && is_row_fault(&error) && self.options.on_bad_row == OnBadRow::Stop => {
                error.with_hint("nothing of the batch is stored; `OnBadRow::Skip` stores the other rows")
            }
            _ => error,
        }
    }
}
