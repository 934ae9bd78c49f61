//! `pipelined`: single-row INSERTs, each an execution of a prepared statement, in one transaction.

use crate::clients::{MySqlAsync, config, options};
use crate::measured::Stopwatch;
use crate::{Measured, Place, Result, block_on};
use inrush::Statement;
use inrush::sans_io::session::pipeline::{Decision, NextCommand};
use mysql_async::prelude::Queryable;

pub(crate) fn run(place: &Place, client: &str, threads: usize, n_rows: usize) -> Result<Measured> {
    let (place, sql) = (place.clone(), place.insert_sql(1));
    match client {
        "inrush" => block_on(threads, pipelined(place, sql, n_rows)),
        "inrush-blocking" => pipelined_blocking(&place, &sql, n_rows),
        "inrush-one-by-one" => block_on(threads, one_by_one(place, sql, n_rows)),
        "mysql_async-batch" => block_on(threads, mysql_async_batch(place, sql, n_rows)),
        _ => Err(format!("no client `{client}`").into()),
    }
}

async fn pipelined(place: Place, sql: String, n_rows: usize) -> Result<Measured> {
    let mut connection = inrush::Connection::connect(&config(&place)).await?;
    let insert = connection.prepare(&sql).await?;
    let rows = rows(n_rows);
    let stopwatch = Stopwatch::start();
    connection.execute("START TRANSACTION", ()).await?;
    let mut left = rows.iter();
    let mut n_replies = 0;
    connection
        .pipeline_each(
            |next| choose(next, &insert, left.next()),
            |_, reply| {
                n_replies += reply?.affected();
                Ok(())
            },
        )
        .await?;
    connection.execute("COMMIT", ()).await?;
    Ok(stopwatch.stop(n_replies))
}

fn pipelined_blocking(place: &Place, sql: &str, n_rows: usize) -> Result<Measured> {
    let mut connection = inrush::blocking::Connection::connect(config(place))?;
    let insert = connection.prepare(sql)?;
    let rows = rows(n_rows);
    let stopwatch = Stopwatch::start();
    connection.execute("START TRANSACTION", ())?;
    let mut left = rows.iter();
    let mut n_replies = 0;
    connection.pipeline_each(
        |next| choose(next, &insert, left.next()),
        |_, reply| {
            n_replies += reply?.affected();
            Ok(())
        },
    )?;
    connection.execute("COMMIT", ())?;
    Ok(stopwatch.stop(n_replies))
}

fn choose(next: NextCommand<'_>, insert: &Statement, row: Option<&Person>) -> inrush::Result<Decision> {
    match row {
        Some((id, name, age, email, score, created)) => {
            next.execute(insert, (*id, name.as_str(), *age, email.as_str(), *score, created.as_str()))
        }
        None => next.end(),
    }
}

async fn one_by_one(place: Place, sql: String, n_rows: usize) -> Result<Measured> {
    let mut connection = inrush::Connection::connect(&config(&place)).await?;
    let rows = rows(n_rows);
    let stopwatch = Stopwatch::start();
    let mut n_replies = 0;
    connection.execute("START TRANSACTION", ()).await?;
    for (id, name, age, email, score, created) in &rows {
        n_replies +=
            connection.execute(&sql, (*id, name.as_str(), *age, email.as_str(), *score, created.as_str())).await?.affected;
    }
    connection.execute("COMMIT", ()).await?;
    Ok(stopwatch.stop(n_replies))
}

async fn mysql_async_batch(place: Place, sql: String, n_rows: usize) -> Result<Measured> {
    let mut connection = MySqlAsync::new(options(&place)).await?;
    let rows = rows(n_rows);
    let stopwatch = Stopwatch::start();
    connection.query_drop("START TRANSACTION").await?;
    let values = rows.iter().map(|(id, name, age, email, score, created)| (id, name, age, email, score, created));
    connection.exec_batch(sql, values).await?;
    connection.query_drop("COMMIT").await?;
    Ok(stopwatch.stop(n_rows as u64))
}

type Person = (i64, String, i32, String, f64, String);

/// The same rows in every program of this benchmark.
fn rows(n: usize) -> Vec<Person> {
    let row = |i: usize| {
        let (name, email) = (format!("Name {}", i % 1000), format!("name{i}@example.com"));
        (i as i64, name, 18 + (i % 77) as i32, email, (i % 100_000) as f64 / 4.0, "2024-02-29 12:34:56".to_owned())
    };
    (1..=n).map(row).collect()
}
