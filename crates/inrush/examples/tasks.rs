//! The async twin: the same verbs with `.await`, a pool, a transaction in a task, a query that may take no longer than so.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::{Config, Pool, Result};
use std::time::Duration;

#[tokio::main]
async fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let config =
        Config::from_url(&url)?.with_query_timeout(Some(Duration::from_millis(200))).with_kill_on_timeout(true);
    let pool = Pool::new(config)?;

    let tasks = (1..=20).map(|n| {
        let pool = pool.clone();
        tokio::spawn(async move {
            let mut connection = pool.get().await?;
            connection
                .transaction(async |tx| tx.query_one::<(u32,)>("SELECT CAST(? * ? AS UNSIGNED)", (n, n)).await)
                .await
        })
    });
    let mut sum = 0;
    for task in tasks.collect::<Vec<_>>() {
        let (square,) = task.await.map_err(|e| inrush::Error::new(inrush::Kind::Io, e.to_string()))??;
        sum += square;
    }
    println!("the squares to 20 sum up to {sum}");

    // The server is told to end it, and the connection stays good.
    let mut connection = pool.get().await?;
    if let Err(late) = connection.execute("SELECT SLEEP(10)", ()).await {
        println!("{late}");
    }
    let mut rows = connection.query_iter("SELECT 1 UNION SELECT 2", ()).await?;
    while let Some((n,)) = rows.next_as::<(u8,)>().await? {
        println!("row {n}");
    }
    drop(connection);
    println!("{:?}", pool.status());
    pool.close_and_wait(Duration::from_secs(5)).await;
    Ok(())
}
