//! Both directions of the layer of compressed frames, as one optional part of a channel.

use crate::error::Result;
use crate::wire::compress::{Compression, Packer, Unpacker};
use crate::wire::{Inbox, Outbox};

/// Both directions of the layer of compressed frames.
#[derive(Debug)]
pub struct Frames {
    packer: Packer,
    unpacker: Unpacker,
}

impl Frames {
    /// What a login agreed on; `None` for no compression.
    pub fn new(compression: Compression) -> Result<Option<Box<Self>>> {
        if compression == Compression::None {
            return Ok(None);
        }
        let (packer, unpacker) = (Packer::new(compression)?, Unpacker::new(compression)?);
        Ok(Some(Box::new(Self { packer, unpacker })))
    }

    /// Room to read into; never empty. Call [`Frames::filled`] with how much of it was read.
    pub fn space(&mut self) -> &mut [u8] {
        self.unpacker.space()
    }

    /// Records that the first `n` bytes of [`Frames::space`] now hold received bytes.
    pub fn filled(&mut self, n: usize) {
        self.unpacker.filled(n);
    }

    /// Passes on what has been received, as much as `inbox` takes at once. `Ok(false)`: more must be received first.
    pub fn unpack(&mut self, inbox: &mut Inbox) -> Result<bool> {
        let came = self.unpacker.unpack(inbox);
        if let Some(number) = self.unpacker.take_number() {
            self.packer.received(number);
        }
        came
    }

    /// Moves bytes from `outbox` into frames, once the last ones were sent.
    pub fn pack(&mut self, outbox: &mut Outbox) {
        self.packer.pack(outbox);
    }

    /// The bytes to send.
    pub fn unsent(&self) -> &[u8] {
        self.packer.unsent()
    }

    /// Records that the first `n` bytes of [`Frames::unsent`] were sent.
    pub fn sent(&mut self, n: usize) {
        self.packer.sent(n);
    }

    /// Whether nothing that was received waits in here, not even a part of a frame.
    pub fn has_nothing_received(&self) -> bool {
        self.unpacker.is_empty()
    }
}
