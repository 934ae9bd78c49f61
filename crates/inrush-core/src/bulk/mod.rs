//! Decisions about many rows: batches and where they come from, the plan, the encoders (a write method a file), the report.

pub mod batch;

pub use batch::{Batch, FieldUse, Origin, Reject, Source};
