//! A file whose ids are the numbers of its records, so that the table can be held against what a report names.

use crate::place::{Done, Place};
use serde_json::Value;
use std::collections::BTreeSet;

pub(crate) const TABLE: &str = "CREATE TABLE numbers (id INT PRIMARY KEY, value INT NOT NULL, UNIQUE KEY (value))";

/// `id,value` with ids from 1, which are the numbers of their records.
pub(crate) fn numbers(n: u64, row: impl Fn(u64) -> String) -> String {
    let rows = (1..=n).map(|id| row(id) + "\n");
    std::iter::once("id,value\n".to_owned()).chain(rows).collect()
}

/// The table holds the records that the report names as stored, but for those that are not `good`; of those whose fate it does
/// not know, all or none of each chunk. Returns the stored ones.
#[track_caller]
pub(crate) fn check_table(place: &Place, done: &Done, good: impl Fn(u64) -> bool) -> BTreeSet<u64> {
    let rows = done.rows().unwrap_or_else(|| panic!("no report: {done}"));
    let (named, unknown) = (records(&done.json["stored_records"]), records(&done.json["unknown_records"]));
    let ids = place.schema.sql("SELECT id FROM numbers WHERE id > 0 AND id = value ORDER BY id");
    let held: BTreeSet<u64> = ids.iter().map(|row| row[0].parse().unwrap()).collect();
    let want: BTreeSet<u64> = named.iter().copied().filter(|id| good(*id)).collect();
    assert_eq!(rows.stored, want.len() as u64, "{done}");
    assert!(held.is_superset(&want), "lost {:?}\n{done}", want.difference(&held).collect::<Vec<_>>());
    let more: BTreeSet<u64> = held.difference(&want).copied().collect();
    assert!(
        more.is_subset(&unknown),
        "stored, and not named: {:?}\n{done}",
        more.difference(&unknown).collect::<Vec<_>>()
    );
    assert_eq!(unknown.len() as u64, rows.unknown, "{done}");
    named
}

/// The records of a list of stretches.
pub(crate) fn records(stretches: &Value) -> BTreeSet<u64> {
    let stretches = stretches.as_array().unwrap();
    stretches
        .iter()
        .flat_map(|records| records["first"].as_u64().unwrap()..=records["last"].as_u64().unwrap())
        .collect()
}
