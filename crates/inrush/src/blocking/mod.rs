//! The blocking shell: a thread, a non-blocking socket, `poll`.

mod connection;
mod socket;
mod transaction;

pub use connection::{Aborter, Connection};
pub use transaction::{Savepoint, Transaction};
