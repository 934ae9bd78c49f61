//! How to reach a server and who we are: one plain value, filled by a builder, a URL or option files.
//!
//! Nothing in here opens a socket. [`option`] is the only place that defines a word like `tls` or `ssl-mode`, for URLs and
//! option files alike. `Debug` never shows the password.

mod ado;
mod foreign;
mod hosts;
mod option;
mod option_files;
mod pipeline_mode;
mod pool_options;
#[cfg(test)]
mod tests;
mod text;
mod tls_mode;
pub mod url;

use crate::Result;
use inrush_core::auth::Secret;
use inrush_core::profile::Engine;
use inrush_core::session::channel::DEFAULT_MAX_PACKET;
use inrush_core::wire::Compression;
use inrush_core::zone;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub(crate) use foreign::{JDBC, is_password, nearest, set as set_foreign};
pub(crate) use hosts::split_port;
pub use hosts::{HostOrder, ServerRole};
pub(crate) use option::{KNOWN, set};
pub use pipeline_mode::PipelineMode;
pub use pool_options::PoolOptions;
pub use text::IntoConfig;
pub use tls_mode::TlsMode;

/// How to reach a server and who we are. Cheap to clone.
#[derive(Clone)]
pub struct Config {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) hosts: hosts::Hosts,
    pub(crate) socket: Option<PathBuf>,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<Secret>,
    pub(crate) database: Option<String>,
    pub(crate) tls: Option<TlsMode>,
    pub(crate) tls_ca: Option<PathBuf>,
    pub(crate) tls_cert: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    pub(crate) connect_timeout: Duration,
    pub(crate) read_timeout: Option<Duration>,
    pub(crate) write_timeout: Option<Duration>,
    pub(crate) query_timeout: Option<Duration>,
    pub(crate) kill_on_timeout: bool,
    pub(crate) keep_alive: Option<Duration>,
    pub(crate) socket_buffers: Option<usize>,
    pub(crate) allow_cleartext: bool,
    pub(crate) public_key_retrieval: bool,
    pub(crate) public_key: Option<PathBuf>,
    pub(crate) local_infile: bool,
    pub(crate) found_rows: bool,
    pub(crate) multi_statements: bool,
    pub(crate) compression: Vec<Compression>,
    pub(crate) engine: Option<Engine>,
    pub(crate) zstd_level: Option<u8>,
    pub(crate) pipeline: PipelineMode,
    pub(crate) max_packet: usize,
    pub(crate) max_result: usize,
    pub(crate) statement_cache: usize,
    pub(crate) time_zone: Option<String>,
    pub(crate) log_text: bool,
    pub(crate) log_slower_than: Option<Duration>,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) pool: PoolOptions,
}

impl Config {
    /// Whether both are the same user of the same server.
    pub(crate) fn is_same_login(&self, other: &Self) -> bool {
        (self.hosts(), &self.socket, &self.user) == (other.hosts(), &other.socket, &other.user)
    }

    /// The server's address, as a text that is another for each address.
    pub(crate) fn server(&self) -> String {
        format!("{:?} {:?}", self.address(), self.socket)
    }

    /// A connection to `localhost:3306` over TCP as the user of this process; everything else by default.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads `mysql://user:password@host:port/database?tls=verify-full`; see [`crate::url`] for the parameters.
    ///
    /// # Errors
    /// `Config` for an invalid URL, and for an unknown or invalid parameter.
    pub fn from_url(url: &str) -> Result<Self> {
        Self::default().with_url(url)
    }

    /// Overrides the options in `url` and keeps the rest.
    ///
    /// # Errors
    /// Those of [`Config::from_url`].
    pub fn with_url(mut self, url: &str) -> Result<Self> {
        url::apply(url, &mut self)?;
        Ok(self)
    }

    /// Reads the groups `[client]` and `[inrush]` of `defaults_file`, or of the default files if it is `None`
    /// (`/etc/my.cnf`, `/etc/mysql/my.cnf`, `~/.my.cnf`, those that exist, in this order).
    ///
    /// # Errors
    /// `Io` if a file cannot be read; `Config` for an invalid option, and for a file that every user may write to.
    pub fn from_option_files(defaults_file: Option<&Path>) -> Result<Self> {
        let mut config = Self::default();
        option_files::apply(defaults_file, &mut config)?;
        Ok(config)
    }

    /// Connects to this host over TCP. Always TCP: unlike in the mysql client, `localhost` does not mean a Unix socket.
    #[must_use]
    pub fn with_host(mut self, host: impl Into<String>) -> Self {
        self.set_hosts(std::iter::once((host.into(), None)));
        self
    }

