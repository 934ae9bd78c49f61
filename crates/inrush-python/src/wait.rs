//! Waits for a server without the interpreter's lock; the main thread handles Ctrl-C meanwhile.

use crate::ending::Visit;
use crate::failure;
use crate::known::{MAIN_THREAD, THREAD};
use inrush::blocking;
use inrush_core::{Error, Kind};
use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Runs what waits for a server. In the main thread Ctrl-C ends the connection: what it was doing is rolled back.
pub(crate) fn patiently<T: Send>(
    py: Python<'_>,
    aborters: &[blocking::Aborter],
    work: impl FnOnce() -> inrush::Result<T> + Send,
) -> PyResult<T> {
    until_done(py, || aborters.iter().for_each(blocking::Aborter::abort), work)
}

/// The same for work that `stop` ends.
pub(crate) fn until_done<T: Send>(
    py: Python<'_>,
    stop: impl Fn(),
    work: impl FnOnce() -> inrush::Result<T> + Send,
) -> PyResult<T> {
    if !is_main_thread(py)? {
        return Visit::new().detached(py, work).map_err(|error| failure::exception(py, &error));
    }
    let mut raised = None;
    let done = thread::scope(|scope| {
        let (sender, mut receiver) = channel();
        scope.spawn(move || {
            let _ = sender.send(work());
        });
        loop {
            let receiver = &mut receiver;
            match py.detach(move || receiver.recv_timeout(TICK)) {
                Ok(done) => return done,
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Error::new(Kind::Protocol, "a thread ended without a result; this is a bug of inrush"));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if let Err(signal) = py.check_signals() {
                raised.get_or_insert(signal);
                stop();
            }
        }
    });
    match raised {
        Some(raised) => Err(raised),
        None => done.map_err(|error| failure::exception(py, &error)),
    }
}

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(50);

/// Only the main thread handles signals. After a fork another thread may be the main one, so this is checked each time.
fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let main = MAIN_THREAD.get(py)?.call0()?.getattr("ident")?;
    THREAD.get(py)?.call0()?.eq(main)
}
