//! Modes: which key finds a row that is there, how the statements of each mode begin and end, and what their answers mean.
//!
//! `update` and `delete` (and `upsert` by LOAD DATA) go by way of a [`Stage`]: a temporary table of the lane takes the rows, then one
//! statement a chunk brings them into the table. All of it is in the chunk's transaction (docs/notes/modes.md).

pub mod counted;
pub mod keys;
pub mod stage;
pub mod writing;

pub use counted::Counted;
pub use keys::{Keys, UniqueKey};
pub use stage::Stage;
pub use writing::Writing;
