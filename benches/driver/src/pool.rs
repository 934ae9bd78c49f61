//! `pool`: tasks that take a connection from a pool of ten and give it back. A single task waits for no other task and sends no query: this
//! measures the cost of the pool itself. Several do SELECT 1 with each connection, and wait for each other.
//!
//! deadpool and bb8 lend connections of inrush, so that only the pools differ; mysql_async's pool lends its own.

use crate::clients::{Client, Inrush, MySqlAsync, config, options};
use crate::measured::Stopwatch;
use crate::{Error, Measured, Place, Result, block_on};
use inrush::PoolOptions;
use std::future::Future;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Barrier;

pub(crate) fn run(place: &Place, pool: &str, threads: usize, n_tasks: usize, n: usize) -> Result<Measured> {
    let place = place.clone();
    match pool {
        "inrush" => block_on(threads, async move { lend(inrush(&place)?, n_tasks, n).await }),
        "deadpool" => block_on(threads, async move { lend(deadpool(place)?, n_tasks, n).await }),
        "bb8" => block_on(threads, async move { lend(bb8(place).await?, n_tasks, n).await }),
        "mysql_async" => block_on(threads, async move { lend(mysql_async(&place)?, n_tasks, n).await }),
        _ => Err(format!("no pool `{pool}`").into()),
    }
}

/// What a pool does.
trait Lends: Clone + Send + Sync + 'static {
    type Lent: Send;

    fn lend(&self) -> impl Future<Output = Result<Self::Lent>> + Send;

    fn select1(lent: &mut Self::Lent) -> impl Future<Output = Result<u64>> + Send;
}

async fn lend<P: Lends>(pool: P, n_tasks: usize, n: usize) -> Result<Measured> {
    // All connections are opened before the clock starts.
    let mut opened = Vec::new();
    for _ in 0..N_CONNECTIONS {
        opened.push(pool.lend().await?);
    }
    drop(opened);
    let start = Arc::new(Barrier::new(n_tasks + 1));
    let mut tasks = Vec::new();
    for _ in 0..n_tasks {
        let (pool, start) = (pool.clone(), Arc::clone(&start));
        tasks.push(tokio::spawn(async move {
            let mut waits = Vec::with_capacity(n / n_tasks);
            start.wait().await;
            for _ in 0..n / n_tasks {
                let before = Instant::now();
                let mut connection = pool.lend().await?;
                if n_tasks > 1 {
                    waits.push(before.elapsed());
                    P::select1(&mut connection).await?;
                } else {
                    drop(connection);
                    waits.push(before.elapsed());
                }
            }
            Ok::<_, Error>(waits)
        }));
    }
    // Before they may begin: on a single thread they could be over when this task has its next next.
    let stopwatch = Stopwatch::start();
    start.wait().await;
    let mut waits = Vec::with_capacity(n);
    for task in tasks {
        waits.extend(task.await??);
    }
    Ok(stopwatch.stop(waits.len() as u64).with_steps(waits))
}

fn inrush(place: &Place) -> Result<inrush::Pool> {
    // It watches what users change in a session anyway, and resets it only then.
    Ok(inrush::Pool::new(config(place).with_pool(PoolOptions::new().with_max(N_CONNECTIONS)))?)
}

impl Lends for inrush::Pool {
    type Lent = inrush::PooledConnection;

    async fn lend(&self) -> Result<Self::Lent> {
        Ok(self.get().await?)
    }

    async fn select1(lent: &mut Self::Lent) -> Result<u64> {
        Client::select1(&mut **lent).await
    }
}

struct Manager(Place);

fn deadpool(place: Place) -> Result<deadpool::managed::Pool<Manager>> {
    Ok(deadpool::managed::Pool::builder(Manager(place)).max_size(N_CONNECTIONS).build()?)
}

impl deadpool::managed::Manager for Manager {
    type Type = Inrush;
    type Error = inrush::Error;

    async fn create(&self) -> Result<Inrush, inrush::Error> {
        Inrush::connect(&config(&self.0)).await
    }

    async fn recycle(
        &self,
        connection: &mut Inrush,
        _: &deadpool::managed::Metrics,
    ) -> deadpool::managed::RecycleResult<inrush::Error> {
        match connection.session().is_dead() {
            false => Ok(()),
            true => Err(deadpool::managed::RecycleError::message("dead")),
        }
    }
}

impl Lends for deadpool::managed::Pool<Manager> {
    type Lent = deadpool::managed::Object<Manager>;

    async fn lend(&self) -> Result<Self::Lent> {
        Ok(self.get().await?)
    }

    async fn select1(lent: &mut Self::Lent) -> Result<u64> {
        Client::select1(&mut **lent).await
    }
}

async fn bb8(place: Place) -> Result<bb8::Pool<Manager>> {
    // What bb8 asks before each use otherwise is a round trip.
    let builder = bb8::Pool::builder().max_size(N_CONNECTIONS as u32).test_on_check_out(false);
    Ok(builder.build(Manager(place)).await?)
}

impl bb8::ManageConnection for Manager {
    type Connection = Inrush;
    type Error = inrush::Error;

    async fn connect(&self) -> Result<Inrush, inrush::Error> {
        Inrush::connect(&config(&self.0)).await
    }

    async fn is_valid(&self, connection: &mut Inrush) -> Result<(), inrush::Error> {
        connection.ping().await
    }

    fn has_broken(&self, connection: &mut Inrush) -> bool {
        connection.session().is_dead()
    }
}

impl Lends for bb8::Pool<Manager> {
    type Lent = bb8::PooledConnection<'static, Manager>;

    async fn lend(&self) -> Result<Self::Lent> {
        // `get` lends for as long as the pool is borrowed, which is too short for a type of its own.
        Ok(self.get_owned().await?)
    }

    async fn select1(lent: &mut Self::Lent) -> Result<u64> {
        Client::select1(&mut **lent).await
    }
}

fn mysql_async(place: &Place) -> Result<mysql_async::Pool> {
    let constraints = mysql_async::PoolConstraints::new(N_CONNECTIONS, N_CONNECTIONS).ok_or("no constraints")?;
    // Without the reset on return, which is a round trip.
    let pool = mysql_async::PoolOpts::new().with_constraints(constraints).with_reset_connection(false);
    Ok(mysql_async::Pool::new(options(place).pool_opts(pool)))
}

impl Lends for mysql_async::Pool {
    type Lent = MySqlAsync;

    async fn lend(&self) -> Result<MySqlAsync> {
        Ok(self.get_conn().await?)
    }

    async fn select1(lent: &mut MySqlAsync) -> Result<u64> {
        Client::select1(lent).await
    }
}

const N_CONNECTIONS: usize = 10;
