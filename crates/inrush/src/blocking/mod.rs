//! The blocking shell: a thread, a non-blocking socket, `poll`.

mod connection;
mod socket;

pub use connection::{Aborter, Connection};
