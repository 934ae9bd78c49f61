//! Pipelines by script, each with every fault at every step and cut at every byte.

use crate::pipeline_talk::{Say, Talk, check, check_once, narrow, say, say_with, texts};
use inrush_core::error::{Error, Kind, Result};
use inrush_core::session::pipeline::{Pipeline, Window};
use inrush_testkit::captured::{COLUMN_CURRENT_USER as COLUMN, OK};
use inrush_testkit::script::{Peer, Script, script};

const END: &[u8] = b"\xfe\x00\x00\x02\x00\x00\x00";
const END_AND_MORE: &[u8] = b"\xfe\x00\x00\x0a\x00\x00\x00";
const EOF: &[u8] = b"\xfe\x00\x00\x02\x00";
/// Autocommit is on, and a transaction is open.
const INSIDE: &[u8] = b"\x00\x01\x00\x03\x00\x00\x00";
/// Autocommit is on, and no transaction is open.
const ONE_ROW: &[u8] = b"\x00\x01\x00\x02\x00\x00\x00";
const DUPLICATE: &[u8] = b"\xff\x26\x04#23000Duplicate entry";
const DEADLOCK: &[u8] = b"\xff\xbd\x04#40001Deadlock found";
const EXECUTE_7: &[u8] = b"\x17\x07\0\0\0\0\x01\0\0\0\0\x01\x08\0\x01\0\0\0\0\0\0\0";

#[test]
fn of_nothing() {
    script().logged_in().check(|peer| say(&[])(peer).map(texts), vec![]);
}

#[test]
fn of_every_kind() {
    let talk = [
        Say::Query("DO 1"),
        Say::Execute(7, 1),
        Say::Prepare("DO ?"),
        Say::Ping,
        Say::ResetStatement(7),
        Say::Close(7),
        Say::Reset,
    ];
    let script = script().logged_in().command(b"\x03DO 1").command(EXECUTE_7).command(b"\x16DO ?").command(b"\x0e");
    let script = script.command(b"\x1a\x07\0\0\0").command(b"\x19\x07\0\0\0");
    let script = script.command(b"\x1f").command(b"\x03SET NAMES utf8mb4");
    let script = script.read(b"\x00\x05\x00\x02\x00\x00\x00");
    let script = script.reply_to(1).read(b"\x02").read(COLUMN).read(COLUMN).read(b"\x00\x08\x01a").read(END);
    let script = script.reply_to(1).read(b"\x00\x09\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00").read(COLUMN);
    let script = script.reply_to(1).read(OK).reply_to(1).read(OK).reply_to(1).read(OK).reply_to(1).read(OK);
    let want = ["5", "2 column: a NULL 0", "prepared DO ?", "0", "0", "-", "0"];
    check(&script, say(&talk), &want);
}

#[test]
fn of_results_with_eofs() {
    let script = script().logged_in_long_ago().command(b"\x03a").command(b"\x03b");
    let script = script.read(b"\x01").read(COLUMN).read(EOF).read(b"\x01x").read(EOF);
    let script = script.reply_to(1).read(b"\x01").read(COLUMN).read(EOF).read(EOF);
    check(&script, say(&[Say::Query("a"), Say::Query("b")]), &["1 column: x 0", "1 column: 0"]);
}

#[test]
fn of_several_results_a_step() {
    let script = script().logged_in().command(b"\x03a;b;c").command(b"\x0e");
    let script = script.read(b"\x01").read(COLUMN).read(b"\x01x").read(END_AND_MORE);
    let script = script.read(b"\x00\x07\x00\x0a\x00\x00\x00").read(b"\x01").read(COLUMN).read(b"\x01y").read(END);
    let script = script.reply_to(1).read(OK);
    check(&script, say(&[Say::Query("a;b;c"), Say::Ping]), &["1 column: x 1 column: y 0", "0"]);
}

#[test]
fn errors_belong_to_their_steps() {
    let script = script().logged_in().command(b"\x03a").command(b"\x16b").command(b"\x03c").command(b"\x0e");
    let script = script.read(DUPLICATE).reply_to(1).read(DUPLICATE);
    // In the middle of rows.
    let script = script.reply_to(1).read(b"\x01").read(COLUMN).read(b"\x01x").read(DUPLICATE).reply_to(1).read(OK);
    let talk = say(&[Say::Query("a"), Say::Prepare("b"), Say::Query("c"), Say::Ping]);
    let want = ["!1062", "!1062", "!1062", "0"];
    check_once(&script, &talk, &want);
    script.check_splits(|peer| talk(peer).map(texts));
}

