//! Detects the compression of a file by its first bytes, and decompresses it as a stream: the memory does not depend on the ratio.

use crate::lz4::Lz4Frames;
use flate2::bufread::GzDecoder;
use inrush_core::error::{Error, Result};
use lzma_rust2::XzReader;
use std::io::{self, BufRead, BufReader, Read};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression.
    None,
    /// gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
    /// LZ4, one frame or several.
    Lz4,
    /// xz, one stream or several.
    Xz,
    /// bzip2, one stream or several.
    Bzip2,
    /// A member of a zip archive.
    Zip,
    /// A member of a tar archive, which may be compressed itself.
    Tar,
}

impl Compression {
    /// Detects it by the first bytes; a known format that is not supported is an error.
    pub(crate) fn of(name: &str, head: &[u8]) -> Result<Self> {
        for &(magic, compression) in MAGIC {
            if head.starts_with(magic) {
                return Ok(compression);
            }
        }
        if let [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] = head
            && (block.starts_with(b"1AY&SY") || block.starts_with(b"\x17\x72\x45\x38\x50\x90"))
        {
            return Ok(Self::Bzip2); // The numbers that a block and an empty stream begin with.
        }
        if head.len() >= 4 && (0x50..=0x5f).contains(&head[0]) && head[1..4] == [0x2a, 0x4d, 0x18] {
            return Ok(Self::Zstd); // A skippable frame may come first. LZ4's has the same magic, but no program writes one first.
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
            Self::Lz4 => "compressed by lz4",
            Self::Xz => "compressed by xz",
            Self::Bzip2 => "compressed by bzip2",
            Self::Zip => "a zip archive",
            Self::Tar => "a tar archive",
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

/// The same, but keeps the bytes that were read before an error: the returned stream yields them, then the error.
pub(crate) fn peek_before_errors(bytes: Box<dyn Read + Send>, n: u64) -> (Vec<u8>, Box<dyn Read + Send>) {
    match peek_as_far_as_possible(bytes, n) {
        (head, Ok(()), bytes) => (head, bytes),
        (head, Err(error), bytes) => (head, Box::new(bytes.chain(Failing(Some(error))))),
    }
}

/// The same, but returns an error of our own readers, since the caller must handle it.
pub(crate) fn peek_own_errors(bytes: Box<dyn Read + Send>, n: u64) -> Result<(Vec<u8>, Box<dyn Read + Send>)> {
    match peek_as_far_as_possible(bytes, n) {
        (head, Ok(()), bytes) => Ok((head, bytes)),
        (head, Err(error), bytes) => match error.get_ref().and_then(|error| error.downcast_ref::<Error>()) {
            Some(own) => Err(own.clone()),
            None => Ok((head, Box::new(bytes.chain(Failing(Some(error)))))),
        },
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

/// Returns a stored error once, then reports the end of the stream.
struct Failing(Option<io::Error>);

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// The plain bytes of a compressed stream; one that ends too early is an error, not an end.
pub(crate) fn decompress(bytes: Box<dyn Read + Send>, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    let buffered = |bytes| BufReader::with_capacity(BUFFER, bytes);
    Ok(match compression {
        Compression::None | Compression::Zip | Compression::Tar => bytes,
        Compression::Gzip => Box::new(GzipMembers::new(buffered(bytes))),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(buffered(bytes))?),
        Compression::Lz4 => Box::new(Lz4Frames::new(buffered(bytes))),
        Compression::Xz => Box::new(Xz(XzReader::new_mem_limit(buffered(bytes), true, MOST_XZ_KIB))),
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(bytes))),
    })
}

/// The members of a gzip file. Ignores zeros after the last member, as gzip does: they pad the blocks of a tape or a disk.
struct GzipMembers<R> {
    /// `None` after the last one.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> GzipMembers<R> {
    fn new(bytes: R) -> Self {
        Self { member: Some(GzDecoder::new(bytes)) }
    }
}

impl<R: BufRead> Read for GzipMembers<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0); // It would be taken for the end of a member.
        }
        while let Some(member) = &mut self.member {
            let n = member.read(buf)?;
            if n > 0 {
                return Ok(n);
            }
            let Some(mut rest) = self.member.take().map(GzDecoder::into_inner) else { break };
            let is_padded = pass_zeros(&mut rest)?;
            match (rest.fill_buf()?, is_padded) {
                ([], _) => {}
                (_, false) => self.member = Some(GzDecoder::new(rest)),
                (_, true) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, "something follows the zeros at its end"));
                }
            }
        }
        Ok(0)
    }
}

/// Passes over zeros; returns whether there were any.
fn pass_zeros(bytes: &mut impl BufRead) -> io::Result<bool> {
    let mut were_any = false;
    loop {
        let n = bytes.fill_buf()?.iter().take_while(|byte| **byte == 0).count();
        if n == 0 {
            return Ok(were_any);
        }
        were_any = true;
        bytes.consume(n);
    }
}

/// Says which limit is meant, which the crate's error does not.
struct Xz<R: Read>(XzReader<R>);

impl<R: Read> Read for Xz<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0); // The crate would take it for the end.
        }
        self.0.read(buf).map_err(|error| match error.kind() {
            io::ErrorKind::OutOfMemory => {
                let message =
                    "its dictionary needs more than 128 MiB: pipe the output of `xz -dc`, `.. | inrush load -`";
                io::Error::new(io::ErrorKind::InvalidData, message)
            }
            _ => error,
        })
    }
}

const MAGIC: &[(&[u8], Compression)] = &[
    (b"\x1f\x8b\x08", Compression::Gzip),
    (b"\x28\xb5\x2f\xfd", Compression::Zstd),
    (b"\x04\x22\x4d\x18", Compression::Lz4),
    (b"\xfd7zXZ\x00", Compression::Xz),
    (b"PK\x03\x04", Compression::Zip),
    (b"PK\x05\x06", Compression::Zip), // An archive without members.
];

const ENDINGS: &[(&str, Compression)] = &[
    (".gz", Compression::Gzip),
    (".gzip", Compression::Gzip),
    (".zst", Compression::Zstd),
    (".zstd", Compression::Zstd),
    (".lz4", Compression::Lz4),
    (".xz", Compression::Xz),
    (".bz2", Compression::Bzip2),
    (".zip", Compression::Zip),
];

/// Magic bytes that are long enough to exclude text.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (b"\x02\x21\x4c\x18", "compressed by the legacy format of lz4", "`lz4 -dc FILE | inrush load -` loads it"),
    (b"\x1f\x9d", "compressed by compress (.Z)", "`gzip -dc FILE | inrush load - ..` loads it"),
    (b"\x5d\x00\x00", "compressed by lzma", "`xz --format=lzma -dc FILE | inrush load - ..` loads it"),
    (b"LZIP\x01", "compressed by lzip", "`lzip -dc FILE | inrush load - ..` loads it"),
    (b"\x89LZO\x00", "compressed by lzop", "`lzop -dc FILE | inrush load - ..` loads it"),
    (b"\xff\x06\x00\x00sNaPpY", "compressed by snappy", "decompress it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database", "write its table as CSV first"),
];

/// The bytes that [`Compression::of`] needs.
pub(crate) const MAGIC_BYTES: u64 = 16;

/// A stream may ask for a dictionary of 4 GiB. A stream of `xz -9` needs 64 MiB; Zstandard's reader has the same limit. The limit of xz's
/// reader is for all its memory: 1 MiB more is for the rest.
const MOST_XZ_KIB: u32 = (128 << 10) + 1024;

/// 128 KiB: the size that Zstandard's reader recommends.
pub(crate) const BUFFER: usize = 128 << 10;
