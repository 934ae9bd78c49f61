//! A batch from its first attempt to its end: how often it is tried, with which pauses, and what is reported to its callers.
//!
//! Pure: time and chance come in as arguments.

use crate::Error;
use inrush_core::retry::fate::{Fate, Over, Stage, fate};
use inrush_core::retry::{BackOff, Retries, Retry};
use std::time::{Duration, Instant};

/// A batch in progress.
#[derive(Debug)]
pub(crate) struct Attempts {
    began: Instant,
    limit: Duration,
    retry: Retry,
    has_ledger: bool,
}

/// What to do after an attempt that failed.
#[derive(Debug)]
pub(crate) enum NextStep {
    /// Wait, and try again.
    Again(Duration, Over),
    /// Report this error to the callers.
    Tell(Error),
}

impl Attempts {
    /// `has_ledger`: a lost COMMIT can be settled.
    pub(crate) fn new(began: Instant, limit: Duration, has_ledger: bool) -> Self {
        let retry = Retry::new(Retries::For(limit), BackOff::TRANSACTION).since(Duration::ZERO);
        Self { began, limit, retry, has_ledger }
    }

    /// Until when an attempt may wait for a connection. The first attempt may wait as long as any caller of the pool; later attempts may
    /// wait only for what is left of that time or of the time for retries. `None`: without a limit.
    pub(crate) fn wait_until(&self, acquire_timeout: Option<Duration>) -> Option<Instant> {
        self.began.checked_add(acquire_timeout?.max(self.limit))
    }

    /// Records how an attempt failed, and returns the next step. `random` is from 0 to 1.
    pub(crate) fn failed(&mut self, stage: Stage, error: Error, now: Instant, random: f64) -> NextStep {
        let pause = self.retry.failed(now.saturating_duration_since(self.began), random);
        match (fate(stage, &error, self.has_ledger), pause) {
            (Fate::Failed, _) => NextStep::Tell(error.without_row()),
            (Fate::Again(over), Some(pause)) => NextStep::Again(pause, over),
            (Fate::Doubt, Some(pause)) => NextStep::Again(pause, Over::ANewConnection),
            (Fate::Again(_), None) => {
                let doing = format!("not stored after {} attempts", self.retry.n_failed());
                NextStep::Tell(error.without_row().while_doing(&doing))
            }
            (Fate::Unknown, _) | (Fate::Doubt, None) => NextStep::Tell(unknown(error)),
        }
    }
}

fn unknown(error: Error) -> Error {
    let error = error.without_row().while_doing("the row may be stored or not").outcome_unknown();
    match error.hint() {
        Some(_) => error,
        None => {
            error.with_hint("`InserterOptions::with_exactly_once` finds that out and sends the row again if it is not")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn attempts(has_ledger: bool) -> Attempts {
        Attempts::new(Instant::now(), Duration::from_secs(1), has_ledger)
    }

    /// `Ok`: it is tried again; `Err`: what is reported to the callers, and whether the outcome is unknown.
    #[track_caller]
    fn check(has_ledger: bool, stage: Stage, error: Error, after_ms: u64, want: Result<Over, (&str, bool)>) {
        let mut attempts = attempts(has_ledger);
        let now = attempts.began + Duration::from_millis(after_ms);
        match (attempts.failed(stage, error, now, 1.0), want) {
            (NextStep::Again(_, over), want) => assert_eq!(Ok(over), want),
            (NextStep::Tell(error), want) => {
                let text = error.to_string();
                assert_eq!(Err((text.as_str(), error.is_outcome_unknown())), want);
                assert_eq!(error.row(), None);
            }
        }
    }

    fn lost() -> Error {
        Error::new(Kind::Io, "the connection was lost").at_row(3)
    }

    #[test]
    fn a_deadlock_is_tried_again_until_the_time_is_over() {
        let deadlock = || Error::server(1213, *b"40001", "Deadlock found");
        check(false, Stage::Write, deadlock(), 0, Ok(Over::TheSame));
        let want = "not stored after 1 attempts: Deadlock found (server error 1213, SQLSTATE 40001)";
        check(false, Stage::Write, deadlock(), 1000, Err((want, false)));
    }
    #[test]
    fn a_lost_commit_is_settled_or_unknown() {
        let unknown = "the row may be stored or not: the connection was lost";
        check(false, Stage::Commit, lost(), 0, Err((unknown, true)));
        check(true, Stage::Commit, lost(), 0, Ok(Over::ANewConnection));
        check(true, Stage::Settle, lost(), 0, Ok(Over::ANewConnection));
        check(true, Stage::Settle, lost(), 1000, Err((unknown, true)));
    }
    #[test]
    fn what_is_wrong_is_told_at_once() {
        check(true, Stage::Open, Error::config("no").at_row(1), 0, Err(("no", false)));
    }
    #[test]
    fn no_attempt_waits_for_a_connection_beyond_the_retries() {
        let attempts = attempts(false);
        for (acquire_ms, want_ms) in [(30_000, 30_000), (1, 1_000), (0, 1_000)] {
            let until = attempts.wait_until(Some(Duration::from_millis(acquire_ms)));
            assert_eq!(until, Some(attempts.began + Duration::from_millis(want_ms)));
        }
        assert_eq!(attempts.wait_until(None), None);
    }
    #[test]
    fn pauses_grow() {
        let mut attempts = attempts(false);
        let mut pauses = Vec::new();
        for _ in 0..3 {
            match attempts.failed(Stage::Before, lost(), attempts.began, 1.0) {
                NextStep::Again(pause, _) => pauses.push(pause.as_millis()),
                NextStep::Tell(error) => panic!("{error}"),
            }
        }
        assert_eq!(pauses, [5, 10, 20]);
    }
}