/// Both parts of a reset are answered; its step fails if either does.
#[test]
fn a_reset_fails_by_either_part() {
    let script = script().logged_in().command(b"\x1f").command(b"\x03SET NAMES utf8mb4").command(b"\x0e");
    for (first, second) in [(DUPLICATE, OK), (OK, DUPLICATE), (DUPLICATE, DEADLOCK)] {
        let script = script.clone().read(first).reply_to(1).read(second).reply_to(1).read(OK);
        check_once(&script, say(&[Say::Reset, Say::Ping]), &["!1062", "0"]);
    }
}

/// The reply to a command of several frames is numbered from behind its last one.
#[test]
fn a_command_of_several_frames() {
    static LONG: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| "x".repeat((1 << 24) - 2));
    let full = [b"\x03", &LONG.as_bytes()[..(1 << 24) - 2]].concat();
    let script = script().logged_in().command(b"\x0e").command(&full).write(b"").command(b"\x0e");
    let script = script.read(OK).reply_to(2).read(ONE_ROW).reply_to(1).read(OK);
    let window = Window { n_bytes: 64 << 20, n_commands: 10 };
    let talk = |peer: &mut Peer| say_with(&[Say::Ping, Say::Query(&LONG), Say::Ping], window, false)(peer).map(texts);
    script.check(talk, vec!["0".into(), "1".into(), "0".into()]);
}

#[test]
fn what_ends_the_connection_ends_the_pipeline() {
    let script = script().logged_in().command(b"\x0e").command(b"\x03a").command(b"\x0e").read(OK).reply_to(1);
    let talk = say(&[Say::Ping, Say::Query("a"), Say::Ping]);
    let killed = script.clone().read(b"\xff\x87\x07#70100Connection was killed");
    killed.check_fails(&talk, |e| e.code() == 1927 && e.is_fatal());
    let file = script.clone().read(b"\xfb/etc/passwd");
    file.check_fails(&talk, |e| e.is_fatal() && e.hint().is_some() && e.message().contains("step 1"));
    let unknown = script.read(b"\xfe");
    unknown.check_fails(&talk, |e| e.kind() == Kind::Protocol);
}

#[test]
fn a_reply_that_nobody_asked_for() {
    let script = script().logged_in().command(b"\x0e").read(OK).reply_to(1).read(OK);
    script.check_fails(say(&[Say::Ping]), |e| e.kind() == Kind::Protocol);
}

/// Ten commands through a window of four: four, then two each time two are answered.
#[test]
fn the_window_is_filled_when_half_of_it_is_empty() {
    let ping = |script: Script| script.command(b"\x0e");
    let pong = |script: Script| script.reply_to(1).read(OK);
    let mut script = (0..4).fold(script().logged_in(), |script, _| ping(script));
    for _ in 0..3 {
        script = ping(ping(pong(pong(script))));
    }
    script = (0..4).fold(script, |script, _| pong(script));
    check(&script, say_with(&[Say::Ping; 10], narrow(4), false), &["0"; 10]);
}

/// By bytes: a ping is five of them, so twelve are three pings.
#[test]
fn the_window_counts_bytes_too() {
    let ping = |script: Script| script.command(b"\x0e");
    let pong = |script: Script| script.reply_to(1).read(OK);
    let script = ping(ping(ping(script().logged_in())));
    let script = ping(ping(pong(pong(script))));
    let script = pong(pong(pong(script)));
    let window = Window { n_bytes: 12, n_commands: 100 };
    check(&script, say_with(&[Say::Ping; 5], window, false), &["0"; 5]);
}

#[test]
fn a_window_of_nothing_still_lets_one_through() {
    let script = (0..3).fold(script().logged_in(), |script, _| script.command(b"\x0e").read(OK));
    check(&script, say_with(&[Say::Ping; 3], Window { n_bytes: 0, n_commands: 0 }, false), &["0"; 3]);
}

#[test]
fn a_wait_lets_every_reply_come_first() {
    let script = script().logged_in().command(b"\x0e").command(b"\x0e").read(OK).reply_to(1).read(OK);
    let script = script.command(b"\x0e").read(OK);
    check(&script, say(&[Say::Ping, Say::Ping, Say::Wait, Say::Ping, Say::Wait]), &["0"; 3]);
}

