//! The replicas that a load yields to (`--max-lag`): which they are, the heartbeats that the load writes, and what each replica has of them.

use crate::blocking::Connection;
use crate::config::ServerRole;
use crate::loader::options::{LoadOptions, UnreadableReplicas};
use crate::loader::sql;
use crate::{Config, Error, Result};
use inrush_core::error::Class;
use inrush_core::load::lag::{Heartbeats, Lag, Pace, Progress, REPLICAS, ReplicaLag, host_and_port};
use inrush_core::retry::keeps_connection;
use std::thread;
use std::time::{Duration, Instant};

/// The replicas of a load.
pub(super) struct Replicas {
    watched: Vec<Replica>,
    beats: Heartbeats,
    /// The last heartbeats could not be written.
    unwritten: Option<Failing>,
    ignores_unread: bool,
}

struct Replica {
    name: String,
    config: Config,
    /// `None` after an error.
    connection: Option<Connection>,
    /// The last heartbeat that it had, and when that was read, by the load's clock.
    last: Option<u64>,
    read_at: Duration,
    pace: Pace,
    unread: Option<Failing>,
}

/// What failed at each attempt up to now.
struct Failing {
    /// When the last attempt failed.
    at: Instant,
    /// For how long that has gone on. Times without an attempt do not count.
    lasts: Duration,
    error: Error,
    is_reported: bool,
}

/// A new connection, its session prepared.
pub(super) type Connect<'a> = &'a dyn Fn() -> Result<Connection>;

impl Replicas {
    /// Finds out which they are, connects to each, and refuses what is no replica. Heartbeats will be in this schema. Also returns what the
    /// load is to report: which replicas are left out.
    ///
    /// # Errors
    /// Those of the connections; `Config` where there is none, or where one is the server of the load itself.
    pub(super) fn open(options: &LoadOptions, config: &Config, schema: &str) -> Result<(Self, Vec<String>)> {
        let mut own = Connection::connect(config)?;
        let own_id = sql::first_row(&mut own, SERVER_ID)?;
        let is_named = !options.replicas.is_empty();
        let known = match is_named {
            true => options.replicas.iter().map(|url| url.config(config).map(Ok)).collect::<Result<Vec<_>>>(),
            false => known_replicas(&mut own, config),
        };
        own.close();
        let ignores_unread = options.unreadable_replicas == UnreadableReplicas::Ignore;
        let mut left_out = Vec::new();
        let known = match known {
            Err(error) if ignores_unread => {
                left_out.push(error.to_string());
                Vec::new()
            }
            known => known?,
        };
        let mut watched = Vec::new();
        let mut unread = None;
        for config in known {
            let mut replica = match config {
                Ok(config) => Replica::new(config),
                Err(error) => {
                    left_out.push(error.to_string());
                    unread = Some(error);
                    continue;
                }
            };
            match replica.server_id() {
                Ok(id) if id == own_id => {
                    return Err(Error::config(format!(
                        "`{}` is no replica: it is the server of the load itself",
                        replica.name
                    ))
                    .with_hint("`--replica` takes the URLs of replicas"));
                }
                Ok(_) => watched.push(replica),
                Err(error) if is_named && !ignores_unread => return Err(replica.unreadable(&error)),
                Err(error) => {
                    let error = replica.unreadable(&error);
                    left_out.push(error.to_string());
                    if ignores_unread {
                        // It may be there again later.
                        replica.unread = Some(Failing { is_reported: true, ..Failing::new(error) });
                        watched.push(replica);
                    } else {
                        unread = Some(error);
                    }
                }
            }
        }
        let beats = Heartbeats::new(schema, rand::random());
        match unread {
            Some(error) if watched.is_empty() && !ignores_unread => Err(error),
            _ => Ok((Self { watched, beats, unwritten: None, ignores_unread }, left_out)),
        }
    }

    /// Prepares a session that writes heartbeats: short waits for locks, so that no connection is given up for one. With a binary log of
    /// statements a server refuses writes at a lower isolation level.
    pub(super) fn prepare(connection: &mut Connection) -> Result<()> {
        sql::set_answers(connection)?;
        connection.execute("SET SESSION TRANSACTION READ WRITE, ISOLATION LEVEL REPEATABLE READ", ())?;
        let waits = "lock_wait_timeout = 2, innodb_lock_wait_timeout = 2, wait_timeout = 28800";
        connection.execute(&format!("SET SESSION autocommit = 1, {waits}"), ()).map(drop)
    }

    /// Makes the table of the heartbeats ready, and writes the first one.
    pub(super) fn begin(&mut self, kept: &mut Option<Connection>, connect: Connect<'_>, began: Instant) -> Result<()> {
        if self.watched.is_empty() {
            return Ok(());
        }
        let beats = &self.beats;
        on_kept(kept, connect, |connection| make_table(connection, beats))?;
        self.write(kept, connect, began, Progress::default())
    }

