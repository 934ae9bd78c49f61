//! The commands that both shells send to a server, so that each of them is a loop and a list of one-line verbs.

use crate::deadlines::QueryTime;
use crate::{Config, Error, Kind, Result, TlsMode};
use inrush_core::auth::ServerKey;
use inrush_core::retry::Retries;
use inrush_core::retry::fate::Stage;
use inrush_core::session::Outcome;
use inrush_core::session::transaction::Commit;
use inrush_core::session::{ChangeUser, Credentials, Infile, Login, LoginOptions, Session, Sink, TlsWish};
use inrush_core::wire::{Capabilities, ColumnDef, Row};
use inrush_core::zone;
use jiff::tz::TimeZone;
use std::time::{Duration, Instant};

/// The login of a fresh connection.
pub(crate) fn login(config: &Config) -> Result<Login> {
    let options = LoginOptions {
        credentials: credentials(config)?,
        database: config.database.clone(),
        tls: match config.tls() {
            TlsMode::Disabled => TlsWish::Avoid,
            TlsMode::Preferred => TlsWish::Prefer,
            TlsMode::Required | TlsMode::VerifyCa | TlsMode::VerifyFull => TlsWish::Require,
        },
        local_files: config.local_infile,
        found_rows: config.found_rows,
        multi_statements: config.multi_statements,
        compression: config.compression.clone(),
        engine: config.engine,
        attributes: config.attributes(),
    };
    Ok(Login::new(options, rand::random()))
}

/// The change to the account and database of `config`.
pub(crate) fn change_user(config: &Config) -> Result<ChangeUser> {
    Ok(ChangeUser::new(credentials(config)?, config.database.clone(), config.attributes(), rand::random()))
}

/// Adds to an error in which step the connection could not be made.
pub(crate) fn not_let_in(config: &Config, error: Error) -> Error {
    let address = config.address();
    match error.code() {
        UNKNOWN_DATABASE => error
            .while_doing(&format!("cannot open the database at `{address}`"))
            .with_hint("the login succeeded: name a database that is there, or none"),
        _ => error.while_doing(&format!("cannot log in to `{address}`")),
    }
}

/// ER_BAD_DB_ERROR
const UNKNOWN_DATABASE: u16 = 1049;

/// A name for a LOAD DATA LOCAL that no server can guess: 128 random bits, nothing that SQL would read otherwise.
pub(crate) fn infile_name() -> String {
    format!("inrush-{:032x}", rand::random::<u128>())
}

/// Checks that the statement can be sent at all: a conversation that fails inside costs the connection.
pub(crate) fn check_local(session: &Session, config: &Config) -> Result<()> {
    if session.capabilities().contains(Capabilities::CLIENT_LOCAL_FILES) {
        return Ok(());
    }
    if config.local_infile {
        return Err(Error::server(LOCAL_DISABLED, *b"42000", "this server does not offer LOAD DATA LOCAL")
            .with_hint("`SET GLOBAL local_infile = 1` on the server switches it on"));
    }
    Err(Error::config("LOAD DATA LOCAL was not enabled when this connection was made")
        .with_hint("set `local-infile=1` in the URL or `with_local_infile(true)`"))
}

/// The conversation of a LOAD DATA LOCAL, its frames cut to what the server accepts.
pub(crate) fn infile<'a>(sql: &'a str, name: &'a str, content: &'a [u8], settings: &Settings) -> Infile<'a> {
    let fits = usize::try_from(settings.max_allowed_packet).unwrap_or(usize::MAX) - 1;
    Infile::new(sql, name, content).with_frames_of(fits.min(inrush_core::session::infile::FRAME_BYTES))
}

/// How long to wait before a transaction that failed is run again. `None`: it is not run again.
pub(crate) fn pause_before_rerun(
    retries: Retries,
    session: &Session,
    error: Option<&Error>,
    n_runs: u32,
    start: Instant,
) -> Option<Duration> {
    // The rollback may have lost the connection after the closure got its error.
    if session.is_dead() {
        return None;
    }
    retries.rerun(error?, n_runs, start.elapsed(), rand::random())
}

/// The error of a COMMIT, and how far the transaction had come: once COMMIT was sent, only an answer shows what became of it.
pub(crate) fn not_committed(commit: &Commit, error: Error) -> (Stage, Error) {
    // For an error that closes the connection, the outcome of the COMMIT is unknown too.
    match commit.was_sent() && error.is_fatal() && (error.is_outcome_unknown() || error.code() != 0) {
        true => (Stage::Commit, error.while_doing("the answer to COMMIT was lost").outcome_unknown()),
        // It was refused on this side, or not a byte of it left.
        false if !commit.was_sent() || error.is_fatal() => (Stage::Open, error),
        false => (Stage::Commit, error),
    }
}

/// The configuration of the connection for a KILL: like ours, but with a short time-out, and without options that a KILL does not need.
pub(crate) fn killer(config: &Config) -> Config {
    let mut killer = config.clone();
    killer.connect_timeout = config.connect_timeout.min(KILLER_LIMIT);
    killer.read_timeout = Some(KILLER_LIMIT);
    killer.write_timeout = Some(KILLER_LIMIT);
    killer.query_timeout = None;
    killer.database = None;
    killer.local_infile = false;
    killer
}

