//! Connection URLs.
//!
//! ```text
//! mysql://user:password@host:port/database?name=value&name=value        (mariadb:// is the same)
//! ```
//! JDBC's `jdbc:mysql://host:port/database?user=name&password=secret` is understood too, with JDBC's names for the parameters.
//!
//! Several hosts are separated by commas: `mysql://ann@db1,db2:3307/shop`; `host-order` (`in-order`, `round-robin`) and `server-role` (`any`, `writable`, `read-only`)
//! say which of them is taken.
//!
//! Every part but the scheme may be missing. User, password, host, database and values are percent-decoded; an IPv6 address
//! stands in brackets. The parameters: `tls` (`disabled`, `preferred`, `required`, `verify-ca`, `verify-full`), `tls-ca`,
//! `tls-cert`, `tls-key` (PEM files), `socket`, `connect-timeout`, `read-timeout`, `write-timeout`, `query-timeout`, `keep-alive` (seconds), `kill-on-timeout`,
//! `pipeline` (`auto`, `on`, `off`),
//! `pool-min`, `pool-max`, `pool-acquire-timeout`, `pool-idle-timeout`, `pool-max-lifetime`, `pool-check-after`, `pool-reset`,
//! `allow-cleartext`, `get-server-public-key`, `local-infile` (switches), `server-public-key` (PEM file),
//! `max-allowed-packet` (bytes), `program-name`. The mysql client's names (`ssl-mode`, `ssl-ca` ..) are understood as well. An unknown parameter is an error.

use crate::config::{Config, HostOrder, JDBC, KNOWN, is_password, nearest, set, set_foreign, split_port};
use crate::{Error, Result};
use inrush_core::auth::Secret;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// Sets in `config` the options of `url`.
pub(crate) fn apply(url: &str, config: &mut Config) -> Result<()> {
    let Url { rest, is_jdbc, order } = scheme(url)?;
    config.hosts.order = order.or(config.hosts.order);
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
        // A list of hosts with the account before another one than the first (`a,user:pw@b`, `a:3306,user:pw@b`), or before each of them.
        let is_list = |password: &str| {
            let port = password.split_once(',').map(|(port, _)| port);
            port.is_some_and(|port| port.parse::<u16>().is_ok() || password.contains('@'))
        };
        if user.contains(',') || password.is_some_and(is_list) {
            return Err(malformed("user and password stand once, before the first of several hosts").with_hint(
                "`mysql://user@db1,db2/database`; a `,` or `@` of a name or a password is written as `%2C`, `%40`",
            ));
        }
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
    // A password with an unescaped `?` or `&` continues as parameters: then nothing of them is shown.
    let mut is_doubtful = parameters.contains('@');
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        apply_parameter(parameter, is_jdbc, config).map_err(|e| if is_doubtful { hidden(&e) } else { e })?;
        is_doubtful |= is_jdbc && parameter.split('=').next().is_some_and(|name| is_password(JDBC, name));
    }
    Ok(())
}

/// The part after the scheme.
struct Url<'a> {
    rest: &'a str,
    is_jdbc: bool,
    order: Option<HostOrder>,
}

fn scheme(url: &str) -> Result<Url<'_>> {
    let (scheme, rest) = url.trim().split_once("://").ok_or_else(|| malformed("it does not begin with `mysql://`"))?;
    let scheme = scheme.to_ascii_lowercase();
    match scheme.as_str() {
        "mysql" | "mariadb" => Ok(Url { rest, is_jdbc: false, order: None }),
        "jdbc:mysql" | "jdbc:mariadb" | "jdbc:mariadb:sequential" => Ok(Url { rest, is_jdbc: true, order: None }),
        "jdbc:mysql:loadbalance" | "jdbc:mariadb:loadbalance" => {
            Ok(Url { rest, is_jdbc: true, order: Some(HostOrder::RoundRobin) })
        }
        "jdbc:mysql:replication" | "jdbc:mariadb:replication" => {
            Err(malformed("statements are not routed to replicas")
                .with_hint("name the source alone, or all servers with `server-role` as `writable` or `read-only`"))
        }
        _ if scheme.starts_with("jdbc:") => {
            Err(malformed("of JDBC's only `jdbc:mysql://` and `jdbc:mariadb://` are known"))
        }
        _ => Err(malformed("its scheme is neither `mysql` nor `mariadb`")),
    }
}

fn apply_address(address: &str, config: &mut Config) -> Result<()> {
    let mut hosts = Vec::new();
    if address.contains('(') || address.contains('=') {
        return Err(malformed("hosts are written as `db1,db2:3307`; no other form is known"));
    }
    for item in address.split(',').map(str::trim) {
        if !item.starts_with('[') && item.matches(':').count() > 1 {
            return Err(malformed("an IPv6 address must stand in brackets, as in `[::1]`"));
        }
        let (host, port) = split_port(item).map_err(|error| malformed(error.message()))?;
        hosts.push((decode(host)?, port));
    }
    match hosts.as_slice() {
        // What is not named stays as it was.
        [(host, port)] => {
            if !host.is_empty() {
                // A host named here overrides a socket named elsewhere; `?socket=` overrides the host again.
                *config = std::mem::take(config).with_host(host);
            }
            if let Some(port) = *port {
                *config = std::mem::take(config).with_port(port);
            }
        }
        several if several.iter().any(|(host, _)| host.is_empty()) => {
            return Err(malformed("one of several hosts has no name"));
        }
        _ => {
            config.set_hosts(hosts.into_iter());
        }
    }
    Ok(())
}

fn apply_parameter(parameter: &str, is_jdbc: bool, config: &mut Config) -> Result<()> {
    let (name, value) = parameter.split_once('=').map_or((parameter, None), |(name, value)| (name, Some(value)));
    let (name, value) = (decode(name)?, value.map(decode).transpose()?);
    let known = match name.as_str() {
        _ if is_jdbc => set_foreign(config, JDBC, &name, value.as_deref())?,
        // Those have their own place in a URL; a second one would be ambiguous.
        "host" | "port" | "user" | "password" | "database" => false,
        _ => set(config, &name, value.as_deref())?,
    };
    if known {
        return Ok(());
    }
    let hint = match is_jdbc {
        true => format!("the nearest is `{}`", nearest(JDBC, &name)),
        false => format!("known are {KNOWN}"),
    };
    Err(Error::config(format!("unknown parameter `{name}` in the connection URL")).with_hint(hint))
}

/// Percent-decoding. A `+` is a plus: this is not a form.
fn decode(text: &str) -> Result<String> {
    let is_whole =
        |(at, _)| text.as_bytes()[at + 1..].iter().take(2).filter(|byte| byte.is_ascii_hexdigit()).count() == 2;
    if !text.match_indices('%').all(is_whole) {
        return Err(malformed("a `%` without two hexadecimal digits; write `%25` for `%` itself"));
    }
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Cow::into_owned).map_err(|_| malformed("a part of it is not valid UTF-8"))
}

/// An error of a parameter's, without its name and value.
fn hidden(error: &Error) -> Error {
    let hint = error.hint().unwrap_or("`?`, `&` and `@` in a password are written as `%3F`, `%26` and `%40`");
    Error::config("a parameter in the connection URL is unknown, or has a value that cannot be used")
        .with_hint(hint.to_owned())
}

/// Never shows the URL: it may hold a password.
fn malformed(why: &str) -> Error {
    Error::config(format!("the connection URL cannot be read: {why}"))
        .with_hint("it looks like `mysql://user@host:3306/database?tls=verify-full`")
}

#[cfg(test)]
mod tests;
