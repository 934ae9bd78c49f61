//! The order of packets: each verb (login, query, prepare, execute, infile ..) is a [`Conversation`] in its own file.
//!
//! A shell (blocking or tokio) owns a socket and a [`Channel`] and knows one loop:
//!
//! ```text
//! channel.begin()?
//! loop {
//!     match channel.advance(&mut conversation)? {
//!         Step::Done(output) => return Ok(output),
//!         Step::StartTls     => wrap the socket (nothing is unsent), session.set_transport(Transport::Tls), go on,
//!         Step::More         => write as much of outbox.unsent() as the socket takes; if it takes none, read what is there into
//!                               inbox.space(); if nothing is there, wait for either
//!     }
//! }
//! ```
//!
//! Whatever stops that loop between `begin` and `Done` leaves the session dead: an error (other than the server's own refusal of
//! a command), or a shell that abandons it (a time-out, a dropped future), which the next `begin` detects.

//!
//! | verb | conversation |
//! |---|---|
//! | log in | [`login::Login`] |
//! | another account | [`change_user::ChangeUser`] |
//! | a statement as text | [`query::Query`] |
//! | prepare, execute | [`prepare::Prepare`], [`execute::Execute`] |
//! | both, with the statements that are kept | [`cached_execute::CachedExecute`], over [`cache`] |
//! | rows one at a time | [`fetch::Fetch`], [`fetch::Drain`] |
//! | LOAD DATA LOCAL from memory | [`infile::Infile`] |
//! | many of these in one flight | [`pipeline::Pipeline`] |
//! | ping, reset, close, quit | [`simple`] |
//! | begin, commit, savepoints | [`transaction`], of the kind that [`options`] defines, run again as [`retry`](crate::retry) says |
//! | the lasting effects of a statement | [`effect`] |
//! | whether something of it may be stored if its answer is lost | [`lost_answer`] |
//! | as good as new, for the next user | [`clean`], which [`changes`] calls for |

pub mod authenticate;
pub mod cache;
pub mod cached_execute;
pub mod change_user;
pub mod changes;
pub mod channel;
pub mod clean;
pub mod collect;
pub(crate) mod columns;
mod derived;
pub mod effect;
pub mod execute;
pub mod fetch;
pub(crate) mod guards;
pub mod infile;
pub mod login;
mod lost_answer;
pub mod options;
pub mod outcome;
pub mod pipeline;
pub mod prepare;
pub mod prepare_for_cache;
mod prepared;
pub mod query;
pub(crate) mod reply;
pub mod results;
pub mod simple;
pub mod state;
pub mod statement;
pub mod transaction;

pub use authenticate::Credentials;
pub use cache::StatementCache;
pub use cached_execute::CachedExecute;
pub use change_user::ChangeUser;
pub use changes::{Changes, Cleanup, ResetPolicy};
pub use channel::Channel;
pub use clean::Clean;
pub use collect::{Collect, ResultSet};
pub use derived::Derived;
pub use effect::Effect;
pub use execute::Execute;
pub use fetch::{Drain, Event, Fetch, SavedEvent, Stream};
pub use infile::Infile;
pub use login::{Login, LoginOptions, TlsWish};
pub use options::{Access, Isolation, TransactionOptions};
pub use outcome::{LoadCounts, Outcome};
pub use pipeline::Pipeline;
pub use prepare::Prepare;
pub use prepare_for_cache::PrepareForCache;
pub use prepared::Prepared;
pub use query::Query;
pub use results::{Discard, Sink};
pub use state::{Session, Transport};
pub use statement::Statement;

use crate::error::Result;
use crate::wire::Outbox;

/// One exchange with the server, from the first byte sent to the last packet read.
pub trait Conversation {
    /// Its result.
    type Output;

    /// Appends what can be sent now. Called at the start, and again each time the outbox has drained: a conversation that
    /// streams appends a frame a call. `Done` from here ends an exchange to which the server does not reply.
    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>>;

    /// Takes one whole packet; appends what must be sent in answer.
    ///
    /// An error that the server sent and that leaves the connection usable ends the exchange. Every other error kills the
    /// session.
    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>>;

    /// Whether something of what was sent may be stored although no answer confirms it. Called when the exchange ended without
    /// one, to decide whether the [outcome is known](crate::Error::is_outcome_unknown).
    fn may_be_stored(&self, _session: &Session, _out: &Outbox) -> bool {
        false
    }
}

/// So that a caller can query a conversation after an error.
impl<C: Conversation> Conversation for &mut C {
    type Output = C::Output;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        (**self).send(session, out)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Self::Output>> {
        (**self).receive(packet, session, out)
    }

    fn may_be_stored(&self, session: &Session, out: &Outbox) -> bool {
        (**self).may_be_stored(session, out)
    }
}

/// What a conversation needs next.
#[derive(Debug, PartialEq, Eq)]
pub enum Step<T> {
    /// More packets must come (or more bytes must leave) first.
    More,
    /// The shell wraps the socket in TLS and continues. The outbox is empty.
    StartTls,
    /// The exchange is over and the connection is idle again.
    Done(T),
}

impl<T> Step<T> {
    /// The same with another output.
    pub(crate) fn map<U>(self, output: impl FnOnce(T) -> U) -> Step<U> {
        match self {
            Self::More => Step::More,
            Self::StartTls => Step::StartTls,
            Self::Done(value) => Step::Done(output(value)),
        }
    }
}
