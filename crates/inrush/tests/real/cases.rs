//! The cases a behaviour is checked in, and one type for both shells.

use inrush::sans_io::session::{Conversation, Session};
use inrush::{Config, Outcome, Result, ResultSet, Row, Sql, Statement, TlsMode, Value, blocking};
use inrush_testkit::patience::{until, until_some};
use inrush_testkit::servers::{self, Server};
use std::thread;
use std::time::Duration;
use tokio::runtime::Runtime;

/// One way to use one server.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) server: Server,
    pub(crate) route: Route,
    pub(crate) shell: Shell,
}

/// What the bytes travel over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Tcp,
    Tls,
    Unix,
}

/// Which of the twins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shell {
    Blocking,
    Tokio,
}

pub(crate) const ROUTES: [Route; 3] = [Route::Tcp, Route::Tls, Route::Unix];
pub(crate) const SHELLS: [Shell; 2] = [Shell::Blocking, Shell::Tokio];

/// Checks one behaviour in six cases: each server once, each pair of route and shell once, each family with both shells, and
/// LOCAL INFILE on and off with both.
///
/// Both shells run one body of code, and no verb knows its route, so the product of 6 servers, 3 routes and 2 shells would repeat
/// the same steps. Which route and instance a family gets differs from behaviour to behaviour (see [`rotation`]), so that all
/// tests together use every one of the 36 cases. Where the route itself is under test, use [`in_every_case`].
#[track_caller]
pub(crate) fn everywhere<C: Fn(&Case) + Sync>(check: C) {
    run(spread(servers::all(), rotation::<C>()), check);
}

/// Checks one behaviour in the full product: all servers, all routes, both shells. For logins, TLS, compression and what breaks
/// a connection, which differ by route.
#[track_caller]
pub(crate) fn in_every_case(check: impl Fn(&Case) + Sync) {
    in_cases(servers::all(), &ROUTES, check);
}

/// Checks one behaviour on these servers and routes, with both shells: their full product.
#[track_caller]
pub(crate) fn in_cases(servers: Vec<Server>, routes: &[Route], check: impl Fn(&Case) + Sync) {
    let mut cases = Vec::new();
    for server in servers {
        for route in routes {
            cases.extend(SHELLS.map(|shell| Case { server: server.clone(), route: *route, shell }));
        }
    }
    run(cases, check);
}

/// Checks something on these servers at the same time, where only one shell is of interest or none.
#[track_caller]
pub(crate) fn on_servers(servers: Vec<Server>, check: impl Fn(&Server) + Sync) {
    let case = |server| Case { server, route: Route::Unix, shell: Shell::Blocking };
    run(servers.into_iter().map(case).collect(), |case| check(&case.server));
}

/// The cases of [`everywhere`]. `rotation` is less than 6; all six of them come to the full product.
fn spread(servers: Vec<Server>, rotation: usize) -> Vec<Case> {
    let mut families: Vec<String> = servers.iter().map(|server| server.name.clone()).collect();
    families.dedup();
    let place = |server: &Server| families.iter().position(|name| *name == server.name).unwrap();
    let case = |server: Server| {
        let family = place(&server);
        let shell = (family + rotation / ROUTES.len() + usize::from(server.local_infile)) % SHELLS.len();
        let route = (family + shell + rotation) % ROUTES.len();
        Case { server, route: ROUTES[route], shell: SHELLS[shell] }
    };
    servers.into_iter().map(case).collect()
}

/// A number below 6 that belongs to one behaviour, made of the check's type name, which holds the name of its test: it stays the
/// same from run to run, and when lines move.
pub(crate) fn rotation<C>() -> usize {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = std::any::type_name::<C>().bytes().fold(0xcbf2_9ce4_8422_2325, fnv);
    (hash % (ROUTES.len() * SHELLS.len()) as u64) as usize
}

/// Runs the cases: the servers at the same time, since most checks wait for theirs; the cases of one server one after the other,
/// since some change what is shared on it (accounts, settings).
#[track_caller]
fn run(cases: Vec<Case>, check: impl Fn(&Case) + Sync) {
    assert!(!cases.is_empty(), "no server to check on");
    let mut of_servers: Vec<Vec<Case>> = Vec::new();
    for case in cases {
        match of_servers.iter_mut().find(|cases| cases[0].server.instance == case.server.instance) {
            Some(cases) => cases.push(case),
            None => of_servers.push(vec![case]),
        }
    }
    let failed: Vec<String> = thread::scope(|scope| {
        let of_server = |cases: Vec<Case>| {
            let check = &check;
            scope.spawn(move || cases.iter().find_map(|case| failure(case, check)))
        };
        let threads: Vec<_> = of_servers.into_iter().map(of_server).collect();
        threads.into_iter().filter_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failed.is_empty(), "failed: {}", failed.join(", "));
}

/// The case's name if its check fails. The check runs in a thread of that name, which a panic's message then shows.
fn failure(case: &Case, check: &(impl Fn(&Case) + Sync)) -> Option<String> {
    let name = format!("{} {:?} {:?}", case.server.instance, case.route, case.shell);
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name.clone()).spawn_scoped(scope, || check(case)).unwrap();
        thread.join().err().map(|_| name)
    })
}

