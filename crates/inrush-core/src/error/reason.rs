//! What went wrong, as a value to match on: [`Reason`]. Also [`Conversion`], which describes why a value cannot be converted to a
//! Rust type.
//!
//! The reason of a server's error comes from its code; the reason of our own error is set where the error is created.

use crate::error::codes::{self, Class, Connection};
use crate::error::{Error, Kind};

/// What went wrong, for programs that react to it.
///
/// ```
/// # use inrush_core::error::{Error, Reason};
/// fn http_status(error: &Error) -> u16 {
///     match error.reason() {
///         Reason::RowNotFound => 404,
///         Reason::UniqueViolation | Reason::ForeignKeyViolation => 409,
///         Reason::CheckViolation | Reason::NotNullViolation | Reason::DataTooLong | Reason::OutOfRange => 422,
///         Reason::PoolTimedOut | Reason::PoolExhausted | Reason::PoolClosed => 503,
///         Reason::ConnectionRefused | Reason::ServerFull | Reason::Deadlock | Reason::LockTimedOut => 503,
///         _ => 500,
///     }
/// }
/// assert_eq!(http_status(&Error::server(1062, *b"23000", "Duplicate entry '1' for key 'people.PRIMARY'")), 409);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// A query for one row returned none.
    RowNotFound,
    /// A query for at most one row returned more.
    TooManyRows,
    /// A value is not of the Rust type that it was read as: see [`Error::conversion`].
    Conversion,
    /// A pool opened no connection in time: the server was slow to accept it, or cannot be reached.
    PoolTimedOut,
    /// No connection of a pool was returned in time: all are in use, and the pool or the server allows no more.
    PoolExhausted,
    /// The pool is closed.
    PoolClosed,
    /// The same value is in a PRIMARY KEY or UNIQUE index already.
    UniqueViolation,
    /// A foreign key has no parent row, or a parent row still has children.
    ForeignKeyViolation,
    /// A CHECK constraint is violated.
    CheckViolation,
    /// NULL, or no value at all, for a NOT NULL column.
    NotNullViolation,
    /// A value is longer than its column.
    DataTooLong,
    /// A number is outside of the range of its column.
    OutOfRange,
    /// A deadlock: the server rolled this transaction back so that another one could continue.
    Deadlock,
    /// A row or a table was locked by another transaction for too long, or at all with `NOWAIT`. The statement is undone, the transaction is
    /// open.
    LockTimedOut,
    /// No server could be reached: nothing listens at the address, the host is not known or not reachable, or did not answer in time.
    ConnectionRefused,
    /// The connection was lost or the server ended it (a shutdown, KILL, too long without use), and each further use of it.
    ConnectionLost,
    /// A wrong user or password, a locked account, a host that may not connect, or a missing right.
    AccessDenied,
    /// The server accepts no more connections at that moment, or no more of this user.
    ServerFull,
    /// Another run, or a user, has ended this run of a load: it took the job over, or the job was forgotten.
    JobTakenOver,
    /// Anything else.
    #[default]
    Other,
}

/// A value that is not of the Rust type that it was read as.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conversion {
    /// The column's name in the result.
    pub column: String,
    /// The column's SQL type: `BIGINT UNSIGNED`. `NULL` if the value is NULL.
    pub from: &'static str,
    /// The Rust type: `u8`.
    pub to: &'static str,
}

impl Reason {
    /// The reason for a server's error code.
    pub(super) fn of_code(code: u16) -> Self {
        match code {
            1022 | 1062 | 1169 | 1586 | 1859 => Self::UniqueViolation,
            1216 | 1217 | 1451 | 1452 | 1761 | 1762 => Self::ForeignKeyViolation,
            3819 | 4025 => Self::CheckViolation,
            1048 | 1263 | 1364 => Self::NotNullViolation,
            1406 => Self::DataTooLong,
            1264 => Self::OutOfRange,
            1044 | 1045 | 1129 | 1130 | 1142 | 1143 | 1227 | 1370 | 1698 | 1820 | 1862 | 3118 | 4151 => {
                Self::AccessDenied
            }
            _ => Self::of_class(code),
        }
    }
}

impl Reason {
    /// The same for a code that has a class.
    fn of_class(code: u16) -> Self {
        match codes::of(code) {
            (Class::Full, _) => Self::ServerFull,
            (Class::Lost, _) | (Class::Unavailable, Connection::Closed) => Self::ConnectionLost,
            (Class::Conflict, _) if code == DEADLOCK => Self::Deadlock,
            (Class::Conflict, _) if code != CHANGED_SINCE_SNAPSHOT => Self::LockTimedOut,
            _ => Self::Other,
        }
    }
}

const DEADLOCK: u16 = 1213;
const CHANGED_SINCE_SNAPSHOT: u16 = 1020;

impl Conversion {
    /// `kind` is the Rust type with its article and its name: ``a number (`f64`)``.
    pub(crate) fn new(column: &str, from: &'static str, kind: &'static str) -> Self {
        let name = kind.split('`').nth(1).unwrap_or(kind);
        Self { column: column.to_owned(), from, to: name }
    }
}

/// The error of a query for one row that returned none.
pub fn row_not_found() -> Error {
    Error::data("the query returned no row")
        .because(Reason::RowNotFound)
        .with_hint("`query_opt` returns `None` for no row")
}

/// The error of a query for at most one row that returned more.
pub fn too_many_rows() -> Error {
    Error::new(Kind::Data, "the query returned more than one row")
        .because(Reason::TooManyRows)
        .with_hint("`query_first` returns the first row and drops the others; `LIMIT 1` saves sending them")
}

#[cfg(test)]
mod tests;
