//! Pools on real servers: what comes back and what does not, who is served, how they end. As what the next user finds a session
//! is in [`sessions`] and [`batches`], dropped futures are in [`cancelled`].

mod batches;
mod cancelled;
mod sessions;
mod twin;

use crate::cases::{Case, Route, in_cases, kill, until_closed};
use inrush::{Config, Error, Kind, PoolOptions};
use inrush_testkit::patience::{patience, until};
use inrush_testkit::servers;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use twin::TwinPool;

/// All servers, both twins; over TCP and over TLS, which has bytes of its own on the wire.
#[track_caller]
fn on_all(check: impl Fn(&Case) + Sync) {
    in_cases(servers::with_local_infile(), &[Route::Tcp, Route::Tls], check);
}

fn options() -> PoolOptions {
    PoolOptions::new().with_acquire_timeout(Some(patience()))
}

fn one(case: &Case) -> Config {
    case.config().with_pool(options().with_max(1))
}

#[test]
fn a_connection_comes_back_and_goes_out_again() {
    on_all(|case| {
        let pool = TwinPool::new(case, &one(case));
        let first = pool.get().id();
        for _ in 0..3 {
            let mut lent = pool.get();
            assert_eq!(lent.id(), first);
            lent.query("SELECT 1");
        }
        let status = pool.status();
        assert_eq!((status.idle, status.in_use, status.opening, status.waiting), (1, 0, 0, 0));
    });
}

#[test]
fn a_killed_connection_never_comes_back() {
    on_all(|case| {
        let pool = TwinPool::new(case, &one(case));
        // While it rests: it is noticed without a ping.
        let id = pool.get().id();
        kill(&case.server, id);
        let mut lent = pool.get();
        assert_ne!(lent.id(), id);
        lent.query("SELECT 1");
        // While it is in use.
        let id = lent.id();
        case.server.sql(&format!("KILL {id}"));
        lent.try_query("SELECT 1").unwrap_err();
        drop(lent);
        let mut lent = pool.get();
        assert_ne!(lent.id(), id);
        // Unnoticed by its user, and in the middle of a clean-up.
        lent.query("SET @x = 1");
        let id = lent.id();
        case.server.sql(&format!("KILL {id}"));
        drop(lent);
        let mut lent = pool.get();
        assert_ne!(lent.id(), id);
        assert_eq!(lent.ask("SELECT @x IS NULL"), "1");
        assert_eq!(pool.status().in_use, 1);
    });
}

#[test]
fn the_least_number_is_opened_in_the_background_and_kept() {
    on_all(|case| {
        let pool = TwinPool::new(case, &case.config().with_pool(options().with_min(2).with_max(3)));
        pool.until(|status| status.idle == 2);
        let lent = pool.get();
        kill(&case.server, lent.id());
        drop(lent);
        let mut both = [pool.get(), pool.get()];
        both.iter_mut().for_each(|lent| drop(lent.query("SELECT 1")));
        let ids = both.each_ref().map(|lent| lent.id());
        drop(both);
        // One that dies in use is replaced without anybody asking for it.
        let mut lent = pool.get();
        case.server.sql(&format!("KILL {}", lent.id()));
        lent.try_query("SELECT 1").unwrap_err();
        drop(lent);
        pool.until(|status| status.idle == 2);
        let again = [pool.get(), pool.get()].map(|lent| lent.id());
        assert!(again.iter().any(|id| !ids.contains(id)), "{ids:?} {again:?}");
    });
}

#[test]
fn what_rests_too_long_is_closed_and_what_is_too_old_is_replaced() {
    on_all(|case| {
        let limit = Duration::from_millis(200);
        let idle = options().with_max(3).with_min(1).with_idle_timeout(Some(limit));
        let pool = TwinPool::new(case, &case.config().with_pool(idle));
        drop([pool.get(), pool.get(), pool.get()]);
        pool.until(|status| status.idle == 1);
        let old = options().with_max_lifetime(Some(limit));
        let pool = TwinPool::new(case, &case.config().with_pool(old.with_min(1)));
        let mut lent = pool.get();
        let id = lent.id();
        // Its life began before it was lent, and may be up to the jitter shorter.
        thread::sleep(limit);
        // It grows old in use without harm.
        assert_eq!(lent.ask("SELECT 1"), "1");
        drop(lent);
        assert_ne!(pool.get().id(), id);
    });
}

#[test]
fn waiting_ends_with_an_error_that_says_how_things_stand() {
    on_all(|case| {
        let limit = Duration::from_secs(3);
        let options = options().with_max(2).with_acquire_timeout(Some(limit));
        let pool = TwinPool::new(case, &case.config().with_pool(options));
        let _both = [pool.get_at_last(), pool.get_at_last()];
        let before = Instant::now();
        let error = pool.try_get().err().unwrap();
        assert!(before.elapsed() >= limit, "{:?}", before.elapsed());
        assert!(
            error.message().contains("of at most 2, 2 are in use, 0 idle, 0 being opened; 0 more wait"),
            "{error:?}"
        );
        assert!(error.hint().is_some_and(|hint| hint.contains("`pool-max`")), "{error:?}");
        assert!(error.is_timeout() && !error.is_fatal() && !error.is_outcome_unknown(), "{error:?}");
        assert_eq!(pool.status().waiting, 0);
    });
}

