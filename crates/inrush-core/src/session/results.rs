//! The reply to a query or an execution: any number of results, each an OK or a result set, passed to a [`Sink`] while they
//! arrive.
//!
//! ```text
//! per result:  OK                                          no result set
//!              n, n column definitions, (EOF), rows, OK    a result set; the EOF in the middle and in place of the
//!                                                          last OK only without CLIENT_DEPRECATE_EOF
//! another one follows if the status says so; ERR may come in place of an OK or a row
//! ```

use std::ops::ControlFlow;

use crate::error::{Error, Result};
use crate::session::columns::Columns;
use crate::session::{Outcome, Session, Step, reply};
use crate::wire::ok::end_of_rows;
use crate::wire::{ColumnDef, Cursor, OkPacket, Row, RowFormat};

/// Takes results as they arrive. An error from it ends the connection, because the rest of the result would have to be read.
pub trait Sink {
    /// A result set begins.
    fn columns(&mut self, columns: &[ColumnDef]) -> Result<()>;

    /// One row, borrowed until the call returns.
    fn row(&mut self, row: Row<'_>) -> Result<()>;

    /// A result ends, be it a result set or a plain OK.
    fn end(&mut self, outcome: &Outcome) -> Result<()>;
}

/// A sink for statements without a result set: an unexpected one is read and dropped.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl Sink for Discard {
    fn columns(&mut self, _columns: &[ColumnDef]) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, _row: Row<'_>) -> Result<()> {
        Ok(())
    }

    fn end(&mut self, _outcome: &Outcome) -> Result<()> {
        Ok(())
    }
}

/// Reads the reply.
#[derive(Debug)]
pub(crate) struct Results {
    format: RowFormat,
    state: State,
    columns: Columns,
}

// A state is named for what it waits for.
#[allow(clippy::enum_variant_names)]
#[derive(Debug)]
enum State {
    ExpectResult,
    ExpectColumn { left: u64, is_first: bool },
    ExpectEndOfColumns,
    ExpectRow,
}

impl Results {
    pub(crate) fn new(format: RowFormat) -> Self {
        Self { format, state: State::ExpectResult, columns: Columns::default() }
    }

    /// The columns of the result set that is being read, or was read last.
    pub(crate) fn columns(&self) -> &[ColumnDef] {
        self.columns.as_slice()
    }

    /// How the values of its rows are written.
    pub(crate) fn format(&self) -> RowFormat {
        self.format
    }

    /// Takes one packet. `Done` with the last result's outcome.
    pub(crate) fn receive(
        &mut self,
        packet: &[u8],
        session: &mut Session,
        sink: &mut dyn Sink,
    ) -> Result<Step<Outcome>> {
        match self.state {
            State::ExpectResult => match packet {
                [] | [0xFB | 0xFE | 0xFF, ..] => Err(reply::unexpected(packet, session)),
                [0x00, ..] => {
                    let ok = OkPacket::parse(packet, session.capabilities())?;
                    self.end(ok, session, sink)
                }
                _ => {
                    let mut r = Cursor::new(packet, "column count");
                    let left = r.lenenc()?;
                    r.end()?;
                    if !(1..=MAX_COLUMNS).contains(&left) {
                        return Err(Error::protocol(format!("the server announces {left} columns")));
                    }
                    self.columns = Columns::default();
                    self.state = State::ExpectColumn { left, is_first: true };
                    Ok(Step::More)
                }
            },
            State::ExpectColumn { left, is_first } => {
                if let [0xFF, ..] = packet {
                    return Err(reply::unexpected(packet, session));
                }
                match is_first {
                    true => self.columns = session.known_columns.begin(left, packet)?,
                    false => self.columns.push(packet)?,
                }
                self.state = match left - 1 {
                    0 if session.deprecates_eof() => self.begin_rows(session, sink)?,
                    0 => State::ExpectEndOfColumns,
                    left => State::ExpectColumn { left, is_first: false },
                };
                Ok(Step::More)
            }
            State::ExpectEndOfColumns => {
                if let [0xFF, ..] = packet {
                    return Err(reply::unexpected(packet, session));
                }
                OkPacket::parse_eof(packet)?;
                self.state = self.begin_rows(session, sink)?;
                Ok(Step::More)
            }
            State::ExpectRow => {
                if let [0xFF, ..] = packet {
                    return Err(reply::unexpected(packet, session));
                }
                match end_of_rows(packet, session.capabilities())? {
                    ControlFlow::Break(ok) => self.end(ok, session, sink),
                    ControlFlow::Continue(()) => {
                        sink.row(Row::new(self.columns.as_slice(), packet, self.format).in_zone(session.zone()))
                            .map_err(Error::fatal)?;
                        Ok(Step::More)
                    }
                }
            }
        }
    }

    fn begin_rows(&mut self, session: &mut Session, sink: &mut dyn Sink) -> Result<State> {
        let defs = session.known_columns.end(std::mem::take(&mut self.columns));
        self.columns = Columns::Known { n_same: defs.len(), defs };
        sink.columns(self.columns.as_slice()).map_err(Error::fatal)?;
        Ok(State::ExpectRow)
    }

    fn end(&mut self, ok: OkPacket<'_>, session: &mut Session, sink: &mut dyn Sink) -> Result<Step<Outcome>> {
        let outcome = reply::accept(ok, session)?;
        self.state = State::ExpectResult;
        sink.end(&outcome).map_err(Error::fatal)?;
        match session.more_results() {
            true => Ok(Step::More),
            false => Ok(Step::Done(outcome)),
        }
    }
}

/// No server returns more columns; a table has at most 4096.
const MAX_COLUMNS: u64 = 65_535;
