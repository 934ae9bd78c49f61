//! Concurrent clients: their shared state, their end, and their reaction to errors.

use crate::counters::{Counters, SharedCounters};
use inrush::sans_io::retry::BackOff;
use inrush::sans_io::{Error, Kind};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// The shared state of the clients of one run of a case.
#[derive(Debug)]
pub(crate) struct Workers {
    counters: SharedCounters,
    warms_up: OnceLock<Instant>,
    began: OnceLock<Instant>,
    /// The user has interrupted.
    stop: Arc<AtomicBool>,
    /// The error that makes continuing pointless.
    lost: Mutex<Option<Error>>,
    is_over: AtomicBool,
    /// How long it may take.
    cap: Duration,
    is_cut: AtomicBool,
}

impl Workers {
    pub(crate) fn new(n_clients: usize, cap: Duration, stop: &Arc<AtomicBool>) -> Self {
        Self {
            counters: SharedCounters::new(n_clients),
            warms_up: OnceLock::new(),
            began: OnceLock::new(),
            stop: Arc::clone(stop),
            lost: Mutex::default(),
            is_over: AtomicBool::new(false),
            cap,
            is_cut: AtomicBool::new(false),
        }
    }

    /// Starts the warm-up, which does not count but has a time limit.
    pub(crate) fn warm_up(&self) {
        let _ = self.warms_up.set(Instant::now());
    }

    /// Times are counted from here.
    pub(crate) fn begin(&self, at: Instant) {
        // It begins once.
        let _ = self.began.set(at);
    }

    /// Since it began, or else since it began to warm up.
    pub(crate) fn elapsed(&self) -> Duration {
        self.began.get().or(self.warms_up.get()).map(Instant::elapsed).unwrap_or_default()
    }

    /// The counters of a client.
    pub(crate) fn counters(&self, client: usize) -> std::sync::MutexGuard<'_, Counters> {
        self.counters.of(client)
    }

    /// What was counted since the last time.
    pub(crate) fn take(&self) -> Counters {
        self.counters.take()
    }

    /// Whether nothing more is to be sent.
    pub(crate) fn is_over(&self) -> bool {
        if self.elapsed() >= self.cap {
            self.is_cut.store(true, Relaxed);
            return true;
        }
        self.is_over.load(Relaxed) || self.stop.load(Relaxed)
    }

    /// Stops all workers because of this error. The first such error is kept.
    pub(crate) fn lose(&self, error: Error) {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.is_over.store(true, Relaxed);
    }

    /// Why it ended early, if it did: an error, or the user.
    pub(crate) fn ended_by(&self) -> Option<Error> {
        let lost = self.lost.lock().unwrap_or_else(PoisonError::into_inner).take();
        let stopped = || self.stop.load(Relaxed).then(|| Error::new(Kind::Interrupted, "interrupted"));
        lost.or_else(stopped)
    }

    /// Whether it did not do all that it should have.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.load(Relaxed)
    }
}

/// How long to wait after errors in a row, and when to give up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Patience {
    n_failed: u32,
    /// The time since which the connection is lost.
    lost_since: Option<Duration>,
}

impl Patience {
    /// All is well.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Another error in a row: how long to wait before the next try.
    pub(crate) fn pause(&mut self) -> Duration {
        self.n_failed = self.n_failed.saturating_add(1);
        BACK_OFF.pause(self.n_failed, 1.0)
    }

    /// Notes that the connection is lost at `now`. Returns how long to wait before the next try, or `None` if it is time to give up.
    pub(crate) fn pause_unless_lost(&mut self, now: Duration) -> Option<Duration> {
        let since = *self.lost_since.get_or_insert(now);
        (now < since + GIVE_UP).then(|| self.pause())
    }
}

/// Opened once, for all who wait before it.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    is_open: Mutex<bool>,
    opened: Condvar,
}

impl Gate {
    pub(crate) fn open(&self) {
        *self.is_open.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.opened.notify_all();
    }

    pub(crate) fn wait(&self) {
        let is_open = self.is_open.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.opened.wait_while(is_open, |is_open| !*is_open).unwrap_or_else(PoisonError::into_inner));
    }
}

/// A thread that panicked.
pub(crate) fn ended_early<T>(_: T) -> Error {
    Error::new(Kind::Application, "a client of the benchmark ended early")
}

const BACK_OFF: BackOff = BackOff { first: Duration::from_millis(1), longest: Duration::from_millis(256) };

/// After this time a server is regarded as lost.
const GIVE_UP: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_end() {
        let mut patience = Patience::default();
        let ms = |pause: Duration| pause.as_millis();
        let pauses: Vec<u128> = (0..10).map(|_| ms(patience.pause())).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 256]);
        patience.reset();
        assert_eq!(patience.pause_unless_lost(Duration::from_secs(7)).map(ms), Some(1));
        assert_eq!(patience.pause_unless_lost(Duration::from_secs(11)).map(ms), Some(2));
        assert_eq!(patience.pause_unless_lost(Duration::from_secs(12)), None);
        patience.reset();
        assert!(patience.pause_unless_lost(Duration::from_secs(13)).is_some());
    }

    #[test]
    fn a_crew_ends_for_one_reason() {
        let stop = Arc::new(AtomicBool::new(false));
        let workers = Workers::new(3, Duration::from_secs(1000), &stop);
        workers.begin(Instant::now());
        assert!(!workers.is_over() && workers.ended_by().is_none());
        workers.lose(Error::new(Kind::Io, "gone"));
        workers.lose(Error::new(Kind::Io, "gone as well"));
        stop.store(true, Relaxed);
        assert!(workers.is_over() && !workers.is_cut());
        assert_eq!(workers.ended_by().map(|e| e.to_string()), Some("gone".into()));
        let late = Workers::new(3, Duration::ZERO, &stop);
        late.begin(Instant::now());
        assert!(late.is_over() && late.is_cut());
        let cold = Workers::new(3, Duration::ZERO, &Arc::default());
        cold.warm_up();
        assert!(cold.is_over() && cold.is_cut(), "a warm-up ends as well");
    }
}
