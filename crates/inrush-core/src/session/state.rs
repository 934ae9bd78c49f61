//! What both sides agreed on and what the server has reported since: the state of one connection outside any exchange.

use std::collections::BTreeMap;

use crate::error::codes;
use crate::error::{Class, Error, Kind, Reason, Result};
use crate::profile::Profile;
use crate::session::cache::StatementCache;
use crate::session::columns::KnownColumns;
use crate::session::effect::Effect;
use crate::session::guards::Guards;
use crate::sql::Dialect;
use crate::wire::dirty_flags::outdates_statements;
use crate::wire::{
    Capabilities, Compression, Malformed, MariaDbCapabilities, OkPacket, ServerVersion, SessionChange, Status,
};
use crate::zone;
use jiff::tz::TimeZone;

/// The state of one connection.
#[derive(Debug)]
pub struct Session {
    transport: Transport,
    life: Life,
    /// How many bytes are sure to arrive before the conversation can do anything else.
    pub(crate) least_to_come: usize,
    /// What both sides can do. Empty before login.
    pub(crate) capabilities: Capabilities,
    /// What both sides can do beyond that, on MariaDB.
    pub(crate) mariadb_capabilities: MariaDbCapabilities,
    pub(crate) compression: Compression,
    pub(crate) version: ServerVersion,
    pub(crate) profile: Profile,
    pub(crate) connection_id: u32,
    pub(crate) status: Status,
    /// The code of the error that the server sent after its last OK: the status may be older than the error.
    pub(super) refusal: Option<u16>,
    /// Whether the last reply that ended in the current exchange was an ERR.
    pub(crate) was_refused: bool,
    /// The transaction and savepoints that guards hold open.
    pub(crate) guards: Guards,
    /// Autocommit was switched off for the length of a transaction.
    pub(crate) owes_autocommit: bool,
    pub(crate) schema: Option<String>,
    /// The variables that the server reported.
    variables: BTreeMap<String, String>,
    /// Its time zone, as the server reported it or as it was set.
    zone: Option<TimeZone>,
    pub(crate) dirty: DirtyState,
    /// The plugin of the last authentication and its nonce: a change of user starts from them.
    pub(crate) auth_plugin: Vec<u8>,
    pub(crate) nonce: Vec<u8>,
    /// What this connection has prepared.
    pub(crate) statements: StatementCache,
    /// The columns of its last results.
    pub(crate) known_columns: KnownColumns,
}

/// The transport of the bytes; it decides whether a secret may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Plain TCP: everyone on the network path can read.
    Tcp,
    /// A Unix socket: only this machine can read.
    Unix,
    /// TLS.
    Tls,
}

/// What happened since the session was last clean, as far as replies show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DirtyState {
    /// The server reports changes of the session.
    pub(crate) reports: bool,
    /// It reported one.
    pub(crate) changed: bool,
    /// It refused a command.
    pub(crate) refused: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Idle,
    /// A conversation was announced but has not started yet.
    Begun,
    Busy,
    Dead,
}

impl Session {
    /// The state before login.
    pub fn new(transport: Transport) -> Self {
        let version = ServerVersion::parse("");
        Self {
            transport,
            life: Life::Idle,
            least_to_come: 0,
            capabilities: Capabilities::empty(),
            mariadb_capabilities: MariaDbCapabilities::empty(),
            compression: Compression::None,
            profile: Profile::of(&version),
            version,
            connection_id: 0,
            status: Status::SERVER_STATUS_AUTOCOMMIT,
            refusal: None,
            was_refused: false,
            guards: Guards::default(),
            owes_autocommit: false,
            schema: None,
            variables: BTreeMap::new(),
            zone: None,
            dirty: DirtyState::default(),
            auth_plugin: Vec::new(),
            nonce: Vec::new(),
            statements: StatementCache::default(),
            known_columns: KnownColumns::default(),
        }
    }

    /// What both sides can do. Empty before login.
    pub fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// What both sides can do beyond that, on MariaDB (bulk execute, unit results).
    pub fn mariadb_capabilities(&self) -> MariaDbCapabilities {
        self.mariadb_capabilities
    }

    /// The compression after the login.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Which server this is.
    pub fn version(&self) -> &ServerVersion {
        &self.version
    }

    /// The features of this server, according to its version and the login.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The number KILL takes.
    pub fn connection_id(&self) -> u32 {
        self.connection_id
    }

    /// The status flags of the last reply.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Whether a transaction was open at the last reply.
    pub fn in_transaction(&self) -> bool {
        self.status.contains(Status::SERVER_STATUS_IN_TRANS)
    }

    /// Whether [`Session::in_transaction`] may be wrong in either direction: an error came since, which has no status. A ping
    /// resolves it.
    pub fn is_transaction_unsure(&self) -> bool {
        self.refusal.is_some()
    }

