//! Exit codes: the outcome of a load, as one number.

use inrush_core::load::Mode;
use inrush_core::load::report::{Report, Stop};
use inrush_core::{Error, Kind};

/// Every row is stored, or the command succeeded.
pub const OK: u8 = 0;
/// Wrong usage or configuration.
pub const USAGE: u8 = 1;
/// Stopped at bad data.
pub const DATA: u8 = 2;
/// The server or the network failed.
pub const SERVER: u8 = 3;
/// Finished, some rows rejected.
pub const REJECTED: u8 = 4;
/// Refused: the request could store rows twice, lose some, or undo what others did. The error says which of these.
pub const PROMISE: u8 = 5;
/// Interrupted; what is committed stays.
pub const INTERRUPTED: u8 = 130;

/// The code of an error that ended a command before it sent a row. A refused login is a mistake of the configuration; another attempt
/// would fail too.
pub fn code_of(error: &Error) -> u8 {
    if is_refused_login(error) { USAGE } else { code_of_kind(error) }
}

/// Whether the server refused user and password.
fn is_refused_login(error: &Error) -> bool {
    /// ER_ACCESS_DENIED_ERROR and ER_ACCESS_DENIED_NO_PASSWORD_ERROR
    const REFUSED: [u16; 2] = [1045, 1698];
    error.kind() == Kind::Server && REFUSED.contains(&error.code())
}

fn code_of_kind(error: &Error) -> u8 {
    match error.kind() {
        Kind::Config => USAGE,
        Kind::Data => DATA,
        Kind::Guarantee => PROMISE,
        Kind::Interrupted => INTERRUPTED,
        _ => SERVER,
    }
}

/// The code of a load that has a report.
pub fn code_of_report(report: &Report) -> u8 {
    match &report.stop {
        None if report.rejected > 0 => REJECTED,
        // Rows of the load are in the table, or were deleted by others.
        None if report.mode == Mode::Undo && report.skipped > 0 => REJECTED,
        None => OK,
        Some(Stop::Interrupted) => INTERRUPTED,
        // Callers that check only the exit code must notice these rows first.
        Some(_) if report.unknown > 0 => SERVER,
        Some(Stop::BadData(_)) => DATA,
        Some(Stop::Unreadable(error) | Stop::Failed(error)) => code_of_kind(error),
    }
}
