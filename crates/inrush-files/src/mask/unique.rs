//! Values that masks make equal, in columns that hold each value once.

use super::TableMasks;
use inrush_core::error::{Error, Result};
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

/// The masked values of unique columns so far. Lanes share it.
#[derive(Debug)]
pub struct UniqueMasks {
    /// A column's place among the masks, and hashes of its values.
    seen: Vec<(usize, Mutex<HashSet<u64>>)>,
}

impl UniqueMasks {
    /// For the columns of this list that a rule may make equal.
    pub fn of(masks: &TableMasks, unique: &[String]) -> Self {
        let is_in_doubt = |(i, mask): (usize, &Option<super::ColumnMask>)| {
            let mask = mask.as_ref()?;
            let is_unique = unique.iter().any(|name| name.eq_ignore_ascii_case(&mask.column));
            (is_unique && !mask.rule.is_unique()).then(|| (i, Mutex::default()))
        };
        Self { seen: masks.masks.iter().enumerate().filter_map(is_in_doubt).collect() }
    }

    /// Notes a value of column `at`.
    ///
    /// # Errors
    /// `Data` if another value became the same; `Config` for more values than are compared.
    pub(super) fn note(&self, at: usize, mask: &super::ColumnMask, value: &[u8]) -> Result<()> {
        let Some((_, seen)) = self.seen.iter().find(|(i, _)| *i == at) else { return Ok(()) };
        // Most collations compare without case and without blanks at the end.
        let hash = mask.key.number("unique", value.to_ascii_lowercase().trim_ascii_end());
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= MOST {
            return Err(Error::config(format!(
                "the column `{}` is unique and has more than {MOST} values, too many to compare what `{}` makes of them",
                mask.column, mask.rule
            ))
            .with_hint(HINT));
        }
        match seen.insert(hash) {
            true => Ok(()),
            false => Err(Error::data(format!(
                "the mask `{}` makes two values of the unique column `{}` equal",
                mask.rule, mask.column
            ))
            .with_hint(HINT)),
        }
    }
}

const HINT: &str = "`hmac`, `email`, `uuid` and `number` keep different values different";

/// Some 400 MB of hashes.
const MOST: usize = 1 << 24;
