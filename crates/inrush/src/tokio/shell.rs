//! How tasks wait, and what else is theirs alone: `blocking/shell.rs` has the same for threads, and the files that use it are made of these.

use super::Connection;
use crate::inserter::Inserted;
use crate::inserter::answers::Ticket;
use crate::inserter::shared::Shared;
use crate::waiter::Waiter;
use crate::{Config, Error, Result, verbs};
use ::tokio::runtime::Handle;
use ::tokio::sync::{Mutex, MutexGuard};
use ::tokio::time::timeout_at;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Instant;

pub(super) use ::tokio::time::sleep;

/// What one caller at a time does.
#[derive(Default)]
pub(super) struct Alone(Mutex<()>);

impl Alone {
    pub(super) async fn lock(&self) -> MutexGuard<'_, ()> {
        self.0.lock().await
    }
}

pub(super) async fn wait<G>(waiter: &Waiter<G>) -> G {
    poll_fn(|cx| waiter.poll(cx)).await
}

/// The same, at most until `deadline`: then it returns `None`.
pub(super) async fn wait_until<G>(waiter: &Waiter<G>, deadline: Option<Instant>) -> Option<G> {
    match deadline {
        Some(deadline) => timeout_at(deadline.into(), wait(waiter)).await.ok(),
        None => Some(wait(waiter).await),
    }
}

pub(super) async fn sleep_until(at: Instant) {
    ::tokio::time::sleep_until(at.into()).await;
}

/// Waits until a row is stored or not.
pub(super) async fn answer(mut ticket: Ticket) -> Result<Inserted> {
    poll_fn(|cx| ticket.poll(cx)).await
}

/// Starts a worker of an inserter.
pub(super) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Result<()> {
    let runtime = Handle::try_current().map_err(|_| Error::config("an inserter is made in a runtime of tokio"))?;
    runtime.spawn(work);
    Ok(())
}

/// Sends a KILL QUERY. In a box, because connecting is an exchange, and an exchange may end here, which makes the future recursive.
pub(super) fn kill(killer: Config, id: u32) -> Pin<Box<dyn Future<Output = Result<()>> + Send>> {
    Box::pin(async move {
        let mut killer = Connection::connect(killer).await?;
        killer.execute(&verbs::kill_query(id), ()).await.map(drop)
    })
}

/// Lets tasks run that can, as long as they bring rows. The runtime would have the worker run before the callers that it woke, or right
/// after the first of them, with a batch of a row or two. There is no batching delay: it does not wait for tasks that have to wait.
pub(super) async fn let_others_run(shared: &Shared) {
    let limit = shared.options.limits.batch.rows;
    let mut n_before = shared.n_queued();
    loop {
        to_the_end_of_the_line().await;
        let n_now = shared.n_queued();
        if n_now <= n_before || n_now >= limit {
            return;
        }
        n_before = n_now;
    }
}

/// Lets those tasks run that are ready. Unlike `yield_now` it does not check for I/O before it continues.
async fn to_the_end_of_the_line() {
    let mut was_there = false;
    poll_fn(|cx| match std::mem::replace(&mut was_there, true) {
        true => Poll::Ready(()),
        false => {
            cx.waker().wake_by_ref();
            Poll::Pending
        }
    })
    .await;
}

impl Connection {
    /// A guard of this depth was dropped. A drop cannot wait, so the next use undoes its changes.
    pub(super) fn abandon(&mut self, depth: u32) {
        self.session_mut().abandon(depth);
    }
}
