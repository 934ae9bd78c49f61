//! How a connection is encrypted, and the words for it.

use crate::{Error, Result};
use std::str::FromStr;

/// How a connection is encrypted and how far the server's certificate is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TlsMode {
    /// Never encrypted.
    Disabled,
    /// Encrypted if the server offers it, without a check of the server's identity; not on Unix sockets. A handshake that fails is an error.
    Preferred,
    /// Encrypted, without a check of the server's identity.
    Required,
    /// Encrypted, and a trusted authority signed the server's certificate, whatever host it names.
    VerifyCa,
    /// Encrypted, and a trusted authority signed the server's certificate for this very host.
    VerifyFull,
}

impl FromStr for TlsMode {
    type Err = Error;

    /// Our words, and those of the mysql client's `--ssl-mode`, in any case, with `-` or `_`.
    fn from_str(word: &str) -> Result<Self> {
        match word.to_ascii_lowercase().replace('_', "-").as_str() {
            "disabled" => Ok(Self::Disabled),
            "preferred" => Ok(Self::Preferred),
            "required" => Ok(Self::Required),
            "verify-ca" => Ok(Self::VerifyCa),
            "verify-full" | "verify-identity" => Ok(Self::VerifyFull),
            _ => Err(Error::config(format!("`{word}` is not a TLS mode"))
                .with_hint("one of disabled, preferred, required, verify-ca, verify-full")),
        }
    }
}
