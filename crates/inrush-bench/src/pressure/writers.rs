//! Clients that write: the statements and the connections of each kind of concurrency.

use super::{INSERTER_LANES, On};
use crate::pressure::pacer::{Pacer, Turn};
use crate::workers::{Patience, Workers};
use inrush::blocking::{Connection, Inserter, Pool};
use inrush::sans_io::{Kind, Result};
use inrush::{BatchOptions, Config, InserterOptions, Method, PoolOptions, Statement};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The row, as it is given.
pub(super) const ROW: (&str, i32, i32, &str, &str) = ("FunTester", 23, 2, "beijing", "the same street, the same house");

/// Its columns.
pub(super) const COLUMNS: [&str; 5] = ["name", "age", "level", "region", "address"];

/// The connections, or the inserter, that rows are sent through.
pub(super) enum Through {
    /// One connection for all.
    Shared(Mutex<Connection>),
    /// One for each client, taken out by it.
    Own(Vec<Mutex<Option<Connection>>>),
    Inserter(Inserter),
}

/// What all clients have.
pub(super) struct Writers<'a> {
    pub(super) on: On,
    pub(super) config: &'a Config,
    /// Quoted, with its schema.
    pub(super) target: &'a str,
    pub(super) workers: &'a Workers,
    pub(super) pacer: &'a Pacer,
    pub(super) through: Through,
}

impl Through {
    /// Connects; nothing of that is part of writing.
    pub(super) fn new(on: On, config: &Config, clients: usize, table: &str) -> Result<Self> {
        let connect = || Connection::connect(config);
        Ok(match on {
            On::One | On::Statement | On::Connection => Through::Shared(Mutex::new(connect()?)),
            On::Connections | On::ConnectionsMultiRow => {
                let each = (0..clients).map(|_| Ok(Mutex::new(Some(connect()?))));
                Through::Own(each.collect::<Result<_>>()?)
            }
            On::Inserter => {
                let config = config.clone().with_pool(PoolOptions::new().with_max(INSERTER_LANES));
                let options = InserterOptions::new()
                    .with_columns(COLUMNS)
                    .with_lanes(INSERTER_LANES)
                    .with_retries_for(INSERTER_RETRIES);
                let inserter = Pool::new(&config)?.inserter_with(table, &options)?;
                inserter.flush()?;
                Through::Inserter(inserter)
            }
        })
    }
}

impl Writers<'_> {
    /// Writes until there is nothing more to do.
    pub(super) fn write(&self, client: usize) {
        let done = match &self.through {
            Through::Shared(connection) => {
                let statement = Statement::new(&self.statement_of(client));
                statement.and_then(|statement| {
                    self.go_on(client, |_| {
                        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
                        self.on(&mut connection, |connection| connection.execute(&statement, ROW).map(drop))
                    })
                })
            }
            Through::Own(connections) => {
                let own =
                    connections.get(client).and_then(|own| own.lock().unwrap_or_else(PoisonError::into_inner).take());
                own.map_or(Ok(()), |connection| self.write_alone(client, connection))
            }
            Through::Inserter(inserter) => self.go_on(client, |_| Ok(inserter.insert(ROW).map(drop))),
        };
        if let Err(error) = done {
            self.workers.lose(error);
        }
    }

    fn write_alone(&self, client: usize, mut connection: Connection) -> Result<()> {
        let sql = self.statement_of(client);
        let statement = Statement::new(&sql)?;
        let rows = vec![ROW; self.pacer.statement_rows() as usize];
        let options = BatchOptions::new().with_method(Method::MultiRowPrepared).with_rows(rows.len());
        self.go_on(client, |turn| {
            self.on(&mut connection, |connection| match self.on {
                On::ConnectionsMultiRow => {
                    connection.execute_batch_with(&sql, &rows[..turn.rows as usize], &options).map(drop)
                }
                _ => connection.execute(&statement, ROW).map(drop),
            })
        })
    }

    /// Sends the pacer's statements, and counts their outcomes. `send` returns the outcome of a statement, or an error if it had no
    /// connection. Errors are counted, and end the loop only if the server is lost.
    fn go_on(&self, client: usize, mut send: impl FnMut(&Turn) -> Sent) -> Result<()> {
        let Self { workers, pacer, .. } = self;
        let mut patience = Patience::default();
        while !workers.is_over() {
            let Some(turn) = pacer.next(client as u64, workers.elapsed()) else { break };
            if !self.sleep(turn.wait(workers.elapsed())) {
                break;
            }
            let sent = send(&turn);
            let now = workers.elapsed();
            let mut counters = workers.counters(client);
            let (error, was_sent) = match sent {
                Ok(Err(error)) => (error, true),
                Err(error) => (error, false),
                Ok(Ok(())) => {
                    counters.answered(now, turn.rows);
                    if turn.counts {
                        counters.counts(turn.rows, turn.took(now));
                    }
                    patience.reset();
                    continue;
                }
            };
            counters.failed(now, &error, turn.rows);
            // An inserter reports the outcome of a row, also if it is unknown.
            let may_be_stored = self.on != On::Inserter && (error.is_fatal() || error.is_timeout());
            if was_sent && (may_be_stored || error.is_outcome_unknown()) {
                counters.unknown += turn.rows;
            }
            drop(counters);
            let is_lost = error.is_fatal() || error.kind() == Kind::Io && !error.is_timeout();
            let pause = if is_lost { patience.pause_unless_lost(now) } else { Some(patience.pause()) };
            match pause {
                Some(pause) => _ = self.sleep(pause),
                None => return Err(error),
            }
        }
        Ok(())
    }

    /// Runs `work` on a live connection: a lost one is opened again first.
    fn on(&self, connection: &mut Connection, work: impl FnOnce(&mut Connection) -> Result<()>) -> Sent {
        if connection.session().is_dead() {
            *connection = Connection::connect(self.config)?;
        }
        Ok(work(connection))
    }

    /// Waits unless all is over before that.
    fn sleep(&self, mut pause: Duration) -> bool {
        while !pause.is_zero() && !self.workers.is_over() {
            let step = pause.min(LOOK_EVERY);
            thread::sleep(step);
            pause -= step;
        }
        pause.is_zero()
    }

    /// The statement of a client. Where each shall have its own on the same connection, the server must see another text.
    fn statement_of(&self, client: usize) -> String {
        let own = if self.on == On::Connection { format!(" /* {client} */") } else { String::new() };
        format!("INSERT INTO {}{own} ({}) VALUES (?, ?, ?, ?, ?)", self.target, COLUMNS.join(", "))
    }
}

/// The outcome of a statement that was sent; the outer error is the reason why nothing was sent.
type Sent = Result<Result<()>>;

/// How long a client sleeps at a time.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Its callers bring their rows again themselves, and they are the ones that give up.
const INSERTER_RETRIES: Duration = Duration::from_secs(1);
