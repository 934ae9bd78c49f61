//! The middle part of a login and of a change of user: the plugin's exchange, until OK or ERR.

use std::fmt;

use rand::rngs::StdRng;

use crate::auth::{self, Plugin, Secret, ServerKey};
use crate::error::{Error, Result};
use crate::session::{Outcome, Session, Transport, reply};
use crate::wire::{AuthPacket, OkPacket, Outbox};

/// An account, and the allowed methods to prove its password.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    /// The account's name.
    pub user: String,
    /// The password; empty for none.
    pub password: Secret,
    /// Whether mysql_clear_password is allowed (never over plain TCP, whatever this says).
    pub allow_clear: bool,
    /// Where the RSA key comes from that encrypts the password on plain TCP.
    pub server_key: ServerKey,
}

/// One authentication in progress.
pub(crate) struct Authentication {
    credentials: Credentials,
    /// `None` until the server has named one.
    plugin: Option<Box<dyn Plugin>>,
    random: StdRng,
    n_packets: usize,
}

impl Authentication {
    /// Starts with the plugin and nonce that the session knows; returns the first answer. Where that plugin is unknown or needs a
    /// nonce of its own, the server sends a request to switch.
    pub(crate) fn start(credentials: Credentials, random: StdRng, session: &mut Session) -> Result<(Self, Vec<u8>)> {
        let mut this = Self { plugin: None, credentials, random, n_packets: 0 };
        let mut answer = Vec::new();
        if auth::starts_from(&session.auth_plugin, &session.nonce) {
            let plugin = this.plugin.insert(auth::plugin(&session.auth_plugin)?);
            answer = plugin.start(&session.nonce, &mut context(&this.credentials, &mut this.random, session))?;
        } else {
            session.auth_plugin = ASK.to_vec();
        }
        Ok((this, answer))
    }

    /// Handles one packet; returns `Some` when the server has accepted the login.
    pub(crate) fn receive(
        &mut self,
        packet: &[u8],
        session: &mut Session,
        out: &mut Outbox,
    ) -> Result<Option<Outcome>> {
        self.n_packets += 1;
        if self.n_packets > MAX_PACKETS {
            return Err(Error::protocol("the server does not come to an end of the authentication"));
        }
        match AuthPacket::parse(packet)? {
            AuthPacket::Ok => {
                let ok = OkPacket::parse(packet, session.capabilities())?;
                return Ok(Some(reply::accept(ok, session)?));
            }
            // A refused client is not logged in: the session cannot continue.
            AuthPacket::Err => return Err(reply::unexpected(packet, session).fatal()),
            AuthPacket::NextFactor => {
                return Err(Error::config("this account needs a second factor, which inrush does not know")
                    .fatal()
                    .with_hint("use an account with one factor"));
            }
            AuthPacket::Switch { plugin, nonce } => {
                (session.auth_plugin, session.nonce) = (plugin.to_vec(), nonce.to_vec());
                let plugin = self.plugin.insert(auth::plugin(plugin)?);
                let answer = plugin.start(nonce, &mut context(&self.credentials, &mut self.random, session))?;
                out.packet(|out| out.extend_from_slice(&answer));
            }
            AuthPacket::More(data) => {
                let Some(plugin) = &mut self.plugin else {
                    return Err(reply::unexpected(packet, session));
                };
                let with = &mut context(&self.credentials, &mut self.random, session);
                if let Some(answer) = plugin.answer(data, with)? {
                    out.packet(|out| out.extend_from_slice(&answer));
                }
            }
        }
        Ok(None)
    }
}

impl fmt::Debug for Authentication {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Authentication").field("credentials", &self.credentials).finish_non_exhaustive()
    }
}

fn context<'a>(credentials: &'a Credentials, random: &'a mut StdRng, session: &Session) -> auth::Context<'a> {
    auth::Context {
        password: &credentials.password,
        secure: session.is_secure(),
        tls: session.transport() == Transport::Tls,
        allow_clear: credentials.allow_clear,
        server_key: &credentials.server_key,
        random,
    }
}

/// A plugin no account has, so that the server names the right one and sends a nonce for it.
const ASK: &[u8] = b"inrush_asks_which";
/// The longest honest exchange has six: two switches, and two packets for each plugin.
const MAX_PACKETS: usize = 16;
