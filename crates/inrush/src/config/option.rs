//! Applies a named option to a [`Config`]: the one place for URL parameters and lines of option files.
//!
//! A name is ours (`tls-ca`) or the mysql or mariadb client's (`ssl-ca`); `_` and `-` are the same, case does not matter.

use super::{Config, PipelineMode, TlsMode};
use crate::{Error, Result};
use inrush_core::auth::Secret;
use inrush_core::profile::Engine;
use inrush_core::session::ResetPolicy;
use inrush_core::wire::Compression;
use std::time::Duration;

/// Sets the option. `Ok(false)`: no option has this name.
pub(crate) fn set(config: &mut Config, name: &str, value: Option<&str>) -> Result<bool> {
    let name = name.to_ascii_lowercase().replace('_', "-");
    // The clients accept every switch as `skip-NAME` and `disable-NAME` as well.
    let off = name.strip_prefix("skip-").or_else(|| name.strip_prefix("disable-"));
    let (name, value) = match off {
        Some(switch) if SWITCHES.contains(&switch) => (switch, Some("0")),
        _ => (name.as_str(), value),
    };
    let text = || value.ok_or_else(|| Error::config(format!("option `{name}` needs a value")));
    match name {
        "host" => {
            // A socket that is named beside it is still used.
            let socket = config.socket.take();
            *config = std::mem::take(config).with_host_list(text()?)?;
            config.socket = socket;
        }
        "port" => *config = std::mem::take(config).with_port(number(name, text()?)?),
        "host-order" => config.hosts.order = Some(text()?.parse()?),
        "server-role" => config.hosts.role = text()?.parse()?,
        "socket" => config.socket = Some(text()?.into()),
        "user" => config.user = Some(text()?.to_owned()),
        "password" => config.password = value.map(|password| Secret::new(password.to_owned())),
        "database" => config.database = Some(text()?.to_owned()),
        "tls" | "ssl-mode" => config.tls = Some(text()?.parse()?),
        "ssl" => set_ssl(config, switch(name, value)?),
        "ssl-verify-server-cert" => set_verify(config, switch(name, value)?),
        "tls-ca" | "ssl-ca" => config.tls_ca = Some(text()?.into()),
        "tls-cert" | "ssl-cert" => config.tls_cert = Some(text()?.into()),
        "tls-key" | "ssl-key" => config.tls_key = Some(text()?.into()),
        "connect-timeout" => {
            config.connect_timeout = seconds(name, text()?)?
                .ok_or_else(|| Error::config("`connect-timeout` must be more than 0 seconds"))?;
        }
        "read-timeout" => config.read_timeout = seconds(name, text()?)?,
        "write-timeout" => config.write_timeout = seconds(name, text()?)?,
        "kill-on-timeout" => config.kill_on_timeout = switch(name, value)?,
        "query-timeout" => config.query_timeout = seconds(name, text()?)?,
        "compression" | "compression-algorithms" => set_compression(config, text()?)?,
        "engine" => config.engine = Some(engine(text()?)?),
        "compress" => set_compress(config, switch(name, value)?)?,
        "zstd-compression-level" => set_zstd_level(config, number(name, text()?)?)?,
        "pipeline" => config.pipeline = value.map_or(Ok(PipelineMode::On), str::parse)?,
        "keep-alive" => config.keep_alive = seconds(name, text()?)?,
        "allow-cleartext" | "enable-cleartext-plugin" => config.allow_cleartext = switch(name, value)?,
        "get-server-public-key" => config.public_key_retrieval = switch(name, value)?,
        "server-public-key" | "server-public-key-path" => config.public_key = Some(text()?.into()),
        "local-infile" => config.local_infile = switch(name, value)?,
        "multi-statements" => config.multi_statements = switch(name, value)?,
        "max-allowed-packet" => config.max_packet = bytes(name, text()?)?,
        "statement-cache" => config.statement_cache = number(name, text()?)?,
        "log-text" | "log-slower-than" if !cfg!(feature = "tracing") => {
            return Err(Error::config(format!(
                "`{name}` needs inrush's feature `tracing`, which this program is built without"
            )));
        }
        "log-text" => config.log_text = switch(name, value)?,
        "log-slower-than" => config.log_slower_than = seconds(name, text()?)?,
        "time-zone" => *config = std::mem::take(config).with_time_zone(text()?)?,
        "program-name" => config.attributes.push(("program_name".to_owned(), text()?.to_owned())),
        _ => return set_pool(config, name, value),
    }
    Ok(true)
}

/// The names to offer for a name that does not exist.
pub(crate) const KNOWN: &str = "tls, tls-ca, tls-cert, tls-key, socket, host-order, server-role, connect-timeout, read-timeout, write-timeout, query-timeout, kill-on-timeout, keep-alive, \
     engine, compression, pipeline, allow-cleartext, get-server-public-key, server-public-key, local-infile, multi-statements, max-allowed-packet, statement-cache, time-zone, log-text, log-slower-than, program-name, \
     pool-min, pool-max, pool-idle-timeout, pool-max-lifetime, pool-acquire-timeout, pool-check-after, pool-reset";

