//! Clients that are tasks.

use super::Mode;
use super::work::{Ask, Work};
use crate::clock::Clock;
use crate::results::Sample;
use crate::workers::{Patience, Workers, ended_early};
use inrush::Connection;
use inrush::sans_io::{Error, Kind, Result};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Connects all clients, warms them up, and starts them; the clock starts when they may begin.
pub(super) async fn run(
    work: &Arc<Work>,
    workers: &Arc<Workers>,
    n_clients: usize,
    start: impl Fn() -> Clock,
) -> Result<Sample> {
    let mut connections = Vec::new();
    for _ in 0..n_clients {
        connections.push(Connection::connect(&work.config).await?);
    }
    workers.warm_up();
    let (gate, is_open) = watch::channel(true);
    let connections = all(spawn(work, workers, connections, work.warm_up, &is_open)).await?;
    // A warm-up counts for nothing.
    drop(workers.take());
    gate.send_replace(false);
    let tasks = spawn(work, workers, connections, work.queries, &is_open);
    let clock = start();
    workers.begin(clock.started());
    gate.send_replace(true);
    let connections = all(tasks).await?;
    let sample = clock.stop();
    // Not earlier: the server drops the statistics of closed connections.
    drop(connections);
    Ok(sample)
}

/// A task for each connection; all begin when the gate is open, and give their connections back.
fn spawn(
    work: &Arc<Work>,
    workers: &Arc<Workers>,
    connections: Vec<Connection>,
    n: u64,
    is_open: &watch::Receiver<bool>,
) -> Vec<JoinHandle<Connection>> {
    let task = |(client, connection)| {
        let (work, workers, mut is_open) = (Arc::clone(work), Arc::clone(workers), is_open.clone());
        tokio::spawn(async move {
            // The gate outlives the tasks.
            let _ = is_open.wait_for(|is_open| *is_open).await;
            ask(&work, &workers, client, connection, n).await
        })
    };
    connections.into_iter().enumerate().map(task).collect()
}

async fn all(tasks: Vec<JoinHandle<Connection>>) -> Result<Vec<Connection>> {
    let mut connections = Vec::new();
    for task in tasks {
        connections.push(task.await.map_err(ended_early)?);
    }
    Ok(connections)
}

/// Runs so many queries, including failures.
async fn ask(work: &Work, workers: &Workers, client: usize, mut connection: Connection, n: u64) -> Connection {
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
        let Err(error) = flight(work, &mut connection, n, &mut tell).await else {
            patience.reset();
            continue;
        };
        workers.counters(client).failed(workers.elapsed(), &error, n - answered);
        if error.kind() == Kind::Protocol {
            workers.lose(error);
        } else if error.is_fatal() {
            match connect_again(work, workers, &mut patience, error).await {
                Ok(again) => connection = again,
                Err(error) => workers.lose(error),
            }
        } else {
            tokio::time::sleep(patience.pause()).await;
        }
    }
    connection
}

/// Runs one flight of queries; the callback gets the number of queries that were answered.
async fn flight(work: &Work, connection: &mut Connection, n: u64, tell: &mut (dyn FnMut(u64) + Send)) -> Result<()> {
    match (work.mode, &work.ask) {
        (Mode::Normal, ask) => {
            let mut rows = 0;
            let count = |_: inrush::Row<'_>| {
                rows += 1;
                Ok(())
            };
            match ask {
                Ask::Text(sql) => connection.query_each(sql, (), count).await?,
                Ask::Prepared(statement) => connection.query_each(statement, (), count).await?,
            };
            tell(1);
            work.check(rows)
        }
        (Mode::Batch, _) => {
            let results = connection.query_result_sets(&work.joined(n), ()).await?;
            tell(n);
            results.iter().try_for_each(|result| work.check(result.rows().count() as u64))
        }
        (Mode::Pipeline, ask) => {
            let (mut sent, mut first) = (0, None);
            let each = |_, reply: Result<inrush::Reply>| {
                match reply {
                    Ok(reply) => {
                        tell(1);
                        reply.result_sets().iter().try_for_each(|result| work.check(result.rows().count() as u64))?;
                    }
                    Err(error) => _ = first.get_or_insert(error),
                }
                Ok(())
            };
            let next = |next: inrush::pipeline::NextCommand<'_>| {
                sent += 1;
                match ask {
                    _ if sent > n => next.end(),
                    Ask::Text(sql) => next.query(sql),
                    Ask::Prepared(statement) => next.execute(statement, ()),
                }
            };
            connection.pipeline_each(next, each).await?;
            first.map_or(Ok(()), Err)
        }
    }
}

/// Tries until it is connected, or until it is time to give up.
async fn connect_again(
    work: &Work,
    workers: &Workers,
    patience: &mut Patience,
    mut error: Error,
) -> Result<Connection> {
    while !workers.is_over() {
        let Some(pause) = patience.pause_unless_lost(workers.elapsed()) else { break };
        tokio::time::sleep(pause).await;
        match Connection::connect(&work.config).await {
            Ok(connection) => return Ok(connection),
            Err(again) => error = again,
        }
    }
    Err(error)
}
