//! Reads the only data file of a zip archive, or the named one.
//!
//! The archive's directory is at its end, so the archive must be a file. The `zip` crate is used for the directory only: its readers
//! borrow the archive, and a member is a contiguous range of the file that can be streamed directly.

use crate::decompress::{BUFFER, Compression, decompress};
use crate::input::{Meter, Metered};
use flate2::Crc;
use inrush_core::error::{Error, Result};
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
pub(crate) fn open(
    archive_name: &str,
    file: impl Read + Seek + Send + 'static,
    member: Option<&str>,
) -> Result<Member> {
    let damaged = |e: zip::result::ZipError| Error::data(format!("`{archive_name}` is not a whole zip archive: {e}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let index = choose(archive_name, archive.file_names(), member)?;
    let name = archive.file_names().nth(index).unwrap_or_default().to_owned();
    let index = archive.index_for_name(&name).unwrap_or(index);
    let member = archive.by_index_raw(index).map_err(damaged)?;
    let refuse =
        |why: &str| Err(Error::config(format!("`{name}` in `{archive_name}` {why}")).with_hint("unpack it first"));
    if member.encrypted() {
        return refuse("is encrypted");
    }
    let method = member.compression();
    let (start, size) = (member.data_start(), member.compressed_size());
    let expected = (member.crc32(), member.size());
    drop(member);
    let mut file = archive.into_inner().into_inner();
    let cannot_read = |e| Error::io(format!("cannot read `{archive_name}`"), e);
    file.seek(SeekFrom::Start(start)).map_err(cannot_read)?;
    let meter = Meter::new(Some(size));
    let raw: Box<dyn Read + Send> = Box::new(Metered::new(file.take(size), meter.clone()));
    let plain: Box<dyn Read + Send> = match method {
        CompressionMethod::Stored => raw,
        CompressionMethod::Deflated => {
            Box::new(flate2::bufread::DeflateDecoder::new(BufReader::with_capacity(BUFFER, raw)))
        }
        CompressionMethod::ZSTD => decompress(raw, Compression::Zstd).map_err(cannot_read)?,
        _ => return refuse("is compressed by a method that is not read"),
    };
    let bytes = Box::new(Verified { inner: plain, crc: Crc::new(), length: 0, expected });
    Ok(Member { name, bytes, meter })
}

/// The index of the member to read, among all names.
fn choose<'a>(archive_name: &str, names: impl Iterator<Item = &'a str>, member: Option<&str>) -> Result<usize> {
    let candidates: Vec<(usize, &str)> = names
        .enumerate()
        .filter(|(_, name)| member.map_or_else(|| is_data_file(name), |member| *name == member))
        .collect();
    match (&candidates[..], member) {
        ([(index, _)], _) => Ok(*index),
        ([], None) => Err(Error::config(format!("`{archive_name}` holds no file"))),
        ([], Some(member)) => Err(Error::config(format!("`{archive_name}` holds no file `{member}`"))),
        ([(_, first), ..], _) => {
            let mut list: Vec<_> = candidates.iter().take(LISTED).map(|(_, name)| format!("`{name}`")).collect();
            if candidates.len() > LISTED {
                list.push("..".into());
            }
            Err(Error::config(format!("`{archive_name}` holds {} files: {}", candidates.len(), list.join(", ")))
                .with_hint(format!("name one: `{archive_name}#{first}`")))
        }
    }
}

/// Neither a folder nor a file that macOS adds.
fn is_data_file(name: &str) -> bool {
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
const LISTED: usize = 10;
