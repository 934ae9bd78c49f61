//! A statement with values, by the connection's cache of prepared statements: executed at once if it is in there, prepared
//! first if not.
//!
//! ```text
//! known       (long data ..) EXECUTE -> results
//! new         PREPARE -> its answer; (CLOSE of the one that goes) (long data ..) EXECUTE -> results
//! ```

use crate::error::{Error, Result};
use crate::session::cache::{Entry, Execution};
use crate::session::fetch::{Leaves, Opens, SavedEvent, Stream};
use crate::session::prepare::Prepare;
use crate::session::reply;
use crate::session::results::{Results, Sink};
use crate::session::{Conversation, Effect, Outcome, Session, Step};
use crate::value::Value;
use crate::wire::{Outbox, RowFormat, StmtId, stmt};

/// One execution by the cache. Its output is the last result's outcome; rows go to the sink.
///
/// The output is itself a result: a wrong number of values can only be found once the server has parsed the statement, and
/// costs neither the statement nor the connection.
pub struct CachedExecute<'a, S: Sink> {
    sql: &'a [u8],
    params: &'a [Value<'a>],
    sink: &'a mut S,
    state: State<'a>,
    results: Results,
    has_begun: bool,
}

enum State<'a> {
    Start,
    ExpectPrepared(Prepare<'a>),
    /// Parts of long values are being sent.
    LongData {
        slot: usize,
        param: usize,
        sent: usize,
    },
    ExpectResults(Execution),
}

impl<'a, S: Sink> CachedExecute<'a, S> {
    /// The statement's text has `?` for each value.
    pub fn new(sql: &'a (impl AsRef<[u8]> + ?Sized), params: &'a [Value<'a>], sink: &'a mut S) -> Self {
        let results = Results::new(RowFormat::Binary);
        Self { sql: sql.as_ref(), params, sink, state: State::Start, results, has_begun: false }
    }

    fn execute(&mut self, slot: usize, session: &mut Session, out: &mut Outbox) -> Result<Step<Result<Outcome>>> {
        let entry = session.statements.get(slot);
        if self.params.len() != usize::from(entry.prepared.n_params) {
            let message = format!("the statement takes {} values, not {}", entry.prepared.n_params, self.params.len());
            return Ok(Step::Done(Err(Error::config(message))));
        }
        if let Err(error) = stmt::check(self.params) {
            return Ok(Step::Done(Err(error)));
        }
        self.state = State::LongData { slot, param: 0, sent: 0 };
        self.go_on(session, out);
        Ok(Step::More)
    }

    /// Appends the next part of a long value, or the execution if there is none left.
    fn go_on(&mut self, session: &mut Session, out: &mut Outbox) {
        let State::LongData { slot, mut param, mut sent } = self.state else { return };
        let entry = session.statements.get_mut(slot);
        let id = entry.prepared.id;
        while let Some(value) = self.params.get(param) {
            if let Some(bytes) = value.as_bytes().filter(|_| is_long(value))
                && sent < bytes.len()
            {
                let end = bytes.len().min(sent + LONG_PART);
                // As many parameters as a statement can have fit.
                out.command(|out| stmt::long_data(out, id, param as u16, &bytes[sent..end]));
                self.state = State::LongData { slot, param, sent: end };
                return;
            }
            (param, sent) = (param + 1, 0);
        }
        send_execute(id, self.params, entry, out);
        self.state = State::ExpectResults(entry.execution(slot, self.params.iter().any(is_long)));
        session.executes(slot);
    }
}

/// Appends the execution, with its types if the server knows others.
fn send_execute(id: StmtId, params: &[Value<'_>], entry: &mut Entry, out: &mut Outbox) {
    let is_known = entry.learn_types(params);
    out.command(|out| stmt::execute(out, id, params, (!is_known).then_some(entry.sent_types().0), is_long));
}

impl Opens for CachedExecute<'_, SavedEvent> {
    fn has_results(&self) -> bool {
        self.has_begun
    }

    fn take_stream(&mut self, session: &Session) -> Stream {
        Stream::new(&mut self.results, self.sink, Effect::of(self.sql, session.dialect()))
    }
}

impl<S: Sink> Leaves for CachedExecute<'_, S> {
    type Sink = S;

    fn sink(&self) -> &S {
        self.sink
    }

    fn leave(&mut self, session: &Session) -> Stream {
        Stream::new(&mut self.results, &mut SavedEvent::default(), Effect::of(self.sql, session.dialect()))
    }
}

impl<S: Sink> Conversation for CachedExecute<'_, S> {
    type Output = Result<Outcome>;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        match &mut self.state {
            State::Start => match session.statements.find(self.sql) {
                Some(slot) if !session.statements.bends(slot, self.params, session.profile.keeps_param_types) => {
                    return self.execute(slot, session, out);
                }
                _ => {
                    let mut prepare = Prepare::new(self.sql);
                    prepare.send(session, out)?;
                    self.state = State::ExpectPrepared(prepare);
                }
            },
            State::LongData { .. } => self.go_on(session, out),
            State::ExpectPrepared(_) | State::ExpectResults(_) => {}
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        match &mut self.state {
            State::ExpectPrepared(prepare) => match prepare.receive(packet, session, out)? {
                Step::Done(prepared) => {
                    let (slot, gone) = session.statements.insert(self.sql, prepared);
                    if let Some(gone) = gone {
                        out.command(|out| stmt::close(out, gone));
                    }
                    self.execute(slot, session, out)
                }
                _ => Ok(Step::More),
            },
            State::ExpectResults(execution) => {
                let execution = *execution;
                let step = self.results.receive(packet, session, self.sink);
                if let Ok(Step::Done(_)) = step {
                    session.ran(self.sql);
                }
                if step.is_err() {
                    session.statements.failed(execution, false);
                } else if !self.has_begun {
                    session.statements.took(execution);
                }
                self.has_begun = true;
                Ok(match step? {
                    Step::Done(outcome) => Step::Done(Ok(outcome)),
                    Step::More | Step::StartTls => Step::More,
                })
            }
            State::Start | State::LongData { .. } => Err(reply::unexpected(packet, session).fatal()),
        }
    }

    /// The long data before the execution changes nothing.
    fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
        matches!(self.state, State::ExpectResults(_))
            && out.has_sent_command()
            && Effect::of(self.sql, session.dialect()).may_be_stored(session)
    }
}

/// Whether a value is sent ahead of its execution, in parts.
pub(crate) fn is_long(value: &Value<'_>) -> bool {
    value.as_bytes().is_some_and(|bytes| bytes.len() > LONG)
}

/// A packet beyond the server's `max_allowed_packet` costs the connection, so long values travel in parts. These are smaller than
/// any realistic limit of a server. Not much smaller: each part is copied into the outbox.
pub(crate) const LONG: usize = 256 * 1024;
pub(crate) const LONG_PART: usize = LONG;
