//! What a verb costs this program: the same one many times on one connection; numbers in docs/notes/restructuring.md.
//!
//! `query_cost URL VERB SHELL N`, where VERB is `select` (SELECT 1 as text), `point` (a prepared statement with a value), `rows` (N rows
//! read one by one), `pool` (a connection got and given back) or `batch` (N rows in one batch) and SHELL is `blocking` or `tokio`. Run
//! under `valgrind --tool=callgrind` for two N: the difference is free of logins and the same on a busy machine.
#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use inrush::{Config, Connection, Error, Pool, Result, blocking};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, verb, shell, n] = &arguments[..] else {
        return Err(Error::config("usage: query_cost URL VERB SHELL N"));
    };
    let config = Config::parse(url)?;
    let n: u64 = n.parse().map_err(|_| Error::config("N is a number"))?;
    let sum = match shell.as_str() {
        "blocking" => in_thread(&config, verb, n)?,
        "tokio" => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(|e| Error::io("no runtime", e))?.block_on(in_task(&config, verb, n))?
        }
        _ => return Err(Error::config("SHELL is `blocking` or `tokio`")),
    };
    println!("{sum}");
    Ok(())
}

fn in_thread(config: &Config, verb: &str, n: u64) -> Result<u64> {
    let mut connection = blocking::Connection::connect(config)?;
    let mut sum = 0;
    match verb {
        "select" => {
            for _ in 0..n {
                sum += connection.query_one::<(u64,)>("SELECT 1", ())?.0;
            }
        }
        "point" => {
            let point = connection.prepare("SELECT ? + 1")?;
            for value in 0..n {
                sum += connection.query_one::<(u64,)>(&point, (value,))?.0;
            }
        }
        "rows" => {
            let mut rows = connection.query_iter(&series(n), ())?;
            while let Some((value,)) = rows.next_as::<(u64,)>()? {
                sum += value;
            }
        }
        "pool" => {
            let pool = blocking::Pool::new(config)?;
            for _ in 0..n {
                sum += u64::from(pool.get()?.connection_id() > 0);
            }
        }
        "batch" => {
            connection.execute(TABLE, ())?;
            let rows: Vec<(u64, &str)> = (0..n).map(|value| (value, "twelve bytes")).collect();
            sum = connection.execute_batch("INSERT INTO query_cost VALUES (?, ?)", &rows)?.n_rows;
        }
        _ => return Err(Error::config("no such VERB")),
    }
    Ok(sum)
}

async fn in_task(config: &Config, verb: &str, n: u64) -> Result<u64> {
    let mut connection = Connection::connect(config).await?;
    let mut sum = 0;
    match verb {
        "select" => {
            for _ in 0..n {
                sum += connection.query_one::<(u64,)>("SELECT 1", ()).await?.0;
            }
        }
        "point" => {
            let point = connection.prepare("SELECT ? + 1").await?;
            for value in 0..n {
                sum += connection.query_one::<(u64,)>(&point, (value,)).await?.0;
            }
        }
        "rows" => {
            let mut rows = connection.query_iter(&series(n), ()).await?;
            while let Some((value,)) = rows.next_as::<(u64,)>().await? {
                sum += value;
            }
        }
        "pool" => {
            let pool = Pool::new(config)?;
            for _ in 0..n {
                sum += u64::from(pool.get().await?.connection_id() > 0);
            }
        }
        "batch" => {
            connection.execute(TABLE, ()).await?;
            let rows: Vec<(u64, &str)> = (0..n).map(|value| (value, "twelve bytes")).collect();
            sum = connection.execute_batch("INSERT INTO query_cost VALUES (?, ?)", &rows).await?.n_rows;
        }
        _ => return Err(Error::config("no such VERB")),
    }
    Ok(sum)
}

/// A statement of `n` rows, a number each.
fn series(n: u64) -> String {
    let digits = "(SELECT 0 AS d UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4)";
    let tables: Vec<_> = (0..8).map(|idx| format!("{digits} AS d{idx}")).collect();
    format!("SELECT d0.d FROM {} LIMIT {n}", tables.join(", "))
}

const TABLE: &str = "CREATE TEMPORARY TABLE query_cost (id BIGINT, text VARCHAR(20))";
