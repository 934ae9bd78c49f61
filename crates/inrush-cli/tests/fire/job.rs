//! A job under fire: a source, a table, the one command that is run again until it succeeds, and the check of what it left.

use crate::place::{Done, Place};
use crate::rows::{Bad, Content, Form, HELD, Held, content, table};
use crate::run::Run;
use crate::session::await_true;
use crate::table::Line;
use inrush_testkit::dice::{Dice, seed};
use inrush_testkit::servers::Server;
use std::collections::HashMap;
use std::io::Write as _;
use std::process::Command;
use std::sync::Arc;
use std::thread::sleep;
use std::time::Duration;

/// What is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Csv,
    Gz,
    Stdin,
    Several,
    BadRows,
    Truncate,
    JsonLines,
    Parquet,
    /// All or nothing: into a copy of the table.
    Atomic,
    /// The same, and the server makes its keys at the end.
    ServerSorted,
    /// A new table takes the place of the one that is there.
    Replaced,
    /// Without the secondary index until the end.
    Deferred,
    /// The table lacks a column, which the load adds.
    Adds,
    /// A third of the rows is there already, with other values.
    Upsert,
}

impl Kind {
    /// Those that fill the table from text, chunk by chunk.
    const PLAIN: [Kind; 6] = [Kind::Csv, Kind::Gz, Kind::Stdin, Kind::Several, Kind::BadRows, Kind::Truncate];

    pub(crate) const ALL: [Kind; 14] = [
        Kind::Csv,
        Kind::Atomic,
        Kind::Gz,
        Kind::JsonLines,
        Kind::Stdin,
        Kind::Upsert,
        Kind::Several,
        Kind::Parquet,
        Kind::Replaced,
        Kind::ServerSorted,
        Kind::BadRows,
        Kind::Deferred,
        Kind::Adds,
        Kind::Truncate,
    ];

    fn form(self) -> Form {
        match self {
            Kind::JsonLines => Form::JsonLines,
            Kind::Parquet => Form::Parquet,
            _ => Form::Csv,
        }
    }

    fn options(self) -> &'static str {
        match self {
            Kind::Truncate => " --truncate",
            Kind::Atomic => " --atomic",
            Kind::ServerSorted => " --atomic --sort server",
            // A value below zero is refused, as by the CHECK of the old table.
            Kind::Replaced => {
                " --replace-table --create-table --type id=INT --type value=INT(10)UNSIGNED --type name=VARCHAR(40)"
            }
            Kind::Deferred => " --defer-indexes",
            Kind::Adds => " --new-columns add --type name=VARCHAR(40)",
            Kind::Upsert => " --mode upsert",
            _ => "",
        }
    }
}

/// How it is loaded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) kind: Kind,
    pub(crate) method: &'static str,
    pub(crate) lanes: u64,
    /// Rows of a chunk.
    pub(crate) batch: u64,
    pub(crate) records: u64,
    /// Without a key a row that is stored twice is there twice; with one it is refused.
    pub(crate) has_key: bool,
    /// Rows that cannot be stored, whatever the kind.
    pub(crate) has_bad: bool,
    /// By a key whose order is not that of the source (`--sort key`).
    pub(crate) is_sorted: bool,
    /// Rows go to partitions by `id`.
    pub(crate) is_partitioned: bool,
}

impl Shape {
    /// Every plain kind and every method in turn, the rest as it falls.
    pub(crate) fn draw(turn: u64, records: u64, server: &Server, dice: &mut Dice) -> Self {
        Self::draw_of(&Kind::PLAIN, turn, records, server, dice)
    }

    pub(crate) fn draw_of(kinds: &[Kind], turn: u64, records: u64, server: &Server, dice: &mut Dice) -> Self {
        let kind = kinds[turn as usize % kinds.len()];
        let mut methods = vec!["multi-row", "multi-row-prepared"];
        if server.local_infile {
            methods.push("load-data");
        }
        if server.name.starts_with("mariadb") {
            methods.push("bulk");
        }
        Self {
            kind,
            method: methods[(turn as usize / kinds.len() + turn as usize) % methods.len()],
            lanes: dice.between(1, 4),
            batch: dice.between(60, 200),
            records,
            // There are no keys to go by without one.
            has_key: dice.percent(50) || kind == Kind::Upsert || kind == Kind::ServerSorted,
            has_bad: kind == Kind::BadRows || dice.percent(20),
            // An upsert finds the rows that are there by `id`, which would not be the order.
            is_sorted: kind != Kind::Upsert && kind != Kind::ServerSorted && dice.percent(sorted_percent()),
            is_partitioned: false,
        }
    }

