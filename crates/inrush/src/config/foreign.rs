//! The options of other drivers and what they mean here: those of .NET's connection strings and of JDBC's URLs.
//!
//! Names are compared without regard to case, blanks, `-` and `_`. After a dialect's own names come ours. An option that has no meaning
//! here (how values become objects) is ignored; an option that would make a
//! difference and is not supported (another character set, PKCS#12 files) is an error.

use super::option::{self, KNOWN, switch};
use super::{Config, HostOrder, TlsMode};
use crate::{Error, Result};
use std::time::Duration;

/// The option names of one driver.
pub(crate) type Dialect = &'static [(&'static [&'static str], Meaning)];

/// What an option of another driver means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// The same as one of ours.
    Same(&'static str),
    /// The same as one of ours, which counts in seconds.
    Milliseconds(&'static str),
    /// A host, or the path of a Unix socket.
    Server,
    /// Seconds, 0 for ever.
    ConnectTimeout,
    SslMode,
    /// The order of several hosts.
    LoadBalance,
    /// The opposite of counting rows that were found.
    AffectedRows,
    MultiStatements,
    Protocol,
    /// Ours is utf8mb4, always.
    CharacterSet,
    /// Only `true` has an effect: a mode at least this strict.
    AtLeast(TlsMode),
    /// Nothing here depends on it.
    Nothing,
}

/// Names of .NET: MySqlConnector, Connector/NET.
pub(crate) const ADO: Dialect = &[
    (&["Server", "Host", "Data Source", "Address", "Addr", "Network Address"], Meaning::Server),
    (&["Port"], Meaning::Same("port")),
    (&["User Id", "Username", "Uid", "User"], Meaning::Same("user")),
    (&["Password", "Pwd"], Meaning::Same("password")),
    (&["Database", "Initial Catalog"], Meaning::Same("database")),
    (&["Connection Protocol", "Protocol"], Meaning::Protocol),
    (&["SslMode"], Meaning::SslMode),
    (&["SslCa", "CA Certificate File"], Meaning::Same("tls-ca")),
    (&["SslCert"], Meaning::Same("tls-cert")),
    (&["SslKey"], Meaning::Same("tls-key")),
    (&["ConnectionTimeout", "Connect Timeout"], Meaning::ConnectTimeout),
    (&["CommandTimeout", "DefaultCommandTimeout"], Meaning::Same("query-timeout")),
    (&["Pipelining"], Meaning::Same("pipeline")),
    (&["UseCompression", "Compress"], Meaning::Same("compress")),
    (&["AllowLoadLocalInfile"], Meaning::Same("local-infile")),
    (&["AllowPublicKeyRetrieval"], Meaning::Same("get-server-public-key")),
    (&["ServerRsaPublicKeyFile"], Meaning::Same("server-public-key")),
    (&["Application Name"], Meaning::Same("program-name")),
    (&["MinimumPoolSize", "MinPoolSize"], Meaning::Same("pool-min")),
    (&["MaximumPoolSize", "MaxPoolSize"], Meaning::Same("pool-max")),
    (&["ConnectionLifeTime"], Meaning::Same("pool-max-lifetime")),
    (&["ConnectionIdleTimeout"], Meaning::Same("pool-idle-timeout")),
    (&["LoadBalance"], Meaning::LoadBalance),
    (&["UseAffectedRows"], Meaning::AffectedRows),
    (&["AllowBatch"], Meaning::MultiStatements),
    (&["Character Set", "CharSet"], Meaning::CharacterSet),
    (
        &[
            "Pooling",
            "ConnectionReset",
            "DeferConnectionReset",
            "ConnectionIdlePingTime",
            "DnsCheckInterval",
            "ServerRedirectionMode",
            "PersistSecurityInfo",
            "AllowUserVariables",
            "AllowZeroDateTime",
            "ConvertZeroDateTime",
            "DateTimeKind",
            "GuidFormat",
            "OldGuids",
            "TreatTinyAsBoolean",
            "AutoEnlist",
            "UseXaTransactions",
            "IgnoreCommandTransaction",
            "IgnorePrepare",
            "ForceSynchronous",
            "NoBackslashEscapes",
            "CancellationTimeout",
            "RespectBinaryFlags",
        ],
        Meaning::Nothing,
    ),
];

/// Names of JDBC: Connector/J and MariaDB's driver.
pub(crate) const JDBC: Dialect = &[
    (&["user"], Meaning::Same("user")),
    (&["password"], Meaning::Same("password")),
    (&["sslMode"], Meaning::SslMode),
    (&["useSSL"], Meaning::Same("ssl")),
    (&["requireSSL"], Meaning::AtLeast(TlsMode::Required)),
    (&["verifyServerCertificate"], Meaning::AtLeast(TlsMode::VerifyCa)),
    (&["serverSslCert"], Meaning::Same("tls-ca")),
    (&["localSocket"], Meaning::Same("socket")),
    (&["connectTimeout"], Meaning::Milliseconds("connect-timeout")),
    (&["socketTimeout"], Meaning::Milliseconds("read-timeout")),
    (&["useCompression"], Meaning::Same("compress")),
    (&["allowLoadLocalInfile", "allowLocalInfile"], Meaning::Same("local-infile")),
    (&["allowPublicKeyRetrieval"], Meaning::Same("get-server-public-key")),
    (&["serverRSAPublicKeyFile"], Meaning::Same("server-public-key")),
    (&["allowMultiQueries"], Meaning::MultiStatements),
    (&["useAffectedRows"], Meaning::AffectedRows),
    (&["characterEncoding"], Meaning::CharacterSet),
    (
        &[
            "useUnicode",
            "serverTimezone",
            "connectionTimeZone",
            "rewriteBatchedStatements",
            "useServerPrepStmts",
            "cachePrepStmts",
            "prepStmtCacheSize",
            "prepStmtCacheSqlLimit",
            "useBulkStmts",
            "useBatchMultiSend",
            "useLegacyDatetimeCode",
            "zeroDateTimeBehavior",
            "tinyInt1isBit",
            "autoReconnect",
            "useLocalSessionState",
            "maintainTimeStats",
            "elideSetAutoCommits",
            "cacheResultSetMetadata",
            "cacheServerConfiguration",
            "useCursorFetch",
            "defaultFetchSize",
            "nullCatalogMeansCurrent",
            "tcpKeepAlive",
            "useInformationSchema",
        ],
        Meaning::Nothing,
    ),
];

/// Sets the option, by a name of `dialect` or one of ours. `Ok(false)`: neither has this name.
pub(crate) fn set(config: &mut Config, dialect: Dialect, name: &str, value: Option<&str>) -> Result<bool> {
    let Some(meaning) = find(dialect, name) else {
        return match KNOWN.split(", ").find(|known| bare(known) == bare(name)) {
            Some(known) => option::set(config, known, value),
            None => Ok(false),
        };
    };
    let text = || value.ok_or_else(|| Error::config(format!("option `{name}` needs a value")));
    match meaning {
        Meaning::Same(ours) => return option::set(config, ours, value),
        Meaning::Milliseconds(ours) => {
            let milliseconds: u32 = option::number(name, text()?)?;
            return option::set(config, ours, Some(&format!("{}", f64::from(milliseconds) / 1000.0)));
        }
        Meaning::Server => set_server(config, text()?)?,
        Meaning::LoadBalance => config.hosts.order = Some(load_balance(text()?)?),
        Meaning::ConnectTimeout => {
            config.connect_timeout = option::seconds(name, text()?)?.unwrap_or(Duration::MAX);
        }
        Meaning::SslMode => config.tls = Some(mode(text()?)?),
        Meaning::AffectedRows => config.found_rows = !switch(name, value)?,
        Meaning::MultiStatements => config.multi_statements = switch(name, value)?,
        Meaning::Protocol => protocol(text()?)?,
        Meaning::CharacterSet => character_set(text()?)?,
        Meaning::AtLeast(mode) => {
            if switch(name, value)? && !matches!(config.tls, Some(TlsMode::VerifyCa | TlsMode::VerifyFull)) {
                config.tls = Some(mode);
            }
        }
        Meaning::Nothing => {}
    }
    Ok(true)
}

/// Whether this is the option with the password.
pub(crate) fn is_password(dialect: Dialect, name: &str) -> bool {
    find(dialect, name) == Some(Meaning::Same("password"))
}

/// The known name that takes the fewest changes.
pub(crate) fn nearest(dialect: Dialect, name: &str) -> &'static str {
    let meant = dialect.iter().filter(|(_, meaning)| *meaning != Meaning::Nothing);
    let names = meant.flat_map(|(names, _)| names.iter().copied()).chain(KNOWN.split(", "));
    // No option has a long name, so 40 characters are enough.
    let name: String = bare(name).chars().take(40).collect();
    names.min_by_key(|known| strsim::levenshtein(&bare(known), &name)).unwrap_or_default()
}

fn find(dialect: Dialect, name: &str) -> Option<Meaning> {
    let name = bare(name);
    let (_, meaning) = dialect.iter().find(|(names, _)| names.iter().any(|known| bare(known) == name))?;
    Some(*meaning)
}

fn bare(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).map(|c| c.to_ascii_lowercase()).collect()
}

