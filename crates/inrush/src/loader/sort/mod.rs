//! The sort of a load: rows are gathered into runs in a temporary folder, and come out of it as one sequence
//! (docs/adr/0030-rows-in-the-order-of-the-key.md). What is sorted and how is the core's (`load::sort`).
//!
//! ```text
//! plan: key, whether, why -> gather: sources -> runs in files -> merge: runs -> a source of sorted rows, which the lanes take
//! ```

mod gather;
mod plan;
mod server;
mod spill;

pub(super) use plan::{Known, plan};
pub(super) use server::notes;

use super::commit::ledger::Jobs;
use super::options::{BatchSize, LoadOptions};
use super::plan::source_plan::SourcePlan;
use super::plan::target::Target;
use super::report::event::LoadEvent;
use super::report::spans::StepSpan;
use crate::fault;
use inrush_core::load::Source;
use inrush_core::load::report::Stop;
use inrush_core::load::sort::{Merge, Sequence, Size, SortedSource};
use inrush_core::{Error, Result};
use spill::{Folder, RunFile, SpilledRun};
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// What was sorted.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    runs: Vec<SpilledRun>,
    /// Of each source: records, and how many of them were rejected.
    per_source: Vec<(u64, u64)>,
    /// Bytes of their text in the sources.
    source_bytes: u64,
    /// Bytes of all lines.
    text_bytes: u64,
    keeps_raw: bool,
}

impl Sorted {
    fn new(n_sources: usize, keeps_raw: bool) -> Self {
        Self { per_source: vec![(0, 0); n_sources], keeps_raw, ..Self::default() }
    }

    fn count(&mut self, per_source: &[(u64, u64)], text_bytes: u64) {
        for (sum, more) in self.per_source.iter_mut().zip(per_source) {
            *sum = (sum.0 + more.0, sum.1 + more.1);
        }
        self.text_bytes += text_bytes;
    }

    /// Bytes of its temporary files.
    fn bytes(&self) -> u64 {
        self.runs.iter().map(|run| run.bytes).sum()
    }
}

/// Sorted rows while they are loaded: the folder is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Sort {
    _folder: Folder,
    /// For the report.
    pub(super) report: inrush_core::load::report::Sort,
}

/// Removes what killed runs have left, if rows are sorted or may have been: the killed run may have finished its jobs.
pub(super) fn remove_left(target: &Target) {
    if target.sort.key.is_some() {
        Folder::remove_left(&folder_for(&target.load.options));
    }
}

/// Reads, checks and sorts all rows. `sources` and `plans` become one of each.
///
/// # Errors
/// `Config` for a temporary folder that cannot be used; a [`Stop`] for what stops the load before a row is sent.
pub(super) fn sort(
    target: &Target,
    jobs: &mut Jobs,
    sources: &mut Vec<Box<dyn Source>>,
    plans: &mut Vec<Arc<SourcePlan>>,
) -> Result<std::result::Result<Sort, Stop>> {
    let Some(key) = &target.sort.key else { return Err(Error::config("there is no key to sort by")) };
    let (began, sorting, reading) = (Instant::now(), StepSpan::sort(), StepSpan::sort_read());
    let names: Arc<[Arc<str>]> = sources.iter().map(|source| source.name().into()).collect();
    let parent = folder_for(&target.load.options);
    let folder = Folder::make(&parent)?;
    let to_come = sources.iter().map(|source| source.bytes_left()).sum::<Option<u64>>();
    check_space(&folder, &parent, to_come)?;
    if let Some(on) = folder.is_on() {
        target.load.notify(&LoadEvent::TempDir { folder: parent.clone(), on });
    }
    target.load.notify(&LoadEvent::Sorts { columns: key.shown(), reason: target.sort.choice().reason, bytes: to_come });
    let mut sorted = match gather::gather(target, (std::mem::take(sources), plans), key, &folder) {
        Ok(sorted) => sorted,
        Err(stop) => return Ok(Err(stop)),
    };
    reading.end();
    let merging = StepSpan::sort_merge();
    sorted.source_bytes = target.load.control.forget_gathered();
    let (n_runs, spilled) = (sorted.runs.len(), sorted.bytes());
    match merge(&mut sorted, &folder, &target.load.options, target) {
        Ok(true) => {}
        Ok(false) => return Ok(Err(Stop::Interrupted)),
        Err(error) => return Ok(Err(Stop::Failed(error))),
    }
    merging.end();
    let report = inrush_core::load::report::Sort {
        columns: key.shown(),
        is_exact: key.is_exact(),
        reason: target.sort.choice().reason,
        source_bytes: sorted.source_bytes,
        records: sorted.per_source.iter().map(|(records, _)| records).sum(),
        runs: n_runs,
        bytes: spilled,
        elapsed: began.elapsed(),
    };
    sorting.sorted(report.records, report.runs);
    target.load.notify(&LoadEvent::Sorted(report.clone()));
    fault::point("sort.merged");
    lead(plans, jobs, &names, &sorted);
    Ok(match source(&sorted, names, jobs, target) {
        Ok(source) => {
            *sources = vec![Box::new(source)];
            Ok(Sort { _folder: folder, report })
        }
        Err(error) => Err(Stop::Failed(error)),
    })
}

