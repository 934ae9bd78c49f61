//! Measures how fast CSV is read from memory, by us and by the crates we might have used; numbers in docs/notes/csv.md.
//!
//! `cargo run --release -p inrush-files --example parse_rate [MILLIONS_OF_ROWS [SUBJECT]]`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

mod clock;

use clock::cpu_time;
use inrush_core::load::Source;
use inrush_files::{CsvOptions, CsvReader};
use std::hint::black_box;
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let rows = std::env::args().nth(1).map_or(1.0, |arg| arg.parse::<f64>().expect("a number")) * 1e6;
    for (name, quote) in [("plain", false), ("quoted names", true)] {
        let text = t1(rows as u64, quote);
        println!("{name}: {} rows, {} MB", rows as u64, text.len() / 1_000_000);
        let mut subjects: Vec<(&str, Subject)> = vec![
            ("read only", read_only),
            ("memchr2_iter, marks counted, nothing else", memchr2),
            ("csv-core, fields copied, no views, no UTF-8 check", csv_core),
            ("simd-csv zero-copy, no views, no UTF-8 check", simd_csv_zero_copy),
            ("simd-csv fields copied, no views, no UTF-8 check", simd_csv_copied),
            ("inrush, views built, UTF-8 checked", inrush),
        ];
        if let Some(wanted) = std::env::args().nth(2) {
            subjects.retain(|(subject, _)| subject.starts_with(&wanted));
        }
        let mut best = vec![Duration::MAX; subjects.len()];
        for _ in 0..ROUNDS {
            for (i, (_, subject)) in subjects.iter().enumerate() {
                let start = cpu_time();
                let n = black_box(subject(text.clone()));
                best[i] = best[i].min(cpu_time() - start);
                assert!(n == rows as u64 || subjects[i].0 == "read only", "{} read {n} rows", subjects[i].0);
            }
        }
        for ((subject, _), took) in subjects.iter().zip(best) {
            let seconds = took.as_secs_f64();
            let rate = text.len() as f64 / seconds / 1e6;
            println!("  {:7.1} ms of CPU per million rows  {rate:7.0} MB/s  {subject}", seconds * 1e9 / rows);
        }
    }
}

/// Reads the whole text, and says how many rows it found.
type Subject = fn(Arc<[u8]>) -> u64;

fn inrush(text: Arc<[u8]>) -> u64 {
    let mut reader = CsvReader::new("memory", Memory { text, at: 0 }, &CsvOptions::default()).expect("a reader");
    let mut rows = 0;
    while let Some(batch) = reader.next().expect("a batch") {
        assert!(batch.utf8 && batch.rejects.is_empty());
        rows += black_box(&batch).rows.num_rows() as u64;
    }
    rows
}

fn read_only(text: Arc<[u8]>) -> u64 {
    let mut buffer = vec![0; 256 << 10];
    let mut memory = Memory { text, at: 0 };
    let mut bytes = 0;
    loop {
        match memory.read(&mut buffer).expect("memory") {
            0 => return bytes,
            n => bytes += n as u64,
        }
        black_box(&buffer);
    }
}

fn memchr2(text: Arc<[u8]>) -> u64 {
    memchr::memchr2_iter(b',', b'\n', &text).filter(|&at| text[at] == b'\n').count() as u64 - 1
}

fn csv_core(text: Arc<[u8]>) -> u64 {
    let mut reader = csv_core::Reader::new();
    let (mut fields, mut ends) = (vec![0; 4096], vec![0; 64]);
    let (mut rest, mut rows) = (&text[..], 0u64);
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

fn simd_csv_zero_copy(text: Arc<[u8]>) -> u64 {
    let memory = Memory { text, at: 0 };
    let mut reader = simd_csv::ZeroCopyReaderBuilder::new().buffer_capacity(256 << 10).from_reader(memory);
    let mut rows = 0;
    while let Some(record) = reader.read_byte_record().expect("a record") {
        black_box(&record);
        rows += 1;
    }
    rows
}

fn simd_csv_copied(text: Arc<[u8]>) -> u64 {
    let memory = Memory { text, at: 0 };
    let mut reader = simd_csv::ReaderBuilder::new().buffer_capacity(256 << 10).from_reader(memory);
    let mut record = simd_csv::ByteRecord::new();
    let mut rows = 0;
    while reader.read_byte_record(&mut record).expect("a record") {
        black_box(&record);
        rows += 1;
    }
    rows
}

/// Rows like those of the table `bench_users`: a number, a name, an age, an address, a score, a time.
fn t1(rows: u64, quote: bool) -> Arc<[u8]> {
    let mut text = b"id,name,age,email,score,created\n".to_vec();
    let q = if quote { "\"" } else { "" };
    for i in 0..rows {
        let (minute, second) = (i / 60 % 60, i % 60);
        writeln!(
            text,
            "{i},{q}user name {i}{q},{},user{i}@example.com,{}.{},2024-03-{:02} 10:{minute:02}:{second:02}",
            i % 80 + 18,
            i % 100,
            i % 97,
            i % 28 + 1
        )
        .expect("memory is enough");
    }
    text.into()
}

struct Memory {
    text: Arc<[u8]>,
    at: usize,
}

impl Read for Memory {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = buf.len().min(self.text.len() - self.at);
        buf[..n].copy_from_slice(&self.text[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}

const ROUNDS: usize = 7;
