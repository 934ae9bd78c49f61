//! Where the server is.

use crate::Result;
use std::env;

/// A server, an account on it, and the table that is read.
#[derive(Clone)]
pub(crate) struct Place {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) user: String,
    pub(crate) password: String,
    pub(crate) database: String,
    pub(crate) table: String,
}

impl Place {
    pub(crate) fn from_env() -> Result<Self> {
        let get = |name: &str| env::var(name).map_err(|_| format!("{name} is not set"));
        Ok(Self {
            host: get("PEER_HOST")?,
            port: get("PEER_PORT")?.parse()?,
            user: get("PEER_USER")?,
            password: get("PEER_PASSWORD")?,
            database: get("PEER_DATABASE")?,
            table: get("PEER_TABLE")?,
        })
    }

    /// The statement of `point`.
    pub(crate) fn point_sql(&self) -> String {
        format!("SELECT id, name, age, email, score FROM {} WHERE id = ?", self.table)
    }

    /// The statement of `pipelined`.
    pub(crate) fn insert_sql(&self) -> String {
        format!("INSERT INTO {} (id, name, age, email, score, created) VALUES (?, ?, ?, ?, ?, ?)", self.table)
    }

    /// The statement of `read`.
    pub(crate) fn read_sql(&self, n_rows: usize) -> String {
        format!("SELECT id, name, age, email, score, created FROM {} LIMIT {n_rows}", self.table)
    }
}
