//! Reads results row by row, at the caller's pace: rows that are not requested stay in the socket.
//!
//! ```text
//! CachedExecute or Query, until it has results -> Stream -> Fetch, a packet at a time, while rows are wanted
//!                                              -> Drain, for results that are no longer needed
//! ```

use crate::error::Result;
use crate::session::results::{Discard, Results, Sink};
use crate::session::{Conversation, Effect, Outcome, Session, Step};
use crate::wire::{ColumnDef, Outbox, Row, RowFormat};

/// Results that are still arriving.
#[derive(Debug)]
pub struct Stream {
    results: Results,
    event: SavedEvent,
    effect: Effect,
}

/// The kind of the last packet of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Event {
    /// Nothing to report: a column definition, for example.
    #[default]
    Nothing,
    /// The columns are known; rows follow.
    Columns,
    /// A row: the inbox still holds it.
    Row,
    /// The end of a result.
    End(Outcome),
}

/// A statement whose results can be read row by row.
pub trait Opens: Conversation {
    /// Whether the first packet of the results was taken.
    fn has_results(&self) -> bool;

    /// Returns the rest to read. The conversation keeps nothing.
    fn take_stream(&mut self, session: &Session) -> Stream;
}

/// A statement that can be left while rows of its results still arrive.
pub trait Leaves: Conversation {
    /// The sink of its results.
    type Sink;

    /// The sink, with the results so far.
    fn sink(&self) -> &Self::Sink;

    /// Returns the rest to read. The conversation keeps nothing.
    fn leave(&mut self, session: &Session) -> Stream;
}

impl Stream {
    /// Takes over the rest of `results` from a statement of this effect. `last` is the event of the last packet.
    pub(crate) fn new(results: &mut Results, last: &mut SavedEvent, effect: Effect) -> Self {
        let results = std::mem::replace(results, Results::new(results.format()));
        Self { results, event: std::mem::take(last), effect }
    }

    /// The columns of the current result set.
    pub fn columns(&self) -> &[ColumnDef] {
        self.results.columns()
    }

    /// How its rows are written.
    pub fn format(&self) -> RowFormat {
        self.results.format()
    }

    /// Whether something of the statement may be stored, although the end of its answer did not arrive.
    pub fn may_be_stored(&self, session: &Session) -> bool {
        self.effect.may_be_stored(session)
    }

    /// Returns the event of the last packet, once.
    pub fn take_event(&mut self) -> Event {
        std::mem::take(&mut self.event.0)
    }
}

/// Takes the next packet of a stream. Its output is the last result's outcome.
pub struct Fetch<'a>(pub &'a mut Stream);

impl Conversation for Fetch<'_> {
    type Output = Outcome;

    fn send(&mut self, _session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        self.0.results.receive(packet, session, &mut self.0.event)
    }

    fn may_be_stored(&self, session: &Session, _out: &Outbox) -> bool {
        self.0.may_be_stored(session)
    }
}

/// Reads the rest of a stream and drops it.
pub struct Drain<'a>(pub &'a mut Stream);

impl Conversation for Drain<'_> {
    type Output = Outcome;

    fn send(&mut self, _session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, _out: &mut Outbox) -> Result<Step<Outcome>> {
        self.0.results.receive(packet, session, &mut Discard)
    }

    fn may_be_stored(&self, session: &Session, _out: &Outbox) -> bool {
        self.0.may_be_stored(session)
    }
}

/// A sink that keeps only the kind of the last packet.
#[derive(Clone, Debug, Default)]
pub struct SavedEvent(Event);

impl Sink for SavedEvent {
    fn columns(&mut self, _columns: &[ColumnDef]) -> Result<()> {
        self.0 = Event::Columns;
        Ok(())
    }

    fn row(&mut self, _row: Row<'_>) -> Result<()> {
        self.0 = Event::Row;
        Ok(())
    }

    fn end(&mut self, outcome: &Outcome) -> Result<()> {
        self.0 = Event::End(outcome.clone());
        Ok(())
    }
}