/// Where temporary files go.
fn folder_for(options: &LoadOptions) -> PathBuf {
    let given =
        || options.temp_dir.clone().or_else(|| env::var_os("TMPDIR").filter(|dir| !dir.is_empty()).map(PathBuf::from));
    given().unwrap_or_else(|| {
        let on_disk = PathBuf::from("/var/tmp");
        if on_disk.is_dir() { on_disk } else { env::temp_dir() }
    })
}

/// Refuses at once what will not fit.
fn check_space(folder: &Folder, parent: &Path, text: Option<u64>) -> Result<()> {
    let (Some(text), Ok(free)) = (text, folder.free()) else { return Ok(()) };
    let needed = inrush_core::load::sort::spill_bytes(text);
    if needed <= free {
        return Ok(());
    }
    const MIB: u64 = 1 << 20;
    Err(Error::config(format!(
        "a sort of these rows needs about {} MiB in `{}`, and {} MiB are free",
        needed.div_ceil(MIB),
        parent.display(),
        free / MIB
    ))
    .with_hint("`--temp-dir DIR` names a folder with more room; `--sort none` sends the rows as they come"))
}

/// Merges runs until those that are left can be read at once. Returns `false` if the load is to end.
fn merge(sorted: &mut Sorted, folder: &Folder, options: &LoadOptions, target: &Target) -> Result<bool> {
    let at_once = (options.memory / 8 / spill::OPEN_RUN_BYTES).clamp(LEAST_AT_ONCE, MOST_AT_ONCE);
    let mut next = sorted.runs.len();
    while sorted.runs.len() > at_once {
        // The shortest first, and no more than needed.
        sorted.runs.sort_by_key(|run| std::cmp::Reverse(run.bytes));
        let n = (sorted.runs.len() - at_once + 1).min(at_once);
        let some = sorted.runs.split_off(sorted.runs.len() - n);
        let Some(merged) = folder.merge(&some, next, || !target.load.control.is_stopping())? else { return Ok(false) };
        sorted.runs.push(merged);
        next += 1;
        fault::point("sort.pass");
    }
    Ok(true)
}

/// Leaves the plan of the first source, whose job has the lines of the chunks.
fn lead(plans: &mut Vec<Arc<SourcePlan>>, jobs: &mut Jobs, names: &[Arc<str>], sorted: &Sorted) {
    jobs.set_shares(&sorted.per_source);
    plans.truncate(1);
    if let Some(plan) = plans.first_mut().and_then(Arc::get_mut) {
        plan.fences_of_rejects = jobs.fences_of(names);
    }
}

fn source(sorted: &Sorted, names: Arc<[Arc<str>]>, jobs: &mut Jobs, target: &Target) -> Result<SortedSource<RunFile>> {
    let merge = Merge::new(sorted.runs.iter().map(RunFile::open).collect::<Result<Vec<_>>>()?)?;
    let by = target.sort.columns().iter().map(|column| format!("`{column}`")).collect::<Vec<_>>().join(", ");
    let what = match &names[..] {
        [one] => format!("{one}"),
        several => format!("{} files", several.len()),
    };
    let sequence = Sequence {
        name: format!("{what}, sorted by {by}").into(),
        sources: names,
        fields: target.sort.fields.clone(),
        keeps_raw: sorted.keeps_raw,
    };
    let size = match target.load.options.batch {
        BatchSize::Rows(rows) => Size::Rows(rows.max(1)),
        BatchSize::Bytes(bytes) => Size::Bytes(bytes),
        BatchSize::Auto => Size::Bytes(target.tuning.batch_bytes().unwrap_or(FIRST_CHUNK)),
    };
    Ok(SortedSource::new(merge, sequence, size, sorted.text_bytes, jobs.take_lines()))
}

/// Until the tuner sets another size.
const FIRST_CHUNK: usize = 1 << 20;

/// Runs that are read at once, by the memory for it.
const LEAST_AT_ONCE: usize = 16;
const MOST_AT_ONCE: usize = 256;