    /// The TCP port: of the hosts that have none of their own in a list.
    #[must_use]
    pub fn with_port(mut self, port: u16) -> Self {
        self.port = port;
        self.hosts.address = None;
        self
    }

    /// Connects through this Unix socket instead of TCP. Together with several hosts it is an error when a connection is opened.
    #[must_use]
    pub fn with_socket(mut self, path: impl Into<PathBuf>) -> Self {
        self.socket = Some(path.into());
        self
    }

    /// The account's name.
    #[must_use]
    pub fn with_user(mut self, user: impl Into<String>) -> Self {
        self.user = Some(user.into());
        self
    }

    /// The account's password.
    #[must_use]
    pub fn with_password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(Secret::new(password.into()));
        self
    }

    /// The default database of the session.
    #[must_use]
    pub fn with_database(mut self, database: impl Into<String>) -> Self {
        self.database = Some(database.into());
        self
    }

    /// No default database, whatever was set before.
    #[must_use]
    pub fn without_database(mut self) -> Self {
        self.database = None;
        self
    }

    /// How the connection is encrypted. Unset, it is `preferred`, or `verify-ca` once a CA file is given.
    #[must_use]
    pub fn with_tls(mut self, mode: TlsMode) -> Self {
        self.tls = Some(mode);
        self
    }

    /// PEM file of the certificate authorities to trust instead of the system's.
    #[must_use]
    pub fn with_tls_ca(mut self, path: impl Into<PathBuf>) -> Self {
        self.tls_ca = Some(path.into());
        self
    }

    /// PEM files of our own certificate (with its chain) and its private key, for servers that require a client certificate.
    #[must_use]
    pub fn with_tls_client(mut self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        self.tls_cert = Some(certificate.into());
        self.tls_key = Some(key.into());
        self
    }

    /// The longest time from the first look-up of the name to the end of the login; default: 10 seconds. `Duration::MAX` is no limit; of
    /// several hosts or addresses only the last one that is tried may take so long then, the others 10 seconds each.
    #[must_use]
    pub fn with_connect_timeout(mut self, limit: Duration) -> Self {
        self.connect_timeout = limit;
        self
    }

    /// The longest silence of the server while we wait for its answer: the time in which a packet must arrive whole, or 4 KiB of one.
    /// A byte now and then does not count. Unset, we wait as long as the server's host is
    /// alive (see [`Config::with_keep_alive`]): a statement may rightly take hours.
    #[must_use]
    pub fn with_read_timeout(mut self, limit: Option<Duration>) -> Self {
        self.read_timeout = limit;
        self
    }

    /// The longest time in which the server takes none of the bytes we have for it. Unset, as for reading.
    #[must_use]
    pub fn with_write_timeout(mut self, limit: Option<Duration>) -> Self {
        self.write_timeout = limit;
        self
    }

    /// The longest time from sending a command to the end of its answer. Unset, there is no limit.
    #[must_use]
    pub fn with_query_timeout(mut self, limit: Option<Duration>) -> Self {
        self.query_timeout = limit;
        self
    }

    /// If a statement's time is over, ends it with KILL QUERY over a second connection, and keeps the connection. Unset, the
    /// connection is given up, and the server notices when it next writes to it.
    #[must_use]
    pub fn with_kill_on_timeout(mut self, kill: bool) -> Self {
        self.kill_on_timeout = kill;
        self
    }

    /// After which silence the system starts to probe whether the other host is alive; default: 60 seconds.
    #[must_use]
    pub fn with_keep_alive(mut self, idle: Option<Duration>) -> Self {
        self.keep_alive = idle;
        self
    }

    /// Size in bytes of the system's send and receive buffers of the socket, instead of the system's choice.
    #[must_use]
    pub fn with_socket_buffers(mut self, bytes: Option<usize>) -> Self {
        self.socket_buffers = bytes;
        self
    }

    /// Allows the server to request the password itself (`mysql_clear_password`), and then only over TLS or a Unix socket.
    #[must_use]
    pub fn with_allow_cleartext(mut self, allow: bool) -> Self {
        self.allow_cleartext = allow;
        self
    }

    /// Allows to encrypt the password for a key that the server sends over an unencrypted connection. Off by default:
    /// an attacker between us and the server could send a key of their own and read the password.
    #[must_use]
    pub fn with_public_key_retrieval(mut self, allow: bool) -> Self {
        self.public_key_retrieval = allow;
        self
    }

    /// PEM file of the server's RSA key, for passwords over an unencrypted connection.
    #[must_use]
    pub fn with_public_key(mut self, path: impl Into<PathBuf>) -> Self {
        self.public_key = Some(path.into());
        self
    }

    /// Offers LOAD DATA LOCAL to the server. The server can then request only what `load_local` was just given.
    #[must_use]
    pub fn with_local_infile(mut self, offer: bool) -> Self {
        self.local_infile = offer;
        self
    }

    /// Counts the rows an UPDATE found instead of those it changed.
    #[must_use]
    pub fn with_found_rows(mut self, found: bool) -> Self {
        self.found_rows = found;
        self
    }

    /// Allows several statements, joined by `;`, in one text. Off by default: it makes an SQL injection worse.
    #[must_use]
    pub fn with_multi_statements(mut self, allow: bool) -> Self {
        self.multi_statements = allow;
        self
    }

    /// Names the engine of the server, where its greeting names another one or none. Without it, the greeting's version text decides.
    #[must_use]
    pub fn with_engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Compresses the connection: with one algorithm, or with the first of several that the server offers. A server that
    /// offers none of them is an error, unless [`Compression::None`] is among them.
    #[must_use]
    pub fn with_compression(mut self, wanted: impl Into<Vec<Compression>>) -> Self {
        self.compression = wanted.into();
        self
    }

    /// Whether commands may be sent before earlier ones are answered; by default, if the server supports it.
    #[must_use]
    pub fn with_pipeline(mut self, mode: PipelineMode) -> Self {
        self.pipeline = mode;
        self
    }

    /// The largest packet in bytes that we accept from the server; default: 64 MiB.
    #[must_use]
    pub fn with_max_packet(mut self, bytes: usize) -> Self {
        self.max_packet = bytes;
        self
    }

    /// How many bytes of rows a collected result may have; default: 256 MiB. A stream of rows has no limit.
    #[must_use]
    pub fn with_max_result(mut self, bytes: usize) -> Self {
        self.max_result = bytes;
        self
    }

    /// How many prepared statements a connection keeps; default: 128. At least one is kept.
    #[must_use]
    pub fn with_statement_cache(mut self, statements: usize) -> Self {
        self.statement_cache = statements;
        self
    }

    /// The time zone of the session: an offset (`+00:00`) or a name that the server knows too (`Europe/Berlin`); default: the server's
    /// own. Instants (`jiff::Timestamp`, `SystemTime` and their like) need one.
    ///
    /// # Errors
    /// `Config` for an unknown zone.
    pub fn with_time_zone(mut self, zone: &str) -> Result<Self> {
        zone::find(zone)?;
        self.time_zone = Some(zone::spelling(zone));
        Ok(self)
    }

    /// Whether spans hold the text of statements without placeholders, whose values are in the text; default: no.
    #[cfg(feature = "tracing")]
    #[must_use]
    pub fn with_log_text(mut self, log: bool) -> Self {
        self.log_text = log;
        self
    }

    /// Logs a warning for every connect, wait for a pool, statement, batch and transaction that takes this long.
    #[cfg(feature = "tracing")]
    #[must_use]
    pub fn with_log_slower_than(mut self, limit: Option<Duration>) -> Self {
        self.log_slower_than = limit;
        self
    }

    /// Sends the server one more attribute about this client (performance_schema.session_connect_attrs).
    #[must_use]
    pub fn with_attribute(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        let name = name.into();
        self.attributes.retain(|(known, _)| *known != name);
        self.attributes.push((name, value.into()));
        self
    }

    /// The host, or the first of several; also if a Unix socket is used (its name is what `verify-full` compares then).
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The TCP port, of the first host if there are several.
    pub fn port(&self) -> u16 {
        self.hosts.first_port.unwrap_or(self.port)
    }

    /// The Unix socket, if one is used.
    pub fn socket(&self) -> Option<&Path> {
        self.socket.as_deref()
    }

    /// The account's name: as given, or the name of the user of this process.
    pub fn user(&self) -> &str {
        self.user.as_deref().unwrap_or("")
    }

    /// True if a password was given, be it an empty one.
    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// True if a password was given that is not empty.
    pub fn has_secret(&self) -> bool {
        self.password.as_ref().is_some_and(|password| !password.expose().is_empty())
    }

    /// The password, for those who hand it on to another program: by its environment or a pipe, never as an argument.
    #[doc(hidden)]
    pub fn expose_password(&self) -> Option<&[u8]> {
        self.password.as_ref().map(Secret::expose)
    }

    /// The default database of the session.
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// How the connection is encrypted: as given, else `verify-ca` with a CA file and `preferred` without one.
    pub fn tls(&self) -> TlsMode {
        self.tls.unwrap_or(if self.tls_ca.is_some() { TlsMode::VerifyCa } else { TlsMode::Preferred })
    }

    /// PEM file of the trusted certificate authorities.
    pub fn tls_ca(&self) -> Option<&Path> {
        self.tls_ca.as_deref()
    }

    /// See [`Config::with_connect_timeout`].
    pub fn connect_timeout(&self) -> Duration {
        self.connect_timeout
    }

    /// See [`Config::with_read_timeout`].
    pub fn read_timeout(&self) -> Option<Duration> {
        self.read_timeout
    }

    /// See [`Config::with_write_timeout`].
    pub fn write_timeout(&self) -> Option<Duration> {
        self.write_timeout
    }

    /// See [`Config::with_query_timeout`].
    pub fn query_timeout(&self) -> Option<Duration> {
        self.query_timeout
    }

    /// See [`Config::with_engine`].
    pub fn engine(&self) -> Option<Engine> {
        self.engine
    }

    /// See [`Config::with_compression`].
    pub fn compression(&self) -> &[Compression] {
        &self.compression
    }

    /// See [`Config::with_pipeline`].
    pub fn pipeline(&self) -> PipelineMode {
        self.pipeline
    }

    /// True if LOAD DATA LOCAL is offered to the server.
    pub fn local_infile(&self) -> bool {
        self.local_infile
    }

    /// The longest time from the first look-up of the name to the end of the login, as a moment.
    pub(crate) fn connect_deadline(&self) -> Instant {
        let now = Instant::now();
        // A limit beyond what the clock can count is as good as a year.
        now.checked_add(self.connect_timeout).unwrap_or(now + Duration::from_secs(365 * 24 * 3600))
    }

    /// Until when the next of `n_left` servers or addresses may take: an even share of the time that is left. Without a limit only the last
    /// one has all of it, so that one that swallows packets does not hide the others.
    pub(crate) fn share(&self, deadline: Instant, n_left: usize) -> Instant {
        if n_left <= 1 {
            // To the nanosecond, so that a time-out is not reported early.
            return deadline;
        }
        let now = Instant::now();
        let share = deadline.saturating_duration_since(now) / n_left as u32;
        now + if self.connect_timeout == Duration::MAX { share.min(DEFAULT_CONNECT_TIMEOUT) } else { share }
    }

    /// See [`Config::with_max_packet`].
    pub fn max_packet(&self) -> usize {
        self.max_packet
    }

    /// The attributes that we send to the server: ours first, then the caller's, which may replace ours.
    pub fn attributes(&self) -> Vec<(String, String)> {
        let program = std::env::args_os().next().map(PathBuf::from);
        let program = program.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let ours = [
            ("_client_name", "inrush".to_owned()),
            ("_client_version", env!("CARGO_PKG_VERSION").to_owned()),
            ("_os", std::env::consts::OS.to_owned()),
            ("_platform", std::env::consts::ARCH.to_owned()),
            ("_pid", std::process::id().to_string()),
            ("program_name", program.unwrap_or_else(|| "inrush".to_owned())),
        ];
        let replaced = |name: &str| self.attributes.iter().any(|(given, _)| given == name);
        let ours = ours.into_iter().filter(|(name, _)| !replaced(name)).map(|(name, value)| (name.to_owned(), value));
        ours.chain(self.attributes.iter().cloned()).collect()
    }

    /// Whether the server is reached by a Unix socket.
    pub fn uses_socket(&self) -> bool {
        self.socket.is_some()
    }

    /// Where the server is, for messages: `db.example.org:3306` or the socket's path. Several servers are separated by commas.
    pub fn address(&self) -> String {
        let named = |(host, port): (&str, u16)| match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        match &self.socket {
            Some(path) => path.display().to_string(),
            None => self.hosts().into_iter().map(named).collect::<Vec<_>>().join(","),
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            host: "localhost".to_owned(),
            port: 3306,
            hosts: hosts::Hosts::default(),
            socket: None,
            user: std::env::var("USER").ok(),
            password: None,
            database: None,
            tls: None,
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
            read_timeout: None,
            write_timeout: None,
            query_timeout: None,
            kill_on_timeout: false,
            keep_alive: Some(Duration::from_secs(60)),
            socket_buffers: None,
            allow_cleartext: false,
            public_key_retrieval: false,
            public_key: None,
            local_infile: false,
            found_rows: false,
            multi_statements: false,
            compression: Vec::new(),
            engine: None,
            zstd_level: None,
            pipeline: PipelineMode::Auto,
            max_packet: DEFAULT_MAX_PACKET,
            max_result: 256 << 20,
            statement_cache: 128,
            time_zone: None,
            log_text: false,
            log_slower_than: None,
            attributes: Vec::new(),
            pool: PoolOptions::new(),
        }
    }
}

/// Also the longest time for one of several servers where there is no limit.
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("address", &self.address())
            .field("user", &self.user)
            .field("password", &self.password)
            .field("database", &self.database)
            .field("tls", &self.tls())
            .field("local_infile", &self.local_infile)
            .finish_non_exhaustive()
    }
}
