//! Options about what a load yields to: where replicas are, and what happens if one of them or a signal of the server cannot be read.

use crate::{Config, Error, Result};
use std::fmt;

/// Where a replica is: a URL (see [`Config::parse`]) that overrides the configuration of the load's own connection. `Debug` shows the address alone.
#[derive(Clone, PartialEq, Eq)]
pub struct ReplicaUrl(String);

impl ReplicaUrl {
    /// Reads a URL, which names one server.
    ///
    /// # Errors
    /// Those of [`Config::parse`]; `Config` for several hosts. None shows the URL.
    pub fn parse(url: &str) -> Result<Self> {
        if Config::parse(url)?.hosts().len() > 1 {
            return Err(Error::config("a replica's URL names several hosts")
                .with_hint("each replica takes a URL of its own: `mysql://db2:3306`"));
        }
        Ok(Self(url.to_owned()))
    }

    /// The replica's configuration, of a load by way of this one.
    pub(in crate::loader) fn config(&self, of_load: &Config) -> Result<Config> {
        of_load.clone().with_text(&self.0)
    }
}

impl fmt::Debug for ReplicaUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let address = Config::parse(&self.0).map(|config| config.address());
        write!(f, "ReplicaUrl({})", address.unwrap_or_default())
    }
}

/// What happens if a replica cannot be read that a load yields to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadableReplicas {
    /// The load does not begin. Later it waits until the replica can be read, and ends after [`retries_for`](super::LoadOptions::retries_for).
    Stop,
    /// The load continues without it until it can be read.
    Ignore,
}

impl UnreadableReplicas {
    /// `stop`, `ignore`; `None`: another word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "stop" => Some(Self::Stop),
            "ignore" => Some(Self::Ignore),
            _ => None,
        }
    }
}

/// What happens if a signal of the server cannot be read that a load yields to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadableSignals {
    /// The load does not begin. Later it waits until the signal can be read, and ends after [`retries_for`](super::LoadOptions::retries_for).
    Stop,
    /// The load continues without it.
    Ignore,
}

impl UnreadableSignals {
    /// `stop`, `ignore`; `None`: another word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "stop" => Some(Self::Stop),
            "ignore" => Some(Self::Ignore),
            _ => None,
        }
    }
}
