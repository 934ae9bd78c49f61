//! The options of a load: plain values, the words for them, which of them make no sense, and the table from which the command and Python make
//! their own ([`LoadOption`]).

use DerivedLoad::{Part, TableCopy};
use inrush_core::load::lane::Unchecked;
use inrush_core::load::ledger::NamedJob;
use inrush_core::load::throttle::Ceiling;
use inrush_core::load::widen::Needed;
use inrush_core::load::{Drift, Matching, MissingColumns, Mode, NewColumns};
use inrush_core::write::{Computed, Method};
use inrush_core::{Error, Result, human};
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::time::Duration;

pub use replica::{ReplicaUrl, UnreadableReplicas, UnreadableSignals};

mod replica;

/// How a load is done. `Default` is what the command does without options.
///
/// ```
/// use inrush::{BadRows, LoadOptions};
/// let options = LoadOptions::default().with_lanes(4).with_bad_rows(BadRows::Skip).with_defer_indexes(true);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LoadOptions {
    /// The write method; `None` chooses by queries to the server and by trials.
    pub method: Option<Method>,
    /// Connections side by side, at least 1; `None` finds out during the load how many are worth it.
    pub lanes: Option<usize>,
    /// How large a chunk is.
    pub batch: BatchSize,
    /// The most memory for rows under way, in bytes: batches in hand and the texts made of them. A single batch may be larger.
    pub memory: usize,
    /// The most rows a second; `None` is no limit.
    pub rate: Option<NonZeroU64>,
    /// To what the load yields: it waits while the server reports more than this of itself.
    pub throttle: Vec<Ceiling>,
    /// What happens if a signal of [`throttle`](Self::throttle) cannot be read.
    pub unreadable_signals: UnreadableSignals,
    /// How far replicas may be behind while the load continues. Those of [`replicas`](Self::replicas), or those that the server knows.
    pub max_lag: Option<Duration>,
    /// The replicas of [`max_lag`](Self::max_lag).
    pub replicas: Vec<ReplicaUrl>,
    /// What happens if one of them cannot be read.
    pub unreadable_replicas: UnreadableReplicas,
    /// The file for the tuner's input and its decisions, line by line.
    pub tuning_trace: Option<PathBuf>,
    /// How fields are matched to columns.
    pub matching: Matching,
    /// Columns that are computed, by SQL that may name fields.
    pub set: Vec<Computed>,
    /// What happens to fields that the table has no column for.
    pub new_columns: NewColumns,
    /// Columns that [`NewColumns::Add`] adds where sources have fields for them and the table lacks them: name and type with NULL. Those of
    /// [`create`](Self::create) are for a new table alone.
    pub addable: Vec<(String, String)>,
    /// What values of the sources need of the columns that they go into. Columns that are too narrow get a wider type of the same kind, by one
    /// ALTER before the first row; none where this is empty.
    pub needed: Vec<Needed>,
    /// What happens to columns of the table that no field fills.
    pub missing_columns: MissingColumns,
    /// What becomes of a row, depending on whether its key exists.
    pub mode: Mode,
    /// The columns of the unique key that the mode goes by; empty is the primary key, or another that is loaded.
    pub key: Vec<String>,
    /// What happens at a row that cannot be stored as it is.
    pub bad_rows: BadRows,
    /// How many bad rows are too many.
    pub max_bad: Option<MaxBad>,
    /// SQL that is run once before the first row.
    pub before: Vec<String>,
    /// SQL that is run once after the last row is stored.
    pub after: Vec<String>,
    /// Whether secondary indexes are dropped before the first row, and rebuilt after the last.
    pub defer_indexes: bool,
    /// Whether the rows go into a copy of the table that takes its place at the end.
    pub atomic: bool,
    /// Whether rows are sorted by the table's clustered key before they are sent.
    pub sort: Sort,
    /// Where sorted rows are stored until they are sent; `None` is `$TMPDIR`, else `/var/tmp`, else `/tmp`.
    pub temp_dir: Option<PathBuf>,
    /// Checks that the server is to do without.
    pub unchecked: Unchecked,
    /// Whether the table is emptied first (TRUNCATE: it commits by itself and cannot be undone).
    pub truncate: bool,
    /// The session zone of times without an offset: `+02:00` or a name such as `Europe/Berlin`.
    pub time_zone: String,
    /// Whether everything is checked and nothing sent.
    pub dry_run: bool,
    /// What is promised about rows.
    pub guarantee: Guarantee,
    /// For how long a chunk is tried again that failed by a deadlock, a lost connection or the like, from its first failure on;
    /// zero: not at all.
    pub retries_for: Duration,
    /// The part of a named job that the source is. It is known by this name, not by the source's: once it is loaded, no run of it stores
    /// anything. The load waits for another one of the same part that is at work, at most for [`retries_for`](Self::retries_for).
    pub job: Option<NamedJob>,
    /// Whether sources that were loaded already are loaded once more.
    pub again: bool,
    /// Whether a stream is taken for the one that an earlier run has loaded to its end under the same name, if it begins in the same way: then
    /// nothing of it is read. For callers that give each stream a name, and run a task again that may have been done.
    pub skip_loaded: bool,
    /// Whether jobs of other users are taken over that are not finished.
    pub force: bool,
    /// Whether a source is trusted to still hold what was stored of it, so that the stored part is not read again to verify it.
    pub trust_source: bool,
    /// Columns of a table to be created if it does not exist: name and type with NULL or NOT NULL. `key` is its primary key.
    pub create: Option<Vec<(String, String)>>,
    /// Columns of a table that this load makes, by `create`, whose cells must keep their spelling: a cell that the column would not give back as
    /// it is written makes its row bad, such as `00123` in an INT.
    pub keep_spelling: Vec<String>,
    /// Whether a new table takes the place of the existing one, with the rows of this load, once the last of them is stored: until
    /// then the old one is as it was. The new one has the old one's definition; with [`create`](Self::create) it has those columns. For
    /// [`atomic`](Self::atomic) loads that [`truncate`](Self::truncate).
    pub replace: bool,
    /// Whether a load without a row may leave the table empty. For loads that [`truncate`](Self::truncate), which are refused otherwise.
    pub allow_empty: bool,
    /// How few rows are too few to take the table's place. For [`atomic`](Self::atomic) loads.
    pub min_rows: Option<MinRows>,
    /// How long the table that an [`atomic`](Self::atomic) load has replaced is kept, so that [`Loader::undo`](crate::Loader::undo) can put it
    /// back; `None`: it is dropped.
    pub keep_old: Option<Duration>,
}

