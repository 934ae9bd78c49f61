//! The `mysql` crate.
//!
//! `exec_batch` is the crate's own batch (docs.rs/mysql, `Queryable::exec_batch`: "Prepares the given statement, and executes it with each
//! item in the given params iterator. .. It will use `COM_STMT_BULK_EXECUTE` for MariaDb >= v10.2"); MySQL gets an execution a row. Where there is no bulk command, the crate has nothing for many rows: programs write statements of many rows, with
//! the values in them (`multi-row`) or bound (`multi-row-prepared`). Over TLS,
//! version 28.0.4 does not get MariaDB to take bulk executions (error 1295).

use mysql::prelude::Queryable;
use mysql::{Conn, OptsBuilder, Params, SslOpts, Value};
use rust_peers::{Clock, Person, Result, Run, Server, Writer, serve, text};

fn main() {
    let cases: [(&str, &[&str]); 3] =
        [("mysql exec_batch", &["no-tls"]), ("mysql multi-row", &[]), ("mysql multi-row-prepared", &[])];
    serve("mysql (Rust)", env!("MYSQL_VERSION"), &cases, |server| Ok(Client { conn: Conn::new(options(server))? }));
}

struct Client {
    conn: Conn,
}

impl Writer for Client {
    fn run(&mut self, run: &Run, rows: &[Person], clock: &mut Clock) -> Result<usize> {
        let conn = &mut self.conn;
        let (how, head) = (run.subject.as_str(), run.head());
        let is_prepared = how == "mysql multi-row-prepared";
        let statement_rows = run.statement_rows.min(rows.len()).min(if is_prepared { MOST_ROWS } else { usize::MAX });
        let n_placed = if is_prepared { statement_rows } else { 1 };
        let statement = conn.prep(run.insert(n_placed))?;
        let (mut sql, mut stored) = (String::new(), 0);
        clock.start();
        if run.is_once() {
            conn.query_drop("START TRANSACTION")?;
        }
        for rows in rows.chunks(statement_rows) {
            if clock.is_over() {
                break;
            }
            match how {
                "mysql exec_batch" => {
                    conn.exec_batch(&statement, rows.iter().map(|(a, b, c, d, e, f)| (a, b, c, d, e, f)))?
                }
                "mysql multi-row" => {
                    text::insert(&mut sql, &head, rows);
                    conn.query_drop(&sql)?;
                }
                _ if rows.len() == n_placed => conn.exec_drop(&statement, params(rows))?,
                _ => conn.exec_drop(run.insert(rows.len()), params(rows))?,
            }
            stored += rows.len();
        }
        if run.is_once() {
            conn.query_drop("COMMIT")?;
        }
        Ok(stored)
    }
}

fn options(server: &Server) -> OptsBuilder {
    let tls = SslOpts::default().with_danger_accept_invalid_certs(true).with_danger_skip_domain_validation(true);
    OptsBuilder::default()
        .ip_or_hostname(Some(&server.host))
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
