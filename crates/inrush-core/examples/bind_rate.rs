//! How fast rows are bound: nanoseconds a row until its values stand in a `Vec<Value>`, by where they come from.
//!
//! `cargo run --release -p inrush-core --example bind_rate` makes 50,000 rows of the table bench_users (id, name, age, email,
//! score, created; about 70 bytes as text) in every form that a batch can have, and asks for all of them several times; the fastest
//! run counts. Numbers are kept in docs/notes/binding.md.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

use arrow_array::{
    ArrayRef, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray, StringViewArray,
    TimestampMicrosecondArray,
};
use inrush_core::convert::bind::InZone;
use inrush_core::convert::{
    BoundRows, Columns, Named, Order, ParamValues, Params, RowBuffer, RowReader, Rows, ToValue, scalar,
};
use inrush_core::wire::{DateTime, Value};
use jiff::{civil, tz::TimeZone};
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const ROWS: usize = 50_000;
/// Short ones, so that some run undisturbed whatever else the machine does.
const RUNS: usize = 100;
const NAMES: [&str; 6] = ["id", "name", "age", "email", "score", "created"];

type Tuple = (i64, String, i32, String, f64, DateTime);

fn main() {
    // Leaked, so that closures may borrow from it: it is there until the end anyway.
    let rows: &'static Vec<Tuple> = Box::leak(Box::new((0..ROWS).map(row).collect()));
    report("tuples", rows, false);
    let borrow = |row: &'static Tuple| (row.0, row.1.as_str(), row.2, row.3.as_str(), row.4, row.5);
    let all: Vec<_> = rows.iter().map(borrow).collect();
    report("tuples that borrow", &all, false);
    let may_be: Vec<_> = all
        .iter()
        .map(|(id, name, age, email, score, at)| (id, name, Some(*age), Some(*email), Some(*score), at))
        .collect();
    report("tuples with options", &may_be, false);
    let jiffs: Vec<_> =
        all.iter().map(|(id, name, age, email, score, at)| (id, name, age, email, score, jiff(at))).collect();
    report("tuples with a civil::DateTime", &jiffs, false);
    let structs: Vec<_> = rows.iter().cloned().map(User).collect();
    report("structs by name", &structs, true);
    let own: Vec<_> = all.iter().map(Own).collect();
    report("structs with nothing but `values`", &own, false);
    let named: Vec<_> = rows.iter().map(named).collect();
    report("`params!`", &named, true);
    let dynamic: Vec<_> = rows.iter().map(|row| values(row)).collect();
    report("arrays of `Value`", &dynamic, false);

    let (ids, ages): (Vec<_>, Vec<_>) = rows.iter().map(|row| (row.0, row.2)).unzip();
    let (names, emails): (Vec<&str>, Vec<&str>) = rows.iter().map(|row| (&*row.1, &*row.3)).unzip();
    let (scores, moments): (Vec<_>, Vec<_>) = rows.iter().map(|row| (row.4, row.5)).unzip();
    let columns = |names, emails| {
        let columns = Columns::default().with("id", &ids).with("name", names).with("age", &ages).with("email", emails);
        columns.with("score", &scores).with("created", &moments)
    };
    report("columns of slices", &columns(&names, &emails), true);
    let owned: (Vec<String>, Vec<String>) = rows.iter().map(|row| (row.1.clone(), row.3.clone())).unzip();
    let strings = Columns::default().with("id", &ids).with("name", &owned.0).with("age", &ages).with("email", &owned.1);
    report("columns of slices, `String`", &strings.with("score", &scores).with("created", &moments), true);
    let same = |name| Columns::default().with("id", &ids).with("name", scalar(name)).with("age", scalar(18));
    let same = same("Ann").with("email", scalar("x@y")).with("score", scalar(1.5)).with("created", scalar(rows[0].5));
    report("one column, five scalars", &same, true);

    let micros: Vec<_> = moments.iter().map(|at| at.micros_since_epoch().unwrap()).collect();
    let batch = |names: ArrayRef, emails: ArrayRef, moments: TimestampMicrosecondArray| {
        let columns: [ArrayRef; 6] = [
            Arc::new(Int64Array::from(ids.clone())),
            names,
            Arc::new(Int32Array::from(ages.clone())),
            emails,
            Arc::new(Float64Array::from(scores.clone())),
            Arc::new(moments),
        ];
        RecordBatch::try_from_iter(NAMES.into_iter().zip(columns)).unwrap()
    };
    let civil = || TimestampMicrosecondArray::from(micros.clone());
    let texts = |texts: &[&str]| -> ArrayRef { Arc::new(StringArray::from(texts.to_vec())) };
    let plain = batch(texts(&names), texts(&emails), civil());
    report("RecordBatch", &plain, true);
    let views = |texts: &[&str]| -> ArrayRef { Arc::new(StringViewArray::from_iter_values(texts)) };
    report("RecordBatch, Utf8View", &batch(views(&names), views(&emails), civil()), true);
    let instants = batch(texts(&names), texts(&emails), civil().with_timezone_utc());
    report("RecordBatch, InZone(UTC)", &InZone(&instants, TimeZone::UTC), true);
    report("RecordBatch, InZone(Berlin)", &InZone(&instants, TimeZone::get("Europe/Berlin").unwrap()), true);

    let mut buffer = RowBuffer::new(6);
    let push = fastest(|| {
        buffer.clear();
        rows.iter().for_each(|row| buffer.push(&values(row)).unwrap());
    });
    println!("{:34} {push:6.1} ns a row", "RowBuffer, push");
    report("RowBuffer", &buffer, true);
}

