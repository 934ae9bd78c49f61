//! Whether a COMMIT may be sent: only if every step since the transaction began succeeded, and it is still the same transaction.
//!
//! A deadlock (1213) ends the whole transaction. With autocommit the steps after it then run on their own, and each is committed
//! by itself; without autocommit, they run in a new, unintended transaction. The first shows in the status of their replies; the
//! second shows only in the error itself. In both cases the COMMIT that follows would commit something else than was requested.

use crate::error::{Error, Kind};
use crate::session::pipeline::Verb;

/// What the replies have said about the transaction.
#[derive(Debug, Default)]
pub(super) struct Guard {
    is_inside: bool,
    failed: Option<Failure>,
    /// The first step that ran outside of the transaction that was open before it.
    outside: Option<u64>,
}

#[derive(Clone, Debug)]
struct Failure {
    step: u64,
    code: u16,
    sql_state: [u8; 5],
    message: String,
}

impl Guard {
    /// The pipeline begins, in a transaction or not.
    pub(super) fn begin(&mut self, is_inside: bool) {
        *self = Self { is_inside, ..Self::default() };
    }

    /// Records the outcome of a step, and whether its reply reports an open transaction.
    pub(super) fn note(&mut self, step: u64, verb: Verb, error: Option<&Error>, is_inside: bool) {
        match (verb, error) {
            // Earlier errors do not matter for what follows.
            (Verb::Begin | Verb::Commit, None) | (Verb::Rollback, _) => self.begin(is_inside),
            (_, Some(error)) => {
                self.failed.get_or_insert_with(|| Failure::of(step, error));
            }
            (Verb::Other, None) => {
                if self.is_inside && !is_inside {
                    self.outside.get_or_insert(step);
                }
                self.is_inside = is_inside;
            }
        }
    }

    /// Returns the reason not to send a COMMIT.
    pub(super) fn objection(&self) -> Option<Error> {
        let error = match (&self.failed, self.outside) {
            (None, None) => return None,
            (Some(failed), _) => {
                let Failure { step, code, sql_state, message } = failed.clone();
                let message = format!("rolled back instead of committed, because step {step} failed: {message}");
                Error::server(code, sql_state, message)
            }
            (None, Some(step)) => Error::new(
                Kind::Guarantee,
                format!("rolled back instead of committed, because the transaction had ended before step {step}"),
            ),
        };
        Some(match self.outside {
            None => error,
            Some(step) => error.with_hint(format!(
                "steps from {step} on ran outside of the transaction and may be stored: `SET autocommit = 0` instead of BEGIN \
                 prevents that"
            )),
        })
    }
}

impl Failure {
    fn of(step: u64, error: &Error) -> Self {
        let mut sql_state = *b"HY000";
        if let Ok(known) = error.sql_state().as_bytes().try_into() {
            sql_state = known;
        }
        Self { step, code: error.code(), sql_state, message: error.message().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each step: what it does, whether it fails, whether a transaction is open after it.
    #[track_caller]
    fn check(steps: &[(Verb, bool, bool)], want: Option<(&str, bool)>) {
        let mut guard = Guard::default();
        guard.begin(false);
        for (step, &(verb, fails, is_inside)) in steps.iter().enumerate() {
            let error = fails.then(|| Error::server(1213, *b"40001", "deadlock"));
            guard.note(step as u64, verb, error.as_ref(), is_inside);
        }
        let objection = guard.objection();
        let told = objection.as_ref().map(|e| (e.message(), e.hint().is_some()));
        match (told, want) {
            (Some((told, hint)), Some((want, want_hint))) => {
                assert!(told.contains(want) && hint == want_hint, "{objection:?}");
            }
            (told, want) => assert_eq!(told, want),
        }
    }
    use Verb::{Begin, Commit, Other, Rollback};

    #[test]
    fn nothing_speaks_against_it() {
        check(&[], None);
        check(&[(Begin, false, true), (Other, false, true)], None);
        check(&[(Other, false, false), (Other, false, false)], None);
    }
    #[test]
    fn a_failure_does() {
        check(
            &[(Begin, false, true), (Other, true, true), (Other, false, true)],
            Some(("step 1 failed: deadlock", false)),
        );
        check(&[(Begin, true, false)], Some(("step 0 failed", false)));
    }
    #[test]
    fn the_first_failure_is_told() {
        check(&[(Other, true, false), (Other, true, false)], Some(("step 0 failed", false)));
    }
    #[test]
    fn a_transaction_that_ended_under_way_does() {
        check(&[(Begin, false, true), (Other, false, false)], Some(("had ended before step 1", true)));
        check(
            &[(Begin, false, true), (Other, true, true), (Other, false, false), (Other, false, false)],
            Some(("step 1 failed", true)),
        );
    }
    #[test]
    fn a_new_beginning_forgets() {
        for (verb, is_inside) in [(Begin, true), (Commit, false), (Rollback, false)] {
            check(&[(Begin, false, true), (Other, true, true), (verb, false, is_inside)], None);
        }
    }
}
