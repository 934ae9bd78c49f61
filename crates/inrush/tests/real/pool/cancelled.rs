//! Futures that are dropped while they wait: neither a place nor a connection is lost with them.

use super::{on_all, one, options};
use crate::cases::{Case, Shell};
use inrush::{Config, Pool};
use inrush_testkit::patience::{Wait, until};
use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use tokio::runtime::Runtime;

/// Polls the future until it has been pending `n` times, and then drops it. `Some`: it was ready before.
async fn cut_off<T>(future: impl Future<Output = T>, n: usize) -> Option<T> {
    let mut future = pin!(future);
    for _ in 0..n {
        let polled = std::future::poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await;
        if let Poll::Ready(value) = polled {
            return Some(value);
        }
        // Lets the sockets move on.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    None
}

#[track_caller]
fn check(case: &Case, config: &Config, check: impl AsyncFn(&Pool)) {
    let Case { shell: Shell::Tokio, .. } = case else { return };
    let runtime: Runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let pool = Pool::new(config).unwrap();
        check(&pool).await;
        // All of it is still there: as many connections as there may be, at the same time.
        let mut all = Vec::new();
        for _ in 0..pool.status().max {
            all.push(pool.get().await.unwrap());
        }
        for lent in &mut all {
            assert_eq!(lent.query_one::<(u32,)>("SELECT 1", ()).await.unwrap(), (1,));
        }
        drop(all);
        let status = pool.status();
        assert_eq!((status.in_use, status.opening, status.waiting, status.idle), (0, 0, 0, status.max), "{status:?}");
    });
}

#[test]
fn at_every_await_of_opening() {
    on_all(|case| {
        let Case { shell: Shell::Tokio, .. } = case else { return };
        // On a busy machine an answer may be there before it is waited for: then again.
        until("an opening that waits several times", || {
            let n = Cell::new(0);
            check(case, &one(case), async |pool| {
                // Until it gets through.
                while cut_off(pool.get(), n.get()).await.is_none() {
                    let status = pool.status();
                    assert_eq!((status.in_use, status.opening, status.waiting), (0, 0, 0), "{n:?}: {status:?}");
                    n.set(n.get() + 1);
                }
            });
            n.get() > 2
        });
    });
}

#[test]
fn at_every_await_of_a_check_and_of_a_clean_up() {
    on_all(|case| {
        let config = case.config().with_pool(options().with_max(1).with_check_after(Some(Duration::ZERO)));
        for leave in ["DO 1", "SET @x = 1"] {
            check(case, &config, async |pool| {
                let (wait, mut n_cut) = (Wait::begin(), 0);
                for n in (0..8).cycle() {
                    pool.get().await.unwrap().execute(leave, ()).await.unwrap();
                    let is_cut = cut_off(pool.get(), n).await.is_none();
                    let status = pool.status();
                    assert_eq!((status.in_use, status.opening, status.waiting), (0, 0, 0), "{n}: {status:?}");
                    // One that is not even begun is no wait.
                    n_cut += usize::from(is_cut && n > 0);
                    if n == 7 && n_cut > 0 {
                        break;
                    }
                    wait.check(format_args!("a clean-up that waits, behind `{leave}`"));
                }
                assert_eq!(pool.get().await.unwrap().query_one::<(u32,)>("SELECT @x IS NULL", ()).await.unwrap(), (1,));
            });
        }
    });
}

#[test]
fn in_the_queue() {
    on_all(|case| {
        check(case, &one(case), async |pool| {
            let lent = pool.get().await.unwrap();
            assert!(cut_off(pool.get(), 3).await.is_none());
            assert_eq!(pool.status().waiting, 0);
            // Served, and dropped before it looked.
            let mut first = Box::pin(pool.get());
            let mut second = Box::pin(pool.get());
            let cx = &mut Context::from_waker(Waker::noop());
            assert!(first.as_mut().poll(cx).is_pending() && second.as_mut().poll(cx).is_pending());
            assert_eq!(pool.status().waiting, 2);
            drop(lent);
            assert_eq!((pool.status().waiting, pool.status().in_use), (1, 1));
            drop(first);
            assert_eq!((pool.status().waiting, pool.status().in_use), (0, 1), "it went on to the second");
            drop(second.await.unwrap());
        });
    });
}

#[test]
fn by_a_time_out_of_the_callers() {
    on_all(|case| {
        check(case, &one(case), async |pool| {
            let lent = pool.get().await.unwrap();
            for _ in 0..5 {
                tokio::time::timeout(Duration::from_millis(5), pool.get()).await.unwrap_err();
            }
            assert_eq!(pool.status().waiting, 0);
            drop(lent);
        });
    });
}

#[test]
fn a_query_that_was_dropped_ends_its_connection() {
    on_all(|case| {
        check(case, &one(case), async |pool| {
            let mut lent = pool.get().await.unwrap();
            let id = lent.connection_id();
            tokio::time::timeout(Duration::from_millis(20), lent.execute("DO SLEEP(30)", ())).await.unwrap_err();
            drop(lent);
            assert_ne!(pool.get().await.unwrap().connection_id(), id);
        });
    });
}

#[test]
fn without_a_runtime() {
    on_all(|case| {
        let Case { shell: Shell::Tokio, .. } = case else { return };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // Made and used outside of it, as far as that goes; and given back after it is gone.
        let pool = Pool::new(one(case)).unwrap();
        let mut lent = runtime.block_on(pool.get()).unwrap();
        runtime.block_on(lent.execute("SET @x = 1", ())).unwrap();
        drop(lent);
        let mut lent = runtime.block_on(pool.get()).unwrap();
        runtime.block_on(lent.execute("BEGIN", ())).unwrap();
        drop(runtime);
        drop(lent);
        let next = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let mut lent = next.block_on(pool.get()).unwrap();
        assert_eq!(next.block_on(lent.query_one::<(u32,)>("SELECT @x IS NULL", ())).unwrap(), (1,));
        pool.close();
    });
}