/// An account that may have two connections, and a pool that may have eight.
fn narrow(case: &Case, label: &str, options: PoolOptions) -> (String, Config) {
    let user = format!("{label}_{}_{:?}_{:?}", std::process::id(), case.route, case.shell).to_lowercase();
    case.server.sql(&format!("DROP USER IF EXISTS {user}"));
    case.server.sql(&format!("CREATE USER {user} IDENTIFIED BY 'narrow-Pass1' WITH MAX_USER_CONNECTIONS 2"));
    let config = case.config().with_user(&user).with_password("narrow-Pass1");
    (user, config.with_pool(options.with_max(8)))
}

#[test]
fn a_pool_larger_than_the_servers_limit_waits_for_its_own() {
    on_all(|case| {
        let (user, config) = narrow(case, "narrow", options());
        let pool = TwinPool::new(case, &config);
        let n_done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..12 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        assert_eq!(pool.get().ask("SELECT 1"), "1");
                        n_done.fetch_add(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert_eq!(n_done.into_inner(), 60);
        drop(pool);
        // Nothing comes back in time: that is a time-out, and says why.
        let (other_user, config) = narrow(case, "late", options().with_acquire_timeout(Some(Duration::from_secs(1))));
        let pool = TwinPool::new(case, &config);
        let both = [pool.get_at_last(), pool.get_at_last()];
        // A busy server may need more than that time to refuse it.
        until("a refusal in time", || {
            let error = pool.try_get().err().unwrap();
            assert!(error.is_timeout() && !error.is_fatal(), "{error:?}");
            error.message().contains("1226")
        });
        drop(both);
        assert_eq!(pool.get_at_last().ask("SELECT 1"), "1");
        // With nothing to wait for, it is an error at once.
        let rivals = [pool.get_at_last(), pool.get_at_last()];
        let other = TwinPool::new(case, &config.with_pool(options().with_max(8)));
        assert_eq!(other.try_get().err().unwrap().code(), 1226);
        drop(rivals);
        case.server.sql(&format!("DROP USER {user}, {other_user}"));
    });
}

#[test]
fn a_failed_attempt_is_one_users_error() {
    on_all(|case| {
        let nobody = case.config().with_user("nobody_knows").with_pool(options().with_max(1));
        let pool = TwinPool::new(case, &nobody);
        for _ in 0..2 {
            let error: Error = pool.try_get().err().unwrap();
            assert!(error.message().contains("cannot log in"), "{error:?}");
        }
        let status = pool.status();
        assert_eq!((status.in_use, status.opening, status.idle), (0, 0, 0));
    });
}

#[test]
fn a_closed_pool_lends_nothing() {
    on_all(|case| {
        let pool = TwinPool::new(case, &case.config().with_pool(options().with_max(2)));
        drop([pool.get(), pool.get()]);
        let lent = pool.get();
        let id = lent.id();
        pool.close();
        let error = pool.try_get().err().unwrap();
        assert!(error.kind() == Kind::Interrupted && error.message().contains("closed"), "{error:?}");
        assert!(!pool.close_and_wait(Duration::from_millis(50)), "one is still in use");
        drop(lent);
        assert!(pool.close_and_wait(patience()));
        let status = pool.status();
        assert_eq!((status.in_use, status.idle, status.opening), (0, 0, 0));
        until_closed(&case.server, id);
    });
}

#[test]
fn closing_lets_go_those_who_wait() {
    on_all(|case| {
        let pool = Arc::new(TwinPool::new(case, &one(case)));
        let _lent = pool.get();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| pool.try_get().err().unwrap());
            pool.until(|status| status.waiting == 1);
            pool.close();
            assert_eq!(waiting.join().unwrap().kind(), Kind::Interrupted);
        });
    });
}

#[test]
fn those_who_wait_are_served_in_their_order() {
    on_all(|case| {
        let pool = TwinPool::new(case, &one(case));
        let lent = pool.get();
        let served = AtomicUsize::new(0);
        thread::scope(|scope| {
            for n in 0..8 {
                let (pool, served) = (&pool, &served);
                scope.spawn(move || {
                    let mut lent = pool.get();
                    assert_eq!(served.fetch_add(1, Ordering::SeqCst), n);
                    lent.query("SELECT 1");
                });
                pool.until(|status| status.waiting == n + 1);
            }
            drop(lent);
        });
        assert_eq!(pool.status().idle, 1);
    });
}

#[test]
fn many_share_few() {
    on_all(|case| {
        let pool = TwinPool::new(case, &case.config().with_pool(options().with_max(4)));
        let n_used = AtomicUsize::new(0);
        thread::scope(|scope| {
            for n in 0..24 {
                let (pool, n_used) = (&pool, &n_used);
                scope.spawn(move || {
                    for _ in 0..10 {
                        let mut lent = pool.get();
                        assert!(n_used.fetch_add(1, Ordering::SeqCst) < 4);
                        assert_eq!(lent.ask("SELECT @mine IS NULL"), "1");
                        if n % 2 == 0 {
                            lent.query("SET @mine = 1");
                        }
                        n_used.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        let status = pool.status();
        assert!(status.in_use == 0 && status.waiting == 0 && status.idle <= 4, "{status:?}");
    });
}
