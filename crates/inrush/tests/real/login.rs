//! Logging in: by every plugin of every server, on every route; and being refused.

use crate::cases::{Case, Route, Shell, Twin, in_cases, in_every_case};
use inrush::{Config, Error, Kind};
use inrush_testkit::servers::{self, User};

fn config_of(case: &Case, user: &User) -> Config {
    case.config().with_user(&user.user).with_password(&user.password).with_allow_cleartext(true)
}

#[test]
fn every_plugin_lets_its_user_in() {
    in_every_case(|case| {
        for user in &case.server.users {
            if user.plugin == "cleartext_plugin_server" && case.route == Route::Tcp {
                // Its password never travels over plain TCP: see below.
                continue;
            }
            // The first login of an account the server has forgotten is the long one, the second the short one.
            case.server.sql("FLUSH PRIVILEGES");
            for _ in 0..2 {
                let mut connection = case.open_with(&config_of(case, user));
                assert_eq!(connection.ask("SELECT SUBSTRING_INDEX(CURRENT_USER(), '@', 1)"), user.user);
            }
        }
    });
}

#[test]
fn every_plugin_refuses_a_wrong_password() {
    in_every_case(|case| {
        for user in &case.server.users {
            if user.plugin == "cleartext_plugin_server" && case.route == Route::Tcp {
                continue;
            }
            for wrong in ["wrong", ""].into_iter().filter(|wrong| *wrong != user.password) {
                let error = Twin::connect(case.shell, &config_of(case, user).with_password(wrong)).unwrap_err();
                assert_eq!((error.kind(), error.code()), (Kind::Server, 1045), "{} `{wrong}`: {error:?}", user.plugin);
                assert!(!error.is_fatal());
                assert!(error.message().starts_with("cannot log in to `"), "{error}");
                assert!(!format!("{error:?}").contains("wrong"), "the password shows: {error:?}");
            }
        }
    });
}

#[test]
fn a_clear_password_travels_only_where_allowed_and_never_over_plain_tcp() {
    let servers: Vec<_> = servers::all()
        .into_iter()
        .filter(|server| server.users.iter().any(|user| user.plugin == "cleartext_plugin_server"))
        .collect();
    in_cases(servers, &[Route::Tcp, Route::Tls, Route::Unix], |case| {
        let user = case.server.users.iter().find(|user| user.plugin == "cleartext_plugin_server").unwrap();
        let config = config_of(case, user);
        let error = Twin::connect(case.shell, &config.clone().with_allow_cleartext(false)).unwrap_err();
        assert!(error.kind() == Kind::Config && !error.is_fatal() && error.hint().is_some(), "{error:?}");
        let end = Twin::connect(case.shell, &config);
        match case.route {
            Route::Tcp => assert_eq!(end.unwrap_err().kind(), Kind::Config),
            Route::Tls | Route::Unix => end.unwrap().ping().unwrap(),
        }
    });
}

#[test]
fn a_forgotten_account_needs_a_key_on_plain_tcp() {
    in_cases(servers_with_caching_sha2(), &[Route::Tcp], |case| {
        let user = account(&case.server).unwrap();
        let without_key = config_of(case, &user).with_public_key_retrieval(false);
        // Another test on the same server may make it remember, or forget, between two steps; then once more.
        for _ in 0..20 {
            case.server.sql("FLUSH PRIVILEGES");
            let refused = Twin::connect(case.shell, &without_key);
            let let_in = Twin::connect(case.shell, &config_of(case, &user));
            let again = Twin::connect(case.shell, &without_key);
            assert!(let_in.is_ok(), "with the key: {let_in:?}");
            let Err(refused) = refused else { continue };
            assert_eq!(refused.kind(), Kind::Config);
            assert!(refused.hint().unwrap().contains("TLS"), "{refused:?}");
            match (case.server.vendor, again) {
                (servers::Vendor::Mysql, Ok(_)) => return,
                (servers::Vendor::Mysql, Err(_)) => {}
                // MariaDB's plugin of this name remembers nobody.
                (servers::Vendor::Mariadb, again) => return assert_eq!(again.unwrap_err().kind(), Kind::Config),
            }
        }
        panic!("the short way was never taken");
    });
}

