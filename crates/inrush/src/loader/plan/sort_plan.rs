//! What is decided about the sort of a load: the key, whether, and why. It is known to all steps; `sort::plan` decides it.

use crate::loader::control::lock;
use inrush_core::load::ledger::Mapping;
use inrush_core::load::sort::{Choice, SortKey};
use std::sync::{Arc, Mutex};

/// The sort of a load, as far as it is planned.
#[derive(Debug)]
pub(crate) struct SortPlan {
    /// What rows are, or would be, sorted by.
    pub(crate) key: Option<SortKey>,
    /// The names of the fields of a sorted line: the columns of the plan.
    pub(crate) fields: Arc<[String]>,
    choice: Mutex<Choice>,
    /// Whether a job that an earlier run has begun may decide otherwise.
    is_open: bool,
}

/// What a job that is sorted says in its mapping: the order of its lines, which must stay the same for all of its runs.
pub(crate) const SORTED: (&str, &str) = ("sort", "by the key");

/// The same where rows of a partition come together.
pub(crate) const GROUPED: (&str, &str) = ("sort", "by partition and key");

/// The same of one that the server sorts: its rows are noted.
pub(crate) const BY_SERVER: (&str, &str) = ("sort", "by the server");

impl SortPlan {
    pub(crate) fn new(key: Option<SortKey>, fields: Arc<[String]>, choice: Choice, is_open: bool) -> Self {
        Self { key, fields, choice: Mutex::new(choice), is_open }
    }

    /// Whether rows are sorted.
    pub(crate) fn sorts(&self) -> bool {
        lock(&self.choice).sorts
    }

    /// Whether the server is to sort them.
    pub(crate) fn by_server(&self) -> bool {
        lock(&self.choice).by_server
    }

    /// Whether, and why.
    pub(crate) fn choice(&self) -> Choice {
        lock(&self.choice).clone()
    }

    /// How the mapping of a job names its order; `None` if its rows go as they come.
    pub(crate) fn order(&self) -> Option<(&'static str, &'static str)> {
        let is_grouped = self.key.as_ref().is_some_and(SortKey::is_grouped);
        match (self.sorts(), self.by_server()) {
            (true, _) => Some(if is_grouped { GROUPED } else { SORTED }),
            (_, true) => Some(BY_SERVER),
            _ => None,
        }
    }

    /// What rows are sorted by, for people, if they are.
    pub(crate) fn columns(&self) -> Vec<String> {
        self.key.as_ref().filter(|_| self.sorts()).map(SortKey::shown).unwrap_or_default()
    }

    /// Follows what a job of an earlier run was begun with, where nothing else was asked for.
    pub(crate) fn follow(&self, began: &Mapping) {
        let sorts = began.get(SORTED.0).is_some_and(|order| order != BY_SERVER.1);
        let mut choice = lock(&self.choice);
        if self.is_open && choice.sorts != sorts && (!sorts || self.key.is_some()) {
            *choice = match sorts {
                true => Choice::sorted("the load was begun so", choice.gain),
                false => Choice::unsorted("the load was begun so"),
            };
        }
    }
}
