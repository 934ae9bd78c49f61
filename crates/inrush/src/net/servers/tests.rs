use super::*;
use std::time::Duration;

fn three() -> Config {
    Config::new().with_hosts([("a", 1), ("b", 2), ("c", 3)])
}

fn refused() -> Error {
    Error::new(Kind::Io, "cannot connect").because(Reason::ConnectionRefused)
}

#[test]
fn each_has_a_share_of_the_time() {
    let mut candidates = Candidates::of(&three()).unwrap();
    let start = Instant::now();
    let deadline = start + Duration::from_secs(9000);
    let mut ends = Vec::new();
    while let Some((config, until)) = candidates.next(deadline) {
        ends.push((config.address(), until.duration_since(start).as_secs() / 100));
        candidates.failed(&config, refused()).unwrap();
    }
    // None of them took any time.
    assert_eq!(ends, [("a:1".into(), 30), ("b:2".into(), 45), ("c:3".into(), 90)]);
}

/// A server that swallows packets must not hide the next one, also where nothing ends the wait for the last one.
#[test]
fn without_a_limit_only_the_last_has_all_the_time() {
    let config = three().with_text("Connection Timeout=0").unwrap();
    let mut candidates = Candidates::of(&config).unwrap();
    let (start, deadline) = (Instant::now(), config.connect_deadline());
    let mut most = Vec::new();
    while let Some((config, until)) = candidates.next(deadline) {
        most.push(until.duration_since(start).as_secs() / 60);
        candidates.failed(&config, refused().timed_out()).unwrap();
    }
    assert_eq!((&most[..2], most[2] > 60 * 24), (&[0, 0][..], true), "{most:?} minutes");
}

#[test]
fn which_errors_are_of_one_server() {
    let goes_on = |error: Error| Candidates::of(&three()).unwrap().failed(&three(), error).is_ok();
    let server = |code| Error::server(code, *b"HY000", "no");
    assert!(goes_on(refused()) && goes_on(Error::protocol("garbage")) && goes_on(refused().timed_out()));
    for code in [1040, 1047, 1053, 1129, 1130, 1203, 1836, 3032] {
        assert!(goes_on(server(code)), "{code}");
    }
    // A wrong password, no right, no such database, a locked account.
    for code in [1044, 1045, 1049, 1698, 3118] {
        assert!(!goes_on(server(code)), "{code}");
    }
    assert!(!goes_on(Error::config("wrong")));
}

#[test]
fn the_error_names_all_servers() {
    let error = |errors: Vec<Error>| {
        let mut candidates = Candidates::of(&three()).unwrap();
        errors.into_iter().for_each(|error| candidates.failed(&three(), error).unwrap());
        candidates.error()
    };
    let of = |name: &str| Error::new(Kind::Io, format!("cannot connect to `{name}`"));
    assert_eq!(error(vec![of("a")]).message(), "cannot connect to `a`");
    let two = error(vec![of("a"), of("b")]);
    assert_eq!(two.message(), "none of 2 servers can be used (cannot connect to `a`): cannot connect to `b`");
    // A pool waits for a server that is full.
    let full = error(vec![Error::server(1040, *b"08004", "Too many connections"), of("b")]);
    assert_eq!((full.class(), full.code()), (Class::Full, 1040));
    assert!(full.message().starts_with("none of 2 servers can be used (cannot connect to `b`): "), "{full}");
}

#[test]
fn roles() {
    let check = |role: ServerRole, read_only: &str, innodb: &str| {
        role.check(&three().with_host("db"), &(read_only.into(), innodb.into()))
            .map_err(|error| error.message().to_owned())
    };
    for off in ["0", "OFF", "off"] {
        assert_eq!(check(ServerRole::Writable, off, "0"), Ok(()));
        assert!(check(ServerRole::ReadOnly, off, "0").is_err());
    }
    for (read_only, innodb) in [("1", "0"), ("0", "1"), ("ON", "OFF"), ("NO_LOCK_NO_ADMIN", "0")] {
        assert_eq!(check(ServerRole::ReadOnly, read_only, innodb), Ok(()));
        let why = check(ServerRole::Writable, read_only, innodb).unwrap_err();
        assert_eq!(why, "the server at `db:3306` is read-only, and `server-role` asks for a writable one");
    }
    assert_eq!(check(ServerRole::Any, "1", "1"), Ok(()));
}
