//! The temporary files of a sort: a folder a process, a file for each run, read back in blocks that are verified.
//!
//! ```text
//! TEMP_DIR/inrush-sort-RANDOM/lock     locked as long as the process runs
//!                            /run-N    blocks, each behind its header (`load::sort`)
//! ```
//! Folder and files are for their owner alone (0700, 0600). The folder is removed when a [`Folder`] is dropped; what a killed process has
//! left is removed by the next load with the same temporary folder.

use inrush_core::load::sort::{BLOCK_BYTES, Blocks, HEADER_BYTES, Header, Merge, RunBuilder};
use inrush_core::{Error, Result};
use rustix::fs::{FlockOperation, flock, statfs, statvfs};
use std::fs::{self, DirBuilder, DirEntry, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A folder of runs.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// Holds the lock.
    _lock: File,
}

const PREFIX: &str = "inrush-sort-";
const LOCK: &str = "lock";

/// For names that another process took for left.
const MOST_TRIES: usize = 3;

/// A run in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SpilledRun {
    pub(super) path: PathBuf,
    /// Bytes of its blocks, headers included.
    pub(super) bytes: u64,
}

impl Folder {
    /// Makes a folder.
    ///
    /// # Errors
    /// `Config` where `parent` is no folder that can be written to.
    pub(super) fn make(parent: &Path) -> Result<Self> {
        let mut tries = 0;
        loop {
            let path = parent.join(format!("{PREFIX}{:016x}", rand::random::<u64>()));
            DirBuilder::new().mode(0o700).create(&path).map_err(|e| {
                Error::config(format!("cannot make a folder for sorted rows in `{}`: {e}", parent.display()))
                    .with_hint("`--temp-dir DIR` names another one; it needs room for about 1.2 times the text")
            })?;
            let lock = OpenOptions::new().create_new(true).write(true).mode(0o600).open(path.join(LOCK));
            let lock = lock.map_err(|e| cannot("use", &path, e))?;
            let is_locked = flock(&lock, FlockOperation::NonBlockingLockExclusive);
            // Another process may have taken it for one that was left before it was locked.
            match is_locked.map_err(Into::into).and_then(|()| fs::metadata(path.join(LOCK))) {
                Ok(_) => return Ok(Self { path, _lock: lock }),
                Err(_) if tries < MOST_TRIES => tries += 1,
                Err(e) => return Err(cannot("lock", &path, e)),
            }
        }
    }

