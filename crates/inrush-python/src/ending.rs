//! The end of the interpreter. A thread that waited without the interpreter's lock must not come back once it ends: before Python 3.14 such
//! a thread is unwound through our frames, which aborts the process. It stays where it is instead, until the process is gone.

use pyo3::prelude::*;
use std::cell::Cell;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::{Duration, Instant};

/// How many threads are in calls of ours and have the interpreter's lock, or are about to take it.
static INSIDE: AtomicUsize = AtomicUsize::new(0);

/// Whether the interpreter ends.
static IS_OVER: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread ends it.
    static IS_ENDER: Cell<bool> = const { Cell::new(false) };
}

/// The process whose threads are counted: a child that was forked has none of them.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// A thread in a call of ours.
pub(crate) struct Visit(());

impl Visit {
    pub(crate) fn new() -> Self {
        INSIDE.fetch_add(1, SeqCst);
        Self(())
    }

    /// Runs `work` without the interpreter's lock. Does not return if the interpreter ends meanwhile.
    pub(crate) fn detached<T: Send>(&self, py: Python<'_>, work: impl Send + FnOnce() -> T) -> T {
        INSIDE.fetch_sub(1, SeqCst);
        py.detach(|| {
            let _back = Back;
            work()
        })
    }
}

/// Counts a thread that comes back, also one that panics; keeps it if the interpreter ends.
struct Back;

impl Drop for Back {
    fn drop(&mut self) {
        INSIDE.fetch_add(1, SeqCst);
        // Either this thread sees the end here, or the thread that ends the interpreter sees this one in `INSIDE`.
        if IS_OVER.load(SeqCst) && !IS_ENDER.get() {
            INSIDE.fetch_sub(1, SeqCst);
            loop {
                thread::park();
            }
        }
    }
}

impl Drop for Visit {
    fn drop(&mut self) {
        INSIDE.fetch_sub(1, SeqCst);
    }
}

/// Has `atexit` call [`end`].
pub(crate) fn watch(module: &Bound<'_, PyModule>) -> PyResult<()> {
    PROCESS.store(process::id(), SeqCst);
    let end = wrap_pyfunction!(end, module)?;
    module.py().import("atexit")?.call_method1("register", (end,)).map(drop)
}

/// Lets the threads of daemons run until they wait, where they stay. Code of theirs that gives rows and does not come back is left alone.
#[pyfunction]
fn end(py: Python<'_>) {
    if PROCESS.load(SeqCst) != process::id() {
        return;
    }
    // Hooks that come later may still call us.
    IS_ENDER.set(true);
    IS_OVER.store(true, SeqCst);
    py.detach(|| {
        let began = Instant::now();
        while INSIDE.load(SeqCst) > 0 && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// How long code of a daemon may run on.
const PATIENCE: Duration = Duration::from_secs(1);
