//! sqlx, on a runtime of one thread.
//!
//! Its way of writing many rows is `QueryBuilder::push_values` (docs.rs/sqlx: "See `.push_values()` for an example of building a bulk
//! INSERT statement"; its FAQ names nothing faster for MySQL), values bound to statements of many rows; 65,535 values a statement at
//! most. Statements are prepared and cached by it, by their text.

use rust_peers::{Clock, Person, Result, Run, Server, Writer, serve};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlSslMode};
use sqlx::{ConnectOptions, MySql, QueryBuilder};
use tokio::runtime::Runtime;

fn main() {
    serve("sqlx", env!("SQLX_VERSION"), &[("sqlx push_values", &[])], |server| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let conn = runtime.block_on(options(server).connect())?;
        Ok(Client { conn, runtime })
    });
}

struct Client {
    // Goes before the runtime that it lives on.
    conn: MySqlConnection,
    runtime: Runtime,
}

impl Writer for Client {
    fn run(&mut self, run: &Run, rows: &[Person], clock: &mut Clock) -> Result<usize> {
        self.runtime.block_on(write(&mut self.conn, run, rows, clock))
    }
}

async fn write(conn: &mut MySqlConnection, run: &Run, rows: &[Person], clock: &mut Clock) -> Result<usize> {
    let head = run.head().replace("VALUES ", "");
    let mut stored = 0;
    clock.start();
    if run.is_once() {
        sqlx::raw_sql("START TRANSACTION").execute(&mut *conn).await?;
    }
    for rows in rows.chunks(run.statement_rows.min(MOST_ROWS)) {
        if clock.is_over() {
            break;
        }
        let mut insert = QueryBuilder::<MySql>::new(head.as_str());
        insert.push_values(rows, |mut row, (id, name, age, email, score, created)| {
            row.push_bind(id).push_bind(name).push_bind(age).push_bind(email).push_bind(score).push_bind(created);
        });
        insert.build().execute(&mut *conn).await?;
        stored += rows.len();
    }
    if run.is_once() {
        sqlx::raw_sql("COMMIT").execute(&mut *conn).await?;
    }
    Ok(stored)
}

fn options(server: &Server) -> MySqlConnectOptions {
    let options = MySqlConnectOptions::new()
        .username(&server.user)
        .password(&server.password)
        .database(&server.database)
        .ssl_mode(if server.tls { MySqlSslMode::Required } else { MySqlSslMode::Disabled });
    match &server.socket {
        Some(socket) => options.socket(socket),
        None => options.host(&server.host).port(server.port),
    }
}

/// Of six values each.
const MOST_ROWS: usize = 65_535 / 6;
