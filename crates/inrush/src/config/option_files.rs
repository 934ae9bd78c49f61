//! Option files as the mysql client reads them (`~/.my.cnf`): which exist, what their lines mean, which line counts.
//!
//! Groups `[client]` and `[inrush]`; later lines override earlier ones. In `[client]` unknown options are skipped, because they belong to
//! other programs; in `[inrush]` they are errors. `!include FILE` and `!includedir DIR` are followed, to a bounded depth.

mod line;
#[cfg(test)]
mod tests;

use crate::config::{Config, KNOWN, set};
use crate::{Error, Kind, Place, Result};
use line::Line;
use std::io::Read as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Sets in `config` the options of the files: only `defaults_file`, or the default files that exist.
pub(crate) fn apply(defaults_file: Option<&Path>, config: &mut Config) -> Result<()> {
    let mut found = Vec::new();
    match defaults_file {
        Some(path) => read(path, 0, &mut found)?,
        None => {
            for path in usual_files().iter().filter(|path| path.exists()) {
                read(path, 0, &mut found)?;
            }
        }
    }
    let named = |name: &str| found.iter().rev().find(|option: &&FoundOption| option.name == name);
    // As the clients do: a socket counts for this host only, so a host elsewhere switches it off.
    let elsewhere = named("host").and_then(|host| host.value.as_deref()).is_some_and(|host| host != "localhost");
    let by_tcp = named("protocol").and_then(|p| p.value.as_deref()).is_some_and(|p| p.eq_ignore_ascii_case("tcp"));
    for option in &found {
        if option.name == "protocol" || (option.name == "socket" && (elsewhere || by_tcp)) {
            continue;
        }
        let known = set(config, &option.name, option.value.as_deref()).map_err(|e| e.at(option.place.clone()))?;
        if !known && option.ours && !option.loose {
            return Err(Error::config(format!("unknown option `{}` in group `[inrush]`", option.name))
                .with_hint(format!("known are host, port, user, password, database, {KNOWN}"))
                .at(option.place.clone()));
        }
    }
    Ok(())
}

/// One option of a group that concerns us.
struct FoundOption {
    name: String,
    value: Option<String>,
    ours: bool,
    loose: bool,
    place: Place,
}

fn usual_files() -> Vec<PathBuf> {
    let mut files = vec![PathBuf::from("/etc/my.cnf"), PathBuf::from("/etc/mysql/my.cnf")];
    files.extend(std::env::var_os("HOME").map(|home| Path::new(&home).join(".my.cnf")));
    files
}

fn read(path: &Path, depth: usize, found: &mut Vec<FoundOption>) -> Result<()> {
    let text = read_text(path)?;
    let source = path.to_string_lossy();
    let mut group = Group::Foreign;
    for (idx, text) in text.lines().enumerate() {
        let place = Place { source: source.as_ref().into(), line: idx as u64 + 1, column: None };
        match line::parse(text).map_err(|e| e.at(place.clone()))? {
            Line::Empty => {}
            Line::Group(name) => group = Group::of(name),
            Line::Include(target) => include(&sibling(path, target), depth, found).map_err(|e| e.at(place))?,
            Line::IncludeDir(target) => include_dir(&sibling(path, target), depth, found).map_err(|e| e.at(place))?,
            Line::Option { name, value } if group != Group::Foreign => {
                let name = name.to_ascii_lowercase().replace('_', "-");
                let (name, loose) = name.strip_prefix("loose-").map_or((name.as_str(), false), |name| (name, true));
                found.push(FoundOption { name: name.to_owned(), value, ours: group == Group::Inrush, loose, place });
            }
            Line::Option { .. } => {}
        }
    }
    Ok(())
}

#[derive(PartialEq, Eq)]
enum Group {
    Client,
    Inrush,
    Foreign,
}

impl Group {
    fn of(name: &str) -> Self {
        match name {
            "client" => Self::Client,
            "inrush" => Self::Inrush,
            _ => Self::Foreign,
        }
    }
}

fn include(path: &Path, depth: usize, found: &mut Vec<FoundOption>) -> Result<()> {
    if depth == MAX_DEPTH {
        return Err(Error::config(format!("option files include each other more than {MAX_DEPTH} deep")));
    }
    read(path, depth + 1, found)
}

/// Every `*.cnf` of the folder, by name so that the order does not depend on the file system.
fn include_dir(folder: &Path, depth: usize, found: &mut Vec<FoundOption>) -> Result<()> {
    let cannot = |e| Error::io(format!("cannot list `{}`", folder.display()), e);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if path.extension().is_some_and(|ending| ending == "cnf") {
            files.push(path);
        }
    }
    files.sort();
    files.iter().try_for_each(|path| include(path, depth, found))
}

/// A relative path is relative to the file that names it, not to the current folder.
fn sibling(path: &Path, target: &str) -> PathBuf {
    path.parent().unwrap_or(Path::new(".")).join(target)
}

fn read_text(path: &Path) -> Result<String> {
    let cannot = |e| Error::io(format!("cannot read the option file `{}`", path.display()), e);
    let file = std::fs::File::open(path).map_err(cannot)?;
    let facts = file.metadata().map_err(cannot)?;
    if facts.permissions().mode() & 0o002 != 0 && facts.is_file() {
        // Any user could put a server of their own and `local-infile` into it.
        return Err(Error::config(format!("everybody may write to the option file `{}`", path.display()))
            .with_hint(format!("chmod o-w `{}` (it belongs to user {})", path.display(), facts.uid())));
    }
    let mut text = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(cannot)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(Error::config(format!("`{}` is too large for an option file", path.display())));
    }
    String::from_utf8(text)
        .map_err(|_| Error::new(Kind::Config, format!("the option file `{}` is not valid UTF-8", path.display())))
}

/// The mysql client follows ten as well.
const MAX_DEPTH: usize = 10;
const MAX_BYTES: u64 = 1 << 20;