inrush_core::setters!(LoadOptions {
    with_method => method: into Option<Method>,
    with_lanes => lanes: into Option<usize>,
    with_batch => batch: as BatchSize,
    with_memory => memory: as usize,
    with_rate => rate: into Option<NonZeroU64>,
    with_throttle => throttle: into Vec<Ceiling>,
    with_unreadable_signals => unreadable_signals: as UnreadableSignals,
    with_max_lag => max_lag: into Option<Duration>,
    with_replicas => replicas: into Vec<ReplicaUrl>,
    with_unreadable_replicas => unreadable_replicas: as UnreadableReplicas,
    with_tuning_trace => tuning_trace: into Option<PathBuf>,
    with_matching => matching: as Matching,
    with_set => set: into Vec<Computed>,
    with_new_columns => new_columns: as NewColumns,
    with_addable => addable: into Vec<(String, String)>,
    with_needed => needed: into Vec<Needed>,
    with_missing_columns => missing_columns: as MissingColumns,
    with_mode => mode: as Mode,
    with_key => key: into Vec<String>,
    with_bad_rows => bad_rows: as BadRows,
    with_max_bad => max_bad: into Option<MaxBad>,
    with_before => before: into Vec<String>,
    with_after => after: into Vec<String>,
    with_defer_indexes => defer_indexes: as bool,
    with_atomic => atomic: as bool,
    with_sort => sort: as Sort,
    with_temp_dir => temp_dir: into Option<PathBuf>,
    with_unchecked => unchecked: as Unchecked,
    with_truncate => truncate: as bool,
    with_time_zone => time_zone: into String,
    with_dry_run => dry_run: as bool,
    with_guarantee => guarantee: as Guarantee,
    with_retries_for => retries_for: as Duration,
    with_job => job: into Option<NamedJob>,
    with_again => again: as bool,
    with_skip_loaded => skip_loaded: as bool,
    with_force => force: as bool,
    with_trust_source => trust_source: as bool,
    with_create => create: into Option<Vec<(String, String)>>,
    with_keep_spelling => keep_spelling: into Vec<String>,
    with_replace => replace: as bool,
    with_allow_empty => allow_empty: as bool,
    with_min_rows => min_rows: into Option<MinRows>,
    with_keep_old => keep_old: into Option<Duration>,
});

