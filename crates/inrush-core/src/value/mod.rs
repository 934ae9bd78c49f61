//! What a table's column takes: its type ([`column::Column`]), whether a cell fits it ([`check::Check`]), how names and texts are
//! written into SQL, and what is JSON ([`json`]).

mod cells;
pub mod check;
pub mod column;
pub mod ident;
pub mod json;
mod parse_type;
mod rules;
pub mod text_literal;
pub mod zone;
mod zone_tables;

pub use cells::{Cells, INLINE, view};
pub use rules::{Rules, ZoneTables};
pub use zone_tables::Differences;
