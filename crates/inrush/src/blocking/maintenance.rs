//! The thread that opens what a pool lacks and closes what is too old. It ends with the pool.

use super::Connection;
use crate::pool::Pooled;
use crate::pool::shared::{Opening, Shared};
use crate::{Error, Result};
use std::sync::{Arc, OnceLock, Weak};
use std::thread::{self, Thread};
use std::time::Instant;

/// Starts the thread, and wakes it.
#[derive(Default)]
pub(super) struct Maintenance(OnceLock<Thread>);

impl Maintenance {
    /// Wakes the thread, which then does what is due.
    pub(super) fn ring(&self) {
        if let Some(thread) = self.0.get() {
            thread.unpark();
        }
    }

    /// Starts the thread if there is work for one, and it does not run yet.
    pub(super) fn start(&self, shared: &Arc<Shared<Connection>>) -> Result<()> {
        if !shared.options().has_chores() || self.0.get().is_some() {
            return Ok(());
        }
        let pool = Arc::downgrade(shared);
        let thread = thread::Builder::new()
            .name("inrush-pool".to_owned())
            .spawn(move || maintain(&pool))
            .map_err(|e| Error::io("cannot start a thread", e))?;
        let _ = self.0.set(thread.thread().clone());
        Ok(())
    }
}

fn maintain(pool: &Weak<Shared<Connection>>) {
    while let Some(shared) = pool.upgrade() {
        let Some((opening, again_in)) = shared.chores(Instant::now()) else { return };
        // A pool whose last user is gone ends while we sleep.
        drop(shared);
        match opening {
            Some(opening) => drop(open(opening)),
            None => thread::park_timeout(again_in),
        }
    }
}

fn open(opening: Opening<Connection>) -> Option<Pooled<Connection>> {
    let began = Instant::now();
    match Connection::for_pool(opening.config(), None) {
        Ok(connection) => Some(opening.opened(connection, began)),
        Err(_) => {
            opening.failed();
            None
        }
    }
}
