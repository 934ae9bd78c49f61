//! Whether something may be stored of statements whose answers were lost with the connection, by their [effects](super::effect) and by
//! the state of the session.

use crate::session::{Effect, Session};

impl Effect {
    /// Whether something of the last statement, which was sent, may be stored although no answer confirms it.
    pub(crate) fn may_be_stored(self, session: &Session) -> bool {
        // For a COMMIT or a CALL, an error that closes the connection does not show whether something was stored.
        let was_answered = session.was_refused && self != Self::Lasts;
        !was_answered && any_may_be_stored([self], session)
    }
}

/// Whether something may be stored of commands that were sent in one flight and not answered, in their order.
pub(crate) fn any_may_be_stored(effects: impl IntoIterator<Item = Effect>, session: &Session) -> bool {
    // An error has no flags, and may have ended the transaction.
    let mut is_inside = session.in_transaction() && !session.is_transaction_unsure();
    let mut may_be_inside = session.in_transaction();
    let mut autocommit = session.autocommit();
    for effect in effects {
        match effect {
            Effect::Nothing => {}
            Effect::Rows if !autocommit => may_be_inside = true,
            // A deadlock ends the transaction; what follows it is then committed by itself.
            Effect::Rows if is_inside => is_inside = false,
            Effect::Ends if !may_be_inside => (is_inside, may_be_inside) = (true, true),
            // Only a KILL keeps a server from doing that.
            Effect::AutocommitOff => autocommit = false,
            Effect::Rollback => (is_inside, may_be_inside) = (false, false),
            Effect::Reset => (is_inside, may_be_inside, autocommit) = (false, false, true),
            Effect::Rows | Effect::Ends | Effect::Lasts => return true,
        }
    }
    false
}
