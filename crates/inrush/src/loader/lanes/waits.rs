//! Every wait of a load, and how the wait notices the end of the load. After [`Control::abort`] no wait lasts longer than some tenths
//! of a second; what could wait for ever is abandoned on a thread of its own.
//!
//! | wait | where | after `stop` | after `abort` |
//! |---|---|---|---|
//! | for the answer to a statement (rows, COMMIT, TRUNCATE, ALTER, a step of the user, GET_LOCK, a row lock) | `Connection` | is waited for | its socket is shut down |
//! | for a connection, its name's look-up and the login | [`Control::connect`] | continues | the attempt is abandoned |
//! | for another connection that finds out whether commands may be pipelined | [`Control::window`] | continues | the attempt is abandoned |
//! | between two attempts to store a chunk | `Lane::store`, by [`Retrying::run`] | ends, the chunk is not loaded | ends |
//! | for the RENAME that another connection runs (MariaDB) | `steps::guard` | is waited for | the sockets of both are shut down |
//! | between two queries of the ledger about a COMMIT | `Lane::settle`, by the same | continues: rows in flight | ends, the rows' fate is unknown |
//! | between two attempts to open the ledger | `Lane::run_to_its_end`, `Opener::open`, by the same | ends | ends |
//! | for another run that prepares or ends the table | `while_locked`, by the same | ends at the next check (5 s) | ends |
//! | between two attempts to end the load | `Jobs::finish`, by the same | ends | ends |
//! | for the first bytes of a stream, for the comparison of what is stored | [`beside`] in `ledger::opening`, `preflight` | ends | ends |
//! | for a source's next bytes (a pipe, standard input) | `run::run` | the reader is abandoned | the same |
//! | for memory, for the rate | `Budget::wait_for`, `Reader::hand_on` | ends | ends |
//! | for a batch, for a place in a queue, while parked | `WorkQueue`, the channels of `run` | ends | ends |
//! | for what the server says of a silent lane | `watch` | continues for up to 5 s | the query is abandoned |
//! | for the replicas, for the table of the heartbeats | `Yielding::begin` | continues; between two attempts it ends | is abandoned |
//! | until others need the server less, before the table changes | `Yielding::wait` | ends | ends |
//! | for the removal of the heartbeats | the drop of `Yielding` | continues for up to 5 s | is abandoned |
//!
//! A pause between two attempts is never shorter than [`LEAST_PAUSE`], so that no loop spins.
//!
//! [`Retrying::run`]: super::retry::Retrying::run

use crate::Config;
use crate::blocking::Connection;
use crate::loader::control::Control;
use crate::pipeline::probe::{self, PipelineStart};
use crate::trace::Context;
use inrush_core::load::Source;
use inrush_core::session::pipeline::Window;
use inrush_core::{Error, Kind, Result};
use std::mem;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

impl Control {
    /// Sleeps before another attempt. Returns `false` as soon as `is_over` does; then there must be no other attempt.
    #[must_use = "without a pause there must be no other attempt"]
    pub(crate) fn pause(&self, pause: Duration, is_over: impl Fn(&Control) -> bool) -> bool {
        let until = Instant::now() + pause.max(LEAST_PAUSE);
        loop {
            if is_over(self) {
                return false;
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            thread::sleep(left.min(LOOK_EVERY));
        }
    }

    /// Connects and logs in. An abort abandons the attempt.
    pub(crate) fn connect(&self, config: &Config) -> Result<Connection> {
        let config = config.clone();
        match beside("inrush-connect", || self.is_aborted(), move || Connection::connect(&config))? {
            Some(connected) => connected,
            None => Err(aborted()),
        }
    }

    /// How much of `n_steps` commands may be in flight at the server. Where that is not known, another connection finds out; an abort
    /// abandons that connection.
    pub(crate) fn window(&self, config: &Config, n_steps: usize) -> Result<Window> {
        if let PipelineStart::Clear(window) = probe::way(config, Some(n_steps)) {
            return Ok(window);
        }
        let config = config.clone();
        let found = beside("inrush-probe", || self.is_aborted(), move || Connection::find_window(&config))?;
        found.ok_or_else(aborted)
    }
}

/// Runs `work` on a thread of its own, which is abandoned as soon as `is_over` returns `true`; then the result is `None`.
pub(crate) fn beside<T: Send + 'static>(
    name: &str,
    is_over: impl Fn() -> bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<Option<T>> {
    if is_over() {
        return Ok(None);
    }
    let (done_in, done) = channel();
    let context = Context::current();
    let run = move || {
        // If the thread was abandoned, the channel has no receiver any more.
        let _ = done_in.send(context.within(work));
    };
    let thread = thread::Builder::new().name(name.to_owned()).spawn(run);
    let thread = thread.map_err(|e| Error::io("cannot start a thread", e))?;
    loop {
        match done.recv_timeout(LOOK_EVERY) {
            Ok(done) => return Ok(Some(done)),
            Err(RecvTimeoutError::Timeout) if is_over() => return Ok(None),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => match thread.join() {
                Err(panic) => std::panic::resume_unwind(panic),
                Ok(()) => return Err(Error::protocol("a thread ended without its result")),
            },
        }
    }
}

/// Reads sources on a thread of its own, which is abandoned if the load is to end: a pipe may send nothing for ever.
pub(crate) fn on_sources<T: Send + 'static>(
    control: &Control,
    sources: &mut Vec<Box<dyn Source>>,
    read: impl FnOnce(&mut [Box<dyn Source>]) -> T + Send + 'static,
) -> Result<T> {
    let mut taken = mem::take(sources);
    let done = beside(
        "inrush-sources",
        || control.is_stopping(),
        move || {
            let done = read(&mut taken);
            (taken, done)
        },
    )?;
    let (given_back, done) = done.ok_or_else(interrupted)?;
    *sources = given_back;
    Ok(done)
}

/// The error of a load that is stopped before a row was sent.
pub(crate) fn interrupted() -> Error {
    Error::new(Kind::Interrupted, "interrupted before a row was sent")
}

/// The error of what an abort cut short.
pub(crate) fn aborted() -> Error {
    Error::new(Kind::Interrupted, "the load was aborted").fatal()
}

/// The least time between two attempts.
pub(crate) const LEAST_PAUSE: Duration = Duration::from_millis(10);

/// How long it takes at most until a waiting thread notices the end of the load.
const LOOK_EVERY: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_pause_is_zero() {
        let began = Instant::now();
        assert!(Control::default().pause(Duration::ZERO, Control::is_aborted));
        assert!(began.elapsed() >= LEAST_PAUSE);
    }

    #[test]
    fn an_abort_ends_a_pause_and_leaves_work_behind() {
        let control = Control::default();
        control.abort();
        let began = Instant::now();
        assert!(!control.pause(Duration::from_secs(60), Control::is_aborted));
        assert!(beside("never", || control.is_aborted(), || ()).unwrap().is_none());
        assert!(control.connect(&Config::new()).unwrap_err().kind() == Kind::Interrupted);
        assert!(began.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn work_that_ends_is_handed_back() {
        assert_eq!(beside("work", || false, || 7).unwrap(), Some(7));
    }
}
