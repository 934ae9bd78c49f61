//! What a load reports to programs: its report and its events as JSON, and the command's exit codes.

mod events;
pub mod exit;
mod report;

pub use events::Events;
pub use report::as_json;
