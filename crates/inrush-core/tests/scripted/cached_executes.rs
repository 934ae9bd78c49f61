//! Statements with values by script: what the cache of prepared statements sends and when, long values, rows at the caller's
//! pace. Each script with every fault at every step and cut at every byte.

use inrush_core::error::{Error, Kind, Result};
use inrush_core::session::fetch::Opens;
use inrush_core::session::{
    CachedExecute, Collect, Conversation, Event, Fetch, Outcome, PrepareForCache, SavedEvent, Session, Statement, Step,
    Stream, simple,
};
use inrush_core::value::Value;
use inrush_core::wire::{Outbox, Row};
use inrush_testkit::captured::{COLUMN_CURRENT_USER as COLUMN, OK};
use inrush_testkit::script::{Peer, Script, script};

/// Runs a statement, and tells its rows, values between commas.
fn ask(peer: &mut Peer, sql: &str, params: &[Value<'_>]) -> Result<Vec<String>> {
    let mut rows = Collect::new(10_000);
    peer.run(&mut CachedExecute::new(sql, params, &mut rows))??;
    let text = |row: Row<'_>| row.values().map(|value| value.map(|v| v.to_string())).collect::<Result<Vec<_>, _>>();
    let results = rows.into_results();
    results.iter().flat_map(|result| result.rows()).map(|row| Ok(text(row)?.join(","))).collect()
}

/// The answer to a PREPARE of a statement with one placeholder and one column.
fn prepared(script: Script, sql: &str, id: u8) -> Script {
    let script = script.command(&[b"\x16", sql.as_bytes()].concat());
    script.read(&[0, id, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]).read(COLUMN).read(COLUMN)
}

/// An EXECUTE of a number, and one row in answer.
fn executed(script: Script, id: u8, types: &[u8], n: u8) -> Script {
    let new_types = u8::from(!types.is_empty());
    let head = [0x17, id, 0, 0, 0, 0, 1, 0, 0, 0, 0, new_types];
    one_row(script.command(&[&head, types, &[n, 0, 0, 0, 0, 0, 0, 0]].concat()))
}

fn one_row(script: Script) -> Script {
    script.read(b"\x01").read(COLUMN).read(b"\x00\x00\x01r").read(END)
}

const INT: &[u8] = &[8, 0];
const UINT: &[u8] = &[8, 0x80];
/// The end of a result set with CLIENT_DEPRECATE_EOF, and the same where another result follows.
const END: &[u8] = b"\xfe\x00\x00\x02\x00\x00\x00";
const END_AND_MORE: &[u8] = b"\xfe\x00\x00\x0a\x00\x00\x00";
const REFUSED: &[u8] = b"\xff\x26\x04#23000Duplicate entry";

#[test]
fn prepared_once_and_types_sent_when_they_change() {
    let script = executed(prepared(script().logged_in(), "SELECT ?", 7), 7, INT, 1);
    let script = executed(executed(executed(script, 7, &[], 2), 7, UINT, 3), 7, &[], 4);
    script.check_all(
        |peer| {
            ask(peer, "SELECT ?", &[Value::Int(1)])?;
            ask(peer, "SELECT ?", &[Value::Int(2)])?;
            ask(peer, "SELECT ?", &[Value::UInt(3)])?;
            ask(peer, "SELECT ?", &[Value::UInt(4)])
        },
        vec!["r".to_owned()],
    );
}

#[test]
fn a_null_keeps_the_type() {
    let null = b"\x17\x07\0\0\0\0\x01\0\0\0\x01\x00";
    let script = executed(prepared(script().logged_in(), "SELECT ?", 7), 7, INT, 1);
    executed(one_row(script.command(null)), 7, &[], 2).check_all(
        |peer| {
            ask(peer, "SELECT ?", &[Value::Int(1)])?;
            ask(peer, "SELECT ?", &[Value::Null])?;
            ask(peer, "SELECT ?", &[Value::Int(2)])
        },
        vec!["r".to_owned()],
    );
}

#[test]
fn types_are_sent_again_after_a_refusal() {
    let script = executed(prepared(script().logged_in(), "SELECT ?", 7), 7, INT, 1);
    let script = script.command(b"\x17\x07\0\0\0\0\x01\0\0\0\0\x00\x02\0\0\0\0\0\0\0").read(REFUSED);
    executed(script, 7, INT, 3).check(
        |peer| {
            ask(peer, "SELECT ?", &[Value::Int(1)])?;
            let refused = ask(peer, "SELECT ?", &[Value::Int(2)]).unwrap_err();
            assert_eq!((refused.code(), refused.is_fatal()), (1062, false));
            ask(peer, "SELECT ?", &[Value::Int(3)])
        },
        vec!["r".to_owned()],
    );
}

#[test]
fn the_one_that_goes_is_closed_in_the_same_breath() {
    let script = executed(prepared(script().logged_in(), "SELECT ?", 7), 7, INT, 1);
    let script = executed(prepared(script, "SELECT -?", 8).command(b"\x19\x07\0\0\0"), 8, INT, 1);
    script.check_all(
        |peer| {
            peer.channel.session.statements_mut().set_capacity(1);
            ask(peer, "SELECT ?", &[Value::Int(1)])?;
            ask(peer, "SELECT -?", &[Value::Int(1)])
        },
        vec!["r".to_owned()],
    );
}

#[test]
fn learning_closes_too_and_asks_once() {
    let script = prepared(prepared(script().logged_in(), "SELECT ?", 7), "SELECT -?", 8).command(b"\x19\x07\0\0\0");
    script.command(b"\x0e").read(OK).check_all(
        |peer| {
            peer.channel.session.statements_mut().set_capacity(1);
            for sql in ["SELECT :a", "SELECT :b", "SELECT -:a"] {
                peer.run(&mut PrepareForCache::new(&Statement::new(sql)?))?;
            }
            peer.run(&mut simple::ping())?;
            Ok(peer.channel.session.statements().len())
        },
        1,
    );
}

#[test]
fn a_reset_forgets_them() {
    let script = executed(prepared(script().logged_in(), "SELECT ?", 7), 7, INT, 1);
    let script = executed(prepared(script.command(b"\x1f").read(OK), "SELECT ?", 9), 9, INT, 1);
    script.check_all(
        |peer| {
            ask(peer, "SELECT ?", &[Value::Int(1)])?;
            peer.run(&mut simple::reset_connection())?;
            ask(peer, "SELECT ?", &[Value::Int(1)])
        },
        vec!["r".to_owned()],
    );
}

#[test]
fn a_wrong_number_of_values_is_found_when_the_server_has_parsed() {
    let script = prepared(script().logged_in(), "SELECT ?", 7);
    executed(script, 7, INT, 1).check(
        |peer| {
            for _ in 0..2 {
                let error = ask(peer, "SELECT ?", &[Value::Null, Value::Null]).unwrap_err();
                assert_eq!((error.kind(), error.is_fatal()), (Kind::Config, false));
            }
            ask(peer, "SELECT ?", &[Value::Int(1)])
        },
        vec!["r".to_owned()],
    );
}

#[test]
fn long_values_go_ahead_in_parts() {
    const PART: usize = 256 * 1024;
    let value = vec![b'x'; 2 * PART + 1];
    let part = |n: usize| [&b"\x18\x07\0\0\0\0\0"[..], &vec![b'x'; n]].concat();
    let script = prepared(script().logged_in(), "SELECT ?", 7).command(&part(PART)).command(&part(PART));
    let script = script.command(&part(1)).command(b"\x17\x07\0\0\0\0\x01\0\0\0\0\x01\xfc\x00");
    // Not cut at every byte: there are half a million.
    one_row(script).check(|peer| ask(peer, "SELECT ?", &[Value::Bytes(&value)]), vec!["r".to_owned()]);
}

/// Reads a statement's results one packet at a time, as a caller does who takes each row when he likes.
enum Streamed<'a> {
    Opening(CachedExecute<'a, SavedEvent>),
    Reading(Stream),
}

impl Conversation for Streamed<'_> {
    type Output = Vec<String>;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        if let Self::Opening(ask) = self {
            ask.send(session, out)?;
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        let step: Step<Outcome> = match self {
            Self::Opening(ask) => match ask.receive(packet, session, out)? {
                Step::Done(outcome) => Step::Done(outcome?),
                _ => Step::More,
            },
            Self::Reading(stream) => Fetch(stream).receive(packet, session, out)?,
        };
        if let Self::Opening(ask) = self
            && ask.has_results()
        {
            *self = Self::Reading(ask.take_stream(session));
        }
        let Self::Reading(stream) = self else { return Ok(Step::More) };
        let event = stream.take_event();
        EVENTS.with_borrow_mut(|events| match event {
            Event::Nothing => {}
            Event::Columns => events.push(format!("{} columns", stream.columns().len())),
            Event::Row => events.push(format!("{:?} row of {} bytes", stream.format(), packet.len())),
            Event::End(outcome) => events.push(format!("end, {} affected", outcome.affected)),
        });
        Ok(match step {
            Step::Done(_) => Step::Done(EVENTS.take()),
            _ => Step::More,
        })
    }
}

