//! Single rows of bench_users in autocommit: those of many tasks, each with an INSERT of its own or by the inserter.
//!
//! ```text
//! inserter-bench back-to-back THREADS ROWS FILE     INSERTs of so many rows, one after another, on one connection
//! inserter-bench own          THREADS TASKS FILE    each task takes a connection from the pool for each of its rows
//! inserter-bench inserter     THREADS TASKS FILE    each task gives its rows to the inserter
//! inserter-bench paired       THREADS - FILE        one task, its rows by turns in both ways
//! ```
//! All rows of the file are inserted once, and a few before the clock runs. THREADS is 1 for tokio's current-thread runtime and the
//! number of workers otherwise. The server and the table are in PEER_HOST .. PEER_TABLE.

mod measured;
mod ways;

use bench_lib::{Place, Result, people};
use inrush::{Config, PoolOptions, TlsMode};
use jiff::civil::DateTime;
use measured::Measured;
use std::sync::Arc;
use tokio::runtime::Builder;

type Person = people::Person<DateTime>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Ok([way, threads, n, file]) = <[String; 4]>::try_from(args) else {
        return Err("see the top of main.rs".into());
    };
    let place = Place::from_env()?;
    let people = Arc::new(people::read(&file, moment)?);
    let runtime = match threads.parse()? {
        1 => Builder::new_current_thread().enable_all().build()?,
        n_threads => Builder::new_multi_thread().worker_threads(n_threads).enable_all().build()?,
    };
    let work = async move {
        match way.as_str() {
            "back-to-back" => ways::back_to_back(place, people, n.parse()?).await,
            "own" => ways::own(place, people, n.parse()?).await,
            "inserter" => ways::inserter(place, people, n.parse()?).await,
            "paired" => ways::paired(place, people).await,
            _ => Err(format!("no way `{way}`").into()),
        }
    };
    // As a task of the runtime's own threads: the thread that blocks is not one of them.
    let measured: Vec<Measured> = runtime.block_on(async { tokio::spawn(Box::pin(work)).await? })?;
    let measured: Vec<String> = measured.iter().map(Measured::to_string).collect();
    println!("[{}]", measured.join(", "));
    Ok(())
}

fn config(place: &Place) -> Config {
    Config::new()
        .with_host(&place.host)
        .with_port(place.port)
        .with_user(&place.user)
        .with_password(&place.password)
        .with_database(&place.database)
        .with_tls(TlsMode::Disabled)
        .with_public_key_retrieval(true)
        // Thousands of tasks wait their turn for as long as it takes.
        .with_pool(PoolOptions::new().with_min(N_CONNECTIONS).with_max(N_CONNECTIONS).with_acquire_timeout(None))
}

fn moment([year, month, day, hour, minute, second]: [u16; 6]) -> DateTime {
    jiff::civil::datetime(year as i16, month as i8, day as i8, hour as i8, minute as i8, second as i8, 0)
}

const N_CONNECTIONS: usize = 32;
