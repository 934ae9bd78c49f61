//! A server that has as many connections as it takes: a caller that it refused waits for one of the pool's own to come back.

use crate::pool::shared::{Lendable, Next, Opening, Refused, Waiting};
use crate::waiter::Waiter;
use crate::{Error, Result};
use inrush_core::error::{Class, Reason};
use std::sync::Arc;
use std::time::Instant;

impl<C: Lendable> Opening<C> {
    /// Opening failed, for this reason. If the server lets no more in, and the pool has other connections, the caller waits for one of
    /// these to come back. `refused`: the refusal that the caller got before. If the deadline passed in another attempt of such a caller,
    /// the pool's time-out is the error.
    pub(crate) fn not_opened(
        mut self,
        error: Error,
        refused: &mut Option<Refused>,
        asked: Instant,
        deadline: Option<Instant>,
    ) -> Result<Next<C>> {
        if error.class() != Class::Full {
            let shared = Arc::clone(&self.shared);
            self.failed();
            let is_late = deadline.is_some_and(|at| Instant::now() >= at);
            return Err(match is_late && refused.is_some() {
                true => shared.timed_out(asked, refused.as_ref()),
                false if is_late && error.is_timeout() => error.because(Reason::PoolTimedOut),
                false => error,
            });
        }
        let shared = Arc::clone(&self.shared);
        self.is_settled = true;
        let mut ledger = shared.ledger();
        let Some(retry_at) = ledger.open_refused(Instant::now(), rand::random()) else {
            shared.settle(ledger);
            return Err(error);
        };
        let waiter = Arc::new(Waiter::new());
        let place = refused.as_ref().map(|refused| refused.place);
        let number = ledger.wait_refused(place, Arc::clone(&waiter));
        *refused = Some(Refused { error, place: number });
        shared.settle(ledger);
        Ok(Next::Wait(Waiting::new(&shared, waiter, number, Some(retry_at))))
    }
}
