//! One batch: rows of values for one statement, by one method, all of them or none.
//!
//! ```text
//! facts, options -> Need -> Chooser (write::choose) -> Attempt (a flight of commands) -> Counters -> BatchReport
//!                                                         | a row's fault, and which row it was is not known, or the others shall be stored
//!                                                         v
//!                       undone, then a strict Attempt: one command at a time, a `Search` until a bad row stands alone
//! ```
//!
//! The checks of its values are in [`validator`]. No I/O: a shell opens the transaction or savepoint around an attempt, runs it as a [`Pipeline`](crate::session::Pipeline), and closes it.

mod as_files;
mod attempt;
mod choose;
mod ids;
mod in_progress;
mod options;
mod picked;
mod report;
pub mod validator;

pub use as_files::Load;
pub use attempt::{Attempt, Mode, ResultDetail};
pub use choose::{BatchFacts, Reported, Scope, choose, reported};
pub use ids::Ids;
pub use in_progress::{Batch, Try, WriterSession};
pub use options::{BatchOptions, OnBadRow};
pub use picked::{Checked, Picked};
pub use report::{BadRow, BatchReport, Counters};
pub use validator::{Replaced, Validator};
