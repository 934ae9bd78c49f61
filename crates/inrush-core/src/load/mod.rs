//! Loads: sources, the plan, the encoders of checked columns, the ledger, the modes and their steps, the sort, the tuner, the report.

pub mod batch;
pub mod checksum;
pub mod drift;
pub mod encode;
pub mod lag;
pub mod lane;
pub mod ledger;
pub mod mode;
pub mod modes;
pub mod plan;
pub mod report;
pub mod slow;
pub mod sort;
pub mod source;
pub mod steps;
mod stood;
pub mod throttle;
pub mod tuner;
pub mod widen;

pub use crate::column::ColumnKind;
pub use batch::{Batch, Origin, Reject};
pub use drift::{Drift, MissingColumns, NewColumns};
pub use mode::Mode;
pub use plan::{FieldTarget, LoadPlan, Matching};
pub use report::Report;
pub use source::{FieldUse, PassThrough, RawChunk, RejectObject, RejectStore, Source, Unchanged};