    /// The columns of the table's primary key.
    fn key(&self) -> Option<&'static str> {
        match (self.is_sorted, self.has_key) {
            (true, _) => Some("value, id"),
            (false, true) => Some("id"),
            (false, false) => None,
        }
    }
}

/// How many of a hundred loads are sorted: `FIRE_SORTED`, else a third.
fn sorted_percent() -> u64 {
    std::env::var("FIRE_SORTED").map_or(33, |percent| percent.parse().expect("FIRE_SORTED is a number"))
}

/// A job in a schema and a folder of its own.
pub(crate) struct Job {
    pub(crate) place: Place,
    pub(crate) shape: Shape,
    pub(crate) arguments: String,
    /// Nodes of a cluster that take writes: each run is on any of them. None: all runs are on the same server.
    pub(crate) nodes: Vec<Server>,
    /// What the table must hold in the end.
    want: Held,
    sums: HashMap<u64, u64>,
    /// `bad.csv`, as it must be in the end; none if nothing is rejected.
    rejects: Option<String>,
    n_rejects: u64,
    n_sources: u64,
    /// Rows that were in the table before the first run, and stay or not.
    n_before: u64,
    input: Option<Arc<Vec<u8>>>,
}

impl Job {
    pub(crate) fn new(server: &Server, shape: Shape, dice: &mut Dice) -> Self {
        Self::at(Place::new(server.clone(), "fire"), shape, dice)
    }

    /// Makes the table and the source.
    pub(crate) fn at(place: Place, shape: Shape, dice: &mut Dice) -> Self {
        place.sql(&format!("DROP TABLE IF EXISTS fire; {}", table(shape.key(), shape.is_partitioned)));
        place.sql("INSERT INTO fire VALUES (-1, 1, 'before'), (-2, 1, 'before'), (-3, 1, 'before')");
        if shape.kind == Kind::Deferred {
            place.sql("ALTER TABLE fire ADD KEY by_value (value)");
        }
        if shape.kind == Kind::Adds {
            place.sql("ALTER TABLE fire DROP COLUMN name");
        }
        let mut want = Held::default();
        let mut input = None;
        let mut contents = Vec::new();
        let n_sources = if shape.kind == Kind::Several { 3 } else { 1 };
        let mut names = Vec::new();
        for number in 0..n_sources {
            let records = shape.records / n_sources;
            let bad = match (shape.has_bad, shape.kind) {
                (false, _) => Bad::No,
                (true, Kind::ServerSorted) => Bad::ValuesAndKeys,
                (true, _) => Bad::Values,
            };
            let content = content(shape.kind.form(), 1 + number * records, records, bad, &mut want, dice);
            let (name, bytes) = match (shape.kind, number) {
                (Kind::Stdin, _) => ("-".to_owned(), content.bytes.clone()),
                (Kind::Gz, _) | (Kind::Several, 1) => (format!("rows-{number}.csv.gz"), gzip(&content.bytes)),
                (Kind::JsonLines, _) => ("rows.jsonl".to_owned(), content.bytes.clone()),
                (Kind::Parquet, _) => ("rows.parquet".to_owned(), content.bytes.clone()),
                _ => (format!("rows-{number}.csv"), content.bytes.clone()),
            };
            if shape.kind == Kind::Stdin {
                input = Some(Arc::new(bytes))
            } else {
                place.write(&name, bytes)
            }
            names.push(name);
            contents.push(content);
        }
        let Shape { method, lanes, batch, .. } = shape;
        let mut arguments =
            format!("{} --into fire --method {method} --lanes {lanes} --batch {batch}", names.join(" "));
        arguments += if shape.has_bad { " --bad-rows divert:bad.csv" } else { "" };
        arguments += shape.kind.options();
        // So little memory makes several runs of one sort.
        arguments += if shape.is_sorted { " --sort key --temp-dir . --memory 1MiB" } else { "" };
        let is_new = shape.kind == Kind::Replaced;
        let key = shape.key().filter(|_| is_new).map(|key| key.replace(' ', ""));
        arguments += &key.map_or(String::new(), |key| format!(" --key {key}"));
        let n_before = if is_new || shape.kind == Kind::Truncate { 0 } else { 3 };
        let rejected: Vec<&String> = contents.iter().flat_map(|content: &Content| &content.rejects).collect();
        let rejects = (!rejected.is_empty())
            .then(|| rejected.iter().fold(shape.kind.form().header().to_owned(), |text, record| text + record));
        let n_rejects = rejected.len() as u64;
        let sums: HashMap<u64, u64> = contents.iter().flat_map(|content| &content.sums).copied().collect();
        if shape.kind == Kind::Upsert {
            let old: Vec<_> = sums.keys().filter(|id| *id % 3 == 0).map(|id| format!("({id}, 1, 'old')")).collect();
            place.sql(&format!("INSERT INTO fire VALUES {}", old.join(",")));
        }
        Self { place, shape, arguments, nodes: Vec::new(), want, sums, rejects, n_rejects, n_sources, n_before, input }
    }

