//! Pipelines in tests: what is said, and what is heard of each step.
#![allow(dead_code)]

use inrush_core::error::{Error, Result};
use inrush_core::session::Statement;
use inrush_core::session::pipeline::{Bound, Command, Decision, Flight, NextCommand, Pipeline, Reply, Window};
use inrush_core::value::Value;
use inrush_core::wire::{BulkBody, ColumnDef, Row, StmtId};
use inrush_testkit::script::{Peer, Script};
use std::collections::VecDeque;

/// What a test sends.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Say {
    Query(&'static str),
    Execute(u32, i64),
    Prepare(&'static str),
    Learn(&'static str),
    Ask(&'static str, &'static [Value<'static>]),
    AskBound(&'static str, &'static [Value<'static>]),
    SendQuery(&'static str),
    SendBound(&'static str, &'static [Value<'static>]),
    SendBulk(&'static str, usize, &'static [u8]),
    Ping,
    Reset,
    ResetStatement(u32),
    Close(u32),
    Commit,
    Wait,
    Fail,
}

/// A flight of these commands; each step's reply as a text.
#[derive(Default)]
pub(crate) struct Talk {
    pub(crate) to_say: VecDeque<Say>,
    pub(crate) rows: String,
    pub(crate) heard: Vec<Result<String>>,
    /// The step whose reply is one too many.
    pub(crate) enough_at: Option<u64>,
}

impl Flight for &mut Talk {
    fn next(&mut self, next: NextCommand<'_>) -> Result<Decision> {
        match self.to_say.pop_front() {
            Some(Say::Query(sql)) => next.query(sql),
            Some(Say::Execute(id, value)) => next.execute_by_id(StmtId(id), &[Value::Int(value)]),
            Some(Say::Prepare(sql)) => next.prepare(&Statement::new(sql)?),
            Some(Say::Learn(sql)) => next.prepare_ahead(&Statement::new(sql)?),
            Some(Say::Ask(sql, values)) => next.execute(&Statement::new(sql)?, values),
            Some(Say::AskBound(sql, values)) => next.execute_bound(&Statement::new(sql)?, &Bound::new(values)),
            Some(Say::SendQuery(sql)) => next.send(&Command::Query(sql.into())),
            Some(Say::SendBound(sql, values)) => next.send(&Command::Execute(Statement::new(sql)?, Bound::new(values))),
            Some(Say::SendBulk(sql, n_params, bytes)) => {
                next.send(&Command::Bulk(Statement::new(sql)?, BulkBody { n_params, bytes: bytes.to_vec() }))
            }
            Some(Say::Ping) => next.ping(),
            Some(Say::Reset) => next.reset(),
            Some(Say::ResetStatement(id)) => next.reset_statement(StmtId(id)),
            Some(Say::Close(id)) => next.close(StmtId(id)),
            Some(Say::Commit) => next.commit(),
            Some(Say::Wait) => next.wait(),
            Some(Say::Fail) => Err(Error::data("the source failed")),
            None => next.end(),
        }
    }

    fn reply(&mut self, step: u64, reply: Result<Reply>) -> Result<()> {
        assert_eq!(step, self.heard.len() as u64);
        let rows = std::mem::take(&mut self.rows);
        self.heard.push(reply.map(|reply| match reply {
            Reply::Done(outcome) => format!("{rows}{}", outcome.affected),
            Reply::Prepared(statement) => format!("prepared {}", statement.sql()),
            Reply::Unanswered => "-".into(),
        }));
        match self.enough_at == Some(step) {
            true => Err(Error::data("enough")),
            false => Ok(()),
        }
    }

    fn columns(&mut self, _: u64, columns: &[ColumnDef]) -> Result<()> {
        self.rows += &format!("{} column: ", columns.len());
        Ok(())
    }

    fn row(&mut self, _: u64, row: Row<'_>) -> Result<()> {
        for value in row.values() {
            self.rows += &format!("{} ", value?);
        }
        Ok(())
    }
}

/// Says these with a window of the usual size; gives each step's reply.
pub(crate) fn say(to_say: &[Say]) -> impl Fn(&mut Peer) -> Result<Vec<Result<String>>> {
    say_with(to_say, Window::default(), false)
}

pub(crate) fn say_with(
    to_say: &[Say],
    window: Window,
    best_effort: bool,
) -> impl Fn(&mut Peer) -> Result<Vec<Result<String>>> {
    move |peer| {
        let mut talk = Talk { to_say: to_say.iter().copied().collect(), ..Talk::default() };
        peer.run(&mut Pipeline::new(&mut talk).with_window(window).best_effort(best_effort))??;
        Ok(talk.heard)
    }
}

pub(crate) fn narrow(n_commands: usize) -> Window {
    Window { n_commands, ..Window::default() }
}

/// Each step's reply is as wanted (`!` stands before an error's code), also under every fault and cut anywhere.
#[track_caller]
pub(crate) fn check(script: &Script, talk: impl Fn(&mut Peer) -> Result<Vec<Result<String>>>, want: &[&str]) {
    check_once(script, &talk, want);
    script.check_splits(|peer| talk(peer).map(texts));
    script.check_faults_of_steps(&talk);
}

#[track_caller]
pub(crate) fn check_once(script: &Script, talk: impl Fn(&mut Peer) -> Result<Vec<Result<String>>>, want: &[&str]) {
    script.check(|peer| talk(peer).map(texts), want.iter().map(|&text| text.into()).collect());
}

pub(crate) fn texts(heard: Vec<Result<String>>) -> Vec<String> {
    heard.into_iter().map(|step| step.unwrap_or_else(|e| format!("!{}", e.code()))).collect()
}
