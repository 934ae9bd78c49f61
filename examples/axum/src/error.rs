//! The service's error and its HTTP status.
//!
//! Clients get fixed texts, and names of columns and constraints from the service's own tables. The server's message goes into the log:
//! it may hold values of other requests, host names and SQL.

use axum::extract::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use inrush::{Error, Reason};
use serde_json::json;
use std::fmt;

/// Why a request failed.
#[derive(Debug)]
pub enum AppError {
    /// There are fewer pieces than were ordered.
    SoldOut {
        /// The product's id.
        product: u64,
        /// The pieces that are left.
        left: u32,
    },
    /// The database, or the way to it.
    Database(Error),
}

impl From<Error> for AppError {
    fn from(error: Error) -> Self {
        Self::Database(error)
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SoldOut { product, left } => write!(f, "{left} pieces of product {product} are left"),
            Self::Database(error) => write!(f, "{error}"),
        }
    }
}

/// `source` returns inrush's error: by it a transaction knows whether its closure may run again.
impl std::error::Error for AppError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::SoldOut { .. } => None,
            Self::Database(error) => Some(error),
        }
    }
}

impl IntoResponse for AppError {
    fn into_response(self) -> Response {
        let error = match self {
            Self::SoldOut { product, left } => {
                let body = json!({ "error": "sold out", "product": product, "left": left });
                return (StatusCode::CONFLICT, Json(body)).into_response();
            }
            Self::Database(error) => error,
        };
        let (status, text) = status(&error);
        if status.is_server_error() {
            tracing::error!(%error, status = status.as_u16(), "request failed");
            let mut response = (status, Json(json!({ "error": text }))).into_response();
            if status == StatusCode::SERVICE_UNAVAILABLE {
                response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            return response;
        }
        let body = json!({
            "error": text,
            "column": error.column(),
            "constraint": error.constraint(),
            "row": error.row(),
        });
        (status, Json(body)).into_response()
    }
}

/// The status of an error of the database, and what its client may know.
pub fn status(error: &Error) -> (StatusCode, &'static str) {
    match error.reason() {
        Reason::RowNotFound => (StatusCode::NOT_FOUND, "not found"),
        Reason::UniqueViolation => (StatusCode::CONFLICT, "exists already"),
        Reason::ForeignKeyViolation => (StatusCode::CONFLICT, "refers to something that does not exist"),
        Reason::CheckViolation => (StatusCode::UNPROCESSABLE_ENTITY, "not allowed"),
        Reason::NotNullViolation => (StatusCode::UNPROCESSABLE_ENTITY, "missing"),
        Reason::DataTooLong => (StatusCode::UNPROCESSABLE_ENTITY, "too long"),
        Reason::OutOfRange => (StatusCode::UNPROCESSABLE_ENTITY, "out of range"),
        // Before what may pass: this request may be stored, so its client must not simply send it again.
        _ if error.is_outcome_unknown() => (StatusCode::INTERNAL_SERVER_ERROR, "it is unknown whether this was stored"),
        // Nothing is stored. The database is busy, restarts or cannot be reached: the same request may succeed in a moment.
        Reason::PoolExhausted | Reason::PoolTimedOut | Reason::PoolClosed | Reason::ServerFull => {
            (StatusCode::SERVICE_UNAVAILABLE, "too busy, try again later")
        }
        Reason::ConnectionRefused | Reason::ConnectionLost | Reason::Deadlock | Reason::LockTimedOut => {
            (StatusCode::SERVICE_UNAVAILABLE, "too busy, try again later")
        }
        _ if error.is_timeout() || error.is_retryable() => {
            (StatusCode::SERVICE_UNAVAILABLE, "too busy, try again later")
        }
        _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal error"),
    }
}