impl Default for LoadOptions {
    fn default() -> Self {
        Self {
            method: None,
            lanes: None,
            batch: BatchSize::Auto,
            memory: 256 << 20,
            rate: None,
            throttle: Vec::new(),
            unreadable_signals: UnreadableSignals::Stop,
            max_lag: None,
            replicas: Vec::new(),
            unreadable_replicas: UnreadableReplicas::Stop,
            tuning_trace: None,
            matching: Matching::ByName,
            set: Vec::new(),
            new_columns: NewColumns::Error,
            addable: Vec::new(),
            needed: Vec::new(),
            missing_columns: MissingColumns::Default,
            mode: Mode::Insert,
            key: Vec::new(),
            bad_rows: BadRows::Stop,
            max_bad: None,
            before: Vec::new(),
            after: Vec::new(),
            defer_indexes: false,
            atomic: false,
            sort: Sort::Auto,
            temp_dir: None,
            unchecked: Unchecked::default(),
            truncate: false,
            time_zone: "+00:00".into(),
            dry_run: false,
            guarantee: Guarantee::ExactlyOnce,
            retries_for: Duration::from_secs(600),
            job: None,
            again: false,
            skip_loaded: false,
            force: false,
            trust_source: false,
            create: None,
            keep_spelling: Vec::new(),
            replace: false,
            allow_empty: false,
            min_rows: None,
            keep_old: None,
        }
    }
}

/// An option that front ends make from the table [`LoadOption::ALL`]: the command its argument, Python its keyword. The words are the command's.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct LoadOption {
    /// The command's name, such as `min-rows`.
    pub name: &'static str,
    /// What it does.
    pub help: &'static str,
    /// Where the command lists it.
    pub heading: &'static str,
    /// What a value must be, for messages.
    pub takes: &'static str,
    /// How many values it has.
    pub value: OptionValue,
    /// Options that contradict it in one command line. In Python, where a switch may be given as `False`, both are allowed.
    pub excludes: &'static [&'static str],
    not_of: &'static [DerivedLoad],
    set: Set,
}

/// A load that a front end makes of the requested one, and that does not take all of its options.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DerivedLoad {
    /// Into a copy of the table, which is compared and dropped: nothing but rows.
    TableCopy,
    /// Of one part of the rows, beside the loads of the other parts: nothing that is done once for the table (partitions of Spark).
    Part,
}

/// How many values an option has.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum OptionValue {
    /// Nothing: it is switched on.
    Switch,
    /// One value.
    One {
        /// Its name in the command's help.
        name: &'static str,
        /// The command's default, empty for none.
        default: &'static str,
        /// Python's type and default.
        python: &'static str,
    },
    /// Any number of texts.
    Many {
        /// The name of one in the command's help.
        name: &'static str,
    },
    /// Any number of words, which the command takes in one text with commas.
    List {
        /// Their name in the command's help.
        name: &'static str,
    },
}

