//! A regular file as a later run will find it again: its [`Identity`], and reading from any place of it.
//!
//! Invariant: nothing here moves the file's own position, so that whoever reads it in order is not disturbed.

use inrush_core::bulk::ledger::Identity;
use inrush_core::error::{Error, Kind, Result};
use std::fs::File;
use std::hash::Hasher as _;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use twox_hash::XxHash3_64;

/// A file that was opened by its name.
#[derive(Clone, Debug)]
pub(crate) struct OnDisk {
    file: Arc<File>,
    /// The name as the user wrote it.
    shown: Arc<str>,
    /// The path from the root, with `#` and the member of an archive.
    name: String,
    size: u64,
    modified: Option<i64>,
}

impl OnDisk {
    /// Takes a handle of its own; `member` is what is read of an archive.
    pub(crate) fn new(shown: &str, path: &str, member: Option<&str>, file: &File) -> Result<Self> {
        let cannot_read = |e| Error::io(format!("cannot read `{shown}`"), e);
        let file = file.try_clone().map_err(cannot_read)?;
        let metadata = file.metadata().map_err(cannot_read)?;
        let path = Path::new(path).canonicalize().map_err(cannot_read)?;
        let member = member.map(|member| format!("#{member}")).unwrap_or_default();
        let modified = metadata.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        Ok(Self {
            file: Arc::new(file),
            shown: shown.into(),
            name: format!("{}{member}", path.display()),
            size: metadata.len(),
            modified: modified.and_then(|since| i64::try_from(since.as_nanos()).ok()),
        })
    }

    /// What tells it from other files, and from what it was before it was changed.
    pub(crate) fn identity(&self) -> Result<Identity> {
        let hash = self.hash_of_first(self.size)?;
        Ok(Identity { name: self.name.clone(), size: Some(self.size), modified: self.modified, hash })
    }

    /// The hash of its identity, had it but its first `size` bytes.
    pub(crate) fn hash_of_first(&self, size: u64) -> Result<u64> {
        let mut hasher = XxHash3_64::with_seed(0);
        let mut block = Vec::with_capacity(BLOCK as usize);
        for (at, bytes) in sampled_blocks(size.min(self.size)) {
            block.clear();
            let read = self.from(at).take(bytes).read_to_end(&mut block);
            read.map_err(|e| Error::io(format!("cannot read `{}`", self.shown), e))?;
            hasher.write(&block);
        }
        Ok(hasher.finish())
    }

    /// How long it was when it was opened.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Its bytes from `at` on.
    pub(crate) fn from(&self, at: u64) -> impl Read + Send + use<> {
        FromPlace { file: self.file.clone(), at }
    }

    /// The checksum of `bytes` bytes from `at` on; of fewer, if it ends before.
    pub(crate) fn checksum(&self, at: u64, bytes: u64) -> Result<u64> {
        let mut hasher = XxHash3_64::with_seed(0);
        let mut from = self.from(at).take(bytes);
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

/// The error for a source that is not what was stored; `lines` are the lines that differ, first and last.
pub(crate) fn changed(shown: &str, what: &str) -> Error {
    Error::new(Kind::Promise, format!("`{shown}` is not the source whose rows are stored: {what}")).with_hint(
        "put the file back as it was; or `--forget` the job, which leaves its rows in the table, and load what you choose",
    )
}

/// Places and lengths of the blocks that stand for a file of `size` bytes: the first, the last, and those evenly between them.
fn sampled_blocks(size: u64) -> impl Iterator<Item = (u64, u64)> {
    let all = size <= SAMPLED * BLOCK;
    // Of a small file all is read: as one block.
    let (n, bytes) = if all { (1, size) } else { (SAMPLED, BLOCK) };
    let last = size.saturating_sub(bytes);
    // In 128 bits: a sparse file may have a size that overflows 64.
    (0..n).map(move |i| ((u128::from(last) * u128::from(i) / u128::from((n - 1).max(1))) as u64, bytes))
}

/// Reads on from a place of its own.
struct FromPlace {
    file: Arc<File>,
    at: u64,
}

impl Read for FromPlace {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read_at(buf, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

/// 64 KiB: a disk's seek costs more than reading as much.
const BLOCK: u64 = 64 << 10;

/// The first, the last and 16 in between.
const SAMPLED: u64 = 18;

#[cfg(test)]
mod tests;
