//! Decisions about many rows: batches and where they come from, the plan, what a statement does with its placeholders
//! ([`template`]), the encoders of a load and the writers of a batch (a write method a file each), the checks of its values ([`screen`]), what answers mean, the report.

pub mod batch;
pub mod checksum;
pub mod encode;
pub mod expression;
pub mod judge;
pub mod lane;
pub mod ledger;
pub mod method;
pub mod mode;
pub mod modes;
pub mod plan;
pub mod report;
pub mod row_source;
pub mod run;
pub mod screen;
pub mod search;
pub mod source;
pub mod steps;
pub mod template;
pub mod tuner;
pub mod write;

pub use batch::{Batch, Origin, Reject, Separators};
pub use expression::Computed;
pub use method::Method;
pub use mode::Mode;
pub use plan::{FieldTarget, Matching, Plan, Table};
pub use report::Report;
pub use row_source::{CheckedRows, RowSource};
pub use screen::{Replaced, Screen};
pub use source::{FieldUse, Glance, Source, Stretch, Taker, Unchanged};
pub use template::Template;