impl LoadOption {
    /// The options, in the order of the help.
    pub const ALL: &[LoadOption] = &[
        one(
            "method",
            "How rows are written: `auto`, `load-data`, `bulk` (MariaDB), `multi-row-prepared` or `multi-row`",
            ("METHOD", "auto"),
            "str | None = None",
            |options, text| put(&mut options.method, Method::parse(text, &Method::LOADS).ok()),
        )
        .takes("`auto`, `load-data`, `bulk`, `multi-row-prepared` or `multi-row`"),
        one(
            "batch",
            "Rows or bytes of a chunk, which is one transaction: `64000`, `4MiB`; `auto` adapts it",
            ("auto|ROWS|BYTES", "auto"),
            OPTIONAL,
            |options, text| put(&mut options.batch, BatchSize::parse(text)),
        )
        .takes("`auto`, rows (`64000`) or bytes (`4MiB`), at least 1 and at most 64 MiB"),
        one(
            "mode",
            "`insert`, `ignore`, `replace`, `upsert`, `update` or `delete`: what happens to a row whose key exists, or does not; `undo` deletes what a load has inserted",
            ("MODE", "insert"),
            "str = \"insert\"",
            |options, text| put(&mut options.mode, Mode::parse(text).ok()),
        )
        .takes("`insert`, `ignore`, `replace`, `upsert`, `update`, `delete` or `undo`"),
        one(
            "new-columns",
            "What happens to fields that the table has no column for: `error`, `ignore`, or `add` (one ALTER TABLE before the first row, types as for `--create-table`)",
            ("WHAT", "error"),
            "str = \"error\"",
            |options, text| put(&mut options.new_columns, NewColumns::parse(text)),
        )
        .takes("`error`, `ignore` or `add`")
        .not_of(&[Part]),
        one(
            "missing-columns",
            "What columns of the table get that the files have no field for: `default`, `null`, or `error`: the load is refused",
            ("WHAT", "default"),
            "str = \"default\"",
            |options, text| put(&mut options.missing_columns, MissingColumns::parse(text)),
        )
        .takes("`default`, `null` or `error`")
        .not_of(&[Part]),
        list(
            "key",
            "The columns of the unique key that the mode goes by, without it the primary key; of a new table its primary key",
            "a,b",
            |options, text| {
                let name = text.trim_matches('`');
                options.key.extend((!name.is_empty()).then(|| name.to_owned()));
                Some(())
            },
        )
        .takes("names of columns"),
        one(
            "memory",
            "The memory limit for rows in progress, in bytes: `256MiB`, `1GiB`",
            ("BYTES", "256MiB"),
            "int | str = \"256MiB\"",
            |options, text| {
                let bytes = human::bytes_of(text).map(|(bytes, _)| usize::try_from(bytes).unwrap_or(usize::MAX));
                put(&mut options.memory, bytes.filter(|bytes| *bytes >= LEAST_MEMORY))
            },
        )
        .takes("bytes such as `256MiB` or `1GiB`, at least 1 MiB"),
        one("lanes", "Connections side by side: `auto` measures how many pay off", ("auto|N", "auto"), OPTIONAL, |options, text| {
            let number = || text.parse().ok().filter(|lanes| (1..=MAX_LANES).contains(lanes));
            options.lanes = if text == "auto" { None } else { Some(number()?) };
            Some(())
        })
        .takes("`auto` or a number from 1 to 256"),
        one(
            "guarantee",
            "`exactly-once` needs a table with transactions, `at-least-once` takes any",
            ("PROMISE", "exactly-once"),
            "str = \"exactly-once\"",
            |options, text| put(&mut options.guarantee, Guarantee::parse(text)),
        )
        .takes("`exactly-once` or `at-least-once`")
        .not_of(&[TableCopy, Part]),
        one(
            "rate",
            "The most rows a second: `5000`, `50k`; without it as fast as it goes",
            ("ROWS/s", ""),
            OPTIONAL,
            |options, text| given(&mut options.rate, human::rate_of(text).and_then(NonZeroU64::new)),
        )
        .takes("rows a second: `5000`, `50k` or `1M`, at least 1")
        .not_of(&[TableCopy]),
        list(
            "throttle",
            "Wait while the server has too much to do: `threads-running`, `commit-latency` (beside that before the load), `history` (undo logs), \
             `checkpoint-age` (redo), `flow-control` (Galera), `group-queue` (Group Replication), each with its limit",
            "SIGNAL=MOST,..",
            |options, text| {
                options.throttle.push(Ceiling::parse(text)?);
                Some(())
            },
        )
        .takes("a signal and its limit: `--throttle threads-running=40`, `--throttle history=1M,checkpoint-age=75%`, `--throttle commit-latency=3x`"),
        one(
            "unreadable-signals",
            "What happens if a signal of `--throttle` cannot be read: `stop` (do not begin; later wait for it, for `--retry-for`) or `ignore`",
            ("WHAT", "stop"),
            "str = \"stop\"",
            |options, text| put(&mut options.unreadable_signals, UnreadableSignals::parse(text)),
        )
        .takes("`stop` or `ignore`"),
        one(
            "max-lag",
            "Wait while a replica is further behind than this, by heartbeats that the load writes into its database: `5s`",
            ("TIME", ""),
            "float | str | None = None",
            |options, text| given(&mut options.max_lag, human::time_of(text).filter(|lag| !lag.is_zero())),
        )
        .takes("a time such as `500ms`, `5s` or `1m`"),
        many(
            "replica",
            "A replica for `--max-lag`, with the login of the connection as far as the URL has none: `mysql://db2:3306`; without it those that the server lists",
            "URL",
            |options, text| {
                options.replicas.push(ReplicaUrl::parse(text).ok()?);
                Some(())
            },
        )
        .takes("URLs such as `mysql://db2:3306`"),
        one(
            "unreadable-replicas",
            "What happens if `--max-lag` cannot read a replica: `stop` (do not begin; later wait for it, for `--retry-for`) or `ignore`",
            ("WHAT", "stop"),
            "str = \"stop\"",
            |options, text| put(&mut options.unreadable_replicas, UnreadableReplicas::parse(text)),
        )
        .takes("`stop` or `ignore`"),
        one("max-bad", "Stop after more than N bad rows, or P% of the rows", ("N|P%", ""), OPTIONAL, |options, text| {
            given(&mut options.max_bad, MaxBad::parse(text))
        })
        .takes("a number, or a share such as `0.5%`")
        .not_of(&[TableCopy])
        .under("Bad rows"),
        one(
            "min-rows",
            "With `--replace-table` and `--atomic`: keep the table as it is if fewer rows are stored, or fewer than P% of those that it holds",
            ("N|P%", ""),
            OPTIONAL,
            |options, text| given(&mut options.min_rows, MinRows::parse(text)),
        )
        .takes("a number, or a share such as `90%` of the rows that the table holds")
        .not_of(&[TableCopy, Part]),
        one(
            "keep-old",
            "With `--replace-table` and `--atomic`: keep the table that is replaced for so long; `inrush undo` puts it back: `24h`",
            ("TIME", ""),
            "float | str | None = None",
            |options, text| given(&mut options.keep_old, human::time_of(text).filter(|time| time.as_secs() > 0)),
        )
        .takes("a time of at least a second, such as `30m` or `24h`")
        .not_of(&[TableCopy, Part]),
        switch("allow-empty", "With `--truncate` and `--replace-table`: empty the table also for files without a row", |options, _| {
            on(&mut options.allow_empty)
        })
        .not_of(&[TableCopy, Part]),
        many("before", "Run this SQL once before the first row", "SQL", |options, text| {
            one_more(&mut options.before, text)
        })
        .not_of(&[TableCopy, Part]),
        many("after", "Run this SQL once after the last row is stored", "SQL", |options, text| {
            one_more(&mut options.after, text)
        })
        .not_of(&[TableCopy, Part]),
        switch("defer-indexes", "Drop the indexes that are not unique first, and rebuild them all at once at the end", |options, _| {
            on(&mut options.defer_indexes)
        })
        .not_of(&[TableCopy, Part]),
        one(
            "retry-for",
            "How long a chunk is retried after a deadlock, a lost connection or the like: `30s`, `10m`; `0` is never",
            ("TIME", "10m"),
            "float | str = 600",
            |options, text| put(&mut options.retries_for, human::time_of(text)),
        )
        .takes("a time such as `30s`, `10m` or `2h`"),
        switch("dry-run", "Check every row against the table and send nothing", |options, _| on(&mut options.dry_run))
            .not_of(&[Part]),
        switch("again", "Load finished files once more", |options, _| on(&mut options.again)).not_of(&[Part]),
        switch("trust-source", "Skip re-verifying data that is already loaded: trust that the files are unchanged", |options, _| {
            on(&mut options.trust_source)
        })
        .not_of(&[Part]),
        switch("truncate", "Empty the table first (TRUNCATE: cannot be undone)", |options, _| on(&mut options.truncate))
            .not_of(&[TableCopy, Part]),
        one(
            "sort",
            "Sort the rows by the table's clustered key before they are sent: `auto`, `key` or `none`; or have the `server` do it",
            ("ORDER", "auto"),
            "str = \"auto\"",
            |options, text| put(&mut options.sort, Sort::parse(text)),
        )
        .takes("`key` (sorted by the table's clustered key), `server` (the server sorts), `none`, or `auto` (sorted where it is worth it)"),
        switch("atomic", "All or nothing: fill a copy of the table, which replaces it at the end", |options, _| {
            on(&mut options.atomic)
        })
        .not_of(&[TableCopy, Part]),
        list(
            "unchecked",
            "Have the server check less, at your risk: `unique`, `foreign-keys`, `zero-dates` (0000-00-00)",
            "CHECKS",
            |options, text| match text {
                "unique" => on(&mut options.unchecked.unique),
                "foreign-keys" => on(&mut options.unchecked.foreign_keys),
                "zero-dates" => on(&mut options.unchecked.zero_dates),
                _ => None,
            },
        )
        .takes("`unique`, `foreign-keys`, `zero-dates`, or several of them")
        .not_of(&[Part]),
        switch(
            "replace-table",
            "A new table with these rows takes the place of the one that is there when the last row is stored; it has the same definition, with `--create-table` the one inferred from the data",
            |options, _| {
                (options.replace, options.atomic, options.truncate) = (true, true, true);
                Some(())
            },
        )
        .excludes(&["truncate", "atomic"])
        .not_of(&[TableCopy, Part]),
    ];

