//! The clean-up between two users of a connection by script, and what it makes of the traces of the first.

use inrush_core::error::{Error, Result};
use inrush_core::session::{Changes, Clean, Cleanup, Discard, Query, ResetPolicy};
use inrush_testkit::captured::OK;
use inrush_testkit::script::{Peer, Script, script};

const HOME: Option<&str> = Some("home");
const REPORT: &[u8] = b"\x03SET NAMES utf8mb4, @@session.session_track_state_change = 1";
/// The OK of a statement that changed the session, by `session_track_state_change`.
const OK_CHANGED: &[u8] = b"\x00\x00\x00\x02\x40\x00\x00\x00\x03\x02\x011";
const UNKNOWN_VARIABLE: &[u8] = b"\xff\xa9\x04#HY000Unknown system variable";

/// A connection whose user did `sql`, if anything, and then the clean-up that this calls for.
fn talk(sql: Option<&str>, policy: ResetPolicy) -> impl Fn(&mut Peer) -> Result<(Cleanup, Cleanup)> {
    move |peer| {
        peer.channel.outbox.watch(false);
        peer.run(&mut Clean::fresh(None))?;
        if let Some(sql) = sql {
            peer.run(&mut Query::new(sql, &mut Discard))?;
        }
        let decide = |peer: &Peer| Changes::of(&peer.channel, None).cleanup(policy, false);
        let before = decide(peer);
        let nobody = || Err(Error::config("no login is needed"));
        if let Some(mut clean) = Clean::new(before, None, None, nobody)? {
            peer.run(&mut clean)?;
        }
        Ok((before, decide(peer)))
    }
}

fn used(command: &[u8], reply: &[u8]) -> Script {
    script().logged_in().command(REPORT).read(OK_CHANGED).command(command).read(reply)
}

const RESET: Cleanup = Cleanup::Reset { schema: false };

#[test]
fn nothing_is_sent_for_nothing() {
    let script = used(b"\x03DO 1", OK);
    script.check(talk(Some("DO 1"), ResetPolicy::WhenChanged), (Cleanup::Nothing, Cleanup::Nothing));
}

#[test]
fn what_the_server_reports_is_reset_once() {
    let script = used(b"\x03SET @x = 1", OK_CHANGED).command(b"\x1f").read(OK).command(REPORT).read(OK_CHANGED);
    let talk = talk(Some("SET @x = 1"), ResetPolicy::WhenChanged);
    script.check(&talk, (RESET, Cleanup::Nothing));
    script.check_splits(&talk);
}

#[test]
fn what_only_the_text_shows_is_reset_once() {
    let script = used(b"\x03DO GET_LOCK('a', 1)", OK).command(b"\x1f").read(OK).command(REPORT).read(OK);
    script.check(talk(Some("DO GET_LOCK('a', 1)"), ResetPolicy::WhenChanged), (RESET, Cleanup::Nothing));
}

#[test]
fn a_transaction_is_rolled_back() {
    const OPEN: &[u8] = b"\x00\x00\x00\x03\x00\x00\x00";
    let script = used(b"\x03BEGIN", OPEN).command(b"\x03ROLLBACK").read(OK);
    script.check(talk(Some("BEGIN"), ResetPolicy::WhenChanged), (Cleanup::Rollback, Cleanup::Nothing));
}

#[test]
fn a_server_that_cannot_report_is_reset_each_time() {
    let names =
        |script: Script| script.command(REPORT).read(UNKNOWN_VARIABLE).command(b"\x03SET NAMES utf8mb4").read(OK);
    let script = names(names(script().logged_in()).command(b"\x1f").read(OK));
    script.check(talk(None, ResetPolicy::WhenChanged), (RESET, RESET));
}

#[test]
fn any_step_may_be_cut_and_a_rollback_may_fail() {
    let reset = |peer: &mut Peer| {
        peer.run(
            &mut Clean::new(Cleanup::Reset { schema: true }, HOME, None, || Err(Error::config("none")))?.unwrap(),
        )?;
        Ok(peer.channel.session.schema().map(str::to_owned))
    };
    let script = script().logged_in().command(b"\x1f").read(OK).command(REPORT).read(OK).command(b"\x02home").read(OK);
    script.check(reset, Some("home".to_owned()));
    script.check_splits(reset);
    let roll_back = |peer: &mut Peer| {
        peer.run(&mut Clean::new(Cleanup::Rollback, None, None, || Err(Error::config("none")))?.unwrap())
    };
    self::script().logged_in().command(b"\x03ROLLBACK").read(OK).check_all(roll_back, ());
}

#[test]
fn a_reset_gives_the_session_its_zone_again() {
    let reset = |peer: &mut Peer| {
        let nobody = || Err(Error::config("none"));
        peer.run(&mut Clean::fresh(Some("+05:30")))?;
        peer.run(&mut Query::new("SET @x = 1", &mut Discard))?;
        let forgotten = peer.channel.session.zone().is_some();
        peer.run(&mut Clean::new(Cleanup::Reset { schema: false }, None, Some("+05:30"), nobody)?.unwrap())?;
        let zone = peer.channel.session.zone().and_then(|zone| zone.to_fixed_offset().ok());
        Ok((forgotten, zone.map(|offset| offset.seconds())))
    };
    const ZONE: &[u8] =
        b"\x03SET NAMES utf8mb4, @@session.time_zone = '+05:30', @@session.session_track_state_change = 1";
    let used = script().logged_in().command(ZONE).read(OK).command(b"\x03SET @x = 1").read(OK);
    let script = used.command(b"\x1f").read(OK).command(ZONE).read(OK);
    script.check(reset, (true, Some(19_800)));
    script.check_splits(reset);
    // A server that cannot report gets the zone all the same.
    const NAMES: &[u8] = b"\x03SET NAMES utf8mb4, @@session.time_zone = '+05:30'";
    let fresh = |peer: &mut Peer| {
        peer.run(&mut Clean::fresh(Some("+05:30")))?;
        Ok(peer.channel.session.zone().is_some())
    };
    self::script().logged_in().command(ZONE).read(UNKNOWN_VARIABLE).command(NAMES).read(OK).check(fresh, true);
}

#[test]
fn an_account_or_a_role_is_given_back_by_nothing() {
    assert!(Clean::new(Cleanup::Discard, HOME, None, || Err(Error::config("none"))).is_err());
}
