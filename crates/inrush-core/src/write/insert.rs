//! The INSERT of a row.

use crate::session::Statement;

/// The INSERT of one row of a mapping.
#[derive(Clone, Debug)]
pub struct Insert {
    /// With a placeholder for each use of a field.
    pub statement: Statement,
    /// The range in the text of its row, which is repeated for more rows.
    pub list: std::ops::Range<usize>,
    /// For each placeholder, the number of its field.
    pub uses: Vec<usize>,
}
