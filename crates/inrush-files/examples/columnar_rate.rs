//! Measures what the rows of a Parquet or Arrow file cost before they are sent: by the one reading thread (decoding), and by a lane's
//! thread, as it is (written straight) and as it would be (taken apart, checked, encoded); numbers in docs/notes/load-speed.md.
//!
//! `cargo run --release -p inrush-files --example columnar_rate FILE`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

mod clock;

use arrow_array::cast::AsArray;
use clock::cpu_time;
use inrush_core::column::Column;
use inrush_core::column::Rules;
use inrush_core::column::check::Check;
use inrush_core::load::checksum::checksum;
use inrush_core::load::encode::load_data;
use inrush_core::wire::ServerVersion;
use inrush_files::{CsvOptions, Format, open};
use std::hint::black_box;
use std::time::Duration;

fn main() {
    let path = std::env::args().nth(1).expect("a file");
    let mut best = [Duration::MAX; STEPS.len()];
    let (mut n_rows, mut n_bytes) = (0, 0);
    for _ in 0..ROUNDS {
        let mut file = open(&path, Format::Auto, &CsvOptions::default()).expect("a file");
        let rules = Rules::utc(ServerVersion::parse("9.7.4"));
        let fields = file.infer_types(1 << 20).expect("a file");
        let column = |field: inrush_files::Inferred| Column {
            nullable: field.nullable,
            optional: false,
            ..Column::new(field.name, field.ty)
        };
        let checks: Vec<Check> = fields.into_iter().map(|field| Check::new(&column(field), &rules)).collect();
        let (mut took, mut text) = ([Duration::ZERO; STEPS.len()], Vec::new());
        (n_rows, n_bytes) = (0, 0);
        loop {
            let start = cpu_time();
            let Some(raw_chunk) = file.next_raw_chunk().expect("rows") else { break };
            took[0] += cpu_time() - start;
            n_rows += raw_chunk.records();
            let start = cpu_time();
            let room = |bytes: usize| Vec::with_capacity(bytes);
            let (_, written) = raw_chunk.write(&checks, &room).expect("cells that fit");
            let end = cpu_time();
            let sum = checksum(&written);
            took[1] += end - start;
            took[2] += cpu_time() - end;
            n_bytes += written.len();
            let start = cpu_time();
            let batch = raw_chunk.parse().expect("a batch");
            let (mut bad, columns) = (Vec::new(), batch.rows.columns().iter().zip(&batch.known).zip(&checks));
            let columns: Vec<_> = columns
                .map(|((cells, known), check)| check.run_knowing(*known, cells.as_binary_view(), batch.utf8, &mut bad))
                .collect();
            text.clear();
            black_box(load_data::encode(&columns, &[], &mut text));
            took[3] += cpu_time() - start;
            assert!(sum == batch.checksum() && bad.is_empty());
        }
        best.iter_mut().zip(took).for_each(|(best, took)| *best = took.min(*best));
    }
    println!("{path}: {n_rows} rows, {} MB as text", n_bytes / 1_000_000);
    for (step, best) in STEPS.iter().zip(best) {
        println!("  {:7.2} ms a million rows  {step}", best.as_secs_f64() * 1e9 / n_rows as f64);
    }
}

const STEPS: [&str; 4] =
    ["decode", "write as the text of a LOAD", "sum that text", "take apart, check and encode, instead of writing"];

const ROUNDS: usize = 7;
