//! Detects the compression of a file by its first bytes, and decompresses it as a stream: the memory does not depend on the ratio.

use inrush_core::error::{Error, Result};
use std::io::{self, BufReader, Read};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
    /// A member of a zip archive.
    Zip,
}

impl Compression {
    /// Detects it by the first bytes; a known format that is not supported is an error.
    pub(crate) fn of(name: &str, head: &[u8]) -> Result<Self> {
        for &(magic, compression) in MAGIC {
            if head.starts_with(magic) {
                return Ok(compression);
            }
        }
        if head.len() >= 4 && (0x50..=0x5f).contains(&head[0]) && head[1..4] == [0x2a, 0x4d, 0x18] {
            return Ok(Self::Zstd); // A skippable frame may come first.
        }
        for &(magic, format, hint) in FOREIGN {
            if head.starts_with(magic) {
                let hint = hint.replace("FILE", name);
                return Err(Error::config(format!("`{name}` is {format}, which is not read")).with_hint(hint));
            }
        }
        Ok(Self::None)
    }

    /// For a message.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::None => "not compressed",
            Self::Gzip => "compressed by gzip",
            Self::Zstd => "compressed by zstd",
            Self::Zip => "a zip archive",
        }
    }

    /// The compression by the name's ending, and the name without the ending.
    pub(crate) fn of_name(name: &str) -> (Option<Self>, &str) {
        for &(ending, compression) in ENDINGS {
            if let Some(at) = name.len().checked_sub(ending.len())
                && name.is_char_boundary(at)
                && name[at..].eq_ignore_ascii_case(ending)
            {
                return (Some(compression), &name[..at]);
            }
        }
        (None, name)
    }
}

/// Reads up to `n` bytes, and returns them with a stream that still begins with them.
pub(crate) fn peek(bytes: Box<dyn Read + Send>, n: u64) -> io::Result<(Vec<u8>, Box<dyn Read + Send>)> {
    let (head, result, bytes) = peek_as_far_as_possible(bytes, n);
    result.map(|()| (head, bytes))
}

/// The same where what was read before an error counts: the stream goes on with the error.
pub(crate) fn peek_before_errors(bytes: Box<dyn Read + Send>, n: u64) -> (Vec<u8>, Box<dyn Read + Send>) {
    match peek_as_far_as_possible(bytes, n) {
        (head, Ok(()), bytes) => (head, bytes),
        (head, Err(error), bytes) => (head, Box::new(bytes.chain(Failing(Some(error))))),
    }
}

fn peek_as_far_as_possible(mut bytes: Box<dyn Read + Send>, n: u64) -> (Vec<u8>, io::Result<()>, Box<dyn Read + Send>) {
    let mut head = Vec::new();
    let result = (&mut bytes).take(n).read_to_end(&mut head).map(drop);
    let again = io::Cursor::new(head.clone());
    match result {
        Ok(()) => (head, Ok(()), Box::new(again.chain(bytes))),
        Err(error) => (head, Err(error), Box::new(again)),
    }
}

/// Fails with an error that was met before; ends behind it.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The plain bytes of gzip or Zstandard; a stream that ends too early is an error, not an end.
pub(crate) fn decompress(bytes: Box<dyn Read + Send>, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    let buffered = |bytes| BufReader::with_capacity(BUFFER, bytes);
    Ok(match compression {
        Compression::None | Compression::Zip => bytes,
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(bytes))),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(buffered(bytes))?),
    })
}

const MAGIC: &[(&[u8], Compression)] = &[
    (b"\x1f\x8b\x08", Compression::Gzip),
    (b"\x28\xb5\x2f\xfd", Compression::Zstd),
    (b"PK\x03\x04", Compression::Zip),
    (b"PK\x05\x06", Compression::Zip), // An archive without members.
];

const ENDINGS: &[(&str, Compression)] = &[
    (".gz", Compression::Gzip),
    (".gzip", Compression::Gzip),
    (".zst", Compression::Zstd),
    (".zstd", Compression::Zstd),
    (".zip", Compression::Zip),
];

/// Magic bytes that are long enough to exclude text.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (b"\xfd7zXZ\x00", "compressed by xz", "`xz -dc FILE | inrush load -` loads it"),
    (b"BZh91AY&SY", "compressed by bzip2", "`bzip2 -dc FILE | inrush load -` loads it"),
    (b"\x04\x22\x4d\x18", "compressed by lz4", "`lz4 -dc FILE | inrush load -` loads it"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database", "write its table as CSV first"),
];

/// The bytes that [`Compression::of`] needs.
pub(crate) const MAGIC_BYTES: u64 = 16;

/// 128 KiB: the size that Zstandard's reader recommends.
pub(crate) const BUFFER: usize = 128 << 10;
