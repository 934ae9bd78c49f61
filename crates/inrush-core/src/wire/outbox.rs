//! From packets to the bytes of a socket: framing, and the sequence numbers of both directions.

use std::fmt;

use crate::error::{Error, Result};
use crate::wire::dirty_flags::DirtyFlags;
use crate::wire::frame::{HEADER, MAX_FRAME};
use crate::wire::inbox::Packet;

/// Framed bytes that wait to be sent.
#[derive(Default)]
pub struct Outbox {
    bytes: Vec<u8>,
    start: usize,
    /// How many bytes were sent before those in `bytes`.
    n_gone: u64,
    /// The position of the last [`Outbox::command`].
    last_command: u64,
    /// The number of the next frame, from either side: within a command the two sides take turns.
    sequence: u8,
    /// Whether the sides do not take turns at the moment, so that a reply's number cannot be predicted.
    unordered: bool,
    /// Whether packets are sent inside compressed frames.
    compressed: bool,
    /// The session changes of the commands, if they are tracked.
    dirty_flags: Option<DirtyFlags>,
    multi_statements: bool,
}

impl Outbox {
    /// Appends a packet that begins a command (its sequence number is 0). `body` appends the payload.
    pub fn command(&mut self, body: impl FnOnce(&mut Vec<u8>)) {
        self.sequence = 0;
        self.unordered = false;
        let header = self.bytes.len();
        self.last_command = self.position();
        self.packet(body);
        self.look_at(header);
    }

    /// From now on checks each command for session changes. `multi_statements`: a text may hold several.
    pub fn watch(&mut self, multi_statements: bool) {
        (self.dirty_flags, self.multi_statements) = (Some(DirtyFlags::default()), multi_statements);
    }

    /// Resets the flags: the session is like an unused one.
    pub(crate) fn forget_dirty_flags(&mut self) {
        self.dirty_flags = self.dirty_flags.map(|_| DirtyFlags::default());
    }

    /// What the commands since [`Outbox::watch`] may have changed. `None` if commands are not tracked.
    pub fn dirty_flags(&self) -> Option<DirtyFlags> {
        self.dirty_flags
    }

    /// Appends a packet that continues the exchange. `body` appends the payload.
    pub fn packet(&mut self, body: impl FnOnce(&mut Vec<u8>)) {
        self.sequence = self.framed(self.sequence, body);
    }

    /// Appends a command after others whose replies are still to come or being received: the turn stays theirs. Returns the
    /// number of its own reply's first packet, for [`Outbox::expect_reply`].
    pub fn pipelined(&mut self, body: impl FnOnce(&mut Vec<u8>)) -> u8 {
        let header = self.bytes.len();
        let reply = self.framed(0, body);
        self.look_at(header);
        reply
    }

    /// The bytes to send.
    pub fn unsent(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    /// Records that the first `n` bytes of [`Outbox::unsent`] were sent.
    pub fn sent(&mut self, n: usize) {
        self.start = self.start.saturating_add(n).min(self.bytes.len());
        if self.start == self.bytes.len() {
            self.n_gone += self.start as u64;
            self.bytes.clear();
            self.start = 0;
            self.bytes.shrink_to(KEEP);
        }
    }

    /// Where the next packet begins, counted in bytes from the first that was ever appended.
    pub fn position(&self) -> u64 {
        self.n_gone + self.bytes.len() as u64
    }

    /// Whether a byte of what begins at this [position](Outbox::position) was sent.
    pub fn has_sent(&self, position: u64) -> bool {
        self.n_gone + self.start as u64 > position
    }

    /// Whether a byte of the last command was sent. Pipelines do not count.
    pub fn has_sent_command(&self) -> bool {
        self.has_sent(self.last_command)
    }

    /// Whether everything was sent.
    pub fn is_empty(&self) -> bool {
        self.start == self.bytes.len()
    }

    /// Records that the next packet to arrive has this number, whatever was sent since. A pipeline calls it before each reply.
    pub fn expect_reply(&mut self, number: u8) {
        self.sequence = number;
        self.unordered = false;
    }

    /// The number that the next packet must carry, from either side.
    pub fn next_number(&self) -> u8 {
        self.sequence
    }

    /// Records that a reply may come at any point of what is being sent, so that its number cannot be predicted (LOCAL INFILE).
    pub fn expect_reply_any_time(&mut self) {
        self.unordered = true;
    }

    /// Records that packets travel in compressed frames from now on: the server continues the numbers of its replies from the
    /// frames that it read, so that their numbers mean nothing here.
    pub fn take_any_turn(&mut self) {
        self.compressed = true;
    }

    /// Checks that a received packet is the next one of the exchange, and counts it.
    pub fn take_turn(&mut self, packet: &Packet<'_>) -> Result<()> {
        if packet.first != self.sequence && !self.unordered && !self.compressed {
            return Err(Error::protocol(format!(
                "the server's packet has number {}, expected {}",
                packet.first, self.sequence
            )));
        }
        self.sequence = packet.last.wrapping_add(1);
        Ok(())
    }

    fn look_at(&mut self, header: usize) {
        if let Some(dirty_flags) = &mut self.dirty_flags {
            // Headers inside a command of more than 16 MiB change nothing that matters here.
            dirty_flags.look_at(self.bytes.get(header + HEADER..).unwrap_or_default(), self.multi_statements);
        }
    }

    /// Appends a packet whose first frame has number `first`; returns the number after its last.
    fn framed(&mut self, first: u8, body: impl FnOnce(&mut Vec<u8>)) -> u8 {
        let header = self.bytes.len();
        self.bytes.extend_from_slice(&[0; HEADER]);
        body(&mut self.bytes);
        self.frame(header, first)
    }

    /// Fills in the header at `header`, and makes room for further headers where the payload needs more than one frame.
    fn frame(&mut self, header: usize, first: u8) -> u8 {
        let payload = header + HEADER;
        let length = self.bytes.len() - payload;
        // A payload of exactly the greatest length needs an empty frame after it, which marks its end.
        let n_more = length / MAX_FRAME;
        self.bytes.resize(self.bytes.len() + n_more * HEADER, 0);
        // From the end, so that nothing is overwritten before it was moved.
        for frame in (0..=n_more).rev() {
            let from = payload + frame * MAX_FRAME;
            let frame_length = if frame == n_more { length - frame * MAX_FRAME } else { MAX_FRAME };
            let to = from + frame * HEADER;
            if from != to {
                self.bytes.copy_within(from..from + frame_length, to);
            }
            let [a, b, c, ..] = (frame_length as u32).to_le_bytes();
            // Wraps at 256: the server counts modulo 256 as well.
            let sequence = first.wrapping_add(frame as u8);
            self.bytes[to - HEADER..to].copy_from_slice(&[a, b, c, sequence]);
        }
        first.wrapping_add(n_more as u8).wrapping_add(1)
    }
}

/// Shows counts only: the bytes may be a password.
impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_unsent = self.unsent().len();
        f.debug_struct("Outbox").field("n_unsent", &n_unsent).field("sequence", &self.sequence).finish_non_exhaustive()
    }
}

/// A buffer larger than this is freed once it is empty.
const KEEP: usize = 4 * 1024 * 1024;

#[cfg(test)]
mod tests;