/// Reads all rows, as a writer does; and asks for each alone.
fn report(what: &str, rows: &(impl Rows + ?Sized), is_named: bool) {
    let names: Vec<Box<str>> = NAMES.iter().filter(|_| is_named).map(|&name| name.into()).collect();
    let bound = rows.bind(&names, NAMES.len()).unwrap();
    let (read, ask) = (fastest(|| read(&*bound)), fastest(|| ask(&*bound)));
    println!("{what:34} {read:6.1} ns a row, {ask:6.1} if each is asked for alone");
}

#[inline(never)]
fn read(bound: &dyn BoundRows) {
    let mut reader = RowReader::new(bound, 0..bound.n_rows());
    for row in 0..bound.n_rows() {
        black_box(reader.row(row).unwrap());
    }
}

#[inline(never)]
fn ask(bound: &dyn BoundRows) {
    let mut values = Vec::new();
    for row in 0..bound.n_rows() {
        values.clear();
        bound.row(row, &mut values).unwrap();
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

fn row(i: usize) -> Tuple {
    // Spreads lengths and digits without a random number generator.
    let mix = i.wrapping_mul(2_654_435_761) % 1_000_003;
    let name = format!("user_{mix:06}_{}", "abcdefgh".split_at(mix % 8).0);
    let micros = 1_700_000_000_000_000 + mix as i64 * 1_000_000;
    let created = DateTime::from_micros_since_epoch(micros).unwrap();
    let email = format!("user{mix}@example{}.com", mix % 17);
    (i as i64, name, 18 + (mix % 70) as i32, email, (mix % 100_000) as f64 / 100.0, created)
}

fn values((id, name, age, email, score, created): &Tuple) -> [Value<'_>; 6] {
    [id.to_value(), name.to_value(), age.to_value(), email.to_value(), score.to_value(), created.to_value()]
}

fn named(row: &Tuple) -> Named<'_> {
    Named::new(NAMES.into_iter().zip(values(row)).collect())
}

fn jiff(at: &DateTime) -> civil::DateTime {
    let date = civil::date(at.date.year as i16, at.date.month as i8, at.date.day as i8);
    date.at(at.hour as i8, at.minute as i8, at.second as i8, 0)
}

/// What `#[derive(ToRow)]` makes, by hand: the macro names another crate.
struct User(Tuple);

impl Params for User {
    const NAMED: bool = true;

    fn values<'a>(&'a self, names: &[Box<str>]) -> inrush_core::Result<ParamValues<'a>> {
        ParamValues::by_name(names, &NAMES, |i| values(&self.0)[i])
    }

    fn order(&self, names: &[Box<str>]) -> inrush_core::Result<Order> {
        Order::by_name(names, &NAMES)
    }

    fn append<'a>(&'a self, _: &[Box<str>], order: &Order, out: &mut Vec<Value<'a>>) -> inrush_core::Result<()> {
        match order.positions() {
            None => out.extend(values(&self.0)),
            Some(places) => out.extend(places.iter().map(|i| values(&self.0)[*i])),
        }
        Ok(())
    }
}

/// The least that an implementation has.
struct Own<P>(P);

impl<P: Params> Params for Own<P> {
    const NAMED: bool = P::NAMED;

    fn values<'a>(&'a self, names: &[Box<str>]) -> inrush_core::Result<ParamValues<'a>> {
        self.0.values(names)
    }
}
