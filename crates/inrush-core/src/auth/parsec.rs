//! parsec (MariaDB 11.6 and later): a salted, slow key from the password signs both sides' nonces.
//!
//! ```text
//! server  32 bytes of nonce
//! client  (nothing)
//! server  "P", factor, 18 bytes of salt
//! client  32 bytes of its own nonce, 64 bytes of Ed25519 signature over both nonces;
//!         the key's seed is PBKDF2-HMAC-SHA512(password, salt, 1024 << factor rounds)
//! ```

use ed25519_dalek::{Signer, SigningKey};
use rand::Rng;
use sha2::Sha512;

use crate::auth::{Context, Plugin, exactly};
use crate::error::{Error, Result};

/// One run.
#[derive(Default)]
pub struct Parsec {
    nonce: Option<[u8; 32]>,
}

impl Plugin for Parsec {
    fn start(&mut self, nonce: &[u8], _with: &mut Context<'_>) -> Result<Vec<u8>> {
        self.nonce = Some(*exactly(nonce)?);
        Ok(Vec::new())
    }

    fn answer(&mut self, data: &[u8], with: &mut Context<'_>) -> Result<Option<Vec<u8>>> {
        let (Some(server_nonce), [b'P', factor @ 0..=MAX_FACTOR, salt @ ..]) = (self.nonce.take(), data) else {
            return Err(Error::protocol("the server's salt for parsec has a form that inrush does not know"));
        };
        let mut own_nonce = [0; 32];
        with.random.fill_bytes(&mut own_nonce);
        Ok(Some(respond(with.password.expose(), &server_nonce, &own_nonce, *factor, salt)))
    }
}

fn respond(password: &[u8], server_nonce: &[u8; 32], own_nonce: &[u8; 32], factor: u8, salt: &[u8]) -> Vec<u8> {
    let mut seed = [0; 32];
    pbkdf2::pbkdf2_hmac::<Sha512>(password, salt, 1024 << factor, &mut seed);
    let signature = SigningKey::from_bytes(&seed).sign(&[*server_nonce, *own_nonce].concat());
    [&own_nonce[..], &signature.to_bytes()].concat()
}

/// 262,144 rounds, a fraction of a second: a server must not keep us busy for longer. Servers allow 0 to 3.
const MAX_FACTOR: u8 = 8;
