//! What a table's column accepts: its type ([`Column`]), whether a cell fits it ([`check::Check`]), how the server orders
//! it as a key (`order::KeyPart`), how names and texts are written into SQL, and the JSON scanner ([`json`]).

#[cfg(feature = "loader")]
mod cells;
pub mod check;
mod column_type;
pub mod ident;
pub mod json;
#[cfg(feature = "loader")]
pub mod order;
mod rules;
pub mod text_literal;
mod type_text;
mod view;
mod zone_tables;

#[cfg(feature = "loader")]
pub use cells::Cells;
pub use column_type::{Column, ColumnKind, ColumnType, Empty, Form, GeometryKind, TypeProperties};
pub use rules::{Rules, ZoneTables};
pub use type_text::{names_charset, split_type};
pub use view::{INLINE, view};
pub use zone_tables::Differences;