thread_local! {
    static EVENTS: std::cell::RefCell<Vec<String>> = const { std::cell::RefCell::new(Vec::new()) };
}

fn stream(peer: &mut Peer) -> Result<Vec<String>> {
    EVENTS.take();
    let mut saved = SavedEvent::default();
    peer.run(&mut Streamed::Opening(CachedExecute::new("CALL p(?)", &[Value::Int(1)], &mut saved)))
}

#[test]
fn results_one_packet_at_a_time() {
    let call = prepared(script().logged_in(), "CALL p(?)", 7);
    let call = call.command(b"\x17\x07\0\0\0\0\x01\0\0\0\0\x01\x08\x00\x01\0\0\0\0\0\0\0");
    let script = call.clone().read(b"\x01").read(COLUMN).read(b"\x00\x00\x01r").read(b"\x00\x00\x00");
    let script = script.read(END_AND_MORE).read(b"\x00\x05\x00\x02\x00\x00\x00");
    let want = ["1 columns", "Binary row of 4 bytes", "Binary row of 3 bytes", "end, 0 affected", "end, 5 affected"];
    script.check_all(stream, want.map(str::to_owned).to_vec());
    call.clone().read(REFUSED).check_fails(stream, |e: &Error| e.code() == 1062 && !e.is_fatal());
    let late = call.read(b"\x01").read(COLUMN).read(b"\x00\x00\x01r").read(REFUSED);
    late.check_fails(stream, |e: &Error| e.code() == 1062 && !e.is_fatal());
}
