//! Which job a source is: the same source into the same table has the same number in every run, whatever else is different.

use super::tables::VERSION;
use crate::error::{Error, Result};
use sha2::{Digest, Sha256};
use std::fmt;

/// A job: one source into one table. 16 bytes of SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub [u8; 16]);

impl JobId {
    /// The job of `source` into `schema`.`table`, each spelled as the server compares it.
    pub fn of(schema: &str, table: &str, source: &str) -> Self {
        Self::of_texts([schema, table, source])
    }

    fn of_texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut digest = Sha256::new();
        digest.update([VERSION]);
        for text in texts {
            // With their lengths, so that no two lists of texts give the same bytes.
            digest.update((text.len() as u64).to_le_bytes());
            digest.update(text.as_bytes());
        }
        let mut id = [0; 16];
        id.copy_from_slice(&digest.finalize()[..16]);
        Self(id)
    }

    /// The part of a named job into `schema`.`table`, spelled in the same way; without a part the job's head.
    pub fn of_named(schema: &str, table: &str, name: &str, part: Option<&str>) -> Self {
        // Four or five texts, so that it is no id of a file.
        let texts = [schema, table, "job", name].into_iter().chain(part);
        Self::of_texts(texts)
    }

    /// The undo of what a job of `source` has inserted into `schema`.`table`, spelled in the same way.
    pub fn of_undo(schema: &str, table: &str, source: &str) -> Self {
        // Four texts whose third one is no `job`.
        Self::of_texts([schema, table, "undo", source])
    }

    /// The line about a table that a refresh of `schema`.`table` keeps.
    pub fn of_kept(schema: &str, table: &str, tag: &str) -> Self {
        // Five texts whose third one is no `job`.
        Self::of_texts([&schema.to_lowercase(), &table.to_lowercase(), "kept", tag, ""])
    }

    /// As a statement writes it.
    pub fn literal(self) -> String {
        format!("x'{self}'")
    }

    /// Reads all 32 hex digits.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::config(format!("`{}` is not a job", text.escape_debug()));
        if text.len() != 32 || !text.is_ascii() {
            return Err(wrong());
        }
        let mut id = [0; 16];
        for (i, byte) in id.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|_| wrong())?;
        }
        Ok(Self(id))
    }

    /// Whether `prefix`, some hex digits, could mean this job.
    pub fn begins_with(self, prefix: &str) -> bool {
        self.to_string().starts_with(&prefix.to_ascii_lowercase())
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JobId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_counts() {
        let all = [
            JobId::of("shop", "people", "/a.csv"),
            JobId::of("shop", "people", "/b.csv"),
            JobId::of("shop", "pets", "/a.csv"),
            JobId::of("shopp", "eople", "/a.csv"),
        ];
        assert_eq!(all.iter().collect::<std::collections::BTreeSet<_>>().len(), all.len());
        assert_eq!(all[0], JobId::of("shop", "people", "/a.csv"));
    }

    #[test]
    fn it_is_the_same_in_every_version() {
        assert_eq!(JobId::of("shop", "people", "/a.csv").to_string(), "c1f6a8390917e188cc3b4ec471816aa1");
    }

    #[test]
    fn text_and_back() {
        let id = JobId::of("shop", "people", "/a.csv");
        assert_eq!(JobId::parse(&id.to_string()).unwrap(), id);
        assert_eq!(JobId::parse(&id.to_string().to_uppercase()).unwrap(), id);
        assert!(id.begins_with(&id.to_string()[..5]) && !id.begins_with("xyz"));
        for wrong in ["", "ab", "g0000000000000000000000000000000", "é000000000000000000000000000000", &"+".repeat(32)]
        {
            assert!(JobId::parse(wrong).is_err(), "{wrong}");
        }
    }
}
