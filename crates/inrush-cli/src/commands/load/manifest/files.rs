//! The files of a manifest, compared with it before any row of them is sent.

use crate::commands::manifest::{Exported, MANIFEST, Manifest, RowsOf, WrittenFile, hash_text};
use inrush_core::human;
use inrush_core::{Error, Kind, Result};
use inrush_files::{is_address, raw_bytes};
use std::hash::Hasher as _;
use std::io::{ErrorKind, Read as _};
use std::path::Path;
use twox_hash::XxHash3_64;

/// A manifest that was read, and where its files are.
pub(super) struct FoundManifest {
    pub(super) manifest: Manifest,
    /// Its own path or address.
    pub(super) name: String,
    /// The folder, with a `/` at its end; empty for the current one.
    folder: String,
}

/// The manifest that the arguments of a load name: by itself or by its folder. `None` if they name other files.
///
/// # Errors
/// Those of reading it.
pub(super) fn find(files: &[String]) -> Result<Option<FoundManifest>> {
    let [file] = files else { return Ok(None) };
    let (folder, is_folder) = match file.strip_suffix(MANIFEST) {
        Some(folder) if folder.is_empty() || folder.ends_with('/') => (folder.to_owned(), false),
        _ if is_address(file) && file.ends_with('/') => (file.clone(), true),
        _ if !is_address(file) && Path::new(file).is_dir() => (format!("{}/", file.trim_end_matches('/')), true),
        _ => return Ok(None),
    };
    let name = format!("{folder}{MANIFEST}");
    let mut text = String::new();
    let read = raw_bytes(&name).and_then(|bytes| {
        let mut bytes = bytes.take(MOST_BYTES);
        match bytes.read_to_string(&mut text) {
            // Whatever is not a text is not a manifest.
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(()),
            read => read.map(|_| ()).map_err(|error| Error::io(format!("cannot read `{name}`"), error)),
        }
    });
    match read {
        // A folder without one.
        Err(error) if is_folder && error.kind() == Kind::Config => Ok(None),
        Err(error) => Err(error),
        Ok(()) => Ok(Manifest::parse(&text, &name)?.map(|manifest| FoundManifest { manifest, name, folder })),
    }
}

impl FoundManifest {
    /// The path or address of a file.
    pub(super) fn path(&self, file: &WrittenFile) -> String {
        format!("{}{}", self.folder, file.name)
    }

    /// Compares the bytes of all files with those that were written.
    ///
    /// # Errors
    /// `Config` for a file that is missing, `Data` for one with other bytes.
    pub(super) fn check(&self) -> Result<()> {
        for exported in &self.manifest.tables {
            for file in &exported.files {
                self.check_file(exported, file)?;
            }
        }
        Ok(())
    }

    fn check_file(&self, exported: &Exported, file: &WrittenFile) -> Result<()> {
        let path = self.path(file);
        // A manifest that was written by somebody else leads nowhere else.
        if file.name.contains('/') || file.name.contains('#') {
            return Err(Error::config(format!("`{}` names a file out of its folder: `{}`", self.name, file.name)));
        }
        let of = match &exported.rows_of {
            RowsOf::Table { table, .. } => format!("table `{table}`"),
            RowsOf::Query { .. } => "the query".to_owned(),
        };
        let mut bytes = raw_bytes(&path).map_err(|error| match error.kind() {
            Kind::Config => error.with_hint(format!(
                "`{}` has it with {} of {of}; nothing was loaded",
                self.name,
                human::counted(file.rows, "row")
            )),
            _ => error,
        })?;
        let (mut hash, mut n_bytes) = (XxHash3_64::with_seed(0), 0);
        let mut buffer = vec![0; BUFFER];
        loop {
            match bytes.read(&mut buffer) {
                Ok(0) => break,
                Ok(n) => {
                    hash.write(&buffer[..n]);
                    n_bytes += n as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::io(format!("cannot read `{path}`"), error)),
            }
        }
        let problem = match () {
            () if n_bytes != file.bytes => format!("it has {n_bytes} bytes, not {}", file.bytes),
            () if hash_text(hash.finish()) != file.xxh3 => "its bytes are others (XXH3)".to_owned(),
            () => return Ok(()),
        };
        Err(Error::data(format!("`{path}` is not what was exported: {problem}")).with_hint(format!(
            "nothing was loaded. If the change is meant, name the files of {of} instead of the manifest, and `--into`"
        )))
    }
}

/// The most that a manifest has.
const MOST_BYTES: u64 = 1 << 30;

const BUFFER: usize = 1 << 20;
