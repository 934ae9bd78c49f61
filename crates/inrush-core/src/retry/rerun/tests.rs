use super::*;
use crate::error::Kind;

fn server(code: u16) -> Error {
    Error::server(code, *b"HY000", "no")
}
fn lost() -> Error {
    Error::new(Kind::Io, "the connection was lost")
}
fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// The first failure, without and with a ledger, where it may be run again twice.
#[track_caller]
fn check_ledger(stage: Stage, error: &Error, without: Next, with: Next) {
    for (has_ledger, want) in [(false, without), (true, with)] {
        let mut rerun = Rerun::new(Retries::Times(2), has_ledger);
        assert_eq!(rerun.failed(stage, Some(error), ms(0), 1.0), want, "{stage:?} {error:?}, ledger: {has_ledger}");
    }
}
#[track_caller]
fn check(stage: Stage, error: &Error, want: Next) {
    check_ledger(stage, error, want, want);
}
const AGAIN: Next = Next::Again(Duration::from_millis(5));
const SETTLE: Next = Next::Settle(Duration::from_millis(5));

#[test]
fn before_anything_was_sent() {
    for error in [lost(), lost().timed_out(), server(1040), server(1203), server(1053)] {
        check(Stage::Before, &error, AGAIN);
    }
    for error in [server(1045), server(1049), Error::config("no such file")] {
        check(Stage::Before, &error, Next::Fail);
    }
}
#[test]
fn a_pools_time_out_is_not_repeated() {
    check(Stage::Before, &lost().not_fatal().timed_out().because(Reason::PoolExhausted), Next::Fail);
    check(Stage::Before, &lost().not_fatal().timed_out().because(Reason::PoolTimedOut), Next::Fail);
    check(Stage::Before, &Error::new(Kind::Interrupted, "closed").because(Reason::PoolClosed), Next::Fail);
}
#[test]
fn a_transaction_without_commit_is_rolled_back() {
    for error in [
        server(1213),
        server(1205),
        server(1020),
        lost(),
        server(2013).fatal(),
        server(1927).fatal(),
        server(1317).fatal(),
    ] {
        check(Stage::Open, &error, AGAIN);
    }
    for error in [server(1062), server(1146), server(1317), server(1792), Error::config("the transaction is over")] {
        check(Stage::Open, &error, Next::Fail);
    }
}
#[test]
fn what_may_have_committed_by_itself_is_not_run_again() {
    check(Stage::Open, &lost().outcome_unknown(), Next::Fail);
    check(Stage::Open, &server(1213).outcome_unknown(), Next::Fail);
}
#[test]
fn a_time_out_is_not_run_again() {
    check(Stage::Open, &lost().timed_out(), Next::Fail);
    check(Stage::Open, &server(1317).timed_out(), Next::Fail);
    check(Stage::Open, &lost().not_fatal().timed_out().because(Reason::PoolExhausted), Next::Fail);
    check_ledger(Stage::Commit, &lost().timed_out().outcome_unknown(), Next::Unknown, SETTLE);
}
#[test]
fn an_error_that_shows_none_of_the_database_is_returned() {
    assert_eq!(Rerun::new(Retries::Times(9), true).failed(Stage::Open, None, ms(0), 0.0), Next::Fail);
}
#[test]
fn a_commit() {
    for error in
        [lost().outcome_unknown(), server(2013).fatal().outcome_unknown(), server(1053).fatal().outcome_unknown()]
    {
        check_ledger(Stage::Commit, &error, Next::Unknown, SETTLE);
    }
    check(Stage::Commit, &server(1213), AGAIN);
    check(Stage::Commit, &server(1180), AGAIN);
    check(Stage::Commit, &server(1114), Next::Fail);
}
#[test]
fn the_ledger_is_read_until_it_answers() {
    for error in [lost(), server(1205), server(1040), server(1317), Error::protocol("odd bytes")] {
        check(Stage::Settle, &error, SETTLE);
    }
    check(Stage::Settle, &server(1146), Next::Unknown);
    check(Stage::Settle, &Error::new(Kind::Guarantee, "the line was changed"), Next::Unknown);
}
#[test]
fn the_ledger_is_read_for_a_time_also_where_nothing_is_run_again() {
    let mut rerun = Rerun::new(Retries::Never, true);
    assert_eq!(rerun.failed(Stage::Commit, Some(&lost()), ms(1_000), 1.0), SETTLE);
    assert_eq!(rerun.failed(Stage::Settle, Some(&lost()), ms(2_000), 1.0), Next::Settle(ms(10)));
    assert_eq!(rerun.failed(Stage::Settle, Some(&lost()), ms(31_001), 1.0), Next::Unknown);
    // Nothing is stored, and nothing is run again.
    assert_eq!(rerun.failed(Stage::Open, Some(&lost()), ms(2_001), 1.0), Next::Fail);
}
#[test]
fn as_often_as_the_options_say() {
    let mut rerun = Rerun::new(Retries::Times(2), false);
    let mut failed = || rerun.failed(Stage::Open, Some(&server(1213)), ms(0), 1.0);
    assert_eq!([failed(), failed(), failed()], [AGAIN, Next::Again(ms(10)), Next::Fail]);
    let mut rerun = Rerun::new(Retries::For(ms(100)), false);
    assert_eq!(rerun.failed(Stage::Open, Some(&lost()), ms(96), 1.0), Next::Fail);
}
