//! The frame around each part of a packet, in both directions.
//!
//! ```text
//! ll ll ll  length of the payload, little endian; 0xFFFFFF: the payload continues in the next frame
//! ss        sequence number: counts frames of both directions within one command, modulo 256
//! ..        payload
//! ```

/// Bytes before each frame's payload.
pub const HEADER: usize = 4;
/// The greatest payload of one frame; a frame of this length is followed by another.
pub const MAX_FRAME: usize = 0xFF_FFFF;