#[test]
fn six_cases_are_enough_for_every_pair_and_six_behaviours_for_all() {
    let servers = servers::all();
    let mut seen = Vec::new();
    for rotation in 0..6 {
        let cases = spread(servers.clone(), rotation);
        let pairs = |pair: fn(&Case) -> String| {
            let mut pairs: Vec<String> = cases.iter().map(pair).collect();
            pairs.sort();
            pairs.dedup();
            pairs.len()
        };
        assert_eq!(pairs(|case| case.server.instance.clone()), 6);
        assert_eq!(pairs(|case| format!("{:?} {:?}", case.route, case.shell)), 6);
        assert_eq!(pairs(|case| format!("{} {:?}", case.server.name, case.shell)), 6);
        assert_eq!(pairs(|case| format!("{} {:?}", case.server.local_infile, case.shell)), 4);
        seen.extend(cases.iter().map(|case| format!("{} {:?} {:?}", case.server.instance, case.route, case.shell)));
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 36);
}

impl Case {
    /// The tests' user on this route.
    pub(crate) fn config(&self) -> Config {
        let server = &self.server;
        let config = Config::new().with_user(&server.user).with_password(&server.password);
        match self.route {
            Route::Unix => config.with_socket(&server.socket),
            Route::Tcp => {
                let config = config.with_host(&server.host).with_port(server.port);
                config.with_tls(TlsMode::Disabled).with_public_key_retrieval(true)
            }
            Route::Tls => {
                let config = config.with_host(&server.host).with_port(server.port);
                config.with_tls(TlsMode::VerifyCa).with_tls_ca(&server.ca)
            }
        }
    }

    /// A connection of the tests' user.
    #[track_caller]
    pub(crate) fn open(&self) -> Twin {
        self.open_with(&self.config())
    }

    /// A connection by any configuration.
    #[track_caller]
    pub(crate) fn open_with(&self, config: &Config) -> Twin {
        Twin::connect(self.shell, config).unwrap()
    }

    /// A connection whose `connect-timeout` is short for another reason: a busy server gets as many attempts as it needs.
    #[track_caller]
    pub(crate) fn open_at_last(&self, config: &Config) -> Twin {
        until_some("a connection", || match Twin::connect(self.shell, config) {
            Err(error) if error.is_timeout() => None,
            opened => Some(opened.unwrap()),
        })
    }
}

/// Waits until the server shows that the statement of this connection is in `SLEEP`.
#[track_caller]
pub(crate) fn until_asleep(server: &Server, connection_id: u32) {
    let sleeps = format!(
        "SELECT 1 FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE ID = {connection_id} AND STATE = 'User sleep'"
    );
    until(format_args!("the sleep of connection {connection_id}"), || !server.sql(&sleeps).is_empty());
}

/// Waits until the server no longer knows this connection.
#[track_caller]
pub(crate) fn until_closed(server: &Server, connection_id: u32) {
    let exists = format!(
        "SELECT 1 FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE ID = {connection_id}"
    );
    until(format_args!("the end of connection {connection_id}"), || server.sql(&exists).is_empty());
}

/// Kills a connection over TCP, and waits until its client can see that. A server forgets a connection a moment before it closes the
/// socket; what the client's end has come to is in the kernel's list.
#[track_caller]
pub(crate) fn kill(server: &Server, connection_id: u32) {
    let host = format!(
        "SELECT HOST FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE ID = {connection_id}"
    );
    let host = server.sql(&host)[0][0].clone();
    let port: u16 = host.rsplit_once(':').unwrap().1.parse().unwrap();
    server.sql(&format!("KILL {connection_id}"));
    // From the client to the server, and established: 01 (proc_net_tcp in the kernel's documentation).
    let open = format!("0100007F:{port:04X} 0100007F:{:04X} 01 ", server.port);
    let is_open = || std::fs::read_to_string("/proc/net/tcp").unwrap().contains(&open);
    // The list is read in pieces, and others that come and go between two of them hide a connection from one reading.
    until(format_args!("the end of connection {connection_id}"), || (0..10).all(|_| !is_open()));
}

