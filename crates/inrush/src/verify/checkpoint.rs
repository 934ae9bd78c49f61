//! The file of a comparison that may be interrupted: the ends of its cells, and the cells whose rows were equal.
//!
//! ```text
//! inrush verify 1            <- the form of the file
//! 64 hexadecimal digits      <- what is compared: tables, servers, columns, condition
//! ascend|any|one             <- whether the ends ascend; one: there is one cell
//! 50001                      <- the ends, a line each
//! cells
//! equal 0 50000 50000        <- a cell, and its rows on both sides
//! ```
//! Invariant: a cell is in the file only after its sums and its rows were equal on both sides. A line that a crash cut off counts as none.

use crate::parts::Bounds;
use crate::{Error, Result};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub(super) struct Checkpoint {
    path: PathBuf,
    file: Mutex<File>,
    pub(super) bounds: Option<Bounds>,
    equal: HashMap<usize, [u64; 2]>,
}

const HEAD: &str = "inrush verify 1";
/// Ends the head.
const CELLS: &str = "cells";

impl Checkpoint {
    /// Continues the comparison of the file, or begins it with the cells that `find` finds. `column`: of the ranges, in backticks.
    ///
    /// # Errors
    /// `Config` for the file of another comparison, or one that is in use; those of `find`.
    pub(super) fn open(
        path: &Path,
        identity: &str,
        column: Option<&str>,
        find: impl FnOnce() -> Result<Option<Bounds>>,
    ) -> Result<Self> {
        let failed = |doing: &str, error: &io::Error| {
            Error::config(format!("the checkpoint {} cannot be {doing}: {error}", path.display()))
        };
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| failed("opened", &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::config(format!("another comparison uses the checkpoint {}", path.display())));
            }
            Err(TryLockError::Error(error)) => return Err(failed("locked", &error)),
        }
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(|error| failed("read", &error))?;
        // A crash may have cut the last line.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let of_another = |what: &str| {
            Error::config(format!("{} {what}", path.display()))
                .with_hint("delete it to compare from the beginning, or name another file")
        };
        let Some(saved) = Saved::parse(whole) else {
            if !HEAD.starts_with(text.lines().next().unwrap_or_default()) {
                return Err(of_another("is no checkpoint of a comparison"));
            }
            file.set_len(0).map_err(|error| failed("emptied", &error))?;
            let bounds = find()?;
            let checkpoint = Self { path: path.to_owned(), file: Mutex::new(file), bounds, equal: HashMap::new() };
            checkpoint.write(&head(identity, checkpoint.bounds.as_ref()))?;
            return Ok(checkpoint);
        };
        if saved.identity != identity {
            return Err(of_another(
                "is of another comparison: of other tables, servers, columns or rows, or a table was made anew or altered since",
            ));
        }
        file.set_len(whole.len() as u64).map_err(|error| failed("written", &error))?;
        let bounds = column.zip(saved.ascend).map(|(column, ascend)| Bounds {
            column: column.to_owned(),
            literals: saved.ends.iter().map(|end| (*end).to_owned()).collect(),
            ascend,
        });
        Ok(Self { path: path.to_owned(), file: Mutex::new(file), bounds, equal: saved.equal })
    }

    /// The rows of both sides of a cell that was equal in an earlier run.
    pub(super) fn equal(&self, at: usize) -> Option<[u64; 2]> {
        self.equal.get(&at).copied()
    }

    /// Notes that a cell is equal.
    ///
    /// # Errors
    /// `Config` if the file cannot be written.
    pub(super) fn add(&self, at: usize, [rows, other_rows]: [u64; 2]) -> Result<()> {
        self.write(&format!("equal {at} {rows} {other_rows}\n"))
    }

    fn write(&self, text: &str) -> Result<()> {
        let written = self.file.lock().unwrap_or_else(PoisonError::into_inner).write_all(text.as_bytes());
        written.map_err(|error| {
            Error::config(format!("the checkpoint {} cannot be written: {error}", self.path.display()))
        })
    }

    /// Ends the comparison: the next one with this file is a new one.
    ///
    /// # Errors
    /// `Config` if the file cannot be removed.
    pub(super) fn remove(self) -> Result<()> {
        fs::remove_file(&self.path).map_err(|error| {
            Error::config(format!("the checkpoint {} cannot be removed: {error}", self.path.display()))
        })
    }
}

