//! Reaching one of several servers: which one is tried next, for how long, and what is reported if none can be used.
//!
//! The shells connect and log in; an attempt that fails comes back here. With a single server nothing differs from one attempt.

use crate::{Config, Error, Kind, Result, ServerRole};
use inrush_core::error::codes::{self, Connection};
use inrush_core::error::{Class, Reason};
use std::collections::VecDeque;
use std::time::Instant;

/// The servers that are left to be tried.
pub(crate) struct Candidates {
    left: VecDeque<Config>,
    failures: Vec<Error>,
}

impl Candidates {
    /// # Errors
    /// `Config` if nothing says which servers are meant.
    pub(crate) fn of(config: &Config) -> Result<Self> {
        config.check_hosts()?;
        Ok(Self { left: config.candidates().into(), failures: Vec::new() })
    }

    /// The next server, and until when it may take: each has an even share of the time that is left.
    pub(crate) fn next(&mut self, deadline: Instant) -> Option<(Config, Instant)> {
        let n_left = self.left.len();
        let config = self.left.pop_front()?;
        let until = config.share(deadline, n_left);
        Some((config, until))
    }

    /// An attempt failed.
    ///
    /// # Errors
    /// The same error, if it is not the server's fault: another one would say the same, and a wrong password that is tried on each server
    /// locks an account.
    pub(crate) fn failed(&mut self, config: &Config, error: Error) -> Result<()> {
        if !may_be_better_elsewhere(&error) {
            return Err(error);
        }
        config.hosts.failed(&config.address());
        self.failures.push(error);
        Ok(())
    }

    /// The error if no server could be used: the last one, or that of a server that is merely full, which is worth waiting for.
    pub(crate) fn error(mut self) -> Error {
        let is_full = |error: &Error| error.class() == Class::Full;
        let Some(at) = self.failures.iter().position(is_full).or(self.failures.len().checked_sub(1)) else {
            return Error::config("no server is named");
        };
        let error = self.failures.remove(at);
        if self.failures.is_empty() {
            return error;
        }
        let others: Vec<_> = self.failures.iter().map(ToString::to_string).collect();
        error.while_doing(&format!("none of {} servers can be used ({})", others.len() + 1, others.join("; ")))
    }
}

/// Whether another server may accept what this one did not.
fn may_be_better_elsewhere(error: &Error) -> bool {
    match error.kind() {
        Kind::Config | Kind::Interrupted => false,
        Kind::Server => error.class() != Class::Other || codes::of(error.code()).1 != Connection::Usable,
        _ => true,
    }
}

impl ServerRole {
    /// The query whose answer [`ServerRole::check`] reads. Both variables exist on MySQL and on MariaDB.
    pub(crate) const QUERY: &[u8] = b"SELECT CONCAT(@@GLOBAL.read_only), CONCAT(@@GLOBAL.innodb_read_only)";

    /// Compares the two values with what is wanted.
    ///
    /// # Errors
    /// [`Reason::ConnectionRefused`] if the server is not of this role: it may be so later.
    pub(crate) fn check(self, config: &Config, values: &(String, String)) -> Result<()> {
        let is_off = |value: &str| matches!(value, "0") || value.eq_ignore_ascii_case("off");
        let is_writable = is_off(&values.0) && is_off(&values.1);
        let (found, wanted) = match (self, is_writable) {
            (Self::Writable, false) => ("read-only", "writable"),
            (Self::ReadOnly, true) => ("writable", "read-only"),
            _ => return Ok(()),
        };
        let message =
            format!("the server at `{}` is {found}, and `server-role` asks for a {wanted} one", config.address());
        Err(Error::new(Kind::Io, message).because(Reason::ConnectionRefused).not_fatal())
    }
}

#[cfg(test)]
mod tests;
