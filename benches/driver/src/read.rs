//! `read`: one connection reads a large result, row by row.

use crate::clients::{Blocking, Client, Collecting, Format, Inrush, MySqlAsync, Sqlx};
use crate::measured::Stopwatch;
use crate::statements::read_sql;
use crate::{Measured, Place, Result, block_on};

pub(crate) fn run(place: &Place, client: &str, threads: usize, format: Format, n_rows: usize) -> Result<Measured> {
    let (place, sql) = (place.clone(), read_sql(place, n_rows));
    match client {
        "inrush" => block_on(threads, on_task::<Inrush>(place, sql, format)),
        "inrush-collect" => block_on(threads, on_task::<Collecting>(place, sql, format)),
        "mysql_async" => block_on(threads, on_task::<MySqlAsync>(place, sql, format)),
        "sqlx" => block_on(threads, on_task::<Sqlx>(place, sql, format)),
        "inrush-blocking" => {
            let mut connection = Blocking::connect(&place)?;
            let stopwatch = Stopwatch::start();
            let sum = connection.read(&sql, format)?;
            Ok(stopwatch.stop(sum))
        }
        _ => Err(format!("no client `{client}`").into()),
    }
}

async fn on_task<C: Client>(place: Place, sql: String, format: Format) -> Result<Measured> {
    let mut connection = C::connect(&place).await?;
    let stopwatch = Stopwatch::start();
    let sum = connection.read(&sql, format).await?;
    Ok(stopwatch.stop(sum))
}
