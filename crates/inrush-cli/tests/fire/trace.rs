//! What a process left behind of its way: the points that its threads visited, and so where a kill met it.

use std::collections::BTreeMap;
use std::fmt;

/// Points from a chunk's first step to its entry in the tally. What comes before or after them is no part of a chunk's life.
const LIFE: [&str; 11] = [
    "chunk.begin",
    "data.sent",
    "data.answered",
    "replay.answered",
    "rejects.sent",
    "rejects.answered",
    "line.sent",
    "line.answered",
    "commit.sent",
    "commit.answered",
    "settled",
];

/// Points of a sort, from its first run on. The last run of a thread stays the thread's last point, so that these count until the merge gives
/// its first rows.
const SORT: [&str; 3] = ["sort.run_written", "sort.gathered", "sort.pass"];
const SORT_ENDS: &str = "sort.merged";

/// The last points that each thread had visited inside a chunk's life or inside a sort; nothing if no thread was inside one. The trace has a
/// line a visit: the point's name and the thread's number.
pub(crate) fn inside(trace: &str) -> Vec<&'static str> {
    let mut last: BTreeMap<&str, &str> = BTreeMap::new();
    let mut sort: &[&str] = &SORT;
    // A last line without an end was cut by the kill.
    for line in trace.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
        if let Some((name, thread)) = line.trim_end().split_once(' ') {
            if name == SORT_ENDS {
                sort = &[];
            }
            last.insert(thread, name);
        }
    }
    let points = last.values().filter_map(|name| LIFE.iter().chain(sort).find(|point| *point == name));
    points.copied().collect()
}

/// How often each point is visited.
pub(crate) fn visits(trace: &str) -> BTreeMap<String, u64> {
    let mut visits = BTreeMap::new();
    for name in trace.lines().filter_map(|line| line.split(' ').next()) {
        *visits.entry(name.to_owned()).or_default() += 1;
    }
    visits
}

/// Where kills landed: for each lane that was inside a chunk's life, the last point that it had passed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Histogram(BTreeMap<&'static str, u64>);

impl Histogram {
    pub(crate) fn add(&mut self, points: &[&'static str]) {
        for point in points {
            *self.0.entry(point).or_default() += 1;
        }
    }

    pub(crate) fn join(&mut self, other: &Histogram) {
        for (point, n) in &other.0 {
            *self.0.entry(point).or_default() += n;
        }
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = self.0.values().copied().max().unwrap_or(1).max(1);
        for point in SORT.into_iter().chain(LIFE) {
            if let Some(n) = self.0.get(point) {
                writeln!(f, "  after {point:<17} {n:>5}  {}", "#".repeat((n * 40 / most) as usize))?;
            }
        }
        Ok(())
    }
}

#[test]
fn a_kill_is_inside_if_a_lane_is() {
    assert_eq!(inside("job.taken 1\nstep.before 1\n"), [""; 0]);
    assert_eq!(inside("job.taken 1\nchunk.begin 7\nchunk.begin 8\ndata.answered 7\ntallied 8\n"), ["data.answered"]);
    assert_eq!(inside("chunk.begin 7\ntallied 7\nfile.written 1\n"), [""; 0]);
    assert_eq!(inside("chunk.begin 7\ncommit.se"), ["chunk.begin"]);
}

#[test]
fn a_kill_is_inside_while_rows_are_sorted() {
    assert_eq!(
        inside("job.taken 1\nsort.run_written 3\nsort.run_written 4\n"),
        ["sort.run_written", "sort.run_written"]
    );
    assert_eq!(inside("sort.run_written 3\nsort.gathered 1\n"), ["sort.gathered", "sort.run_written"]);
    assert_eq!(inside("sort.run_written 3\nsort.gathered 1\nsort.merged 1\n"), [""; 0]);
    assert_eq!(inside("sort.run_written 3\nsort.merged 1\nchunk.begin 7\n"), ["chunk.begin"]);
    assert_eq!(inside("sort.run_written 3\nsort.merged 1\nchunk.begin 7\ntallied 7\n"), [""; 0]);
}
