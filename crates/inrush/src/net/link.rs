//! One connection without its waiting: a channel of the core (which may compress), and TLS around it or not.
//!
//! A shell waits until its socket is ready for [`Link::interest`], then calls [`Link::fill_from`] and [`Link::write_some_to`],
//! which move what can be moved and never wait. Invariant: after a fatal error the session is dead.

use crate::net::Ready;
use crate::nonblocking::{read_once, write_once};
use crate::{Config, Error, Kind, Reason, Result, tls};
use inrush_core::session::fetch::{Leaves, Opens};
use inrush_core::session::{Channel, Conversation, Drain, Event, Fetch, Step, Stream, Transport, simple};
use inrush_core::wire::{ColumnDef, Row};
use std::io::{self, Read, Write};

/// How far an exchange went.
#[derive(Debug)]
pub(crate) enum Progress<T> {
    /// It is complete.
    Done(T),
    /// More bytes must move first.
    Wait,
}

/// One connection without its socket.
pub(crate) struct Link {
    pub(crate) channel: Channel,
    /// Results that a caller was reading row by row.
    stream: Option<Stream>,
    tls: Option<Box<tls::TlsSession>>,
    /// The server that was taken of several, for errors.
    host: Option<String>,
    /// Whether the replies of a pipeline have come fast lately, so that it is worth waiting for several of them.
    pub(crate) is_flowing: bool,
    /// The first failure to write. What the server said before it closed may still be on its way to us.
    broken: Option<io::Error>,
    /// Bytes that moved since the last progress, and the number of packets at that time.
    n_moved: usize,
    n_packets: u64,
}

impl Link {
    pub(crate) fn new(config: &Config) -> Self {
        let transport = if config.socket.is_some() { Transport::Unix } else { Transport::Tcp };
        let mut channel = Channel::new(transport, config.max_packet);
        channel.session.statements_mut().set_capacity(config.statement_cache);
        Self {
            channel,
            stream: None,
            tls: None,
            host: config.taken_host(),
            is_flowing: false,
            broken: None,
            n_moved: 0,
            n_packets: 0,
        }
    }

    /// Continues the conversation as far as the bytes that have arrived allow.
    pub(crate) fn advance<C: Conversation>(
        &mut self,
        conversation: &mut C,
        config: &Config,
    ) -> Result<Progress<C::Output>> {
        if self.tls.as_ref().is_some_and(|tls| tls.is_handshaking()) {
            return Ok(Progress::Wait);
        }
        match self.channel.advance(conversation)? {
            Step::Done(output) => Ok(Progress::Done(output)),
            Step::More => Ok(Progress::Wait),
            Step::StartTls => {
                self.tls = Some(Box::new(tls::TlsSession::new(config)?));
                self.channel.session.set_transport(Transport::Tls);
                Ok(Progress::Wait)
            }
        }
    }

    /// Continues a statement until the first packet of its results was taken. Returns its outcome if it is over with that; otherwise
    /// `None`, and then [`Link::fetch`] reads on.
    pub(crate) fn open<O: Opens>(&mut self, statement: &mut O) -> Result<Progress<Option<O::Output>>> {
        loop {
            let (step, has_moved) = self.channel.advance_one(statement)?;
            match step {
                Step::Done(output) => return Ok(Progress::Done(Some(output))),
                _ if statement.has_results() => {
                    self.stream = Some(statement.take_stream(&self.channel.session));
                    return Ok(Progress::Done(None));
                }
                _ if has_moved => {}
                _ => return Ok(Progress::Wait),
            }
        }
    }

    /// Continues a statement until it is over. `None`: what arrived so far is enough, and the rest is the stream that the next command
    /// drains.
    pub(crate) fn advance_or_leave<C: Leaves>(
        &mut self,
        statement: &mut C,
        config: &Config,
        is_enough: impl FnOnce(&C::Sink) -> bool,
    ) -> Result<Progress<Option<C::Output>>> {
        Ok(match self.advance(statement, config)? {
            Progress::Done(output) => Progress::Done(Some(output)),
            Progress::Wait if is_enough(statement.sink()) => {
                self.stream = Some(statement.leave(&self.channel.session));
                Progress::Done(None)
            }
            Progress::Wait => Progress::Wait,
        })
    }

