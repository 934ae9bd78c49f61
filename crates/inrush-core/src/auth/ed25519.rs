//! client_ed25519 (MariaDB): signs the nonce with a key made from the password.

use mysql_common::auth::plugins::client_ed25519::ClientEd25519;
use mysql_common::auth::plugins::{self, ChallengeResponsePlugin, Response};

use crate::auth::{Context, Plugin, Secret, exactly, out_of_turn};
use crate::error::Result;

/// One run.
pub struct Ed25519;

impl Plugin for Ed25519 {
    fn start(&mut self, nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
        let nonce = exactly::<32>(nonce)?;
        match ClientEd25519::default().run(Password(with.password), nonce) {
            Ok(Response::Last { packet: Some(signature) }) => Ok(signature),
            _ => Err(out_of_turn()),
        }
    }
}

/// All that the plugin asks for.
struct Password<'a>(&'a Secret);

impl plugins::Context for Password<'_> {
    fn pass(&self) -> &[u8] {
        self.0.expose()
    }

    fn is_ipc_transport(&self) -> bool {
        false
    }

    fn is_tls_transport(&self) -> bool {
        false
    }

    fn scramble(&self) -> &[u8] {
        &[]
    }

    fn server_key_pem(&self) -> Option<&[u8]> {
        None
    }
}