    /// Writes a heartbeat, and reads what each replica has. `began`: when the load's clock began; `progress` is that of the load before it.
    ///
    /// # Errors
    /// Of the heartbeat; then no replica is read. What cannot be read of a replica is its lag.
    pub(super) fn read(
        &mut self,
        kept: &mut Option<Connection>,
        connect: Connect<'_>,
        began: Instant,
        progress: Progress,
    ) -> Result<Vec<ReplicaLag>> {
        if self.watched.is_empty() {
            return Ok(Vec::new());
        }
        self.write(kept, connect, began, progress)?;
        let (query, ignores_unread) = (self.beats.query(), self.ignores_unread);
        thread::scope(|scope| {
            for replica in &mut self.watched {
                let query = &query;
                scope.spawn(move || replica.read(query, began, ignores_unread));
            }
        });
        let beats = &mut self.beats;
        let lags = self.watched.iter_mut().filter_map(|replica| {
            let lag = match &replica.unread {
                Some(_) if ignores_unread => return None,
                Some(unread) => Lag::Unread(unread.error.to_string()),
                None => {
                    if let Some(last) = replica.last {
                        replica.pace.take(beats.applied(last), progress, replica.read_at);
                    }
                    beats.lag(replica.last, replica.read_at)
                }
            };
            Some(ReplicaLag { replica: replica.name.clone(), lag, pace: replica.pace.clone() })
        });
        let lags = lags.collect();
        // Nothing is kept for a replica that is ignored.
        let counted = self.watched.iter().filter(|replica| replica.unread.is_none() || !ignores_unread);
        let oldest = counted.map(|replica| replica.last.unwrap_or(0)).min();
        beats.forget_before(oldest.unwrap_or(u64::MAX));
        Ok(lags)
    }

    fn write(
        &mut self,
        kept: &mut Option<Connection>,
        connect: Connect<'_>,
        began: Instant,
        progress: Progress,
    ) -> Result<()> {
        let statement = self.beats.next_statement();
        let written = on_kept(kept, connect, |connection| connection.execute(&statement, ()).map(drop));
        match &written {
            Ok(()) => {
                self.beats.written(began.elapsed(), progress.settled);
                self.unwritten = None;
            }
            Err(error) => Failing::again(&mut self.unwritten, error.clone()),
        }
        written
    }

    /// The errors of replicas that are ignored, each once.
    pub(super) fn newly_ignored(&mut self) -> Vec<String> {
        let ignored = self.watched.iter_mut().filter(|_| self.ignores_unread);
        let unread = ignored.filter_map(|replica| replica.unread.as_mut()).filter(|unread| !unread.is_reported);
        let new = unread.map(|unread| {
            unread.is_reported = true;
            unread.error.to_string()
        });
        new.collect()
    }

    /// The error of a replica that cannot be read, and is not ignored.
    pub(super) fn unread(&self) -> Option<Error> {
        self.given_up_replica(Duration::ZERO)
    }

    /// The error of a replica, or of the heartbeat, that the load has waited for long enough.
    pub(super) fn given_up(&self, after: Duration) -> Option<Error> {
        // A lock, such as a backup's, keeps the lanes waiting for as long as it lasts, and does not end the load.
        let is_locked = |failing: &&Failing| failing.error.class() == Class::Conflict;
        let unwritten = self.unwritten.as_ref().filter(|failing| failing.lasts >= after && !is_locked(failing));
        let unwritten = unwritten.map(|failing| failing.error.clone().while_doing(NO_HEARTBEAT));
        unwritten.or_else(|| self.given_up_replica(after))
    }

    fn given_up_replica(&self, after: Duration) -> Option<Error> {
        let unread = self.watched.iter().filter_map(|replica| replica.unread.as_ref()).filter(|_| !self.ignores_unread);
        let mut unread = unread.filter(|unread| unread.lasts >= after);
        unread.next().map(|unread| unread.error.clone())
    }

    /// Removes the heartbeats of this run.
    pub(super) fn end(&self, kept: &mut Option<Connection>, connect: Connect<'_>) {
        if !self.watched.is_empty() {
            let statement = self.beats.end_statement();
            // What is left after an error is removed by a later load.
            let _ = on_kept(kept, connect, |connection| connection.execute(&statement, ()));
        }
    }
}

impl Replica {
    fn new(config: Config) -> Self {
        let config = config.without_database().with_server_role(ServerRole::Any).with_connect_timeout(LIMIT);
        let config = config.with_read_timeout(Some(LIMIT)).with_write_timeout(Some(LIMIT));
        Self {
            name: config.address(),
            config,
            connection: None,
            last: None,
            read_at: Duration::ZERO,
            pace: Pace::default(),
            unread: None,
        }
    }

    fn server_id(&mut self) -> Result<Vec<String>> {
        self.query(|connection| sql::first_row(connection, SERVER_ID))
    }

    fn read(&mut self, query: &str, began: Instant, is_ignored: bool) {
        // Each attempt may take seconds, in which the others are not read.
        if is_ignored && self.unread.as_ref().is_some_and(|unread| unread.at.elapsed() < BETWEEN_ATTEMPTS) {
            return;
        }
        match self.last_beat(query) {
            Ok(last) => {
                self.unread = None;
                (self.last, self.read_at) = (last, began.elapsed());
            }
            Err(error) => {
                let error = self.unreadable(&error);
                Failing::again(&mut self.unread, error);
            }
        }
    }

