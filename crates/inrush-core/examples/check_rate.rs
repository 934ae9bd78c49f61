//! How fast the values of a batch are checked: nanoseconds a row, beside those of merely looking at each row.
//!
//! `cargo run --release -p inrush-core --example check_rate` makes rows of the table bench_users (id, name, age, email, score, created) as
//! a slice of tuples and checks them several times; the fastest run counts. Numbers are kept in docs/notes/column-checks.md.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use inrush_core::bulk::Validator;
use inrush_core::convert::{BoundRows, Rows};
use inrush_core::value::Rules;
use inrush_core::value::column::{Column, ColumnType};
use inrush_core::wire::{Date, DateTime, ServerVersion, Value};
use jiff::tz::TimeZone;
use std::hint::black_box;
use std::time::Instant;

const ROWS: usize = 100_000;
const RUNS: usize = 25;
const COLUMNS: [(&str, &str); 6] = [
    ("id", "bigint"),
    ("name", "varchar(64)"),
    ("age", "int"),
    ("email", "varchar(128)"),
    ("score", "double"),
    ("created", "datetime"),
];

fn main() {
    let typed: Vec<_> =
        (0..ROWS).map(|row| (row as i64, name(row), (row % 90) as i32, email(row), score(row), created(row))).collect();
    measure("typed values", &typed);
    let texts: Vec<[String; 6]> = (0..ROWS).map(texts).collect();
    measure("texts", &texts.iter().map(|row| row.each_ref().map(String::as_str)).collect::<Vec<_>>());
    let bytes: Vec<[Value<'_>; 6]> =
        texts.iter().map(|row| row.each_ref().map(|text| Value::Bytes(text.as_bytes()))).collect();
    measure("bytes of texts", &bytes);
}

fn measure(what: &str, rows: &impl Rows) {
    let columns = COLUMNS.map(|(name, ty)| column(name, ty));
    let rules = Rules::new(TimeZone::unknown(), ServerVersion::parse("9.7.4"));
    let validator = Validator::new(&columns.each_ref().map(Some), &rules);
    let rows = rows.bind(&[], COLUMNS.len()).unwrap();
    let looked = fastest(|| look_at(&*rows));
    let checked = fastest(|| {
        black_box(validator.check(&*rows).unwrap());
    });
    println!("{what:16} look {looked:6.1} ns a row, look and check {checked:6.1}");
    for (i, column) in columns.iter().enumerate() {
        let mut only = [None; COLUMNS.len()];
        only[i] = Some(column);
        let validator = Validator::new(&only, &rules);
        let checked = fastest(|| {
            black_box(validator.check(&*rows).unwrap());
        });
        println!("  {:14} {:6.1}", column.ty.to_string(), checked - looked);
    }
}

fn look_at(rows: &dyn BoundRows) {
    let mut values = Vec::new();
    for row in 0..rows.n_rows() {
        values.clear();
        rows.row(row, &mut values).unwrap();
        black_box(&values);
    }
}

fn fastest(mut step: impl FnMut()) -> f64 {
    let run = |_| {
        let begin = Instant::now();
        step();
        begin.elapsed().as_secs_f64()
    };
    (0..RUNS).map(run).fold(f64::INFINITY, f64::min) * 1e9 / ROWS as f64
}

/// Spreads lengths and digits without a random number generator.
fn mix(row: usize) -> usize {
    row.wrapping_mul(2_654_435_761) % 1_000_003
}

fn name(row: usize) -> String {
    format!("user_{:06}_{}", mix(row), "abcdefgh".split_at(mix(row) % 8).0)
}

fn email(row: usize) -> String {
    format!("user{}@example{}.com", mix(row), mix(row) % 17)
}

fn score(row: usize) -> f64 {
    (mix(row) % 100_000) as f64 / 100.0
}

fn created(row: usize) -> DateTime {
    let mix = mix(row);
    let date = Date { year: 2000 + (mix % 25) as u16, month: 1 + (mix % 12) as u8, day: 1 + (mix % 28) as u8 };
    DateTime { date, hour: (mix % 24) as u8, minute: (mix % 60) as u8, second: (mix % 59) as u8, micros: 0 }
}

fn texts(row: usize) -> [String; 6] {
    let (age, score, created) = (row % 90, score(row), created(row));
    [row.to_string(), name(row), age.to_string(), email(row), score.to_string(), Value::DateTime(created).to_string()]
}

fn column(name: &str, ty: &str) -> Column {
    Column { nullable: false, optional: false, ..Column::new(name, ColumnType::parse(ty)) }
}
