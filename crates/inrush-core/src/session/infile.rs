//! LOAD DATA LOCAL INFILE, from memory.
//!
//! ```text
//! client  COM_QUERY
//! server  fb name                 give me that file; or ERR
//! client  content, frame by frame; an empty packet ends it
//! server  OK or ERR, once it has read everything
//! ```
//!
//! Invariant: only the caller's content is sent, once, and only if the server names it by the random name that the caller put
//! into the statement. No file is ever opened: a server may ask any client for any path.

use crate::error::{Error, Result};
use crate::session::{Conversation, Effect, Outcome, Session, Step, reply};
use crate::wire::{Capabilities, Outbox, Status, command};

/// A LOAD DATA LOCAL statement and its content.
pub struct Infile<'a> {
    sql: &'a [u8],
    was_sent: bool,
    name: &'a [u8],
    rest: &'a [u8],
    frame_bytes: usize,
    state: State,
}

enum State {
    Unsent,
    ExpectRequest,
    Streaming,
    ExpectOutcome,
}

impl<'a> Infile<'a> {
    /// `sql` is one LOAD DATA LOCAL INFILE statement that names `name`, which cannot be guessed.
    pub fn new(sql: &'a (impl AsRef<[u8]> + ?Sized), name: &'a str, content: &'a [u8]) -> Self {
        Self {
            sql: sql.as_ref(),
            was_sent: false,
            name: name.as_bytes(),
            rest: content,
            frame_bytes: FRAME_BYTES,
            state: State::Unsent,
        }
    }

    /// Sends frames of at most `n` bytes of content; must be below the server's `max_allowed_packet`.
    #[must_use]
    pub fn with_frames_of(mut self, n: usize) -> Self {
        self.frame_bytes = n.clamp(1, MAX_FRAME_BYTES);
        self
    }
}

impl Conversation for Infile<'_> {
    type Output = Outcome;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        match self.state {
            State::Unsent => {
                if !session.capabilities().contains(Capabilities::CLIENT_LOCAL_FILES) {
                    return Err(Error::config("LOAD DATA LOCAL was not enabled at login"));
                }
                out.command(|out| command::query(out, self.sql));
                self.was_sent = true;
                self.state = State::ExpectRequest;
            }
            State::Streaming => {
                let (frame, rest) = self.rest.split_at(self.frame_bytes.min(self.rest.len()));
                self.rest = rest;
                // An empty packet ends the content, so an empty rest sends no packet except the intended one.
                if !frame.is_empty() {
                    out.packet(|out| out.extend_from_slice(frame));
                }
                if rest.is_empty() {
                    out.packet(|_| ());
                    self.state = State::ExpectOutcome;
                }
            }
            State::ExpectRequest | State::ExpectOutcome => {}
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        match (&self.state, packet) {
            (State::ExpectRequest, [0xFB, name @ ..]) if name == self.name => {
                self.state = State::Streaming;
                // The server may stop at any point.
                out.expect_reply_any_time();
                Ok(Step::More)
            }
            (State::ExpectRequest, [0xFB, ..]) => {
                Err(Error::protocol("the server asks for another file than it was offered")
                    .with_hint("do not trust this server: it tries to read files of its clients"))
            }
            // The server did not request content: the statement was another one, or the server loads nothing.
            (State::ExpectRequest | State::ExpectOutcome, [0x00, ..]) => {
                let outcome = reply::plain(packet, session)?;
                match outcome.status.contains(Status::SERVER_MORE_RESULTS_EXISTS) {
                    false => Ok(Step::Done(outcome)),
                    true => Err(Error::protocol("the server announces a second result for one LOAD DATA")),
                }
            }
            (State::Unsent | State::Streaming, _) => {
                // A server that no longer waits for the rest of the content would read it as commands.
                Err(reply::unexpected(packet, session).while_doing("the server broke off LOAD DATA").fatal())
            }
            _ => Err(reply::unexpected(packet, session)),
        }
    }

    fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
        self.was_sent && out.has_sent_command() && Effect::of(self.sql, session.dialect()).may_be_stored(session)
    }
}

/// Content of one packet: a server reads a packet at a time into memory, and larger ones were not faster.
pub const FRAME_BYTES: usize = 256 * 1024;
/// So that a frame of content is never split in two.
const MAX_FRAME_BYTES: usize = 0xFF_FFFF - 1;
