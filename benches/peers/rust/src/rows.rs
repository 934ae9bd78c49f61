//! The rows of `bench_users`, read into memory from fields with tabs between them.

use crate::Result;
use chrono::NaiveDateTime;

/// id, name, age, email, score, created.
pub type Person = (i64, String, i32, Option<String>, f64, NaiveDateTime);

pub(crate) fn read(path: &str) -> Result<Vec<Person>> {
    std::fs::read_to_string(path)?.lines().map(person).collect()
}

fn person(line: &str) -> Result<Person> {
    let cells: Vec<&str> = line.split('\t').collect();
    let [id, name, age, email, score, created] = cells[..] else { return Err("not a line of bench_users".into()) };
    let email = (email != "\\N").then(|| email.to_owned());
    let created = NaiveDateTime::parse_from_str(created, "%Y-%m-%d %H:%M:%S")?;
    Ok((id.parse()?, name.into(), age.parse()?, email, score.parse()?, created))
}
