//! What is changed for which rule, the settings of a twin, and gains.

use super::*;
use crate::doctor::facts::Table;
use crate::doctor::{Effect, RULES};

fn facts(variables: &[(&str, &str)]) -> Facts {
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Facts { variables, ..Facts::default() }
}

/// With a table of so many bytes.
fn with_table(bytes: u64, variables: &[(&str, &str)]) -> Facts {
    Facts { table: Some(Table { data_bytes: bytes, ..Table::default() }), ..facts(variables) }
}

#[test]
fn each_change_is_of_a_rule() {
    let names: Vec<&str> = RULES.iter().map(|rule| rule.name).collect();
    let changes = changes::of(&names, &Facts::default());
    assert!(changes.len() >= 15, "{changes:?}");
    for change in changes {
        assert!(names.contains(&change.rule), "{change:?}");
    }
    assert_eq!(changes::of(&["triggers", "no-such-rule"], &Facts::default()), []);
}

#[track_caller]
fn changed(rule: &str, variables: &[(&str, &str)], want: &str) {
    let changes = changes::of(&[rule], &facts(variables));
    let scale = Scale::of(&Facts::default(), 40 << 20);
    assert_eq!(scale.lines_of(&changes[0]).join(" "), want);
}

#[test]
fn settings_by_the_names_of_the_server() {
    changed("binlog-flush", &[], "loose_sync_binlog=0");
    changed("redo-small", &[("innodb_redo_log_capacity", "8388608")], "loose_innodb_redo_log_capacity=1G");
    changed("redo-small", &[("innodb_log_file_size", "8388608")], "loose_innodb_log_file_size=1G");
    changed("commit-delay", &[("binlog_commit_wait_count", "3")], "loose_binlog_commit_wait_count=0");
    changed("commit-delay", &[], "loose_binlog_group_commit_sync_delay=0");
    changed("buffer-pool", &[], "innodb_buffer_pool_size=167772160");
}

#[track_caller]
fn has_line(facts: &Facts, sample: u64, line: &str) {
    let lines = settings::of(facts, &Scale::of(facts, sample));
    assert!(lines.iter().any(|one| one == line), "{line}: {lines:?}");
}

#[track_caller]
fn lacks(facts: &Facts, name: &str) {
    let lines = settings::of(facts, &Scale::of(facts, 1 << 20));
    assert!(!lines.iter().any(|line| line.contains(name)), "{lines:?}");
}

#[test]
fn settings_are_those_of_the_server() {
    has_line(&facts(&[("sync_binlog", "1")]), 1 << 20, "loose_sync_binlog=1");
    has_line(&facts(&[("log_bin", "ON")]), 1 << 20, "log_bin=twin");
    lacks(&facts(&[("log_bin", "OFF")]), "log_bin=twin");
    // What an option file would read otherwise.
    lacks(&facts(&[("innodb_flush_method", "a\nb")]), "flush_method");
    lacks(&facts(&[("innodb_flush_method", "")]), "flush_method");
    // Files and addresses of the examined server.
    lacks(&facts(&[("datadir", "data"), ("socket", "socket")]), "data");
}

#[test]
fn memory_and_redo_are_scaled() {
    let settings = [("innodb_buffer_pool_size", "1073741824"), ("innodb_redo_log_capacity", "1073741824")];
    // 40 MiB of 4 GiB: a hundredth.
    has_line(&with_table(4 << 30, &settings), 40 << 20, "innodb_buffer_pool_size=10485760");
    has_line(&with_table(4 << 30, &settings), 40 << 20, "loose_innodb_redo_log_capacity=16777216");
    // The table fits into memory: so does the sample.
    has_line(&with_table(100 << 20, &settings), 40 << 20, "innodb_buffer_pool_size=167772160");
    // Without a table nothing is scaled, and a twin takes no more memory than it needs.
    has_line(&facts(&settings), 40 << 20, "innodb_buffer_pool_size=167772160");
    has_line(&facts(&settings), 40 << 20, "loose_innodb_redo_log_capacity=1073741824");
    // A redo log that is tiny already stays so.
    has_line(&facts(&[("innodb_redo_log_capacity", "8388608")]), 40 << 20, "loose_innodb_redo_log_capacity=8388608");
    has_line(&facts(&[("innodb_log_file_size", "4194304")]), 1 << 20, "loose_innodb_log_file_size=4194304");
}

#[track_caller]
fn pool_can_be_measured(table: u64, sample: u64, want: bool) {
    let facts = with_table(table, &[("innodb_buffer_pool_size", "1073741824")]);
    let scale = Scale::of(&facts, sample);
    let changes = changes::of(&["buffer-pool", "sync_binlog"], &facts);
    assert_eq!(scale.forbids(&changes[0]).is_none(), want);
}

#[test]
fn a_pool_of_a_sample_that_is_too_small() {
    pool_can_be_measured(2 << 30, 40 << 20, true);
    pool_can_be_measured(100 << 30, 40 << 20, false);
    // It fits, so it is not scaled.
    pool_can_be_measured(500 << 20, 1 << 20, true);
}

#[track_caller]
fn gain(pairs: &[(f64, f64)], want: (f64, f64, f64)) {
    let gain = Gain::of(pairs, "x".into(), 1);
    assert_eq!((gain.factor, gain.range.0, gain.range.1), want);
}

#[test]
fn gains() {
    gain(&[(2.0, 1.0), (3.0, 1.0), (2.0, 2.0)], (2.0, 1.0, 3.0));
    gain(&[(2.0, 1.0), (3.0, 1.0), (5.0, 2.0)], (2.5, 2.0, 3.0));
    gain(&[], (1.0, 1.0, 1.0));
}

#[test]
fn a_number_of_the_server_itself_stays_if_it_is_elsewhere() {
    let gain = Gain { factor: 2.0, range: (1.5, 3.0), change: "`a = 0`".into(), lanes: 2 };
    let measured = || Effect::Measured { factor: 1.2, what: String::new() };
    let known = || Effect::Known { what: String::new(), weight: 1.0 };
    for (mut effect, is_local, want) in [
        (measured(), true, "twin: 2.00 x (1.50 to 3.00)"),
        (measured(), false, "measured: 1.2 x"),
        (
            known(),
            false,
            "twin: 2.00 x (1.50 to 3.00), rows copied by 2 connections, 1,000 a transaction, with `a = 0`",
        ),
        (Effect::Blocks { what: "it".into() }, true, "blocks: it"),
    ] {
        effect.measure_on_twins(&gain, is_local);
        assert!(effect.shown().starts_with(want), "{}", effect.shown());
    }
    let mut effect = known();
    effect.measure_on_twins(&Gain { range: (0.9, 3.0), ..gain }, true);
    assert_eq!((effect.rank(), effect.shown().contains("no difference for certain")), (5.0, true));
}
