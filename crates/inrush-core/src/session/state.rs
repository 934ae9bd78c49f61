//! What both sides agreed on and what the server told since: the state of one connection outside any exchange.

use crate::error::{Error, Kind, Result};
use crate::wire::{Capabilities, MariaDbCapabilities, ServerVersion, Status, Vendor};

/// The state of one connection.
#[derive(Debug)]
pub struct Session {
    transport: Transport,
    life: Life,
    /// What both sides can do. Empty before login.
    pub(crate) capabilities: Capabilities,
    /// What both sides can do beyond that, on MariaDB.
    pub(crate) mariadb_capabilities: MariaDbCapabilities,
    pub(crate) version: ServerVersion,
    pub(crate) connection_id: u32,
    pub(crate) status: Status,
    pub(crate) schema: Option<String>,
}

/// What the bytes travel over; decides whether a secret may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// Plain TCP: anybody on the way can read.
    Tcp,
    /// A Unix socket: only this machine can read.
    Unix,
    /// TLS.
    Tls,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Idle,
    Busy,
    Dead,
}

impl Session {
    /// The state before login.
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            life: Life::Idle,
            capabilities: Capabilities::empty(),
            mariadb_capabilities: MariaDbCapabilities::empty(),
            version: ServerVersion { vendor: Vendor::MySql, numbers: (0, 0, 0), text: String::new() },
            connection_id: 0,
            status: Status::SERVER_STATUS_AUTOCOMMIT,
            schema: None,
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

    /// Which server this is.
    pub fn version(&self) -> &ServerVersion {
        &self.version
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

    /// Whether autocommit was on at the last reply.
    pub fn autocommit(&self) -> bool {
        self.status.contains(Status::SERVER_STATUS_AUTOCOMMIT)
    }

    /// Whether a backslash was an ordinary character in string literals at the last reply.
    pub fn no_backslash_escapes(&self) -> bool {
        self.status.contains(Status::SERVER_STATUS_NO_BACKSLASH_ESCAPES)
    }

    /// Whether another result follows the last reply.
    pub fn more_results(&self) -> bool {
        self.status.contains(Status::SERVER_MORE_RESULTS_EXISTS)
    }

    /// The default schema, as far as the server tells about its changes.
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    /// What the bytes travel over.
    pub fn transport(&self) -> Transport {
        self.transport
    }

    /// Says that the bytes travel over something else now; the shell calls it after a TLS handshake.
    pub fn set_transport(&mut self, transport: Transport) {
        self.transport = transport;
    }

    /// Whether nobody on the way can read along, so that a password may be sent.
    pub fn is_secure(&self) -> bool {
        matches!(self.transport, Transport::Tls | Transport::Unix)
    }

    /// Whether the connection must be thrown away.
    pub fn is_dead(&self) -> bool {
        self.life == Life::Dead
    }

    /// Says that the connection must be thrown away: a time-out, a lost socket.
    pub fn kill(&mut self) {
        self.life = Life::Dead;
    }

    /// Whether result sets end with an OK packet instead of an EOF packet, and come without an EOF behind the columns.
    pub fn deprecates_eof(&self) -> bool {
        self.capabilities.contains(Capabilities::CLIENT_DEPRECATE_EOF)
    }

    pub(crate) fn begin(&mut self) -> Result<()> {
        match self.life {
            Life::Idle => {
                self.life = Life::Busy;
                Ok(())
            }
            Life::Busy => {
                self.kill();
                Err(unusable("its last use was interrupted"))
            }
            Life::Dead => Err(unusable("it was given up after an error")),
        }
    }

    pub(crate) fn check_busy(&self) -> Result<()> {
        match self.life {
            Life::Busy => Ok(()),
            Life::Idle => Err(Error::config("`begin` must be called before a conversation advances").fatal()),
            Life::Dead => Err(unusable("it was given up after an error")),
        }
    }

    pub(crate) fn end(&mut self) {
        if self.life == Life::Busy {
            self.life = Life::Idle;
        }
    }
}

fn unusable(why: &str) -> Error {
    Error::new(Kind::Io, format!("this connection cannot be used any more: {why}")).with_hint("open a new connection")
}
