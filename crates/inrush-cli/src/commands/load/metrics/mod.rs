//! The metrics of the loads of a command, for Prometheus: `--metrics-listen ADDRESS` answers while it runs, `--metrics-file FILE` is written
//! before the first load and after the last one.
//!
//! ```text
//! Control (counters) ┐
//! events of a load   ┴> TableMetrics, one a table -> text -> listener, file
//! ```
//!
//! Invariant: counters never shrink, and no label has a host, a user, or a file that is loaded. The samples of a file have its name as a label,
//! since a folder of such files is one page to their collector, which refuses all of it if two samples are of equal name and labels.

mod listener;
mod text;

use crate::{Output, exit};
use inrush::{Control, LoadEvent, Snapshot};
use inrush_core::{Error, Result};
use std::fs::Permissions;
use std::io::Write as _;
use std::net::{TcpListener, ToSocketAddrs};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime};

/// The metrics of all loads of a command. Clones are the same.
#[derive(Clone)]
pub(super) struct Metrics(Arc<Shared>);

struct Shared {
    file: Option<PathBuf>,
    tables: Mutex<Vec<Arc<TableMetrics>>>,
    /// How the command ended.
    ended: OnceLock<Ended>,
}

/// When something ended, and its exit code.
#[derive(Clone, Copy)]
struct Ended {
    at: SystemTime,
    code: u8,
}

impl Metrics {
    /// Listens on `address`, and writes `file` once, so that an address or a file that cannot be used is an error before anything is sent.
    pub(super) fn start(address: Option<&str>, file: Option<&Path>, output: &Output) -> Result<Option<Self>> {
        if address.is_none() && file.is_none() {
            return Ok(None);
        }
        let (tables, ended) = (Mutex::default(), OnceLock::new());
        let metrics = Self(Arc::new(Shared { file: file.map(Path::to_owned), tables, ended }));
        metrics.write_file()?;
        if let Some(address) = address {
            let listener = listen(address)?;
            let bound = listener.local_addr().map_err(|e| cannot_listen(address, &e))?;
            output.notice(&format!("metrics are at http://{bound}/metrics"));
            let answering = metrics.clone();
            std::thread::spawn(move || listener::answer(&listener, || answering.text(None)));
        }
        Ok(Some(metrics))
    }

    /// Those of a load that begins now.
    pub(super) fn of(&self, table: String, control: Arc<Control>, is_dry_run: bool) -> Arc<TableMetrics> {
        let metrics = Arc::new(TableMetrics::new(table, control, is_dry_run));
        self.tables().push(metrics.clone());
        metrics
    }

    /// The command ends with this exit code. If the file cannot be written now, the code of the rows stays what it is.
    pub(super) fn end(&self, code: u8, output: &Output) {
        let _ = self.0.ended.set(Ended { at: SystemTime::now(), code });
        if let Err(error) = self.write_file() {
            output.error(&exit::explain(&error));
        }
    }

    fn text(&self, run: Option<&str>) -> String {
        text::of(&self.tables(), self.0.ended.get(), run)
    }

    /// Replaces the file: who reads it gets the old text or the new one, never a part.
    fn write_file(&self) -> Result<()> {
        let Some(file) = &self.0.file else { return Ok(()) };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let run = file.file_stem().unwrap_or_default().to_string_lossy();
        let write = || {
            std::fs::metadata(folder)?;
            // The collector is another user's program.
            let readable = Permissions::from_mode(0o644);
            let mut temporary = tempfile::Builder::new().permissions(readable).tempfile_in(folder)?;
            temporary.write_all(self.text(Some(&run)).as_bytes())?;
            temporary.persist(file).map_err(|e| e.error)
        };
        match write() {
            Ok(_) => Ok(()),
            Err(e) => {
                // An error without a code of the system is one of `tempfile`, which names the temporary file.
                let why = e.raw_os_error().map_or_else(|| e.kind().to_string(), |_| e.to_string());
                Err(Error::config(format!("`--metrics-file {}` cannot be written: {why}", file.display()))
                    .with_hint("its folder must exist, and this user must have the right to write to it"))
            }
        }
    }

    fn tables(&self) -> MutexGuard<'_, Vec<Arc<TableMetrics>>> {
        self.0.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn listen(address: &str) -> Result<TcpListener> {
    let addresses: Vec<_> = address
        .to_socket_addrs()
        .map_err(|e| {
            Error::config(format!("`--metrics-listen {address}` is not an address: {e}")).with_hint(LISTEN_HINT)
        })?
        .collect();
    TcpListener::bind(&addresses[..]).map_err(|e| cannot_listen(address, &e))
}

fn cannot_listen(address: &str, error: &std::io::Error) -> Error {
    Error::config(format!("`--metrics-listen {address}` cannot be used: {error}")).with_hint(LISTEN_HINT)
}

const LISTEN_HINT: &str =
    "it takes HOST:PORT, as `127.0.0.1:9899`; with port 0 the system chooses a free port, which is printed";

/// Those of one load.
pub(super) struct TableMetrics {
    table: String,
    control: Arc<Control>,
    is_dry_run: bool,
    began: SystemTime,
    ended: OnceLock<Ended>,
    retries: AtomicU64,
    chunks: ChunkTimes,
}

impl TableMetrics {
    fn new(table: String, control: Arc<Control>, is_dry_run: bool) -> Self {
        Self {
            table,
            control,
            is_dry_run,
            began: SystemTime::now(),
            ended: OnceLock::new(),
            retries: AtomicU64::new(0),
            chunks: ChunkTimes::default(),
        }
    }

    /// Counts an event.
    pub(super) fn take(&self, event: &LoadEvent) {
        match event {
            LoadEvent::Stored(chunk) => self.chunks.add(chunk.elapsed),
            LoadEvent::Retry { .. } | LoadEvent::RetryStep { .. } => {
                self.retries.fetch_add(1, Relaxed);
            }
            _ => {}
        }
    }

    /// What the load has done so far.
    fn snapshot(&self) -> Snapshot {
        self.without_dry_run(self.control.snapshot())
    }

    /// The same, without the rows and chunks that a dry run counts as stored: it commits nothing.
    fn without_dry_run(&self, done: Snapshot) -> Snapshot {
        if self.is_dry_run { Snapshot { stored: 0, chunks: 0, ..done } } else { done }
    }

    /// The load ends with this exit code.
    pub(super) fn end(&self, code: u8) {
        let _ = self.ended.set(Ended { at: SystemTime::now(), code });
    }
}

/// How long chunks took, as a histogram.
#[derive(Default)]
struct ChunkTimes {
    /// How many took at most as long as the bound of the same number, and longer than the one before it; the last one has no bound.
    counts: [AtomicU64; ChunkTimes::BOUNDS.len() + 1],
    micros: AtomicU64,
}

impl ChunkTimes {
    /// In seconds.
    const BOUNDS: [f64; 10] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0];

    fn add(&self, took: Duration) {
        let bucket = Self::BOUNDS.iter().position(|bound| took.as_secs_f64() <= *bound);
        self.counts[bucket.unwrap_or(Self::BOUNDS.len())].fetch_add(1, Relaxed);
        self.micros.fetch_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Relaxed);
    }
}
