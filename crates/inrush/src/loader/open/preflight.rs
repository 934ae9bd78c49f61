//! What can be known before the first row, before anything is changed for it: the first records of every source are read and checked.
//! A table is not emptied, nor made, for a file that cannot be read, nor emptied for one without a row that can be stored.

use crate::loader::commit::ledger::Jobs;
use crate::loader::lanes::waits::on_sources;
use crate::loader::options::{BadRows, LoadOptions};
use crate::loader::plan::source_plan::SourcePlan;
use crate::loader::plan::target::Target;
use crate::loader::read::prepare::{first_bad_rows, stopping};
use inrush_core::human::counted;
use inrush_core::load::{Batch, Reject, Source};
use inrush_core::{Error, Kind, Result};
use std::sync::Arc;

/// Reads and checks the first records of each source, if something else is changed before they are sent and no earlier run has done
/// that. The sources still deliver these records.
pub(crate) fn check(
    target: &Target,
    jobs: &Jobs,
    sources: &mut Vec<Box<dyn Source>>,
    plans: &[Arc<SourcePlan>],
) -> Result<()> {
    let changes_table = target.to_create.is_some() || !target.to_add.is_empty() || !target.widened.is_empty();
    if !changes_something(&target.load.options, changes_table) || jobs.resumed().chunks > 0 {
        return Ok(());
    }
    let stops = matches!(target.load.options.bad_rows, BadRows::Stop);
    // A copy of the table is counted before it takes the table's place.
    let counts = refuses_none(target) && !target.load.options.atomic;
    let max_packet = target.max_packet;
    let plans = plans.to_vec();
    let looks = Looks { stops, counts, max_packet };
    let seen = on_sources(&target.load.control, sources, move |sources| check_each(sources, &plans, looks))??;
    check_rows(target, seen.n_records)?;
    match (seen.n_records, seen.first_bad) {
        (Some(n), Some(first)) if counts && seen.n_bad == n => Err(none_to_load(
            target,
            &format!("none of the first {} can be stored: {}", counted(n, "record"), first.reason),
        )
        .with_input_fault(first.fault)
        .at(first.place)),
        _ => Ok(()),
    }
}

/// The same of a dry run, which reads the records later.
pub(crate) fn check_dry(target: &Target, sources: &mut Vec<Box<dyn Source>>) -> Result<()> {
    if !refuses_none(target) {
        return Ok(());
    }
    let n_records: Result<Option<u64>> = on_sources(&target.load.control, sources, |sources| {
        sources.iter_mut().try_fold(Some(0), |n, source| {
            let batch = source.peek(LEAST_LOOKED_AT)?;
            Ok(n.filter(|_| source.can_peek()).map(|n| n + batch.map_or(0, |batch| batch.records())))
        })
    })?;
    check_rows(target, n_records?)
}

/// Refuses to leave a table empty if the sources have no record. `n_records` is `None` if their number is not known before they are read.
pub(crate) fn check_rows(target: &Target, n_records: Option<u64>) -> Result<()> {
    if n_records != Some(0) || !refuses_none(target) {
        return Ok(());
    }
    Err(none_to_load(target, "there is no row to load"))
}

/// Whether a load without rows is refused: it would empty an existing table.
pub(crate) fn refuses_none(target: &Target) -> bool {
    let options = &target.load.options;
    options.truncate && !options.allow_empty && target.to_create.is_none()
}

/// The error for such a load.
pub(crate) fn none_to_load(target: &Target, why: &str) -> Error {
    Error::new(Kind::Guarantee, format!("{why}, and table `{}` would be empty afterwards", target.name()))
        .with_hint("`--allow-empty` empties it all the same")
}

/// What is looked for.
#[derive(Clone, Copy)]
struct Looks {
    /// A bad row stops the load.
    stops: bool,
    /// Bad rows are counted.
    counts: bool,
    max_packet: usize,
}

/// What the first records are.
#[derive(Default)]
struct Seen {
    /// How many records the sources have; `None` if that is not known before they are read.
    n_records: Option<u64>,
    n_bad: u64,
    first_bad: Option<Reject>,
}

fn check_each(sources: &mut [Box<dyn Source>], plans: &[Arc<SourcePlan>], looks: Looks) -> Result<Seen> {
    let mut seen = Seen { n_records: Some(0), ..Seen::default() };
    let bytes = (LOOKED_AT / sources.len().max(1)).clamp(LEAST_LOOKED_AT, MOST_LOOKED_AT);
    for (source, plan) in sources.iter_mut().zip(plans) {
        let unchanged = source.unchanged();
        // A stream may come slowly: a load that waits for much of it begins late.
        let peeked = source.peek(if unchanged.is_some() { bytes } else { LEAST_LOOKED_AT });
        if let Some(unchanged) = unchanged {
            unchanged.check()?;
        }
        let peeked = peeked?;
        seen.n_records =
            seen.n_records.filter(|_| source.can_peek()).map(|n| n + peeked.as_ref().map_or(0, Batch::records));
        let Some(batch) = peeked.filter(|_| looks.stops || looks.counts) else { continue };
        let bad = first_bad_rows(batch, plan, looks.max_packet);
        match bad.first() {
            Some(first) if looks.stops => return Err(stopping(first, bad.len())),
            _ => seen.n_bad += bad.len() as u64,
        }
        seen.first_bad = seen.first_bad.or_else(|| bad.into_iter().next());
    }
    Ok(seen)
}

/// Whether a load does more to its table than to fill it.
fn changes_something(options: &LoadOptions, changes_table: bool) -> bool {
    changes_table || options.truncate || options.atomic || options.defer_indexes || !options.before.is_empty()
}

/// 16 MiB: how much text is held of all sources together until their turn comes.
const LOOKED_AT: usize = 16 << 20;

/// 16 KiB: as much as was read for a header is held of each file as it is.
const LEAST_LOOKED_AT: usize = 16 << 10;

/// 1 MiB: checked within some milliseconds.
const MOST_LOOKED_AT: usize = 1 << 20;