    /// The option of this name; Python's has `_` for `-`.
    pub fn find(name: &str) -> Option<&'static LoadOption> {
        Self::ALL.iter().find(|option| option.name == name || option.keyword() == name)
    }

    /// Python's name.
    pub fn keyword(&self) -> String {
        self.name.replace('-', "_")
    }

    /// Sets it from a text; `None`: the text is not understood. Several texts of an option that takes many are set one by one.
    pub fn set(&self, options: &mut LoadOptions, text: &str) -> Option<()> {
        (self.set)(options, text)
    }

    /// Whether such a load takes it too.
    pub fn is_of(&self, load: DerivedLoad) -> bool {
        !self.not_of.contains(&load)
    }

    /// What a value of it must be.
    const fn takes(self, takes: &'static str) -> Self {
        Self { takes, ..self }
    }

    /// Which options of the command contradict it.
    const fn excludes(self, excludes: &'static [&'static str]) -> Self {
        Self { excludes, ..self }
    }

    /// Which loads do not take it.
    const fn not_of(self, not_of: &'static [DerivedLoad]) -> Self {
        Self { not_of, ..self }
    }

    /// Lists it under another heading.
    const fn under(self, heading: &'static str) -> Self {
        Self { heading, ..self }
    }
}

/// Sets an option from a text; `None`: the text is not understood.
type Set = fn(&mut LoadOptions, &str) -> Option<()>;

