//! What all threads of one load share: the plan of each source, the target, and the few things that change under way.

use super::control::{Control, lock};
use super::glance::Hope;
use super::options::LoadOptions;
use super::prepare::Prepared;
use super::tally::Tally;
use super::tuning::Tuning;
use crate::Config;
use inrush_core::Place;
use inrush_core::bulk::encode::{Insert, Layout, load_data};
use inrush_core::bulk::expression::Part;
use inrush_core::bulk::judge::{Harmless, Warning};
use inrush_core::bulk::lane::LaneSession;
use inrush_core::bulk::ledger::{Fence, JobId, Ledger, Mapping};
use inrush_core::bulk::method::{Choice, Method};
use inrush_core::bulk::modes::{Counted, Writing};
use inrush_core::bulk::report::{Records, Retry};
use inrush_core::bulk::steps::Shadow;
use inrush_core::bulk::tuner::Tuned;
use inrush_core::bulk::write::text::MultiRow;
use inrush_core::bulk::write::{Bulk, MultiRowPrepared, Writer};
use inrush_core::bulk::{Plan, Reject, Separators, Table};
use inrush_core::session::Effect;
use inrush_core::value::Rules;
use inrush_core::value::check::Check;
use inrush_core::value::ident::quote_table;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Something worth telling while a load runs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The table was created by this statement.
    Created(String),
    /// The table was emptied.
    Truncated,
    /// The write method, and why; told again when the server refuses one and the next is tried.
    Method(Choice),
    /// The server has no room for as many connections as were asked for.
    FewerLanes {
        /// How many there are.
        lanes: usize,
        /// What it said.
        reason: String,
    },
    /// A chunk is stored.
    Stored(StoredChunk),
    /// A record was refused, and its chunk stored without it.
    Rejected(Reject),
    /// A chunk could not be stored, and will be tried again.
    Retry {
        /// The lane's number, counted from 1.
        lane: usize,
        /// Where the chunk begins.
        place: Place,
        /// The server's error code, 0 where the network failed.
        code: u16,
        /// What was said.
        message: String,
        /// How long it waits before that.
        pause: Duration,
    },
    /// A step of the load could not be done, and will be tried again.
    RetryStep {
        /// Which.
        what: &'static str,
        /// The server's error code, 0 where the network failed.
        code: u16,
        /// What was said.
        message: String,
        /// How long it waits before that.
        pause: Duration,
    },
    /// The server refused a transaction for its size: this chunk and those to come are stored in smaller ones.
    Shrunk {
        /// Where the chunk begins.
        place: Place,
        /// How large it was, in bytes as they are sent.
        bytes: usize,
        /// What the server said.
        message: String,
    },
    /// An earlier run has loaded this source; nothing of it is read.
    AlreadyLoaded {
        /// The source.
        source: Arc<str>,
        /// When, in UTC.
        on: String,
    },
    /// The source was written to since it was loaded, and holds the same as far as size and hash can tell.
    Touched {
        /// The source.
        source: Arc<str>,
    },
    /// Another file has taken the source's name since it was opened, or it has none any more; what was loaded is the old one.
    Replaced {
        /// The source.
        source: Arc<str>,
    },
    /// An earlier run has stored a part of this source; the rest follows.
    Resumed {
        /// The source.
        source: Arc<str>,
        /// Which job it is.
        job: JobId,
        /// Rows that are stored.
        rows: u64,
        /// Chunks that they came in.
        chunks: u64,
    },
    /// Another run of the same job still has transactions open, or prepares or ends its table; or a server has not noticed that its client
    /// is gone.
    WaitsForOlderRun {
        /// For how long, in seconds.
        seconds: u64,
    },
    /// A statement of the user was run.
    Ran {
        /// Which option it was given by.
        option: &'static str,
        /// The statement.
        statement: String,
    },
    /// The reject file lacks records that an earlier run refused: it was not asked to keep them.
    RejectsNotKept {
        /// How many.
        missing: u64,
    },
    /// Indexes were dropped, and will be rebuilt after the last row.
    IndexesDropped {
        /// Their names.
        names: Vec<String>,
    },
    /// They are there again.
    IndexesRebuilt {
        /// Their names.
        names: Vec<String>,
    },
    /// The filled copy has taken the table's place.
    Swapped,
    /// The table was not emptied: rows of this load are in it already.
    NotEmptied,
    /// Lanes have nothing to do because there is no memory for another batch of the size that was asked for. Told once.
    ShortOfMemory {
        /// How many lanes are to be kept busy.
        lanes: usize,
        /// What a batch takes, in bytes, with the text made of it.
        takes: u64,
        /// What there is, in bytes: [`LoadOptions::memory`].
        memory: u64,
        /// What would be enough, in bytes.
        enough: u64,
    },
    /// A lane has had no answer for this many seconds; `state` is what the server says it does.
    Silent {
        /// The lane's number, counted from 1.
        lane: usize,
        /// What it waits for.
        waiting_for: &'static str,
        /// For how long, in seconds.
        seconds: u64,
        /// The server's state of that connection, or why it is not known.
        state: String,
    },
    /// The number of lanes or the size of batches is another one from now on, or stays after a trial.
    Tuned(Tuned),
}

