//! Finds a member of a tar archive: goes from header to header, and holds no more than a header and a bounded name.
//!
//! Why not the iterator of the crate `tar`: it holds names of any length.

use crate::on_disk::FromPlace;
use crate::zip_member::{LISTED, is_data_file, name_one};
use inrush_core::error::{Error, Result};
use std::io::{self, Read};
use tar::{EntryType, Header, PaxExtensions};

/// Where a member is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) name: String,
    /// The place of its first byte in the plain archive.
    pub(crate) start: u64,
    pub(crate) size: u64,
}

/// The bytes of an archive, in order.
pub(crate) trait Archive: Read {
    /// Skips `n` bytes, also past the end.
    fn pass(&mut self, n: u64) -> io::Result<()>;

    /// Skips the remaining bytes. In a compressed archive they are read, which checks them.
    fn pass_rest(&mut self) -> io::Result<()>;
}

/// An archive that can only be read.
pub(crate) struct Stream<R>(pub(crate) R);

impl<R: Read> Read for Stream<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl<R: Read> Archive for Stream<R> {
    fn pass(&mut self, n: u64) -> io::Result<()> {
        io::copy(&mut (&mut self.0).take(n), &mut io::sink()).map(drop)
    }

    fn pass_rest(&mut self) -> io::Result<()> {
        io::copy(&mut self.0, &mut io::sink()).map(drop)
    }
}

impl Archive for FromPlace {
    fn pass(&mut self, n: u64) -> io::Result<()> {
        Self::pass(self, n);
        Ok(())
    }

    fn pass_rest(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes of a member, which must all be there.
pub(crate) struct Whole<R> {
    bytes: R,
    rest: u64,
}

impl<R> Whole<R> {
    pub(crate) fn new(bytes: R, size: u64) -> Self {
        Self { bytes, rest: size }
    }
}

impl<R: Read> Read for Whole<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = buf.len().min(usize::try_from(self.rest).unwrap_or(usize::MAX));
        if n == 0 {
            return Ok(0);
        }
        match self.bytes.read(&mut buf[..n])? {
            0 => Err(io::Error::new(io::ErrorKind::InvalidData, "the tar archive ends within the member")),
            n => {
                self.rest -= n as u64;
                Ok(n)
            }
        }
    }
}

/// Whether these bytes begin a tar archive: the checksum of its first header is right.
pub(crate) fn is_tar(head: &[u8]) -> bool {
    head.first_chunk().is_some_and(|block: &[u8; BLOCK]| block[0] != 0 && is_header(block))
}

/// Finds `member`, else the only data file. All headers are read: another member may have the same name.
///
/// # Errors
/// `Config` if no or several members match; `Data` for an archive that is damaged or ends early.
pub(crate) fn find(archive_name: &str, archive: &mut dyn Archive, wanted: Option<&str>) -> Result<Member> {
    let mut headers = Headers { archive_name, archive, at: 0 };
    let mut found: Option<Member> = None;
    let (mut n_found, mut names) = (0_u64, Vec::new());
    while let Some((member, is_whole)) = headers.next()? {
        if !is_data_file(&member.name) {
            continue;
        }
        let is_wanted =
            wanted.is_none_or(|wanted| member.name == wanted || member.name.strip_prefix("./") == Some(wanted));
        if names.len() <= LISTED {
            names.push(member.name.clone());
        }
        if !is_wanted {
            continue;
        }
        n_found += 1;
        if !is_whole {
            let name = &member.name;
            return Err(
                Error::config(format!("`{name}` in `{archive_name}` is a sparse file")).with_hint("unpack it first")
            );
        }
        found.get_or_insert(member);
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match (found, wanted) {
        (Some(member), _) if n_found == 1 => Ok(member),
        (Some(_), Some(wanted)) => Err(Error::config(format!("`{archive_name}` holds {n_found} files `{wanted}`"))
            .with_hint("unpack it first, and choose")),
        (_, wanted) => Err(name_one(archive_name, "file", n_found as usize, &names, wanted)),
    }
}

struct Headers<'a> {
    archive_name: &'a str,
    archive: &'a mut dyn Archive,
    /// The place of the next byte.
    at: u64,
}

