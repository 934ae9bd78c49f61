//! Clients that are threads.

use super::Mode;
use super::work::{Ask, Work};
use crate::clock::Clock;
use crate::results::Sample;
use crate::workers::{Gate, Patience, Workers, ended_early};
use inrush::blocking::Connection;
use inrush::sans_io::{Error, Result};
use std::thread;
use std::time::Instant;

/// Connects all clients, warms them up, and starts them; the clock starts when they may begin.
pub(super) fn run(work: &Work, workers: &Workers, n_clients: usize, start: impl Fn() -> Clock) -> Result<Sample> {
    let connect = |_| Connection::connect(&work.config);
    let connections: Vec<Connection> = (0..n_clients).map(connect).collect::<Result<_>>()?;
    workers.warm_up();
    let connections = together(connections, &Gate::default(), Gate::open, |client, connection| {
        ask(work, workers, client, connection, work.warm_up)
    })?;
    // A warm-up counts for nothing.
    drop(workers.take());
    let gate = Gate::default();
    let mut clock = None;
    let begin = |gate: &Gate| {
        let started = start();
        workers.begin(started.started());
        clock = Some(started);
        gate.open();
    };
    let connections =
        together(connections, &gate, begin, |client, connection| ask(work, workers, client, connection, work.queries))?;
    let sample = clock.map(Clock::stop).unwrap_or_default();
    // Not earlier: the server drops the statistics of closed connections.
    drop(connections);
    Ok(sample)
}

/// A thread for each connection; all begin when the gate is opened, and give their connections back.
fn together(
    connections: Vec<Connection>,
    gate: &Gate,
    open: impl FnOnce(&Gate),
    client: impl Fn(usize, Connection) -> Connection + Sync,
) -> Result<Vec<Connection>> {
    thread::scope(|scope| {
        let client = &client;
        let mut threads = Vec::new();
        let mut failed = None;
        for (i, connection) in connections.into_iter().enumerate() {
            let body = move || {
                gate.wait();
                client(i, connection)
            };
            match thread::Builder::new().spawn_scoped(scope, body) {
                Ok(thread) => threads.push(thread),
                Err(e) => {
                    failed = Some(Error::io(format!("cannot start a thread for client {}", i + 1), e));
                    break;
                }
            }
        }
        open(gate);
        let ended = threads.into_iter().map(|thread| thread.join().map_err(ended_early));
        let connections = ended.collect::<Result<Vec<_>>>()?;
        failed.map_or(Ok(connections), Err)
    })
}

/// Runs so many queries, including failures.
fn ask(work: &Work, workers: &Workers, client: usize, mut connection: Connection, n: u64) -> Connection {
    let mut patience = Patience::default();
    let mut left = n;
    while left > 0 && !workers.is_over() {
        let n = work.flight(left);
        left -= n;
        let began = Instant::now();
        let mut answered = 0;
        let mut tell = |n: u64| {
            let mut counters = workers.counters(client);
            counters.answered(workers.elapsed(), n);
            counters.counts(n, began.elapsed());
            answered += n;
        };
        let Err(error) = flight(work, &mut connection, n, &mut tell) else {
            patience.reset();
            continue;
        };
        workers.counters(client).failed(workers.elapsed(), &error, n - answered);
        if error.kind() == inrush::sans_io::Kind::Protocol {
            workers.lose(error);
        } else if error.is_fatal() {
            match connect_again(work, workers, &mut patience, error) {
                Ok(again) => connection = again,
                Err(error) => workers.lose(error),
            }
        } else {
            thread::sleep(patience.pause());
        }
    }
    connection
}

/// Runs one flight of queries; the callback gets the number of queries that were answered.
fn flight(work: &Work, connection: &mut Connection, n: u64, tell: &mut dyn FnMut(u64)) -> Result<()> {
    match (work.mode, &work.ask) {
        (Mode::Normal, ask) => {
            let mut rows = 0;
            let count = |_: inrush::Row<'_>| {
                rows += 1;
                Ok(())
            };
            match ask {
                Ask::Text(sql) => connection.query_each(sql, (), count)?,
                Ask::Prepared(statement) => connection.query_each(statement, (), count)?,
            };
            tell(1);
            work.check(rows)
        }
        (Mode::Batch, _) => {
            let results = connection.query_result_sets(&work.joined(n), ())?;
            tell(n);
            results.iter().try_for_each(|result| work.check(result.rows().count() as u64))
        }
        (Mode::Pipeline, ask) => {
            let (mut sent, mut first) = (0, None);
            connection.pipeline_each(
                |next| {
                    sent += 1;
                    match ask {
                        _ if sent > n => next.end(),
                        Ask::Text(sql) => next.query(sql),
                        Ask::Prepared(statement) => next.execute(statement, ()),
                    }
                },
                |_, reply| {
                    match reply {
                        Ok(reply) => {
                            tell(1);
                            reply
                                .result_sets()
                                .iter()
                                .try_for_each(|result| work.check(result.rows().count() as u64))?;
                        }
                        Err(error) => _ = first.get_or_insert(error),
                    }
                    Ok(())
                },
            )?;
            first.map_or(Ok(()), Err)
        }
    }
}

/// Tries until it is connected, or until it is time to give up.
fn connect_again(work: &Work, workers: &Workers, patience: &mut Patience, mut error: Error) -> Result<Connection> {
    while !workers.is_over() {
        let Some(pause) = patience.pause_unless_lost(workers.elapsed()) else { break };
        thread::sleep(pause);
        match Connection::connect(&work.config) {
            Ok(connection) => return Ok(connection),
            Err(again) => error = again,
        }
    }
    Err(error)
}
