//! mysql_clear_password: the password as it is, for accounts that the server checks elsewhere (PAM, LDAP).

use crate::auth::{Context, Plugin, clear_password};
use crate::error::{Error, Kind, Result};

/// One run.
pub struct Clear;

impl Plugin for Clear {
    fn start(&mut self, _nonce: &[u8], with: &mut Context<'_>) -> Result<Vec<u8>> {
        if !with.allow_clear {
            return Err(refused("this connection does not allow it").with_hint(
                "allow it (`allow-cleartext=1` in the URL) if you trust this server with the password itself",
            ));
        }
        if !with.secure {
            return Err(
                refused("that is never sent over plain TCP").with_hint("use TLS (`tls=required`) or a Unix socket")
            );
        }
        clear_password(with)
    }
}

fn refused(why: &str) -> Error {
    Error::new(Kind::Config, format!("the server requires the password in clear text, and {why}")).fatal()
}
