//! A file or an object that a later run can find again: its [`Identity`], and reading from any place of it.
//!
//! Invariant: no function moves the file's own position, so that sequential readers are not affected.

use crate::objects::{Object, ObjectReader};
use inrush_core::error::{Error, Kind, Result};
use inrush_core::load::Unchanged;
use inrush_core::load::ledger::Identity;
use std::fs::{File, Metadata};
use std::hash::Hasher as _;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::UNIX_EPOCH;
use twox_hash::XxHash3_64;

/// A file that was opened by its name, or an object by its address.
#[derive(Clone, Debug)]
pub(crate) struct OnDisk {
    bytes: Bytes,
    /// The name as the user wrote it.
    shown: Arc<str>,
    /// The path from the root, with `#` and the member of an archive.
    name: String,
    size: u64,
    modified: Option<i64>,
    /// The hash of the identity, once it was computed.
    hash: Arc<OnceLock<u64>>,
}

/// Where its bytes are.
#[derive(Clone, Debug)]
enum Bytes {
    /// In a file; with the path from the root.
    File(Arc<File>, Arc<Path>),
    Object(Object),
}

impl OnDisk {
    /// An object.
    pub(crate) fn of_object(shown: &str, object: &Object) -> Self {
        Self {
            shown: shown.into(),
            name: object.address().shown(),
            size: object.size(),
            modified: object.modified(),
            bytes: Bytes::Object(object.clone()),
            hash: Arc::default(),
        }
    }

    /// The same bytes as the member of this name.
    pub(crate) fn of_member(&self, member: &str) -> Self {
        Self { name: format!("{}#{member}", self.name), hash: Arc::default(), ..self.clone() }
    }

    /// Duplicates the handle; `member` is the member of an archive.
    pub(crate) fn new(shown: &str, path: &str, member: Option<&str>, file: &File) -> Result<Self> {
        let cannot_read = |e| Error::io(format!("cannot read `{shown}`"), e);
        let file = file.try_clone().map_err(cannot_read)?;
        let metadata = file.metadata().map_err(cannot_read)?;
        let path = Path::new(path).canonicalize().map_err(cannot_read)?;
        let member = member.map(|member| format!("#{member}")).unwrap_or_default();
        Ok(Self {
            bytes: Bytes::File(Arc::new(file), path.as_path().into()),
            shown: shown.into(),
            name: format!("{}{member}", path.display()),
            size: metadata.len(),
            modified: modified(&metadata),
            hash: Arc::default(),
        })
    }

    /// Identifies the file and its content.
    ///
    /// # Errors
    /// `Data` if it was changed since it was opened: then the hash is not that of the bytes that were read.
    pub(crate) fn identity(&self) -> Result<Identity> {
        let hash = match self.hash.get() {
            Some(hash) => *hash,
            None => {
                let hash = self.hash_of_first(self.size)?;
                if let Some(now) = self.metadata()? {
                    self.compare_size(&now)?;
                    if modified(&now) != self.modified {
                        return Err(self.written());
                    }
                }
                *self.hash.get_or_init(|| hash)
            }
        };
        Ok(Identity { name: self.name.clone(), size: Some(self.size), modified: self.modified, hash })
    }

    /// The hash of its identity if it had only its first `size` bytes. That of an object is the one of its ETag: no object grows.
    pub(crate) fn hash_of_first(&self, size: u64) -> Result<u64> {
        if let Bytes::Object(object) = &self.bytes
            && let Some(etag) = object.etag()
        {
            let mut hasher = XxHash3_64::with_seed(size);
            hasher.write(etag.as_bytes());
            return Ok(hasher.finish());
        }
        let mut hasher = XxHash3_64::with_seed(0);
        let mut block = Vec::with_capacity(BLOCK as usize);
        for (at, bytes) in sampled_blocks(size.min(self.size)) {
            block.clear();
            let read = self.exact(at, bytes).read_to_end(&mut block);
            read.map_err(|e| Error::io(format!("cannot read `{}`", self.shown), e))?;
            hasher.write(&block);
        }
        Ok(hasher.finish())
    }

