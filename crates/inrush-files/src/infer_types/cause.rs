//! Why a column is a text, in the words of a message.

use std::fmt;

/// Why a column is a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// A cell that makes the column a text, shortened.
    pub cell: String,
    /// The line in which the cell's record begins, from 1.
    pub line: u64,
    /// The file, where there are several.
    pub source: Option<String>,
    /// Why the column has no other type.
    pub why: Why,
}

/// The reason why a column has no other type than text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// The cell looks like a number, and is another text when it is read as one: `007`, `1E5` among whole numbers.
    Spelling,
    /// A DOUBLE would lose some of its digits, and no DECIMAL has so many.
    Digits,
    /// Most of the values are of another kind.
    Kind {
        /// What most of them are, in the plural: `numbers`.
        most: &'static str,
        /// How many of them are.
        n: u64,
        /// How many values there are.
        of: u64,
    },
    /// The types of two files are of two kinds, or no type but a text holds the values of both. There is no cell.
    Files {
        /// The type in one of them.
        one: String,
        /// The type in another one.
        other: String,
    },
}

impl Cause {
    pub(super) fn new(cell: &str, line: u64, why: Why) -> Self {
        let mut shown: String = cell.chars().take(SHOWN_CHARS).collect();
        if shown.len() < cell.len() {
            shown.push_str("..");
        }
        Self { cell: shown, line, source: None, why }
    }

    pub(super) fn of_files(one: &str, other: &str) -> Self {
        let why = Why::Files { one: one.to_owned(), other: other.to_owned() };
        Self { cell: String::new(), line: 0, source: None, why }
    }
}

/// The text that follows `column x is VARCHAR(16)` in a message.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cell, line, source, why } = self;
        let cell = cell.escape_debug();
        let of = source.as_ref().map_or(String::new(), |source| format!(" of `{source}`"));
        match why {
            Why::Spelling => write!(f, ": `{cell}` in line {line}{of} would lose its spelling"),
            Why::Digits => write!(f, ": `{cell}` in line {line}{of} would lose digits as a number"),
            Why::Kind { most, n, of: all } => {
                write!(f, " because of `{cell}`, line {line}{of}: {n} of {all} values are {most}")
            }
            Why::Files { one, other } => {
                write!(f, ": it is {one} in one file and {other} in another one, and no other type holds both")
            }
        }
    }
}

/// The characters of a cell that are shown.
const SHOWN_CHARS: usize = 40;