    fn last_beat(&mut self, query: &str) -> Result<Option<u64>> {
        self.query(|connection| match sql::first_row(connection, query) {
            // Its creation has not arrived yet.
            Err(error) if NOT_THERE.contains(&error.code()) => Ok(None),
            row => Ok(row?.first().and_then(|beat| beat.parse().ok())),
        })
    }

    fn query<T>(&mut self, query: impl FnMut(&mut Connection) -> Result<T>) -> Result<T> {
        let config = &self.config;
        let connect = || {
            let mut connection = Connection::connect(config)?;
            sql::set_answers(&mut connection)?;
            // Each query sees what is there now.
            connection.execute("SET SESSION autocommit = 1, wait_timeout = 28800", ())?;
            Ok(connection)
        };
        on_kept(&mut self.connection, &connect, query)
    }

    fn unreadable(&self, error: &Error) -> Error {
        Error::new(error.kind(), format!("replica `{}` cannot be read: {}", self.name, error.message()))
            .with_hint("`--unreadable-replicas ignore` loads without it")
    }
}

impl Failing {
    fn new(error: Error) -> Self {
        Self { at: Instant::now(), lasts: Duration::ZERO, error, is_reported: false }
    }

    fn again(failing: &mut Option<Self>, error: Error) {
        match failing {
            None => *failing = Some(Self::new(error)),
            Some(known) => {
                known.lasts += known.at.elapsed().min(LONGEST_READING);
                (known.at, known.error) = (Instant::now(), error);
            }
        }
    }
}

/// Makes the table of the heartbeats ready.
pub(super) fn make_table(connection: &mut Connection, beats: &Heartbeats) -> Result<()> {
    // Where it is there, no right to create it is needed.
    if !sql::is_there(connection, beats.schema(), Heartbeats::TABLE)? {
        connection.execute(&beats.create_statement(), ())?;
    }
    connection.execute(&beats.clean_statement(), ()).map(drop)
}

/// Runs `work` on the connection that was kept. If that was lost, `work` runs once more on a new one: a server ends a session that was idle.
pub(super) fn on_kept<T>(
    kept: &mut Option<Connection>,
    connect: Connect<'_>,
    mut work: impl FnMut(&mut Connection) -> Result<T>,
) -> Result<T> {
    let mut run = |mut connection: Connection| {
        let done = work(&mut connection);
        let is_usable = done.as_ref().err().is_none_or(keeps_connection);
        (done, is_usable.then_some(connection))
    };
    if let Some(connection) = kept.take()
        && let (done, Some(connection)) = run(connection)
    {
        *kept = Some(connection);
        return done;
    }
    let (done, connection) = run(connect()?);
    *kept = connection;
    done
}

/// The replicas that the server lists; an error in the place of one that is listed without its host.
fn known_replicas(own: &mut Connection, config: &Config) -> Result<Vec<Result<Config>>> {
    /// ER_PARSE_ERROR
    const UNKNOWN_STATEMENT: u16 = 1064;
    let name_them = "name them: `--replica mysql://HOST:PORT`";
    let [query, older_query] = REPLICAS;
    let listed = match own.texts(query) {
        Err(error) if error.code() == UNKNOWN_STATEMENT => own.texts(older_query),
        listed => listed,
    };
    let listed = listed.map_err(|error| {
        Error::new(error.kind(), format!("the replicas for `--max-lag` cannot be listed: {}", error.message()))
            .with_hint(format!("grant the right REPLICATION SLAVE (MariaDB: REPLICATION MASTER ADMIN), or {name_them}"))
    })?;
    if listed.is_empty() {
        return Err(Error::config("the server lists no replica for `--max-lag`").with_hint(format!(
            "a replica is listed if it is connected and has a `report_host`, for a user with the right REPLICATION SLAVE (MariaDB: \
             REPLICATION MASTER ADMIN); or {name_them}"
        )));
    }
    let of_row = |row: &Vec<String>| match host_and_port(row) {
        Some((host, port)) if !host.is_empty() => Ok(config.clone().with_host(host).with_port(port)),
        _ => Err(Error::config("the server lists a replica without its host, as that has no `report_host`")
            .with_hint(name_them)),
    };
    Ok(listed.iter().map(of_row).collect())
}

/// Nodes of a Galera cluster may have the same server_id, and servers of one machine the same host.
const SERVER_ID: &str = "SELECT @@GLOBAL.server_id, @@hostname, @@port";

const NO_HEARTBEAT: &str = "no heartbeat can be written for `--max-lag`";

/// ER_BAD_DB_ERROR, ER_NO_SUCH_TABLE
const NOT_THERE: [u16; 2] = [1049, 1146];

/// A replica that answers later than this cannot be read.
const LIMIT: Duration = Duration::from_secs(5);

/// How often a replica is tried that is ignored.
const BETWEEN_ATTEMPTS: Duration = Duration::from_secs(10);

/// A reading takes no longer: two attempts, each with a login and a query.
const LONGEST_READING: Duration = Duration::from_secs(30);
