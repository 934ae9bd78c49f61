//! From the bytes of a socket to whole packets, without their [frames](super::frame).
//!
//! Invariant: memory is taken for bytes that arrived, never for bytes that a header announces; a packet beyond the limit
//! is refused at the frame that says so.

use std::fmt;

use crate::error::{Error, Result};
use crate::wire::frame::{HEADER, MAX_FRAME};

/// Received bytes, handed out packet by packet.
pub struct Inbox {
    /// All of it is initialised memory; what arrived and was not yet handed out is `start..end`.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The payloads of full frames whose packet continues.
    joined: Vec<u8>,
    /// The sequence number of the first of those frames, and how many there are.
    first: Option<(u8, usize)>,
    /// Whether `joined` was handed out whole and can be dropped.
    spent: bool,
    /// The range of the packet that was handed out last, unless it is in `joined`.
    last: std::ops::Range<usize>,
    max_packet: usize,
}

/// One whole packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The payload, of all frames.
    pub body: &'a [u8],
    /// The sequence number of the first frame.
    pub first: u8,
    /// The sequence number of the last frame.
    pub last: u8,
}

impl Inbox {
    /// An inbox that refuses packets of more than `max_packet` bytes.
    pub fn new(max_packet: usize) -> Self {
        Self {
            bytes: Vec::new(),
            start: 0,
            end: 0,
            joined: Vec::new(),
            first: None,
            spent: false,
            last: 0..0,
            max_packet,
        }
    }

    /// Room to read into; never empty. Call [`Inbox::filled`] with how much of it was read.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            // One huge packet must not keep its memory as long as the connection lives.
            if self.bytes.len() > KEEP {
                self.bytes = Vec::new();
            }
        }
        if self.bytes.len() - self.end < MIN_SPACE && self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.bytes.len() - self.end < MIN_SPACE {
            // Doubles a full buffer: at most twice what arrived.
            self.bytes.resize((self.bytes.len() * 2).max(INITIAL), 0);
        }
        &mut self.bytes[self.end..]
    }

    /// Records that the first `n` bytes of [`Inbox::space`] now hold received bytes.
    pub fn filled(&mut self, n: usize) {
        self.end = self.end.saturating_add(n).min(self.bytes.len());
    }

    /// Copies received bytes in; for shells and tests that already hold them.
    pub fn extend(&mut self, mut received: &[u8]) {
        while !received.is_empty() {
            let space = self.space();
            let n = space.len().min(received.len());
            space[..n].copy_from_slice(&received[..n]);
            self.filled(n);
            received = &received[n..];
        }
    }

    /// Whether no byte waits in here, not even a part of a packet.
    pub fn is_empty(&self) -> bool {
        self.start == self.end && self.first.is_none()
    }

    /// The payload of the packet that was handed out last. It is gone once more is received or handed out.
    pub fn last_packet(&self) -> &[u8] {
        if self.spent { &self.joined } else { self.bytes.get(self.last.clone()).unwrap_or_default() }
    }

    /// The next whole packet, if it has arrived.
    pub fn next_packet(&mut self) -> Result<Option<Packet<'_>>> {
        if std::mem::take(&mut self.spent) {
            self.joined.clear();
            self.joined.shrink_to(KEEP);
        }
        loop {
            let Some(&[a, b, c, sequence]) = self.bytes[self.start..self.end].first_chunk::<HEADER>() else {
                return Ok(None);
            };
            let length = u32::from_le_bytes([a, b, c, 0]) as usize;
            if self.joined.len() + length > self.max_packet {
                return Err(too_large(self.max_packet));
            }
            let body = self.start + HEADER..self.start + HEADER + length;
            if self.end < body.end {
                return Ok(None);
            }
            let (first, n_before) = self.first.unwrap_or((sequence, 0));
            if sequence != first.wrapping_add(n_before as u8) {
                return Err(Error::protocol("the frames of one packet are not numbered in order"));
            }
            self.start = body.end;
            let goes_on = length == MAX_FRAME;
            if !goes_on && n_before == 0 {
                self.last = body.clone();
                return Ok(Some(Packet { body: &self.bytes[body], first, last: sequence }));
            }
            self.joined.extend_from_slice(&self.bytes[body]);
            self.first = Some((first, n_before + 1));
            if !goes_on {
                self.first = None;
                self.spent = true;
                return Ok(Some(Packet { body: &self.joined, first, last: sequence }));
            }
        }
    }
}

/// Shows counts only: the bytes are rows of a user.
impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_waiting = self.end - self.start;
        f.debug_struct("Inbox")
            .field("n_waiting", &n_waiting)
            .field("n_joined", &self.joined.len())
            .finish_non_exhaustive()
    }
}

fn too_large(max_packet: usize) -> Error {
    Error::protocol(format!("the server sends a packet of more than {max_packet} bytes"))
        .with_hint("raise the limit on packet size (`max-allowed-packet` in the URL) if rows are that large")
}

/// Less room than this is not worth a system call.
const MIN_SPACE: usize = 4 * 1024;
/// Enough for the many small replies of a pipeline, small enough for thousands of idle connections.
const INITIAL: usize = 32 * 1024;
/// A buffer larger than this is freed once it is empty.
const KEEP: usize = 1024 * 1024;

#[cfg(test)]
mod tests;
