//! Pools: connections for many threads, and for many tasks.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::{Config, Error, PoolOptions, Result};
use std::thread;

fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let config = Config::from_url(&url)?.with_pool(PoolOptions::new().with_min(1).with_max(4));
    threads(&config)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| Error::io("cannot start a runtime", e))?.block_on(tasks(&config))
}

fn threads(config: &Config) -> Result<()> {
    let pool = inrush::blocking::Pool::new(config)?;
    thread::scope(|scope| {
        for n in 0..8 {
            let pool = pool.clone();
            // The connection goes back when it is dropped, here at the end of the statement.
            scope.spawn(move || pool.get()?.query_one::<(u32,)>("SELECT ? * 2", (n,)));
        }
    });
    println!("8 threads, at most {} connections", pool.status().max);
    Ok(())
}

async fn tasks(config: &Config) -> Result<()> {
    let pool = inrush::Pool::new(config)?;
    pool.get().await?.execute("SET @basket = 7", ()).await?;
    // As the next user finds it, the session is new.
    let (basket,) = pool.get().await?.query_one::<(Option<u32>,)>("SELECT @basket", ()).await?;
    println!("the next user finds {}", if basket.is_none() { "no basket" } else { "a basket" });
    pool.close();
    Ok(())
}
