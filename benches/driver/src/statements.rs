//! The statements.

use bench_lib::Place;

/// The statement of `point`.
pub(crate) fn point_sql(place: &Place) -> String {
    format!("SELECT id, name, age, email, score FROM {} WHERE id = ?", place.table)
}

/// The statement of `read`.
pub(crate) fn read_sql(place: &Place, n_rows: usize) -> String {
    format!("SELECT id, name, age, email, score, created FROM {} LIMIT {n_rows}", place.table)
}
