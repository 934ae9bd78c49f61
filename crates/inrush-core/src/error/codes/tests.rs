use super::*;
use crate::Error;

/// The error of a server's packet.
fn server(code: u16) -> Error {
    let error = Error::server(code, *b"HY000", "no");
    if of(code).1 == Connection::Closed { error.fatal() } else { error }
}

/// `retryable`: whether the same transaction may succeed; `fatal`: whether the connection is thrown away.
#[track_caller]
fn check(codes: &[u16], want: Class, retryable: bool, fatal: bool) {
    for &code in codes {
        let error = server(code);
        assert_eq!((error.class(), error.is_retryable(), error.is_fatal()), (want, retryable, fatal), "{code}");
    }
}

#[test]
fn lost_against_another_transaction() {
    check(&[1213, 1205, 1020, 3572], Class::Conflict, true, false);
    check(&[1180, 1206, 3100, 3101], Class::ConflictOrLimit, true, false);
    check(&[1467], Class::NoId, true, false);
}
#[test]
fn the_server_could_not_take_it_at_that_moment() {
    check(&[1040], Class::Full, true, true);
    check(&[1203, 1226], Class::Full, true, false);
    check(&[1047], Class::Unavailable, true, false);
    check(&[1053, 1158, 1159, 1160, 1161, 1927, 3032, 3169, 4031], Class::Unavailable, true, true);
}
#[test]
fn a_proxy_that_lost_its_server_has_no_answer() {
    check(&[2006, 2013], Class::Lost, true, true);
    assert!(!server(2013).outcome_unknown().is_retryable());
}
#[test]
fn a_server_that_cannot_be_reached_may_be_later() {
    let refused = Error::io("cannot connect", std::io::ErrorKind::ConnectionRefused.into());
    assert!(!refused.is_retryable());
    assert!(refused.because(crate::error::Reason::ConnectionRefused).is_retryable());
}
#[test]
fn a_kill_is_not_a_kill_query() {
    check(&[1317], Class::Killed, false, false);
    assert!(server(1317).fatal().is_retryable());
}
#[test]
fn the_same_would_fail_again() {
    check(&[1197, 1705, 8004], Class::TooLarge, false, false);
    check(&[1792, 1836], Class::ReadOnly, false, false);
    check(&[1290], Class::Other, false, false);
    check(&[1041, 1043, 1129, 1130, 1152, 1153, 1156, 1184], Class::Other, false, true);
    check(&[0, 1, 1021, 1045, 1062, 1064, 1114, 1142, 1146, 1969, 2003, 65_535], Class::Other, false, false);
}
#[test]
fn an_option_forbids_more_than_writes() {
    let by = |option: &str| Error::server(1290, *b"HY000", format!("running with the {option} option")).class();
    assert_eq!(by("--super-read-only"), Class::ReadOnly);
    assert_eq!(by("--read_only=1"), Class::ReadOnly);
    assert_eq!(by("--secure-file-priv"), Class::Other);
}
#[test]
fn the_table_is_in_order() {
    assert!(TABLE.is_sorted_by(|a, b| a.0 < b.0));
}
#[test]
fn errors_of_our_own_are_other() {
    for error in [Error::config("no"), Error::new(crate::Kind::Io, "lost"), Error::protocol("odd")] {
        assert_eq!((error.class(), error.is_retryable()), (Class::Other, false));
    }
}

#[test]
fn commands_that_are_refused() {
    #[track_caller]
    fn check(code: u16, message: &'static str, want: &[Refusable]) {
        let error = Error::server(code, *b"HY000", message);
        let all = [Refusable::LoadLocal, Refusable::BulkExecute, Refusable::Prepared];
        let refused: Vec<_> = all.into_iter().filter(|command| error.refuses(*command)).collect();
        assert_eq!(refused, want, "{code} {message}");
    }
    use Refusable::*;
    for code in [1045, 1148, 1227, 1235, 1997, 2068, 3948, 4166] {
        check(code, "no", &[LoadLocal]);
    }
    check(1210, "no", &[BulkExecute]);
    check(4033, "no", &[BulkExecute]);
    check(1390, "no", &[Prepared]);
    check(1295, "no", &[BulkExecute, Prepared]);
    check(1461, "no", &[BulkExecute, Prepared]);
    check(1290, "The MySQL server is running with the --secure-file-priv option", &[LoadLocal]);
    check(1290, "The MySQL server is running with the --super-read-only option", &[]);
    check(1047, "Unknown command", &[BulkExecute]);
    check(1047, "WSREP has not yet prepared node for application use", &[]);
    check(1062, "no", &[]);
}
