//! How a job's source is read and where its fields go. This must be the same when a job is continued, or the same records would
//! become other rows. It does not contain what may differ, such as which texts mean NULL or what happens at a bad row.

use std::fmt;

/// Names and values, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping(Vec<(String, String)>);

impl Mapping {
    /// The name of the columns that the table got, or gets, for a job.
    pub const ADDED: &str = "added";

    /// The name of the columns that the table has widened, or widens, for a job.
    pub const WIDENED: &str = "widened";

    /// Adds a value of this name.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.0.push((name.to_owned(), value.to_string().escape_debug().to_string()));
        self
    }

    /// Adds a value as [`Mapping::get`] returns it.
    #[must_use]
    pub fn with_stored(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Adds all of another one.
    #[must_use]
    pub fn and(mut self, other: Mapping) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Returns the value of this name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the value of this name as it was added, as far as quotes and backslashes go: other escapes stay.
    pub fn plain(&self, name: &str) -> Option<String> {
        let mut text = String::new();
        let mut rest = self.get(name)?.chars().peekable();
        while let Some(next) = rest.next() {
            let escaped = rest.next_if(|behind| next == '\\' && matches!(behind, '\\' | '\'' | '"'));
            text.push(escaped.unwrap_or(next));
        }
        Some(text)
    }

    /// Returns the same without the value of this name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.0.retain(|(known, _)| known != name);
        self
    }

    /// Reads what [`Mapping`] displays.
    pub fn parse(text: &str) -> Self {
        let line = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self(text.lines().filter_map(line).collect())
    }

    /// Returns what is different now, as text: `delimiter` was `,` and is `;`. `None` if nothing is.
    pub fn difference(&self, now: &Mapping) -> Option<String> {
        let of = |mapping: &Mapping, name: &str| {
            mapping
                .0
                .iter()
                .find(|(known, _)| known == name)
                .map_or("nothing".into(), |(_, value)| format!("`{value}`"))
        };
        let names = self.0.iter().chain(&now.0).map(|(name, _)| name.as_str());
        let differ = |name: &&str| of(self, name) != of(now, name);
        let mut names: Vec<&str> = names.filter(differ).collect();
        names.dedup();
        let mut told: Vec<String> = Vec::new();
        for name in names {
            let line = format!("{name} was {} and is {}", of(self, name), of(now, name));
            if !told.contains(&line) {
                told.push(line);
            }
        }
        (!told.is_empty()).then(|| told.join("; "))
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(name, value)| writeln!(f, "{name}: {value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapping(delimiter: &str, skip: u64) -> Mapping {
        Mapping::default().with("columns", "id, name").with("delimiter", delimiter).with("skip", skip)
    }

    #[test]
    fn text_and_back() {
        let strange = Mapping::default().with("columns", "a\nb: `c`");
        for mapping in [mapping(",", 0), mapping("\t", 7), strange] {
            let stored = Mapping::parse(&mapping.to_string());
            assert_eq!(stored, mapping);
            let columns = stored.get("columns").unwrap();
            let again = Mapping::default().with_stored("columns", columns).and(mapping.clone().without("columns"));
            assert_eq!(again, mapping);
        }
    }

    #[test]
    fn quotes_as_they_were() {
        let plain = |value: &str| Mapping::parse(&Mapping::default().with("a", value).to_string()).plain("a").unwrap();
        for value in ["c ENUM('a','it''s') NULL", r#"a"b"#, r"a\b", r"\'", ""] {
            assert_eq!(plain(value), value);
        }
        assert_eq!(plain("a\nb"), r"a\nb");
        assert_eq!(Mapping::default().plain("a"), None);
    }

    #[test]
    fn what_differs_is_named() {
        assert_eq!(mapping(",", 0).difference(&mapping(",", 0)), None);
        assert_eq!(mapping(",", 0).difference(&mapping("\t", 0)).unwrap(), "delimiter was `,` and is `\\t`");
        assert_eq!(
            mapping(",", 0).difference(&mapping(";", 1).with("limit", 9)).unwrap(),
            "delimiter was `,` and is `;`; skip was `0` and is `1`; limit was nothing and is `9`"
        );
        assert_eq!(
            mapping(",", 0).with("limit", 9).difference(&mapping(",", 0)).unwrap(),
            "limit was `9` and is nothing"
        );
    }
}
