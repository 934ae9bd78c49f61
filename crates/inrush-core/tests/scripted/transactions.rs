//! Transactions by script: what is sent, what is owed after each way to end, with every fault at every step.

use inrush_core::error::Result;
use inrush_core::session::transaction::{Begin, Commit, release, savepoint};
use inrush_core::session::{Discard, Isolation, Query, TransactionOptions, simple};
use inrush_testkit::captured::OK;
use inrush_testkit::script::{Peer, Script, script};

/// An OK while a transaction is open.
const OPEN: &[u8] = b"\x00\x00\x00\x03\x00\x00\x00";
const DEADLOCK: &[u8] = b"\xff\xbd\x04#40001Deadlock found";
const DUPLICATE: &[u8] = b"\xff\x26\x04#23000Duplicate entry";
const READ_ONLY: &[u8] = b"\xff\x0a\x05#HY000The server is running with the --read-only option";
const NO_SAVEPOINT: &[u8] = b"\xff\x19\x05#42000SAVEPOINT inrush_2 does not exist";

/// Pays what is owed, as a shell does before each use.
fn settle(peer: &mut Peer) -> Result<()> {
    while let Some(mut debt) = peer.channel.session.debt() {
        peer.run(&mut debt)?;
    }
    Ok(())
}

fn run(peer: &mut Peer, sql: &str) -> Result<()> {
    settle(peer)?;
    peer.channel.session.check_use()?;
    peer.run(&mut Query::new(sql, &mut Discard)).map(drop)
}

fn begin(peer: &mut Peer) -> Result<()> {
    settle(peer)?;
    peer.channel.session.check_begin()?;
    peer.run(&mut Begin::new(&TransactionOptions::new()))
}

fn begun() -> Script {
    script().logged_in().command(b"\x03START TRANSACTION").read(OPEN)
}

#[test]
fn begins_and_commits() {
    let script = begun().command(b"\x03DO 1").read(OPEN).command(b"\x03COMMIT").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        run(peer, "DO 1")?;
        settle(peer)?;
        peer.run(&mut Commit::default())?;
        Ok((peer.channel.session.in_transaction(), peer.channel.session.debt().is_none()))
    };
    script.check_all(talk, (false, true));
}

#[test]
fn begins_with_a_level() {
    let script = script().logged_in().command(b"\x03SET TRANSACTION ISOLATION LEVEL SERIALIZABLE").read(OK);
    let script = script.command(b"\x03START TRANSACTION").read(OPEN);
    let talk = |peer: &mut Peer| {
        peer.run(&mut Begin::new(&TransactionOptions::new().with_isolation(Isolation::Serializable)))?;
        Ok(peer.channel.session.needs_rollback())
    };
    script.check_all(talk, false);
}

#[test]
fn a_level_whose_transaction_did_not_begin_is_taken_back() {
    let script = script().logged_in().command(b"\x03SET TRANSACTION ISOLATION LEVEL SERIALIZABLE").read(OK);
    let script = script.command(b"\x03START TRANSACTION").read(READ_ONLY).command(b"\x03ROLLBACK").read(OK);
    let talk = |peer: &mut Peer| {
        let options = TransactionOptions::new().with_isolation(Isolation::Serializable);
        let code = peer.run(&mut Begin::new(&options)).unwrap_err().code();
        settle(peer)?;
        Ok((code, peer.channel.session.needs_rollback()))
    };
    script.check(talk, (1290, false));
}

/// Both commands at once, and their replies.
fn in_one_flight(isolation: &[u8], start: &[u8]) -> Script {
    let script = script().logged_in().command(b"\x03SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    script.command(b"\x03START TRANSACTION").reply_to(1).read(isolation).reply_to(1).read(start)
}

fn begin_in_one_flight(peer: &mut Peer) -> Result<()> {
    let options = TransactionOptions::new().with_isolation(Isolation::ReadCommitted);
    peer.run(&mut Begin::new(&options).in_one_flight(true))
}

#[test]
fn begins_with_a_level_in_one_flight() {
    let script = in_one_flight(OK, OPEN);
    script.check(begin_in_one_flight, ());
    script.check_splits(begin_in_one_flight);
}

#[test]
fn whatever_is_refused_in_one_flight_is_taken_back() {
    for (isolation, start, code) in [(READ_ONLY, OPEN, 1290), (OK, READ_ONLY, 1290), (DUPLICATE, READ_ONLY, 1062)] {
        let mut script = in_one_flight(isolation, start);
        let undoes = isolation == OK || start == OPEN;
        if undoes {
            script = script.command(b"\x03ROLLBACK").read(OK);
        }
        let talk = |peer: &mut Peer| {
            let code = begin_in_one_flight(peer).unwrap_err().code();
            assert_eq!(peer.channel.session.needs_rollback(), undoes);
            settle(peer)?;
            Ok(code)
        };
        script.check(talk, code);
    }
}

#[test]
fn a_level_that_is_refused_leaves_nothing() {
    let script = script().logged_in().command(b"\x03SET TRANSACTION ISOLATION LEVEL SERIALIZABLE").read(READ_ONLY);
    let talk =
        |peer: &mut Peer| peer.run(&mut Begin::new(&TransactionOptions::new().with_isolation(Isolation::Serializable)));
    script.check_fails(talk, |e| e.code() == 1290);
}

#[test]
fn what_was_abandoned_is_undone_before_anything_else() {
    let script = begun().command(b"\x03ROLLBACK").read(OK).command(b"\x03DO 1").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        peer.channel.session.abandon(1);
        assert!(peer.channel.session.needs_rollback());
        run(peer, "DO 1")
    };
    script.check_splits(talk);
    script.check(talk, ());
}

