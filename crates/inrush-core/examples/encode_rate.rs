//! How fast checks and encoders are: nanoseconds a cell, and how often slower than a plain copy of the same bytes.
//!
//! `cargo run --release -p inrush-core --example encode_rate` makes a million rows of the table bench_users (id, name, age, email,
//! score, created; about 70 bytes) as batches of binary views into one text, as the CSV reader makes them, and runs each step
//! several times; the fastest run counts. Numbers are kept in docs/notes/encode.md.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use arrow_array::BinaryViewArray;
use arrow_array::builder::make_view;
use arrow_buffer::{Buffer, ScalarBuffer};
use inrush_core::bulk::encode::{Layout, load_data};
use inrush_core::bulk::write::text::MultiRow;
use inrush_core::bulk::write::{Bulk, Limits, MultiRowPrepared, Next, Writer};
use inrush_core::bulk::{CheckedRows, RowSource};
use inrush_core::value::Rules;
use inrush_core::value::check::{Check, CheckedColumn};
use inrush_core::value::column::{Column, ColumnType};
use inrush_core::wire::ServerVersion;
use std::fmt::Write;
use std::hint::black_box;
use std::time::Instant;

const ROWS: usize = 1_000_000;
const BATCH: usize = 50_000;
const RUNS: usize = 7;
const COLUMNS: [(&str, &str); 6] = [
    ("id", "bigint"),
    ("name", "varchar(64)"),
    ("age", "int"),
    ("email", "varchar(128)"),
    ("score", "double"),
    ("created", "datetime"),
];

fn main() {
    let batches: Vec<Vec<BinaryViewArray>> = (0..ROWS / BATCH).map(batch).collect();
    let bytes: usize = batches.iter().flatten().flat_map(|c| c.iter().flatten()).map(<[u8]>::len).sum();
    println!("{ROWS} rows, {} columns, {bytes} bytes of cells", COLUMNS.len());

    let mut target = vec![0u8; bytes / batches.len()];
    let source = target.clone();
    let copy = fastest(|| {
        for _ in &batches {
            target.copy_from_slice(black_box(&source));
            black_box(&target);
        }
    });
    report("copy", copy, copy, COLUMNS.len());

    let rules = Rules::utc(ServerVersion::parse("9.7.4"));
    let columns = COLUMNS.map(|(name, ty)| column(name, ty));
    let checks = columns.each_ref().map(|column| Check::new(column, &rules));
    for (i, check) in checks.iter().enumerate() {
        let seconds = fastest(|| {
            for batch in &batches {
                black_box(check.run(&batch[i], true, &mut Vec::new()));
            }
        });
        report(&format!("check {}", check.column().ty), seconds, copy, 1);
    }
    let all = fastest(|| {
        for batch in &batches {
            black_box(run_checks(&checks, batch));
        }
    });
    report("check all", all, copy, COLUMNS.len());

    let checked: Vec<Vec<CheckedColumn>> = batches.iter().map(|batch| run_checks(&checks, batch)).collect();
    let mut out = Vec::new();
    let load = fastest(|| {
        for columns in &checked {
            out.clear();
            black_box(load_data::encode(columns, &[], &mut out));
        }
    });
    report("encode load-data", load, copy, COLUMNS.len());
    let insert = Layout::plain(&columns).insert("INSERT INTO", "`bench_users`", "");
    let limits = Limits { bytes: 1 << 20, max_bytes: 1 << 24, rows: usize::MAX };
    let writers: [(&str, Box<dyn Writer>); 3] = [
        ("multi-row", Box::new(MultiRow::of_insert(&insert, limits, true))),
        ("multi-row-prepared", Box::new(MultiRowPrepared::of_insert(&insert, limits).unwrap())),
        ("bulk", Box::new(Bulk::new(&insert.statement, limits, false).unwrap())),
    ];
    for (name, mut writer) in writers {
        let mut spare = Vec::new();
        let seconds = fastest(|| {
            for columns in &checked {
                let rows = CheckedRows::new(columns, BATCH, &[], &insert.uses);
                let mut from = 0;
                while from < BATCH {
                    let made = writer.next(RowSource::Checked(&rows), from..BATCH, std::mem::take(&mut spare)).unwrap();
                    let Next::Command { command, n_rows } = made else { break };
                    from += n_rows;
                    spare = command.into_buffer();
                    spare.clear();
                }
            }
        });
        report(&format!("encode {name}"), seconds, copy, COLUMNS.len());
    }
    println!("check and encode load-data: {:.3} s per million rows", all + load);
}

fn run_checks(checks: &[Check], batch: &[BinaryViewArray]) -> Vec<CheckedColumn> {
    let mut bad = Vec::new();
    let checked = checks.iter().zip(batch).map(|(check, cells)| check.run(cells, true, &mut bad)).collect();
    assert!(bad.is_empty());
    checked
}

fn fastest(mut step: impl FnMut()) -> f64 {
    let run = |_| {
        let begin = Instant::now();
        step();
        begin.elapsed().as_secs_f64()
    };
    (0..RUNS).map(run).fold(f64::INFINITY, f64::min)
}

fn report(step: &str, seconds: f64, copy: f64, n_columns: usize) {
    let ns = seconds * 1e9 / (ROWS * n_columns) as f64;
    println!("{step:24} {ns:6.2} ns a cell  {:6.1} x copy of all cells", seconds / copy);
}

/// The rows of one batch: one text, and views into it.
fn batch(number: usize) -> Vec<BinaryViewArray> {
    let mut text = String::new();
    let mut ranges: Vec<Vec<std::ops::Range<usize>>> = vec![Vec::new(); COLUMNS.len()];
    for row in number * BATCH..(number + 1) * BATCH {
        // Spreads lengths and digits without a random number generator.
        let mix = row.wrapping_mul(2_654_435_761) % 1_000_003;
        for (column, cells) in ranges.iter_mut().enumerate() {
            let start = text.len();
            match column {
                0 => write!(text, "{}", row + 1),
                1 => write!(text, "user_{mix:06}_{}", "abcdefgh".split_at(mix % 8).0),
                2 => write!(text, "{}", 18 + mix % 70),
                3 => write!(text, "user{mix}@example{}.com", mix % 17),
                4 => write!(text, "{}.{:02}", mix % 1000, mix % 97),
                _ => write!(
                    text,
                    "20{:02}-{:02}-{:02} {:02}:{:02}:{:02}",
                    mix % 25,
                    1 + mix % 12,
                    1 + mix % 28,
                    mix % 24,
                    mix % 60,
                    mix % 59
                ),
            }
            .unwrap();
            cells.push(start..text.len());
            text.push(if column + 1 < COLUMNS.len() { ',' } else { '\n' });
        }
    }
    let buffer = Buffer::from_vec(text.into_bytes());
    let column = |cells: Vec<std::ops::Range<usize>>| {
        let views = cells.into_iter().map(|cell| make_view(&buffer[cell.clone()], 0, cell.start as u32));
        BinaryViewArray::new(ScalarBuffer::from_iter(views), [buffer.clone()], None)
    };
    ranges.into_iter().map(column).collect()
}

fn column(name: &str, ty: &str) -> Column {
    Column { nullable: false, optional: false, ..Column::new(name, ColumnType::parse(ty)) }
}
