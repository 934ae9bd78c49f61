//! What goes wrong while a connection is in use: time-outs, interruptions, servers that end it.

use crate::cases::{Case, Shell, Twin, everywhere, in_every_case, until_asleep, until_closed};
use inrush::{Connection, Kind, blocking};
use inrush_testkit::patience::until;
use std::thread;
use std::time::Duration;

#[track_caller]
fn check_dead(mut connection: Twin) {
    let error = connection.ping().unwrap_err();
    assert!(error.is_fatal() && error.message().contains("cannot be used any more"), "{error:?}");
    assert!(error.hint().is_some());
}

#[test]
fn a_slow_statement_runs_into_the_read_timeout() {
    in_every_case(|case| {
        // Logging in has a limit of its own: nothing that must be in time has this one.
        let mut connection = case.open_with(&case.config().with_read_timeout(Some(Duration::from_millis(200))));
        let error = connection.execute("SELECT SLEEP(30)").unwrap_err();
        assert!(error.kind() == Kind::Io && error.is_fatal() && error.message().contains("read time-out"), "{error:?}");
        check_dead(connection);
    });
}

#[test]
fn a_killed_connection_is_dead() {
    everywhere(|case| {
        let mut connection = case.open();
        let id = connection.session().connection_id();
        case.server.sql(&format!("KILL {id}"));
        // The server may say why (1927 on MariaDB, 4031 on MySQL), or just be gone.
        let error = connection.query("SELECT 1").unwrap_err();
        assert!(matches!(error.kind(), Kind::Io | Kind::Server), "{error:?}");
        check_dead(connection);
    });
}

#[test]
fn a_killed_statement_is_an_error_like_any_other() {
    everywhere(|case| {
        let mut connection = case.open();
        let id = connection.session().connection_id();
        let sql = format!("KILL QUERY {id}");
        let server = case.server.clone();
        let killer = thread::spawn(move || {
            // The statement must have begun; until then the server has nothing to kill and says so to nobody.
            let runs = format!(
                "SELECT 1 FROM /*!80022 performance_schema*//*M!100000 information_schema*/.processlist WHERE ID = {id} AND INFO LIKE '%marked%'"
            );
            until("the statement", || !server.sql(&runs).is_empty());
            server.sql(&sql);
        });
        let error =
            connection.execute("DO /* marked */ (SELECT SUM(SLEEP(1)) FROM information_schema.collations)").err();
        killer.join().unwrap();
        // MySQL lets SLEEP itself end early and well; MariaDB and a loop end with 1317.
        assert!(error.is_none_or(|e| e.code() == 1317 && !e.is_fatal()));
        connection.ping().unwrap();
    });
}

#[test]
fn a_statement_beyond_the_servers_limit_ends_the_connection() {
    everywhere(|case| {
        let mut connection = case.open();
        let limit = connection.max_allowed_packet().unwrap();
        assert_eq!(limit.to_string(), connection.ask("SELECT @@max_allowed_packet"));
        let mut sql = b"SELECT '".to_vec();
        sql.resize(usize::try_from(limit).unwrap(), b'x');
        sql.extend_from_slice(b"'");
        let error = connection.execute(&sql).unwrap_err();
        // 1153 if the server's last words arrive before its reset does.
        assert!(error.code() == 1153 || error.kind() == Kind::Io, "{error:?}");
        assert!(error.is_fatal(), "{error:?}");
        check_dead(connection);
    });
}

#[test]
fn another_thread_ends_a_blocking_connection() {
    in_every_case(|case| {
        let Case { shell: Shell::Blocking, .. } = case else { return };
        let mut connection = blocking::Connection::connect(case.config()).unwrap();
        let aborter = connection.aborter();
        let (server, id) = (case.server.clone(), connection.connection_id());
        let other = thread::spawn(move || {
            until_asleep(&server, id);
            aborter.abort();
        });
        let error = connection.execute("SELECT SLEEP(30)", ()).unwrap_err();
        assert!(error.kind() == Kind::Interrupted && error.is_fatal(), "{error:?}");
        assert!(connection.ping().unwrap_err().is_fatal());
        other.join().unwrap();
    });
}

#[test]
fn a_dropped_future_ends_an_async_connection() {
    in_every_case(|case| {
        let Case { shell: Shell::Tokio, .. } = case else { return };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (server, config) = (case.server.clone(), case.config());
        // In a task of its own: the futures can be sent to another thread.
        let task = runtime.spawn(async move {
            let mut connection = Connection::connect(&config).await.unwrap();
            let id = connection.connection_id();
            tokio::select! {
                end = connection.execute("SELECT SLEEP(30)", ()) => panic!("{end:?}"),
                asleep = tokio::task::spawn_blocking(move || until_asleep(&server, id)) => asleep.unwrap(),
            }
            let error = connection.execute("SELECT 1", ()).await.unwrap_err();
            assert!(error.is_fatal() && error.message().contains("interrupted"), "{error:?}");
            connection.ping().await.unwrap_err()
        });
        assert!(runtime.block_on(task).unwrap().is_fatal());
    });
}

#[test]
fn a_dropped_connection_leaves_the_server() {
    everywhere(|case| {
        let connection = case.open();
        let id = connection.session().connection_id();
        drop(connection);
        until_closed(&case.server, id);
    });
}
