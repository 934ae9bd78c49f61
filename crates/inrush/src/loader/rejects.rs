//! The reject file: records as they stand in the source, under a temporary name until the load is over, and a log that says why.
//!
//! Invariant: a record is in the file exactly if its chunk was committed without it.

use inrush_core::bulk::Reject;
use inrush_core::{Error, Result};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// A reject file being written: `FILE` and `FILE.log`.
#[derive(Debug)]
pub(super) struct RejectFile {
    path: PathBuf,
    records: BufWriter<File>,
    log: BufWriter<File>,
    header: Vec<u8>,
    count: u64,
    finished: bool,
}

impl RejectFile {
    /// Creates both files under temporary names beside their places. `header` is the sources' first line, so that the file can
    /// be corrected and loaded as it is; empty if they have none.
    pub(super) fn create(path: &Path, header: Vec<u8>) -> Result<Self> {
        let open = |name: PathBuf| {
            private(&name)
                .map(BufWriter::new)
                // Nothing is sent yet, and the path is the user's: a mistake of usage.
                .map_err(|e| {
                    Error::config(format!("cannot write `{}`: {e}", name.display())).with_hint("see `--bad-rows`")
                })
        };
        let records = open(partial(path))?;
        let log = open(partial(&log_path(path)))?;
        Ok(Self { path: path.to_owned(), records, log, header, count: 0, finished: false })
    }

    /// Adds the rejects of a committed chunk.
    pub(super) fn add(&mut self, rejects: &[Reject]) -> Result<()> {
        let write = |file: &mut Self| -> std::io::Result<()> {
            for reject in rejects {
                if file.count == 0 {
                    file.records.write_all(&file.header)?;
                }
                file.count += 1;
                file.records.write_all(&reject.raw)?;
                if !reject.raw.ends_with(b"\n") {
                    file.records.write_all(b"\n")?;
                }
                let column = reject.place.column.as_deref().unwrap_or("");
                let reason = reject.reason.replace(['\t', '\n'], " ");
                let source = reject.place.source.replace(['\t', '\n'], " ");
                writeln!(file.log, "{source}\t{}\t{column}\t{}\t{reason}", reject.place.line, reject.code)?;
            }
            Ok(())
        };
        write(self).map_err(|e| Error::io(format!("cannot write `{}`", partial(&self.path).display()), e))
    }

    /// Puts both files in their places, or removes them if there was nothing to write.
    pub(super) fn finish(mut self) -> Result<()> {
        self.finished = true;
        let path = self.path.clone();
        let failed = |e| Error::io(format!("cannot write `{}`", path.display()), e);
        self.records.flush().and_then(|()| self.log.flush()).map_err(failed)?;
        let log = log_path(&self.path);
        for name in [&self.path, &log] {
            let done = if self.count == 0 {
                std::fs::remove_file(partial(name))
            } else {
                std::fs::rename(partial(name), name)
            };
            done.map_err(failed)?;
        }
        Ok(())
    }
}

impl Drop for RejectFile {
    /// A load that failed before its first row has nothing to tell here.
    fn drop(&mut self) {
        if !self.finished {
            for name in [self.path.clone(), log_path(&self.path)] {
                let _ = std::fs::remove_file(partial(&name));
            }
        }
    }
}

/// Rejected rows are data like those of the source, which may be for few eyes only.
fn private(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

fn partial(path: &Path) -> PathBuf {
    with_suffix(path, ".partial")
}

fn log_path(path: &Path) -> PathBuf {
    with_suffix(path, ".log")
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use inrush_core::Place;
    use std::os::unix::fs::PermissionsExt as _;

    fn reject(raw: &[u8], line: u64) -> Reject {
        let place = Place { source: "a.csv".into(), line, column: Some("age".into()) };
        Reject { place, reason: "`x` is not\ta number".into(), code: 0, raw: raw.to_vec() }
    }

    #[test]
    fn holds_the_header_the_records_and_the_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.csv");
        let mut file = RejectFile::create(&path, b"name,age\n".to_vec()).unwrap();
        file.add(&[reject(b"Ann,x\n", 2), reject(b"Bob,x", 7)]).unwrap();
        assert!(!path.exists(), "not before the load is over");
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&partial(&path)), mode(&partial(&log_path(&path)))), (0o600, 0o600));
        file.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "name,age\nAnn,x\nBob,x\n");
        let log = std::fs::read_to_string(folder.path().join("bad.csv.log")).unwrap();
        assert_eq!(log, "a.csv\t2\tage\t0\t`x` is not a number\na.csv\t7\tage\t0\t`x` is not a number\n");
    }

    #[test]
    fn leaves_nothing_behind_when_nothing_was_bad() {
        let folder = tempfile::tempdir().unwrap();
        RejectFile::create(&folder.path().join("bad.csv"), Vec::new()).unwrap().finish().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = RejectFile::create(Path::new("no/such/folder/bad.csv"), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("no/such/folder/bad.csv"), "{error}");
    }
}
