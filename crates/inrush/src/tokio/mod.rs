//! The tokio shell: a task, a non-blocking socket, readiness. Needs a runtime with `io` and `time` enabled.

mod connection;
mod socket;

pub use connection::Connection;
#[cfg(test)]
pub(crate) use socket::Socket;
