use super::*;
use crate::Kind;

const AGAIN: Verdict = Verdict::Again { reconnect: false };
const ELSEWHERE: Verdict = Verdict::Again { reconnect: true };

fn server(code: u16) -> Error {
    Error::server(code, *b"HY000", "no")
}

#[track_caller]
fn check(error: &Error, want: Verdict) {
    assert_eq!(verdict(error, 1, true), want, "{error}");
}

#[test]
fn lost_against_another_transaction() {
    for code in [1213, 1205, 1020, 1180, 3100, 3101, 1206, 1467, 1226] {
        check(&server(code), AGAIN);
    }
}

#[test]
fn lost_its_connection() {
    for code in [1047, 1053, 1158, 1159, 1160, 1161, 1040, 1203, 1927, 2006, 2013, 3032, 3169, 4031] {
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
    assert_eq!(verdict(&Error::server(code, *b"HY000", message), 1, has_stored), want);
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
    let verdict = |code, n_failed| verdict(&server(code), n_failed, true);
    for code in [1180, 3100, 3101, 1206] {
        assert_eq!((verdict(code, 3), verdict(code, 4)), (AGAIN, Verdict::Shrink));
    }
    assert_eq!((verdict(1467, 3), verdict(1467, 4)), (AGAIN, Verdict::No));
    assert_eq!(verdict(1213, 1_000), AGAIN);
}

/// For every code: only a server that is temporarily read-only, and a too large transaction, depend on the load.
#[test]
fn loads_agree_with_is_retryable() {
    for code in 1..=u16::MAX {
        for error in [server(code), server(code).fatal()] {
            let is_again = matches!(verdict(&error, 1, false), Verdict::Again { .. });
            assert_eq!(is_again, error.is_retryable(), "{error:?}");
        }
    }
}

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

#[track_caller]
fn check_back_off(back_off: BackOff, n_failed: u32, random: f64, want: Duration) {
    assert_eq!(back_off.pause(n_failed, random), want);
}

#[test]
fn pauses_double() {
    check_back_off(BackOff::TRANSACTION, 1, 1.0, ms(5));
    check_back_off(BackOff::TRANSACTION, 2, 1.0, ms(10));
    check_back_off(BackOff::TRANSACTION, 3, 1.0, ms(20));
    check_back_off(BackOff::TRANSACTION, 8, 1.0, ms(640));
    check_back_off(BackOff::CHUNK, 1, 0.0, ms(10));
    check_back_off(BackOff::CHUNK, 1, 1.0, ms(20));
    check_back_off(BackOff::CHUNK, 2, 0.0, ms(20));
    check_back_off(BackOff::CHUNK, 4, 0.5, ms(120));
}
#[test]
fn pauses_are_bounded() {
    check_back_off(BackOff::TRANSACTION, 9, 1.0, ms(1000));
    check_back_off(BackOff::TRANSACTION, u32::MAX, 1.0, ms(1000));
    check_back_off(BackOff::TRANSACTION, 0, 1.0, ms(5));
    check_back_off(BackOff::CHUNK, 9, 0.0, ms(2_500));
    check_back_off(BackOff::CHUNK, u32::MAX, 0.0, ms(2_500));
    check_back_off(BackOff::CHUNK, 0, 0.0, ms(10));
}
#[test]
fn half_of_a_pause_is_left_to_chance() {
    check_back_off(BackOff::TRANSACTION, 3, 0.0, ms(10));
    check_back_off(BackOff::TRANSACTION, 3, 0.5, ms(15));
    check_back_off(BackOff::TRANSACTION, 3, f64::NAN, ms(20));
    check_back_off(BackOff::TRANSACTION, 3, -7.0, ms(10));
    check_back_off(BackOff::TRANSACTION, 3, 7.0, ms(20));
}

fn deadlock() -> Error {
    server(1213)
}

#[track_caller]
fn check_rerun(retries: Retries, error: &Error, n_failed: u32, elapsed: Duration, want: bool) {
    assert_eq!(retries.rerun(error, n_failed, elapsed, 1.0).is_some(), want);
}

#[test]
fn so_many_times() {
    check_rerun(Retries::Never, &deadlock(), 1, ms(0), false);
    check_rerun(Retries::Times(0), &deadlock(), 1, ms(0), false);
    check_rerun(Retries::Times(2), &deadlock(), 1, ms(0), true);
    check_rerun(Retries::Times(2), &deadlock(), 2, ms(99_999), true);
    check_rerun(Retries::Times(2), &deadlock(), 3, ms(0), false);
}
#[test]
fn for_so_long() {
    check_rerun(Retries::For(ms(100)), &deadlock(), 1, ms(95), true);
    check_rerun(Retries::For(ms(100)), &deadlock(), 1, ms(96), false);
    check_rerun(Retries::For(Duration::MAX), &deadlock(), 1000, Duration::MAX, true);
}
#[test]
fn only_what_may_pass() {
    let twice = Retries::Times(2);
    check_rerun(twice, &server(1062), 1, ms(0), false);
    check_rerun(twice, &Error::new(Kind::Io, "the connection was lost"), 1, ms(0), false);
    check_rerun(twice, &deadlock().outcome_unknown(), 1, ms(0), false);
    check_rerun(twice, &deadlock().fatal(), 1, ms(0), false);
    check_rerun(twice, &server(2013).fatal(), 1, ms(0), false);
    check_rerun(twice, &Error::config("the transaction is over"), 1, ms(0), false);
}

/// When failures happen, and the pause after each of them.
#[track_caller]
fn check_retry(mut retry: Retry, want: &[(u64, Option<u64>)]) {
    for (n, (now, pause)) in (1..).zip(want) {
        assert_eq!((retry.failed(ms(*now), 0.0), retry.n_failed()), (pause.map(ms), n), "at {now} ms");
    }
}

#[test]
fn time_counts_from_the_first_failure() {
    let retry = || Retry::new(Retries::For(ms(100)), BackOff::CHUNK);
    check_retry(retry(), &[(1_000, Some(10)), (1_080, Some(20))]);
    check_retry(retry(), &[(1_000, Some(10)), (1_081, None)]);
}
#[test]
fn time_counts_from_the_start() {
    let retry = Retry::new(Retries::For(ms(100)), BackOff::CHUNK).since(ms(910));
    check_retry(retry, &[(1_000, Some(10)), (1_000, None)]);
}
#[test]
fn pauses_grow_until_the_time_is_over() {
    let pause = |n_failed, elapsed| Retries::For(ms(100)).pause(BackOff::TRANSACTION, n_failed, elapsed, 1.0);
    assert_eq!(pause(1, ms(0)), Some(ms(5)));
    assert_eq!(pause(3, ms(80)), Some(ms(20)));
    assert_eq!(pause(3, ms(81)), None);
    assert_eq!(pause(1, Duration::MAX), None);
}
#[test]
fn no_time_at_all() {
    check_retry(Retry::new(Retries::For(Duration::ZERO), BackOff::CHUNK), &[(5, None)]);
    check_retry(Retry::new(Retries::Never, BackOff::CHUNK), &[(5, None)]);
}
#[test]
fn attempts_are_counted() {
    check_retry(Retry::new(Retries::Times(2), BackOff::CHUNK), &[(0, Some(10)), (9_999, Some(20)), (9_999, None)]);
}
