//! The `mysql_async` crate, on a runtime of one thread.
//!
//! As for `mysql`: `exec_batch` is the crate's own batch (docs.rs/mysql_async, `Queryable::exec_batch`; MariaDB gets bulk executions), and
//! beside it statements of many rows that a program makes itself, with the values in them or bound. One thread, since one connection
//! has nothing for a second one to do.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder, Params, SslOpts, Value};
use rust_peers::{Clock, Person, Result, Run, Server, Writer, serve, text};
use tokio::runtime::Runtime;

fn main() {
    let cases: [(&str, &[&str]); 3] =
        [("mysql_async exec_batch", &[]), ("mysql_async multi-row", &[]), ("mysql_async multi-row-prepared", &[])];
    serve("mysql_async", env!("MYSQL_ASYNC_VERSION"), &cases, |server| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let conn = runtime.block_on(Conn::new(options(server)))?;
        Ok(Client { conn, runtime })
    });
}

struct Client {
    // Goes before the runtime that it lives on.
    conn: Conn,
    runtime: Runtime,
}

impl Writer for Client {
    fn run(&mut self, run: &Run, rows: &[Person], clock: &mut Clock) -> Result<usize> {
        self.runtime.block_on(write(&mut self.conn, run, rows, clock))
    }
}

async fn write(conn: &mut Conn, run: &Run, rows: &[Person], clock: &mut Clock) -> Result<usize> {
    let (how, head) = (run.subject.as_str(), run.head());
    let is_prepared = how == "mysql_async multi-row-prepared";
    let statement_rows = run.statement_rows.min(rows.len()).min(if is_prepared { MOST_ROWS } else { usize::MAX });
    let n_placed = if is_prepared { statement_rows } else { 1 };
    let statement = conn.prep(run.insert(n_placed)).await?;
    let (mut sql, mut stored) = (String::new(), 0);
    clock.start();
    if run.is_once() {
        conn.query_drop("START TRANSACTION").await?;
    }
    for rows in rows.chunks(statement_rows) {
        if clock.is_over() {
            break;
        }
        match how {
            "mysql_async exec_batch" => {
                let values = rows.iter().map(|(a, b, c, d, e, f)| (a, b, c, d, e, f));
                conn.exec_batch(&statement, values).await?;
            }
            "mysql_async multi-row" => {
                text::insert(&mut sql, &head, rows);
                conn.query_drop(&sql).await?;
            }
            _ if rows.len() == n_placed => conn.exec_drop(&statement, params(rows)).await?,
            _ => conn.exec_drop(run.insert(rows.len()), params(rows)).await?,
        }
        stored += rows.len();
    }
    if run.is_once() {
        conn.query_drop("COMMIT").await?;
    }
    Ok(stored)
}

fn options(server: &Server) -> OptsBuilder {
    let tls = SslOpts::default().with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true);
    OptsBuilder::default()
        .ip_or_hostname(&server.host)
        .tcp_port(server.port)
        .socket(server.socket.as_ref())
        .user(Some(&server.user))
        .pass(Some(&server.password))
        .db_name(Some(&server.database))
        .ssl_opts(server.tls.then_some(tls))
        // What is said is what is meant.
        .prefer_socket(false)
}

fn params(rows: &[Person]) -> Params {
    let mut values: Vec<Value> = Vec::with_capacity(6 * rows.len());
    for (id, name, age, email, score, created) in rows {
        let email = email.as_deref();
        values.extend([id.into(), name.as_str().into(), age.into(), email.into(), score.into(), (*created).into()]);
    }
    Params::Positional(values)
}

/// Of six values each: a statement takes 65,535 of them.
const MOST_ROWS: usize = 65_535 / 6;