    /// Removes the folders of processes that are no more: of this user, and not locked. What cannot be removed stays.
    pub(super) fn remove_left(parent: &Path) {
        let Ok(entries) = fs::read_dir(parent) else { return };
        let own = rustix::process::geteuid().as_raw();
        let is_own = |entry: &DirEntry| entry.metadata().is_ok_and(|entry| entry.is_dir() && entry.uid() == own);
        let is_ours = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with(PREFIX) && is_own(entry);
        for entry in entries.flatten().filter(is_ours) {
            // Without a lock file it is just being created.
            if let Ok(lock) = OpenOptions::new().write(true).open(entry.path().join(LOCK))
                && flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok()
            {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    /// Bytes that this user can still write there.
    pub(super) fn free(&self) -> Result<u64> {
        free(&self.path)
    }

    /// What it is on, for people, if that is no disk of this machine.
    pub(super) fn is_on(&self) -> Option<&'static str> {
        let kind = statfs(&self.path).ok()?.f_type;
        // As unsigned numbers of 32 bits, whatever type the system gives them.
        is_on(kind as u32)
    }

    /// Writes the rows of `run`, sorted, as run number `number`.
    pub(super) fn write(&self, run: &mut RunBuilder, number: usize) -> Result<SpilledRun> {
        let mut file = self.create(number)?;
        run.write(|block| file.write(block))?;
        Ok(file.run)
    }

    /// Merges `runs` into one of number `number`, and removes them. `None` as soon as `goes_on` returns `false`.
    pub(super) fn merge(
        &self,
        runs: &[SpilledRun],
        number: usize,
        goes_on: impl Fn() -> bool,
    ) -> Result<Option<SpilledRun>> {
        let mut merge = Merge::new(runs.iter().map(RunFile::open).collect::<Result<Vec<_>>>()?)?;
        let mut file = self.create(number)?;
        let mut pending = RunBuilder::in_order();
        while let Some(record) = merge.peek() {
            pending.push(&record);
            if pending.is_block() {
                pending.write(|block| file.write(block))?;
                if !goes_on() {
                    return Ok(None);
                }
            }
            merge.advance()?;
        }
        pending.write(|block| file.write(block))?;
        for run in runs {
            fs::remove_file(&run.path).map_err(|e| cannot("remove", &run.path, e))?;
        }
        Ok(Some(file.run))
    }

    fn create(&self, number: usize) -> Result<RunWriter> {
        let path = self.path.join(format!("run-{number}"));
        let file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&path);
        let file = file.map_err(|e| cannot("write", &path, e))?;
        Ok(RunWriter { file, run: SpilledRun { path, bytes: 0 } })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed is left to the program that cleans the temporary folder.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Bytes that this user can still write into a folder.
pub(super) fn free(folder: &Path) -> Result<u64> {
    let space = statvfs(folder).map_err(|e| cannot("look at", folder, e.into()))?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

/// What file systems of this number are on: `statfs(2)` lists them.
fn is_on(kind: u32) -> Option<&'static str> {
    match kind {
        0x6969 => Some("a network (NFS)"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("a network (SMB)"),
        0x0102_1997 => Some("a network (9P)"),
        0x00c3_6400 => Some("a network (Ceph)"),
        0x0bd0_0bd0 => Some("a network (Lustre)"),
        0x4750_4653 => Some("a network (GPFS)"),
        0x5346_414f => Some("a network (AFS)"),
        0x6573_5546 => Some("a file system of a program (FUSE), which may be a network"),
        0x0102_1994 | 0x8584_58f6 => Some("memory (tmpfs)"),
        _ => None,
    }
}

/// What a run takes while it is read: a block, which the record that fills it makes longer.
pub(super) const OPEN_RUN_BYTES: usize = 2 * BLOCK_BYTES;

struct RunWriter {
    file: File,
    run: SpilledRun,
}

impl RunWriter {
    fn write(&mut self, block: &[u8]) -> Result<()> {
        self.file.write_all(block).map_err(|e| {
            let error = cannot("write", &self.run.path, e);
            error.with_hint("`--temp-dir DIR` names a folder with more room; nothing was sent of what is being sorted")
        })?;
        self.run.bytes += block.len() as u64;
        Ok(())
    }
}

/// A run that is read.
#[derive(Debug)]
pub(super) struct RunFile {
    file: File,
    path: PathBuf,
    left: u64,
}

impl RunFile {
    pub(super) fn open(run: &SpilledRun) -> Result<Self> {
        let file = File::open(&run.path).map_err(|e| cannot("read", &run.path, e))?;
        Ok(Self { file, path: run.path.clone(), left: run.bytes })
    }

    fn damaged(&self, error: Error) -> Error {
        error.while_doing(&format!("cannot read `{}`", self.path.display()))
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.file.read_exact(bytes).map_err(|e| cannot("read", &self.path, e))?;
        self.left = self.left.saturating_sub(bytes.len() as u64);
        Ok(())
    }
}

impl Blocks for RunFile {
    fn next_block(&mut self, records: &mut Vec<u8>) -> Result<bool> {
        if self.left == 0 {
            return Ok(false);
        }
        let mut header = [0; HEADER_BYTES];
        self.read(&mut header)?;
        let header = Header::read(&header).map_err(|e| self.damaged(e))?;
        if header.len as u64 > self.left {
            // Before memory is taken for what is not there.
            return Err(cannot("read", &self.path, ErrorKind::UnexpectedEof.into()));
        }
        records.resize(header.len, 0);
        self.read(records)?;
        header.verify(records).map_err(|e| self.damaged(e))?;
        Ok(true)
    }
}

fn cannot(what: &str, path: &Path, error: std::io::Error) -> Error {
    Error::io(format!("cannot {what} `{}`", path.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inrush_core::load::sort::{Record, SourcePlace};
    use std::os::unix::fs::PermissionsExt;

    fn run_of(keys: &[u32]) -> RunBuilder {
        let mut run = RunBuilder::new(0);
        for (i, key) in keys.iter().enumerate() {
            let line = format!("{key}\t{}\n", "x".repeat(1000));
            let place = SourcePlace::new(0, i as u64 + 1);
            run.push(&Record { key: &key.to_be_bytes(), place, line: line.as_bytes(), raw: b"" });
        }
        run
    }

    fn keys(runs: &[SpilledRun]) -> Result<Vec<u32>> {
        let mut merge = Merge::new(runs.iter().map(RunFile::open).collect::<Result<Vec<_>>>()?)?;
        let mut keys = Vec::new();
        while let Some(record) = merge.peek() {
            keys.push(u32::from_be_bytes(record.key.try_into().unwrap()));
            merge.advance()?;
        }
        Ok(keys)
    }

    #[test]
    fn rows_come_back_in_order_and_nothing_is_left() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::make(parent.path()).unwrap();
        assert!(folder.free().unwrap() > 0);
        let runs: Vec<SpilledRun> = [&[5, 3, 900, 7][..], &[], &[4, 4, 1], &[6; 300]]
            .iter()
            .enumerate()
            .map(|(number, keys)| folder.write(&mut run_of(keys), number).unwrap())
            .collect();
        let mut want = [vec![1, 3, 4, 4, 5], vec![6; 300], vec![7, 900]].concat();
        assert_eq!(keys(&runs).unwrap(), want);
        let merged = folder.merge(&runs[..3], 9, || true).unwrap().unwrap();
        assert!(!runs[0].path.exists() && merged.path.exists());
        assert_eq!(keys(&[merged.clone(), runs[3].clone()]).unwrap(), want);
        want.retain(|key| *key != 6);
        assert_eq!(keys(std::slice::from_ref(&merged)).unwrap(), want);
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&merged.path), mode(&folder.path)), (0o600, 0o700));
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_left_is_removed_and_what_is_used_is_not() {
        let parent = tempfile::tempdir().unwrap();
        let left = |name: &str| {
            let folder = parent.path().join(name);
            fs::create_dir(&folder).unwrap();
            for file in ["lock", "run-0"] {
                fs::write(folder.join(file), "").unwrap();
            }
            folder
        };
        let (killed, of_others) = (left("inrush-sort-a"), left("other-a"));
        let one = Folder::make(parent.path()).unwrap();
        Folder::remove_left(parent.path());
        assert!(!killed.exists() && of_others.exists() && one.path.exists());
        let missing = Folder::make(&parent.path().join("not-there")).unwrap_err();
        assert!(missing.hint().is_some_and(|hint| hint.contains("--temp-dir")), "{missing}");
    }

    #[test]
    fn memory_and_networks_are_told() {
        let shared_memory = Path::new("/dev/shm");
        if shared_memory.is_dir() {
            let parent = tempfile::tempdir_in(shared_memory).unwrap();
            assert_eq!(Folder::make(parent.path()).unwrap().is_on(), Some("memory (tmpfs)"));
        }
        assert_eq!((is_on(0x6969), is_on(0xef53)), (Some("a network (NFS)"), None));
    }

    #[test]
    fn damage_is_an_error_wherever_it_is() {
        let parent = tempfile::tempdir().unwrap();
        let folder = Folder::make(parent.path()).unwrap();
        let run = folder.write(&mut run_of(&[2, 1]), 0).unwrap();
        let whole = fs::read(&run.path).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            fs::write(&run.path, damaged).unwrap();
            let error = keys(std::slice::from_ref(&run)).expect_err("damage");
            assert!(error.to_string().contains("run-0"), "{at}: {error}");
        }
        fs::write(&run.path, &whole[..whole.len() - 1]).unwrap();
        assert!(keys(std::slice::from_ref(&run)).is_err());
        fs::remove_file(&run.path).unwrap();
        assert!(keys(&[run]).is_err());
    }
}
