use super::*;

fn server(code: u16) -> Error {
    Error::server(code, *b"HY000", "no")
}

fn lost() -> Error {
    Error::new(Kind::Io, "the connection was lost")
}

const AGAIN: Fate = Fate::Again(Over::TheSame);
const ANEW: Fate = Fate::Again(Over::ANewConnection);

#[track_caller]
fn check(stage: Stage, error: Error, want: Fate) {
    assert_eq!(fate(stage, &error, false), want);
    // A ledger changes only what is known about a COMMIT.
    if stage != Stage::Commit {
        assert_eq!(fate(stage, &error, true), want);
    }
}

#[track_caller]
fn check_commit(error: Error, without: Fate, with: Fate) {
    assert_eq!(fate(Stage::Commit, &error, false), without);
    assert_eq!(fate(Stage::Commit, &error, true), with);
}

#[test]
fn nothing_was_sent_yet() {
    check(Stage::Before, lost(), ANEW);
    check(Stage::Before, lost().timed_out(), ANEW);
    check(Stage::Before, server(1040), ANEW);
    check(Stage::Before, server(1203), ANEW);
    check(Stage::Before, server(1226), ANEW);
    check(Stage::Before, server(1045), Fate::Failed);
    check(Stage::Before, Error::new(Kind::Interrupted, "the pool is closed"), Fate::Failed);
    check(Stage::Before, Error::config("no such file"), Fate::Failed);
}
#[test]
fn a_lost_race_is_run_again() {
    check(Stage::Write, server(1213), AGAIN);
    check(Stage::Write, server(1205), AGAIN);
    check(Stage::Open, server(1213), AGAIN);
    check(Stage::Open, server(1020), AGAIN);
}
#[test]
fn the_servers_word_that_it_ends_is_an_answer() {
    check(Stage::Write, server(1053), ANEW);
    check(Stage::Write, server(1927).fatal(), ANEW);
    check(Stage::Write, server(4031).fatal(), ANEW);
    check(Stage::Write, server(1317), Fate::Failed);
    check(Stage::Write, server(1317).fatal(), ANEW);
    check(Stage::Write, server(3169).fatal(), ANEW);
}
#[test]
fn a_connection_lost_on_the_way_leaves_doubt_unless_a_commit_was_to_come() {
    check(Stage::Write, lost().outcome_unknown(), Fate::Unknown);
    check(Stage::Write, lost(), ANEW);
    check(Stage::Write, server(1180).outcome_unknown(), Fate::Unknown);
    check(Stage::Write, Error::server(0, *b"HYT00", "too late").timed_out(), Fate::Unknown);
    check(Stage::Write, server(2013).fatal().outcome_unknown(), Fate::Unknown);
    check(Stage::Open, server(2013).fatal(), ANEW);
    check(Stage::Open, lost(), ANEW);
    check(Stage::Open, Error::protocol("odd bytes"), ANEW);
}
#[test]
fn a_commit_whose_answer_was_lost() {
    check_commit(lost().outcome_unknown(), Fate::Unknown, Fate::Doubt);
    check_commit(lost(), Fate::Unknown, Fate::Doubt);
    check_commit(server(1180), AGAIN, AGAIN);
    check_commit(server(1213), AGAIN, AGAIN);
    check_commit(server(3101), AGAIN, AGAIN);
    check_commit(server(2013).fatal(), Fate::Unknown, Fate::Doubt);
    check_commit(server(1114), Fate::Failed, Fate::Failed);
}
#[test]
fn the_ledger_is_asked_until_it_answers() {
    check(Stage::Settle, lost(), Fate::Doubt);
    check(Stage::Settle, server(1205), Fate::Doubt);
    check(Stage::Settle, server(1317), Fate::Doubt);
    check(Stage::Settle, server(1146), Fate::Unknown);
    check(Stage::Settle, Error::new(Kind::Interrupted, "the pool is closed"), Fate::Unknown);
}
#[test]
fn what_is_wrong_with_the_statement_stays_wrong() {
    for error in [server(1146), server(1142), server(1064), Error::config("no")] {
        check(Stage::Write, error.clone(), Fate::Failed);
        check(Stage::Open, error, Fate::Failed);
    }
}
