//! mysql_native_password: SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))).

use sha1::{Digest, Sha1};

use crate::auth::{Context, Plugin, exactly, xor};
use crate::error::Result;

/// One run.
pub struct Native;

impl Plugin for Native {
    fn start(&mut self, nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
        let nonce = exactly::<20>(nonce)?;
        if with.password.is_empty() {
            return Ok(Vec::new());
        }
        let once = Sha1::digest(with.password.expose());
        let twice = Sha1::digest(once);
        let salted = Sha1::new().chain_update(nonce).chain_update(twice).finalize();
        Ok(xor(&once, &salted))
    }
}
