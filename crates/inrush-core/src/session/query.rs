//! COM_QUERY: a statement as text, results as text.

use crate::error::Result;
use crate::session::fetch::{Leaves, Opens, SavedEvent, Stream};
use crate::session::results::{Results, Sink};
use crate::session::{Conversation, Effect, Outcome, Session, Step};
use crate::wire::{Outbox, RowFormat, command};

/// A statement as text. Its output is the last result's outcome; rows go to the sink.
pub struct Query<'a, S: Sink> {
    sql: &'a [u8],
    was_sent: bool,
    sink: &'a mut S,
    results: Results,
    has_begun: bool,
}

impl<'a, S: Sink> Query<'a, S> {
    /// The statement's bytes are in the connection's character set, utf8mb4; string literals may hold any bytes.
    pub fn new(sql: &'a (impl AsRef<[u8]> + ?Sized), sink: &'a mut S) -> Self {
        Self { sql: sql.as_ref(), was_sent: false, sink, results: Results::new(RowFormat::Text), has_begun: false }
    }
}

impl Opens for Query<'_, SavedEvent> {
    fn has_results(&self) -> bool {
        self.has_begun
    }

    fn take_stream(&mut self, session: &Session) -> Stream {
        Stream::new(&mut self.results, self.sink, Effect::of(self.sql, session.dialect()))
    }
}

impl<S: Sink> Leaves for Query<'_, S> {
    type Sink = S;

    fn sink(&self) -> &S {
        self.sink
    }

    fn leave(&mut self, session: &Session) -> Stream {
        Stream::new(&mut self.results, &mut SavedEvent::default(), Effect::of(self.sql, session.dialect()))
    }
}

impl<S: Sink> Conversation for Query<'_, S> {
    type Output = Outcome;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        if !std::mem::replace(&mut self.was_sent, true) {
            session.sends(self.sql);
            out.command(|out| command::query(out, self.sql));
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        self.has_begun = true;
        self.results.receive(packet, session, self.sink)
    }

    fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
        self.was_sent && out.has_sent_command() && Effect::of(self.sql, session.dialect()).may_be_stored(session)
    }
}