const fn switch(name: &'static str, help: &'static str, set: Set) -> LoadOption {
    LoadOption {
        name,
        help,
        heading: "Writing",
        takes: "true or false",
        value: OptionValue::Switch,
        excludes: &[],
        not_of: &[],
        set,
    }
}

/// An option with one value; `shown`: the value's name in the command's help, and its default or nothing.
const fn one(
    name: &'static str,
    help: &'static str,
    shown: (&'static str, &'static str),
    python: &'static str,
    set: Set,
) -> LoadOption {
    let value = OptionValue::One { name: shown.0, default: shown.1, python };
    LoadOption { value, ..switch(name, help, set) }
}

const fn many(name: &'static str, help: &'static str, value: &'static str, set: Set) -> LoadOption {
    LoadOption { takes: "texts", value: OptionValue::Many { name: value }, ..switch(name, help, set) }
}

const fn list(name: &'static str, help: &'static str, value: &'static str, set: Set) -> LoadOption {
    LoadOption { value: OptionValue::List { name: value }, ..switch(name, help, set) }
}

/// Python's type and default of an option that is not set.
const OPTIONAL: &str = "int | str | None = None";

/// The most that `lanes` takes.
const MAX_LANES: usize = 256;

fn put<T>(field: &mut T, value: Option<T>) -> Option<()> {
    *field = value?;
    Some(())
}

fn given<T>(field: &mut Option<T>, value: Option<T>) -> Option<()> {
    *field = Some(value?);
    Some(())
}

fn on(field: &mut bool) -> Option<()> {
    *field = true;
    Some(())
}

fn one_more(field: &mut Vec<String>, text: &str) -> Option<()> {
    field.push(text.to_owned());
    Some(())
}

/// Whether rows are sorted before they are sent. A table that is larger than the server's buffer pool takes rows in the order of its clustered
/// key ten to twenty times faster than in any other (docs/sorting.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// Where it is worth it: the table outgrows the server's memory, and the rows do not ascend by themselves.
    Auto,
    /// By the clustered key.
    Key,
    /// By the server: the rows of an [`atomic`](LoadOptions::atomic) load go into a copy without keys, which one ALTER makes in the end.
    Server,
    /// Not at all: as they come.
    None,
}

/// How large a chunk is: the rows of one batch, which is one transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchSize {
    /// A size in bytes that the load finds out by itself.
    Auto,
    /// As many rows as the sources were opened with.
    Rows(usize),
    /// About this many bytes of text.
    Bytes(usize),
}

impl BatchSize {
    /// The most bytes of a chunk, which a lane holds in memory several times.
    pub const MOST_BYTES: usize = 64 << 20;

    /// `auto`; `64000` is rows; `4MiB`, `512k` are bytes. `None`: something else, nothing at all, or more than [`BatchSize::MOST_BYTES`].
    pub fn parse(text: &str) -> Option<Self> {
        if text == "auto" {
            return Some(Self::Auto);
        }
        let (number, has_unit) = human::bytes_of(text)?;
        match (usize::try_from(number).ok()?, has_unit) {
            (0, _) => None,
            (rows, false) => Some(Self::Rows(rows)),
            (bytes, true) => (bytes <= Self::MOST_BYTES).then_some(Self::Bytes(bytes)),
        }
    }
}

impl Sort {
    /// `auto`, `key`, `server`, `none`; `None`: another word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "key" => Some(Self::Key),
            "server" => Some(Self::Server),
            "none" => Some(Self::None),
            _ => None,
        }
    }
}

/// What happens at a row that cannot be stored as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadRows {
    /// The load stops; nothing of the row's chunk stays.
    Stop,
    /// The row is left out and counted.
    Skip,
    /// The row is left out and written unchanged, as in the source, to this file.
    Divert(PathBuf),
}

impl BadRows {
    /// `stop`, `skip`, `divert:FILE`; `None`: something else.
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once(':') {
            None if text == "stop" => Some(Self::Stop),
            None if text == "skip" => Some(Self::Skip),
            Some(("divert", file)) if !file.is_empty() => Some(Self::Divert(file.into())),
            _ => None,
        }
    }
}