/// Sets an option of the pool. A time of 0 stands for never, but for `pool-check-after`, where it is each time.
fn set_pool(config: &mut Config, name: &str, value: Option<&str>) -> Result<bool> {
    let Some(option) = name.strip_prefix("pool-") else { return Ok(false) };
    let text = || value.ok_or_else(|| Error::config(format!("option `{name}` needs a value")));
    let pool = &mut config.pool;
    match option {
        "min" => pool.min = number(name, text()?)?,
        "max" => pool.max = number(name, text()?)?,
        "idle-timeout" => pool.idle_timeout = seconds(name, text()?)?,
        "max-lifetime" => pool.max_lifetime = seconds(name, text()?)?,
        "acquire-timeout" => pool.acquire_timeout = seconds(name, text()?)?,
        "check-after" if text()? == "never" => pool.check_after = None,
        "check-after" => pool.check_after = Some(seconds(name, text()?)?.unwrap_or_default()),
        "reset" => pool.reset = reset_policy(text()?)?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn reset_policy(word: &str) -> Result<ResetPolicy> {
    match word.to_ascii_lowercase().as_str() {
        "when-changed" => Ok(ResetPolicy::WhenChanged),
        "always" => Ok(ResetPolicy::Always),
        "never" => Ok(ResetPolicy::Never),
        _ => Err(Error::config(format!("`{word}` does not say when to reset a session"))
            .with_hint("one of when-changed, always, never")),
    }
}

const SWITCHES: &[&str] = &[
    "compress",
    "kill-on-timeout",
    "ssl",
    "ssl-verify-server-cert",
    "allow-cleartext",
    "enable-cleartext-plugin",
    "get-server-public-key",
    "local-infile",
    "multi-statements",
    "log-text",
];

/// MariaDB's `ssl`: on means required, as does naming a stricter mode; off means none.
fn set_ssl(config: &mut Config, on: bool) {
    match (on, config.tls) {
        (false, _) => config.tls = Some(TlsMode::Disabled),
        (true, Some(TlsMode::VerifyCa | TlsMode::VerifyFull)) => {}
        (true, _) => config.tls = Some(TlsMode::Required),
    }
}

/// MariaDB's `ssl-verify-server-cert`: on means chain and host name; off removes a verification.
fn set_verify(config: &mut Config, on: bool) {
    match (on, config.tls) {
        (true, _) => config.tls = Some(TlsMode::VerifyFull),
        (false, Some(TlsMode::VerifyCa | TlsMode::VerifyFull)) => config.tls = Some(TlsMode::Required),
        (false, None) if config.tls_ca.is_some() => config.tls = Some(TlsMode::Required),
        (false, _) => {}
    }
}

fn engine(name: &str) -> Result<Engine> {
    Engine::named(name).ok_or_else(|| {
        Error::config(format!("unknown engine `{name}`")).with_hint(format!("one of {}", Engine::names()))
    })
}

/// The algorithms, in the order of preference.
fn set_compression(config: &mut Config, list: &str) -> Result<()> {
    let parsed: Vec<Compression> = list.split(',').map(str::parse).collect::<Result<_>>()?;
    let without_level = |one: &str| one.trim().eq_ignore_ascii_case("zstd");
    config.compression = parsed
        .into_iter()
        .zip(list.split(','))
        .map(|(one, text)| match config.zstd_level {
            Some(level) if without_level(text) => Compression::Zstd(level),
            _ => one,
        })
        .collect();
    Ok(())
}

/// The mysql client's old `compress`: any algorithm that the server has, and none is accepted too.
fn set_compress(config: &mut Config, on: bool) -> Result<()> {
    let zstd = config.zstd_level.map_or(Compression::ZSTD, Compression::Zstd);
    config.compression = if on { vec![Compression::ZLIB, zstd, Compression::None] } else { Vec::new() };
    config.compression.iter().try_for_each(|one| one.check())
}

/// The mysql client names algorithm and level separately, in any order.
fn set_zstd_level(config: &mut Config, level: u8) -> Result<()> {
    Compression::Zstd(level).check()?;
    config.zstd_level = Some(level);
    for one in &mut config.compression {
        if let Compression::Zstd(old) = one {
            *old = level;
        }
    }
    Ok(())
}

/// A switch without a value is on.
pub(super) fn switch(name: &str, value: Option<&str>) -> Result<bool> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        None | Some("1" | "on" | "true" | "yes") => Ok(true),
        Some("0" | "off" | "false" | "no") => Ok(false),
        Some(other) => Err(Error::config(format!("option `{name}` is a switch, not `{other}`"))
            .with_hint("write 1, on, true or yes; or 0, off, false or no")),
    }
}

pub(super) fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T> {
    text.parse().map_err(|_| Error::config(format!("option `{name}`: `{text}` is not a number that fits")))
}

/// Seconds, with or without a fraction; 0 stands for no limit.
pub(super) fn seconds(name: &str, text: &str) -> Result<Option<Duration>> {
    let seconds: f64 = number(name, text)?;
    let limit = Duration::try_from_secs_f64(seconds)
        .map_err(|_| Error::config(format!("option `{name}`: `{text}` is not a number of seconds")))?;
    Ok((!limit.is_zero()).then_some(limit))
}

/// Bytes, with K, M or G after the number as in the server's option files.
fn bytes(name: &str, text: &str) -> Result<usize> {
    let (digits, shift) = match text.as_bytes().last().map(u8::to_ascii_uppercase) {
        Some(b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    number::<usize>(name, digits)?
        .checked_mul(1 << shift)
        .ok_or_else(|| Error::config(format!("option `{name}`: `{text}` is too large")))
}

#[cfg(test)]
mod tests;
