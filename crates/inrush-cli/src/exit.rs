//! What a command ends with: the exit codes of the manual, and errors as people read them.

use inrush_core::{Error, Kind};
use std::fmt::Write as _;

/// Every row stored, or whatever else was asked for was done.
pub(crate) const OK: u8 = 0;
/// Wrong usage or configuration.
pub(crate) const USAGE: u8 = 1;
/// Stopped at bad data.
pub(crate) const DATA: u8 = 2;
/// The server or the network failed.
pub(crate) const SERVER: u8 = 3;
/// Nothing done: would not keep its promise.
pub(crate) const PROMISE: u8 = 5;
/// Interrupted; what is committed stays.
pub(crate) const INTERRUPTED: u8 = 130;

/// The code of an error.
pub(crate) fn code_of(error: &Error) -> u8 {
    match error.kind() {
        Kind::Config => USAGE,
        Kind::Data => DATA,
        Kind::Promise => PROMISE,
        Kind::Interrupted => INTERRUPTED,
        _ => SERVER,
    }
}

/// `error: ..` and `hint: ..` lines.
pub(crate) fn explain(error: &Error) -> String {
    let mut text = format!("error: {error}");
    if let Some(hint) = error.hint() {
        let _ = write!(text, "\nhint: {hint}");
    }
    text
}
