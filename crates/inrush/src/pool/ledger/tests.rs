use super::*;

/// A ledger over numbers; those who wait are letters.
type Book = PoolLedger<u32, char>;

fn options() -> PoolOptions {
    PoolOptions::new().with_max(2)
}

fn start() -> Instant {
    Instant::now()
}

fn seconds(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn resting(item: u32, last_used: Instant) -> Resting<u32> {
    Resting { item, expires: None, last_used }
}

/// A ledger with these idle connections, the last one used last, a second apart.
fn with_idle(options: PoolOptions, items: &[u32], t: Instant) -> Book {
    let mut book = Book::new(options);
    for _ in items {
        assert_eq!(book.take(t), Answer::Acquired(Acquired::Open(None)));
        book.opened();
    }
    for (n, item) in items.iter().enumerate() {
        assert_eq!(book.give_back(resting(*item, t + seconds(n as u64)), t), None);
    }
    book
}

fn lent(answer: Answer<u32>) -> u32 {
    match answer {
        Answer::Acquired(Acquired::Lend(resting)) => resting.item,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_one_used_last_is_lent_first() {
    let t = start();
    let mut book = with_idle(options(), &[1, 2], t);
    assert_eq!([lent(book.take(t)), lent(book.take(t))], [2, 1]);
    assert_eq!(book.take(t), Answer::Wait);
}

#[test]
fn opens_up_to_the_limit() {
    let t = start();
    let mut book = Book::new(options());
    assert_eq!(book.take(t), Answer::Acquired(Acquired::Open(None)));
    assert_eq!(book.take(t), Answer::Acquired(Acquired::Open(None)));
    assert_eq!(book.take(t), Answer::Wait);
}

#[test]
fn who_waits_longest_is_served_first() {
    let t = start();
    let mut book = with_idle(options(), &[1, 2], t);
    let _ = (book.take(t), book.take(t));
    for who in ['a', 'b', 'c'] {
        assert_eq!(book.take(t), Answer::Wait);
        book.wait(who);
    }
    for (item, who) in [(1, 'a'), (2, 'b'), (1, 'c')] {
        book.give_back(resting(item, t), t);
        assert_eq!(book.serve(), Some((who, Acquired::Lend(resting(item, t)))));
        assert_eq!(book.serve(), None);
    }
}

#[test]
fn a_connection_that_is_lost_lets_the_next_one_open() {
    let t = start();
    let mut book = with_idle(options().with_max(1), &[1], t);
    book.take(t);
    let _ = (book.wait('a'), book.wait('b'));
    book.lost();
    assert_eq!(book.serve(), Some(('a', Acquired::Open(None))));
    assert_eq!(book.serve(), None);
}

#[test]
fn who_leaves_is_passed_over() {
    let t = start();
    let mut book = with_idle(options().with_max(1), &[1], t);
    book.take(t);
    let number = book.wait('a');
    book.wait('b');
    book.leave(number);
    book.give_back(resting(1, t), t);
    assert_eq!(book.serve().map(|(who, _)| who), Some('b'));
}

#[test]
fn a_grant_nobody_takes_goes_to_the_next() {
    let t = start();
    let mut book = with_idle(options().with_max(1), &[1], t);
    book.take(t);
    let _ = (book.wait('a'), book.wait('b'));
    book.give_back(resting(1, t), t);
    let (_, acquired) = book.serve().unwrap();
    assert_eq!(book.undo(acquired), None);
    assert_eq!(book.serve(), Some(('b', Acquired::Lend(resting(1, t)))));
}

#[test]
fn a_failed_attempt_costs_one_of_those_who_wait_and_slows_the_next() {
    let t = start();
    let mut book = Book::new(options());
    let _ = (book.take(t), book.take(t));
    let _ = (book.wait('a'), book.wait('b'));
    book.open_failed(t, 0.0);
    assert_eq!(book.serve(), None, "one attempt is still under way");
    book.open_failed(t, 0.0);
    assert_eq!(book.serve(), Some(('a', Acquired::Open(Some(t + Duration::from_millis(100))))));
    assert_eq!(book.serve(), None, "one attempt at a time");
    book.opened();
    assert_eq!(book.serve(), Some(('b', Acquired::Open(None))), "all is well again");
}

#[test]
fn an_attempt_given_up_lets_the_next_one_try() {
    let t = start();
    let mut book = Book::new(options().with_max(1));
    book.take(t);
    book.wait('a');
    book.open_dropped();
    assert_eq!(book.serve(), Some(('a', Acquired::Open(None))));
}

#[track_caller]
fn check_pause(n_failed: u32, jitter: f64, want_ms: u64) {
    assert_eq!(pause_after(n_failed, jitter), Duration::from_millis(want_ms));
}
#[test]
fn pauses_double_up_to_a_limit() {
    check_pause(1, 0.0, 50);
    check_pause(2, 0.0, 100);
    check_pause(7, 0.0, 3200);
    check_pause(8, 0.0, 5000);
    check_pause(u32::MAX, 0.0, 5000);
}
#[test]
fn pauses_are_spread() {
    check_pause(1, 1.0, 25);
    check_pause(8, 0.5, 3750);
}

#[track_caller]
fn check_check(check_after: Option<u64>, rest_ms: u64, want: Check) {
    let t = start();
    let options = options().with_check_after(check_after.map(Duration::from_millis));
    assert_eq!(Book::check(&options, t, t + Duration::from_millis(rest_ms)), want);
}
#[test]
fn a_hot_connection_is_not_checked() {
    check_check(Some(30_000), 0, Check::Nothing);
    check_check(Some(30_000), 4, Check::Nothing);
}
#[test]
fn one_that_rested_is_looked_at() {
    check_check(Some(30_000), 5, Check::Look);
    check_check(Some(30_000), 29_999, Check::Look);
    check_check(None, 1_000_000, Check::Look);
}
#[test]
fn one_that_rested_long_must_answer() {
    check_check(Some(30_000), 30_000, Check::Ping);
    check_check(Some(0), 0, Check::Ping);
}

#[test]
fn one_that_is_too_old_is_neither_lent_nor_taken_back() {
    let t = start();
    let mut book = Book::new(options());
    let _ = (book.take(t), book.take(t));
    book.opened();
    book.opened();
    let old = || Resting { item: 1, expires: Some(t + seconds(10)), last_used: t };
    assert_eq!(book.give_back(old(), t + seconds(9)), None);
    assert_eq!(book.take(t + seconds(10)), Answer::Retire(1));
    assert_eq!(book.give_back(old(), t + seconds(10)), Some(1));
    assert_eq!(book.status().in_use, 0);
}

#[test]
fn lifetimes_are_spread_over_a_tenth() {
    let t = start();
    let book = Book::new(options().with_max_lifetime(Some(seconds(100))));
    assert_eq!(book.expiry(t, 0.0), Some(t + seconds(100)));
    assert_eq!(book.expiry(t, 1.0), Some(t + seconds(90)));
    assert_eq!(Book::new(options().with_max_lifetime(None)).expiry(t, 0.5), None);
}

#[test]
fn those_that_rested_too_long_are_closed_down_to_the_least_number() {
    let t = start();
    let keeping = options().with_max(5).with_min(1).with_idle_timeout(Some(seconds(60)));
    let mut book = with_idle(keeping, &[1, 2, 3], t);
    let chores = book.chores(t + seconds(61));
    assert_eq!((chores.close, chores.open), (vec![1, 2], false));
    let chores = book.chores(t + seconds(600));
    assert_eq!((chores.close, chores.open), (vec![], false));
}

#[test]
fn those_in_use_count_among_the_least_number() {
    let t = start();
    let mut book = with_idle(options().with_min(1), &[1, 2], t);
    book.take(t);
    assert_eq!(book.chores(t + seconds(3600)).close, [1]);
}

#[test]
fn what_is_missing_is_opened_one_at_a_time() {
    let t = start();
    let mut book = Book::new(options().with_min(2));
    assert!(book.is_short());
    assert!(book.chores(t).open);
    assert!(book.chores(t).open);
    assert!(!book.chores(t).open);
    assert!(!book.is_short());
}

#[test]
fn one_too_old_is_replaced_even_among_the_least_number() {
    let t = start();
    let mut book = Book::new(options().with_min(1));
    book.take(t);
    book.opened();
    book.give_back(Resting { item: 1, expires: Some(t + seconds(5)), last_used: t }, t);
    let chores = book.chores(t + seconds(5));
    assert_eq!((chores.close, chores.open), (vec![1], true));
}

#[test]
fn after_a_failure_the_housekeeper_waits() {
    let t = start();
    let mut book = Book::new(options().with_min(1));
    assert!(book.chores(t).open);
    book.open_failed(t, 0.0);
    let chores = book.chores(t);
    assert_eq!((chores.open, chores.again_in), (false, Duration::from_millis(50)));
    assert!(book.chores(t + Duration::from_millis(50)).open);
}

#[test]
fn a_closed_pool_lends_nothing_and_keeps_nothing() {
    let t = start();
    let mut book = with_idle(options(), &[1, 2], t);
    book.take(t);
    book.wait('a');
    assert_eq!(book.close(), [resting(1, t)]);
    assert_eq!(book.serve(), Some(('a', Acquired::Closed)));
    assert_eq!(book.take(t), Answer::Acquired(Acquired::Closed));
    book.wait_for_end('z');
    assert_eq!(book.serve(), None, "one is still in use");
    assert_eq!(book.give_back(resting(2, t), t), Some(2));
    assert_eq!(book.serve(), Some(('z', Acquired::Closed)));
    assert!(!book.chores(t).open);
}

/// Every sequence of calls leaves the book balanced, and no caller waits without a reason.
#[test]
fn whatever_happens_nobody_is_forgotten() {
    use rand::rngs::StdRng;
    use rand::{RngExt as _, SeedableRng as _};
    for seed in 0..300 {
        let random = &mut StdRng::seed_from_u64(seed);
        let mut t = start();
        let options = PoolOptions::new().with_max(random.random_range(1..4)).with_min(random.random_range(0..2));
        let mut book = Book::new(options.with_idle_timeout(Some(seconds(3))));
        let (mut lent, mut opening, mut waiting, mut n_made) = (Vec::new(), 0, Vec::new(), 0);
        for _ in 0..300 {
            t += Duration::from_millis(random.random_range(0..500));
            match random.random_range(0..9) {
                0..=2 => match book.take(t) {
                    Answer::Acquired(Acquired::Lend(resting)) => lent.push(resting),
                    Answer::Acquired(Acquired::Open(_)) => opening += 1,
                    Answer::Wait => waiting.push(book.wait('w')),
                    Answer::Retire(_) => {}
                    Answer::Acquired(Acquired::Closed) => unreachable!(),
                },
                3 => {
                    if let Some(resting) = lent.pop() {
                        book.give_back(Resting { last_used: t, ..resting }, t);
                    }
                }
                4 if opening > 0 => {
                    opening -= 1;
                    n_made += 1;
                    book.opened();
                    lent.push(Resting { item: n_made, expires: book.expiry(t, 0.5), last_used: t });
                }
                5 if opening > 0 => {
                    opening -= 1;
                    match random.random() {
                        true => book.open_failed(t, 0.5),
                        false => book.open_dropped(),
                    }
                }
                6 => match (lent.pop(), random.random()) {
                    (Some(_), true) => book.lost(),
                    (Some(_), false) => {
                        book.replace();
                        opening += 1;
                    }
                    (None, _) => {}
                },
                7 if !waiting.is_empty() => {
                    let at = random.random_range(0..waiting.len());
                    book.leave(waiting.remove(at));
                }
                _ => opening += usize::from(book.chores(t).open),
            }
            while let Some((_, acquired)) = book.serve() {
                if random.random_bool(0.2) {
                    book.undo(acquired);
                    waiting.remove(0);
                    continue;
                }
                waiting.remove(0);
                match acquired {
                    Acquired::Lend(resting) => lent.push(resting),
                    Acquired::Open(_) => opening += 1,
                    Acquired::Closed => unreachable!(),
                }
            }
            let status = book.status();
            assert!(book.settled(), "{status:?} seed {seed}");
            assert_eq!((status.in_use, status.opening, status.waiting), (lent.len(), opening, waiting.len()));
            assert!(status.in_use + status.idle + status.opening <= status.max, "{status:?} seed {seed}");
        }
    }
}

#[test]
fn where_the_server_is_full_one_waits_for_what_comes_back() {
    let t = start();
    let mut book = Book::new(options().with_max(9));
    assert_eq!(
        [book.take(t), book.take(t)],
        [Answer::Acquired(Acquired::Open(None)), Answer::Acquired(Acquired::Open(None))]
    );
    book.opened();
    let retry_at = book.open_refused(t, 0.0).unwrap();
    assert_eq!((retry_at, book.take(t)), (t + Duration::from_millis(50), Answer::Wait));
    book.wait('b');
    assert_eq!((book.wait_refused(None, 'a'), book.serve()), (0, None));
    book.give_back(resting(1, t), t);
    assert_eq!(book.serve(), Some(('a', Acquired::Lend(resting(1, t)))), "before all others");
    // A caller that keeps asking keeps its place.
    assert_eq!([book.wait_refused(Some(0), 'a'), book.wait_refused(None, 'c')], [0, 1]);
    book.leave(0);
    assert_eq!(book.take(t + Duration::from_millis(49)), Answer::Wait);
    assert_eq!(book.take(retry_at), Answer::Acquired(Acquired::Open(Some(retry_at))), "perhaps others have left");
    assert!(book.open_refused(retry_at, 0.0).is_some());
    book.lost();
    assert_eq!(book.serve(), Some(('c', Acquired::Open(None))), "there is room for sure");
    // Nothing can come back.
    assert_eq!(book.open_refused(t, 0.0), None);
    assert_eq!(book.serve(), Some(('b', Acquired::Open(Some(t + Duration::from_millis(50))))));
    assert!(book.settled());
}