impl Headers<'_> {
    /// Returns the next file and whether its bytes are stored unchanged, and moves past it; `None` at the end.
    fn next(&mut self) -> Result<Option<(Member, bool)>> {
        let (mut long_name, mut of_extension) = (None, Extension::default());
        loop {
            let mut block = [0; BLOCK];
            self.read(&mut block)?;
            if block == [0; BLOCK] {
                self.archive.pass_rest().map_err(|e| self.cannot_read(e))?;
                return Ok(None);
            }
            if !is_header(&block) {
                return Err(self.damaged("a header has a wrong checksum"));
            }
            let header = Header::from_byte_slice(&block);
            let size = header.entry_size().map_err(|_| self.damaged("a header has no size"))?;
            match header.entry_type() {
                EntryType::GNULongName => {
                    let name = self.short(size)?;
                    let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
                    long_name = Some(name[..end].to_vec());
                }
                EntryType::XHeader => {
                    let bytes = self.short(size)?;
                    of_extension =
                        Extension::parse(&bytes).ok_or_else(|| self.damaged("an extended header is not whole"))?;
                }
                EntryType::GNULongLink | EntryType::XGlobalHeader => self.pass(size)?,
                kind => {
                    let size = of_extension.size.unwrap_or(size);
                    let name = of_extension
                        .path
                        .take()
                        .or(long_name.take())
                        .unwrap_or_else(|| header.path_bytes().into_owned());
                    let member = Member { name: String::from_utf8_lossy(&name).into_owned(), start: self.at, size };
                    let is_whole = kind != EntryType::GNUSparse && !of_extension.is_sparse;
                    if kind == EntryType::GNUSparse && is_extended(&block) {
                        // More headers follow, whose number only they say.
                        return Err(Error::config(format!("`{}` holds a sparse file", self.archive_name))
                            .with_hint("unpack it first"));
                    }
                    self.pass(size)?;
                    if kind.is_file() || kind.is_contiguous() || kind == EntryType::GNUSparse {
                        return Ok(Some((member, is_whole)));
                    }
                    (long_name, of_extension) = (None, Extension::default());
                }
            }
        }
    }

    /// The bytes of a name or of an extended header.
    fn short(&mut self, size: u64) -> Result<Vec<u8>> {
        if size > MOST_NAME {
            return Err(self.damaged(&format!("a name has {size} bytes")));
        }
        let mut bytes = vec![0; size as usize];
        self.read(&mut bytes)?;
        self.pass_filling(size)?;
        Ok(bytes)
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.archive.read_exact(bytes).map_err(|e| match e.kind() {
            io::ErrorKind::UnexpectedEof => self.damaged("it ends early"),
            _ => self.cannot_read(e),
        })?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Passes the bytes of a member over, and what fills its last block.
    fn pass(&mut self, size: u64) -> Result<()> {
        self.archive.pass(size).map_err(|e| self.cannot_read(e))?;
        self.at = self.at.checked_add(size).ok_or_else(|| self.damaged("a member is larger than any file"))?;
        self.pass_filling(size)
    }

    fn pass_filling(&mut self, size: u64) -> Result<()> {
        let rest = (BLOCK as u64 - size % BLOCK as u64) % BLOCK as u64;
        self.archive.pass(rest).map_err(|e| self.cannot_read(e))?;
        self.at = self.at.checked_add(rest).ok_or_else(|| self.damaged("a member is larger than any file"))?;
        Ok(())
    }

    fn damaged(&self, why: &str) -> Error {
        Error::data(format!("`{}` is not a whole tar archive: {why}", self.archive_name))
    }

    fn cannot_read(&self, error: io::Error) -> Error {
        match error.raw_os_error() {
            Some(_) => Error::io(format!("cannot read `{}`", self.archive_name), error),
            None => self.damaged(&error.to_string()),
        }
    }
}

/// What an extended header says of the next member.
#[derive(Debug, Default)]
struct Extension {
    path: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
}

impl Extension {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let mut all = Self::default();
        for record in PaxExtensions::new(bytes) {
            let record = record.ok()?;
            match record.key().ok()? {
                "path" => all.path = Some(record.value_bytes().to_vec()),
                "size" => all.size = Some(record.value().ok()?.parse().ok()?),
                key if key.starts_with("GNU.sparse.") => all.is_sparse = true,
                _ => {}
            }
        }
        Some(all)
    }
}

/// Whether the block's checksum is right: the sum of its bytes, with blanks in the place of the checksum.
fn is_header(block: &[u8; BLOCK]) -> bool {
    let sum: u32 =
        block.iter().enumerate().map(|(i, &byte)| if CHECKSUM.contains(&i) { 32 } else { u32::from(byte) }).sum();
    Header::from_byte_slice(block).cksum().is_ok_and(|checksum| checksum == sum)
}

/// Whether a sparse member's header is followed by more of its list of holes.
fn is_extended(block: &[u8; BLOCK]) -> bool {
    Header::from_byte_slice(block).as_gnu().is_some_and(tar::GnuHeader::is_extended)
}

const BLOCK: usize = 512;

/// Where a header has its checksum.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// 1 MiB: Linux allows paths of 4 KiB.
const MOST_NAME: u64 = 1 << 20;

#[cfg(test)]
mod tests;
