//! client_ed25519 (MariaDB): signs the nonce with a key made from the password.
//!
//! It is Ed25519 (RFC 8032) with one difference: the secret scalar is made from the hash of the password, which may have any
//! length, instead of the hash of a seed of 32 bytes.

use ed25519_dalek::VerifyingKey;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use sha2::{Digest, Sha512};

use crate::auth::{Context, Plugin, exactly};
use crate::error::Result;

/// One run.
pub struct Ed25519;

impl Plugin for Ed25519 {
    fn start(&mut self, nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
        let nonce = exactly::<32>(nonce)?;
        let key = ExpandedSecretKey::from_bytes(&Sha512::digest(with.password.expose()).into());
        // The public key must belong to this secret: with another one the signature would reveal the secret.
        let public = VerifyingKey::from(&key);
        Ok(raw_sign::<Sha512>(&key, nonce, &public).to_bytes().to_vec())
    }
}
