//! Modes: which key finds an existing row, how the statements of each mode begin and end, and what their answers mean.
//!
//! `update` and `delete` (and `upsert` by LOAD DATA) go through a [`Stage`]: a temporary table of the lane takes the rows, then
//! one statement for each chunk brings them into the table. All of it is in the chunk's transaction (docs/notes/modes.md).

pub mod counted;
pub mod keys;
pub mod stage;
pub mod writing;

pub use counted::Counted;
pub use keys::{Keys, UniqueKey};
pub use stage::Stage;
pub use writing::Writing;
