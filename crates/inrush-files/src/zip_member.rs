//! Reads the only data file of a zip archive, or the named one.
//!
//! The archive's directory is at its end, so the archive must be a file. The `zip` crate is used for the directory only: its readers
//! borrow the archive, and a member is a contiguous range of the file that can be streamed directly.

use crate::decompress::{BUFFER, Compression, decompress};
use crate::input::{Meter, Metered};
use flate2::Crc;
use inrush_core::error::{Error, Result};
use std::collections::BTreeSet;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use zip::{CompressionMethod, ZipArchive};

/// A member, ready to be read.
pub(crate) struct Member {
    pub(crate) name: String,
    pub(crate) bytes: Box<dyn Read + Send>,
    pub(crate) meter: Arc<Meter>,
}

/// Opens `member`, else the only data file.
pub(crate) fn open<F: Read + Seek + Send + 'static>(
    mut directory: Directory<F>,
    member: Option<&str>,
) -> Result<Member> {
    let archive_name = directory.archive_name.clone();
    let name = choose(&archive_name, "file", &directory.names(), is_data_file, member)?.to_owned();
    let part = directory.find(&name)?;
    let cannot_read = |e| Error::io(format!("cannot read `{archive_name}`"), e);
    let mut file = directory.archive.into_inner().into_inner();
    file.seek(SeekFrom::Start(part.start)).map_err(cannot_read)?;
    let meter = Meter::new(Some(part.size));
    let bytes = part.plain(Box::new(Metered::new(file.take(part.size), meter.clone()))).map_err(cannot_read)?;
    Ok(Member { name, bytes, meter })
}

/// The directory of an archive.
pub(crate) struct Directory<F> {
    archive_name: String,
    archive: ZipArchive<BufReader<F>>,
    /// Names of several members, as bytes of the archive: the crate keeps only the last member of each name.
    several: BTreeSet<Vec<u8>>,
}

/// The place of a member in its archive, and its properties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    /// The place of its bytes.
    pub(crate) start: u64,
    /// The number of its bytes, compressed.
    pub(crate) size: u64,
    coding: Coding,
    /// The checksum and the length of the plain bytes.
    expected: (u32, u64),
}

#[derive(Clone, Copy, Debug)]
enum Coding {
    Stored,
    Deflated,
    Zstd,
}

impl<F: Read + Seek> Directory<F> {
    pub(crate) fn read(archive_name: &str, file: F) -> Result<Self> {
        let damaged = |e| Error::data(format!("`{archive_name}` is not a whole zip archive: {e}"));
        let archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
        let start = archive.central_directory_start();
        let mut bytes = archive.into_inner();
        let several = names_of_several(&mut bytes, start).map_err(|e| damaged(e.into()))?;
        let archive = ZipArchive::new(bytes).map_err(damaged)?;
        Ok(Self { archive_name: archive_name.to_owned(), archive, several })
    }

    /// The names of all members, in their order.
    pub(crate) fn names(&self) -> Vec<&str> {
        self.archive.file_names().collect()
    }

    /// Finds a member.
    ///
    /// # Errors
    /// `Data` if no member has that name; `Config` for a member that is encrypted, or compressed by an unsupported method.
    pub(crate) fn find(&mut self, name: &str) -> Result<Part> {
        let archive_name = &self.archive_name;
        let damaged = |e| Error::data(format!("`{archive_name}` is not a whole zip archive: {e}"));
        let index = self.archive.index_for_name(name);
        let index = index.ok_or_else(|| Error::data(format!("`{archive_name}` holds no file `{name}`")))?;
        let member = self.archive.by_index_raw(index).map_err(damaged)?;
        if self.several.contains(member.name_raw()) {
            return Err(Error::config(format!("`{archive_name}` holds several files `{name}`"))
                .with_hint("unpack it first, and choose"));
        }
        let refuse =
            |why: &str| Err(Error::config(format!("`{name}` in `{archive_name}` {why}")).with_hint("unpack it first"));
        if member.encrypted() {
            return refuse("is encrypted");
        }
        let coding = match member.compression() {
            CompressionMethod::Stored => Coding::Stored,
            CompressionMethod::Deflated => Coding::Deflated,
            CompressionMethod::ZSTD => Coding::Zstd,
            _ => return refuse("is compressed by a method that is not read"),
        };
        let expected = (member.crc32(), member.size());
        Ok(Part { start: member.data_start(), size: member.compressed_size(), coding, expected })
    }
}

