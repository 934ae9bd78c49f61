//! Reads the one data file of a zip archive, or the one that was named.
//!
//! The archive's directory stands at its end, so the archive must be a file. The `zip` crate reads only that directory:
//! its own readers borrow the archive, and the member is a plain stretch of the file that we can stream ourselves.

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

/// Opens the member called `wanted`, else the only data file there is.
pub(crate) fn open(
    archive_name: &str,
    file: impl Read + Seek + Send + 'static,
    wanted: Option<&str>,
) -> Result<Member> {
    let damaged = |e: zip::result::ZipError| Error::data(format!("`{archive_name}` is not a whole zip archive: {e}"));
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(damaged)?;
    let index = choose(archive_name, archive.file_names(), wanted)?;
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
fn choose<'a>(archive_name: &str, names: impl Iterator<Item = &'a str>, wanted: Option<&str>) -> Result<usize> {
    let candidates: Vec<(usize, &str)> = names
        .enumerate()
        .filter(|(_, name)| wanted.map_or_else(|| is_data_file(name), |wanted| *name == wanted))
        .collect();
    match (&candidates[..], wanted) {
        ([(index, _)], _) => Ok(*index),
        ([], None) => Err(Error::config(format!("`{archive_name}` holds no file"))),
        ([], Some(wanted)) => Err(Error::config(format!("`{archive_name}` holds no file `{wanted}`"))),
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

/// Neither a folder nor what macOS puts beside the files.
fn is_data_file(name: &str) -> bool {
    !name.ends_with('/') && !name.starts_with("__MACOSX/") && name.rsplit('/').next() != Some(".DS_Store")
}

/// Checks length and checksum once the stream ends, so that a damaged member is never taken for a short one.
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
