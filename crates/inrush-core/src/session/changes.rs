//! Decides whether a session is as its last user found it, and how to restore it, when a connection goes back to a pool.
//!
//! The decision uses what the server reports (`session_track_state_change`, the transaction flag, the default schema), and what
//! the commands show where the server does not report it ([`DirtyFlags`]). See docs/notes/session-state.md for what each server
//! reports.

use crate::session::Channel;
use crate::wire::DirtyFlags;

/// When a session is reset before its next user gets it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResetPolicy {
    /// If something changed that the next user could notice.
    #[default]
    WhenChanged,
    /// After each use.
    Always,
    /// Never. An open transaction is rolled back all the same.
    Never,
}

/// What a user changed in the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// A transaction is open.
    pub transaction: bool,
    /// Variables, temporary tables, locks ..: something that a reset removes. Also set if the changes cannot be known.
    pub state: bool,
    /// Another default schema.
    pub schema: bool,
    /// Another account or role, perhaps.
    pub identity: bool,
}

/// What must be done, from the cheapest to the most expensive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cleanup {
    /// Nothing.
    Nothing,
    /// End the transaction; prepared statements stay.
    Rollback,
    /// Reset, and go back to the home schema if it was left.
    Reset {
        /// Whether the default schema must be set: no server's reset does.
        schema: bool,
    },
    /// Log in again on the same connection: nothing less restores the state of having no schema.
    ChangeUser,
    /// Throw the connection away: on MariaDB nothing restores a role.
    Discard,
}

impl Changes {
    /// Returns what was changed since the last clean-up. `home` is the default schema of a fresh session.
    pub fn of(channel: &Channel, home: Option<&str>) -> Self {
        let session = &channel.session;
        let dirty = session.dirty;
        // On a connection whose commands were not tracked, anything may have changed.
        let unwatched = DirtyFlags { state: true, ..DirtyFlags::default() };
        let dirty_flags = channel.outbox.dirty_flags().unwrap_or(unwatched);
        let failed_call = dirty_flags.calls && dirty.refused;
        Self {
            transaction: session.in_transaction() || session.needs_rollback(),
            state: !dirty.reports || dirty.changed || dirty_flags.state || dirty_flags.next_transaction || failed_call,
            schema: session.schema() != home,
            identity: dirty_flags.identity,
        }
    }

    /// Returns what restores the session. `has_home`: a fresh session has a default schema.
    pub fn cleanup(self, policy: ResetPolicy, has_home: bool) -> Cleanup {
        match policy {
            ResetPolicy::Never if self.transaction => Cleanup::Rollback,
            ResetPolicy::Never => Cleanup::Nothing,
            _ if self.identity => Cleanup::Discard,
            _ if self.schema && !has_home => Cleanup::ChangeUser,
            _ if self.state || self.schema || policy == ResetPolicy::Always => Cleanup::Reset { schema: self.schema },
            _ if self.transaction => Cleanup::Rollback,
            _ => Cleanup::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Changes = Changes { transaction: false, state: false, schema: false, identity: false };
    const TRANSACTION: Changes = Changes { transaction: true, ..NONE };
    const STATE: Changes = Changes { state: true, ..NONE };
    const SCHEMA: Changes = Changes { schema: true, ..NONE };
    const IDENTITY: Changes = Changes { identity: true, ..NONE };
    const ALL: Changes = Changes { transaction: true, state: true, schema: true, identity: true };

    #[track_caller]
    fn check(changes: Changes, policy: ResetPolicy, want: Cleanup) {
        assert_eq!(changes.cleanup(policy, true), want);
    }

    #[test]
    fn only_what_changed() {
        check(NONE, ResetPolicy::WhenChanged, Cleanup::Nothing);
        check(TRANSACTION, ResetPolicy::WhenChanged, Cleanup::Rollback);
        check(STATE, ResetPolicy::WhenChanged, Cleanup::Reset { schema: false });
        check(SCHEMA, ResetPolicy::WhenChanged, Cleanup::Reset { schema: true });
        check(IDENTITY, ResetPolicy::WhenChanged, Cleanup::Discard);
        check(ALL, ResetPolicy::WhenChanged, Cleanup::Discard);
    }
    #[test]
    fn a_transaction_ends_with_the_reset() {
        check(Changes { transaction: true, ..STATE }, ResetPolicy::WhenChanged, Cleanup::Reset { schema: false });
    }
    #[test]
    fn always() {
        check(NONE, ResetPolicy::Always, Cleanup::Reset { schema: false });
        check(SCHEMA, ResetPolicy::Always, Cleanup::Reset { schema: true });
        check(IDENTITY, ResetPolicy::Always, Cleanup::Discard);
    }
    #[test]
    fn never_but_for_a_transaction() {
        check(Changes { transaction: false, ..ALL }, ResetPolicy::Never, Cleanup::Nothing);
        check(ALL, ResetPolicy::Never, Cleanup::Rollback);
    }
    #[test]
    fn no_schema_is_what_only_a_login_gives_back() {
        assert_eq!(SCHEMA.cleanup(ResetPolicy::WhenChanged, false), Cleanup::ChangeUser);
    }
}
