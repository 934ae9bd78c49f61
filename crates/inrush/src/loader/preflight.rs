//! What can be known before the first row, before anything is changed for it: the first records of every source are read and checked.
//! A table is not emptied, nor made, for a file that cannot be read.

use super::ledger::Jobs;
use super::options::{BadRows, LoadOptions};
use super::prepare::first_bad_row;
use super::source_plan::SourcePlan;
use super::target::Target;
use super::waits::on_sources;
use inrush_core::Result;
use inrush_core::bulk::Source;
use std::sync::Arc;

/// Reads and checks the first records of each source, where something else is changed before they are sent and no earlier run has done
/// that. The sources deliver them all the same.
pub(super) fn check(
    target: &Target,
    jobs: &Jobs,
    sources: &mut Vec<Box<dyn Source>>,
    plans: &[Arc<SourcePlan>],
) -> Result<()> {
    if !changes_something(&target.load.options, target.to_create.is_some()) || jobs.resumed().chunks > 0 {
        return Ok(());
    }
    let stops = matches!(target.load.options.bad_rows, BadRows::Stop);
    let max_packet = target.max_packet;
    let plans = plans.to_vec();
    on_sources(&target.load.control, sources, move |sources| check_each(sources, &plans, stops, max_packet))?
}

fn check_each(
    sources: &mut [Box<dyn Source>],
    plans: &[Arc<SourcePlan>],
    stops: bool,
    max_packet: usize,
) -> Result<()> {
    let bytes = (LOOKED_AT / sources.len().max(1)).clamp(LEAST_LOOKED_AT, MOST_LOOKED_AT);
    for (source, plan) in sources.iter_mut().zip(plans) {
        let unchanged = source.unchanged();
        // A stream may come slowly: a load that waits for much of it begins late.
        let peeked = source.peek(if unchanged.is_some() { bytes } else { LEAST_LOOKED_AT });
        if let Some(unchanged) = unchanged {
            unchanged.check()?;
        }
        let bad = peeked?.filter(|_| stops).and_then(|batch| first_bad_row(batch, plan, max_packet));
        bad.map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Whether a load does more to its table than to fill it.
fn changes_something(options: &LoadOptions, must_create: bool) -> bool {
    must_create || options.truncate || options.atomic || options.defer_indexes || !options.before.is_empty()
}

/// 16 MiB: how much text is held of all sources together until their turn comes.
const LOOKED_AT: usize = 16 << 20;

/// 16 KiB: as much as was read for a header is held of each file as it is.
const LEAST_LOOKED_AT: usize = 16 << 10;

/// 1 MiB: checked within some milliseconds.
const MOST_LOOKED_AT: usize = 1 << 20;
