//! Columns of values: what a target column is ([`column::Column`]), whether a cell fits it ([`check::Check`]), how result rows become
//! columns ([`arrow`]) and columns values to be sent ([`bind`]), how names and texts are written into SQL, and what is JSON ([`json`]).

pub mod arrow;
pub mod bind;
mod cells;
pub mod check;
pub mod column;
pub mod ident;
pub mod json;
mod parse_type;
mod rules;
pub mod text_literal;
mod zone_tables;

pub use cells::{Cells, INLINE, view};
pub use rules::Rules;
pub use zone_tables::{Differences, ZoneTables};
