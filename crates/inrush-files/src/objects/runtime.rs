//! The thread that sends all requests and receives their answers.

use inrush_core::error::{Error, Result};
use std::future::Future;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::thread;
use tokio::runtime::{Builder, Handle};

/// The thread's handle, and the process that started it: a fork has its memory and not its threads.
static THREAD: Mutex<Option<(u32, Handle)>> = Mutex::new(None);

/// The handle of the thread, which is started first if there is none.
pub(super) fn handle() -> Result<Handle> {
    let mut thread = THREAD.lock().unwrap_or_else(PoisonError::into_inner);
    let own = std::process::id();
    if let Some((_, handle)) = thread.as_ref().filter(|(process, _)| *process == own) {
        return Ok(handle.clone());
    }
    let cannot = |e| Error::io("cannot start the thread that reads objects", e);
    let runtime = Builder::new_current_thread().enable_all().build().map_err(cannot)?;
    let handle = runtime.handle().clone();
    let run = move || runtime.block_on(std::future::pending::<()>());
    thread::Builder::new().name("inrush-objects".into()).spawn(run).map_err(cannot)?;
    *thread = Some((own, handle.clone()));
    Ok(handle)
}

/// Runs it in the thread, and waits for its outcome.
pub(super) fn wait<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> Result<T> {
    let (send, receive) = sync_channel(1);
    handle()?.spawn(async move {
        let _ = send.send(work.await);
    });
    receive.recv().map_err(|_| Error::data("the request for an object failed inside its client"))?
}
