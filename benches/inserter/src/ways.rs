//! The ways of a row into the table.

use crate::measured::Stopwatch;
use crate::{Measured, Person, config};
use bench_lib::{Error, Place, Result};
use inrush::{Connection, Inserter, InserterOptions, Pool, ToValue, Value};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Barrier;

/// The limit: what one connection stores if all rows come in INSERTs of many.
pub(crate) async fn back_to_back(
    place: Place,
    people: Arc<Vec<Person>>,
    statement_rows: usize,
) -> Result<Vec<Measured>> {
    let mut connection = Connection::connect(&config(&place)).await?;
    let insert = connection.prepare(&place.insert_sql(statement_rows)).await?;
    if people.len() % statement_rows != 0 {
        return Err(format!("{} rows are no multiple of {statement_rows}", people.len()).into());
    }
    let mut latencies = Vec::with_capacity(people.len() / statement_rows);
    let mut values = Vec::with_capacity(6 * statement_rows);
    let mut stopwatch = Stopwatch::start();
    let n_warm_up = people.len().div_ceil(WARM_UP_SHARE).next_multiple_of(statement_rows);
    for (i, rows) in people.chunks(statement_rows).enumerate() {
        if i * statement_rows == n_warm_up {
            latencies.clear();
            stopwatch = Stopwatch::start();
        }
        let start = Instant::now();
        values.clear();
        rows.iter().for_each(|person| values.extend(values_of(person)));
        connection.execute(&insert, &values).await?;
        latencies.push(start.elapsed());
    }
    Ok(vec![stopwatch.stop(people.len() - n_warm_up, latencies)])
}

/// Each row by a connection of the pool.
pub(crate) async fn own(place: Place, people: Arc<Vec<Person>>, n_tasks: usize) -> Result<Vec<Measured>> {
    let way = Own { pool: Pool::new(config(&place))?, sql: place.insert_sql(1).into() };
    way.open().await?;
    by_tasks(way, people, n_tasks).await
}

/// Each row by the inserter.
pub(crate) async fn inserter(place: Place, people: Arc<Vec<Person>>, n_tasks: usize) -> Result<Vec<Measured>> {
    let inserter = Pool::new(config(&place))?.inserter_with(&place.table, &options())?;
    let measured = by_tasks(inserter.clone(), people, n_tasks).await?;
    inserter.close().await?;
    Ok(measured)
}

/// A lone task that takes both ways by turns, so that what the disk does at the time meets both. The first is that of `own`.
pub(crate) async fn paired(place: Place, people: Arc<Vec<Person>>) -> Result<Vec<Measured>> {
    let pool = Pool::new(config(&place))?;
    let own = Own { pool: pool.clone(), sql: place.insert_sql(1).into() };
    own.open().await?;
    let inserter = pool.inserter_with(&place.table, &options())?;
    let (mut of_own, mut of_inserter) = (Vec::new(), Vec::new());
    for (i, person) in people.iter().enumerate() {
        let start = Instant::now();
        // Own, inserter, inserter, own: neither is always behind the other.
        let latencies = if matches!(i % 4, 0 | 3) {
            own.insert(person).await?;
            &mut of_own
        } else {
            Way::insert(&inserter, person).await?;
            &mut of_inserter
        };
        latencies.push(start.elapsed());
        if i == people.len() / WARM_UP_SHARE {
            of_own.clear();
            of_inserter.clear();
        }
    }
    inserter.close().await?;
    Ok(vec![Measured::of(of_own), Measured::of(of_inserter)])
}

/// How a task's row gets stored.
trait Way: Clone + Send + Sync + 'static {
    fn insert(&self, person: &Person) -> impl Future<Output = Result<()>> + Send;
}

/// Divides the rows among the tasks. All of them insert a share before the clock runs, then start together.
async fn by_tasks(way: impl Way, people: Arc<Vec<Person>>, n_tasks: usize) -> Result<Vec<Measured>> {
    let n_each = people.len() / n_tasks;
    if n_each * n_tasks != people.len() || n_each < 2 {
        return Err(format!("{} rows cannot be divided among {n_tasks} tasks", people.len()).into());
    }
    let n_warm_up = n_each.div_ceil(WARM_UP_SHARE);
    let start = Arc::new(Barrier::new(n_tasks + 1));
    let mut tasks = Vec::with_capacity(n_tasks);
    for task in 0..n_tasks {
        let (way, people, start) = (way.clone(), Arc::clone(&people), Arc::clone(&start));
        tasks.push(tokio::spawn(async move {
            let (early, rest) = people[task * n_each..][..n_each].split_at(n_warm_up);
            for person in early {
                way.insert(person).await?;
            }
            start.wait().await;
            let mut latencies = Vec::with_capacity(rest.len());
            start.wait().await;
            for person in rest {
                let before = Instant::now();
                way.insert(person).await?;
                latencies.push(before.elapsed());
            }
            Ok::<_, Error>(latencies)
        }));
    }
    start.wait().await;
    // Before they may begin: on a single thread they could be over when this task has its next next.
    let stopwatch = Stopwatch::start();
    start.wait().await;
    let mut latencies: Vec<Duration> = Vec::with_capacity(people.len());
    for task in tasks {
        latencies.extend(task.await??);
    }
    Ok(vec![stopwatch.stop(latencies.len(), latencies)])
}

#[derive(Clone)]
struct Own {
    pool: Pool,
    sql: Arc<str>,
}

impl Own {
    /// Opens all connections of the pool.
    async fn open(&self) -> Result<()> {
        let mut opened = Vec::new();
        for _ in 0..crate::N_CONNECTIONS {
            opened.push(self.pool.get().await?);
        }
        Ok(())
    }
}

impl Way for Own {
    async fn insert(&self, (id, name, age, email, score, created): &Person) -> Result<()> {
        let mut connection = self.pool.get().await?;
        connection.execute(&*self.sql, (id, name, age, email, score, created)).await?;
        Ok(())
    }
}

impl Way for Inserter {
    async fn insert(&self, (id, name, age, email, score, created): &Person) -> Result<()> {
        Inserter::insert(self, (id, name, age, email, score, created)).await?;
        Ok(())
    }
}

fn options() -> InserterOptions {
    InserterOptions::new().with_columns(["id", "name", "age", "email", "score", "created"])
}

fn values_of((id, name, age, email, score, created): &Person) -> [Value<'_>; 6] {
    [id.to_value(), name.to_value(), age.to_value(), email.to_value(), score.to_value(), created.to_value()]
}

/// One row of so many is inserted before the clock runs.
const WARM_UP_SHARE: usize = 10;