/// How many bad rows are too many.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaxBad {
    /// More than this many.
    Rows(u64),
    /// More than this share of the records read, in percent; judged from 10,000 records on and at the end.
    Percent(f64),
}

impl MaxBad {
    /// `10`, `0.5%`; `None`: something else.
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_suffix('%') {
            Some(share) => {
                let share = share.trim().parse::<f64>().ok()?;
                (0.0..=100.0).contains(&share).then_some(MaxBad::Percent(share))
            }
            None => text.parse().ok().map(MaxBad::Rows),
        }
    }

    /// Whether `rejected` of `read` records are too many. `at_end` judges a share of few records too.
    pub fn is_exceeded(self, rejected: u64, read: u64, at_end: bool) -> bool {
        match self {
            MaxBad::Rows(most) => rejected > most,
            MaxBad::Percent(most) => {
                (at_end || read >= PERCENT_FROM_ROWS) && rejected as f64 * 100.0 > most * read as f64
            }
        }
    }
}

/// A share of fewer records says little: one bad row in the first ten is not 10 % of a file.
const PERCENT_FROM_ROWS: u64 = 10_000;

/// How many rows a load must store at least before they take the place of the table's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MinRows {
    /// This many.
    Rows(u64),
    /// This share of the rows that the table holds, in percent.
    Percent(f64),
}

impl MinRows {
    /// `900`, `90%`; `None`: something else.
    pub fn parse(text: &str) -> Option<Self> {
        match text.strip_suffix('%') {
            Some(share) => {
                let share = share.trim().parse::<f64>().ok()?;
                (0.0..=MOST_PERCENT).contains(&share).then_some(MinRows::Percent(share))
            }
            None => text.parse().ok().map(MinRows::Rows),
        }
    }

    /// The least number of stored rows that is enough in place of those that the table holds.
    pub(crate) fn least(self, held: u64) -> u64 {
        match self {
            MinRows::Rows(least) => least,
            MinRows::Percent(share) => (share * held as f64 / 100.0).ceil() as u64,
        }
    }

    /// Whether so many stored rows are enough in place of those that the table holds.
    pub fn is_reached(self, stored: u64, held: u64) -> bool {
        match self {
            MinRows::Rows(least) => stored >= least,
            MinRows::Percent(least) => stored as f64 * 100.0 >= least * held as f64,
        }
    }
}

/// A table that grows to ten thousand times its size is a typing error.
const MOST_PERCENT: f64 = 1e6;

/// What is promised about rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guarantee {
    /// Every row is stored once or not at all, over all runs, by transactions and a ledger in the same database; a target that has no
    /// transactions is refused.
    ExactlyOnce,
    /// A row may be stored although the load failed: what a table without transactions allows.
    AtLeastOnce,
}

impl Guarantee {
    /// `exactly-once`, `at-least-once`; `None`: another word.
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "exactly-once" => Some(Self::ExactlyOnce),
            "at-least-once" => Some(Self::AtLeastOnce),
            _ => None,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ExactlyOnce => "exactly-once",
            Self::AtLeastOnce => "at-least-once",
        }
    }
}

impl LoadOptions {
    /// Refuses options that make no sense.
    pub(super) fn check(&self) -> Result<()> {
        if self.lanes == Some(0) {
            return Err(Error::config("a load needs at least one lane"));
        }
        if self.memory < LEAST_MEMORY {
            return Err(Error::config(format!("a load needs more memory than {} bytes", self.memory))
                .with_hint("`--memory` takes at least 1 MiB"));
        }
        if self.max_bad.is_some() && self.bad_rows == BadRows::Stop {
            return Err(Error::config("`--max-bad` has no meaning while the first bad row stops the load")
                .with_hint("add `--bad-rows skip` or `--bad-rows divert:FILE`"));
        }
        if self.max_lag.is_none() && !self.replicas.is_empty() {
            return Err(Error::config("`--replica` has no meaning without the lag that replicas may have")
                .with_hint("add `--max-lag 5s`"));
        }
        self.check_drift()?;
        self.check_undo()?;
        if let Some(job) = &self.job {
            job.check()?;
            self.check_part()?;
        }
        if self.min_rows.is_some() && !self.atomic {
            return Err(Error::config(
                "`--min-rows` counts the rows that are stored before they take the place of the table's",
            )
            .with_hint("add `--atomic`, or `--replace-table` in place of `--truncate`"));
        }
        self.check_keep_old()
    }

