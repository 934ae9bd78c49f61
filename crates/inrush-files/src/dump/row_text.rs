//! The files of rows that are no SQL: as LOAD DATA reads them.

/// How rows are written that LOAD DATA reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowText {
    /// What is between two fields.
    pub delimiter: String,
    /// What is around a field; empty for nothing.
    pub quote: String,
    /// What escapes the next byte; empty for nothing.
    pub escape: String,
    /// The column of each field, and the function that decodes it: `UNHEX`, `FROM_BASE64`.
    pub columns: Vec<(String, Option<String>)>,
    /// Whether a field of a BIT column is the bytes of its number.
    pub bits_as_bytes: bool,
}
