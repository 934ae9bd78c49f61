//! The replicas that a load yields to (`--max-lag`): which they are, the heartbeats that the load writes, and what each replica has of them.

use crate::blocking::Connection;
use crate::config::ServerRole;
use crate::loader::load::Load;
use crate::loader::options::UnreadableReplicas;
use crate::loader::report::event::LoadEvent;
use crate::loader::sql;
use crate::{Config, Error, Result};
use inrush_core::load::lag::{Heartbeats, Lag, Pace, REPLICAS, ReplicaLag, host_and_port};
use std::thread;
use std::time::{Duration, Instant};

/// The replicas of a load.
pub(super) struct Replicas {
    watched: Vec<Replica>,
    /// The schema of the heartbeats and they, as soon as the load's schema is known.
    beats: Option<(String, Heartbeats)>,
    ignores_unread: bool,
}

struct Replica {
    name: String,
    config: Config,
    /// `None` after an error.
    connection: Option<Connection>,
    /// Whether the table of the heartbeats was there.
    has_table: bool,
    last: Option<u64>,
    pace: Pace,
    unread: Option<Unread>,
}

/// A replica cannot be read.
struct Unread {
    since: Instant,
    error: Error,
    is_told: bool,
}

impl Replicas {
    /// Finds out which they are, connects to each, and refuses what is no replica.
    ///
    /// # Errors
    /// Those of the connections; `Config` where there is none, or where one is the server of the load itself.
    pub(super) fn open(load: &Load, config: &Config) -> Result<Self> {
        let options = &load.options;
        let mut own = Connection::connect(config)?;
        let own_id = sql::first_row(&mut own, SERVER_ID)?;
        let is_named = !options.replicas.is_empty();
        let known = match is_named {
            true => options.replicas.iter().map(|url| url.config(config)).collect::<Result<Vec<_>>>(),
            false => known_replicas(&mut own, config),
        };
        own.close();
        let ignores_unread = options.unreadable_replicas == UnreadableReplicas::Ignore;
        let notify = |reason| load.notify(&LoadEvent::ThrottleUnread { waits: false, reason });
        let known = match known {
            Err(error) if ignores_unread => {
                notify(error.to_string());
                Vec::new()
            }
            known => known?,
        };
        let mut watched = Vec::new();
        let mut unread = None;
        for config in known {
            let mut replica = Replica::new(config);
            match replica.server_id() {
                Ok(id) if id == own_id => {
                    return Err(Error::config(format!(
                        "`{}` is no replica: it is the server of the load itself, or has the same server_id",
                        replica.name
                    ))
                    .with_hint("`--replica` takes the URLs of replicas"));
                }
                Ok(_) => watched.push(replica),
                Err(error) if is_named && !ignores_unread => return Err(replica.unreadable(&error)),
                Err(error) => {
                    let error = replica.unreadable(&error);
                    notify(error.to_string());
                    if ignores_unread {
                        // It was reported here.
                        replica.unread = Some(Unread { since: Instant::now(), error, is_told: true });
                        watched.push(replica);
                    } else {
                        unread = Some(error);
                    }
                }
            }
        }
        match unread {
            Some(error) if watched.is_empty() => Err(error),
            _ => Ok(Self { watched, beats: None, ignores_unread }),
        }
    }

    /// The heartbeats go into this schema from now on; makes their table.
    pub(super) fn begin(&mut self, connection: &mut Connection, schema: &str) -> Result<()> {
        let beats = Heartbeats::new(schema, rand::random());
        for statement in beats.begin_statements() {
            connection.execute(&statement, ())?;
        }
        self.beats = Some((schema.to_owned(), beats));
        Ok(())
    }

    /// Prepares a session that writes heartbeats: short waits for locks, so that no connection is given up for one.
    pub(super) fn prepare(connection: &mut Connection) -> Result<()> {
        sql::set_answers(connection)?;
        connection
            .execute("SET SESSION autocommit = 1, lock_wait_timeout = 2, innodb_lock_wait_timeout = 2", ())
            .map(|_| ())
    }

    /// Writes a heartbeat, and reads what each replica has. `began`: when the load's clock began.
    ///
    /// # Errors
    /// Of the heartbeat. What cannot be read of a replica is its lag.
    pub(super) fn read(&mut self, connection: &mut Connection, began: Instant) -> Result<Vec<ReplicaLag>> {
        let Some((schema, beats)) = &mut self.beats else { return Ok(Vec::new()) };
        connection.execute(&beats.next_statement(), ())?;
        beats.written(began.elapsed());
        let query = beats.query();
        thread::scope(|scope| {
            for replica in &mut self.watched {
                scope.spawn(|| replica.read(schema, &query));
            }
        });
        let now = began.elapsed();
        let ignores_unread = self.ignores_unread;
        let lag = |replica: &mut Replica| match &replica.unread {
            Some(_) if ignores_unread => None,
            Some(unread) => Some(Lag::Unread(unread.error.to_string())),
            None => Some(match beats.lag(replica.last, now) {
                Lag::Behind(lag) => Lag::Behind(replica.pace.expected(lag, now)),
                other => other,
            }),
        };
        let lags = self.watched.iter_mut();
        let lags = lags.filter_map(|replica| Some(ReplicaLag { lag: lag(replica)?, replica: replica.name.clone() }));
        let lags = lags.collect();
        let oldest = self.watched.iter().map(|replica| replica.last.unwrap_or(0)).min();
        beats.forget_before(oldest.unwrap_or(0));
        Ok(lags)
    }

