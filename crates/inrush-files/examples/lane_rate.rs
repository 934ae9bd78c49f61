//! Measures what the one reading thread does (read, cut) and what each lane's thread does (parse, check, encode), step by step,
//! against counting line feeds and against csv-core; numbers in docs/notes/csv.md.
//!
//! `cargo run --release -p inrush-files --example lane_rate [MILLIONS_OF_ROWS [STEP]]`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

mod clock;

use arrow_array::cast::AsArray;
use clock::cpu_time;
use inrush_core::column::Rules;
use inrush_core::column::check::{Check, CheckedColumn};
use inrush_core::column::{Column, ColumnType};
use inrush_core::load::encode::load_data;
use inrush_core::load::{Batch, Source};
use inrush_core::wire::ServerVersion;
use inrush_files::{CsvOptions, CsvReader, count_records};
use std::hint::black_box;
use std::io::{Cursor, Write};
use std::time::Duration;

fn main() {
    let n_rows = std::env::args().nth(1).map_or(1.0, |arg| arg.parse::<f64>().expect("a number")) * 1e6;
    for (name, quotes) in [("plain", ""), ("names quoted", "\"@"), ("all quoted", "\"\"")] {
        let text = t1(n_rows as u64, quotes);
        println!("{name}: {n_rows} rows, {} MB", text.len() / 1_000_000);
        let options = CsvOptions::default();
        let rows = n_rows as u64;
        let checks = checks();
        let mut out = Vec::new();
        let only = std::env::args().nth(2).unwrap_or_default();
        let mut times = Times { n_rows, bytes: text.len() as f64, only };

        times.show("count line feeds by memchr", || {
            assert_eq!(memchr::memchr_iter(b'\n', black_box(&text)).count() as u64, rows + 1);
        });
        times.show("cut", || {
            assert_eq!(count_records(black_box(&text), &options, COLUMNS.len()).expect("a dialect"), rows + 1);
        });
        times.show("read and cut", || {
            let mut reader = CsvReader::new("memory", Cursor::new(text.clone()), &options).expect("a reader");
            let mut records = 0;
            while let Some(raw_chunk) = reader.next_raw_chunk().expect("a raw chunk") {
                records += black_box(raw_chunk).records();
            }
            assert_eq!(records, rows);
        });
        times.show("csv-core, fields copied, nothing else", || assert_eq!(csv_core(black_box(&text)), rows));
        times.show_part("look at it, instead of all that follows", || {
            let mut reader = CsvReader::new("memory", Cursor::new(text.clone()), &options).expect("a reader");
            let mut took = Duration::ZERO;
            while let Some(raw_chunk) = reader.next_raw_chunk().expect("a raw chunk") {
                let start = cpu_time();
                let seen = black_box(raw_chunk.pass_through(&checks));
                took += cpu_time() - start;
                assert!(seen.is_some());
            }
            took
        });
        for (i, step) in LANE.iter().enumerate() {
            times.show_part(step, || {
                let mut reader = CsvReader::new("memory", Cursor::new(text.clone()), &options).expect("a reader");
                let mut took = [Duration::ZERO; LANE.len()];
                while let Some(raw_chunk) = reader.next_raw_chunk().expect("a raw chunk") {
                    // One behind the other, as in a load: what a step has looked at is near the processor for the next.
                    let start = cpu_time();
                    let batch = raw_chunk.parse().expect("a batch");
                    let parsed = cpu_time();
                    let columns = check(&checks, &batch);
                    let checked = cpu_time();
                    out.clear();
                    if black_box(load_data::batch_passes_through(&batch, &columns, &[])).is_none() {
                        black_box(load_data::encode(&columns, &[], &mut out));
                    }
                    let encoded = cpu_time();
                    out.clear();
                    black_box(load_data::encode(&columns, &[], &mut out));
                    let steps =
                        [parsed - start, checked - parsed, encoded - checked, encoded - parsed, cpu_time() - encoded];
                    took.iter_mut().zip(steps).for_each(|(took, step)| *took += step);
                }
                took[i]
            });
        }
    }
}