/// A chunk that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredChunk {
    /// The lane's number, counted from 1.
    pub lane: usize,
    /// Which records.
    pub records: Records,
    /// Rows stored.
    pub rows: u64,
    /// Rows that the mode left out.
    pub skipped: u64,
    /// Records refused.
    pub rejected: u64,
    /// Bytes of its text (decompressed).
    pub bytes: u64,
    /// From the moment the lane had it to the server's last answer.
    pub elapsed: Duration,
}

/// Who is told.
pub type Observer = Box<dyn Fn(&Notice) + Send + Sync>;

/// A source's plan with everything made from it once.
pub(super) struct SourcePlan {
    /// Which of the load's sources.
    pub(super) index: usize,
    pub(super) plan: Plan,
    pub(super) rules: Rules,
    pub(super) checks: Vec<Check>,
    pub(super) hope: Mutex<Hope>,
    /// The INSERT of one row.
    pub(super) insert: Insert,
    /// What a statement of it may leave behind.
    pub(super) effect: Effect,
    pub(super) writers: Writers,
    /// Guards each chunk's COMMIT; none where no ledger is kept.
    pub(super) fence: Option<Fence>,
    pub(super) layout: Layout,
    /// How the mode writes them.
    pub(super) writing: Writing,
}

/// What makes the INSERTs of a plan.
pub(super) struct Writers {
    pub(super) text: MultiRow,
    /// `None` where a column's value cannot be bound as it is.
    pub(super) bound: Option<(MultiRowPrepared, Bulk)>,
}

impl Writers {
    /// That of a method, for one chunk.
    pub(super) fn of(&self, method: Method) -> Box<dyn Writer> {
        match (method, &self.bound) {
            (Method::Bulk, Some((_, bulk))) => Box::new(bulk.clone()),
            (Method::MultiRowPrepared, Some((prepared, _))) => Box::new(prepared.clone()),
            _ => Box::new(self.text.clone()),
        }
    }
}

impl SourcePlan {
    /// Where its fields go: a job is gone on with only if that is the same.
    pub(super) fn mapping(&self, shared: &Shared) -> Mapping {
        let pairs = self.plan.columns.iter().zip(&self.plan.uses);
        let columns: Vec<_> =
            pairs.map(|(column, field)| format!("{} from field {}", column.name, field.index + 1)).collect();
        let options = &shared.options;
        let part = |part: &Part<String>| match part {
            Part::Sql(sql) => sql.clone(),
            Part::Field(field) => format!("@{field}"),
        };
        let set: Vec<_> = options
            .set
            .iter()
            .map(|set| format!("{} = {}", set.column, set.parts.iter().map(part).collect::<String>()))
            .collect();
        Mapping::default()
            .with("columns", columns.join(", "))
            .with("set", set.join("; "))
            .with("mode", options.mode)
            .with("key", options.key.join(", "))
            .with("atomic", options.atomic)
            .with("time zone", &shared.session.time_zone)
    }

    /// The LOAD statement for a text; `file_name` is what the server will ask for.
    pub(super) fn load_statement(&self, separators: Separators, file_name: &str) -> String {
        let Self { plan, layout, rules, writing, .. } = self;
        load_data::statement_into(&writing.load_into(), &plan.columns, layout, rules, separators, file_name)
    }
}