/// The statement that ends another connection's statement.
pub(crate) fn kill_query(id: u32) -> String {
    format!("KILL QUERY {id}")
}

/// The error if the KILL failed: the statement may continue at the server.
pub(crate) fn not_killed(time: &QueryTime, error: &Error) -> Error {
    let limit = time.limit_text();
    Error::new(Kind::Io, format!("query time-out: not over after {limit}, and KILL QUERY failed: {error}")).timed_out()
}

/// The error of a statement for which a KILL was sent, and that ended: with an error, or successfully but too late.
pub(crate) fn too_late(time: &QueryTime, end: Option<Error>) -> Error {
    let limit = time.limit_text();
    match end {
        Some(e) if e.code() == KILLED => {
            Error::server(KILLED, *b"70100", format!("query time-out: not over after {limit}, and killed"))
        }
        // It failed for a reason of its own.
        Some(e) => return e,
        None => Error::server(
            0,
            *b"HYT00",
            format!(
                "query time-out: not over after {limit}; it ended well when it was killed, and what it changed stays"
            ),
        ),
    }
    .timed_out()
}

/// The error code of a statement that was killed.
pub(crate) const KILLED: u16 = 1317;
/// If the server accepts no connection for so long, no KILL is sent.
const KILLER_LIMIT: Duration = Duration::from_secs(5);

/// Settings that its clients must respect or know: of the server's, and of a session's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The largest packet that the server accepts, in bytes.
    pub(crate) max_allowed_packet: u64,
    /// The session's zone when it was read, and the zone that the server had reported by then.
    zone: TimeZone,
    told_zone: Option<String>,
}

impl Settings {
    /// Queries them, in one round trip.
    pub(crate) const SQL: &str = "SELECT @@max_allowed_packet, @@session.time_zone";

    pub(crate) fn read((max_packet, zone): (Option<String>, Option<String>), session: &Session) -> Result<Self> {
        match max_packet.and_then(|text| text.parse().ok()) {
            // The server's own limits; anything else is not an answer to our query.
            Some(max_allowed_packet @ 1024..=0x4000_0000) => Ok(Self {
                max_allowed_packet,
                zone: zone::of_session(&zone.unwrap_or_default()),
                told_zone: session.variable(TIME_ZONE).map(str::to_owned),
            }),
            _ => Err(Error::new(Kind::Protocol, "the server did not report its `max_allowed_packet`")),
        }
    }

    /// The session's zone; unknown if it is the server's own. The servers report when it changes.
    pub(crate) fn zone(&self, session: &Session) -> TimeZone {
        match session.variable(TIME_ZONE) {
            Some(told) if self.told_zone.as_deref() != Some(told) => zone::of_session(told),
            _ => self.zone.clone(),
        }
    }
}

/// By how much one generated id differs from the next.
pub(crate) const ID_INCREMENT: &str = "SELECT @@session.auto_increment_increment";

pub(crate) fn id_increment((text,): (Option<String>,)) -> Result<u64> {
    text.and_then(|text| text.parse().ok())
        .filter(|increment| *increment > 0)
        .ok_or_else(|| Error::new(Kind::Protocol, "the server did not report its `auto_increment_increment`"))
}

/// Whether the server commits within a LOAD DATA. Only a server with Galera has the variable, for the whole server.
pub(crate) const SPLITS_LOADS: &str = "SHOW VARIABLES LIKE 'wsrep_load_data_splitting'";

pub(crate) fn splits_loads([_, value]: [Option<String>; 2]) -> bool {
    value.is_some_and(|value| value.eq_ignore_ascii_case("ON") || value == "1")
}

/// Whether the server reports when the default schema changes.
pub(crate) fn tells_its_schema(session: &Session) -> bool {
    session.capabilities().contains(Capabilities::CLIENT_SESSION_TRACK)
}

const TIME_ZONE: &str = "time_zone";

/// A sink that passes each row on and keeps none.
pub(crate) struct Each<F>(pub(crate) F);

impl<F: FnMut(Row<'_>) -> Result<()>> Sink for Each<F> {
    fn columns(&mut self, _columns: &[ColumnDef]) -> Result<()> {
        Ok(())
    }

    fn row(&mut self, row: Row<'_>) -> Result<()> {
        (self.0)(row)
    }

    fn end(&mut self, _outcome: &Outcome) -> Result<()> {
        Ok(())
    }
}

fn credentials(config: &Config) -> Result<Credentials> {
    let server_key = match (&config.public_key, config.public_key_retrieval) {
        (Some(path), _) => ServerKey::Known(
            std::fs::read(path).map_err(|e| Error::io(format!("cannot read the key `{}`", path.display()), e))?,
        ),
        (None, true) => ServerKey::Request,
        // There is no man in the middle of a Unix socket (sha256_password requires the key even there).
        (None, false) if config.socket.is_some() => ServerKey::Request,
        (None, false) => ServerKey::Refuse,
    };
    Ok(Credentials {
        user: config.user().to_owned(),
        password: config.password.clone().unwrap_or_default(),
        allow_clear: config.allow_cleartext,
        server_key,
    })
}

/// MariaDB's and old MySQL's code for it; MySQL 8 returns 3948 for a LOAD DATA LOCAL that is sent to it.
const LOCAL_DISABLED: u16 = 1148;