fn head(identity: &str, bounds: Option<&Bounds>) -> String {
    let kind = match bounds {
        None => "one",
        Some(Bounds { ascend: true, .. }) => "ascend",
        Some(Bounds { ascend: false, .. }) => "any",
    };
    let ends = bounds.map_or(&[][..], |bounds| &bounds.literals).iter().map(|end| format!("{end}\n"));
    format!("{HEAD}\n{identity}\n{kind}\n{}{CELLS}\n", ends.collect::<String>())
}

/// What a file has.
#[derive(Debug, PartialEq, Eq)]
struct Saved<'t> {
    identity: &'t str,
    /// `None`: there is one cell.
    ascend: Option<bool>,
    ends: Vec<&'t str>,
    equal: HashMap<usize, [u64; 2]>,
}

impl<'t> Saved<'t> {
    /// `None`: the head is not whole.
    fn parse(text: &'t str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next()? != HEAD {
            return None;
        }
        let identity = lines.next()?;
        let ascend = match lines.next()? {
            "one" => None,
            kind => Some(kind == "ascend"),
        };
        let mut ends = Vec::new();
        loop {
            match lines.next()? {
                CELLS => break,
                end => ends.push(end),
            }
        }
        let equal = |line: &str| {
            let mut fields = line.strip_prefix("equal ")?.split(' ');
            let mut number = || fields.next()?.parse::<u64>().ok();
            let (at, rows) = (usize::try_from(number()?).ok()?, [number()?, number()?]);
            (rows[0] == rows[1]).then_some((at, rows))
        };
        Some(Self { identity, ascend, ends, equal: lines.filter_map(equal).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds(ends: &[&str]) -> Option<Bounds> {
        let literals = ends.iter().map(|end| (*end).to_owned()).collect();
        Some(Bounds { column: "`id`".into(), literals, ascend: true })
    }

    fn open(path: &Path, identity: &str) -> Result<Checkpoint> {
        Checkpoint::open(path, identity, Some("`id`"), || Ok(bounds(&["5", "9"])))
    }

    #[test]
    fn every_cut_of_a_file_is_a_whole_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        let first = open(&path, "abc").unwrap();
        first.add(1, [17, 17]).unwrap();
        first.add(0, [4, 4]).unwrap();
        drop(first);
        let whole = fs::read(&path).unwrap();
        for len in 0..=whole.len() {
            fs::write(&path, &whole[..len]).unwrap();
            let cut = open(&path, "abc").unwrap();
            assert_eq!(cut.bounds, bounds(&["5", "9"]), "{len}");
            assert!(matches!(cut.equal(1), None | Some([17, 17])), "{len}");
            assert_eq!(cut.equal(0).is_some(), len == whole.len(), "{len}");
            cut.add(2, [1, 1]).unwrap();
            drop(cut);
            assert_eq!(open(&path, "abc").unwrap().equal(2), Some([1, 1]), "{len}");
        }
    }

    #[test]
    fn what_is_no_checkpoint_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("c");
        fs::write(&path, "id,name\n1,a\n").unwrap();
        assert!(open(&path, "abc").unwrap_err().to_string().contains("no checkpoint"));
        assert_eq!(fs::read(&path).unwrap(), b"id,name\n1,a\n");
        fs::remove_file(&path).unwrap();
        let mine = open(&path, "abc").unwrap();
        assert!(open(&path, "abc").unwrap_err().to_string().contains("another comparison uses"));
        drop(mine);
        assert!(open(&path, "abd").unwrap_err().to_string().contains("of another comparison"));
        open(&path, "abc").unwrap().remove().unwrap();
        assert!(!path.exists());
    }
}
