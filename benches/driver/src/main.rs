//! One run of one client of MySQL doing one thing, so that `run` beside this can measure the process as a whole.
//!
//! ```text
//! driver-bench select1|point CLIENT THREADS CONNECTIONS N
//! driver-bench read          CLIENT THREADS text|binary ROWS
//! driver-bench pool          POOL   THREADS TASKS N
//! driver-bench pipelined     CLIENT THREADS - ROWS
//! driver-bench relay         -      -       - MICROSECONDS
//! ```
//! CLIENT and POOL are named where a case chooses by them. THREADS is 1 for tokio's current-thread runtime and the number of workers
//! otherwise; blocking clients have a thread a connection. The server is in PEER_HOST, PEER_PORT, PEER_USER, PEER_PASSWORD
//! and PEER_DATABASE, its table in PEER_TABLE. What was measured goes to standard output as JSON.

mod clients;
mod measured;
mod pipelined;
mod pool;
mod queries;
mod read;
mod relay;
mod statements;

use bench_lib::{Error, Place, Result};
use measured::Measured;
use std::future::Future;
use std::time::Duration;
use tokio::runtime::Builder;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [case, client, threads, how, n] = &args[..] else { return Err("see the top of main.rs".into()) };
    let (place, n) = (Place::from_env()?, n.parse()?);
    if case == "relay" {
        return relay::run(&place, Duration::from_micros(n as u64));
    }
    let threads = threads.parse()?;
    let measured = match case.as_str() {
        "select1" | "point" => queries::run(&place, case.parse()?, client, threads, how.parse()?, n)?,
        "read" => read::run(&place, client, threads, how.parse()?, n)?,
        "pool" => pool::run(&place, client, threads, how.parse()?, n)?,
        "pipelined" => pipelined::run(&place, client, threads, n)?,
        _ => return Err(format!("no case `{case}`").into()),
    };
    println!("{measured}");
    Ok(())
}

/// Runs a future on a runtime of so many threads, to its end.
fn block_on<T: Send + 'static>(threads: usize, work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let runtime = match threads {
        1 => Builder::new_current_thread().enable_all().build()?,
        _ => Builder::new_multi_thread().worker_threads(threads).enable_all().build()?,
    };
    // As a task of the runtime's own threads: the thread that blocks is not one of them.
    runtime.block_on(async { tokio::spawn(work).await? })
}