    /// Its length when it was opened.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Its bytes from `at` on.
    pub(crate) fn from(&self, at: u64) -> FromPlace {
        match &self.bytes {
            Bytes::File(file, _) => FromPlace::File { file: file.clone(), at },
            Bytes::Object(object) => FromPlace::Object(Box::new(ObjectReader::new(object, at))),
        }
    }

    /// These bytes, all of which are read; fewer, if it ends before.
    pub(crate) fn exact(&self, at: u64, bytes: u64) -> io::Take<FromPlace> {
        let from = match &self.bytes {
            Bytes::File(..) => self.from(at),
            Bytes::Object(object) => FromPlace::Object(Box::new(ObjectReader::exact(object, at, bytes))),
        };
        from.take(bytes)
    }

    /// These bytes of an object, all of which are read in order, in ranges of `step` bytes; `None` for a file.
    pub(crate) fn in_steps(&self, at: u64, bytes: u64, step: u64) -> Option<FromPlace> {
        match &self.bytes {
            Bytes::File(..) => None,
            Bytes::Object(object) => Some(FromPlace::Object(Box::new(ObjectReader::in_steps(object, at, bytes, step)))),
        }
    }

    /// Whether its identity proves that the whole content is the same: that of an object with an ETag does.
    pub(crate) fn is_proved(&self) -> bool {
        matches!(&self.bytes, Bytes::Object(object) if object.etag().is_some())
    }

    /// Reads and seeks by its own position.
    pub(crate) fn seekable(&self) -> Seekable {
        Seekable { place: self.clone(), at: 0, from: None }
    }

    /// The first error that a reader of an object met.
    pub(crate) fn failure(&self) -> Option<Error> {
        match &self.bytes {
            Bytes::File(..) => None,
            Bytes::Object(object) => object.failure(),
        }
    }

    /// Whether a line ends right before `at`, or the file does.
    pub(crate) fn is_line_end(&self, at: u64) -> Result<bool> {
        let mut last = [b'\n'];
        if (1..self.size).contains(&at) {
            let read = self.exact(at - 1, 1).read_exact(&mut last);
            read.map_err(|e| Error::io(format!("cannot read `{}`", self.shown), e))?;
        }
        Ok(last == *b"\n")
    }

    /// What the file system says of a file now.
    fn metadata(&self) -> Result<Option<Metadata>> {
        match &self.bytes {
            Bytes::File(file, _) => {
                file.metadata().map(Some).map_err(|e| Error::io(format!("cannot read `{}`", self.shown), e))
            }
            Bytes::Object(_) => Ok(None),
        }
    }

    fn compare_size(&self, now: &Metadata) -> Result<()> {
        let (shown, before, now) = (&self.shown, self.size, now.len());
        if now > before {
            return Err(Error::data(format!("`{shown}` grew from {before} to {now} bytes while it was loaded"))
                .with_hint(
                    "load it when nothing appends to it any more; whole lines may be in the table, others not",
                ));
        }
        if now < before {
            return Err(changed_meanwhile(format!(
                "`{shown}` was cut from {before} to {now} bytes while it was loaded"
            )));
        }
        Ok(())
    }

    fn written(&self) -> Error {
        changed_meanwhile(format!("`{}` was written to while it was loaded", self.shown))
    }

    /// Whether the hash covers every byte.
    fn is_hashed_whole(&self) -> bool {
        self.size <= SAMPLED * BLOCK
    }

    /// The checksum of `bytes` bytes from `at` on; of fewer, if it ends before.
    pub(crate) fn checksum(&self, at: u64, bytes: u64) -> Result<u64> {
        let mut hasher = XxHash3_64::with_seed(0);
        let mut from = self.exact(at, bytes);
        let mut block = vec![0; BLOCK as usize];
        loop {
            match from.read(&mut block) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(n) => hasher.write(&block[..n]),
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(Error::io(format!("cannot read `{}`", self.shown), e)),
            }
        }
    }
}