    /// The command, over the server's socket.
    pub(crate) fn command(&self) -> Command {
        self.place.command(&self.arguments)
    }

    /// The command on another node of the same cluster.
    #[cfg(feature = "fire")]
    pub(crate) fn command_on(&self, node: &Server) -> Command {
        self.place.command_on(node, &self.arguments)
    }

    /// Goes on on any node.
    pub(crate) fn move_on(&mut self, dice: &mut Dice) {
        if !self.nodes.is_empty() {
            let node = self.nodes[dice.below(self.nodes.len() as u64) as usize].clone();
            self.move_to(&node);
        }
    }

    /// Goes on on this node of the same cluster.
    pub(crate) fn move_to(&mut self, node: &Server) {
        self.await_table(node);
        self.place.schema.move_to(node.clone());
        self.place.server = node.clone();
    }

    /// Waits until the node has the table with its first rows.
    pub(crate) fn await_table(&self, node: &Server) {
        let rows = format!("SELECT COUNT(*) FROM `{}`.fire WHERE id < 0", self.place.schema.name());
        await_true("the table on another node", || node.try_sql(&rows).is_ok_and(|rows| rows == [["3"]]));
    }

    /// The command, over TCP and without encryption, so that a relay understands what passes.
    pub(crate) fn command_to(&self, port: u16, read_timeout: Option<u64>) -> Command {
        let Place { server, schema, .. } = &self.place;
        let limit = read_timeout.map_or(String::new(), |seconds| format!("&read-timeout={seconds}"));
        let url = format!("mysql://{}@127.0.0.1:{port}/{}?tls=disabled{limit}", server.user, schema.name());
        let mut command = self.place.bare(&self.arguments);
        command.args(["--url", &url]).env("INRUSH_PASSWORD", &server.password);
        command
    }

