//! Sockets, the part of it that both shells share.
//!
//! | file | what it does |
//! |---|---|
//! | [`dial`] | opens non-blocking sockets, TCP or Unix, and says what went wrong |
//! | [`link`] | moves bytes between one such socket and the pure core, through TLS or not |

pub(crate) mod dial;
pub(crate) mod link;
#[cfg(test)]
mod tests;

pub(crate) use link::{Link, Progress};

/// What to wait for, and what came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) read: bool,
    pub(crate) write: bool,
}
