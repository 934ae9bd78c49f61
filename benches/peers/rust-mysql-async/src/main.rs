//! The mysql_async crate, inserting a CSV of bench_users: many rows a statement, one transaction for every 64,000 rows.
//!
//! `peer text|prepared FILE TABLE HOST PORT USER ROWS`, the password in PEER_PASSWORD. `text` writes the values into the statement;
//! `prepared` binds them, typed. (`exec_batch`, the crate's own batch, is one execution a row and far slower.)

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder, Params, Result, Value};
use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};

const COMMIT_ROWS: usize = 64_000;

fn main() -> Result<()> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [mode, file, table, host, port, user, rows] = &args[..] else { panic!("see the top of main.rs") };
    let options = OptsBuilder::default()
        .ip_or_hostname(host.as_str())
        .tcp_port(port.parse().unwrap())
        .user(Some(user.as_str()))
        .pass(env::var("PEER_PASSWORD").ok())
        // Over TCP, as inrush is measured.
        .prefer_socket(false);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(load(mode, file, table, rows.parse().unwrap(), options))
}

async fn load(mode: &str, file: &str, table: &str, rows: usize, options: OptsBuilder) -> Result<()> {
    let mut conn = Conn::new(options).await?;
    let head = format!("INSERT INTO {table} (id,name,age,email,score,created) VALUES ");
    let mut lines = BufReader::with_capacity(1 << 20, File::open(file).unwrap());
    let mut line = String::new();
    lines.read_line(&mut line).unwrap();
    let (mut sql, mut params, mut n, mut in_transaction) = (head.clone(), Vec::new(), 0, 0);
    let full = format!("{head}{}", vec!["(?,?,?,?,?,?)"; rows].join(","));
    conn.query_drop("START TRANSACTION").await?;
    loop {
        line.clear();
        let ended = lines.read_line(&mut line).unwrap() == 0;
        if !ended {
            let cells: Vec<&str> = line.trim_end().split(',').collect();
            if mode == "text" { append_text(&mut sql, &cells, n) } else { append_params(&mut params, &cells) }
            n += 1;
        }
        if n == rows || (ended && n > 0) {
            if mode == "text" {
                conn.query_drop(&sql).await?;
                sql.truncate(head.len());
            } else {
                let rest = format!("{head}{}", vec!["(?,?,?,?,?,?)"; n].join(","));
                let statement = if n == rows { &full } else { &rest };
                conn.exec_drop(statement, Params::Positional(std::mem::take(&mut params))).await?;
            }
            in_transaction += n;
            n = 0;
        }
        if ended || in_transaction >= COMMIT_ROWS {
            conn.query_drop("COMMIT").await?;
            if ended {
                return conn.disconnect().await;
            }
            conn.query_drop("START TRANSACTION").await?;
            in_transaction = 0;
        }
    }
}

fn append_text(sql: &mut String, cells: &[&str], n: usize) {
    sql.push_str(if n == 0 { "(" } else { ",(" });
    for (i, cell) in cells.iter().enumerate() {
        if i > 0 {
            sql.push(',');
        }
        if matches!(i, 0 | 2 | 4) {
            sql.push_str(cell);
            continue;
        }
        sql.push('\'');
        for letter in cell.chars() {
            if matches!(letter, '\'' | '\\') {
                sql.push('\\');
            }
            sql.push(letter);
        }
        sql.push('\'');
    }
    sql.push(')');
}

fn append_params(params: &mut Vec<Value>, cells: &[&str]) {
    params.push(cells[0].parse::<i64>().unwrap().into());
    params.push(cells[1].into());
    params.push(cells[2].parse::<i32>().unwrap().into());
    params.push(cells[3].into());
    params.push(cells[4].parse::<f64>().unwrap().into());
    params.push(cells[5].into());
}
