//! mysql_native_password: SHA1(password) XOR SHA1(nonce + SHA1(SHA1(password))).

use mysql_common::auth::plugins::mysql_native_password::scramble_native;

use crate::auth::{Context, Plugin, exactly};
use crate::error::Result;

/// One run.
pub struct Native;

impl Plugin for Native {
    fn start(&mut self, nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
        let scramble = scramble_native(exactly::<20>(nonce)?, with.password.expose());
        Ok(scramble.map(Vec::from).unwrap_or_default())
    }
}
