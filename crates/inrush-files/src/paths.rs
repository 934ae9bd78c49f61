//! Which files a user means: patterns that no shell expanded, folders; and the table of a file's name.

use crate::address::Address;
use crate::objects;
use inrush_core::{Error, Result};
use std::fs;
use std::io;
use std::path::Path;

/// A file's name up to its first dot; of an archive's member, the member's.
pub fn table_of(file: &str) -> Option<String> {
    let file = if file.contains("://") { file.split('?').next().unwrap_or_default() } else { file };
    let path = file.rsplit_once('#').map_or(file, |(_, member)| member);
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    (!stem.is_empty() && stem != "-").then(|| stem.to_owned())
}

/// Replaces patterns and folders by their files, each in the order of their names.
///
/// # Errors
/// `Config` for a pattern or a folder without files, and a folder that cannot be listed.
pub fn expand(files: &[String]) -> Result<Vec<String>> {
    let mut all: Vec<String> = Vec::new();
    for file in files {
        let path = Path::new(file);
        if let Some(found) = objects_like(file)? {
            if found.is_empty() {
                return Err(Error::config(format!("no object is named like `{file}`")));
            }
            all.extend(found);
        } else if path.is_dir() {
            let found = in_folder(path, "*").map_err(|e| cannot_list(file, &e))?;
            if found.is_empty() {
                return Err(Error::config(format!("there is no file in the folder `{file}`")));
            }
            all.extend(found.iter().map(|name| path.join(name).to_string_lossy().into_owned()));
        } else if file.contains(MAGIC) && !file.contains("://") && !path.exists() {
            let found = matching(file)?;
            if found.is_empty() {
                return Err(Error::config(format!("no file is named like `{file}`")));
            }
            all.extend(found);
        } else {
            all.push(file.clone());
            continue;
        }
        // A file that a pattern finds may also be named by itself; no file is meant to be loaded twice.
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|file| seen.insert(file.clone()));
    }
    Ok(all)
}

/// The objects that an address with a pattern stands for, or a folder's; `None` for other names.
fn objects_like(name: &str) -> Result<Option<Vec<String>>> {
    let Some(address) = Address::parse(name).transpose()?.filter(|address| !address.scheme.is_http()) else {
        return Ok(None);
    };
    let pattern = match &address.key[..] {
        key if key.is_empty() || key.ends_with('/') => format!("{key}*"),
        key if key.contains(MAGIC) => key.to_owned(),
        _ => return Ok(None),
    };
    if address.key.is_empty() && !name.ends_with('/') {
        return Ok(None);
    }
    let plain = pattern.find(MAGIC).unwrap_or(pattern.len());
    let folder = pattern[..plain].rfind('/').map_or(0, |at| at + 1);
    let is_deep = pattern[folder..].contains('/');
    let keys = objects::list(&address.with_key(&pattern[..folder]), is_deep)?;
    // A key may hold such characters itself.
    if let Some(same) = keys.iter().find(|key| **key == address.key) {
        return Ok(Some(vec![address.with_key(same).shown()]));
    }
    let like = keys.iter().filter(|key| is_path_like(key, &pattern));
    Ok(Some(like.map(|key| address.with_key(key).shown()).collect()))
}

/// Whether each part of a key matches that of a pattern.
fn is_path_like(key: &str, pattern: &str) -> bool {
    let (mut parts, mut patterns) = (key.split('/'), pattern.split('/'));
    loop {
        match (parts.next(), patterns.next()) {
            (None, None) => return true,
            (Some(part), Some(pattern)) if part == pattern || is_like(part, pattern) => {}
            _ => return false,
        }
    }
}

/// The files that match a pattern.
fn matching(pattern: &str) -> Result<Vec<String>> {
    let (root, rest) = pattern.strip_prefix('/').map_or(("", pattern), |rest| ("/", rest));
    let mut paths = vec![root.to_owned()];
    let last = rest.matches('/').count();
    for (depth, part) in rest.split('/').enumerate() {
        let mut next = Vec::new();
        for path in paths {
            if !part.contains(MAGIC) {
                next.push(format!("{path}{part}"));
                continue;
            }
            let folder = if path.is_empty() { "." } else { &path };
            match in_folder(Path::new(folder), part) {
                Ok(names) if depth == last => next.extend(names.iter().map(|name| format!("{path}{name}"))),
                Ok(_) => next.extend(folders(Path::new(folder), part).iter().map(|name| format!("{path}{name}"))),
                // Where other parts of the pattern match files, or folders without such a folder in them.
                Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {}
                Err(e) => return Err(cannot_list(folder, &e)),
            }
        }
        paths = next.into_iter().map(|path| if depth == last { path } else { path + "/" }).collect();
    }
    paths.retain(|path| Path::new(path).is_file());
    Ok(paths)
}

/// The names of the files in a folder that match, in order. Hidden ones only match a pattern that begins with a dot.
fn in_folder(folder: &Path, pattern: &str) -> io::Result<Vec<String>> {
    names(folder, pattern, |path| !path.is_dir())
}

fn folders(folder: &Path, pattern: &str) -> Vec<String> {
    names(folder, pattern, Path::is_dir).unwrap_or_default()
}

fn names(folder: &Path, pattern: &str, is_wanted: fn(&Path) -> bool) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        // A replacement for bytes that are not text matches as one character.
        if is_like(&name.to_string_lossy(), pattern) && is_wanted(&entry.path()) {
            let Some(name) = name.to_str() else {
                let message = format!("the name {name:?} in it is not valid UTF-8, and `{pattern}` matches it");
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            };
            names.push(name.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Whether a name matches a pattern of the shell: `*` any text, `?` any character, `[a-z]` one of these, `[!a-z]` none of them.
fn is_like(name: &str, pattern: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    let (mut n, mut p) = (0, 0);
    // Where to continue if the last `*` has to take one character more.
    let mut again = None;
    while n < name.len() {
        match one(&pattern[p..], name[n]) {
            Some(used) if used > 0 => (n, p) = (n + 1, p + used),
            _ if pattern.get(p) == Some(&'*') => {
                again = Some((n, p + 1));
                p += 1;
            }
            _ => {
                let Some((from, star)) = again else { return false };
                again = Some((from + 1, star));
                (n, p) = (from + 1, star);
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// The length of the pattern's beginning that matches this character; `None` if it does not match.
fn one(pattern: &[char], c: char) -> Option<usize> {
    match pattern.first()? {
        '*' => None,
        '?' => Some(1),
        '[' => {
            let is_not = matches!(pattern.get(1), Some('!' | '^'));
            let start = 1 + usize::from(is_not);
            // A bracket that closes at once is one of the characters.
            let Some(len) = pattern.get(start + 1..).and_then(|rest| rest.iter().position(|&c| c == ']')) else {
                return (c == '[').then_some(1); // It never closes: plain text.
            };
            let set = &pattern[start..start + 1 + len];
            (is_in(set, c) != is_not).then_some(start + len + 2)
        }
        &other => (other == c).then_some(1),
    }
}

fn is_in(mut set: &[char], c: char) -> bool {
    while let Some((&first, rest)) = set.split_first() {
        match rest {
            ['-', last, ..] => {
                if (first..=*last).contains(&c) {
                    return true;
                }
                set = &rest[2..];
            }
            _ if first == c => return true,
            _ => set = rest,
        }
    }
    false
}

fn cannot_list(folder: &str, error: &io::Error) -> Error {
    Error::config(format!("cannot list the folder `{folder}`: {error}"))
}

const MAGIC: [char; 3] = ['*', '?', '['];

#[cfg(test)]
mod tests;