    pub(crate) fn start(&self, command: Command) -> Run<'_> {
        Run::start(&self.place, command, self.input.clone())
    }

    /// The same command while others are at work.
    pub(crate) fn start_beside(&self, number: u64) -> Run<'_> {
        Run::start_as(&format!("-{number}"), &self.place, self.command(), self.input.clone())
    }

    /// Has up to four more runs take the job over, each from the one before while that is at work. Returns what the run that finished it
    /// reported, and which one it was, from 0.
    pub(crate) fn take_over<'a>(
        &'a self,
        dice: &mut Dice,
        line: &mut Line,
        mut start: impl FnMut(&mut Dice, u64) -> Run<'a>,
    ) -> (Done, usize) {
        let mut last = start(dice, 0);
        line.runs += 1;
        let (mut newest, most) = (0, dice.between(1, 4));
        let mut finished = None;
        while finished.is_none() && newest < most && last.await_visits("chunk.begin", 1) {
            sleep(Duration::from_micros(dice.below(60_000)));
            newest += 1;
            let newer = start(dice, newest);
            line.runs += 1;
            let older = std::mem::replace(&mut last, newer).end();
            if self.is_finished_by(&older) {
                finished = Some((older, newest - 1));
            } else {
                line.faults += 1;
                assert_eq!(older.code, 3, "{:?}: {older}", self.shape);
                older.says("another run has taken this job over");
            }
        }
        let ended = last.end();
        assert!(self.is_finished_by(&ended), "{:?}: {ended}", self.shape);
        let (done, number) = finished.unwrap_or((ended, newest));
        (done, number as usize)
    }

    /// Whether a run that ended so has finished the job.
    pub(crate) fn is_finished_by(&self, done: &Done) -> bool {
        done.code == self.finished() || self.is_told_finished_by(done)
    }

    /// The exit code of a run that finds nothing missing.
    fn finished(&self) -> i32 {
        if self.rejects.is_some() { 4 } else { 0 }
    }

    /// Whether a run says that an earlier one has finished the job: it was killed after it had.
    fn is_told_finished_by(&self, done: &Done) -> bool {
        match self.shape.kind {
            // Of a stream only the beginning is known.
            Kind::Stdin => done.code == 5 && done.stderr.contains("was loaded on "),
            _ => done.code == self.finished() && done.stdout.contains("\"already-loaded\""),
        }
    }

    /// Looks at everything once the job is finished; a lost or doubled row is counted, anything else that is wrong fails here.
    #[track_caller]
    pub(crate) fn check(&self, done: &Done, line: &mut Line) {
        let held = Held::parse(&self.place.sql(HELD));
        line.jobs += 1;
        line.doubled += held.rows - held.ids;
        line.lost += self.want.ids.saturating_sub(held.ids);
        let context = format!("{:?}, seed {}, `{}`\n{done}", self.shape, seed(), self.arguments);
        assert_eq!(held, self.want, "what the table holds (got, want): {}\n{context}", self.differences());
        assert_eq!(self.place.sql("SELECT COUNT(*) FROM fire WHERE id < 0"), self.n_before.to_string(), "{context}");
        // Counts are of all runs, also where an earlier one has finished it.
        if self.shape.kind != Kind::Stdin || !self.is_told_finished_by(done) {
            let rows = done.rows().unwrap_or_else(|| panic!("no report: {context}"));
            let told = (rows.read, rows.stored, rows.rejected, rows.not_loaded, rows.unknown);
            let want = (self.want.rows + self.n_rejects, self.want.rows, self.n_rejects, 0, 0);
            assert_eq!(told, want, "the report: {context}");
        }
        if self.shape.kind == Kind::Deferred {
            assert_eq!(
                self.place.sql("SHOW INDEX FROM fire WHERE Key_name = 'by_value'").lines().count(),
                1,
                "{context}"
            );
        }
        assert_eq!(self.place.sql("SHOW TABLES LIKE 'fire%'"), "fire", "{context}");
        self.check_rejects(&context);
        self.check_ledger(&context);
        let left: Vec<_> =
            std::fs::read_dir(self.place.path(".")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(!left.iter().any(|name| name.to_string_lossy().starts_with("inrush-sort-")), "{left:?}: {context}");
    }

    /// The same command once more stores nothing.
    #[track_caller]
    pub(crate) fn check_again(&self) {
        let done = self.start(self.command()).end();
        assert!(self.is_told_finished_by(&done), "{done}\n{}", done.stdout);
        assert_eq!(Held::parse(&self.place.sql(HELD)), self.want, "loaded again: {done}");
    }

    /// The first rows that are not what they should be.
    fn differences(&self) -> String {
        let rows = self.place.schema.sql(
            "SELECT id, CRC32(CONCAT_WS('|', id, value, name)), value, HEX(name) FROM fire WHERE id > 0 ORDER BY id",
        );
        let is_right = |row: &Vec<String>| {
            let sum = row[0].parse().ok().and_then(|id: u64| self.sums.get(&id));
            sum.is_some_and(|sum| sum.to_string() == row[1])
        };
        let wrong: Vec<_> = rows.iter().filter(|row| !is_right(row)).collect();
        format!("{} rows, {} of them wrong: {:?}", rows.len(), wrong.len(), &wrong[..wrong.len().min(20)])
    }

    #[track_caller]
    fn check_rejects(&self, context: &str) {
        let (path, log) = (self.place.path("bad.csv"), self.place.path("bad.csv.log"));
        let Some(rejects) = &self.rejects else {
            assert!(!path.exists() && !log.exists(), "a reject file without rejects: {context}");
            return;
        };
        let written = std::fs::read_to_string(path).unwrap_or_default();
        if written != *rejects {
            let missing = rejects.split_inclusive('\n').filter(|record| !written.contains(record)).count();
            panic!(
                "the reject file has {} bytes, wants {}; {missing} lines are missing: {context}",
                written.len(),
                rejects.len()
            );
        }
        assert_eq!(
            self.place.read("bad.csv.log").lines().count() as u64,
            self.n_rejects,
            "lines of the log: {context}"
        );
    }

    /// One line a source, done; no chunks, no rejects.
    #[track_caller]
    fn check_ledger(&self, context: &str) {
        let lines = self.place.sql(
            "SELECT COUNT(*), SUM(state = 'done'), (SELECT COUNT(*) FROM inrush_chunk), (SELECT COUNT(*) FROM inrush_reject) FROM inrush_job",
        );
        let want = format!("{0},{0},0,0", self.n_sources);
        assert_eq!(lines, want, "jobs, done, chunks, rejects in the ledger: {context}");
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
