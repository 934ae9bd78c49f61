//! Connection URLs.
//!
//! ```text
//! mysql://user:password@host:port/database?name=value&name=value        (mariadb:// is the same)
//! ```
//! Every part but the scheme may be missing. User, password, host, database and values are percent-decoded; an IPv6 address
//! stands in brackets. The parameters: `tls` (`disabled`, `preferred`, `required`, `verify-ca`, `verify-full`), `tls-ca`,
//! `tls-cert`, `tls-key` (PEM files), `socket`, `connect-timeout`, `read-timeout`, `write-timeout`, `query-timeout`, `keep-alive` (seconds), `kill-on-timeout`,
//! `pipeline` (`auto`, `on`, `off`),
//! `allow-cleartext`, `get-server-public-key`, `local-infile` (switches), `server-public-key` (PEM file),
//! `max-allowed-packet` (bytes), `program-name`. The mysql client's names (`ssl-mode`, `ssl-ca` ..) are understood as well. An unknown parameter is an error.

use crate::config::{Config, KNOWN, set};
use crate::{Error, Result};
use inrush_core::auth::Secret;

/// Sets in `config` what `url` mentions.
pub(crate) fn apply(url: &str, config: &mut Config) -> Result<()> {
    let rest = scheme(url)?;
    let (rest, parameters) = rest.split_once('?').unwrap_or((rest, ""));
    if rest.contains('#') || parameters.contains('#') {
        return Err(malformed("a `#` must be written as `%23`"));
    }
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    // The last @: an unescaped one inside a password is a common mistake with only one reading.
    let (account, address) = match authority.rsplit_once('@') {
        Some((account, address)) => (Some(account), address),
        None => (None, authority),
    };
    if let Some(account) = account {
        let (user, password) = account.split_once(':').map_or((account, None), |(u, p)| (u, Some(p)));
        if !user.is_empty() {
            config.user = Some(decode(user)?);
        }
        if let Some(password) = password {
            config.password = Some(Secret::new(decode(password)?));
        }
    }
    apply_address(address, config)?;
    if !path.is_empty() {
        if path.contains('/') {
            return Err(malformed("more than one `/` behind the host"));
        }
        config.database = Some(decode(path)?);
    }
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        apply_parameter(parameter, config)?;
    }
    Ok(())
}

fn scheme(url: &str) -> Result<&str> {
    let (scheme, rest) = url.split_once("://").ok_or_else(|| malformed("it does not begin with `mysql://`"))?;
    match scheme.to_ascii_lowercase().as_str() {
        "mysql" | "mariadb" => Ok(rest),
        _ => Err(malformed("its scheme is neither `mysql` nor `mariadb`")),
    }
}

fn apply_address(address: &str, config: &mut Config) -> Result<()> {
    let (host, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (host, behind) = rest.split_once(']').ok_or_else(|| malformed("a `[` without its `]`"))?;
            match behind.strip_prefix(':') {
                _ if behind.is_empty() => (host, None),
                Some(port) => (host, Some(port)),
                None => return Err(malformed("something other than `:port` behind `]`")),
            }
        }
        None => match address.split_once(':') {
            Some((host, port)) if !port.contains(':') => (host, Some(port)),
            Some(_) => return Err(malformed("an IPv6 address must stand in brackets, as in `[::1]`")),
            None => (address, None),
        },
    };
    if !host.is_empty() {
        config.host = decode(host)?;
        // A host named here beats a socket named elsewhere; `?socket=` beats the host again.
        config.socket = None;
    }
    if let Some(port) = port.filter(|port| !port.is_empty()) {
        config.port = port.parse().map_err(|_| malformed("its port is not a number from 0 to 65535"))?;
    }
    Ok(())
}

fn apply_parameter(parameter: &str, config: &mut Config) -> Result<()> {
    let (name, value) = parameter.split_once('=').map_or((parameter, None), |(name, value)| (name, Some(value)));
    let (name, value) = (decode(name)?, value.map(decode).transpose()?);
    // Those have their own place in a URL; a second one would be a riddle.
    let known = match name.as_str() {
        "host" | "port" | "user" | "password" | "database" => false,
        _ => set(config, &name, value.as_deref())?,
    };
    if known {
        return Ok(());
    }
    Err(Error::config(format!("unknown parameter `{name}` in the connection URL"))
        .with_hint(format!("known are {KNOWN}")))
}

/// Percent-decoding. A `+` is a plus: this is not a form.
fn decode(text: &str) -> Result<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = behind.get(..2).and_then(|two| Some(hex(two[0])? << 4 | hex(two[1])?));
        bytes
            .push(digits.ok_or_else(|| malformed("a `%` without two hexadecimal digits; write `%25` for `%` itself"))?);
        rest = &behind[2..];
    }
    String::from_utf8(bytes).map_err(|_| malformed("a part of it is not valid UTF-8"))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).map(|value| value as u8)
}

/// Never shows the URL: it may hold a password.
fn malformed(why: &str) -> Error {
    Error::config(format!("the connection URL cannot be read: {why}"))
        .with_hint("it looks like `mysql://user@host:3306/database?tls=verify-full`")
}

#[cfg(test)]
mod tests;
