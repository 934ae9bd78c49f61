//! Several servers for one connection: which one is taken, what makes it another, and that what belongs together stays on one of them.

use crate::cases::{Case, Route, Shell, Twin, in_cases};
use inrush::{Config, HostOrder, Kind, PoolOptions, Reason, ServerRole, blocking};
use inrush_testkit::closed_port::ClosedPort;
use inrush_testkit::patience::{patience, until_some};
use inrush_testkit::proxy::throttle::{Pieces, SlowRelay};
use inrush_testkit::servers;
use std::time::Duration;

/// Two relays to one server, as if it were two.
struct Pair {
    first: SlowRelay,
    second: SlowRelay,
}

impl Pair {
    fn to(case: &Case) -> Self {
        let start = || SlowRelay::start(case.server.port, Pieces { bytes: 64 << 10, pause: Duration::ZERO });
        Self { first: start(), second: start() }
    }

    fn config(&self, case: &Case) -> Config {
        let host = case.config().host().to_owned();
        case.config().with_hosts([(host.clone(), self.first.port()), (host, self.second.port())])
    }

    fn counts(&self) -> (u64, u64) {
        (self.first.n_connections(), self.second.n_connections())
    }
}

fn on_all(check: impl Fn(&Case) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls], check);
}

fn port(twin: &Twin) -> u16 {
    match twin {
        Twin::Blocking(connection) => connection.config().port(),
        Twin::Tokio(connection, _) => connection.config().port(),
    }
}

#[test]
fn the_next_server_is_taken_if_one_refuses() {
    on_all(|case| {
        let host = case.config().host().to_owned();
        let closed = [ClosedPort::new(), ClosedPort::new()];
        let [dead, other] = closed.each_ref().map(ClosedPort::number);
        let config = case.config().with_hosts([(host.clone(), dead), (host, case.server.port)]);
        let mut twin = case.open_with(&config);
        assert_eq!(twin.ask("SELECT 1"), "1");
        assert_eq!(port(&twin), case.server.port);
        let none = config.with_hosts([("127.0.0.1", dead), ("127.0.0.1", other)]);
        let error = Twin::connect(case.shell, &none).err().unwrap();
        assert_eq!((error.kind(), error.reason()), (Kind::Io, Reason::ConnectionRefused), "{error:?}");
        assert!(
            !error.is_fatal() && error.message().starts_with("none of 2 servers can be used (cannot connect to"),
            "{error:?}"
        );
        assert!(error.message().contains(&dead.to_string()) && error.hint().is_some(), "{error:?}");
    });
}

#[test]
fn a_server_that_swallows_everything_costs_its_share_once() {
    on_all(|case| {
        let pair = Pair::to(case);
        pair.first.hold();
        let config = pair.config(case).with_connect_timeout(patience());
        // The share of the first is all that is short; the second gets the rest.
        let hurried = config.clone().with_connect_timeout(Duration::from_secs(2));
        let mut twin = until_some("a login within the second share", || match Twin::connect(case.shell, &hurried) {
            Ok(twin) => Some(twin),
            Err(error) => {
                assert!(error.is_timeout(), "{error:?}");
                None
            }
        });
        assert_eq!(twin.ask("SELECT 1"), "1");
        let (n_first, _) = pair.counts();
        assert!(n_first >= 1);
        // A clone knows it too, and so does a pool.
        for _ in 0..3 {
            case.open_with(&config).ping().unwrap();
        }
        assert_eq!(pair.counts().0, n_first, "a server that failed a moment ago is not tried first");
    });
}

#[test]
fn a_wrong_password_is_tried_on_one_server_only() {
    on_all(|case| {
        let pair = Pair::to(case);
        let error = Twin::connect(case.shell, &pair.config(case).with_password("wrong")).err().unwrap();
        assert_eq!(error.reason(), Reason::AccessDenied, "{error:?}");
        assert_eq!(pair.counts(), (1, 0));
    });
}

#[test]
fn connections_go_round() {
    on_all(|case| {
        let pair = Pair::to(case);
        let config = pair.config(case).with_host_order(HostOrder::RoundRobin);
        let twins: Vec<_> = (0..6).map(|_| case.open_with(&config)).collect();
        assert_eq!(pair.counts(), (3, 3));
        drop(twins);
        let pair = Pair::to(case);
        let twins: Vec<_> = (0..3).map(|_| case.open_with(&pair.config(case))).collect();
        assert_eq!(pair.counts(), (3, 0));
        drop(twins);
    });
}

#[test]
fn a_role_is_checked_on_the_server() {
    on_all(|case| {
        let pair = Pair::to(case);
        let writable = pair.config(case).with_server_role(ServerRole::Writable);
        assert_eq!(case.open_with(&writable).ask("SELECT @@global.read_only"), "0");
        let error = Twin::connect(case.shell, &pair.config(case).with_server_role(ServerRole::ReadOnly)).err().unwrap();
        assert_eq!(error.reason(), Reason::ConnectionRefused, "{error:?}");
        assert!(error.message().contains("is writable, and `server-role` asks for a read-only one"), "{error:?}");
        // One for the first, and one for each of both.
        assert_eq!(pair.counts(), (2, 1));
    });
}

#[test]
fn a_kill_reaches_the_server_of_its_connection() {
    on_all(|case| {
        let pair = Pair::to(case);
        let config = pair.config(case).with_host_order(HostOrder::RoundRobin).with_kill_on_timeout(true);
        // Of both, so that another order would be noticed.
        let mut twins = [case.open_with(&config), case.open_with(&config)];
        for twin in &mut twins {
            let before = pair.counts();
            twin.set_query_timeout(Some(Duration::from_millis(300)));
            let slow = "SELECT SUM(SLEEP(1)) FROM information_schema.collations";
            // A KILL that takes too long on a busy machine ends the connection; it went the same way.
            let error = twin.execute(slow).err();
            assert!(error.is_none_or(|error| error.is_timeout()));
            let after = pair.counts();
            let is_first = port(twin) == pair.first.port();
            assert!(after.0 > before.0 || !is_first, "{before:?} {after:?}");
            assert!(after.1 > before.1 || is_first, "{before:?} {after:?}");
            assert_eq!(after.0 + after.1, before.0 + before.1 + 1);
        }
    });
}

#[test]
fn a_pool_opens_its_connections_on_the_server_that_is_left() {
    on_all(|case| {
        let Case { shell: Shell::Blocking, .. } = case else { return };
        let Pair { first, second } = Pair::to(case);
        let pair = Pair { first, second };
        let config = pair.config(case).with_pool(PoolOptions::new().with_max(2));
        let pool = blocking::Pool::new(&config).unwrap();
        let mut one = pool.get().unwrap();
        assert_eq!(one.config().port(), pair.first.port());
        let id = one.connection_id();
        let Pair { first, second } = pair;
        // The server goes away, and its connections with it.
        drop(first);
        case.server.sql(&format!("KILL {id}"));
        assert!(one.ping().is_err());
        drop(one);
        let mut next = pool.get().unwrap();
        assert_eq!(next.query_one::<(u32,)>("SELECT 1", ()).unwrap(), (1,));
        assert_eq!(next.config().port(), second.port());
    });
}
