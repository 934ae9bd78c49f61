//! Rust's other clients, inserting rows of bench_users from memory, a transaction a batch.
//!
//! ```text
//! batch-peers CLIENT HOW FILE STATEMENT_ROWS WARM_UPS LAPS      the server and the table in PEER_HOST .. PEER_TABLE
//!
//! mysql, mysql_async   exec-batch   the client's own batch: bulk on MariaDB, a row at a time elsewhere
//!                      text         values written into statements of many rows
//!                      prepared     values bound to statements of many rows
//! sqlx                 push-values  QueryBuilder::push_values, values bound to statements of many rows
//! ```

mod mysql_async;
mod mysql_blocking;
mod sqlx;
mod text;

use bench_lib::{Laps, Place, Plan, Result, people};
use chrono::{NaiveDate, NaiveDateTime};

type Person = people::Person<NaiveDateTime>;

/// What a client does.
struct Work {
    place: Place,
    how: String,
    people: Vec<Person>,
    statement_rows: usize,
    plan: Plan,
}

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [client, how, file, statement_rows, n_warm_ups, n_laps] = &args[..] else {
        return Err("see the top of main.rs".into());
    };
    let work = Work {
        place: Place::from_env()?,
        how: how.clone(),
        people: people::read(file, moment)?,
        statement_rows: statement_rows.parse()?,
        plan: Plan::parse(n_warm_ups, n_laps)?,
    };
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build();
    let laps: Laps = match client.as_str() {
        "mysql" => mysql_blocking::run(work)?,
        "mysql_async" => runtime()?.block_on(mysql_async::run(work))?,
        "sqlx" => runtime()?.block_on(sqlx::run(work))?,
        _ => return Err(format!("no client `{client}`").into()),
    };
    println!("{laps}");
    Ok(())
}

fn moment([year, month, day, hour, minute, second]: [u16; 6]) -> NaiveDateTime {
    let date = NaiveDate::from_ymd_opt(year.into(), month.into(), day.into());
    date.and_then(|date| date.and_hms_opt(hour.into(), minute.into(), second.into()))
        .expect("rows.py makes no other dates")
}
