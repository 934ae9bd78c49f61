//! With `sync_binlog = 1` each group of commits waits until the binlog is on the disk, a second wait beside the redo log's.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "binlog-flush",
    area: Area::Durability,
    about: "With `sync_binlog = 1` each group of commits waits until the binlog is on the disk, a second wait beside the redo log's.",
    source: "MySQL manual, sync_binlog; MariaDB KB, sync_binlog",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.is_on("log_bin") != Some(true) || facts.number("sync_binlog") != Some(1) {
        return None;
    }
    let probe = facts.probe.filter(|probe| !probe.thousand_rows.is_zero());
    let effect = match probe {
        Some(probe) => Effect::Measured {
            factor: probe.without_commit(1.0 - facts.redo_share()),
            what: "of a program that commits every 1,000 rows, if it did not wait for the binlog".into(),
        },
        None => Effect::Known { what: "a second wait for the disk a group of commits".into(), weight: 1.5 },
    };
    let title = match facts.redo_share() > 0.0 {
        true => "each commit waits for the binlog as well",
        false => "each commit waits until the binlog is on the disk",
    };
    let mut found = Symptom::new(title, effect).because(facts.shown("sync_binlog"));
    if let Some(probe) = probe {
        let [commit, rows] = [probe.commit, probe.thousand_rows].map(|time| time.as_secs_f64() * 1000.0);
        found = found.because(format!("a commit takes {commit:.2} ms, 1,000 short rows in one statement {rows:.2} ms"));
    }
    if let Some(sync) = facts.binlog_sync {
        found = found.because(Facts::flushes("the binlog", sync));
    }
    if let Some(disk) = facts.disk() {
        found = found.because(disk);
    }
    Some(
        found
            .do_this("put more rows into a transaction, or commit on several connections")
            .loses("`sync_binlog = 0` or `1000` does not wait: after a crash of the machine replicas may have rows that this server lacks, or the other way round"),
    )
}