#[test]
fn a_rollback_that_fails_ends_the_connection() {
    let script = begun().command(b"\x03ROLLBACK").read(READ_ONLY);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        peer.channel.session.abandon(1);
        settle(peer)
    };
    script.check_fails(talk, |e| e.is_fatal());
}

#[test]
fn savepoints_nest() {
    let script = begun().command(b"\x03SAVEPOINT inrush_2").read(OPEN).command(b"\x03SAVEPOINT inrush_3").read(OPEN);
    let script = script.command(b"\x03RELEASE SAVEPOINT inrush_3").read(OPEN);
    let script = script.command(b"\x03ROLLBACK TO SAVEPOINT inrush_2").read(OPEN).command(b"\x03COMMIT").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        let outer = peer.run(&mut savepoint(&peer.channel.session))?;
        let inner = peer.run(&mut savepoint(&peer.channel.session))?;
        peer.run(&mut release(inner))?;
        peer.channel.session.abandon(outer);
        settle(peer)?;
        peer.run(&mut Commit::default())?;
        Ok((outer, inner))
    };
    script.check_splits(talk);
    script.check(talk, (2, 3));
}

#[test]
fn after_an_error_the_server_is_asked_whether_it_is_still_open() {
    let script = begun().command(b"\x03INSERT").read(DUPLICATE).command(b"\x0e").read(OPEN);
    let script = script.command(b"\x03INSERT").read(OPEN).command(b"\x03COMMIT").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        run(peer, "INSERT").unwrap_err();
        run(peer, "INSERT")?;
        settle(peer)?;
        peer.run(&mut Commit::default())
    };
    script.check(talk, ());
}

#[test]
fn nothing_is_sent_behind_a_deadlock() {
    let script = begun().command(b"\x03UPDATE").read(DEADLOCK).command(b"\x0e").read(OK);
    let script = script.command(b"\x03ROLLBACK").read(OK).command(b"\x03DO 1").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        assert_eq!(run(peer, "UPDATE").unwrap_err().code(), 1213);
        for _ in 0..2 {
            let error = run(peer, "INSERT").unwrap_err();
            assert!(error.is_retryable() && error.message().contains("is over"), "{error:?}");
        }
        peer.channel.session.abandon(1);
        run(peer, "DO 1")
    };
    script.check(talk, ());
}

#[test]
fn a_savepoint_that_is_gone_with_its_transaction_is_no_fault() {
    let script = begun().command(b"\x03SAVEPOINT inrush_2").read(OPEN).command(b"\x03UPDATE").read(DEADLOCK);
    let script = script.command(b"\x03ROLLBACK TO SAVEPOINT inrush_2").read(NO_SAVEPOINT).command(b"\x0e").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        let depth = peer.run(&mut savepoint(&peer.channel.session))?;
        run(peer, "UPDATE").unwrap_err();
        peer.channel.session.abandon(depth);
        Ok(run(peer, "INSERT").unwrap_err().message().contains("is over"))
    };
    script.check(talk, true);
}

#[test]
fn a_commit_that_fails_is_followed_by_a_rollback() {
    let script = begun().command(b"\x03COMMIT").read(DEADLOCK).command(b"\x03ROLLBACK").read(OK);
    let script = script.command(b"\x0e").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        let mut commit = Commit::default();
        assert!(!commit.was_sent());
        let code = peer.run(&mut commit).unwrap_err().code();
        assert!(commit.was_sent());
        settle(peer)?;
        peer.run(&mut simple::ping())?;
        Ok(code)
    };
    script.check(talk, 1213);
}

#[test]
fn a_second_one_is_refused() {
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        let error = begin(peer).unwrap_err();
        Ok(error.hint().is_some() && !error.is_fatal())
    };
    begun().check(talk, true);
    let by_hand = script().logged_in().command(b"\x03BEGIN").read(OPEN);
    let talk = |peer: &mut Peer| {
        run(peer, "BEGIN")?;
        Ok(begin(peer).is_err())
    };
    by_hand.check(talk, true);
}

#[test]
fn a_server_that_flags_nothing_is_not_judged_by_its_flags() {
    let script = script().logged_in().command(b"\x03START TRANSACTION").read(OK).command(b"\x03DO 1").read(DUPLICATE);
    let script = script.command(b"\x03DO 1").read(OK).command(b"\x03COMMIT").read(OK);
    let talk = |peer: &mut Peer| {
        begin(peer)?;
        run(peer, "DO 1").unwrap_err();
        run(peer, "DO 1")?;
        settle(peer)?;
        peer.run(&mut Commit::default())
    };
    script.check(talk, ());
}
