//! The table of a run: a line a case and server, printed as each is known, and kept in the folder `FIRE_TABLE` for `scripts/fire`.

use crate::trace::Histogram;
use inrush_testkit::dice::seed;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// What was tried, and what it did to the rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line {
    pub(crate) case: String,
    pub(crate) server: String,
    /// Processes started.
    pub(crate) runs: u64,
    /// Jobs that were brought to their end, and compared with their source.
    pub(crate) jobs: u64,
    /// Kills of the process, or faults of the network, the server, another session.
    pub(crate) faults: u64,
    /// Of which so many met a lane inside a chunk's life.
    pub(crate) inside: u64,
    pub(crate) lost: u64,
    pub(crate) doubled: u64,
    pub(crate) places: Histogram,
}

impl Line {
    pub(crate) fn new(case: &str, server: &str) -> Self {
        Self { case: case.into(), server: server.into(), ..Self::default() }
    }

    pub(crate) fn add(&mut self, other: &Line) {
        self.runs += other.runs;
        self.jobs += other.jobs;
        self.faults += other.faults;
        self.inside += other.inside;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.places.join(&other.places);
    }

    /// How many of a hundred faults met a chunk's life.
    pub(crate) fn inside_percent(&self) -> Option<u64> {
        (self.faults > 0 && self.inside > 0).then(|| self.inside * 100 / self.faults)
    }

    /// Says what happened, whatever it was, and fails if a row is lost or doubled.
    #[track_caller]
    #[allow(clippy::print_stdout, reason = "the numbers are the result")]
    pub(crate) fn conclude(&self) {
        let inside = self.inside_percent().map_or_else(|| "-".into(), |percent| format!("{percent} %"));
        let Line { case, server, runs, jobs, faults, lost, doubled, places, .. } = self;
        println!(
            "{case}, {server}: {jobs} jobs in {runs} runs, {faults} faults, inside a chunk's life {inside}, lost {lost}, doubled {doubled} \
             (seed {})\n{places}",
            seed()
        );
        if let Some(folder) = std::env::var_os("FIRE_TABLE") {
            let line = format!("{case}\t{server}\t{runs}\t{jobs}\t{faults}\t{inside}\t{lost}\t{doubled}\n");
            append(&Path::new(&folder).join("table.tsv"), &line);
            append(&Path::new(&folder).join("places.txt"), &format!("{case}, {server}\n{places}\n"));
        }
        assert_eq!((*lost, *doubled), (0, 0), "rows are lost or doubled: {case}, {server}, seed {}", seed());
    }
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}
