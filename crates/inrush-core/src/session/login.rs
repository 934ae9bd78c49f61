//! Login: from the first packet of a fresh connection to an idle session.
//!
//! ```text
//! server  greeting
//! client  SSLRequest, then the TLS handshake                if wanted
//! client  HandshakeResponse41 with the plugin's first answer
//! server  switch plugin, more data ..                       the plugin's exchange
//! server  OK or ERR
//! ```

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::error::{Error, Kind, Result};
use crate::profile::{Engine, Profile};
use crate::session::authenticate::{Authentication, Credentials};
use crate::session::{Conversation, Outcome, Session, Step, Transport, reply};
use crate::wire::{Capabilities, Compression, Greeting, LoginPacket, MariaDbCapabilities, Outbox, ServerVersion};

/// The options of a login.
#[derive(Clone, Debug, Default)]
pub struct LoginOptions {
    /// Who.
    pub credentials: Credentials,
    /// The default schema.
    pub database: Option<String>,
    /// Whether to wrap the socket in TLS.
    pub tls: TlsWish,
    /// Whether LOAD DATA LOCAL will be used. Content is sent by [`crate::session::infile`] only, whatever the server requests.
    pub local_files: bool,
    /// Whether affected counts of UPDATE are rows matched instead of rows changed.
    pub found_rows: bool,
    /// Whether one query may hold several statements.
    pub multi_statements: bool,
    /// The compressions to use, the first that the server offers; empty for none.
    pub compression: Vec<Compression>,
    /// The engine of the server, whatever its greeting says.
    pub engine: Option<Engine>,
    /// Name and value of connection attributes, as performance_schema shows them.
    pub attributes: Vec<(String, String)>,
}

/// Whether to wrap the socket in TLS. The shell checks the certificate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TlsWish {
    /// Never.
    Avoid,
    /// If the server offers it, and the socket is not one that only this machine can read.
    #[default]
    Prefer,
    /// Always; otherwise the login fails.
    Require,
}

/// A login. Its output is the server's OK; what was agreed on is in the session.
#[derive(Debug)]
pub struct Login {
    options: LoginOptions,
    random: StdRng,
    state: State,
}

#[derive(Debug)]
enum State {
    ExpectGreeting,
    /// The request is being sent; after that, the shell takes over.
    SslRequested,
    ExpectTls,
    ExpectAuthReply(Box<Authentication>),
    Failed,
}

impl Login {
    /// `entropy` is fresh randomness for nonces and paddings; never use it twice.
    pub fn new(options: LoginOptions, entropy: [u8; 32]) -> Self {
        Self { options, random: StdRng::from_seed(entropy), state: State::ExpectGreeting }
    }

