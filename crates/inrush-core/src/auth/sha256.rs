//! sha256_password: the password itself, unchanged over TLS. Otherwise the client sends 01, gets the server's RSA key in PEM, and
//! sends the password encrypted for it. This plugin treats a Unix socket like TCP: the server tries to decrypt.

use crate::auth::{Context, Plugin, ServerKey, clear_password, encrypted_password, exactly, out_of_turn, plain_tcp};
use crate::error::Result;

/// One run.
#[derive(Default)]
pub struct Sha256 {
    nonce: [u8; 20],
    expects_key: bool,
}

impl Plugin for Sha256 {
    fn start(&mut self, nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
        self.nonce = *exactly(nonce)?;
        if with.password.is_empty() {
            return Ok(vec![0x00]);
        }
        if with.tls {
            return clear_password(with);
        }
        match with.server_key {
            ServerKey::Request => {
                self.expects_key = true;
                Ok(vec![0x01])
            }
            ServerKey::Known(pem) => encrypted_password(&self.nonce, pem, with),
            ServerKey::Refuse => Err(plain_tcp()),
        }
    }

    fn answer(&mut self, data: &[u8], with: &mut Context<'_>) -> Result<Option<Vec<u8>>> {
        match std::mem::take(&mut self.expects_key) {
            true => encrypted_password(&self.nonce, data, with).map(Some),
            false => Err(out_of_turn()),
        }
    }
}
