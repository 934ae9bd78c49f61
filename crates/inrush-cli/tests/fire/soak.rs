//! One long load: the rate must not decay more than the server's own, and memory must not grow.
//!
//! Compiled by the feature `fire` only: it takes minutes, and the release build of the command (`FIRE_BINARY`).

use crate::place::Place;
use inrush_testkit::servers::{Server, for_benchmarks};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

#[test]
fn mysql_9_7() {
    soak("mysql-9.7");
}
#[test]
fn mariadb_10_11() {
    soak("mariadb-10.11");
}

#[allow(clippy::print_stdout, reason = "the numbers are the result")]
fn soak(family: &str) {
    let n_rows: u64 = std::env::var("FIRE_ROWS").expect("FIRE_ROWS: how many").parse().expect("FIRE_ROWS is a number");
    let n_blocks = (n_rows / BLOCK).max(1);
    let server = for_benchmarks().into_iter().find(|server| server.name == family).unwrap();
    let place = Place::new(server, "soak");
    place.sql(TABLE);
    let samples = load(&place, n_blocks);
    check(&place, n_blocks);
    let rates = rates(&samples);
    let most = samples.iter().map(|sample| sample.resident).max().unwrap_or(0);
    println!("{family}: {} rows in {:.0} s", n_blocks * BLOCK, samples.last().map_or(0.0, |sample| sample.seconds));
    place.sql(&format!("DROP TABLE rows_; {TABLE}"));
    let own_rates = own_rates(&place, n_blocks);
    let (ours, its) = (decay(&rates), decay(&own_rates));
    println!(
        "{family}: the rate of the last third is {ours:.2} of the one of the first; the server's own, {its:.2}; at most {most} KiB resident"
    );
    assert!(most < MOST_RESIDENT, "{most} KiB resident");
    assert!(ours > 0.85 * its.min(1.0), "the rate decays: {rates:?}; the server's own: {own_rates:?}");
}

/// What was seen at a moment of the load.
struct Sample {
    seconds: f64,
    rows: u64,
    /// KiB.
    resident: u64,
}

/// Loads a stream, and looks at it every five seconds.
#[allow(clippy::print_stdout, reason = "the numbers are the result")]
fn load(place: &Place, n_blocks: u64) -> Vec<Sample> {
    let binary = std::env::var("FIRE_BINARY").expect("FIRE_BINARY: the release build");
    let mut command = Command::new(binary);
    command.args(["load", "-", "--into", "rows_", "--no-progress", "-S"]).arg(&place.server.socket);
    command.args(["-u", &place.server.user, "-D", place.schema.name()]).env("INRUSH_PASSWORD", &place.server.password);
    command.env("HOME", place.folder.path()).stdin(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let feeder = thread::spawn(move || {
        stdin.write_all(b"id,value\n").unwrap();
        for block in 1..=n_blocks {
            stdin.write_all(text(block).as_bytes()).unwrap();
        }
    });
    let began = Instant::now();
    let mut samples = vec![Sample { seconds: 0.0, rows: 0, resident: 0 }];
    while child.try_wait().unwrap().is_none() {
        sleep(Duration::from_millis(100));
        if began.elapsed() < LOOK_EVERY * samples.len() as u32 {
            continue;
        }
        // The ledger's table is there once the load has begun, and shrinks when it ends.
        let stored = place.server.try_sql(&format!("SELECT SUM(n_rows) FROM `{}`.inrush_chunk", place.schema.name()));
        let rows = stored.ok().and_then(|rows| rows.first()?.first()?.parse().ok()).unwrap_or(0);
        let sample = Sample { seconds: began.elapsed().as_secs_f64(), rows, resident: resident(&child) };
        let last = samples.last().unwrap();
        if rows > last.rows {
            let rate = (rows - last.rows) as f64 / (sample.seconds - last.seconds);
            println!("{:>5.0} s {rows:>10} rows {rate:>9.0} rows/s {:>7} KiB", sample.seconds, sample.resident);
            samples.push(sample);
        }
    }
    assert!(child.wait().unwrap().success());
    feeder.join().unwrap();
    samples
}

/// Rows a second between one sample and the next.
fn rates(samples: &[Sample]) -> Vec<f64> {
    samples.windows(2).map(|two| (two[1].rows - two[0].rows) as f64 / (two[1].seconds - two[0].seconds)).collect()
}

/// How fast the server stores files of its own, as large as ten seconds of the load or so, one after the other.
fn own_rates(place: &Place, n_blocks: u64) -> Vec<f64> {
    let Server { file_dir, .. } = &place.server;
    let file = file_dir.join(format!("{}.csv", place.schema.name()));
    let part = (n_blocks / 12).max(1);
    let rate = |first: u64| {
        write_part(&file, first, part);
        let began = Instant::now();
        place.sql(&format!("LOAD DATA INFILE '{}' INTO TABLE rows_ FIELDS TERMINATED BY ','", file.display()));
        (part * BLOCK) as f64 / began.elapsed().as_secs_f64()
    };
    let rates = (0..12).map(|number| rate(1 + number * part)).collect();
    fs::remove_file(&file).unwrap();
    rates
}

fn write_part(path: &Path, first: u64, n_blocks: u64) {
    let mut file = fs::File::create(path).unwrap();
    (first..first + n_blocks).for_each(|block| file.write_all(text(block).as_bytes()).unwrap());
}

/// The mean of the last third by that of the first.
fn decay(rates: &[f64]) -> f64 {
    let third = (rates.len() / 3).max(1);
    let mean = |rates: &[f64]| rates.iter().sum::<f64>() / rates.len() as f64;
    if rates.len() < 2 { 1.0 } else { mean(&rates[rates.len() - third..]) / mean(&rates[..third]) }
}

#[track_caller]
fn check(place: &Place, n_blocks: u64) {
    let n = n_blocks * BLOCK;
    let ids = n * BLOCK + n * (n - 1) / 2;
    let values = n_blocks * (0..BLOCK).map(value).sum::<u64>();
    assert_eq!(place.sql("SELECT COUNT(*), SUM(id), SUM(value) FROM rows_"), format!("{n},{ids},{values}"));
}

/// A thousand rows, made of few pieces: what feeds must be faster than what is fed.
fn text(block: u64) -> String {
    static TAILS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    let tails = TAILS.get_or_init(|| (0..BLOCK).map(|k| format!("{k:03},{}\n", value(k))).collect());
    let head = block.to_string();
    let mut text = String::with_capacity(20 << 10);
    for tail in tails {
        text.push_str(&head);
        text.push_str(tail);
    }
    text
}

fn value(k: u64) -> u64 {
    k * 7_919 % 100_003
}

fn resident(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

const TABLE: &str = "CREATE TABLE rows_ (id BIGINT NOT NULL PRIMARY KEY, value INT NOT NULL) ENGINE=InnoDB";
/// Rows of a block: ids from a thousand times its number.
const BLOCK: u64 = 1_000;
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// KiB: what `--memory` allows by default, and what a program and its threads take besides.
const MOST_RESIDENT: u64 = 400 << 10;
