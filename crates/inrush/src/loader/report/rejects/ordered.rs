//! The reject file of a load with a ledger: written at the end, from the ledger, in the order of the sources.
//!
//! Both files are on the disk before they get their names, for the ledger forgets the rejects afterwards.

use super::{log_line, log_path, partial, replaced, with_line_end};
use crate::loader::SHOWN_REJECTS;
use inrush_core::load::{Reject, RejectObject, RejectStore};
use inrush_core::{Error, Result};
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// `FILE` and `FILE.log` being written.
pub(crate) struct OrderedRejects {
    path: PathBuf,
    records: Written,
    log: Written,
    /// The first, for the report.
    first: Vec<Reject>,
}

/// One of both.
enum Written {
    File(BufWriter<File>),
    Object(BufWriter<Box<dyn RejectObject>>),
}

impl OrderedRejects {
    /// Begins both files under temporary names, or both objects of a store. `header` is the sources' first line; empty if they have none.
    pub(crate) fn create(path: &Path, header: &[u8], store: Option<&dyn RejectStore>) -> Result<Self> {
        let cannot = |e| cannot_write(path, e);
        let (mut records, log) = match store {
            Some(store) => store.begin()?.map(|object| Written::Object(BufWriter::new(object))).into(),
            None => {
                let file = |path| replaced(&partial(path)).map(|file| Written::File(BufWriter::new(file)));
                (file(path).map_err(cannot)?, file(&log_path(path)).map_err(cannot)?)
            }
        };
        records.write_all(header).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), records, log, first: Vec::new() })
    }

    /// Adds the next one.
    pub(crate) fn add(&mut self, reject: Reject) -> Result<()> {
        let written = with_line_end(&reject.raw, &mut self.records);
        let written = written.and_then(|()| self.log.write_all(log_line(&reject).as_bytes()));
        written.map_err(|e| cannot_write(&self.path, e))?;
        if self.first.len() < SHOWN_REJECTS {
            self.first.push(reject);
        }
        Ok(())
    }

    /// Puts both files in their places. Returns the first rejects.
    pub(crate) fn finish(self) -> Result<Vec<Reject>> {
        let Self { path, records, log, first } = self;
        let log_path = log_path(&path);
        let are_files = matches!(records, Written::File(_));
        records.complete(&path)?;
        log.complete(&path)?;
        if are_files {
            let finished = fs::rename(partial(&path), &path)
                .and_then(|()| fs::rename(partial(&log_path), &log_path))
                .and_then(|()| sync_folder(&path));
            finished.map_err(|e| cannot_write(&path, e))?;
        }
        Ok(first)
    }
}

impl Written {
    /// The file is on the disk, under its temporary name; the object appears.
    fn complete(self, path: &Path) -> Result<()> {
        let cannot = |e| cannot_write(path, e);
        match self {
            Self::File(file) => {
                let file = file.into_inner().map_err(io::IntoInnerError::into_error).map_err(cannot)?;
                file.sync_all().map_err(cannot)
            }
            Self::Object(object) => {
                object.into_inner().map_err(io::IntoInnerError::into_error).map_err(cannot)?.complete()
            }
        }
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Object(object) => object.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Object(object) => object.flush(),
        }
    }
}

/// A name is on the disk once its folder is.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}

fn cannot_write(path: &Path, error: io::Error) -> Error {
    let error = match error.downcast::<Error>() {
        // Of a store: it names the object.
        Ok(error) => return error,
        Err(error) => error,
    };
    Error::io(format!("cannot write `{}`", path.display()), error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inrush_core::Place;

    #[test]
    fn both_files_get_their_names_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.csv");
        let reject = |line: u64, raw: &[u8]| Reject {
            place: Place { source: "a.csv".into(), line, column: Some("age".into()) },
            reason: "`x` is not\ta number".into(),
            fault: Default::default(),
            code: 7,
            raw: raw.to_vec(),
        };
        // What an earlier run has left is replaced.
        for _ in 0..2 {
            let mut file = OrderedRejects::create(&path, b"name,age\n", None).unwrap();
            file.add(reject(2, b"Ann,x\n")).unwrap();
            file.add(reject(3, b"Bob,x")).unwrap();
            assert_eq!(file.finish().unwrap().len(), 2);
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), "name,age\nAnn,x\nBob,x\n");
        let log = fs::read_to_string(folder.path().join("bad.csv.log")).unwrap();
        assert_eq!(log, "a.csv\t2\tage\t7\t`x` is not a number\na.csv\t3\tage\t7\t`x` is not a number\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }
}
