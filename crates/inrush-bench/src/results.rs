//! The results of a run: JSON Lines, a record each, written immediately. The schema is docs/schema/bench-1.md; every table
//! and picture is made of these records alone, so a report shows exactly the file. Pure, except for the reader and the writer
//! in the arguments.
//!
//! Invariant: a file is complete up to its last line feed; a killed run leaves at most a part of one line after it, which is
//! skipped.

use crate::histogram::Latencies;
use inrush::sans_io::{Error, Kind, Place, Result};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead, Write};

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// The first line.
    Run(Box<Run>),
    /// What a case is, before its first sample.
    Case(Case),
    /// One run of one case.
    Sample(Sample),
    /// The last line, unless the program was killed.
    End(End),
}

/// What was measured, where, with what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`VERSION`].
    pub version: u32,
    /// `insert`, `sweep` ..
    pub experiment: String,
    /// When it began, RFC 3339 in UTC.
    pub at: String,
    /// The seed of the rows and of the order of the cases.
    pub seed: u64,
    /// The program.
    pub inrush: Program,
    /// The machine it ran on.
    pub machine: Machine,
    /// The server.
    pub server: Server,
    /// The tables.
    pub ddl: Vec<String>,
    /// The options.
    pub options: BTreeMap<String, String>,
    /// What belongs to the experiment and was not measured.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// A method that is not measured, and the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Its name.
    pub way: Cow<'static, str>,
    /// Half a sentence.
    pub reason: String,
}

impl LeftOut {
    /// For people.
    pub fn sentence(&self) -> String {
        format!("{} is not measured: {}", self.way, self.reason)
    }
}

/// A build of inrush.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Its version.
    pub version: String,
    /// The commit it was built from, if that is known.
    pub commit: Option<String>,
}

/// A machine, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The processor's name.
    pub cpu: Option<String>,
    /// How many threads it runs at a time.
    pub cores: usize,
    /// Bytes of memory.
    pub memory: Option<u64>,
    /// The kernel's name and release.
    pub kernel: Option<String>,
    /// The share of its processors that were in use just before the run, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<f64>,
    /// The load average of the minute before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_average: Option<f64>,
}

/// A server, and the route to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Server {
    /// The version as the server reports it.
    pub version: String,
    /// `tcp` or `socket`.
    pub transport: String,
    /// The cipher, if there is one.
    pub tls: Option<String>,
    /// The median of some pings, in seconds.
    pub round_trip: f64,
    /// The server's variables that affect writes.
    pub settings: BTreeMap<String, String>,
}

/// One method with its settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// What samples call it; unique within the run.
    pub id: String,
    /// What is done, as a row of a table is headed: `multi-row`.
    pub subject: String,
    /// Its settings, by name: `rows` 1000, `commits` each. A setting whose values are all numbers is an axis.
    pub with: BTreeMap<String, String>,
    /// It is compared with the cases of the same group.
    #[serde(default)]
    pub group: String,
    /// How many of `unit` it does; 0 if that is not known before.
    pub rows: u64,
    /// The unit of `rows`.
    #[serde(default)]
    pub unit: Unit,
    /// Its role in the comparison.
    pub role: Role,
}

/// What is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// Rows that are written.
    #[default]
    Rows,
    /// Queries that are answered.
    Queries,
}

impl Unit {
    /// As in `rows/s`.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Rows => "rows",
            Unit::Queries => "queries",
        }
    }
}

/// What others are held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A case that is compared.
    #[default]
    Subject,
    /// The base of the speed-up.
    Baseline,
    /// The server's own speed, which is a limit.
    Limit,
    /// The cost of the lab itself.
    Lab,
}

/// A part of the server's processor time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The program or library.
    pub file: String,
    /// The function in it.
    pub function: String,
    /// The share of all samples; 1 is all.
    pub share: f64,
}

