//! COM_CHANGE_USER: another account on the same connection; everything else is as after login.

use rand::SeedableRng;
use rand::rngs::StdRng;

use crate::error::{Error, Result};
use crate::session::authenticate::{Authentication, Credentials};
use crate::session::{Conversation, Outcome, Session, Step, reply};
use crate::wire::{LoginPacket, Outbox};

/// A change of user.
#[derive(Debug)]
pub struct ChangeUser {
    credentials: Credentials,
    database: Option<String>,
    attributes: Vec<(String, String)>,
    random: StdRng,
    state: Option<Authentication>,
}

impl ChangeUser {
    /// As at login; `entropy` is fresh randomness.
    pub fn new(
        credentials: Credentials,
        database: Option<String>,
        attributes: Vec<(String, String)>,
        entropy: [u8; 32],
    ) -> Self {
        Self { credentials, database, attributes, random: StdRng::from_seed(entropy), state: None }
    }
}

impl Conversation for ChangeUser {
    type Output = Outcome;

    fn send(&mut self, session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        if self.state.is_some() {
            return Ok(Step::More);
        }
        let (authentication, answer) =
            Authentication::start(self.credentials.clone(), StdRng::from_rng(&mut self.random), session)?;
        if answer.len() > 255 {
            return Err(Error::config("the password is too long to change user").fatal());
        }
        let packet = LoginPacket {
            capabilities: session.capabilities,
            mariadb_capabilities: session.mariadb_capabilities,
            user: self.credentials.user.as_bytes(),
            auth: &answer,
            plugin: &session.auth_plugin,
            database: self.database.as_deref().unwrap_or_default().as_bytes(),
            attributes: &self.attributes,
            compression: session.compression,
        };
        out.command(|out| packet.put_change_user(out));
        self.state = Some(authentication);
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], session: &mut Session, out: &mut Outbox) -> Result<Step<Outcome>> {
        let Some(authentication) = &mut self.state else {
            return Err(reply::unexpected(packet, session).fatal());
        };
        Ok(match authentication.receive(packet, session, out)? {
            Some(outcome) => {
                session.schema = self.database.take();
                session.statements.clear();
                session.owes_autocommit = false;
                session.set_zone(None);
                Step::Done(outcome)
            }
            None => Step::More,
        })
    }
}
