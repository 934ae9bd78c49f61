//! The task that opens what a pool lacks and closes what is too old. It ends with the pool, or with its runtime.

use super::Connection;
use crate::Result;
use crate::pool::Pooled;
use crate::pool::shared::{Opening, Shared};
use ::tokio::runtime::Handle;
use ::tokio::sync::Notify;
use ::tokio::time::timeout;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

/// Starts the task, and wakes it.
#[derive(Default)]
pub(super) struct Maintenance {
    bell: Notify,
    is_running: AtomicBool,
}

impl Maintenance {
    /// Wakes the task, which then does what is due.
    pub(super) fn ring(&self) {
        self.bell.notify_one();
    }

    /// Starts the task if there is work for one, and none runs. Outside of a runtime it does nothing.
    pub(super) fn start(self: &Arc<Self>, shared: &Arc<Shared<Connection>>) -> Result<()> {
        if self.is_running.load(Ordering::Relaxed) {
            return Ok(());
        }
        let Ok(runtime) = Handle::try_current() else { return Ok(()) };
        if shared.options().has_chores() && !self.is_running.swap(true, Ordering::Relaxed) {
            runtime.spawn(maintain(Arc::downgrade(shared), MaintenanceGuard(Arc::clone(self))));
        }
        Ok(())
    }
}

/// Marks maintenance as stopped, also when the runtime ends, so that the next use of the pool starts it again.
struct MaintenanceGuard(Arc<Maintenance>);

impl Drop for MaintenanceGuard {
    fn drop(&mut self) {
        self.0.is_running.store(false, Ordering::Relaxed);
    }
}

async fn maintain(pool: Weak<Shared<Connection>>, guard: MaintenanceGuard) {
    while let Some(shared) = pool.upgrade() {
        let Some((opening, again_in)) = shared.chores(Instant::now()) else { return };
        // A pool whose last user is gone ends while we sleep.
        drop(shared);
        match opening {
            Some(opening) => drop(open(opening).await),
            None => drop(timeout(again_in, guard.0.bell.notified()).await),
        }
    }
}

async fn open(opening: Opening<Connection>) -> Option<Pooled<Connection>> {
    let began = Instant::now();
    match Connection::for_pool(opening.config(), None).await {
        Ok(connection) => Some(opening.opened(connection, began)),
        Err(_) => {
            opening.failed();
            None
        }
    }
}