    fn check_keep_old(&self) -> Result<()> {
        let Some(time) = self.keep_old else { return Ok(()) };
        if time > MOST_KEPT {
            return Err(Error::config("`--keep-old` keeps a table for ten years at most"));
        }
        if !self.atomic {
            return Err(Error::config(
                "`--keep-old` keeps the table that another one replaces, and this load replaces none",
            )
            .with_hint("add `--atomic`, or `--replace-table` in place of `--truncate`"));
        }
        if self.guarantee == Guarantee::AtLeastOnce {
            return Err(Error::config(
                "`--keep-old` notes in the ledger for how long, and `--guarantee at-least-once` has none",
            ));
        }
        Ok(())
    }

    /// Refuses what columns and rows of this mode cannot get.
    fn check_drift(&self) -> Result<()> {
        let mode = self.mode;
        let refuse = |option: &str, why: &str| {
            Err(Error::config(format!("`{option}` and `--mode {mode}` exclude each other: {why}")))
        };
        if matches!(mode, Mode::Delete | Mode::Undo) && !self.needed.is_empty() {
            return refuse("--widen", "nothing is stored in columns");
        }
        match (self.new_columns, self.missing_columns, mode) {
            (NewColumns::Add, _, Mode::Delete | Mode::Undo) => {
                refuse("--new-columns add", "nothing is stored in columns")
            }
            (_, MissingColumns::Null, Mode::Upsert | Mode::Update | Mode::Delete) => {
                refuse("--missing-columns null", "columns that the files lack stay as they are in rows that exist")
            }
            (_, MissingColumns::Error, Mode::Delete) => {
                refuse("--missing-columns error", "a delete needs no fields but those of the key")
            }
            _ => Ok(()),
        }
    }

    /// Refuses what belongs to the load that is undone, or would keep its rows from being found.
    fn check_undo(&self) -> Result<()> {
        if self.mode != Mode::Undo {
            return Ok(());
        }
        let not_for_undo = [
            ("--replace-table", self.replace, "`inrush undo` takes a refresh back"),
            ("--atomic", self.atomic, "`inrush undo` takes a refresh back"),
            ("--truncate", self.truncate, "it empties the table, and an undo deletes the rows of one load"),
            ("--again", self.again, "a load is undone once"),
            ("--key", !self.key.is_empty(), "rows are found by the primary key"),
            ("--job-name", self.job.is_some(), "parts of a job with a name are not undone"),
            ("--before", !self.before.is_empty(), "leave the load's statements out"),
            ("--after", !self.after.is_empty(), "leave the load's statements out"),
            ("--defer-indexes", self.defer_indexes, "rows are found by indexes"),
            ("--unchecked foreign-keys", self.unchecked.foreign_keys, "rows that refer to deleted ones would stay"),
            ("--dry-run", self.dry_run, "the rows of the table are not looked at by it"),
        ];
        if let Some((option, _, why)) = not_for_undo.iter().find(|(_, is_given, _)| *is_given) {
            return Err(Error::config(format!("`{option}` and `--mode undo` exclude each other: {why}")));
        }
        if self.guarantee == Guarantee::AtLeastOnce {
            return Err(Error::config(
                "`--mode undo` finds the load in the ledger, and `--guarantee at-least-once` has none",
            ));
        }
        Ok(())
    }

    /// Refuses what concerns the rows of other parts, too.
    fn check_part(&self) -> Result<()> {
        let not_for_parts = [
            ("--replace-table", self.replace),
            ("--atomic", self.atomic),
            ("--truncate", self.truncate),
            ("--defer-indexes", self.defer_indexes),
        ];
        if let Some((option, _)) = not_for_parts.iter().find(|(_, is_given)| *is_given) {
            return Err(Error::config(format!("`{option}` is for whole tables, and `--part` fills a table in parts"))
                .with_hint("empty the table before the first part, or load it as a whole"));
        }
        if self.guarantee == Guarantee::AtLeastOnce {
            return Err(Error::config("`--job-name` is kept in the ledger, and `--guarantee at-least-once` has none"));
        }
        Ok(())
    }

    /// What happens where the columns of files and table differ.
    pub(super) fn drift(&self) -> Drift {
        Drift { new: self.new_columns, missing: self.missing_columns }
    }

    /// Whether a table of other columns takes the place of an existing one.
    pub(super) fn redefines(&self) -> bool {
        self.replace && self.create.is_some()
    }

    /// The option by which a copy of the table is filled.
    pub(super) fn atomic_option(&self) -> &'static str {
        if self.replace { "--replace-table" } else { "--atomic" }
    }
}

/// The least memory for rows on their way, in bytes.
const LEAST_MEMORY: usize = 1 << 20;

/// Servers add it to a time, whose year has four digits.
const MOST_KEPT: Duration = Duration::from_secs(10 * 366 * 24 * 3600);

#[cfg(test)]
mod tests;
