//! Runs the cells of `rtt`: for each link a relay, and the writer of `insert` through it.

use super::{Cell, Doing, PINGS, Route};
use crate::clock::Clock;
use crate::dataset::Users;
use crate::histogram::Latencies;
use crate::insert::{self, Operation, Writer};
use crate::relay::{Address, Link, Relay};
use crate::results::Sample;
use inrush::blocking::Connection;
use inrush::sans_io::{Error, Result};
use inrush::{Config, TlsMode};
use std::time::{Duration, Instant};

/// How cells are run.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The schema, which must exist.
    pub schema: String,
    /// The rows.
    pub users: Users,
    /// The most rows of a cell.
    pub most: u64,
    /// Rows a statement, where it may carry many.
    pub many: u64,
    /// A case ends after so long.
    pub cap: Duration,
    /// The link of every relay, except for its round trip.
    pub link: Link,
}

/// The routes to a server.
pub struct Ways {
    ways: Vec<OneWay>,
    cap: Duration,
}

/// Its connections end before its relay does.
struct OneWay {
    route: Route,
    writer: Writer,
    connection: Connection,
    _relay: Option<Relay>,
}

impl Ways {
    /// Starts the relays that these cells need, and connects through them.
    ///
    /// # Errors
    /// Those of the server; `Config` where the server's name is to be that of its certificate: the relay has none.
    pub fn new(config: &Config, settings: &Settings, cells: &[Cell]) -> Result<Self> {
        if config.tls() == TlsMode::VerifyFull && !config.uses_socket() {
            return Err(Error::config(
                "`verify-full` holds the server's certificate against the host, and the relay's is another",
            )
            .with_hint("give the server a certificate that names this machine too, and connect by that name"));
        }
        let mut routes: Vec<Route> = Vec::new();
        for cell in cells {
            if !routes.contains(&cell.route) {
                routes.push(cell.route);
            }
        }
        let ways = routes.into_iter().map(|route| OneWay::new(config, settings, route)).collect::<Result<_>>()?;
        Ok(Self { ways, cap: settings.cap })
    }

    /// Runs a cell once.
    ///
    /// # Errors
    /// Those of [`Writer::run`].
    pub fn run(&mut self, cell: &Cell) -> Result<Sample> {
        let way = self.ways.iter_mut().find(|way| way.route == cell.route);
        let way = way.ok_or_else(|| Error::config("no relay was started for this round trip"))?;
        match &cell.doing {
            Doing::Ping => pings(&mut way.connection, self.cap),
            Doing::Insert(cell) => Ok(way.writer.run(cell)?.sample()),
        }
    }
}

impl OneWay {
    fn new(config: &Config, settings: &Settings, route: Route) -> Result<Self> {
        let relay = match route {
            Route::Direct => None,
            Route::Relay(round_trip) => {
                Some(Relay::start(Address::of(config), &Link { round_trip, ..settings.link.clone() })?)
            }
        };
        let config = relay.as_ref().map_or_else(|| config.clone(), |relay| relay.config(config));
        let of_insert = insert::Settings {
            schema: settings.schema.clone(),
            operation: Operation::Insert,
            users: settings.users,
            most: settings.most,
            many: settings.many,
            cap: settings.cap,
            folder: None,
        };
        let connection = Connection::connect(&config)?;
        Ok(Self { route, writer: Writer::new(&config, of_insert)?, connection, _relay: relay })
    }
}

fn pings(connection: &mut Connection, cap: Duration) -> Result<Sample> {
    let mut latency = Latencies::new();
    let clock = Clock::start(None);
    let deadline = Instant::now() + cap;
    while latency.count() < PINGS && Instant::now() < deadline {
        let asked = Instant::now();
        connection.ping()?;
        latency.record(asked.elapsed());
    }
    let sample = clock.written(latency.count(), latency.count() < PINGS).sample();
    Ok(Sample { latency: Some(latency), ..sample })
}