/// What a step takes.
struct Times {
    n_rows: f64,
    bytes: f64,
    /// How the steps begin that are run.
    only: String,
}

impl Times {
    /// The fastest of some runs, in processor time: other work on the machine disturbs that less than the clock on the wall.
    fn show(&mut self, step: &str, mut run: impl FnMut()) {
        self.show_part(step, || {
            let start = cpu_time();
            run();
            cpu_time() - start
        });
    }

    /// The same for a step that says itself what it took.
    fn show_part(&mut self, step: &str, mut run: impl FnMut() -> Duration) {
        if !step.starts_with(&self.only) {
            return;
        }
        let best = (0..ROUNDS).map(|_| run()).min().unwrap_or_default();
        let seconds = best.as_secs_f64();
        println!(
            "  {:7.2} ms a million rows {:7.2} GB/s  {step}",
            seconds * 1e9 / self.n_rows,
            self.bytes / seconds / 1e9
        );
    }
}

fn check(checks: &[Check], batch: &Batch) -> Vec<CheckedColumn> {
    let mut bad = Vec::new();
    let columns = checks.iter().zip(batch.rows.columns());
    let checked = columns.map(|(check, cells)| check.run(cells.as_binary_view(), batch.utf8, &mut bad)).collect();
    assert!(bad.is_empty());
    checked
}

fn checks() -> Vec<Check> {
    let rules = Rules::utc(ServerVersion::parse("9.7.4"));
    COLUMNS.iter().map(|(name, ty)| Check::new(&column(name, ty), &rules)).collect()
}

const COLUMNS: [(&str, &str); 6] = [
    ("id", "bigint"),
    ("name", "varchar(64)"),
    ("age", "int"),
    ("email", "varchar(128)"),
    ("score", "double"),
    ("created", "datetime"),
];

fn column(name: &str, ty: &str) -> Column {
    Column { nullable: false, optional: false, ..Column::new(name, ColumnType::parse(ty)) }
}

fn csv_core(text: &[u8]) -> u64 {
    let mut reader = csv_core::Reader::new();
    let (mut fields, mut ends) = (vec![0; 4096], vec![0; 64]);
    let (mut rest, mut rows) = (text, 0u64);
    loop {
        let (result, read, _, n) = reader.read_record(rest, &mut fields, &mut ends);
        rest = &rest[read..];
        match result {
            csv_core::ReadRecordResult::Record => {
                black_box(&ends[..n]);
                rows += 1;
            }
            csv_core::ReadRecordResult::End => return rows - 1,
            _ => {}
        }
    }
}

/// Rows like those of the table `bench_users`. `quotes` are those around the name and around all other fields; `@` is none.
fn t1(rows: u64, quotes: &str) -> Vec<u8> {
    let quote = |n: usize| quotes.get(n..=n).filter(|quote| *quote != "@").unwrap_or_default();
    let (q, o) = (quote(0), quote(1));
    let mut text = b"id,name,age,email,score,created\n".to_vec();
    for i in 0..rows {
        let (minute, second) = (i / 60 % 60, i % 60);
        writeln!(
            text,
            "{o}{i}{o},{q}user name {i}{q},{o}{}{o},{o}user{i}@example.com{o},{o}{}.{}{o},{o}2024-03-{:02} 10:{minute:02}:{second:02}{o}",
            i % 80 + 18,
            i % 100,
            i % 97,
            i % 28 + 1
        )
        .expect("memory is enough");
    }
    text
}

/// What a lane does with a raw chunk.
const LANE: [&str; 5] = [
    "parse: views, UTF-8",
    "check",
    "encode for load-data, unless the text will do as it stands",
    "check and encode",
    "encode for load-data in any case",
];

const ROUNDS: usize = 7;
