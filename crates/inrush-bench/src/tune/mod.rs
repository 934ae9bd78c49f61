//! `inrush tune`: which options of `inrush load` are fastest for one table on one server, found by loading a sample into a copy of it.
//!
//! | module | |
//! |---|---|
//! | [`race`] | which candidate is measured next, and which are dropped: pure; the caller measures |
//! | [`verdict`] | what the measurements say, and the command to copy: pure |
//! | [`copy`] | the copy of the table, in a schema of its own that is dropped at the end |
//! | [`sample`] | how many rows a sample has: pure |
//! | [`service`] | the same race for a service with many callers: inserters and pools |
//!
//! A candidate is measured by the same code that `inrush load` runs, with the options that are printed at the end.

pub mod copy;
pub mod race;
pub mod sample;
pub mod service;
pub mod verdict;

use inrush::{BatchSize, LoadOptions, Method, Sort};
use std::fmt;

/// Options that a race compares.
pub trait Options: Copy + PartialEq + fmt::Debug + fmt::Display {
    /// None of them.
    const DEFAULT: Self;
}

/// The options of a load that are compared. `None` leaves one to the loader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Candidate {
    /// How rows are written.
    pub method: Option<Method>,
    /// Connections side by side.
    pub lanes: Option<usize>,
    /// Bytes of a chunk.
    pub batch: Option<u64>,
    /// The order in which rows are sent.
    pub sort: Option<Order>,
    /// Whether secondary indexes are built after the rows.
    pub defer_indexes: bool,
}

/// Whether rows are sorted by the key of the table first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As the source has them.
    Source,
    /// By the key.
    Key,
}

impl Options for Candidate {
    /// What `inrush load` does without any of these options.
    const DEFAULT: Self = Self { method: None, lanes: None, batch: None, sort: None, defer_indexes: false };
}

impl Candidate {
    /// The options of the library.
    pub fn apply(&self, options: LoadOptions) -> LoadOptions {
        let mut options = options.with_defer_indexes(self.defer_indexes);
        options.method = self.method.or(options.method);
        options.lanes = self.lanes.or(options.lanes);
        if let Some(bytes) = self.batch {
            options.batch = BatchSize::Bytes(bytes as usize);
        }
        match self.sort {
            Some(Order::Key) => options.sort = Sort::Key,
            Some(Order::Source) => options.sort = Sort::None,
            None => {}
        }
        options
    }

    /// The options of the command with their values, in the order of its help.
    pub fn options(&self) -> Vec<(&'static str, Option<String>)> {
        let mut options = Vec::new();
        if let Some(method) = self.method {
            options.push(("method", Some(method.name().to_owned())));
        }
        if let Some(bytes) = self.batch {
            options.push(("batch", Some(format!("{}MiB", bytes >> 20))));
        }
        if let Some(lanes) = self.lanes {
            options.push(("lanes", Some(lanes.to_string())));
        }
        if let Some(order) = self.sort {
            options.push(("sort", Some(if order == Order::Key { "key" } else { "none" }.to_owned())));
        }
        if self.defer_indexes {
            options.push(("defer-indexes", None));
        }
        options
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::DEFAULT {
            return f.write_str("the defaults");
        }
        for (at, (name, value)) in self.options().into_iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            match value {
                Some(value) => write!(f, "{space}--{name} {value}")?,
                None => write!(f, "{space}--{name}")?,
            }
        }
        Ok(())
    }
}
