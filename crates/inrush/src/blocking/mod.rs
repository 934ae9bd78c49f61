//! The blocking shell: a thread, a non-blocking socket, `poll`.

mod connection;
mod rows;
mod socket;
mod transaction;

pub use connection::{Aborter, Connection};
pub use rows::Rows;
pub use transaction::{Savepoint, Transaction};
