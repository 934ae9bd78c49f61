//! Decisions about many rows: batches and their sources, the plan, what a statement does with its placeholders ([`template`]),
//! the encoders of a load and the writers of a batch (one file for each write method), the checks of its values ([`validator`]),
//! the meaning of answers, the report.

pub mod answer;
#[cfg(feature = "loader")]
pub mod batch;
#[cfg(feature = "loader")]
pub mod checksum;
pub mod encode;
pub mod expression;
#[cfg(feature = "loader")]
pub mod lane;
#[cfg(feature = "loader")]
pub mod ledger;
pub mod method;
#[cfg(feature = "loader")]
pub mod mode;
#[cfg(feature = "loader")]
pub mod modes;
#[cfg(feature = "loader")]
pub mod plan;
#[cfg(feature = "loader")]
pub mod report;
pub mod row_source;
pub mod run;
pub mod search;
mod separators;
#[cfg(feature = "loader")]
pub mod sort;
#[cfg(feature = "loader")]
pub mod source;
#[cfg(feature = "loader")]
pub mod steps;
#[cfg(feature = "loader")]
mod stood;
mod table;
pub mod template;
#[cfg(feature = "loader")]
pub mod tuner;
pub mod validator;
pub mod write;

#[cfg(feature = "loader")]
pub use batch::{Batch, Origin, Reject};
pub use expression::Computed;
pub use method::Method;
#[cfg(feature = "loader")]
pub use mode::Mode;
#[cfg(feature = "loader")]
pub use plan::{FieldTarget, LoadPlan, Matching};
#[cfg(feature = "loader")]
pub use report::Report;
pub use row_source::{CheckedRows, RowSource};
pub use separators::Separators;
#[cfg(feature = "loader")]
pub use source::{ColumnKind, FieldUse, PassThrough, RawChunk, Source, Unchanged};
pub use table::Table;
pub use template::Template;
pub use validator::{Replaced, Validator};
