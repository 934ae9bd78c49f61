//! zlib and Zstandard with one interface: a block of bytes is compressed whole, and decompressed step by step.

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation as _, OutBuffer};
use zstd::zstd_safe::{CCtx, CParameter, DParameter, compress_bound};

use crate::error::{Error, Result};
use crate::wire::Compression;
use crate::wire::compress::Progress;

/// Compresses blocks independently of each other.
pub(crate) enum Encoder {
    Zlib(Compress),
    Zstd(CCtx<'static>),
}

impl Encoder {
    /// `None` for no compression.
    pub(crate) fn new(compression: Compression) -> Result<Option<Self>> {
        compression.check()?;
        match compression {
            Compression::None => Ok(None),
            Compression::Zlib(level) => {
                Ok(Some(Self::Zlib(Compress::new(flate2::Compression::new(level.into()), true))))
            }
            Compression::Zstd(level) => {
                let mut context = CCtx::create();
                context
                    .set_parameter(CParameter::CompressionLevel(level.into()))
                    .map_err(|_| Error::config("this level of zstd does not exist"))?;
                Ok(Some(Self::Zstd(context)))
            }
        }
    }

    /// Appends `plain`, compressed, to `out`. `false`: it did not get shorter, and `out` is as it was.
    pub(crate) fn append(&mut self, plain: &[u8], out: &mut Vec<u8>) -> bool {
        let before = out.len();
        // There is only room for a result worth sending: data that does not fit is not compressible.
        let room = plain.len().saturating_sub(1);
        let n = match self {
            Self::Zlib(zlib) => {
                out.resize(before + room, 0);
                zlib.reset();
                match zlib.compress(plain, &mut out[before..], FlushCompress::Finish) {
                    Ok(Status::StreamEnd) => Some(zlib.total_out() as usize),
                    _ => None,
                }
            }
            Self::Zstd(context) => {
                // With enough room for the worst case it uses a faster method.
                out.resize(before + compress_bound(plain.len()), 0);
                context.compress2(&mut out[before..], plain).ok().filter(|n| *n <= room)
            }
        };
        out.truncate(before + n.unwrap_or(0));
        n.is_some()
    }
}

/// Decompresses blocks independently of each other, as they arrive.
pub(crate) enum Decoder {
    Zlib(Decompress),
    Zstd(ZstdDecoder<'static>),
}

impl Decoder {
    /// `None` for no compression.
    pub(crate) fn new(compression: Compression) -> Result<Option<Self>> {
        match compression {
            Compression::None => Ok(None),
            Compression::Zlib(_) => Ok(Some(Self::Zlib(Decompress::new(true)))),
            Compression::Zstd(_) => {
                let no_memory = |e| Error::io("cannot set zstd up", e).fatal();
                let mut decoder = ZstdDecoder::new().map_err(no_memory)?;
                decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).map_err(no_memory)?;
                Ok(Some(Self::Zstd(decoder)))
            }
        }
    }

    /// Begins a new block.
    pub(crate) fn restart(&mut self) -> Result<()> {
        match self {
            Self::Zlib(zlib) => zlib.reset(true),
            Self::Zstd(zstd) => zstd.reinit().map_err(|_| broken())?,
        }
        Ok(())
    }

    /// Decompresses what fits.
    pub(crate) fn step(&mut self, packed: &[u8], plain: &mut [u8]) -> Result<Progress> {
        match self {
            Self::Zlib(zlib) => {
                let before = (zlib.total_in(), zlib.total_out());
                let status = zlib.decompress(packed, plain, FlushDecompress::None).map_err(|_| broken())?;
                Ok(Progress {
                    n_read: (zlib.total_in() - before.0) as usize,
                    n_written: (zlib.total_out() - before.1) as usize,
                    ended: status == Status::StreamEnd,
                })
            }
            Self::Zstd(zstd) => {
                let (mut input, mut output) = (InBuffer::around(packed), OutBuffer::around(plain));
                let hint = zstd.run(&mut input, &mut output).map_err(|_| broken())?;
                Ok(Progress { n_read: input.pos(), n_written: output.pos(), ended: hint == 0 })
            }
        }
    }
}

fn broken() -> Error {
    Error::protocol("the server sent a compressed frame that cannot be decompressed")
}

/// A frame holds less than 16 MiB, so no regular encoder refers back further than this; it bounds the decoder's memory.
const WINDOW_LOG_MAX: u32 = 24;
