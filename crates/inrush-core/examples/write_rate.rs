//! How fast the writers of a batch are: nanoseconds a row, and how often slower than a plain copy of the bytes they make.
//!
//! `cargo run --release -p inrush-core --example write_rate [METHOD]` makes rows of the table bench_users (id, name, age, email, score, created) as
//! tuples and writes them several times by each method; the fastest run counts. Numbers are kept in docs/notes/write.md.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use inrush_core::bulk::write::load_data::LoadData;
use inrush_core::bulk::write::multi_statement::MultiStatement;
use inrush_core::bulk::write::text::{MultiRow, Row};
use inrush_core::bulk::write::{Command, Limits, Next, Writer};
use inrush_core::bulk::{RowSource, Template};
use inrush_core::convert::{BoundRows, Rows};
use inrush_core::session::Statement;
use inrush_core::value::column::{Column, ColumnType};
use inrush_core::wire::Value;
use inrush_core::wire::value::{Date, DateTime};
use std::hint::black_box;
use std::time::Instant;

const ROWS: usize = 5_000;
/// Short ones, so that some fall between what else the machine does.
const RUNS: usize = 500;

type User = (i64, String, i32, String, f64, MyDateTime);

/// As the calendar types of other crates come to it.
#[derive(Clone, Copy)]
struct MyDateTime(DateTime);

impl inrush_core::convert::ToValue for MyDateTime {
    fn to_value(&self) -> Value<'_> {
        Value::DateTime(self.0)
    }
}

fn main() {
    let users: Vec<User> = (0..ROWS).map(user).collect();
    let statement =
        Statement::new("INSERT INTO bench_users (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)")
            .unwrap();
    let template = Template::parse(&statement);
    let limits = Limits { bytes: 1 << 20, max_bytes: 1 << 24, rows: usize::MAX };
    let rows = users.bind(&[], 6).unwrap();

    let ask = fastest(|| {
        let mut values = Vec::new();
        for row in 0..ROWS {
            values.clear();
            rows.row(row, &mut values).unwrap();
            black_box(&values);
        }
    });
    println!("values  {:6.1} ns a row", ask);
    let only = std::env::args().nth(1);
    let report = |name: &str, rows: &dyn BoundRows, writer: &dyn Fn() -> Box<dyn Writer>| {
        if only.as_ref().is_none_or(|only| only == name) {
            report(name, rows, writer);
        }
    };
    report("multi-row", &*rows, &|| Box::new(MultiRow::new(&statement, &template, limits, true).unwrap()));
    report("row", &*rows, &|| Box::new(Row::new(&statement, limits, true).unwrap()));
    report("multi-statement", &*rows, &|| Box::new(MultiStatement::new(&statement, &template, limits, true).unwrap()));
    if only.as_ref().is_none_or(|only| only == "load-data") {
        let load = LoadData::new(&statement, &template, &columns()).unwrap();
        let mut out = Vec::new();
        let ns = fastest(|| {
            let mut row = 0;
            while row < ROWS {
                out.clear();
                row += load.encode(&*rows, row..ROWS, 1 << 20, &mut out).unwrap();
                black_box(&out);
            }
        });
        println!("load-data       {ns:6.1} ns a row");
    }
    if only.is_none() {
        let parse = fastest(|| {
            for _ in 0..ROWS {
                black_box(Template::parse(black_box(&statement)));
            }
        });
        println!("Template::parse {parse:6.1} ns a statement");
    }
}

fn report(name: &str, rows: &dyn BoundRows, writer: &dyn Fn() -> Box<dyn Writer>) {
    let mut bytes = 0;
    let ns = fastest(|| {
        let mut writer = writer();
        bytes = each_command(&mut *writer, rows, |text| drop(black_box(text)));
    });
    // As much as it makes, out of the processor's cache, into memory that is there.
    let source = vec![b'x'; bytes.min(1 << 20)];
    let mut target = source.clone();
    let copy = fastest(|| {
        for _ in 0..bytes.div_ceil(1 << 20) {
            target.copy_from_slice(black_box(&source));
            black_box(&target);
        }
    });
    println!("{name:<16}{ns:6.1} ns a row, {:.1} bytes; copy {copy:5.1} ns", bytes as f64 / ROWS as f64);
}

fn columns() -> Vec<Column> {
    let types = ["bigint", "varchar(64)", "int", "varchar(128)", "double", "datetime"];
    let column = |(name, ty): (&str, &str)| Column {
        charset: ty.starts_with("varchar").then(|| "utf8mb4".into()),
        ..Column::new(name, ColumnType::parse(ty))
    };
    ["id", "name", "age", "email", "score", "created"].into_iter().zip(types).map(column).collect()
}

fn each_command(writer: &mut dyn Writer, rows: &dyn BoundRows, mut each: impl FnMut(Vec<u8>)) -> usize {
    let (mut row, mut bytes) = (0, 0);
    while row < ROWS {
        let Next::Command { command: Command::Query(text), n_rows } =
            writer.next(RowSource::Bound(rows), row..ROWS, Vec::new()).unwrap()
        else {
            break;
        };
        row += n_rows;
        bytes += text.len();
        each(text);
    }
    bytes
}

fn fastest(mut run: impl FnMut()) -> f64 {
    let mut once = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_nanos()
    };
    (0..RUNS).map(&mut once).min().unwrap() as f64 / ROWS as f64
}

fn user(i: usize) -> User {
    let name = format!("{} {}", ["Ann", "Dora", "Quin"][i % 3], ["Abel", "Gruber", "Lopez", "Ito"][i % 4]);
    let email = format!("{}{}@example.com", name.to_lowercase().replace(' ', "."), i % 9973);
    let date = Date { year: 2000 + (i % 25) as u16, month: 1 + (i % 12) as u8, day: 1 + (i % 28) as u8 };
    let created = DateTime { date, hour: (i % 24) as u8, minute: (i % 60) as u8, second: (i % 59) as u8, micros: 0 };
    (i as i64, name, 18 + (i % 77) as i32, email, (i * 7919 % 100_000) as f64 / 100.0, MyDateTime(created))
}