/// What all threads share.
pub(super) struct Shared {
    pub(super) config: Config,
    pub(super) options: LoadOptions,
    pub(super) table: Table,
    /// Whether the server takes names that differ by case for the same.
    pub(super) ignores_case: bool,
    /// The first line of a reject file.
    pub(super) reject_header: Vec<u8>,
    /// Whether the table is not there yet.
    pub(super) must_create: bool,
    pub(super) session: LaneSession,
    /// The server's version text.
    pub(super) server: String,
    /// The server's `max_allowed_packet`, in bytes.
    pub(super) max_packet: usize,
    pub(super) control: Arc<Control>,
    pub(super) observer: Observer,
    pub(super) choice: Mutex<Choice>,
    /// The best method after LOAD DATA.
    pub(super) insert: Method,
    pub(super) harmless: Mutex<Harmless>,
    /// Harmless warnings to be reported, each (code, column) once.
    pub(super) noted: Mutex<Vec<Warning>>,
    pub(super) replays: AtomicU64,
    /// Chunks of more bytes than this are too large for some limit of the server.
    pub(super) largest_chunk: AtomicUsize,
    /// The share of bad rows that the last replay came to.
    pub(super) bad_share: Mutex<f64>,
    pub(super) retries: Mutex<Vec<Retry>>,
    pub(super) tally: Mutex<Tally>,
    pub(super) spares: Spares,
    pub(super) tuning: Arc<Tuning>,
}

/// The memory of texts that were sent, for those to come: fresh memory costs a page fault for every 4 KiB
/// (docs/notes/load-speed.md). There are never more than were once in use at the same time.
#[derive(Default)]
pub(super) struct Spares(Mutex<Vec<Vec<u8>>>);

impl Spares {
    /// An empty text with room for `bytes`.
    pub(super) fn take(&self, bytes: usize) -> Vec<u8> {
        let mut text = lock(&self.0).pop().unwrap_or_default();
        text.reserve_exact(bytes);
        text
    }

    pub(super) fn put(&self, mut text: Vec<u8>) {
        if text.capacity() <= KEEP {
            text.clear();
            lock(&self.0).push(text);
        }
    }
}

/// The text of an uncommonly long record is given back to the system.
const KEEP: usize = 16 << 20;

impl Shared {
    /// Where the ledger lies.
    pub(super) fn ledger(&self) -> Ledger {
        let shared_lock = self.session.profile.shared_lock;
        Ledger { schema: self.table.schema.clone(), shared_lock, has_owners: false }
    }

    /// The target as people and the ledger name it.
    pub(super) fn target_name(&self) -> String {
        format!("{}.{}", self.table.schema, self.table.name)
    }

    /// What an atomic load fills in the target's stead.
    pub(super) fn shadow(&self) -> Option<Shadow> {
        self.options.atomic.then(|| Shadow::of(&self.table.schema, &self.table.name))
    }

    /// The table that is filled, quoted, with its schema.
    pub(super) fn filled(&self) -> String {
        self.shadow().map_or_else(|| self.target(), |shadow| quote_table(&shadow.schema, &shadow.shadow))
    }

    /// The target, quoted, with its schema.
    pub(super) fn target(&self) -> String {
        quote_table(&self.table.schema, &self.table.name)
    }

    pub(super) fn notify(&self, notice: &Notice) {
        (self.observer)(notice);
    }

    /// Tells of a chunk that lane `lane` (from 0) stored, and of the `rejects` that it left out.
    pub(super) fn tell_stored(
        &self,
        lane: usize,
        chunk: &Prepared,
        records: &Records,
        counted: Counted,
        rejects: [&[Reject]; 2],
        elapsed: Duration,
    ) {
        if self.options.dry_run {
            return;
        }
        let stored = StoredChunk {
            lane: lane + 1,
            records: records.clone(),
            rows: counted.stored,
            skipped: counted.skipped,
            rejected: rejects.iter().map(|some| some.len() as u64).sum(),
            bytes: chunk.origin().text.len() as u64,
            elapsed,
        };
        self.notify(&Notice::Stored(stored));
        for reject in rejects.into_iter().flatten() {
            self.notify(&Notice::Rejected(reject.clone()));
        }
    }

    pub(super) fn notify_choice(&self) {
        let choice = lock(&self.choice).clone();
        self.notify(&Notice::Method(choice));
    }

    pub(super) fn count_replay(&self) {
        self.replays.fetch_add(1, Relaxed);
    }
}