    /// Reports once which replicas are ignored.
    pub(super) fn tell(&mut self, load: &Load) {
        for replica in self.watched.iter_mut().filter(|_| self.ignores_unread) {
            if let Some(unread) = &mut replica.unread
                && !unread.is_told
            {
                unread.is_told = true;
                load.notify(&LoadEvent::ThrottleUnread { waits: false, reason: unread.error.to_string() });
            }
        }
    }

    /// The error of a replica that the load has waited for long enough.
    pub(super) fn given_up(&self, after: Duration) -> Option<Error> {
        let unread = self.watched.iter().filter_map(|replica| replica.unread.as_ref()).filter(|_| !self.ignores_unread);
        let mut unread = unread.filter(|unread| unread.since.elapsed() >= after);
        unread.next().map(|unread| unread.error.clone())
    }

    /// The statement that removes the heartbeats.
    pub(super) fn end_statement(&self) -> Option<String> {
        self.beats.as_ref().map(|(_, beats)| beats.end_statement())
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
            has_table: false,
            last: None,
            pace: Pace::default(),
            unread: None,
        }
    }

    fn server_id(&mut self) -> Result<Vec<String>> {
        let mut connection = self.connect()?;
        let id = sql::first_row(&mut connection, SERVER_ID)?;
        self.connection = Some(connection);
        Ok(id)
    }

    fn connect(&mut self) -> Result<Connection> {
        if let Some(connection) = self.connection.take() {
            return Ok(connection);
        }
        let mut connection = Connection::connect(&self.config)?;
        sql::set_answers(&mut connection)?;
        // Each query sees what is there now.
        connection.execute("SET SESSION autocommit = 1", ())?;
        Ok(connection)
    }

    fn read(&mut self, schema: &str, query: &str) {
        match self.last_beat(schema, query) {
            Ok(last) => {
                self.unread = None;
                self.last = last;
            }
            Err(error) => {
                let error = self.unreadable(&error);
                match &mut self.unread {
                    Some(unread) => unread.error = error,
                    None => self.unread = Some(Unread { since: Instant::now(), error, is_told: false }),
                }
            }
        }
    }

    fn last_beat(&mut self, schema: &str, query: &str) -> Result<Option<u64>> {
        let mut connection = self.connect()?;
        self.has_table = self.has_table || sql::is_there(&mut connection, schema, Heartbeats::TABLE)?;
        let last = if self.has_table { sql::first_row(&mut connection, query)? } else { Vec::new() };
        self.connection = Some(connection);
        Ok(last.first().and_then(|beat| beat.parse().ok()))
    }

    fn unreadable(&self, error: &Error) -> Error {
        Error::new(error.kind(), format!("replica `{}` cannot be read: {}", self.name, error.message()))
            .with_hint("`--unreadable-replicas ignore` loads without it")
    }
}

/// The replicas that the server lists.
fn known_replicas(own: &mut Connection, config: &Config) -> Result<Vec<Config>> {
    let name_them = "name them: `--replica mysql://HOST:PORT`";
    let mut listed = Err(Error::config("no server lists its replicas"));
    for query in REPLICAS {
        listed = own.texts(query);
        if listed.is_ok() {
            break;
        }
    }
    let listed = listed.map_err(|error| {
        Error::new(error.kind(), format!("the replicas for `--max-lag` cannot be listed: {}", error.message()))
            .with_hint(format!("grant the right REPLICATION SLAVE (MariaDB: REPLICATION MASTER ADMIN), or {name_them}"))
    })?;
    if listed.is_empty() {
        return Err(Error::config("the server lists no replica for `--max-lag`").with_hint(name_them));
    }
    let of_row = |row: &Vec<String>| match host_and_port(row) {
        Some((host, port)) if !host.is_empty() => Ok(config.clone().with_host(host).with_port(port)),
        _ => Err(Error::config("the server lists a replica without its host, as that has no `report_host`")
            .with_hint(name_them)),
    };
    listed.iter().map(of_row).collect()
}

const SERVER_ID: &str = "SELECT @@GLOBAL.server_id";

/// A replica that answers later than this cannot be read.
const LIMIT: Duration = Duration::from_secs(5);
