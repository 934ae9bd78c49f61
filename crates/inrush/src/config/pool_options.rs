//! How many connections a pool keeps, for how long, and what it does with them between two users.

use crate::{Config, Error, Result};
use inrush_core::session::ResetPolicy;
use std::time::Duration;

/// How a pool behaves; part of a [`crate::Config`], and of a URL as `pool-max=20&pool-min=2` and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    pub(crate) min: usize,
    pub(crate) max: usize,
    pub(crate) idle_timeout: Option<Duration>,
    pub(crate) max_lifetime: Option<Duration>,
    pub(crate) acquire_timeout: Option<Duration>,
    pub(crate) check_after: Option<Duration>,
    pub(crate) reset: ResetPolicy,
}

impl PoolOptions {
    /// At most 10 connections, and no connection is kept open if it is not needed.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether there is work in the background.
    pub(crate) fn has_chores(&self) -> bool {
        self.min > 0 || self.idle_timeout.is_some() || self.max_lifetime.is_some()
    }

    /// So many connections are opened in the background at once, and kept: what is lost or too old is replaced. Default: 0.
    #[must_use]
    pub fn with_min(mut self, n: usize) -> Self {
        self.min = n;
        self
    }

    /// There are never more connections than these, whatever state they are in. Default: 10.
    #[must_use]
    pub fn with_max(mut self, n: usize) -> Self {
        self.max = n;
        self
    }

    /// A connection that was idle for so long is closed, unless it is one of the least number. Default: 10 minutes.
    #[must_use]
    pub fn with_idle_timeout(mut self, limit: Option<Duration>) -> Self {
        self.idle_timeout = limit;
        self
    }

    /// The age at which a connection is closed once it is not in use; each draws its own, up to a tenth shorter, so that not
    /// all end together. Default: 30 minutes.
    #[must_use]
    pub fn with_max_lifetime(mut self, limit: Option<Duration>) -> Self {
        self.max_lifetime = limit;
        self
    }

    /// How long to wait for a connection. Default: 30 seconds; `None` waits for ever.
    #[must_use]
    pub fn with_acquire_timeout(mut self, limit: Option<Duration>) -> Self {
        self.acquire_timeout = limit;
        self
    }

    /// A connection that was idle for so long must answer a ping before it is handed out; if it was idle for a shorter time, only
    /// its socket is checked, which costs no round trip. Default: 30 seconds; zero checks every time, `None` never.
    #[must_use]
    pub fn with_check_after(mut self, rest: Option<Duration>) -> Self {
        self.check_after = rest;
        self
    }

    /// When the session is reset between two users.
    #[must_use]
    pub fn with_reset(mut self, policy: ResetPolicy) -> Self {
        self.reset = policy;
        self
    }

    /// Refuses options that make no sense.
    pub(crate) fn check(&self) -> Result<()> {
        if self.max == 0 {
            return Err(Error::config("a pool of at most 0 connections can lend none"));
        }
        if self.min > self.max {
            let message = format!("a pool cannot keep {} connections and have at most {}", self.min, self.max);
            return Err(Error::config(message).with_hint("`pool-min` must not be above `pool-max`"));
        }
        Ok(())
    }
}

impl Config {
    /// How a pool of such connections behaves.
    #[must_use]
    pub fn with_pool(mut self, options: PoolOptions) -> Self {
        self.pool = options;
        self
    }

    /// How a pool of such connections behaves.
    pub fn pool(&self) -> &PoolOptions {
        &self.pool
    }
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self {
            min: 0,
            max: 10,
            idle_timeout: Some(Duration::from_secs(600)),
            max_lifetime: Some(Duration::from_secs(1800)),
            acquire_timeout: Some(Duration::from_secs(30)),
            check_after: Some(Duration::from_secs(30)),
            reset: ResetPolicy::WhenChanged,
        }
    }
}
