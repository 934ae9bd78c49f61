//! The folder of an export: one export at a time, and an unfinished file never has its final name. In a store the objects appear at the
//! end.

use super::cannot;
use crate::commands::manifest::{MANIFEST, Manifest};
use inrush_core::{Error, Result};
use inrush_files::{ObjectFolder, ObjectUpload, is_address};
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Where the files of an export go.
pub(super) enum Folder {
    Disk(DiskFolder),
    /// With its objects that are whole and do not appear yet.
    Store(ObjectFolder, WholeObjects),
}

type WholeObjects = Arc<Mutex<Vec<ObjectUpload>>>;

impl Folder {
    /// Takes a new or an empty folder, of the disk or of a store.
    pub(super) fn open(path: &Path) -> Result<Self> {
        Ok(match path.to_str().filter(|name| is_address(name)) {
            Some(address) => Self::Store(ObjectFolder::open(address)?, WholeObjects::default()),
            None => Self::Disk(DiskFolder::open(path)?),
        })
    }

    /// Begins the file that will have this name.
    pub(super) fn create(&mut self, name: &str) -> Result<NewFile> {
        match self {
            Self::Disk(folder) => Ok(NewFile::Disk(folder.create(name)?, folder.path.join(name))),
            Self::Store(folder, whole) => Ok(NewFile::Object(Box::new(folder.create(name)?), whole.clone())),
        }
    }

    /// Gives all files their names, and writes the manifest.
    pub(super) fn finish(self, manifest: &Manifest) -> Result<()> {
        let mut text = serde_json::to_string_pretty(&manifest.as_json()).unwrap_or_default();
        text.push('\n');
        match self {
            Self::Disk(folder) => folder.finish(&text),
            Self::Store(folder, whole) => {
                let mut last = folder.create(MANIFEST)?;
                last.write_all(text.as_bytes()).map_err(|error| Error::io("cannot write the manifest", error))?;
                let mut all = mem::take(&mut *whole.lock().unwrap_or_else(PoisonError::into_inner));
                all.push(last);
                folder.finish(all)
            }
        }
    }
}

/// A file that has no name yet.
pub(super) enum NewFile {
    /// With its name to come.
    Disk(File, PathBuf),
    Object(Box<ObjectUpload>, WholeObjects),
}

impl NewFile {
    /// Waits until it is whole and kept.
    pub(super) fn seal(self) -> Result<()> {
        match self {
            Self::Disk(file, path) => file.sync_all().map_err(|error| cannot("write", &path, error)),
            Self::Object(mut upload, whole) => {
                upload.seal()?;
                whole.lock().unwrap_or_else(PoisonError::into_inner).push(*upload);
                Ok(())
            }
        }
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Disk(file, _) => file.write(bytes),
            Self::Object(upload, _) => upload.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A folder that no other export writes to. Unfinished files are removed when it is dropped.
pub(super) struct DiskFolder {
    path: PathBuf,
    /// Holds the lock.
    open: File,
    /// Files by the names that they will have.
    begun: Vec<String>,
    is_new: bool,
    is_finished: bool,
}

impl DiskFolder {
    /// Takes a new or an empty folder. What an export left that was killed is removed.
    fn open(path: &Path) -> Result<Self> {
        let is_new = match std::fs::create_dir(path) {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => false,
            Err(error) => return Err(Error::config(cannot("make the folder", path, error).to_string())),
        };
        let failed = |error| cannot("open the folder", path, error);
        let open = File::open(path).map_err(failed)?;
        if flock(&open, FlockOperation::NonBlockingLockExclusive).is_err() {
            let problem = format!("another export writes to `{}`", path.display());
            return Err(Error::config(problem).with_hint("wait for its end, or name another folder"));
        }
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let text = name.as_encoded_bytes();
            if !(text.starts_with(b".") && text.ends_with(UNFINISHED.as_bytes())) {
                return Err(Error::config(format!(
                    "`{}` is not empty: it holds `{}`",
                    path.display(),
                    name.to_string_lossy()
                ))
                .with_hint("name a new folder: an export adds to no other, and writes over nothing"));
            }
            let left = path.join(&name);
            std::fs::remove_file(&left).map_err(|error| cannot("remove the unfinished file", &left, error))?;
        }
        Ok(Self { path: path.to_owned(), open, begun: Vec::new(), is_new, is_finished: false })
    }

    /// Begins the file that will have this name.
    fn create(&mut self, name: &str) -> Result<File> {
        let path = self.unfinished(name);
        let file = File::create_new(&path).map_err(|error| cannot("make", &path, error))?;
        self.begun.push(name.to_owned());
        Ok(file)
    }

    /// Gives all files their names, and writes the manifest.
    fn finish(mut self, manifest: &str) -> Result<()> {
        let mut file = self.create(MANIFEST)?;
        let path = self.unfinished(MANIFEST);
        file.write_all(manifest.as_bytes()).and_then(|()| file.sync_all()).map_err(|e| cannot("write", &path, e))?;
        // The manifest is the last of them.
        for name in &self.begun {
            let to = self.path.join(name);
            std::fs::rename(self.unfinished(name), &to).map_err(|error| cannot("rename to", &to, error))?;
        }
        self.open.sync_all().map_err(|error| cannot("write the folder", &self.path, error))?;
        self.is_finished = true;
        Ok(())
    }

    fn unfinished(&self, name: &str) -> PathBuf {
        self.path.join(format!(".{name}{UNFINISHED}"))
    }
}

impl Drop for DiskFolder {
    fn drop(&mut self) {
        if self.is_finished {
            return;
        }
        for name in &self.begun {
            let _ = std::fs::remove_file(self.unfinished(name));
            let _ = std::fs::remove_file(self.path.join(name));
        }
        if self.is_new {
            let _ = std::fs::remove_dir(&self.path);
        }
    }
}

/// The suffix of the names of unfinished files.
const UNFINISHED: &str = ".unfinished";
