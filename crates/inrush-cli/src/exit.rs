//! The end of a command: the exit codes of the manual, and errors as text for people.

pub(crate) use inrush::documents::exit::{
    DATA, INTERRUPTED, OK, PROMISE, REJECTED, SERVER, USAGE, code_of, code_of_report,
};

use inrush_core::Error;
use std::fmt::Write as _;

/// `error: ..` and `hint: ..` lines.
pub(crate) fn explain(error: &Error) -> String {
    let mut text = format!("error: {error}");
    if let Some(hint) = error.hint() {
        let _ = write!(text, "\nhint: {hint}");
    }
    text
}
