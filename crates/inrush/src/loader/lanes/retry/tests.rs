use crate::loader::lanes::retry::*;
use std::cell::{Cell, RefCell};

fn server(code: u16) -> Error {
    Error::server(code, *b"HY000", "no")
}

/// What is tried, in its order, and the outcome: how many attempts, which errors are reported.
#[track_caller]
fn check(attempts: Vec<Tried<u8>>, want: Result<u8, Why>, n_attempts: usize, reported: &[u16]) {
    check_within(Duration::from_secs(60), &Control::default(), attempts, want, n_attempts, reported);
}

#[track_caller]
fn check_within(
    limit: Duration,
    control: &Control,
    attempts: Vec<Tried<u8>>,
    want: Result<u8, Why>,
    n_attempts: usize,
    reported: &[u16],
) {
    let (n_tried, codes) = (Cell::new(0), RefCell::new(Vec::new()));
    let retrying = Retrying {
        control,
        lane: 0,
        limit,
        back_off: BackOff { first: LEAST_PAUSE, longest: LEAST_PAUSE },
        since: None,
        has_stored: false,
        report: Box::new(|error, _| codes.borrow_mut().push(error.code())),
    };
    let mut attempts = attempts.into_iter();
    let end = retrying.run(Control::is_stopping, |_| {
        n_tried.set(n_tried.get() + 1);
        attempts.next().unwrap()
    });
    assert_eq!(end.map_err(|gave_up| gave_up.why), want);
    assert_eq!((n_tried.get(), codes.borrow().as_slice()), (n_attempts, reported));
}

#[test]
fn what_passes_is_retried_until_it_is_done() {
    check(vec![Tried::Done(1)], Ok(1), 1, &[]);
    check(vec![Tried::Failed(server(1213)), Tried::Failed(server(1205)), Tried::Done(2)], Ok(2), 3, &[1213, 1205]);
}
#[test]
fn what_would_fail_again_is_not() {
    check(vec![Tried::Failed(server(1062))], Err(Why::Final), 1, &[]);
    check(vec![Tried::Failed(server(1197))], Err(Why::TooLarge), 1, &[]);
    check(vec![Tried::Refused(server(1213))], Err(Why::Final), 1, &[]);
}
#[test]
fn another_run_is_waited_for_whatever_the_code() {
    check(vec![Tried::Contended(server(1062)), Tried::Done(3)], Ok(3), 2, &[1062]);
}
#[test]
fn another_way_is_no_retry() {
    check(vec![Tried::AtOnce, Tried::AtOnce, Tried::Done(4)], Ok(4), 3, &[]);
}
#[test]
fn time_ends() {
    let control = Control::default();
    check_within(Duration::ZERO, &control, vec![Tried::Failed(server(1213))], Err(Why::TimeIsOver), 1, &[]);
}
#[test]
fn a_load_that_is_to_end_retries_nothing_and_reports_no_retry() {
    let control = Control::default();
    control.stop();
    let limit = Duration::from_secs(60);
    check_within(limit, &control, vec![Tried::Failed(server(1213))], Err(Why::Interrupted), 1, &[]);
    // What is under way ends all the same.
    check_within(limit, &control, vec![Tried::Done(5)], Ok(5), 1, &[]);
}
#[test]
fn the_next_attempt_reconnects_where_it_must() {
    let control = Control::default();
    let seen = RefCell::new(Vec::new());
    let retrying = Retrying {
        control: &control,
        lane: 0,
        limit: Duration::from_secs(60),
        back_off: BackOff { first: LEAST_PAUSE, longest: LEAST_PAUSE },
        since: None,
        has_stored: false,
        report: Box::new(|_, _| {}),
    };
    let ends = [Some(1053), None, Some(1213), None];
    let done = retrying.run(Control::is_aborted, |reconnect| {
        seen.borrow_mut().push(reconnect);
        match ends.get(seen.borrow().len() - 1) {
            Some(Some(code)) => Tried::Failed(server(*code)),
            Some(None) => Tried::AtOnce,
            None => Tried::Done(()),
        }
    });
    assert!(done.is_ok());
    assert_eq!(*seen.borrow(), [false, true, false, false, false]);
}
#[test]
fn the_error_says_how_often() {
    let gave_up =
        |n_failed| GaveUp { why: Why::TimeIsOver, error: Error::config("no"), n_failed }.counted().to_string();
    assert_eq!((gave_up(1).as_str(), gave_up(3).as_str()), ("no", "given up after 3 attempts: no"));
}