/// The names that occur more than once in the central directory, which begins at `start`.
fn names_of_several(bytes: &mut (impl Read + Seek), start: u64) -> io::Result<BTreeSet<Vec<u8>>> {
    let (mut names, mut several) = (BTreeSet::new(), BTreeSet::new());
    bytes.seek(SeekFrom::Start(start))?;
    let mut header = [0; CENTRAL_HEADER];
    loop {
        bytes.read_exact(&mut header[..4])?;
        if header[..4] != *b"PK\x01\x02" {
            return Ok(several);
        }
        bytes.read_exact(&mut header[4..])?;
        let length = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let mut name = vec![0; length(28).into()];
        bytes.read_exact(&mut name)?;
        let behind = u64::from(length(30)) + u64::from(length(32));
        if io::copy(&mut bytes.by_ref().take(behind), &mut io::sink())? < behind {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if !names.insert(name.clone()) {
            several.insert(name);
        }
    }
}

/// Bytes of an entry of the central directory, without its name and what follows that.
const CENTRAL_HEADER: usize = 46;

impl Part {
    /// The plain bytes of the member, whose bytes in the archive are `raw`.
    pub(crate) fn plain(&self, raw: Box<dyn Read + Send>) -> io::Result<Box<dyn Read + Send>> {
        let inner: Box<dyn Read + Send> = match self.coding {
            Coding::Stored => raw,
            Coding::Deflated => Box::new(flate2::bufread::DeflateDecoder::new(BufReader::with_capacity(BUFFER, raw))),
            Coding::Zstd => decompress(raw, Compression::Zstd)?,
        };
        Ok(Box::new(Verified { inner, crc: Crc::new(), length: 0, expected: self.expected }))
    }
}

/// The name of the member to read: `member`, else the only one that is data. `what` is what a member is called in messages.
pub(crate) fn choose<'a>(
    archive_name: &str,
    what: &str,
    names: &[&'a str],
    is_data: fn(&str) -> bool,
    member: Option<&str>,
) -> Result<&'a str> {
    let is_wanted = |name: &&str| member.map_or_else(|| is_data(name), |member| *name == member);
    let candidates: Vec<&str> = names.iter().copied().filter(is_wanted).collect();
    match candidates[..] {
        [only] => Ok(only),
        _ => {
            let there: Vec<&str> = names.iter().copied().filter(|name| is_data(name)).collect();
            Err(name_one(archive_name, what, candidates.len(), &there, member))
        }
    }
}

/// The error for an archive with no or several members to read. `there` are its data files; a message lists only the first ones.
pub(crate) fn name_one(archive_name: &str, what: &str, n: usize, there: &[&str], member: Option<&str>) -> Error {
    match (member, there) {
        (None, []) => Error::config(format!("`{archive_name}` holds no {what}")),
        (Some(member), _) => Error::config(format!("`{archive_name}` holds no {what} `{member}`"))
            .with_hint(format!("it holds {}", listed(there))),
        (None, [first, ..]) => Error::config(format!("`{archive_name}` holds {n} {what}s: {}", listed(there)))
            .with_hint(format!("name one: `{archive_name}#{first}`")),
    }
}

/// Names as in a message.
fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "no file".to_owned();
    }
    let mut list: Vec<_> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    if names.len() > LISTED {
        list.push("..".into());
    }
    list.join(", ")
}

/// Neither a folder nor a file that macOS adds.
pub(crate) fn is_data_file(name: &str) -> bool {
    !name.ends_with('/') && !name.starts_with("__MACOSX/") && name.rsplit('/').next() != Some(".DS_Store")
}

/// Checks length and checksum once the stream ends, so that a damaged member is an error and not a short file.
struct Verified {
    inner: Box<dyn Read + Send>,
    crc: Crc,
    length: u64,
    expected: (u32, u64),
}

impl Read for Verified {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.crc.update(&buf[..n]);
        self.length += n as u64;
        if n == 0 && !buf.is_empty() && (self.crc.sum(), self.length) != self.expected {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "length or checksum of the zip member is wrong"));
        }
        Ok(n)
    }
}

/// How many members an error message lists.
pub(crate) const LISTED: usize = 10;
