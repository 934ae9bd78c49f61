//! How fast rows are read: nanoseconds a row as a tuple, as a derived struct's columns are picked, and into Arrow.
//!
//! `cargo run --release -p inrush-core --example row_rate` makes rows of the table bench_users (id, name, age, email, score,
//! created), as text and in binary form, and reads them several times; the fastest run counts. Numbers are kept in
//! docs/notes/types.md.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use inrush_core::convert::FromRow;
use inrush_core::convert::arrow::{ArrowOptions, Batches};
use inrush_core::wire::lenenc::put_bytes;
use inrush_core::wire::{ColumnDef, ColumnFlags, ColumnType, DateTime, Row, RowFormat};
use std::hint::black_box;
use std::time::Instant;

const ROWS: usize = 100_000;
const RUNS: usize = 9;

type User<'r> = (u64, &'r str, i32, &'r str, f64, DateTime);

fn main() {
    let columns = columns();
    for format in [RowFormat::Text, RowFormat::Binary] {
        let bodies: Vec<_> = (0..ROWS).map(|i| body(i, format)).collect();
        let rows = || bodies.iter().map(|body| Row::new(&columns, body, format));
        report(format, "values", || rows().map(|row| row.values().filter(Result::is_ok).count()).sum());
        report(format, "tuple", || rows().map(|row| User::from_row(row).unwrap().1.len()).sum());
        report(format, "pick", || {
            let names = ["id", "name", "age", "email", "score", "created"];
            rows().map(|row| row.pick(&names).unwrap()[5].0).sum()
        });
        report(format, "arrow", || {
            let mut batches = Batches::new(&columns, &ArrowOptions::default());
            let full: usize = rows().filter_map(|row| batches.push(row).unwrap()).map(|batch| batch.num_rows()).sum();
            full + batches.finish().unwrap().unwrap().num_rows()
        });
    }
}

fn report(format: RowFormat, what: &str, read: impl Fn() -> usize) {
    let run = |_| {
        let start = Instant::now();
        black_box(read());
        start.elapsed().as_nanos() as usize / ROWS
    };
    println!("{format:?} {what:<7} {:>4} ns a row", (0..RUNS).map(run).min().unwrap());
}

fn columns() -> Vec<ColumnDef> {
    use ColumnType::*;
    let types = [
        ("id", MYSQL_TYPE_LONGLONG),
        ("name", MYSQL_TYPE_VAR_STRING),
        ("age", MYSQL_TYPE_LONG),
        ("email", MYSQL_TYPE_VAR_STRING),
        ("score", MYSQL_TYPE_DOUBLE),
        ("created", MYSQL_TYPE_DATETIME),
    ];
    let column = |(name, ty): (&str, ColumnType)| ColumnDef {
        name: name.to_owned(),
        table: String::new(),
        schema: String::new(),
        collation: if ty == MYSQL_TYPE_VAR_STRING { 45 } else { 63 },
        length: 64,
        ty,
        flags: ColumnFlags::empty(),
        decimals: 0,
    };
    types.map(column).to_vec()
}

fn body(i: usize, format: RowFormat) -> Vec<u8> {
    let (name, email) = (format!("user number {i}"), format!("user.{i}@mail.example.org"));
    let (age, score) = (18 + i as i32 % 60, i as f64 / 8.0);
    let mut body = Vec::new();
    if format == RowFormat::Text {
        let created = format!("2024-02-29 {:02}:{:02}:00", i % 24, i % 60);
        for text in [i.to_string(), name, age.to_string(), email, score.to_string(), created] {
            put_bytes(&mut body, text.as_bytes());
        }
    } else {
        body.extend([0, 0]);
        body.extend((i as u64).to_le_bytes());
        put_bytes(&mut body, name.as_bytes());
        body.extend(age.to_le_bytes());
        put_bytes(&mut body, email.as_bytes());
        body.extend(score.to_le_bytes());
        body.extend([7, 0xE8, 0x07, 2, 29, (i % 24) as u8, (i % 60) as u8, 0]);
    }
    body
}