    /// The next event of the stream; `None` after the last one. A row is in [`Link::row`] then.
    pub(crate) fn fetch(&mut self) -> Result<Progress<Option<Event>>> {
        let Some(stream) = &mut self.stream else { return Ok(Progress::Done(None)) };
        loop {
            match stream.take_event() {
                Event::Nothing => {}
                event => return Ok(Progress::Done(Some(event))),
            }
            let (step, has_moved) = self.channel.advance_one(&mut Fetch(stream))?;
            match step {
                Step::Done(outcome) => {
                    self.stream = None;
                    return Ok(Progress::Done(Some(Event::End(outcome))));
                }
                _ if has_moved => {}
                _ => return Ok(Progress::Wait),
            }
        }
    }

    /// The row of the last [`Link::fetch`].
    pub(crate) fn row(&self) -> Option<Row<'_>> {
        let stream = self.stream.as_ref()?;
        let row = Row::new(stream.columns(), self.channel.inbox.last_packet(), stream.format());
        Some(row.in_zone(self.channel.session.zone()))
    }

    /// The columns of the result set that the stream is in.
    pub(crate) fn columns(&self) -> Vec<ColumnDef> {
        self.stream.as_ref().map(|stream| stream.columns().to_vec()).unwrap_or_default()
    }

    /// Drops what is left of a stream that failed.
    pub(crate) fn forget_stream(&mut self) {
        self.stream = None;
    }

    /// Whether a caller stopped in the middle of results.
    pub(crate) fn has_stream(&self) -> bool {
        self.stream.is_some()
    }

    /// Reads the rest of the stream and drops it.
    pub(crate) fn drain(&mut self, _config: &Config) -> Result<Progress<()>> {
        let Some(stream) = &mut self.stream else { return Ok(Progress::Done(())) };
        match self.channel.advance(&mut Drain(stream)) {
            Ok(Step::Done(_)) => {
                self.stream = None;
                Ok(Progress::Done(()))
            }
            Ok(_) => Ok(Progress::Wait),
            Err(error) => {
                self.stream = None;
                Err(error)
            }
        }
    }

    /// The same without waiting: reads what has arrived, up to a limit.
    pub(crate) fn drain_what_is_there(&mut self, socket: &mut impl Read, config: &Config) {
        for _ in 0..READS_TO_DRAIN {
            if !self.has_stream() {
                return;
            }
            match self.drain(config) {
                Ok(Progress::Done(())) => {}
                Ok(Progress::Wait) => match self.fill_from(socket) {
                    Ok(true) => {}
                    _ => return,
                },
                Err(error) => drop(self.fail(error)),
            }
        }
    }

    /// What must become possible on the socket before the next step.
    pub(crate) fn interest(&self) -> Ready {
        Ready { read: true, write: self.has_unsent() && self.broken.is_none() }
    }

    /// Whether something waits to be written.
    pub(crate) fn has_unsent(&self) -> bool {
        self.channel.has_unsent() || self.tls.as_ref().is_some_and(|tls| tls.wants_write())
    }

    /// How many bytes are sure to arrive before there is anything to do but read them; 0 if that is unknown.
    pub(crate) fn least_to_come(&self) -> usize {
        if self.tls.is_some() { 0 } else { self.channel.least_to_come() }
    }

    /// Whether the exchange has made progress since the last call: a packet arrived whole, [`PROGRESS`] bytes moved, or the last byte
    /// was sent. A byte now and then is no progress: otherwise a server could hold us for ever.
    pub(crate) fn has_come_on(&mut self) -> bool {
        let n_packets = self.channel.n_packets();
        let has_come_on = n_packets != self.n_packets || self.n_moved >= PROGRESS;
        if has_come_on {
            (self.n_packets, self.n_moved) = (n_packets, 0);
        }
        has_come_on
    }

    /// Reads once. `Ok(false)`: nothing has arrived.
    pub(crate) fn fill_from(&mut self, socket: &mut impl Read) -> Result<bool> {
        let space = match &mut self.tls {
            Some(tls) => tls.space(),
            None => self.channel.space(),
        };
        let n = match read_once(socket, space) {
            Ok(None) => return Ok(false),
            Ok(Some(n)) if n > 0 => n,
            end => return Err(self.closed(end.err())),
        };
        self.n_moved = self.n_moved.saturating_add(n);
        match &mut self.tls {
            Some(tls) => tls.decrypt(n, &mut self.channel)?,
            None => self.channel.filled(n),
        }
        Ok(true)
    }

    /// Writes once. `Ok(false)`: the socket takes nothing just now.
    pub(crate) fn write_some_to(&mut self, socket: &mut impl Write) -> Result<bool> {
        let channel = &mut self.channel;
        let written = match &mut self.tls {
            Some(tls) => tls.write_some_to(socket, channel),
            None => write_once(socket, channel.unsent()).inspect(|written| channel.sent(written.unwrap_or(0))),
        };
        match written {
            Ok(written) => {
                let has_left = written.is_some() && !self.has_unsent();
                self.n_moved = self.n_moved.saturating_add(if has_left { PROGRESS } else { written.unwrap_or(0) });
                Ok(written.is_some())
            }
            // The server closed its side. It may have sent the reason, so we continue to read until its end.
            Err(e) => {
                self.broken.get_or_insert(e);
                Ok(true)
            }
        }
    }

    /// Marks an error that ended an exchange early if something may still be stored.
    pub(crate) fn judge<C: Conversation>(&self, error: Error, conversation: &C) -> Error {
        self.doubt(error, |link| conversation.may_be_stored(&link.channel.session, &link.channel.outbox))
    }

    /// The same for the stream.
    pub(crate) fn judge_stream(&self, error: Error) -> Error {
        self.doubt(error, |link| link.stream.as_ref().is_some_and(|stream| stream.may_be_stored(&link.channel.session)))
    }

    fn doubt(&self, error: Error, may_be_stored: impl FnOnce(&Self) -> bool) -> Error {
        // A refusal is an answer. So is the error of a statement that was killed; one that still succeeded has no code.
        let is_answer = error.kind() == Kind::Server && !error.is_fatal() && (error.code() != 0 || !error.is_timeout());
        match !is_answer && may_be_stored(self) {
            true => error.outcome_unknown(),
            false => error,
        }
    }

    /// Begins an exchange and writes what the socket takes; the answers are read later.
    pub(crate) fn start<C: Conversation>(
        &mut self,
        conversation: &mut C,
        socket: &mut impl Write,
        config: &Config,
    ) -> Result<()> {
        self.channel.begin()?;
        self.advance(conversation, config)?;
        self.write_some_to(socket).map(drop)
    }

    /// Records that an exchange failed. The returned error says whether the connection can still be used.
    pub(crate) fn fail(&mut self, error: Error) -> Error {
        let session = &mut self.channel.session;
        if error.kind() == Kind::Server && !error.is_fatal() && !session.is_dead() {
            return error;
        }
        session.kill();
        error.fatal()
    }

    /// Ends an idle connection as the protocol requires it, as far as that is possible without waiting.
    pub(crate) fn say_goodbye(&mut self, socket: &mut impl Write, config: &Config) {
        // A connection that is dead or in the middle of something has no place for a command.
        if self.channel.begin().is_err() || self.advance(&mut simple::quit(), config).is_err() {
            return;
        }
        let _ = self.write_some_to(socket);
        if let Some(tls) = &mut self.tls {
            tls.say_goodbye();
            let _ = self.write_some_to(socket);
        }
    }

    fn closed(&mut self, read: Option<io::Error>) -> Error {
        let host = self.host.as_ref().map_or_else(String::new, |host| format!(" at `{host}`"));
        let error = match self.broken.take().or(read) {
            Some(cause) => Error::io(format!("the connection to the server{host} was lost"), cause).fatal(),
            None => Error::new(Kind::Io, format!("the server{host} closed the connection")),
        };
        error.because(Reason::ConnectionLost)
    }
}

/// Bytes that must move within a time limit if no packet arrives whole: part of a large row over the slowest useful link.
const PROGRESS: usize = 4 * 1024;
/// With more than this left of a result, a new connection is cheaper.
const READS_TO_DRAIN: u32 = 16;
