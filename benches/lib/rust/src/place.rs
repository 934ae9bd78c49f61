//! Where the server is.

use crate::Result;
use std::env;

/// A server, an account on it, and a table.
#[derive(Clone)]
pub struct Place {
    pub host: String,
    pub port: u16,
    pub user: String,
    pub password: String,
    pub database: String,
    pub table: String,
}

impl Place {
    /// From PEER_HOST, PEER_PORT, PEER_USER, PEER_PASSWORD, PEER_DATABASE and PEER_TABLE.
    pub fn from_env() -> Result<Self> {
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

    /// An INSERT of people up to where the values follow.
    pub fn insert_head(&self) -> String {
        format!("INSERT INTO {} (id, name, age, email, score, created) VALUES ", self.table)
    }

    /// An INSERT of so many people, with placeholders.
    pub fn insert_sql(&self, n_rows: usize) -> String {
        self.insert_head() + &vec!["(?, ?, ?, ?, ?, ?)"; n_rows].join(", ")
    }
}