/// One run of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Which case.
    pub case: String,
    /// Which round; 0 is the warm-up.
    pub round: u32,
    /// From the first byte sent to the last answer. Connecting, preparing and the making of rows are not in it.
    pub seconds: f64,
    /// Rows stored (or queries answered); fewer than the case has where it was cut.
    pub rows: u64,
    /// The time cap came first, or the server went away.
    pub cut: bool,
    /// Processor time of this process within `seconds`.
    pub client_cpu: Option<f64>,
    /// Processor time of the server's process, where it can be read.
    pub server_cpu: Option<f64>,
    /// Bytes that went to the server within `seconds`, as the wire has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_sent: Option<u64>,
    /// Bytes that came from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes_received: Option<u64>,
    /// Bytes of the table's file after it, its indexes included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_bytes: Option<u64>,
    /// Pages that the server read from its data files within `seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_read: Option<u64>,
    /// Pages that it wrote to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pages_written: Option<u64>,
    /// What each statement took, from when it should have been sent to its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latencies>,
    /// The times that it took to get a connection from a pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acquire: Option<Latencies>,
    /// The rows of each second by the client's clock, for cases of some length.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub curve: Vec<Tick>,
    /// The same by the server's clock.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub server_curve: Vec<Tick>,
    /// What took the server's processor time, where it was profiled: the largest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub profile: Vec<Share>,
    /// Errors by code, which is text because the keys of JSON are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors: BTreeMap<String, u64>,
    /// The first of them, in the server's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_error: Option<String>,
    /// With a rate: rows that were due before the end, but were not sent by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsent: Option<u64>,
}

/// One second of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// Counted from 0.
    pub second: u32,
    /// Rows stored (or queries answered) within it.
    pub rows: u64,
    /// Errors within it.
    #[serde(default)]
    pub errors: u64,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// Whether all rounds were run.
    pub complete: bool,
    /// Why not.
    pub reason: Option<String>,
}

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct Results {
    /// Its first line.
    pub run: Run,
    /// In the order of the file.
    pub cases: Vec<Case>,
    /// In the order of the file.
    pub samples: Vec<Sample>,
    /// `None` if the run was killed.
    pub end: Option<End>,
}

impl Record {
    /// Writes it as a line, and flushes the writer.
    ///
    /// # Errors
    /// `Io`.
    pub fn write(&self, out: &mut impl Write) -> Result<()> {
        let mut line =
            serde_json::to_vec(self).map_err(|e| Error::new(Kind::Io, format!("a record cannot be written: {e}")))?;
        line.push(b'\n');
        out.write_all(&line).and_then(|()| out.flush()).map_err(|e| Error::io("cannot write the results", e))
    }
}

impl Results {
    /// Reads a file, called `name` in errors.
    ///
    /// # Errors
    /// `Io`; `Data` with its line for one that is damaged before its last line, is not ours, or is a version that we do not know.
    pub fn read(name: &str, file: impl BufRead) -> Result<Self> {
        let (mut run, mut cases, mut samples, mut end) = (None, Vec::new(), Vec::new(), None);
        let mut lines = file.split(b'\n').enumerate().peekable();
        while let Some((i, line)) = lines.next() {
            let line = line.map_err(|e| Error::io(format!("cannot read `{name}`"), e))?;
            let wrong = |what: String| {
                Err(Error::data(what).at(Place { source: name.into(), line: i as u64 + 1, column: None }))
            };
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            match serde_json::from_slice(&line) {
                Ok(Record::Run(first)) if run.is_none() && first.version == VERSION => run = Some(*first),
                Ok(Record::Run(first)) if run.is_none() => {
                    return wrong(format!(
                        "results of version {} are not known here, only those of {VERSION}",
                        first.version
                    ));
                }
                Ok(_) if run.is_none() => return wrong(NOT_OURS.into()),
                Ok(Record::Run(_)) => return wrong("a second run begins within the file".into()),
                Ok(Record::Case(case)) => cases.push(case),
                Ok(Record::Sample(sample)) => samples.push(sample),
                Ok(Record::End(last)) => end = Some(last),
                // Cut short by a kill, or by a disk that was full.
                Err(_) if run.is_some() && lines.peek().is_none() => {}
                Err(_) if run.is_none() => return wrong(NOT_OURS.into()),
                Err(e) => return wrong(format!("the line is damaged: {e}")),
            }
        }
        match run {
            Some(run) => Ok(Self { run, cases, samples, end }),
            None => Err(Error::data(format!("`{name}` is empty"))),
        }
    }

    /// The seconds that one row (or query) took in each round of a case, with the rounds. Leaves out the warm-up and cut rounds.
    pub fn costs(&self, case: &str) -> Vec<(u32, f64)> {
        let counts = |sample: &&Sample| sample.case == case && sample.round > 0 && !sample.cut && sample.rows > 0;
        let cost = |sample: &Sample| (sample.round, sample.seconds / sample.rows as f64);
        self.samples.iter().filter(counts).map(cost).collect()
    }
}

/// The version of the records, as docs/schema describes them.
pub const VERSION: u32 = 1;

const NOT_OURS: &str = "this is not a file of `inrush bench`";

#[cfg(test)]
pub(crate) mod tests;