    /// Stores the greeting in the session, and answers it.
    fn greet(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<State> {
        // A server that is full or does not like the address says so in place of a greeting.
        if let [0xFF, ..] = packet {
            return Err(reply::unexpected(packet, session).fatal());
        }
        let greeting = Greeting::parse(packet)?;
        if !greeting.capabilities.contains(Capabilities::CLIENT_PROTOCOL_41) {
            return Err(Error::protocol("the server is older than MySQL 4.1"));
        }
        let offers_tls = greeting.capabilities.contains(Capabilities::CLIENT_SSL);
        let wants_tls = match self.options.tls {
            TlsWish::Avoid => false,
            TlsWish::Prefer => offers_tls && !session.is_secure(),
            TlsWish::Require if !offers_tls => {
                return Err(Error::new(Kind::Config, "the server does not offer TLS, which this connection requires")
                    .fatal()
                    .with_hint("switch TLS on in the server; if it is on, something on the way takes its offer out"));
            }
            TlsWish::Require => true,
        };
        let compression =
            Compression::choose(&self.options.compression, greeting.capabilities).map_err(Error::fatal)?;
        let mut wanted = self.wanted() | compression.capability();
        wanted.set(Capabilities::CLIENT_SSL, wants_tls);
        session.compression = compression;
        session.capabilities = wanted & greeting.capabilities;
        session.mariadb_capabilities = MARIADB_WANTED & greeting.mariadb_capabilities;
        session.version = ServerVersion::parse(&String::from_utf8_lossy(greeting.version));
        if let Some(engine) = self.options.engine {
            engine.rename(&mut session.version);
        }
        session.profile = Profile::of(&session.version).agreed(session.capabilities, session.mariadb_capabilities);
        session.connection_id = greeting.connection_id;
        session.status = greeting.status;
        session.auth_plugin = greeting.plugin.to_vec();
        session.nonce = greeting.nonce;
        if wants_tls {
            let packet = self.packet(session, b"");
            out.packet(|out| packet.put_ssl_request(out));
            return Ok(State::SslRequested);
        }
        self.respond(session, out)
    }

    fn respond(&mut self, session: &mut Session, out: &mut Outbox) -> Result<State> {
        let credentials = self.options.credentials.clone();
        let (authentication, answer) = Authentication::start(credentials, StdRng::from_rng(&mut self.random), session)?;
        if answer.len() > 255 && !session.capabilities.contains(Capabilities::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA) {
            return Err(Error::config("the password is too long for this server").fatal());
        }
        let packet = self.packet(session, &answer);
        out.packet(|out| packet.put_handshake_response(out));
        Ok(State::ExpectAuthReply(Box::new(authentication)))
    }

    fn packet<'a>(&'a self, session: &'a Session, auth: &'a [u8]) -> LoginPacket<'a> {
        LoginPacket {
            capabilities: session.capabilities,
            mariadb_capabilities: session.mariadb_capabilities,
            user: self.options.credentials.user.as_bytes(),
            auth,
            plugin: &session.auth_plugin,
            database: self.options.database.as_deref().unwrap_or_default().as_bytes(),
            attributes: &self.options.attributes,
            compression: session.compression,
        }
    }

    fn wanted(&self) -> Capabilities {
        let mut wanted = WANTED;
        wanted.set(Capabilities::CLIENT_CONNECT_WITH_DB, self.options.database.is_some());
        wanted.set(Capabilities::CLIENT_LOCAL_FILES, self.options.local_files);
        wanted.set(Capabilities::CLIENT_FOUND_ROWS, self.options.found_rows);
        wanted.set(Capabilities::CLIENT_MULTI_STATEMENTS, self.options.multi_statements);
        wanted
    }
}

impl Conversation for Login {
    type Output = Outcome;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        match self.state {
            State::SslRequested => {
                self.state = State::ExpectTls;
                Ok(Step::StartTls)
            }
            State::ExpectTls if session.transport() != Transport::Tls => {
                Err(Error::protocol("the connection was to go on in TLS, and did not"))
            }
            State::ExpectTls => {
                self.state = self.respond(session, out)?;
                Ok(Step::More)
            }
            _ => Ok(Step::More),
        }
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        // A failed step leaves the state `Failed`, so that a broken login cannot continue.
        match std::mem::replace(&mut self.state, State::Failed) {
            State::ExpectGreeting => self.state = self.greet(packet, session, out)?,
            State::ExpectAuthReply(mut authentication) => match authentication.receive(packet, session, out)? {
                Some(outcome) => {
                    session.schema = session.schema.take().or_else(|| self.options.database.clone());
                    return Ok(Step::Done(outcome));
                }
                None => self.state = State::ExpectAuthReply(authentication),
            },
            // What arrives here was not encrypted, and any third party could have inserted it.
            State::SslRequested | State::ExpectTls => {
                return Err(Error::protocol("the server sent more before the TLS handshake"));
            }
            State::Failed => return Err(reply::unexpected(packet, session).fatal()),
        }
        Ok(Step::More)
    }
}

/// The capabilities that are used if a server offers them.
const WANTED: Capabilities = Capabilities::CLIENT_LONG_PASSWORD
    .union(Capabilities::CLIENT_LONG_FLAG)
    .union(Capabilities::CLIENT_PROTOCOL_41)
    .union(Capabilities::CLIENT_TRANSACTIONS)
    .union(Capabilities::CLIENT_SECURE_CONNECTION)
    .union(Capabilities::CLIENT_MULTI_RESULTS)
    .union(Capabilities::CLIENT_PS_MULTI_RESULTS)
    .union(Capabilities::CLIENT_PLUGIN_AUTH)
    .union(Capabilities::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)
    .union(Capabilities::CLIENT_CONNECT_ATTRS)
    .union(Capabilities::CLIENT_SESSION_TRACK)
    .union(Capabilities::CLIENT_DEPRECATE_EOF);

const MARIADB_WANTED: MariaDbCapabilities = MariaDbCapabilities::MARIADB_CLIENT_STMT_BULK_OPERATIONS
    .union(MariaDbCapabilities::MARIADB_CLIENT_BULK_UNIT_RESULTS);
