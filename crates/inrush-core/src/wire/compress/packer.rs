//! From framed packets to compressed frames.
//!
//! A frame ends where a command ends. Servers read and write through one buffer, so what follows a command in the same frame is
//! overwritten by the reply to it: they hang, or run something else. They also count: a command begins with frame 0, frames of a
//! reply and of what answers it continue to count from there, and another number is refused (docs/notes/compression.md).

use std::fmt;

use crate::error::Result;
use crate::wire::Outbox;
use crate::wire::compress::codec::Encoder;
use crate::wire::compress::{Compression, FRAME_HEADER};
use crate::wire::frame::{HEADER, MAX_FRAME};

/// Compresses what is to be sent.
pub struct Packer {
    encoder: Option<Encoder>,
    packed: Vec<u8>,
    start: usize,
    /// The number of the next frame, unless it begins a command.
    next: u8,
    commands: Commands,
}

impl Packer {
    /// A packer for a connection that just logged in.
    pub fn new(compression: Compression) -> Result<Self> {
        let encoder = Encoder::new(compression)?;
        Ok(Self { encoder, packed: Vec::new(), start: 0, next: 0, commands: Commands::default() })
    }

    /// Takes bytes out of `outbox` and packs them, once the last ones were sent: about as much as a socket takes at once.
    pub fn pack(&mut self, outbox: &mut Outbox) {
        if !self.is_empty() {
            return;
        }
        self.packed.clear();
        self.start = 0;
        while !outbox.is_empty() && self.packed.len() < ENOUGH {
            let unsent = outbox.unsent();
            let piece = self.commands.cut(unsent, MAX_CONTENT);
            if piece.begins_command {
                self.next = 0;
            }
            self.frame(&unsent[..piece.length]);
            self.next = self.next.wrapping_add(1);
            outbox.sent(piece.length);
        }
    }

    /// Records that a frame with this number arrived: frames that answer it continue to count from there.
    pub fn received(&mut self, number: u8) {
        // Otherwise it answers an earlier command of several in flight.
        if self.commands.is_between_packets() {
            self.next = number.wrapping_add(1);
            self.commands.last = None;
        }
    }

    /// The bytes to send.
    pub fn unsent(&self) -> &[u8] {
        &self.packed[self.start..]
    }

    /// Records that the first `n` bytes of [`Packer::unsent`] were sent.
    pub fn sent(&mut self, n: usize) {
        self.start = self.start.saturating_add(n).min(self.packed.len());
    }

    /// Whether everything that was packed was sent.
    pub fn is_empty(&self) -> bool {
        self.start == self.packed.len()
    }

    fn frame(&mut self, content: &[u8]) {
        let header = self.packed.len();
        self.packed.extend_from_slice(&[0; FRAME_HEADER]);
        let is_compressed = content.len() >= WORTH_IT
            && self.encoder.as_mut().is_some_and(|encoder| encoder.append(content, &mut self.packed));
        if !is_compressed {
            self.packed.extend_from_slice(content);
        }
        let length = (self.packed.len() - header - FRAME_HEADER) as u32;
        let plain = if is_compressed { content.len() as u32 } else { 0 };
        self.packed[header..header + 3].copy_from_slice(&length.to_le_bytes()[..3]);
        self.packed[header + 3] = self.next;
        self.packed[header + 4..header + 7].copy_from_slice(&plain.to_le_bytes()[..3]);
    }
}

/// Shows counts only: the bytes may be rows of a user.
impl fmt::Debug for Packer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_unsent = self.unsent().len();
        f.debug_struct("Packer").field("n_unsent", &n_unsent).field("next", &self.next).finish_non_exhaustive()
    }
}

/// Tracks the headers of the packets, to find where commands begin.
#[derive(Debug, Default)]
struct Commands {
    /// The number of bytes that are left of the packet's current frame.
    n_left: usize,
    /// Whether that frame is followed by another of the same packet.
    goes_on: bool,
    /// The number of that frame, unless the server has answered since: then the next 0 surely begins a command.
    last: Option<u8>,
}

/// What goes into one frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    length: usize,
    begins_command: bool,
}

impl Commands {
    /// At most `max` bytes of `unsent`, which is not empty and ends with a whole packet, and none of a second command.
    fn cut(&mut self, unsent: &[u8], max: usize) -> Piece {
        let mut piece = Piece { length: unsent.len().min(max), begins_command: false };
        let mut at = self.n_left;
        while at < piece.length {
            let Some(&[a, b, c, number]) = unsent[at..].first_chunk::<HEADER>() else { break };
            // Numbers wrap: a 0 after a 255 continues a very long LOAD DATA.
            if number == 0 && self.last != Some(255) {
                if at > 0 {
                    piece.length = at;
                    break;
                }
                piece.begins_command = true;
            }
            let length = u32::from_le_bytes([a, b, c, 0]) as usize;
            self.goes_on = length == MAX_FRAME;
            self.last = Some(number);
            at += HEADER + length;
        }
        self.n_left = at.saturating_sub(piece.length);
        piece
    }

    fn is_between_packets(&self) -> bool {
        self.n_left == 0 && !self.goes_on
    }
}

/// The servers' own limit: shorter blocks are not compressed.
const WORTH_IT: usize = 50;
/// Content of a frame. A server takes no frame beyond its `max_allowed_packet`, whatever is inside.
const MAX_CONTENT: usize = 64 * 1024;
/// When to stop packing and write first.
const ENOUGH: usize = 64 * 1024;
