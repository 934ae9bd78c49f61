//! How fast cells become keys: nanoseconds a cell.
//!
//! `cargo run --release -p inrush-core --features loader --example order_rate`; the fastest of several runs counts. Numbers are in
//! docs/notes/sort-order.md.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use inrush_core::column::order::KeyPart;
use inrush_core::column::{Column, ColumnType};
use std::hint::black_box;
use std::time::Instant;

const CELLS: usize = 20_000;
const RUNS: usize = 25;

fn main() {
    let number = |at: usize| at.wrapping_mul(2_654_435_761) % 1_000_000_007;
    let email = |at: usize| format!("user{}.name@example.com", number(at));
    let uuid = |at: usize| format!("{:08x}-0000-4000-8000-{:012x}", number(at), number(at + 7));
    measure("int", None, |at| (number(at) % 100_000_000).to_string());
    measure("bigint", None, |at| (number(at) * 1_000_000_007).to_string());
    measure("decimal(12,2)", None, |at| format!("{}.{:02}", number(at), at % 100));
    measure("decimal(30,2)", None, |at| format!("{}.{:02}", number(at), at % 100));
    measure("decimal(65,2)", None, |at| format!("{}.{:02}", number(at), at % 100));
    measure("double", None, |at| format!("{}.{:02}", number(at), at % 100));
    measure("date", None, |at| format!("20{:02}-{:02}-{:02}", at % 30, at % 12 + 1, at % 28 + 1));
    measure("datetime", None, |at| {
        format!("20{:02}-{:02}-{:02} {:02}:07:{:02}", at % 30, at % 12 + 1, at % 28 + 1, at % 24, at % 60)
    });
    measure("time", None, |at| format!("{:02}:07:{:02}", at % 24, at % 60));
    measure("binary(16)", None, |at| format!("{:016}", number(at)));
    measure("uuid", None, uuid);
    measure("inet6", None, |at| format!("2001:db8::{:x}", at % 0xffff));
    measure("enum('new','open','done')", None, |at| ["new", "open", "done"][at % 3].to_owned());
    for collation in [
        "utf8mb4_bin",
        "utf8mb4_0900_bin",
        "latin1_swedish_ci",
        "utf8mb4_general_ci",
        "utf8mb4_0900_ai_ci",
        "utf8mb4_0900_as_cs",
        "utf8mb4_unicode_ci",
    ] {
        measure("varchar(60)", Some(collation), email);
        measure("varchar(10)", Some(collation), |at| format!("{:08}", number(at)));
    }
    let column = column("binary(16)");
    let part = KeyPart::of_expression(&column, "UNHEX(REPLACE(@,'-',''))", None, false).unwrap();
    rate("UNHEX(REPLACE(..))", &part, uuid);
}

fn column(ty: &str) -> Column {
    Column { nullable: false, ..Column::new("c", ColumnType::parse(ty)) }
}

fn measure(ty: &str, collation: Option<&str>, cell: impl Fn(usize) -> String) {
    let part = KeyPart::of(&column(ty), collation, None, false).unwrap();
    rate(&format!("{ty} {}", collation.unwrap_or_default()), &part, cell);
}

fn rate(what: &str, part: &KeyPart, cell: impl Fn(usize) -> String) {
    let cells: Vec<String> = (0..CELLS).map(cell).collect();
    let mut key = Vec::new();
    let mut fastest = f64::INFINITY;
    for _ in 0..RUNS {
        key.clear();
        let start = Instant::now();
        for cell in &cells {
            part.append(Some(cell.as_bytes()), &mut key);
        }
        fastest = fastest.min(start.elapsed().as_nanos() as f64);
        black_box(&key);
    }
    let per_cell = CELLS as f64;
    println!("{what:36} {:6.1} ns  {:5.1} bytes", fastest / per_cell, key.len() as f64 / per_cell);
}
