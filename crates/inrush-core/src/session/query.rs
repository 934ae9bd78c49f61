//! COM_QUERY: a statement as text, results as text.

use crate::error::Result;
use crate::session::fetch::{Noted, Opens, Stream};
use crate::session::results::{Results, Sink};
use crate::session::{Conversation, Outcome, Session, Step};
use crate::wire::{Outbox, RowFormat, command};

/// A statement as text. Its output is the last result's outcome; rows go to the sink.
pub struct Query<'a, S: Sink> {
    /// Taken when sent.
    sql: Option<&'a [u8]>,
    sink: &'a mut S,
    results: Results,
    has_begun: bool,
}

impl<'a, S: Sink> Query<'a, S> {
    /// The statement's bytes are in the connection's character set, utf8mb4; string literals may hold any bytes.
    pub fn new(sql: &'a (impl AsRef<[u8]> + ?Sized), sink: &'a mut S) -> Self {
        Self { sql: Some(sql.as_ref()), sink, results: Results::new(RowFormat::Text), has_begun: false }
    }
}

impl Opens for Query<'_, Noted> {
    fn has_results(&self) -> bool {
        self.has_begun
    }

    fn take_stream(&mut self) -> Stream {
        Stream::new(&mut self.results, self.sink)
    }
}

impl<S: Sink> Conversation for Query<'_, S> {
    type Output = Outcome;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        if let Some(sql) = self.sql.take() {
            session.sends(sql);
            out.command(|out| command::query(out, sql));
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        self.has_begun = true;
        self.results.receive(packet, session, self.sink)
    }
}
