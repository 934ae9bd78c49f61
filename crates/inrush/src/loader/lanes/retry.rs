//! The one loop of a load that runs something again after an error.
//!
//! It counts the failures, reports each one that is retried as an event, and waits; the end of the load ends the wait. The core decides what
//! is retried, and for how long ([`inrush_core::retry`]).

use crate::loader::control::{Control, lock};
use crate::loader::load::Load;
use crate::loader::report::event::LoadEvent;

use super::waits::LEAST_PAUSE;
use inrush_core::load::report;
use inrush_core::retry::{BackOff, Retries, Retry, Verdict, verdict};
use inrush_core::{Error, Kind, Place, Result};
use std::mem;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What is retried.
#[derive(Clone, Debug)]
pub(crate) enum Work {
    /// A chunk, which begins here.
    Chunk(Place),
    /// A step of the load.
    Step(&'static str),
    /// The wait for another run of the same load.
    OtherRun,
}

/// How an attempt ended.
pub(crate) enum Tried<T> {
    Done(T),
    /// It failed; the error's code says whether the next attempt may succeed.
    Failed(Error),
    /// It failed because of another run that does the same, so the next attempt may succeed.
    Contended(Error),
    /// It failed, and is not retried.
    Refused(Error),
    /// The next attempt follows at once: it does not do the same.
    AtOnce,
}

/// Why there is no other attempt.
#[derive(Debug)]
pub(crate) struct GaveUp {
    pub(crate) why: Why,
    /// The error of the last attempt.
    pub(crate) error: Error,
    pub(crate) n_failed: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    /// It would fail again.
    Final,
    /// The same rows may be stored by several transactions.
    TooLarge,
    /// The time for retries is over.
    TimeIsOver,
    /// The load is to end.
    Interrupted,
}

/// Reports a failure, and the pause before the next attempt.
type Report<'a> = Box<dyn Fn(&Error, Duration) + 'a>;

/// A loop that retries.
pub(crate) struct Retrying<'a> {
    control: &'a Control,
    /// The lane that waits, counted from 0.
    lane: usize,
    limit: Duration,
    back_off: BackOff,
    /// Since when the time counts; `None`: since the first failure.
    since: Option<Duration>,
    has_stored: bool,
    report: Report<'a>,
}

impl Load {
    /// Retries `work` of a lane (from 0) for as long as the options say.
    pub(crate) fn retrying(&self, lane: usize, work: Work) -> Retrying<'_> {
        let now = self.control.elapsed();
        let since = matches!(work, Work::OtherRun).then_some(now);
        Retrying {
            control: &self.control,
            lane,
            limit: self.options.retries_for,
            back_off: BackOff::CHUNK,
            since,
            has_stored: false,
            report: Box::new(move |error, pause| self.report_retry(lane, &work, now, error, pause)),
        }
    }

    fn report_retry(&self, lane: usize, work: &Work, began: Duration, error: &Error, pause: Duration) {
        let (code, message) = (error.code(), error.to_string());
        let event = match work {
            Work::Chunk(place) => LoadEvent::Retry { lane: lane + 1, place: place.clone(), code, message, pause },
            Work::Step(what) => LoadEvent::RetryStep { what, code, message, pause },
            Work::OtherRun => {
                let seconds = self.control.elapsed().saturating_sub(began).as_secs();
                return self.notify(&LoadEvent::WaitsForOlderRun { seconds });
            }
        };
        report::count_retry(&mut lock(&self.retries), error);
        self.notify(&event);
    }
}

impl Retrying<'_> {
    /// For at least this long.
    pub(crate) fn at_least_for(mut self, limit: Duration) -> Self {
        self.limit = self.limit.max(limit);
        self
    }

    /// Without a pause: the server does the waiting.
    pub(crate) fn without_back_off(mut self) -> Self {
        self.back_off = BackOff { first: LEAST_PAUSE, longest: LEAST_PAUSE };
        self
    }

    /// The server has taken rows before, so it is read-only only for a while. Otherwise this is assumed once a chunk is stored.
    pub(crate) fn after_rows(mut self) -> Self {
        self.has_stored = true;
        self
    }

    /// Attempts until there is an end. `is_over` ends the wait between two attempts. An attempt gets `true` if it needs a new connection.
    pub(crate) fn run<T>(
        self,
        is_over: impl Fn(&Control) -> bool,
        mut attempt: impl FnMut(bool) -> Tried<T>,
    ) -> Result<T, GaveUp> {
        let control = self.control;
        let mut retry = Retry::new(Retries::For(self.limit), self.back_off);
        if let Some(start) = self.since {
            retry = retry.since(start);
        }
        let mut must_reconnect = false;
        loop {
            let (error, judged) = match attempt(mem::take(&mut must_reconnect)) {
                Tried::Done(done) => return Ok(done),
                Tried::AtOnce => continue,
                Tried::Failed(error) => (error, None),
                Tried::Contended(error) => (error, Some(Verdict::Again { reconnect: false })),
                Tried::Refused(error) => (error, Some(Verdict::No)),
            };
            let pause = retry.failed(control.elapsed(), rand::random());
            let n_failed = retry.n_failed();
            let has_stored = self.has_stored || control.chunks.load(Relaxed) > 0;
            let gave_up = |why| GaveUp { why, error: error.clone(), n_failed };
            let pause = match (judged.unwrap_or_else(|| verdict(&error, n_failed, has_stored)), pause) {
                (Verdict::No, _) => return Err(gave_up(Why::Final)),
                (Verdict::Shrink, _) => return Err(gave_up(Why::TooLarge)),
                (Verdict::Again { .. }, None) => return Err(gave_up(Why::TimeIsOver)),
                (Verdict::Again { reconnect }, Some(pause)) => {
                    must_reconnect = reconnect;
                    pause
                }
            };
            if is_over(control) {
                return Err(gave_up(Why::Interrupted));
            }
            (self.report)(&error, pause);
            control.waits(self.lane, None);
            if !control.pause(pause, &is_over) {
                return Err(gave_up(Why::Interrupted));
            }
        }
    }
}

impl GaveUp {
    /// The error, with how many attempts failed if there were several.
    pub(crate) fn counted(self) -> Error {
        match self.n_failed {
            1 => self.error,
            n => self.error.while_doing(&format!("given up after {n} attempts")),
        }
    }

    /// The error of a load that is to end: what it was at, and why that would have been retried.
    pub(crate) fn interrupted(self, what: &str) -> Error {
        Error::new(Kind::Interrupted, format!("{what}, and not tried again after: {}", self.error))
    }
}

impl<T> From<Result<T>> for Tried<T> {
    fn from(end: Result<T>) -> Self {
        match end {
            Ok(done) => Self::Done(done),
            Err(error) => Self::Failed(error),
        }
    }
}

#[cfg(test)]
mod tests;
