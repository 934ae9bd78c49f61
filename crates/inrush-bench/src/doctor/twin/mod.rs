//! Twins: what a setting costs, measured on two throw-away servers of the same kind as the examined one and with its settings, scaled to
//! a sample of the table. On one of them a single setting is changed; the same work runs on both in turns.
//!
//! ```text
//! facts -> changes (pure) \
//! facts -> settings (pure) -> servers, started by the caller -> work on both in turns -> a gain for each rule
//! table -> sample         /
//! ```
//! The examined server is only read. How servers are started is the caller's business ([`Twins`]).

mod changes;
mod settings;
mod work;

use super::facts::Facts;
use super::gain::Gain;
use changes::Change;
use inrush::Config;
use inrush::sans_io::wire::ServerVersion;
use inrush::sans_io::{Kind, Result};
use settings::Scale;
use std::time::Duration;
use work::{Sample, Workshop};

/// One of the two servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Twin {
    /// With the settings of the examined server.
    Same,
    /// With one of them changed.
    Changed,
}

/// Starts servers, and hears of each step.
pub trait Twins {
    /// Checks, before anything is done, that servers of this kind can be started.
    ///
    /// # Errors
    /// `Config` if this machine has no such server, or no room for two.
    fn check(&self, version: &ServerVersion) -> Result<()>;

    /// Starts this server with these lines of its option file; stops it first if it runs. Its data stay.
    ///
    /// # Errors
    /// Those of the server, which may refuse a setting.
    fn start(&mut self, twin: Twin, settings: &[String]) -> Result<Config>;

    /// A step begins.
    ///
    /// # Errors
    /// `Interrupted` if it shall not.
    fn begins(&mut self, step: &str) -> Result<()>;
}

/// Measures the changes for the rules that found something, and keeps the gains in the facts.
///
/// # Errors
/// `Interrupted`; other refusals become lines of [`Facts::unknown`].
pub(super) fn run(config: &Config, facts: &mut Facts, found: &[&str], twins: &mut dyn Twins) -> Result<()> {
    let changes = changes::of(found, facts);
    if changes.is_empty() {
        facts.unknown.push("twins: no finding is of a setting that they could change".into());
        return Ok(());
    }
    match compare(config, facts, &changes, twins) {
        Err(error) if error.kind() != Kind::Interrupted => {
            // A server that fails while it is being stopped is no finding.
            twins.begins("the findings")?;
            facts.unknown.push(format!("twins: {}", error.message()));
            Ok(())
        }
        done => done,
    }
}

fn compare(config: &Config, facts: &mut Facts, changes: &[Change], twins: &mut dyn Twins) -> Result<()> {
    twins.begins("a sample")?;
    let sample = Sample::read(config, facts.table.as_ref())?;
    if let Some(why) = sample.why_generated() {
        facts.unknown.push(format!("twins of the table, so that rows made up stand for its own: {why}"));
    }
    twins.begins("making the servers")?;
    let of_data = settings::of_data(facts);
    let mut same = Workshop::open(twins.start(Twin::Same, &of_data)?, &sample)?;
    let mut changed = Workshop::open(twins.start(Twin::Changed, &of_data)?, &sample)?;
    let scale = Scale::of(facts, same.table_bytes()?);
    let settings = settings::of(facts, &scale);
    same.reached_by(twins.start(Twin::Same, &settings)?);
    for (n, change) in changes.iter().enumerate() {
        twins.begins(&format!("{} ({} of {})", change.rule, n + 1, changes.len()))?;
        if let Some(why) = scale.forbids(change) {
            facts.unknown.push(format!("`{}` on twins: {why}", change.rule));
            continue;
        }
        let lines = settings.iter().cloned().chain(scale.lines_of(change)).collect::<Vec<_>>();
        match twins.start(Twin::Changed, &lines) {
            Ok(config) => changed.reached_by(config),
            Err(error) => {
                facts.unknown.push(format!("`{}` on twins: {}", change.rule, error.message()));
                continue;
            }
        }
        let gain = in_turns(&mut same, &mut changed, change, twins)?;
        facts.gains.insert(change.rule, gain);
    }
    Ok(())
}

/// The work of a change on both servers, in turns, so that other work of this machine slows both.
fn in_turns(same: &mut Workshop, changed: &mut Workshop, change: &Change, twins: &mut dyn Twins) -> Result<Gain> {
    let (turns, longest) = match change.is_heavy {
        true => (HEAVY_TURNS, HEAVY),
        false => (TURNS, LIGHT),
    };
    // The first run on each warms it up, and says how many rows take long enough.
    let warm = same.work(u64::MAX, change.lanes, LONGEST)?;
    let rows = warm.rows_within(longest);
    changed.work(rows, change.lanes, LONGEST)?;
    let mut pairs = Vec::new();
    for turn in 0..turns {
        twins.begins(&format!("{}, turn {} of {turns}", change.rule, turn + 1))?;
        let before = same.work(rows, change.lanes, LONGEST)?;
        let after = changed.work(rows, change.lanes, LONGEST)?;
        pairs.push((before.seconds_a_row(), after.seconds_a_row()));
    }
    Ok(Gain::of(&pairs, change.what.clone(), change.lanes))
}

const TURNS: usize = 5;
const HEAVY_TURNS: usize = 3;
/// The work of a turn takes about so long.
const LIGHT: Duration = Duration::from_millis(1500);
/// The same of what only many rows show, such as a redo log that becomes full.
const HEAVY: Duration = Duration::from_secs(6);
/// A turn ends after that, with the rows that it has then.
const LONGEST: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests;
