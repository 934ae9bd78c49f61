//! Replaces `codec.rs` when the feature `compression` is off: it supports only "no compression".

use std::convert::Infallible;

use crate::error::Result;
use crate::wire::Compression;
use crate::wire::compress::Progress;

/// Compresses blocks; has no values.
pub(crate) struct Encoder(Infallible);

impl Encoder {
    /// `None` for no compression.
    pub(crate) fn new(compression: Compression) -> Result<Option<Self>> {
        compression.check().map(|()| None)
    }

    pub(crate) fn append(&mut self, _plain: &[u8], _out: &mut Vec<u8>) -> bool {
        match self.0 {}
    }
}

/// Decompresses blocks; has no values.
pub(crate) struct Decoder(Infallible);

impl Decoder {
    /// `None` for no compression.
    pub(crate) fn new(compression: Compression) -> Result<Option<Self>> {
        compression.check().map(|()| None)
    }

    pub(crate) fn restart(&mut self) -> Result<()> {
        match self.0 {}
    }

    pub(crate) fn step(&mut self, _packed: &[u8], _plain: &mut [u8]) -> Result<Progress> {
        match self.0 {}
    }
}
