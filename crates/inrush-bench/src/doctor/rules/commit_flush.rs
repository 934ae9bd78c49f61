//! With `innodb_flush_log_at_trx_commit = 1` each commit waits until the redo log is on the disk.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::{Effect, Symptom};
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "commit-flush",
    area: Area::Durability,
    about: "With `innodb_flush_log_at_trx_commit = 1` each commit waits until the redo log is on the disk.",
    source: "MySQL manual, innodb_flush_log_at_trx_commit; MariaDB KB, innodb_flush_log_at_trx_commit",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    if facts.var("innodb_flush_log_at_trx_commit") != Some("1") {
        return None;
    }
    let probe = facts.probe.filter(|probe| !probe.thousand_rows.is_zero());
    let effect = match (probe, facts.commit_time) {
        (Some(probe), _) => Effect::Measured {
            factor: probe.without_commit(facts.redo_share()),
            what: "of a program that commits every 1,000 rows, if it did not wait for the redo log".into(),
        },
        (None, Some((commit, write))) if commit + write > ENOUGH => {
            let share = commit.as_secs_f64() / (commit + write).as_secs_f64();
            Effect::Attributed {
                share,
                of: "the time of all INSERT, LOAD DATA, REPLACE and COMMIT statements is COMMIT".into(),
            }
        }
        _ => {
            Effect::Known { what: "one wait for the disk a commit, whatever number of rows it has".into(), weight: 2.0 }
        }
    };
    let mut found = Symptom::new("each commit waits until the redo log is on the disk", effect)
        .because(facts.shown("innodb_flush_log_at_trx_commit"));
    if let Some(probe) = probe {
        let [commit, rows] = [probe.commit, probe.thousand_rows].map(|time| time.as_secs_f64() * 1000.0);
        found = found.because(format!("a commit takes {commit:.2} ms, 1,000 short rows in one statement {rows:.2} ms"));
    }
    if let Some(sync) = facts.redo_sync {
        let most = human::short(1.0 / sync.mean.as_secs_f64().max(1e-9));
        found = found
            .because(Facts::flushes("the redo log", sync))
            .because(format!("so one connection commits at most {most} times a second"));
    }
    if let Some(disk) = facts.disk() {
        found = found.because(disk);
    }
    Some(
        found
            .do_this("put more rows into a transaction (`inrush load` does), or commit on several connections: the server flushes their commits together")
            .loses("`innodb_flush_log_at_trx_commit = 2` does not wait, and a crash of the machine loses about the last second of commits"),
    )
}

/// Less time than this in statements says nothing.
const ENOUGH: std::time::Duration = std::time::Duration::from_secs(5);