/// A connection of either shell.
#[derive(Debug)]
pub(crate) enum Twin {
    Blocking(blocking::Connection),
    Tokio(inrush::Connection, Runtime),
}

impl Twin {
    pub(crate) fn connect(shell: Shell, config: &Config) -> Result<Self> {
        match shell {
            Shell::Blocking => blocking::Connection::connect(config).map(Self::Blocking),
            Shell::Tokio => {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                let connection = runtime.block_on(inrush::Connection::connect(config))?;
                Ok(Self::Tokio(connection, runtime))
            }
        }
    }

    pub(crate) fn session(&self) -> &Session {
        match self {
            Self::Blocking(c) => c.session(),
            Self::Tokio(c, _) => c.session(),
        }
    }

    pub(crate) fn max_allowed_packet(&mut self) -> Result<u64> {
        match self {
            Self::Blocking(c) => c.max_allowed_packet(),
            Self::Tokio(c, runtime) => runtime.block_on(c.max_allowed_packet()),
        }
    }

    pub(crate) fn set_query_timeout(&mut self, limit: Option<Duration>) {
        match self {
            Self::Blocking(c) => c.set_query_timeout(limit),
            Self::Tokio(c, _) => c.set_query_timeout(limit),
        }
    }

    pub(crate) fn ping(&mut self) -> Result<()> {
        match self {
            Self::Blocking(c) => c.ping(),
            Self::Tokio(c, runtime) => runtime.block_on(c.ping()),
        }
    }

    pub(crate) fn query(&mut self, sql: &str) -> Result<Vec<ResultSet>> {
        match self {
            Self::Blocking(c) => c.query_result_sets(sql, ()),
            Self::Tokio(c, runtime) => runtime.block_on(c.query_result_sets(sql, ())),
        }
    }

    pub(crate) fn query_each(&mut self, sql: &str, each: impl FnMut(Row<'_>) -> Result<()>) -> Result<Outcome> {
        match self {
            Self::Blocking(c) => c.query_each(sql, (), each),
            Self::Tokio(c, runtime) => runtime.block_on(c.query_each(sql, (), each)),
        }
    }

    pub(crate) fn execute(&mut self, sql: &(impl Sql + ?Sized)) -> Result<Outcome> {
        match self {
            Self::Blocking(c) => c.execute(sql, ()),
            Self::Tokio(c, runtime) => runtime.block_on(c.execute(sql, ())),
        }
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Statement> {
        match self {
            Self::Blocking(c) => c.prepare(sql),
            Self::Tokio(c, runtime) => runtime.block_on(c.prepare(sql)),
        }
    }

    pub(crate) fn query_result_sets(&mut self, statement: &Statement, params: &[Value<'_>]) -> Result<Vec<ResultSet>> {
        match self {
            Self::Blocking(c) => c.query_result_sets(statement, params),
            Self::Tokio(c, runtime) => runtime.block_on(c.query_result_sets(statement, params)),
        }
    }

    pub(crate) fn load_local(&mut self, make_sql: impl FnOnce(&str) -> String, content: &[u8]) -> Result<Outcome> {
        match self {
            Self::Blocking(c) => c.load_local(make_sql, content),
            Self::Tokio(c, runtime) => runtime.block_on(c.load_local(make_sql, content)),
        }
    }

    pub(crate) fn reset(&mut self) -> Result<()> {
        match self {
            Self::Blocking(c) => c.reset(),
            Self::Tokio(c, runtime) => runtime.block_on(c.reset()),
        }
    }

    pub(crate) fn change_user(&mut self, config: &Config) -> Result<()> {
        match self {
            Self::Blocking(c) => c.change_user(config),
            Self::Tokio(c, runtime) => runtime.block_on(c.change_user(config)),
        }
    }

    pub(crate) fn run<C: Conversation>(&mut self, conversation: C) -> Result<C::Output> {
        match self {
            Self::Blocking(c) => c.run(conversation),
            Self::Tokio(c, runtime) => runtime.block_on(c.run(conversation)),
        }
    }

    /// The first value of the first row, as text.
    #[track_caller]
    pub(crate) fn ask(&mut self, sql: &str) -> String {
        let results = self.query(sql).unwrap();
        results[0].value(0, 0).unwrap().to_string()
    }
}

/// All rows of a result, values as text.
pub(crate) fn texts(result: &ResultSet) -> Vec<Vec<String>> {
    result.rows().map(|row| row.values().map(|value| value.unwrap().to_string()).collect()).collect()
}
