//! Sockets, the part that both shells share.
//!
//! | file | what it does |
//! |---|---|
//! | [`dial`] | opens non-blocking sockets, TCP or Unix, and reports errors |
//! | [`servers`] | which of several servers is tried next |
//! | [`link`] | moves bytes between one such socket and the pure core, through TLS or not |

pub(crate) mod dial;
pub(crate) mod link;
pub(crate) mod servers;
#[cfg(test)]
mod tests;

pub(crate) use link::{Link, Progress};

use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};
use std::os::fd::AsFd;

/// Whether the other side keeps the connection open and has sent nothing. Takes none of the bytes that it sent.
pub(crate) fn is_quiet(socket: impl AsFd) -> bool {
    let peeked = recv(socket, &mut [0; 1], RecvFlags::PEEK | RecvFlags::DONTWAIT);
    matches!(peeked, Err(Errno::AGAIN))
}

/// What to wait for, and what became ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) read: bool,
    pub(crate) write: bool,
}
