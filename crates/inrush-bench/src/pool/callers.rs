//! The callers of a pool: threads, and tasks.

use super::Cell;
use crate::clock::Clock;
use crate::results::Sample;
use crate::workers::{Gate, Patience, Workers, ended_early};
use inrush::sans_io::{Error, Result};
use inrush::{Config, blocking};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What every caller does.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) sql: String,
    pub(super) workers: Workers,
}

/// Runs a cell by threads: `[warm_up, queries]` for each.
pub(super) fn threads(
    work: &Work,
    config: &Config,
    cell: &Cell,
    [warm_up, queries]: [u64; 2],
    start: impl Fn() -> Clock,
) -> Result<Sample> {
    let pool = blocking::Pool::new(config)?;
    let asked = Instant::now();
    while !has_opened(pool.status().idle, cell, asked) {
        thread::sleep(LOOK_EVERY);
    }
    work.workers.warm_up();
    let mut sample = Sample::default();
    for (n, counts) in [(warm_up, false), (queries, true)] {
        let gate = Gate::default();
        thread::scope(|scope| {
            let (pool, gate) = (&pool, &gate);
            let mut threads = Vec::new();
            let mut failed = None;
            for caller in 0..cell.callers {
                let body = move || {
                    gate.wait();
                    call(work, pool, caller, n);
                };
                match thread::Builder::new().spawn_scoped(scope, body) {
                    Ok(thread) => threads.push(thread),
                    Err(e) => failed = Some(Error::io(format!("cannot start a thread for caller {}", caller + 1), e)),
                }
            }
            // A warm-up counts for nothing.
            drop(work.workers.take());
            let clock = start();
            if counts {
                work.workers.begin(clock.started());
            }
            gate.open();
            threads.into_iter().try_for_each(|thread| thread.join().map_err(ended_early))?;
            sample = clock.stop();
            failed.map_or(Ok(()), Err)
        })?;
    }
    Ok(sample)
}

/// Runs a cell by tasks: `[warm_up, queries]` for each.
pub(super) async fn tasks(
    work: &Arc<Work>,
    config: &Config,
    cell: &Cell,
    [warm_up, queries]: [u64; 2],
    start: impl Fn() -> Clock,
) -> Result<Sample> {
    let pool = inrush::Pool::new(config)?;
    let asked = Instant::now();
    while !has_opened(pool.status().idle, cell, asked) {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    let spawn = |n: u64, is_open: &watch::Receiver<bool>| {
        let task = |caller| {
            let (work, pool, mut is_open) = (Arc::clone(work), pool.clone(), is_open.clone());
            tokio::spawn(async move {
                // The gate outlives the tasks.
                let _ = is_open.wait_for(|is_open| *is_open).await;
                call_async(&work, &pool, caller, n).await;
            })
        };
        (0..cell.callers).map(task).collect::<Vec<_>>()
    };
    let (gate, is_open) = watch::channel(true);
    work.workers.warm_up();
    for task in spawn(warm_up, &is_open) {
        task.await.map_err(ended_early)?;
    }
    drop(work.workers.take());
    gate.send_replace(false);
    let tasks = spawn(queries, &is_open);
    let clock = start();
    work.workers.begin(clock.started());
    gate.send_replace(true);
    for task in tasks {
        task.await.map_err(ended_early)?;
    }
    // While the pool is open: the server drops the statistics of closed connections.
    Ok(clock.stop())
}

/// Whether the pool has opened its minimum of connections, or the time for that is over. If it cannot open them, its callers get the
/// errors.
fn has_opened(idle: usize, cell: &Cell, asked: Instant) -> bool {
    idle >= cell.min || asked.elapsed() > OPEN_WITHIN
}

fn call(work: &Work, pool: &blocking::Pool, caller: usize, n: u64) {
    let mut patience = Patience::default();
    for _ in 0..n {
        if work.workers.is_over() {
            return;
        }
        let asked = Instant::now();
        let done = pool.get().and_then(|mut connection| {
            let acquired = asked.elapsed();
            connection.query_each(&work.sql, (), |_| Ok(())).map(|_| acquired)
        });
        match settle(work, caller, asked, done, &mut patience) {
            Some(pause) if !pause.is_zero() => thread::sleep(pause),
            Some(_) => {}
            None => return,
        }
    }
}

async fn call_async(work: &Work, pool: &inrush::Pool, caller: usize, n: u64) {
    let mut patience = Patience::default();
    for _ in 0..n {
        if work.workers.is_over() {
            return;
        }
        let asked = Instant::now();
        let done = async {
            let mut connection = pool.get().await?;
            let acquired = asked.elapsed();
            connection.query_each(&work.sql, (), |_| Ok(())).await.map(|_| acquired)
        };
        let done = done.await;
        match settle(work, caller, asked, done, &mut patience) {
            Some(pause) if !pause.is_zero() => tokio::time::sleep(pause).await,
            Some(_) => {}
            None => return,
        }
    }
}

/// Counts the outcome of a query; `done` is the time that it took to get the connection. Returns how long to wait before the next query;
/// `None` if the caller should stop.
fn settle(
    work: &Work,
    caller: usize,
    asked: Instant,
    done: Result<Duration>,
    patience: &mut Patience,
) -> Option<Duration> {
    let mut counters = work.workers.counters(caller);
    let now = work.workers.elapsed();
    match done {
        Ok(acquired) => {
            counters.answered(now, 1);
            counters.counts(1, asked.elapsed());
            counters.acquire.record(acquired);
            patience.reset();
            Some(Duration::ZERO)
        }
        Err(error) => {
            counters.failed(now, &error, 1);
            drop(counters);
            // Each caller that found no server waits for it, but not for ever.
            if error.is_fatal() || error.kind() == inrush::sans_io::Kind::Io && !error.is_timeout() {
                let pause = patience.pause_unless_lost(now);
                if pause.is_none() {
                    work.workers.lose(error);
                }
                return pause;
            }
            Some(patience.pause())
        }
    }
}

const LOOK_EVERY: Duration = Duration::from_millis(5);

const OPEN_WITHIN: Duration = Duration::from_secs(10);
