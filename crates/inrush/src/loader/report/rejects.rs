//! The reject file: records unchanged, as in the source, under a temporary name until the load is over, and a log that says why.
//!
//! Invariant: a record is in the file exactly if its chunk was committed without it.

mod ordered;

pub(crate) use ordered::OrderedRejects;

use inrush_core::load::Reject;
use inrush_core::printable::printable;
use inrush_core::{Error, Result};
use rustix::process::geteuid;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// A reject file being written: `FILE` and `FILE.log`.
#[derive(Debug)]
pub(crate) struct RejectFile {
    path: PathBuf,
    records: Pieces,
    log: Pieces,
    header: Vec<u8>,
    finished: bool,
}

impl RejectFile {
    /// Creates both files under temporary names in their final folders. `header` is the sources' first line, so that the file can
    /// be corrected and loaded as it is; empty if they have none.
    pub(crate) fn create(path: &Path, header: Vec<u8>) -> Result<Self> {
        let open = |name: PathBuf| {
            // Nothing is sent yet, and the path is the user's: a mistake of usage.
            Pieces::create(&name).map_err(|e| cannot_make(&name, &e))
        };
        let records = open(partial(path))?;
        let log = open(partial(&log_path(path)))?;
        Ok(Self { path: path.to_owned(), records, log, header, finished: false })
    }

    /// Adds the rejects of committed chunk `number`. Lanes commit in any order.
    pub(crate) fn add(&mut self, number: u64, rejects: &[Reject]) -> Result<()> {
        let (mut records, mut log) = (Vec::new(), String::new());
        for reject in rejects {
            // A write to memory does not fail.
            let _ = with_line_end(&reject.raw, &mut records);
            log.push_str(&log_line(reject));
        }
        let written = self.records.add(number, &records).and_then(|()| self.log.add(number, log.as_bytes()));
        written.map_err(|e| Error::io(format!("cannot write `{}`", partial(&self.path).display()), e))
    }

    /// Puts both files in their places, in the order of the sources, or removes them if there was nothing to write.
    pub(crate) fn finish(mut self) -> Result<()> {
        self.finished = true;
        let (path, log) = (self.path.clone(), log_path(&self.path));
        let records = self.records.finish(&self.header, &partial(&path), &path);
        records
            .and_then(|()| self.log.finish(&[], &partial(&log), &log))
            .map_err(|e| Error::io(format!("cannot write `{}`", path.display()), e))
    }
}

/// Refuses an existing file, which may hold rows of an earlier load (`may_replace`: one of this load's own), and one that cannot be
/// written. Nothing is sent yet, and the path is the user's: a mistake of usage.
pub(crate) fn check(path: &Path, may_replace: bool) -> Result<()> {
    let log = log_path(path);
    // A link that leads nowhere exists as well.
    if let Some(there) = [path, &log].into_iter().find(|path| path.symlink_metadata().is_ok() && !may_replace) {
        return Err(Error::config(format!("`{}` exists: it may hold rows of an earlier load", there.display()))
            .with_hint("load what is in it, then remove it; or give `--bad-rows divert:FILE` another name"));
    }
    for name in [partial(path), partial(&log)] {
        let made = if may_replace { replaced(&name) } else { private(&name) };
        made.and_then(|_| std::fs::remove_file(&name)).map_err(|e| cannot_make(&name, &e))?;
    }
    Ok(())
}

fn cannot_make(name: &Path, error: &io::Error) -> Error {
    let hint = match error.kind() {
        io::ErrorKind::AlreadyExists => {
            "something else has this name, or a load that was killed left it: look what it is, then remove it; or give \
             `--bad-rows divert:FILE` another name"
        }
        io::ErrorKind::NotFound => "the folder of `--bad-rows divert:FILE` must exist",
        _ => "`--bad-rows divert:FILE` names a file in a folder that this user has the right to write to",
    };
    Error::config(format!("cannot write `{}`: {error}", name.display())).with_hint(hint)
}

/// Appends a record and its line end, which the last one of a source may lack.
fn with_line_end(raw: &[u8], out: &mut impl Write) -> io::Result<()> {
    out.write_all(raw)?;
    if raw.ends_with(b"\n") { Ok(()) } else { out.write_all(b"\n") }
}

/// Source, line, column, code, reason, between tabs.
fn log_line(reject: &Reject) -> String {
    let column = reject.place.column.as_deref().unwrap_or("");
    let shown = |text: &str| printable(text).replace('\n', " ");
    let (column, reason, source) = (shown(column), shown(&reject.reason), shown(&reject.place.source));
    format!("{source}\t{}\t{column}\t{}\t{reason}\n", reject.place.line, reject.code)
}

/// A file of one piece a chunk, written as they come and put in order at the end.
#[derive(Debug)]
struct Pieces {
    file: BufWriter<File>,
    /// Where the next piece begins.
    end: u64,
    /// Each chunk's number and where its piece is stored.
    pieces: Vec<(u64, Range<u64>)>,
}

