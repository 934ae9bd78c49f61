//! The tokio shell: a task, a non-blocking socket, readiness. Needs a runtime with `io` and `time` enabled.

mod connection;
mod socket;
mod transaction;

pub use connection::Connection;
#[cfg(test)]
pub(crate) use socket::Socket;
pub use transaction::{Savepoint, Transaction};
