//! Errors as ADBC has them: a status, the server's code and SQLSTATE, and a message with its hint.

use crate::batches;
use adbc_core::error::{Error, Status};
use arrow_schema::ArrowError;
use inrush_core::Kind;

/// Short for a result with ADBC's error.
pub(crate) type Result<T> = adbc_core::error::Result<T>;

/// An error of ours.
pub(crate) fn of(error: &inrush_core::Error) -> Error {
    let message = match error.hint() {
        Some(hint) => format!("{error} (hint: {hint})"),
        None => error.to_string(),
    };
    let mut sqlstate = [0; 5];
    if error.code() > 0 {
        for (to, from) in sqlstate.iter_mut().zip(error.sql_state().bytes()) {
            *to = from as std::os::raw::c_char;
        }
    }
    Error { message, status: status(error), vendor_code: error.code().into(), sqlstate, details: None }
}

/// An error of ours that went through Arrow.
pub(crate) fn of_arrow(error: ArrowError) -> Error {
    of(&batches::of_arrow(error))
}

/// The request is wrong.
pub(crate) fn invalid(message: impl Into<String>) -> Error {
    Error::with_message_and_status(message, Status::InvalidArguments)
}

/// The moment is wrong.
pub(crate) fn state(message: impl Into<String>) -> Error {
    Error::with_message_and_status(message, Status::InvalidState)
}

/// The error for a feature that MySQL does not have, or this driver not yet.
pub(crate) fn not_implemented(what: impl Into<String>) -> Error {
    Error::with_message_and_status(what, Status::NotImplemented)
}

/// The error for an unknown option.
pub(crate) fn no_option(key: &str) -> Error {
    not_implemented(format!("there is no option `{key}`"))
}

fn status(error: &inrush_core::Error) -> Status {
    if error.is_timeout() {
        return Status::Timeout;
    }
    match error.kind() {
        Kind::Io => Status::IO,
        Kind::Data => Status::InvalidData,
        Kind::Config => Status::InvalidArguments,
        Kind::Guarantee => Status::Integrity,
        Kind::Interrupted => Status::Cancelled,
        Kind::Server => of_server(error),
        _ => Status::Internal,
    }
}

fn of_server(error: &inrush_core::Error) -> Status {
    if error.is_unique_violation()
        || error.is_foreign_key_violation()
        || error.is_not_null_violation()
        || error.is_check_violation()
    {
        return Status::Integrity;
    }
    match error.code() {
        // ER_ACCESS_DENIED_ERROR, ER_ACCESS_DENIED_NO_PASSWORD_ERROR.
        1045 | 1698 => Status::Unauthenticated,
        // ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR, ER_SPECIFIC_ACCESS_DENIED_ERROR.
        1044 | 1142 | 1143 | 1227 => Status::Unauthorized,
        // ER_TABLE_EXISTS_ERROR, ER_DB_CREATE_EXISTS.
        1050 | 1007 => Status::AlreadyExists,
        // ER_NO_SUCH_TABLE, ER_BAD_DB_ERROR, ER_UNKNOWN_TABLE.
        1146 | 1049 | 1109 => Status::NotFound,
        // ER_QUERY_INTERRUPTED.
        1317 => Status::Cancelled,
        _ if error.is_retryable() => Status::IO,
        _ if error.sql_state().starts_with("22") => Status::InvalidData,
        _ if error.sql_state().starts_with("42") => Status::InvalidArguments,
        _ => Status::Unknown,
    }
}