impl Pieces {
    fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(private(path)?), end: 0, pieces: Vec::new() })
    }

    fn add(&mut self, number: u64, piece: &[u8]) -> io::Result<()> {
        self.file.write_all(piece)?;
        let start = self.end;
        self.end += piece.len() as u64;
        self.pieces.push((number, start..self.end));
        Ok(())
    }

    /// Copies `header` and the pieces in the order of their chunks into a file that then becomes `path`.
    fn finish(&mut self, header: &[u8], partial: &Path, path: &Path) -> io::Result<()> {
        self.file.flush()?;
        if !self.pieces.is_empty() {
            self.pieces.sort_by_key(|(number, _)| *number);
            let mut from = File::open(partial)?;
            let ordered = with_suffix(path, ".ordered");
            let mut to = BufWriter::new(private(&ordered)?);
            to.write_all(header)?;
            for (_, piece) in &self.pieces {
                from.seek(SeekFrom::Start(piece.start))?;
                io::copy(&mut (&mut from).take(piece.end - piece.start), &mut to)?;
            }
            to.flush()?;
            std::fs::rename(&ordered, path)?;
        }
        std::fs::remove_file(partial)
    }
}

impl Drop for RejectFile {
    /// A load that failed before its first row has no rejects to report.
    fn drop(&mut self) {
        if !self.finished {
            for name in [self.path.clone(), log_path(&self.path)] {
                let _ = std::fs::remove_file(partial(&name));
            }
        }
    }
}

/// Makes a file that does not exist yet, and follows no link. Rejected rows are data like those of the source, which only few people may
/// be allowed to read.
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(PRIVATE).open(path)
}

/// The same in the place of what an earlier run of the same load has left: a file of our own, as [`private`] makes them. Everything else
/// of that name belongs to another program and stays.
fn replaced(path: &Path) -> io::Result<File> {
    if let Ok(there) = path.symlink_metadata()
        && there.is_file()
        && there.nlink() == 1
        && there.uid() == geteuid().as_raw()
        && there.mode() & 0o7777 == PRIVATE
    {
        std::fs::remove_file(path)?;
    }
    private(path)
}

/// For the owner alone.
const PRIVATE: u32 = 0o600;

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
        Reject::new(place, "`x` is not\ta number", Default::default(), raw)
    }

    #[test]
    fn holds_the_header_the_records_and_the_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bad.csv");
        let mut file = RejectFile::create(&path, b"name,age\n".to_vec()).unwrap();
        // As two lanes may commit.
        file.add(5, &[reject(b"Bob,x", 7)]).unwrap();
        file.add(2, &[reject(b"Ann,x\n", 2)]).unwrap();
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
    fn a_folder_that_is_missing_is_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "").unwrap();
        for (path, hint) in [("missing/bad.csv", "must exist"), ("file/bad.csv", "has the right to write to")] {
            let path = folder.path().join(path);
            for error in [check(&path, false).unwrap_err(), RejectFile::create(&path, Vec::new()).unwrap_err()] {
                assert!(error.hint().unwrap().contains(hint), "{error}: {:?}", error.hint());
            }
        }
    }

    #[test]
    fn what_is_there_stays_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("bad.csv"), folder.path().join("victim"));
        std::fs::write(&victim, "precious").unwrap();
        for name in [partial(&path), partial(&log_path(&path))] {
            let linked = || std::os::unix::fs::symlink(&victim, &name).unwrap();
            let foreign = || std::fs::write(&name, "theirs").unwrap();
            for (is_link, make) in [(true, &linked as &dyn Fn()), (false, &foreign)] {
                make();
                for may_replace in [false, true] {
                    let error = check(&path, may_replace).unwrap_err().to_string();
                    assert!(error.contains(&*name.to_string_lossy()), "{error}");
                    assert!(RejectFile::create(&path, Vec::new()).is_err());
                    let _ = OrderedRejects::create(&path, b"", None).err().expect("it is not ours");
                    assert_eq!(std::fs::read_to_string(&name).unwrap(), if is_link { "precious" } else { "theirs" });
                }
                assert_eq!(std::fs::read_to_string(&victim).unwrap(), "precious");
                std::fs::remove_file(&name).unwrap();
                let _ = std::fs::remove_file(partial(&path));
            }
        }
        // A link that leads nowhere is no free name either, nor is the log's.
        std::os::unix::fs::symlink(folder.path().join("nowhere"), &path).unwrap();
        assert!(check(&path, false).unwrap_err().to_string().contains("bad.csv` exists"));
        std::fs::remove_file(&path).unwrap();
        std::fs::write(log_path(&path), "theirs").unwrap();
        assert!(check(&path, false).unwrap_err().to_string().contains("bad.csv.log` exists"));
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = RejectFile::create(Path::new("no/such/folder/bad.csv"), Vec::new()).unwrap_err();
        assert!(error.to_string().contains("no/such/folder/bad.csv"), "{error}");
    }
}
