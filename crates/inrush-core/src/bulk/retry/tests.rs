use super::*;

const AGAIN: Verdict = Verdict::Again { reconnect: false };
const ELSEWHERE: Verdict = Verdict::Again { reconnect: true };

fn server(code: u16) -> Error {
    Error::server(code, *b"HY000", "no")
}

#[track_caller]
fn check(error: &Error, want: Verdict) {
    assert_eq!(Failure { error, n_failed: 1, has_stored: true }.verdict(), want, "{error}");
}

#[test]
fn lost_against_another_transaction() {
    for code in [1213, 1205, 1020, 1180, 3100, 3101, 1206, 1467] {
        check(&server(code), AGAIN);
    }
}

#[test]
fn lost_its_connection() {
    for code in [1047, 1053, 1158, 1159, 1160, 1161, 1040, 1203, 1927, 2006, 2013, 4031] {
        check(&server(code), ELSEWHERE);
    }
    check(&Error::new(Kind::Io, "the server closed the connection"), ELSEWHERE);
    check(&server(1213).fatal(), ELSEWHERE);
}

#[test]
fn too_large() {
    for code in [1197, 1705, 8004] {
        check(&server(code), Verdict::Shrink);
    }
}

#[test]
fn would_fail_again() {
    for code in [1062, 1114, 1041, 1021, 1045, 1142, 1146, 1153, 1064, 1317, 1969] {
        check(&server(code), Verdict::No);
    }
    check(&Error::protocol("the server sent rubbish"), Verdict::No);
    check(&Error::config("the server did not take `sql_mode`"), Verdict::No);
    check(&Error::new(Kind::Interrupted, "the connection was aborted").fatal(), Verdict::No);
}

#[test]
fn a_kill_is_not_a_kill_query() {
    check(&server(1317), Verdict::No);
    check(&server(1317).fatal(), ELSEWHERE);
}

#[track_caller]
fn check_read_only(code: u16, message: &'static str, has_stored: bool, want: Verdict) {
    let error = &Error::server(code, *b"HY000", message);
    assert_eq!(Failure { error, n_failed: 1, has_stored }.verdict(), want);
}

#[test]
fn read_only_for_a_while() {
    check_read_only(1290, "running with the --super-read-only option", true, ELSEWHERE);
    check_read_only(1290, "running with the --read_only=1 option", true, ELSEWHERE);
    check_read_only(1836, "Running in read-only mode", true, ELSEWHERE);
    check_read_only(1792, "Cannot execute statement in a READ ONLY transaction", true, ELSEWHERE);
    check_read_only(1290, "running with the --secure-file-priv option", true, Verdict::No);
    check_read_only(1290, "running with the --super-read-only option", false, Verdict::No);
}

#[test]
fn what_may_be_a_limit_is_not_tried_for_ever() {
    let verdict = |code, n_failed| Failure { error: &server(code), n_failed, has_stored: true }.verdict();
    for code in [1180, 3100, 3101, 1206] {
        assert_eq!((verdict(code, 3), verdict(code, 4)), (AGAIN, Verdict::Shrink));
    }
    assert_eq!((verdict(1467, 3), verdict(1467, 4)), (AGAIN, Verdict::No));
    assert_eq!(verdict(1213, 1_000), AGAIN);
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[track_caller]
fn check_back_off(n_failed: u32, random: u64, want: Duration) {
    assert_eq!(back_off(n_failed, random).as_millis(), want.as_millis());
}

#[test]
fn waits_twice_as_long_each_time() {
    check_back_off(1, 0, ms(10));
    check_back_off(1, u64::MAX, ms(20));
    check_back_off(2, 0, ms(20));
    check_back_off(4, 1 << 63, ms(120));
    check_back_off(9, 0, ms(2_500));
    check_back_off(u32::MAX, 0, ms(2_500));
    check_back_off(0, 0, ms(10));
}

#[test]
fn patience_counts_from_the_first_failure() {
    let mut patience = Patience::new(ms(100));
    assert_eq!(patience.failed(ms(1_000)), 1);
    assert_eq!(patience.pause(ms(1_000), 0), Some(ms(10)));
    assert_eq!(patience.failed(ms(1_050)), 2);
    assert_eq!(patience.pause(ms(1_080), 0), Some(ms(20)));
    assert_eq!(patience.pause(ms(1_081), 0), None);
}

#[test]
fn no_patience_at_all() {
    let mut patience = Patience::new(Duration::ZERO);
    patience.failed(ms(5));
    assert_eq!(patience.pause(ms(5), 0), None);
}
