//! caching_sha2_password.
//!
//! ```text
//! client  XOR(SHA256(password), SHA256(SHA256(SHA256(password)) + nonce))
//! server  03: it remembers the account, and the scramble fits; OK follows
//!         04: it does not remember; the client sends
//!             over TLS or a Unix socket: password 00
//!             else 02, gets the server's RSA key in PEM, and sends the password encrypted for it
//! ```

use sha2::{Digest, Sha256};

use crate::auth::{
    Context, Plugin, ServerKey, clear_password, encrypted_password, exactly, out_of_turn, plain_tcp, xor,
};
use crate::error::Result;

/// One run.
#[derive(Default)]
pub struct CachingSha2 {
    nonce: [u8; 20],
    state: State,
}

#[derive(Default, PartialEq, Eq)]
enum State {
    #[default]
    ExpectVerdict,
    ExpectKey,
    Spent,
}

impl Plugin for CachingSha2 {
    fn start(&mut self, nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
        self.nonce = *exactly(nonce)?;
        if with.password.is_empty() {
            return Ok(Vec::new());
        }
        let once = Sha256::digest(with.password.expose());
        let twice = Sha256::digest(once);
        let salted = Sha256::new().chain_update(twice).chain_update(self.nonce).finalize();
        Ok(xor(&once, &salted))
    }

    fn answer(&mut self, data: &[u8], with: &mut Context<'_>) -> Result<Option<Vec<u8>>> {
        // Without a password the server has nothing to request; a server that requests something gets nothing.
        let state = std::mem::replace(&mut self.state, State::Spent);
        if with.password.is_empty() {
            return Err(out_of_turn());
        }
        match (state, data) {
            (State::ExpectVerdict, [0x03]) => Ok(None),
            (State::ExpectVerdict, [0x04]) if with.secure => clear_password(with).map(Some),
            (State::ExpectVerdict, [0x04]) => match with.server_key {
                ServerKey::Request => {
                    self.state = State::ExpectKey;
                    Ok(Some(vec![0x02]))
                }
                ServerKey::Known(pem) => encrypted_password(&self.nonce, pem, with).map(Some),
                ServerKey::Refuse => Err(plain_tcp()),
            },
            (State::ExpectKey, pem) => encrypted_password(&self.nonce, pem, with).map(Some),
            _ => Err(out_of_turn()),
        }
    }
}
