//! What the benchmarks' Rust programs share: where the server is, the rows, the clock.

mod allocations;
mod laps;
pub mod people;
mod place;

pub use allocations::count as n_allocations;
pub use laps::{Laps, Plan, cpu};
pub use place::Place;

/// A benchmark has nothing to do about an error but to show it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T, E = Error> = std::result::Result<T, E>;