    /// Whether a transaction or a part of it must be rolled back because its guard was dropped without an end.
    pub fn needs_rollback(&self) -> bool {
        self.guards.undo_from().is_some()
    }

    /// Whether what belongs to the open transaction may be sent, once no [debt](Session::debt) is left. The server may have ended
    /// it; then each statement would be committed by itself.
    pub fn check_use(&mut self) -> Result<()> {
        self.guards.check()
    }

    /// Records that rows for this table were accepted, but their writer was dropped before it wrote them. An open transaction can
    /// then only be rolled back; outside of one, the next [check](Session::check_use) fails.
    pub fn forgot_rows(&mut self, n_rows: u64, table: &str) {
        self.guards.forgot(n_rows, table);
    }

    /// The connection gets another user, who must not get the error for rows that were never written.
    pub fn reset_row_errors(&mut self) {
        self.guards.forgive();
    }

    /// Whether a transaction may begin. The server would commit an open one silently.
    pub fn check_begin(&self) -> Result<()> {
        match self.guards.is_open() || self.in_transaction() {
            false => Ok(()),
            true => Err(Error::config("a transaction is open already: to begin another one would commit it")
                .with_hint("`savepoint()` nests in it; or commit it or roll it back first")),
        }
    }

    /// Whether a guard holds a transaction open.
    pub fn is_guarded(&self) -> bool {
        self.guards.is_open()
    }

    /// Records that autocommit is about to be switched off for the rest of the transaction that a guard holds open. Then what is
    /// sent in one flight stays uncommitted even after a deadlock. Autocommit is switched on again after the transaction.
    pub fn borrow_autocommit(&mut self) {
        self.owes_autocommit = true;
    }

    /// Records that this error of the server ended the transaction, although another one may be open in its place.
    pub fn transaction_lost(&mut self, code: u16) {
        self.guards.lost(code);
    }

    /// Whether the server is known to have ended the transaction that a guard holds open.
    pub fn is_transaction_over(&self) -> bool {
        self.guards.is_over()
    }

    /// The guard of this depth was dropped: unless it ended before, its changes are undone before the next use.
    pub fn abandon(&mut self, depth: u32) {
        self.guards.abandon(depth);
    }

    /// Whether autocommit was on at the last reply.
    pub fn autocommit(&self) -> bool {
        self.status.contains(Status::SERVER_STATUS_AUTOCOMMIT)
    }

    /// Whether the server refuses a text of several statements.
    pub(crate) fn takes_one_statement(&self) -> bool {
        !self.capabilities.contains(Capabilities::CLIENT_MULTI_STATEMENTS)
    }

    /// How texts are read, as of the last reply. MySQL does not report ANSI_QUOTES.
    pub fn dialect(&self) -> Dialect {
        Dialect {
            no_backslash_escapes: self.no_backslash_escapes(),
            ansi_quotes: self.status.contains(Status::SERVER_STATUS_ANSI_QUOTES),
        }
    }

    /// Whether a backslash was an ordinary character in string literals at the last reply.
    pub fn no_backslash_escapes(&self) -> bool {
        self.status.contains(Status::SERVER_STATUS_NO_BACKSLASH_ESCAPES)
    }

    /// Whether another result follows the last reply.
    pub fn more_results(&self) -> bool {
        self.status.contains(Status::SERVER_MORE_RESULTS_EXISTS)
    }

