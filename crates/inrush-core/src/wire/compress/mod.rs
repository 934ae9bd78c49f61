//! Compressed frames, the layer between packets and the socket (under TLS, if there is any): from the end of the login on, all
//! bytes of both directions travel in them.
//!
//! ```text
//! ll ll ll  length of what follows the header, little endian
//! ss        sequence number of the frame, counted apart from that of the packets inside
//! pp pp pp  length of the content once decompressed; 0: it is not compressed
//! ..        content: a piece of the stream of packets, cut anywhere, compressed for itself (zlib or zstd)
//! ```
//!
//! | file | what |
//! |---|---|
//! | [`choice`] | which algorithm, which level, and the words for them |
//! | [`packer`] | outbox -> frames |
//! | [`unpacker`] | frames -> inbox |
//! | [`frames`] | both of them |
//! | [`codec`] | the algorithms, with one interface (feature `compression`; without it there is none) |
//!
//! Invariant: both directions take memory for what is requested next, never for what a header announces. A frame that
//! decompresses to anything but the announced length is an error.

pub mod choice;
#[cfg(feature = "compression")]
pub(crate) mod codec;
#[cfg(not(feature = "compression"))]
#[path = "no_codec.rs"]
pub(crate) mod codec;
pub mod frames;
pub mod packer;
#[cfg(test)]
mod tests;
pub mod unpacker;

pub use choice::Compression;
pub use frames::Frames;
pub use packer::Packer;
pub use unpacker::Unpacker;

/// What one step of a decoder did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) n_read: usize,
    pub(crate) n_written: usize,
    /// Whether the block is complete, its checksum included.
    pub(crate) ended: bool,
}

/// Bytes before each frame's content.
const FRAME_HEADER: usize = 7;
