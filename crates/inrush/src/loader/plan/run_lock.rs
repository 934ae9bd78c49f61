//! The locks that show a server, and so `--status`, that a run is connected. The first lane holds them, and takes them again where its
//! connection had to be replaced. A load does not depend on them: what goes wrong with them is ignored.

use crate::blocking::Connection;
use crate::loader::sql;
use inrush_core::Result;
use inrush_core::load::ledger::RunLocks;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The locks of a run, once it has jobs.
#[derive(Debug, Default)]
pub(crate) struct RunLock {
    locks: OnceLock<RunLocks>,
    /// The connection that holds all of them; 0 for none.
    holder: AtomicU32,
}

impl RunLock {
    /// Sets which locks they are, once.
    pub(crate) fn set(&self, locks: RunLocks) {
        let _ = self.locks.set(locks);
    }

    /// Takes them on this connection, unless it holds them. An older connection that the server has not given up yet still has them:
    /// then a later call takes them.
    pub(crate) fn show(&self, connection: &mut Connection) {
        let Some(locks) = self.locks.get() else { return };
        let id = connection.connection_id();
        if self.holder.load(Relaxed) != id
            && !connection.session().is_dead()
            && take(locks, connection).unwrap_or(false)
        {
            self.holder.store(id, Relaxed);
        }
    }
}

fn take(locks: &RunLocks, connection: &mut Connection) -> Result<bool> {
    for (query, all) in locks.take_queries() {
        if sql::first_row(connection, &query)? != [all.to_string()] {
            return Ok(false);
        }
    }
    Ok(true)
}
