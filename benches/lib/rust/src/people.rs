//! The rows of the table `bench_users` (benches/lib/rows.py), read from their CSV into memory before any clock runs.

use crate::Result;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// A row; `T` is the client's own type of a date with a time of day.
pub type Person<T> = (i64, String, i32, String, f64, T);

/// Reads the whole file. `moment` makes the last column of year, month, day, hour, minute and second.
pub fn read<T>(file: &str, moment: impl Fn([u16; 6]) -> T) -> Result<Vec<Person<T>>> {
    let lines = BufReader::new(File::open(file)?).lines();
    lines.skip(1).map(|line| person(&line?, &moment)).collect()
}

/// Gives all rows the ids of the next batch, so that none meets a row of the batch before it.
pub fn renumber<T>(people: &mut [Person<T>]) {
    let n_rows = people.len() as i64;
    people.iter_mut().for_each(|person| person.0 += n_rows);
}

fn person<T>(line: &str, moment: impl Fn([u16; 6]) -> T) -> Result<Person<T>> {
    let cells: Vec<&str> = line.split(',').collect();
    let [id, name, age, email, score, created] = cells[..] else { return Err("not a line of bench_users".into()) };
    let mut parts = [0; 6];
    for (part, digits) in parts.iter_mut().zip(created.split(['-', ' ', ':'])) {
        *part = digits.parse()?;
    }
    Ok((id.parse()?, name.into(), age.parse()?, email.into(), score.parse()?, moment(parts)))
}
