//! The order of packets: each verb (login, query, prepare, execute, infile ..) is a [`Conversation`], a file each.
//!
//! A shell (blocking or tokio) owns a socket and a [`Channel`] and knows one loop:
//!
//! ```text
//! loop {
//!     match channel.advance(&mut conversation)? {
//!         Step::Done(output) => return Ok(output),
//!         Step::StartTls     => wrap the socket, then go on,
//!         Step::More         => wait until the socket is readable, or writable if the outbox holds bytes;
//!                               first read what is there, then write as much as fits
//!     }
//! }
//! ```

/// What a conversation wants next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// More packets must come (or more bytes must leave) first.
    More,
    /// Everything in the outbox must leave, then the shell wraps the socket in TLS and goes on.
    StartTls,
    /// The exchange is over and the connection is idle again.
    Done(T),
}
