//! The clients, each used as its documentation shows.

mod inrush;
mod inrush_blocking;
mod mysql_async;
mod sqlx;

pub(crate) use inrush::{Collecting, config};
pub(crate) use inrush_blocking::Blocking;
pub(crate) use mysql_async::options;

use crate::{Place, Result};
use std::future::Future;
use std::str::FromStr;

/// One connection of an async client.
pub(crate) trait Client: Sized + Send + 'static {
    fn connect(place: &Place) -> impl Future<Output = Result<Self>> + Send;

    /// `SELECT 1`, as text.
    fn select1(&mut self) -> impl Future<Output = Result<u64>> + Send;

    /// The row with this id by a prepared statement, which the client keeps. Returns [`checksum`] of it.
    fn point(&mut self, sql: &str, id: u64) -> impl Future<Output = Result<u64>> + Send;

    /// Reads all rows of a statement. Returns the sum of their [`checksum`]s.
    fn read(&mut self, sql: &str, format: Format) -> impl Future<Output = Result<u64>> + Send;
}

pub(crate) type Inrush = ::inrush::Connection;
pub(crate) type MySqlAsync = ::mysql_async::Conn;
pub(crate) type Sqlx = ::sqlx::MySqlConnection;

/// How rows travel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Binary,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "text" => Ok(Self::Text),
            "binary" => Ok(Self::Binary),
            _ => Err(format!("no format `{name}`")),
        }
    }
}

/// Depends on each column, so that none can be left unread.
fn checksum(id: u64, name: &str, age: i32, email: &str, score: f64) -> u64 {
    id + name.len() as u64 + age as u64 + email.len() as u64 + (score * 100.0).round() as u64
}
