//! The cases a behaviour is checked in, and one type for both shells.

use inrush::core::session::{Conversation, Session};
use inrush::{Config, Outcome, Result, ResultSet, Row, Sql, Statement, TlsMode, Value, blocking};
use inrush_testkit::servers::{self, Server};
use std::thread;
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

/// Checks one behaviour in every case: all servers, all routes, both shells.
#[track_caller]
pub(crate) fn everywhere(check: impl Fn(&Case) + Sync) {
    in_cases(servers::all(), &ROUTES, check);
}

/// Checks one behaviour on some servers and routes, with both shells.
#[track_caller]
pub(crate) fn in_cases(servers: Vec<Server>, routes: &[Route], check: impl Fn(&Case) + Sync) {
    assert!(!servers.is_empty(), "no server to check on");
    for server in servers {
        for route in routes {
            for shell in SHELLS {
                check_case(&Case { server: server.clone(), route: *route, shell }, &check);
            }
        }
    }
}

/// In a thread with the case's name, which a panic's message then shows.
#[track_caller]
fn check_case(case: &Case, check: &(impl Fn(&Case) + Sync)) {
    let name = format!("{} {:?} {:?}", case.server.instance, case.route, case.shell);
    thread::scope(|scope| {
        let thread = thread::Builder::new().name(name.clone()).spawn_scoped(scope, || check(case)).unwrap();
        assert!(thread.join().is_ok(), "failed: {name}");
    });
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

    pub(crate) fn ping(&mut self) -> Result<()> {
        match self {
            Self::Blocking(c) => c.ping(),
            Self::Tokio(c, runtime) => runtime.block_on(c.ping()),
        }
    }

    pub(crate) fn query(&mut self, sql: &str) -> Result<Vec<ResultSet>> {
        match self {
            Self::Blocking(c) => c.results(sql, ()),
            Self::Tokio(c, runtime) => runtime.block_on(c.results(sql, ())),
        }
    }

    pub(crate) fn query_each(&mut self, sql: &str, each: impl FnMut(Row<'_>) -> Result<()>) -> Result<Outcome> {
        match self {
            Self::Blocking(c) => c.query_each(sql, (), each),
            Self::Tokio(c, runtime) => runtime.block_on(c.query_each(sql, (), each)),
        }
    }

    pub(crate) fn exec(&mut self, sql: &(impl Sql + ?Sized)) -> Result<Outcome> {
        match self {
            Self::Blocking(c) => c.exec(sql, ()),
            Self::Tokio(c, runtime) => runtime.block_on(c.exec(sql, ())),
        }
    }

    pub(crate) fn prepare(&mut self, sql: &str) -> Result<Statement> {
        match self {
            Self::Blocking(c) => c.prepare(sql),
            Self::Tokio(c, runtime) => runtime.block_on(c.prepare(sql)),
        }
    }

    pub(crate) fn execute(&mut self, statement: &Statement, params: &[Value<'_>]) -> Result<Vec<ResultSet>> {
        match self {
            Self::Blocking(c) => c.results(statement, params),
            Self::Tokio(c, runtime) => runtime.block_on(c.results(statement, params)),
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