#[test]
fn the_servers_key_can_come_from_a_file() {
    in_cases(servers_with_caching_sha2(), &[Route::Tcp], |case| {
        let user = account(&case.server).unwrap();
        let pem = case.server.sql("SHOW STATUS LIKE 'Caching_sha2_password_rsa_public_key'")[0][1].replace("\\n", "\n");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.pem");
        std::fs::write(&path, pem).unwrap();
        case.server.sql("FLUSH PRIVILEGES");
        let config = config_of(case, &user).with_public_key_retrieval(false).with_public_key(&path);
        case.open_with(&config).ping().unwrap();
        let missing = config.with_public_key(folder.path().join("none.pem"));
        let error = Twin::connect(case.shell, &missing).unwrap_err();
        assert!(error.message().contains("none.pem"), "{error}");
    });
}

fn servers_with_caching_sha2() -> Vec<servers::Server> {
    servers::all().into_iter().filter(|server| account(server).is_some()).collect()
}

/// An account with a password that logs in by caching_sha2_password.
fn account(server: &servers::Server) -> Option<User> {
    server.users.iter().find(|user| user.user == "u_caching_sha2").cloned()
}

#[test]
fn an_unknown_database_is_refused() {
    in_every_case(|case| {
        let error = Twin::connect(case.shell, &case.config().with_database("no_such_database")).unwrap_err();
        assert_eq!(error.code(), 1049, "{error:?}");
        assert!(!error.is_fatal());
    });
}

#[test]
fn an_unknown_user_is_refused() {
    in_every_case(|case| {
        let error = Twin::connect(case.shell, &case.config().with_user("nobody_here")).unwrap_err();
        assert_eq!(error.code(), 1045, "{error:?}");
    });
}

#[test]
fn by_url() {
    in_every_case(|case| {
        let server = &case.server;
        let schema = server.schema("url");
        let route = match case.route {
            Route::Tcp => "tls=disabled&get-server-public-key=1".to_owned(),
            Route::Tls => format!("tls=verify-ca&tls-ca={}", server.ca.display()),
            Route::Unix => format!("socket={}", server.socket.display()),
        };
        let mut connection = case.open_with(&Config::from_url(&format!("{}?{route}", schema.url())).unwrap());
        assert_eq!(connection.ask("SELECT DATABASE()"), schema.name());
    });
}

#[track_caller]
fn check_unreachable(config: &Config, want: &str) -> Error {
    let mut last = None;
    for shell in [Shell::Blocking, Shell::Tokio] {
        let error = Twin::connect(shell, config).unwrap_err();
        assert!(error.kind() == Kind::Io && !error.is_fatal() && error.hint().is_some(), "{error:?}");
        assert!(error.to_string().contains(want), "{error:?}");
        last = Some(error);
    }
    last.unwrap()
}

#[test]
fn a_server_that_is_not_there() {
    let closed = inrush_testkit::closed_port::ClosedPort::new();
    let free = closed.number();
    let config = Config::new().with_port(free);
    check_unreachable(
        &config.clone().with_host("127.0.0.1"),
        &format!("cannot connect to `127.0.0.1:{free}`: Connection refused"),
    );
    check_unreachable(&config.clone().with_host("localhost"), "Connection refused");
    check_unreachable(&config.clone().with_host("no-such-host.invalid"), "cannot find the host `no-such-host.invalid`");
    check_unreachable(
        &config.with_socket("/nowhere/mysqld.sock"),
        "cannot connect to `/nowhere/mysqld.sock`: No such file",
    );
    let too_long = format!("/{}", "x".repeat(200));
    for shell in [Shell::Blocking, Shell::Tokio] {
        let error = Twin::connect(shell, &Config::new().with_socket(&too_long)).unwrap_err();
        assert!(error.message().contains("cannot be a Unix socket"), "{error:?}");
    }
}
