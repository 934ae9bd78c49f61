//! Pools of connections: what both twins share, which is everything but the waiting.
//!
//! | file | what |
//! |---|---|
//! | [`ledger`] | who gets which connection, who may open one, what is retired: pure, the time comes in |
//! | [`shared`] | a ledger in its mutex, and the values that give back what they hold when they are dropped |
//! | [`refused`] | what a caller waits for that the server does not let in |
//! | [`meters`] | metrics under the names of OpenTelemetry |
//!
//! Invariants: a connection is idle, lent, or gone; a value that holds a place for one gives it back when it is dropped, so that a
//! cancelled acquire leaks nothing; no connection is idle in the pool while a caller waits for it.

pub(crate) mod ledger;
#[cfg(feature = "metrics")]
mod meters;
#[cfg(not(feature = "metrics"))]
#[path = "no_meters.rs"]
mod meters;
mod refused;

pub(crate) mod shared;

pub use ledger::PoolStatus;
pub(crate) use shared::Lendable;
pub use shared::Pooled;
