//! `inrush doctor`: what slows writing to a server or a table, with its evidence and its effect. It reads; only the probe, which must be
//! allowed, writes, into a schema of its own.
//!
//! ```text
//! connection -> read (queries, each may be refused) -> Facts -> rules (a file each, pure) -> findings, ranked -> text, JSON, page
//!                                    files, probe, twins -^
//! ```
//! A rule knows facts only, so each one is tested without a server. What the server did not let us read is listed, and no rule guesses it.

mod disk;
mod facts;
mod finding;
mod gain;
pub mod guide;
mod link;
mod page;
mod probe;
mod read;
mod rules;
mod source;
mod text;
mod twin;

pub use facts::{Facts, Index, Link, Probe, Sync, Table};
pub use finding::{Effect, Finding, Risk};
pub use gain::Gain;
pub use page::page;
pub use rules::{Area, RULES, Rule};
pub use source::{Files, Source};
pub use text::shown;
pub use twin::{Twin, Twins};

use inrush::Config;
use inrush::sans_io::Result;
use inrush::sans_io::wire::ServerVersion;
use inrush::table::TableName;

/// What was found, and what could not be read.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The server's version, and how it was reached.
    pub server: String,
    /// The table that was examined: `schema.table`.
    pub table: Option<String>,
    /// The findings, the one with the greatest effect first.
    pub findings: Vec<Finding>,
    /// How many rules were applied.
    pub n_rules: usize,
    /// Whether the probe ran.
    pub is_probed: bool,
    /// Whether settings were changed on twins.
    pub has_twins: bool,
    /// What could not be read, and why: `performance_schema: it is off`.
    pub unknown: Vec<String>,
}

/// What is to be examined beside the server, and by what means.
#[derive(Default)]
pub struct Scope<'a> {
    /// The table that is written to.
    pub table: Option<TableName>,
    /// The files that are to be loaded into it: they are read, and with [`Self::may_probe`] some of their rows are loaded.
    pub files: Option<&'a mut dyn Files>,
    /// Whether it may write into a schema of its own, which it drops.
    pub may_probe: bool,
    /// Starts servers on which the settings that it finds are changed.
    pub twins: Option<&'a mut dyn Twins>,
}

/// Examines the server, and what else is asked for. It sends queries only, in a read-only session, unless it may probe.
///
/// # Errors
/// Those of the connection and of the files; `Config` for a table that does not exist, or if [`Scope::twins`] cannot start servers of this
/// kind; `Server` if the probe may not create its schema; `Interrupted` if the files or the twins say so. A query that is refused is listed
/// in [`Examination::unknown`].
pub fn examine(config: &Config, asked: Scope<'_>) -> Result<Examination> {
    let Scope { table, mut files, may_probe, twins } = asked;
    let mut facts = read::facts(config, table.as_ref())?;
    if let Some(twins) = &twins {
        twins.check(&ServerVersion::parse(facts.var("version").unwrap_or_default()))?;
    }
    if let Some(files) = &mut files {
        facts.source = Some(source::read(&mut **files)?);
    }
    if may_probe {
        probe::run(config, &mut facts, files)?;
    }
    let has_twins = twins.is_some();
    if let Some(twins) = twins {
        let found: Vec<&str> = judge(facts.clone()).findings.iter().map(|finding| finding.rule).collect();
        twin::run(config, &mut facts, &found, twins)?;
    }
    Ok(Examination { has_twins, ..judge(facts) })
}

/// Applies every rule to the facts.
pub fn judge(facts: Facts) -> Examination {
    let mut findings: Vec<Finding> =
        RULES.iter().filter_map(|rule| Some((rule.check)(&facts)?.of(rule.name, rule.source))).collect();
    for finding in &mut findings {
        if let Some(gain) = facts.gains.get(finding.rule) {
            finding.effect.measure_on_twins(gain, facts.link.is_local());
        }
    }
    findings.sort_by(|a, b| b.effect.rank().total_cmp(&a.effect.rank()));
    Examination {
        server: facts.server,
        table: facts.table.map(|table| table.name),
        findings,
        n_rules: RULES.len(),
        is_probed: facts.probe.is_some(),
        has_twins: false,
        unknown: facts.unknown,
    }
}

#[cfg(test)]
mod tests;
