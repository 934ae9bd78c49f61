//! Columns of values: what a target column is ([`column::Column`]), whether a cell fits it ([`check::Check`]), and how
//! names and texts are written into SQL.

mod cells;
pub mod check;
pub mod column;
pub mod ident;
mod parse_type;
mod rules;
pub mod text_literal;

pub use cells::Cells;
pub use rules::Rules;