impl Unchanged for OnDisk {
    /// A `touch` is no change if the hash is the same. A hash of a part of the file is not compared. Every answer for an object is
    /// compared when it comes.
    fn check(&self) -> Result<()> {
        let Some(now) = self.metadata()? else { return self.failure().map_or(Ok(()), Err) };
        self.compare_size(&now)?;
        if modified(&now) == self.modified {
            return Ok(());
        }
        match self.hash.get() {
            Some(hash) if self.is_hashed_whole() && self.hash_of_first(self.size)? == *hash => Ok(()),
            _ => Err(self.written()),
        }
    }

    /// A page written through a mapping may change the bytes before the times.
    fn confirm(&self) -> Result<()> {
        self.check()?;
        if let Bytes::Object(object) = &self.bytes {
            // With an ETag each part that was read has proved to be of one content.
            return if object.etag().is_some() { Ok(()) } else { object.compare() };
        }
        match self.hash.get() {
            Some(hash) if self.hash_of_first(self.size)? != *hash => Err(self.written()),
            _ => self.metadata()?.map_or(Ok(()), |now| self.compare_size(&now)),
        }
    }

    fn is_replaced(&self) -> bool {
        let Bytes::File(file, path) = &self.bytes else { return false };
        let Ok(own) = file.metadata() else { return false };
        path.metadata().map_or(true, |now| (now.dev(), now.ino()) != (own.dev(), own.ino()))
    }
}

/// The time of the last modification, in nanoseconds since 1970.
fn modified(metadata: &Metadata) -> Option<i64> {
    let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    modified.and_then(|since| i64::try_from(since.as_nanos()).ok())
}

/// The error for a source that was changed while it was read.
fn changed_meanwhile(message: String) -> Error {
    Error::data(message).with_hint(
        "what is stored may be of both contents: compare it with the file; the same command does that for every stored row, and goes on \
         only if the file still holds it",
    )
}

/// The error for a source that differs from the stored rows; `lines` are the lines that differ, first and last.
pub(crate) fn changed(shown: &str, what: &str) -> Error {
    Error::new(Kind::Guarantee, format!("`{shown}` is not the source whose rows are stored: {what}")).with_hint(
        "put the file back as it was; or `--forget` the job, which leaves its rows in the table, and load what you choose",
    )
}

/// Places and lengths of the blocks that are hashed for a file of `size` bytes: the first, the last, and blocks evenly between them.
fn sampled_blocks(size: u64) -> impl Iterator<Item = (u64, u64)> {
    let all = size <= SAMPLED * BLOCK;
    // A small file is read completely, as one block.
    let (n, bytes) = if all { (1, size) } else { (SAMPLED, BLOCK) };
    let last = size.saturating_sub(bytes);
    // In 128 bits: a sparse file may have a size that overflows 64.
    (0..n).map(move |i| ((u128::from(last) * u128::from(i) / u128::from((n - 1).max(1))) as u64, bytes))
}

/// Reads from its own position.
pub(crate) enum FromPlace {
    File { file: Arc<File>, at: u64 },
    Object(Box<ObjectReader>),
}

impl Read for FromPlace {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::File { file, at } => {
                let n = file.read_at(buf, *at)?;
                *at += n as u64;
                Ok(n)
            }
            Self::Object(reader) => reader.read(buf),
        }
    }
}

impl FromPlace {
    /// Skips `n` bytes, also past the end of the file.
    pub(crate) fn pass(&mut self, n: u64) {
        match self {
            Self::File { at, .. } => *at = at.saturating_add(n),
            Self::Object(reader) => reader.pass(n),
        }
    }
}

/// Reads and seeks.
pub(crate) struct Seekable {
    place: OnDisk,
    at: u64,
    /// Reads from `at` on.
    from: Option<FromPlace>,
}

impl Read for Seekable {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.from.get_or_insert_with(|| self.place.from(self.at)).read(buf)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for Seekable {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.place.size.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        let at = at.ok_or(io::ErrorKind::InvalidInput)?;
        if at != self.at {
            (self.at, self.from) = (at, None);
        }
        Ok(at)
    }
}

/// 64 KiB: a disk's seek costs more than reading as much.
const BLOCK: u64 = 64 << 10;

/// The first, the last and 16 in between.
const SAMPLED: u64 = 18;

#[cfg(test)]
mod tests;
