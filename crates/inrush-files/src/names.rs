//! The names in a header, or of members and typed fields, as columns can have them.

use crate::dialect::HeaderNames;
use std::collections::BTreeSet;

/// Names that were changed: the number of the field, from 1, its name in the file, and its new name.
pub(crate) type Renamed = Vec<(usize, String, String)>;

/// Cleans names, and returns those that were changed.
pub(crate) fn clean(names: &mut Vec<String>, how: HeaderNames) -> Renamed {
    let old = std::mem::take(names);
    *names = cleaned(old.clone(), how);
    let both = old.into_iter().zip(names.iter()).enumerate();
    both.filter(|(_, (old, new))| old != *new).map(|(i, (old, new))| (i + 1, old, new.clone())).collect()
}

/// The names as `how` says, in their order.
fn cleaned(names: Vec<String>, how: HeaderNames) -> Vec<String> {
    match how {
        HeaderNames::Keep => names,
        HeaderNames::Trim => names.into_iter().map(|name| name.trim().to_owned()).collect(),
        HeaderNames::CleanUp => clean_up(&names),
    }
}

fn clean_up(names: &[String]) -> Vec<String> {
    // A name in the header is not given to another field.
    let own: BTreeSet<String> = names.iter().map(|name| key(&cut(name.trim(), ""))).collect();
    let mut taken = BTreeSet::new();
    let mut cleaned = Vec::with_capacity(names.len());
    for (i, name) in names.iter().enumerate() {
        let numbered = |n: usize, name: &str| cut(name, &format!("_{n}"));
        let (name, is_own) = match cut(name.trim(), "") {
            empty if empty.is_empty() => (format!("c{}", i + 1), false),
            name => (name, true),
        };
        let is_free = |name: &str, taken: &BTreeSet<String>| !taken.contains(&key(name));
        let mut chosen = name.clone();
        let mut n = 2;
        while !is_free(&chosen, &taken) || (own.contains(&key(&chosen)) && !(is_own && chosen == name)) {
            chosen = numbered(n, &name);
            n += 1;
        }
        taken.insert(key(&chosen));
        cleaned.push(chosen);
    }
    cleaned
}

/// A name with this end, cut so that both fit.
fn cut(name: &str, end: &str) -> String {
    let most = MAX_CHARS - end.len();
    let kept: String = name.chars().take(most).collect();
    format!("{}{end}", kept.trim_end())
}

/// The same for names that servers take for one.
fn key(name: &str) -> String {
    name.to_lowercase()
}

/// The most characters of a column's name, on all servers.
const MAX_CHARS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], want: &[&str]) {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(cleaned(names, HeaderNames::CleanUp), want);
    }

    #[test]
    fn names_of_columns() {
        check(&["id", "name"], &["id", "name"]);
        check(&[" id ", "\tname\u{a0}"], &["id", "name"]);
        check(&["id", "", " "], &["id", "c2", "c3"]);
        check(&["a", "a", "A"], &["a", "a_2", "A_3"]);
        check(&["a", "a_2", "a"], &["a", "a_2", "a_3"]);
        check(&["", "c1"], &["c1_2", "c1"]);
        check(&["Ä", "ä"], &["Ä", "ä_2"]);
    }

    #[test]
    fn long_names() {
        let long = "x".repeat(70);
        let (cut, second) = ("x".repeat(64), format!("{}_2", "x".repeat(62)));
        check(&[&long, &long], &[&cut, &second]);
        check(&[&"ü".repeat(65)], &[&"ü".repeat(64)]);
        check(&[&format!("{} y", "x".repeat(63))], &[&"x".repeat(63)]);
    }

    #[test]
    fn blanks_alone() {
        let names = || vec![" a ".to_owned(), String::new(), "a".to_owned()];
        assert_eq!(cleaned(names(), HeaderNames::Trim), ["a", "", "a"]);
        assert_eq!(cleaned(names(), HeaderNames::Keep), names());
    }
}
