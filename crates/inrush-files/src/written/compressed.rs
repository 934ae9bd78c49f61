//! Files of lines, compressed or not. Parquet and Arrow compress by themselves.

use flate2::write::GzEncoder;
use std::io::{Result, Write};

/// How a file of lines is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrittenCompression {
    /// Not at all.
    #[default]
    None,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl WrittenCompression {
    /// What is added to names of such files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ".gz",
            Self::Zstd => ".zst",
        }
    }
}

/// A writer that compresses.
pub(super) enum Compressed<W: Write> {
    None(W),
    Gzip(GzEncoder<W>),
    Zstd(Box<zstd::Encoder<'static, W>>),
}

impl<W: Write> Compressed<W> {
    pub(super) fn new(compression: WrittenCompression, out: W) -> Result<Self> {
        Ok(match compression {
            WrittenCompression::None => Self::None(out),
            WrittenCompression::Gzip => Self::Gzip(GzEncoder::new(out, flate2::Compression::fast())),
            WrittenCompression::Zstd => {
                let mut encoder = zstd::Encoder::new(out, ZSTD_LEVEL)?;
                encoder.include_checksum(true)?;
                Self::Zstd(Box::new(encoder))
            }
        })
    }

    /// Ends the compressed text.
    pub(super) fn finish(self) -> Result<W> {
        match self {
            Self::None(out) => Ok(out),
            Self::Gzip(encoder) => encoder.finish(),
            Self::Zstd(encoder) => encoder.finish(),
        }
    }
}

impl<W: Write> Write for Compressed<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Self::None(out) => out.write(bytes),
            Self::Gzip(encoder) => encoder.write(bytes),
            Self::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Self::None(out) => out.flush(),
            Self::Gzip(encoder) => encoder.flush(),
            Self::Zstd(encoder) => encoder.flush(),
        }
    }
}

/// The level of `zstd` without options: a reader of rows is slower than that.
const ZSTD_LEVEL: i32 = 3;
