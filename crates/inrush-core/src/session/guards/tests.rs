//! Tables over the guards of one connection.

use super::*;

#[derive(Clone, Copy)]
enum Did {
    Enter(u32),
    Leave(u32),
    Abandon(u32),
    /// An OK: whether it has the flag, and the ERR before it.
    Ok(bool, Option<u16>),
}

use Did::{Abandon, Enter, Leave};

#[track_caller]
fn after(steps: &[Did]) -> Guards {
    let mut guards = Guards::default();
    guards.began(true);
    for step in steps {
        match *step {
            Enter(depth) => guards.entered(depth),
            Leave(depth) => guards.left(depth),
            Abandon(depth) => guards.abandon(depth),
            Did::Ok(flag, refusal) => guards.see(flag, refusal),
        }
    }
    guards
}

#[track_caller]
fn check(steps: &[Did], undo_from: Option<u32>, is_open: bool) {
    let guards = after(steps);
    assert_eq!((guards.undo_from(), guards.is_open()), (undo_from, is_open));
}

#[test]
fn a_transaction_that_ends_leaves_nothing() {
    check(&[Leave(1)], None, false);
    check(&[Leave(1), Abandon(1)], None, false);
    check(&[Enter(2), Enter(3), Leave(1), Abandon(3), Abandon(2), Abandon(1)], None, false);
}
#[test]
fn a_transaction_without_an_end_is_undone() {
    check(&[Abandon(1)], Some(1), true);
    check(&[Enter(2), Leave(2), Abandon(1)], Some(1), true);
}
#[test]
fn a_savepoint_without_an_end_is_undone() {
    check(&[Enter(2), Abandon(2)], Some(2), true);
    check(&[Enter(2), Abandon(2), Leave(2)], None, true);
    check(&[Enter(2), Enter(3), Leave(3), Abandon(3)], None, true);
}
#[test]
fn what_is_around_is_undone_with_it() {
    check(&[Enter(2), Enter(3), Abandon(3), Abandon(2)], Some(2), true);
    check(&[Enter(2), Enter(3), Abandon(3), Abandon(2), Abandon(1)], Some(1), true);
    check(&[Enter(2), Abandon(1), Abandon(2)], Some(1), true);
}
#[test]
fn savepoints_end_with_their_transaction() {
    check(&[Enter(2), Did::Ok(false, Some(1213)), Abandon(2)], None, true);
    check(&[Enter(2), Did::Ok(false, Some(1213)), Abandon(2), Abandon(1)], Some(1), true);
}
#[test]
fn half_a_begin_is_undone() {
    let mut guards = Guards::default();
    guards.undo_all();
    assert_eq!(guards.undo_from(), Some(1));
    guards.left(1);
    assert!(guards.undo_from().is_none() && !guards.is_open());
}

#[track_caller]
fn check_ended(steps: &[Did], code: Option<u16>) {
    let error = after(steps).check().err();
    assert_eq!(error.map(|e| e.code()), code);
}

#[test]
fn the_flag_tells_that_it_is_over() {
    check_ended(&[Did::Ok(true, None)], None);
    check_ended(&[Did::Ok(true, Some(1062))], None);
    check_ended(&[Did::Ok(false, None)], Some(0));
    check_ended(&[Did::Ok(false, Some(1213))], Some(1213));
    check_ended(&[Did::Ok(false, Some(1050))], Some(1050));
    // The next error is not a duplicate.
    check_ended(&[Did::Ok(false, Some(1062))], Some(0));
    // Another open transaction does not mean that it is open again.
    check_ended(&[Did::Ok(false, Some(1213)), Did::Ok(true, None)], Some(1213));
    check_ended(&[Did::Ok(false, Some(1213)), Did::Ok(false, Some(1062))], Some(1213));
    check_ended(&[Did::Ok(false, Some(1213)), Leave(1)], None);
}
#[test]
fn an_error_raises_the_question() {
    assert!(after(&[]).is_unsure(Some(1062)));
    assert!(!after(&[]).is_unsure(None));
    assert!(!after(&[Leave(1)]).is_unsure(Some(1062)));
    assert!(!after(&[Did::Ok(false, None)]).is_unsure(Some(1062)));
}
#[test]
fn a_server_without_flags_is_not_judged_by_them() {
    let mut guards = Guards::default();
    guards.began(false);
    guards.see(false, Some(1213));
    guards.check().unwrap();
    assert!(!guards.is_unsure(Some(1213)));
}

fn says(guards: &mut Guards) -> Option<String> {
    guards.check().err().map(|error| error.message().to_owned())
}

fn lost_rows() -> Option<String> {
    Some("3 rows for `t` were never written: a `BulkInserter` was dropped".to_owned())
}

#[test]
fn rows_that_were_never_written_fail_the_next_use_once() {
    let mut guards = Guards::default();
    guards.forgot(3, "t");
    assert_eq!((says(&mut guards), says(&mut guards)), (lost_rows(), None));
    guards.forgot(3, "t");
    guards.forgive();
    assert_eq!(says(&mut guards), None);
}

#[test]
fn rows_that_were_never_written_spoil_the_transaction() {
    let mut guards = Guards::default();
    guards.began(true);
    guards.forgot(3, "t");
    guards.entered(2);
    guards.abandon(2);
    guards.left(2);
    assert_eq!((says(&mut guards), says(&mut guards)), (lost_rows(), lost_rows()));
    guards.abandon(1);
    guards.left(1);
    assert_eq!(says(&mut guards), None);
}

#[test]
fn a_savepoint_that_is_undone_takes_unwritten_rows_with_it() {
    let mut guards = Guards::default();
    guards.began(true);
    guards.entered(2);
    guards.forgot(3, "t");
    assert_eq!(says(&mut guards), lost_rows());
    guards.abandon(2);
    guards.left(2);
    assert_eq!(says(&mut guards), None);
}
