//! Clients that are tasks.

use super::Mode;
use super::work::{Ask, Work};
use crate::clock::Clock;
use crate::crew::{Crew, Patience, ended_early};
use crate::results::Sample;
use inrush::Connection;
use inrush::core::{Error, Kind, Result};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// Connects all clients, warms them up, and has them ask; the clock runs from when they may begin.
pub(super) async fn run(
    work: &Arc<Work>,
    crew: &Arc<Crew>,
    n_clients: usize,
    start: impl Fn() -> Clock,
) -> Result<Sample> {
    let mut connections = Vec::new();
    for _ in 0..n_clients {
        connections.push(Connection::connect(&work.config).await?);
    }
    crew.warm_up();
    let (gate, is_open) = watch::channel(true);
    let connections = all(spawn(work, crew, connections, work.warm_up, &is_open)).await?;
    // A warm-up counts for nothing.
    drop(crew.take());
    gate.send_replace(false);
    let tasks = spawn(work, crew, connections, work.queries, &is_open);
    let clock = start();
    crew.begin(clock.started());
    gate.send_replace(true);
    let connections = all(tasks).await?;
    let sample = clock.stop();
    // Not before: the server forgets what it took for connections that are gone.
    drop(connections);
    Ok(sample)
}

/// A task for each connection; all begin when the gate is open, and give their connections back.
fn spawn(
    work: &Arc<Work>,
    crew: &Arc<Crew>,
    connections: Vec<Connection>,
    n: u64,
    is_open: &watch::Receiver<bool>,
) -> Vec<JoinHandle<Connection>> {
    let task = |(client, connection)| {
        let (work, crew, mut is_open) = (Arc::clone(work), Arc::clone(crew), is_open.clone());
        tokio::spawn(async move {
            // The gate outlives the tasks.
            let _ = is_open.wait_for(|is_open| *is_open).await;
            ask(&work, &crew, client, connection, n).await
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

/// Asks so many queries, whatever becomes of them.
async fn ask(work: &Work, crew: &Crew, client: usize, mut connection: Connection, n: u64) -> Connection {
    let mut patience = Patience::default();
    let mut left = n;
    while left > 0 && !crew.is_over() {
        let n = work.flight(left);
        left -= n;
        let began = Instant::now();
        let mut answered = 0;
        let mut tell = |n: u64| {
            let mut tally = crew.tally(client);
            tally.answered(crew.elapsed(), n);
            tally.counts(n, began.elapsed());
            answered += n;
        };
        let Err(error) = flight(work, &mut connection, n, &mut tell).await else {
            patience.reset();
            continue;
        };
        crew.tally(client).failed(crew.elapsed(), &error, n - answered);
        if error.kind() == Kind::Protocol {
            crew.lose(error);
        } else if error.is_fatal() {
            match connect_again(work, crew, &mut patience, error).await {
                Ok(again) => connection = again,
                Err(error) => crew.lose(error),
            }
        } else {
            tokio::time::sleep(patience.pause()).await;
        }
    }
    connection
}

/// One flight of queries; `tell` hears of answers as they come.
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
            let results = connection.results(&work.joined(n), ()).await?;
            tell(n);
            results.iter().try_for_each(|result| work.check(result.rows().count() as u64))
        }
        (Mode::Pipeline, ask) => {
            let (mut sent, mut first) = (0, None);
            let each = |_, reply: Result<inrush::Reply>| {
                match reply {
                    Ok(reply) => {
                        tell(1);
                        reply.results().iter().try_for_each(|result| work.check(result.rows().count() as u64))?;
                    }
                    Err(error) => _ = first.get_or_insert(error),
                }
                Ok(())
            };
            let next = |turn: inrush::pipeline::Turn<'_>| {
                sent += 1;
                match ask {
                    _ if sent > n => turn.end(),
                    Ask::Text(sql) => turn.query(sql),
                    Ask::Prepared(statement) => turn.execute(statement, ()),
                }
            };
            connection.pipeline_each(next, each).await?;
            first.map_or(Ok(()), Err)
        }
    }
}

/// Tries until it is connected, or time to give up.
async fn connect_again(work: &Work, crew: &Crew, patience: &mut Patience, mut error: Error) -> Result<Connection> {
    while !crew.is_over() {
        let Some(pause) = patience.pause_unless_lost(crew.elapsed()) else { break };
        tokio::time::sleep(pause).await;
        match Connection::connect(&work.config).await {
            Ok(connection) => return Ok(connection),
            Err(again) => error = again,
        }
    }
    Err(error)
}
