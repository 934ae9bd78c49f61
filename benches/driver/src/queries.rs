//! `select1` and `point`: connections that each ask one question after the other.

use crate::clients::{Blocking, Client, Inrush, MySqlAsync, Sqlx};
use crate::measured::Stopwatch;
use crate::statements::point_sql;
use crate::{Error, Measured, Place, Result, block_on};
use std::str::FromStr;
use std::sync::Arc;
use std::thread;
use tokio::sync::Barrier;

/// What is asked.
#[derive(Clone, Copy)]
pub(crate) enum Question {
    Select1,
    Point,
}

impl FromStr for Question {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "select1" => Ok(Self::Select1),
            "point" => Ok(Self::Point),
            _ => Err(format!("no question `{name}`")),
        }
    }
}

/// `n` questions, shared out to the connections.
pub(crate) fn run(
    place: &Place,
    question: Question,
    client: &str,
    threads: usize,
    n_connections: usize,
    n: usize,
) -> Result<Measured> {
    let (place, n_each) = (place.clone(), n / n_connections);
    match client {
        "inrush" => block_on(threads, on_tasks::<Inrush>(place, question, n_connections, n_each)),
        "mysql_async" => block_on(threads, on_tasks::<MySqlAsync>(place, question, n_connections, n_each)),
        "sqlx" => block_on(threads, on_tasks::<Sqlx>(place, question, n_connections, n_each)),
        "inrush-blocking" => on_threads(&place, question, n_connections, n_each),
        _ => Err(format!("no client `{client}`").into()),
    }
}

async fn on_tasks<C: Client>(
    place: Place,
    question: Question,
    n_connections: usize,
    n_each: usize,
) -> Result<Measured> {
    let sql: Arc<str> = point_sql(&place).into();
    let start = Arc::new(Barrier::new(n_connections + 1));
    let mut tasks = Vec::new();
    for number in 0..n_connections {
        // One after the other: a storm of logins is not what is measured.
        let mut connection = C::connect(&place).await?;
        let (sql, start) = (Arc::clone(&sql), Arc::clone(&start));
        tasks.push(tokio::spawn(async move {
            start.wait().await;
            let mut sum = 0;
            for id in ids(number, n_each) {
                sum += match question {
                    Question::Select1 => connection.select1().await?,
                    Question::Point => connection.point(&sql, id).await?,
                };
            }
            Ok::<_, Error>(sum)
        }));
    }
    // Before they may begin: on a single thread they could be over when this task has its next turn.
    let stopwatch = Stopwatch::start();
    start.wait().await;
    let mut sum = 0;
    for task in tasks {
        sum += task.await??;
    }
    Ok(stopwatch.stop(sum))
}

fn on_threads(place: &Place, question: Question, n_connections: usize, n_each: usize) -> Result<Measured> {
    let sql = point_sql(place);
    let start = std::sync::Barrier::new(n_connections + 1);
    thread::scope(|scope| {
        let mut threads = Vec::new();
        for number in 0..n_connections {
            let mut connection = Blocking::connect(place)?;
            let (sql, start) = (&sql, &start);
            threads.push(scope.spawn(move || {
                start.wait();
                let mut sum = 0;
                for id in ids(number, n_each) {
                    sum += match question {
                        Question::Select1 => connection.select1()?,
                        Question::Point => connection.point(sql, id)?,
                    };
                }
                Ok::<_, Error>(sum)
            }));
        }
        let stopwatch = Stopwatch::start();
        start.wait();
        let mut sum = 0;
        for thread in threads {
            sum += thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(stopwatch.stop(sum))
    })
}

/// Ids of rows that are there, not in their order, the same for every client.
fn ids(number: usize, n: usize) -> impl Iterator<Item = u64> {
    (0..n).map(move |turn| ((number * 31 + turn * 7919) % N_ROWS + 1) as u64)
}

/// As many rows as `run` puts into the table at least.
const N_ROWS: usize = 10_000;
