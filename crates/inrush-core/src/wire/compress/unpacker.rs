//! From compressed frames to the inbox, in steps of bounded size: a few bytes can decompress to gigabytes, so nothing is
//! decompressed before the caller has taken the last output.

use std::fmt;

use crate::error::{Error, Result};
use crate::wire::Inbox;
use crate::wire::compress::codec::Decoder;
use crate::wire::compress::{Compression, FRAME_HEADER};

/// Decompresses what was received.
pub struct Unpacker {
    decoder: Option<Decoder>,
    /// All of it is initialised memory; what arrived and was not yet unpacked is `start..end`.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    frame: Option<Frame>,
    last_number: Option<u8>,
}

/// The frame whose content is being unpacked.
#[derive(Clone, Copy, Debug)]
struct Frame {
    is_compressed: bool,
    /// The number of bytes of its content that are still to be read.
    n_packed: usize,
    /// The number of bytes that must still be produced from it.
    n_plain: usize,
    /// Whether the algorithm has seen the end of its stream.
    ended: bool,
}

impl Unpacker {
    /// An unpacker for a connection that just logged in.
    pub fn new(compression: Compression) -> Result<Self> {
        let decoder = Decoder::new(compression)?;
        Ok(Self { decoder, bytes: vec![0; BUFFER], start: 0, end: 0, frame: None, last_number: None })
    }

    /// Room to read into; not empty after [`Unpacker::unpack`] has reported that it needs more. Call [`Unpacker::filled`] with
    /// how much of it was read.
    pub fn space(&mut self) -> &mut [u8] {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end == self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        &mut self.bytes[self.end..]
    }

    /// Records that the first `n` bytes of [`Unpacker::space`] now hold received bytes.
    pub fn filled(&mut self, n: usize) {
        self.end = self.end.saturating_add(n).min(self.bytes.len());
    }

    /// Unpacks as much as `inbox` has room for at once. `Ok(false)`: more must be received first.
    pub fn unpack(&mut self, inbox: &mut Inbox) -> Result<bool> {
        loop {
            let Some(frame) = &mut self.frame else {
                let Some(header) = self.bytes[self.start..self.end].first_chunk::<FRAME_HEADER>() else {
                    return Ok(false);
                };
                self.last_number = Some(header[3]);
                self.frame = Some(Frame::announced(*header));
                self.start += FRAME_HEADER;
                if let Some(decoder) = &mut self.decoder {
                    decoder.restart()?;
                }
                continue;
            };
            if frame.is_over()? {
                self.frame = None;
                continue;
            }
            let packed = &self.bytes[self.start..self.end.min(self.start + frame.n_packed)];
            let room = inbox.space();
            let (n_read, n_written) = match &mut self.decoder {
                Some(decoder) if frame.is_compressed => frame.decompress(decoder, packed, room)?,
                _ => frame.copy(packed, room),
            };
            self.start += n_read;
            inbox.filled(n_written);
            match (n_read, n_written) {
                (0, 0) if packed.is_empty() && frame.n_packed > 0 => return Ok(false),
                (0, 0) if frame.ended => {}
                (0, 0) => return Err(wrong_length()),
                (_, 0) => {}
                _ => return Ok(true),
            }
        }
    }

    /// The number of the last frame that began, if one did since the last call.
    pub fn take_number(&mut self) -> Option<u8> {
        self.last_number.take()
    }

    /// Whether no content waits in here, not even a part of it. The checksum that follows a content may still be on its way.
    pub fn is_empty(&self) -> bool {
        let n_waiting = self.end - self.start;
        match self.frame {
            Some(frame) => frame.n_plain == 0 && n_waiting <= frame.n_packed,
            None => n_waiting == 0,
        }
    }
}

impl Frame {
    fn announced([a, b, c, _, x, y, z]: [u8; FRAME_HEADER]) -> Self {
        let n_packed = u32::from_le_bytes([a, b, c, 0]) as usize;
        let n_plain = u32::from_le_bytes([x, y, z, 0]) as usize;
        let is_compressed = n_plain > 0;
        Self { is_compressed, n_packed, n_plain: if is_compressed { n_plain } else { n_packed }, ended: !is_compressed }
    }

    /// An error if the content and the announced length do not end together.
    fn is_over(&self) -> Result<bool> {
        match self {
            Self { n_packed: 0, n_plain: 0, ended: true, .. } => Ok(true),
            Self { is_compressed: true, ended: true, .. } => Err(wrong_length()),
            _ => Ok(false),
        }
    }

    fn copy(&mut self, content: &[u8], room: &mut [u8]) -> (usize, usize) {
        let n = content.len().min(room.len());
        room[..n].copy_from_slice(&content[..n]);
        self.n_packed -= n;
        self.n_plain -= n;
        (n, n)
    }

    fn decompress(&mut self, decoder: &mut Decoder, packed: &[u8], room: &mut [u8]) -> Result<(usize, usize)> {
        // Once everything was produced, only a checksum may follow: one more byte would be too many.
        let mut too_many = [0; 1];
        let n = room.len().min(self.n_plain);
        let room = if n == 0 { &mut too_many[..] } else { &mut room[..n] };
        let progress = decoder.step(packed, room)?;
        if progress.n_written > self.n_plain {
            return Err(wrong_length());
        }
        self.n_packed -= progress.n_read;
        self.n_plain -= progress.n_written;
        self.ended = progress.ended;
        Ok((progress.n_read, progress.n_written))
    }
}

/// Shows counts only: the bytes are rows of a user.
impl fmt::Debug for Unpacker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let n_waiting = self.end - self.start;
        f.debug_struct("Unpacker").field("n_waiting", &n_waiting).field("frame", &self.frame).finish_non_exhaustive()
    }
}

fn wrong_length() -> Error {
    Error::protocol("a compressed frame of the server's does not hold what its header announces")
}

/// Read at once, compressed.
const BUFFER: usize = 32 * 1024;
