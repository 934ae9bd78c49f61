//! One batch: rows of values for one statement, by one method, all of them or none.
//!
//! ```text
//! facts, options -> Choice (choose) -> Attempt (a flight of commands) -> Counters -> BatchReport
//!                                       | a row's fault, and which row it was is not known, or the others shall be stored
//!                                       v
//!                       undone, then a strict Attempt: one command at a time, a `Search` until a bad row stands alone
//! ```
//!
//! No I/O: a shell opens the transaction or savepoint around an attempt, runs it as a [`Pipeline`](crate::session::Pipeline), and closes it.

mod attempt;
mod batch;
mod choose;
mod ids;
mod load;
mod options;
mod picked;
mod report;

pub use attempt::{Attempt, Mode, ResultDetail};
pub use batch::{Batch, Try, WriterSession};
pub use choose::{BatchFacts, BatchPlan, RowsPerCommand, Scope, plan};
pub use ids::Ids;
pub use load::Load;
pub use options::{BatchOptions, OnBadRow};
pub use picked::{Checked, Picked};
pub use report::{BadRow, BatchReport, Counters};
