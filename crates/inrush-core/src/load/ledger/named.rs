//! Jobs that their caller names, in parts: what any scheduler or engine runs as tasks. A part is known by the two names alone, so it is the
//! same part wherever and from whichever file it is loaded.
//!
//! The ledger has a line for each part, as for any other job, and one for the whole job, its *head*. The head has the number of parts. It is
//! written once, before the first part, and never changed: parts that are loaded at the same time do not wait for each other because of it.

use super::{JobId, JobLine, Mapping};
use crate::error::{Error, Kind, Result};
use std::fmt;

/// A job that the caller names, and the part of it that is loaded.
///
/// A part that was loaded before is not loaded again: its load reports `already loaded`. Two loads of the same part at the same time store
/// it once: the second one waits for the first.
///
/// ```
/// use inrush_core::load::ledger::NamedJob;
/// let part = NamedJob::new("orders-2026-11-24").part("17").of(24);
/// assert_eq!(part.to_string(), "part 17 of job orders-2026-11-24");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedJob {
    name: String,
    part: Option<String>,
    parts: Option<u64>,
}

impl NamedJob {
    /// A job of this name: 1 to 200 characters.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), part: None, parts: None }
    }

    /// The same with the name of the part: 1 to 200 characters.
    #[must_use]
    pub fn part(self, part: impl Into<String>) -> Self {
        Self { part: Some(part.into()), ..self }
    }

    /// The same with the number of all parts, which every load of the job must give if one of them does.
    #[must_use]
    pub fn of(self, parts: impl Into<Option<u64>>) -> Self {
        Self { parts: parts.into(), ..self }
    }

    /// The job's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The part's name; `None` for the head of a job.
    pub fn part_name(&self) -> Option<&str> {
        self.part.as_deref()
    }

    /// The number of all parts, if it is known. Only the head of a job has it in the ledger.
    pub fn parts(&self) -> Option<u64> {
        self.parts
    }

    /// The job of the whole.
    #[must_use]
    pub fn head(&self) -> Self {
        Self { part: None, ..self.clone() }
    }

    /// The id of the part's line, or of the head's, for a target that is spelled as the server compares it.
    pub fn id(&self, schema: &str, table: &str) -> JobId {
        JobId::of_named(schema, table, &self.name, self.part.as_deref())
    }

    /// Refuses names that a line of the ledger does not give back as they are, and a load without a part.
    ///
    /// # Errors
    /// `Config`.
    pub fn check(&self) -> Result<()> {
        let Some(part) = &self.part else {
            return Err(Error::config(format!(
                "job `{}` is loaded in parts, and none is named",
                self.name.escape_debug()
            ))
            .with_hint("add `--part NAME`; a job of one part has `--part 1 --parts 1`"));
        };
        if self.parts == Some(0) {
            return Err(Error::config("`--parts 0` is no number of parts").with_hint("it is at least 1"));
        }
        for (option, name) in [("--job-name", &self.name), ("--part", part)] {
            let wrong = |why: &str| Error::config(format!("`{option}`: {why}"));
            if name.is_empty() {
                return Err(wrong("the name is empty"));
            }
            if name.chars().count() > MOST_CHARS {
                return Err(wrong(&format!("the name has more than {MOST_CHARS} characters")));
            }
            if !name.escape_debug().eq(name.chars()) || name.trim() != name {
                return Err(wrong(&format!(
                    "`{}` has a quote, a backslash, a control character, or a space at its end",
                    name.escape_debug()
                )));
            }
        }
        Ok(())
    }

    /// What the line of the part, or of the head, has of it.
    pub fn mapping(&self) -> Mapping {
        let mapping = Mapping::default().with(JOB, &self.name);
        match (&self.part, self.parts) {
            (Some(part), _) => mapping.with(PART, part),
            (None, Some(parts)) => mapping.with(PARTS, parts),
            (None, None) => mapping,
        }
    }

    /// Reads it from a line; `None` for jobs without a name.
    pub fn of_mapping(mapping: &Mapping) -> Option<Self> {
        let text = |name: &str| mapping.get(name).map(str::to_owned);
        let parts = mapping.get(PARTS).and_then(|parts| parts.parse().ok());
        Some(Self { name: text(JOB)?, part: text(PART), parts })
    }

    /// Checks a load against the head of its job.
    ///
    /// # Errors
    /// `Guarantee` if it has another number of parts.
    pub fn check_head(&self, head: &JobLine) -> Result<()> {
        if let Some(error) = head.of_another_version() {
            return Err(error);
        }
        let then = Self::of_mapping(&head.mapping).and_then(|head| head.parts);
        if then == self.parts {
            return Ok(());
        }
        let parts = |parts: Option<u64>| parts.map_or("no number of parts".into(), |n| format!("{n} parts"));
        let message =
            format!("job `{}` was begun with {}, and this load has {}", self.name, parts(then), parts(self.parts));
        Err(Error::new(Kind::Guarantee, message).with_hint(format!(
            "rows may be divided in another way now, so that some would be stored twice: give `--parts` as it was; or another job name; \
             or `inrush load --forget {}` once its rows are removed",
            head.id
        )))
    }
}

impl fmt::Display for NamedJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(part) = &self.part {
            write!(f, "part {part} of ")?;
        }
        write!(f, "job {}", self.name)
    }
}

const JOB: &str = "job";
const PART: &str = "part";
const PARTS: &str = "parts";

/// More than schedulers make of dates and task names.
const MOST_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> NamedJob {
        NamedJob::new("orders").part("17").of(24)
    }

    #[test]
    fn a_line_gives_it_back() {
        let of = |job: &NamedJob| NamedJob::of_mapping(&Mapping::parse(&job.mapping().to_string())).unwrap();
        assert_eq!(of(&part()), NamedJob::new("orders").part("17"));
        assert_eq!(of(&part().head()), NamedJob::new("orders").of(24));
        assert_eq!(NamedJob::of_mapping(&Mapping::default().with("columns", "id")), None);
    }

    #[test]
    fn every_name_counts() {
        let ids = [
            part().id("shop", "people"),
            part().head().id("shop", "people"),
            part().part("18").id("shop", "people"),
            part().id("shop", "pets"),
            NamedJob::new("orders1").part("7").id("shop", "people"),
            JobId::of("shop", "people", "orders"),
        ];
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len());
        assert_eq!(part().id("shop", "people"), part().of(None).id("shop", "people"));
    }

    #[test]
    fn names_that_are_refused() {
        part().check().unwrap();
        NamedJob::new("scheduled__2026-11-24T00:00:00+00:00").part("t-0/5 ä").check().unwrap();
        let long = "x".repeat(201);
        for wrong in ["", " a", "a\nb", "o'clock", "a\\b", &long] {
            assert!(NamedJob::new(wrong).part("1").check().is_err(), "{wrong}");
            assert!(NamedJob::new("a").part(wrong).check().is_err(), "{wrong}");
        }
        assert!(NamedJob::new("a").check().is_err());
        assert!(part().of(0).check().is_err());
    }
}