#[test]
fn a_flight_that_waits_for_nothing_is_stopped() {
    let talk = |peer: &mut Peer| say(&[Say::Wait, Say::Wait, Say::Ping])(peer).map(texts);
    let error = |e: &Error| e.kind() == Kind::Config && !e.is_fatal();
    script().logged_in().check_fails(talk, error);
}

#[test]
fn commands_without_replies_do_not_pile_up() {
    let close = |script: Script| script.command(b"\x19\x07\0\0\0");
    let script = (0..20).fold(script().logged_in(), |script, _| close(script));
    let window = Window { n_bytes: 30, n_commands: 100 };
    check_once(&script, say_with(&[Say::Close(7); 20], window, false), &["-"; 20]);
}

#[test]
fn a_commit_waits_for_every_reply() {
    let script = script().logged_in().command(b"\x03BEGIN").command(b"\x03a").command(b"\x03b");
    let script = script.read(INSIDE).reply_to(1).read(INSIDE).reply_to(1).read(INSIDE).command(b"\x03COMMIT");
    // What follows goes out with it.
    let script = script.command(b"\x0e").read(OK).reply_to(1).read(OK);
    let talk = [Say::Query("BEGIN"), Say::Query("a"), Say::Query("b"), Say::Commit, Say::Ping];
    check_once(&script, say(&talk), &["1", "1", "1", "0", "0"]);
    script.check_splits(|peer| say(&talk)(peer).map(texts));
}

#[test]
fn a_commit_after_a_failure_is_a_rollback() {
    for commit in [Say::Commit, Say::Query(" commit work")] {
        let script = script().logged_in().command(b"\x03BEGIN").command(b"\x03a").command(b"\x03b");
        let script = script.read(INSIDE).reply_to(1).read(DUPLICATE).reply_to(1).read(INSIDE);
        let script = script.command(b"\x03ROLLBACK").read(OK);
        let steps = [Say::Query("BEGIN"), Say::Query("a"), Say::Query("b"), commit];
        let talk = say(&steps);
        check_once(&script, &talk, &["1", "!1062", "1", "!1062"]);
        script.check_splits(|peer| talk(peer).map(texts));
        script.check(
            |peer| Ok(talk(peer)?.pop().and_then(Result::err).map(|e| e.message().to_owned())),
            Some("rolled back instead of committed, because step 1 failed: Duplicate entry".to_owned()),
        );
    }
}

#[test]
fn a_commit_of_a_transaction_that_has_ended_is_a_rollback() {
    let script = script().logged_in().command(b"\x03BEGIN").command(b"\x03a").command(b"\x03b");
    let script = script.read(INSIDE).reply_to(1).read(DEADLOCK).reply_to(1).read(ONE_ROW);
    let script = script.command(b"\x03ROLLBACK").read(OK);
    let talk = say(&[Say::Query("BEGIN"), Say::Query("a"), Say::Query("b"), Say::Commit]);
    check_once(&script, &talk, &["1", "!1213", "1", "!1213"]);
    let hint = |peer: &mut Peer| Ok(talk(peer)?.pop().and_then(Result::err).is_some_and(|e| e.hint().is_some()));
    script.check(hint, true);
}

#[test]
fn a_commit_by_best_effort_waits_for_nothing() {
    let script = script().logged_in().command(b"\x03a").command(b"\x03COMMIT");
    let script = script.read(DUPLICATE).reply_to(1).read(OK);
    check_once(&script, say_with(&[Say::Query("a"), Say::Commit], Window::default(), true), &["!1062", "0"]);
}

/// A source that fails, or a caller who has heard enough, ends the pipeline and not the connection.
#[test]
fn an_end_before_the_end() {
    let script = script().logged_in().command(b"\x0e").command(b"\x0e").read(OK).reply_to(1).read(OK);
    let talk = say(&[Say::Ping, Say::Ping, Say::Fail, Say::Ping]);
    script.check_fails(&talk, |e| e.message() == "the source failed" && !e.is_fatal());
    let talk = |peer: &mut Peer| {
        let to_say = [Say::Ping, Say::Ping, Say::Commit].into();
        let mut talk = Talk { to_say, enough_at: Some(0), ..Talk::default() };
        let end = peer.run(&mut Pipeline::new(&mut talk))?;
        assert_eq!(talk.heard.len(), 1);
        end
    };
    script.check_fails(talk, |e| e.message() == "enough" && !e.is_fatal());
}