    /// The default schema, as far as the server reports its changes.
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    /// The value of a system variable whose change the server reported (by default `autocommit`, `time_zone` and the
    /// `character_set_..` of client, connection and results).
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str)
    }

    /// The session's time zone, if it is known: it was set through [`Session::set_zone`], or the server reported its change. The
    /// server's own (`SYSTEM`) is unknown.
    pub fn zone(&self) -> Option<&TimeZone> {
        self.zone.as_ref()
    }

    /// Records the zone of the session, by its name; `None`: the zone is not known.
    pub fn set_zone(&mut self, name: Option<&str>) {
        self.zone = name.map(zone::of_session).filter(|zone| !zone.is_unknown());
    }

    /// The statements that this connection has prepared and keeps.
    pub fn statements(&self) -> &StatementCache {
        &self.statements
    }

    /// The same, to set its capacity.
    pub fn statements_mut(&mut self) -> &mut StatementCache {
        &mut self.statements
    }

    /// The transport of the bytes.
    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// Records the new transport of the bytes; the shell calls it after a TLS handshake.
    pub fn set_transport(&mut self, transport: Transport) {
        self.transport = transport;
    }

    /// Whether the connection is safe from eavesdroppers, so that a password may be sent.
    pub fn is_secure(&self) -> bool {
        matches!(self.transport, Transport::Tls | Transport::Unix)
    }

    /// Whether the connection must be thrown away.
    pub fn is_dead(&self) -> bool {
        self.life == Life::Dead
    }

    /// Records that the connection must be thrown away: a time-out, a lost socket.
    pub fn kill(&mut self) {
        self.life = Life::Dead;
    }

    /// Whether result sets end with an OK packet instead of an EOF packet, and come without an EOF after the columns.
    pub fn deprecates_eof(&self) -> bool {
        self.capabilities.contains(Capabilities::CLIENT_DEPRECATE_EOF)
    }

    /// Stores what an OK packet reports.
    pub(crate) fn apply(&mut self, ok: &OkPacket<'_>) -> Result<(), Malformed> {
        self.status = ok.status;
        if !self.in_transaction() {
            self.statements.unlocked();
        }
        self.guards.see(self.in_transaction(), self.refusal.take());
        SessionChange::read_all(ok.state, |change| match change {
            SessionChange::State => self.dirty.changed = true,
            SessionChange::Schema(name) => {
                let schema = Some(text(name)).filter(|name| !name.is_empty());
                if self.schema != schema {
                    self.schema = schema;
                    self.statements.outdate();
                }
            }
            SessionChange::Variable { name, value } => {
                let (name, value) = (text(name), text(value));
                // A real server reports few and short variables; memory must not depend on what a server sends.
                let is_known = self.variables.contains_key(&name) || self.variables.len() < MAX_VARIABLES;
                if name == TIME_ZONE {
                    self.set_zone(Some(&value));
                }
                if is_known && name.len() + value.len() <= MAX_VARIABLE_BYTES {
                    self.variables.insert(name, value);
                }
            }
        })
    }

    /// Records a text that is sent: it may release locks (ROLLBACK TO SAVEPOINT), and change the meaning of kept statements.
    pub(crate) fn sends(&mut self, sql: &[u8]) {
        self.statements.unlocked();
        self.ran(sql);
    }

    /// Records an execution that is sent: outside of a transaction nothing stays locked after it.
    pub(crate) fn executes(&mut self, slot: usize) {
        let is_locked = self.in_transaction();
        let entry = self.statements.get_mut(slot);
        if !is_locked {
            entry.rests();
        }
        if !matches!(entry.prepared.effect, Effect::Nothing | Effect::Rows) {
            self.statements.unlocked();
        }
    }

    /// Records a statement that ran: it may change the meaning of kept statements.
    pub(crate) fn ran(&mut self, sql: &[u8]) {
        let multi = self.capabilities.contains(Capabilities::CLIENT_MULTI_STATEMENTS);
        if !self.statements.is_empty() && outdates_statements(sql, multi, self.schema.as_deref()) {
            self.statements.outdate();
        }
    }

    /// Records an ERR packet.
    pub(crate) fn refused(&mut self, code: u16) {
        self.refusal = Some(code);
        self.statements.unlocked();
        self.was_refused = codes::of(code).0 != Class::Lost;
        self.dirty.refused = true;
    }

    /// Whether no exchange is in progress, so that a command can be sent.
    pub fn is_idle(&self) -> bool {
        matches!(self.life, Life::Idle | Life::Begun)
    }

    pub(crate) fn begin(&mut self) -> Result<()> {
        self.least_to_come = 0;
        self.was_refused = false;
        match self.life {
            Life::Idle | Life::Begun => {
                self.life = Life::Begun;
                Ok(())
            }
            Life::Busy => {
                self.kill();
                Err(unusable("its last use was interrupted"))
            }
            Life::Dead => Err(unusable("it was given up after an error")),
        }
    }

    /// Records that a conversation continues; returns whether this is its first step.
    pub(crate) fn go_on(&mut self) -> Result<bool> {
        match std::mem::replace(&mut self.life, Life::Busy) {
            Life::Begun => Ok(true),
            Life::Busy => Ok(false),
            Life::Idle => {
                self.life = Life::Idle;
                Err(Error::config("`begin` must be called before a conversation advances"))
            }
            Life::Dead => {
                self.life = Life::Dead;
                Err(unusable("it was given up after an error"))
            }
        }
    }

    pub(crate) fn end(&mut self) {
        if self.life == Life::Busy {
            self.life = Life::Idle;
        }
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn unusable(why: &str) -> Error {
    Error::new(Kind::Io, format!("this connection cannot be used any more: {why}"))
        .because(Reason::ConnectionLost)
        .with_hint("open a new connection")
}

const TIME_ZONE: &str = "time_zone";
const MAX_VARIABLES: usize = 64;
const MAX_VARIABLE_BYTES: usize = 4096;