fn set_server(config: &mut Config, server: &str) -> Result<()> {
    if server.starts_with('/') {
        config.socket = Some(server.into());
        return Ok(());
    }
    // A host named here overrides a socket named elsewhere, as in a URL.
    *config = std::mem::take(config).with_host_list(server)?;
    if config.has_several_hosts() {
        // The default of these strings.
        config.hosts.order.get_or_insert(HostOrder::RoundRobin);
    }
    Ok(())
}

/// MySqlConnector's words.
fn load_balance(word: &str) -> Result<HostOrder> {
    match bare(word).as_str() {
        "roundrobin" | "random" | "leastconnections" => Ok(HostOrder::RoundRobin),
        "failover" => Ok(HostOrder::InOrder),
        _ => Err(Error::config("`LoadBalance` in the connection string has an unknown value")
            .with_hint("one of RoundRobin, FailOver, Random, LeastConnections")),
    }
}

fn mode(word: &str) -> Result<TlsMode> {
    match bare(word).as_str() {
        "none" | "disable" => Ok(TlsMode::Disabled),
        "prefer" => Ok(TlsMode::Preferred),
        "trust" | "require" => Ok(TlsMode::Required),
        "verifyca" => Ok(TlsMode::VerifyCa),
        "verifyfull" => Ok(TlsMode::VerifyFull),
        _ => word.parse(),
    }
}

fn protocol(word: &str) -> Result<()> {
    match bare(word).as_str() {
        // The path in `Server` shows whether it is a Unix socket.
        "socket" | "sockets" | "tcp" | "tcpip" | "unix" | "unixsocket" => Ok(()),
        _ => Err(Error::config("the protocol in the connection string is neither TCP nor a Unix socket")),
    }
}

fn character_set(name: &str) -> Result<()> {
    match bare(name).as_str() {
        "utf8" | "utf8mb3" | "utf8mb4" => Ok(()),
        _ => Err(Error::config("the character set of a connection is always utf8mb4").with_hint("leave it out")),
    }
}
