//! Each rule by the facts that it speaks of, and by facts that it must not speak of.

use super::*;
use std::time::Duration;

/// Facts with these variables and counters; a name that begins with a capital letter is a counter.
fn facts(settings: &[(&str, &str)]) -> Facts {
    let mut facts = Facts::default();
    facts.status.insert("uptime".into(), "90000".into());
    for (name, value) in settings {
        let map = if name.starts_with(char::is_uppercase) { &mut facts.status } else { &mut facts.variables };
        map.insert(name.to_lowercase(), (*value).to_owned());
    }
    facts
}

fn names(facts: Facts) -> Vec<&'static str> {
    judge(facts).findings.iter().map(|finding| finding.rule).collect()
}

#[track_caller]
fn found(rule: &str, settings: &[(&str, &str)]) {
    let names = names(facts(settings));
    assert!(names.contains(&rule), "{names:?}");
}

#[track_caller]
fn not_found(rule: &str, settings: &[(&str, &str)]) {
    let names = names(facts(settings));
    assert!(!names.contains(&rule), "{names:?}");
}

#[track_caller]
fn of_table(rule: &str, table: Table, is_found: bool) {
    let mut facts = facts(&[("innodb_buffer_pool_size", "134217728")]);
    facts.table = Some(Table { name: "shop.orders".into(), engine: "InnoDB".into(), ..table });
    let names = names(facts);
    assert_eq!(names.contains(&rule), is_found, "{names:?}");
}

fn index(name: &str, columns: &[(&str, &str)]) -> Index {
    Index {
        name: name.into(),
        is_unique: name == "PRIMARY",
        kind: "BTREE".into(),
        columns: columns.iter().map(|(name, ty)| ((*name).to_owned(), (*ty).to_owned())).collect(),
        bytes: 8,
        by_language: Vec::new(),
        reads: None,
    }
}

fn indexed(indexes: Vec<Index>) -> Table {
    Table { indexes, ..Table::default() }
}

#[test]
fn a_server_without_facts_has_no_findings() {
    assert_eq!(names(Facts::default()), [""; 0]);
}

#[test]
fn settings_of_servers() {
    found("commit-flush", &[("innodb_flush_log_at_trx_commit", "1")]);
    not_found("commit-flush", &[("innodb_flush_log_at_trx_commit", "2")]);
    found("binlog-flush", &[("log_bin", "ON"), ("sync_binlog", "1")]);
    not_found("binlog-flush", &[("log_bin", "OFF"), ("sync_binlog", "1")]);
    found("commit-delay", &[("binlog_group_commit_sync_delay", "100")]);
    not_found("commit-delay", &[("binlog_commit_wait_usec", "100000"), ("binlog_commit_wait_count", "0")]);
    found("redo-small", &[("innodb_redo_log_capacity", "104857600")]);
    found("redo-small", &[("innodb_log_file_size", "50331648"), ("innodb_log_files_in_group", "2")]);
    not_found("redo-small", &[("innodb_redo_log_capacity", "1073741824")]);
    found("log-buffer", &[("Innodb_log_waits", "500"), ("Innodb_log_write_requests", "1000")]);
    not_found("log-buffer", &[("Innodb_log_waits", "0"), ("Innodb_log_write_requests", "1000")]);
    found("redo-off", &[("Innodb_redo_log_enabled", "OFF")]);
    found("page-wait", &[("Innodb_buffer_pool_wait_free", "20"), ("Innodb_buffer_pool_write_requests", "1000")]);
    found("flush-neighbors", &[("innodb_flush_neighbors", "1")]);
    not_found("flush-neighbors", &[("innodb_flush_neighbors", "0")]);
    found("autoinc-lock", &[("innodb_autoinc_lock_mode", "1")]);
    not_found("autoinc-lock", &[("innodb_autoinc_lock_mode", "2")]);
    found("binlog-row-image", &[("log_bin", "ON"), ("binlog_row_image", "FULL")]);
    found("binlog-cache", &[("Binlog_cache_disk_use", "90"), ("Binlog_cache_use", "100")]);
    not_found("binlog-cache", &[("Binlog_cache_disk_use", "9"), ("Binlog_cache_use", "10")]);
    found("binlog-format", &[("log_bin", "ON"), ("binlog_format", "STATEMENT")]);
    found("binlog-compression", &[("binlog_transaction_compression", "ON")]);
    found("max-packet", &[("max_allowed_packet", "1048576")]);
    not_found("max-packet", &[("max_allowed_packet", "67108864")]);
    found("local-infile", &[("local_infile", "OFF")]);
    not_found("local-infile", &[("local_infile", "ON")]);
    found("statement-log", &[("general_log", "ON")]);
    found("statement-log", &[("slow_query_log", "ON"), ("long_query_time", "0.000000")]);
    not_found("statement-log", &[("slow_query_log", "ON"), ("long_query_time", "10.000000")]);
    found("query-cache", &[("query_cache_type", "ON"), ("query_cache_size", "1048576")]);
    not_found("query-cache", &[("query_cache_type", "OFF")]);
    found("adaptive-hash", &[("innodb_adaptive_hash_index", "ON")]);
    found("log-writers", &[("innodb_log_writer_threads", "ON")]);
    found("read-only", &[("read_only", "ON")]);
    // MariaDB's spelling since 12.
    found("read-only", &[("read_only", "NO_LOCK")]);
    not_found("read-only", &[("read_only", "OFF"), ("innodb_read_only", "OFF")]);
    found("connections", &[("Threads_connected", "148"), ("max_connections", "151")]);
    found("new-threads", &[("Threads_created", "900"), ("Connections", "1000")]);
    found("name-resolve", &[("skip_name_resolve", "OFF")]);
    found("semi-sync", &[("rpl_semi_sync_source_enabled", "ON"), ("Rpl_semi_sync_source_clients", "1")]);
    not_found("semi-sync", &[("rpl_semi_sync_source_enabled", "ON"), ("Rpl_semi_sync_source_clients", "0")]);
}

#[test]
fn sizes_of_servers() {
    let large = |settings: &[(&str, &str)]| {
        let mut facts = facts(settings);
        facts.innodb_bytes = Some(8 << 30);
        names(facts)
    };
    let pool = ("innodb_buffer_pool_size", "134217728");
    assert!(large(&[pool, ("innodb_doublewrite", "ON")]).contains(&"doublewrite"));
    assert!(large(&[pool]).contains(&"buffer-pool"));
    assert!(!large(&[("innodb_buffer_pool_size", "17179869184")]).contains(&"buffer-pool"));
    assert!(large(&[pool, ("innodb_io_capacity", "200")]).contains(&"io-capacity"));
    assert!(large(&[pool, ("innodb_flush_method", "fsync")]).contains(&"flush-method"));
    assert!(!large(&[pool, ("innodb_flush_method", "O_DIRECT")]).contains(&"flush-method"));
}

#[test]
fn tables() {
    let id = || index("PRIMARY", &[("id", "bigint")]);
    of_table("no-primary-key", indexed(vec![]), true);
    of_table("no-primary-key", indexed(vec![id()]), false);
    for ty in ["char(36)", "varchar(36)", "binary(16)", "uuid"] {
        of_table("random-key", indexed(vec![index("PRIMARY", &[("id", ty)])]), true);
    }
    of_table("random-key", indexed(vec![id()]), false);
    let wide = Index { bytes: 144, ..index("PRIMARY", &[("code", "varchar(36)")]) };
    of_table("wide-key", indexed(vec![wide.clone(), index("a", &[]), index("b", &[])]), true);
    of_table("wide-key", indexed(vec![wide]), false);
    let code = |ty: &str, by_language: &[&str]| Index {
        by_language: by_language.iter().map(|name| (*name).to_owned()).collect(),
        ..index("code", &[("code", ty)])
    };
    of_table("text-key", indexed(vec![id(), code("char(36)", &["code"])]), true);
    of_table("text-key", indexed(vec![id(), code("varchar(32)", &["code"])]), true);
    of_table("text-key", indexed(vec![id(), code("char(36)", &[])]), false);
    of_table("text-key", indexed(vec![id(), code("varchar(200)", &["code"])]), false);
    let many = |n: usize| indexed((0..n).map(|i| index(&format!("k{i}"), &[(&format!("c{i}"), "int")])).collect());
    of_table("many-indexes", many(3), true);
    of_table("many-indexes", many(2), false);
    of_table("unused-index", indexed(vec![id(), Index { reads: Some(0), ..index("a", &[("a", "int")]) }]), true);
    of_table("unused-index", indexed(vec![id(), Index { reads: Some(1), ..index("a", &[("a", "int")]) }]), false);
    of_table("unused-index", indexed(vec![id(), index("a", &[("a", "int")])]), false);
    let both = [("a", "int"), ("b", "int")];
    of_table("redundant-index", indexed(vec![id(), index("ab", &both), index("a", &both[..1])]), true);
    of_table("redundant-index", indexed(vec![id(), index("ab", &both), index("b", &both[1..])]), false);
    let words = Index { kind: "FULLTEXT".into(), ..index("words", &[("text", "text")]) };
    of_table("fulltext", indexed(vec![id(), words]), true);
    of_table("triggers", Table { insert_triggers: vec!["t".into()], ..Table::default() }, true);
    of_table("foreign-keys", Table { parents: vec!["p".into()], ..Table::default() }, true);
    of_table("generated", Table { generated: vec!["g".into()], ..Table::default() }, true);
    of_table("checks", Table { checks: 4, ..Table::default() }, true);
    of_table("compressed", Table { row_format: "Compressed".into(), ..Table::default() }, true);
    of_table("id-runs-out", Table { auto_increment: Some((120, 127)), ..Table::default() }, true);
    of_table("id-runs-out", Table { auto_increment: Some((12, 127)), ..Table::default() }, false);
    of_table("partitions", Table { partitions: 500, ..Table::default() }, true);
    of_table("encrypted", Table { encrypted: true, ..Table::default() }, true);
    of_table("engine", Table::default(), false);
    let mut facts = facts(&[("innodb_buffer_pool_size", "1")]);
    facts.table = Some(Table { engine: "MyISAM".into(), index_bytes: 2, ..indexed(vec![index("a", &[])]) });
    let names = names(facts);
    assert!(names.contains(&"engine") && names.contains(&"change-buffer"), "{names:?}");
}

#[test]
fn the_way_to_the_server() {
    let of = |link: Link| names(Facts { link, ..Facts::default() });
    let slow = Duration::from_millis(5);
    assert_eq!(of(Link { round_trip: Some(slow), ..Link::default() }), ["round-trip"]);
    assert_eq!(of(Link { round_trip: Some(slow / 100), ..Link::default() }), [""; 0]);
    assert_eq!(of(Link { is_socket: true, round_trip: Some(slow), ..Link::default() }), [""; 0]);
    let uploads = |upload, other| (Some(upload), Some(other));
    let (upload, upload_plain) = uploads(100e6, 300e6);
    assert_eq!(of(Link { is_tls: true, upload, upload_plain, ..Link::default() }), ["tls-cost"]);
    let (upload, upload_plain) = uploads(100e6, 105e6);
    assert_eq!(of(Link { is_tls: true, upload, upload_plain, ..Link::default() }), [""; 0]);
    let (upload, upload_socket) = uploads(100e6, 300e6);
    let local_socket = Some("mysqld.sock".to_owned());
    assert_eq!(of(Link { local_socket, upload, upload_socket, ..Link::default() }), ["socket"]);
    let (upload, upload_compressed) = uploads(1e6, 3e6);
    assert_eq!(of(Link { upload, upload_compressed, ..Link::default() }), ["compression"]);
    assert_eq!(of(Link { is_socket: true, upload, upload_compressed, ..Link::default() }), [""; 0]);
    // A busy machine, not a network: a load is not faster.
    let (upload, upload_compressed) = uploads(300e6, 900e6);
    assert_eq!(of(Link { upload, upload_compressed, ..Link::default() }), [""; 0]);
    assert_eq!(of(Link { is_tls: true, upload, upload_plain: upload_compressed, ..Link::default() }), [""; 0]);
    assert_eq!(of(Link { busy: Some(0.9), ..Link::default() }), ["busy-client"]);
}

#[test]
fn replication_and_plugins() {
    assert_eq!(names(Facts { replica_of: Some(Some(5)), ..Facts::default() }), ["replica"]);
    assert_eq!(names(Facts { replicas: Some(2), ..Facts::default() }), ["replicas"]);
    assert_eq!(names(Facts { group_members: Some(3), ..Facts::default() }), ["group"]);
    assert_eq!(names(Facts { plugins: vec!["server_audit".into()], ..Facts::default() }), ["audit"]);
}

#[test]
fn rights_for_the_ledger() {
    let of = |grants: &[&str]| {
        let table =
            Table { name: "shop.orders".into(), engine: "InnoDB".into(), ..indexed(vec![index("PRIMARY", &[])]) };
        let grants = grants.iter().map(|grant| (*grant).to_owned()).collect();
        names(Facts { table: Some(table), grants, ..Facts::default() })
    };
    assert_eq!(
        of(&["GRANT USAGE ON *.* TO `a`@`%`", "GRANT SELECT, INSERT ON `shop`.* TO `a`@`%`"]),
        ["ledger-rights"]
    );
    assert_eq!(of(&["GRANT ALL PRIVILEGES ON `shop`.* TO `a`@`%`"]), [""; 0]);
    assert_eq!(of(&["GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON `shop`.* TO `a`@`localhost`"]), [""; 0]);
    assert_eq!(of(&["GRANT ALL PRIVILEGES ON `other`.* TO `a`@`localhost`"]), ["ledger-rights"]);
    // A role may have them.
    assert_eq!(of(&["GRANT `writers`@`%` TO `a`@`%`"]), [""; 0]);
}

#[test]
fn the_greatest_effect_comes_first() {
    let mut facts =
        facts(&[("read_only", "ON"), ("innodb_flush_log_at_trx_commit", "1"), ("innodb_flush_neighbors", "1")]);
    facts.commit_time = Some((Duration::from_secs(90), Duration::from_secs(10)));
    let findings = judge(facts).findings;
    let names: Vec<_> = findings.iter().map(|finding| finding.rule).collect();
    assert_eq!(names, ["read-only", "commit-flush", "flush-neighbors"]);
    assert_eq!(
        findings[1].effect.shown(),
        "counted: 90 % of the time of all INSERT, LOAD DATA, REPLACE and COMMIT statements is COMMIT"
    );
    assert!(findings[1].risk.shown().is_some_and(|risk| risk.starts_with("durability: ")));
}

/// What the probe measured, in milliseconds, with these settings: the factors of findings about commits and round trips.
fn factors(settings: &[(&str, &str)], probe: Probe, link: Link) -> Vec<(&'static str, f64)> {
    let measured = |finding: Finding| match finding.effect {
        Effect::Measured { factor, .. } => Some((finding.rule, (factor * 100.0).round() / 100.0)),
        _ => None,
    };
    let facts = Facts { probe: Some(probe), link, ..facts(settings) };
    judge(facts).findings.into_iter().filter_map(measured).collect()
}

#[test]
fn the_price_of_a_commit_belongs_to_what_waits() {
    let ms = Duration::from_millis;
    let probe = Probe { single: ms(12), commit: ms(10), thousand_rows: ms(10), ..Probe::default() };
    let (flush, binlog) = (("innodb_flush_log_at_trx_commit", "1"), [("log_bin", "ON"), ("sync_binlog", "1")]);
    let of = |settings: &[(&str, &str)]| factors(settings, probe, Link::default());
    assert_eq!(of(&[flush]), [("commit-flush", 2.0)]);
    assert_eq!(of(&[("innodb_flush_log_at_trx_commit", "2"), binlog[0], binlog[1]]), [("binlog-flush", 2.0)]);
    // Both: half each, as the times of their flushes are not known.
    assert_eq!(of(&[flush, binlog[0], binlog[1]]), [("commit-flush", 1.33), ("binlog-flush", 1.33)]);
    let sync = |mean| Some(Sync { count: 9, mean: ms(mean) });
    let both = Facts { redo_sync: sync(3), binlog_sync: sync(1), ..facts(&[flush, binlog[0], binlog[1]]) };
    assert!((both.redo_share() - 0.75).abs() < 1e-9);
}

#[test]
fn the_price_of_a_round_trip_is_that_of_single_rows() {
    let ms = Duration::from_millis;
    let link = Link { round_trip: Some(ms(5)), ..Link::default() };
    let probe = Probe { single: ms(6), ..Probe::default() };
    assert_eq!(factors(&[], probe, link.clone()), [("round-trip", 6.0)]);
    assert_eq!(factors(&[], Probe::default(), link), []);
}

#[test]
fn bytes_that_travel_are_a_part_of_a_load() {
    let mut facts = facts(&[]);
    // 20 MB a second are stored.
    assert!((facts.load_gain(20e6, 1e12) - 2.0).abs() < 1e-3);
    facts.table = Some(Table { rows: 1000, data_bytes: 100_000, ..Table::default() });
    facts.probe = Some(Probe { sampled: 1000, all_indexes: Duration::from_secs(1), ..Probe::default() });
    assert!((facts.load_gain(100_000.0, 1e12) - 2.0).abs() < 1e-3);
}

#[test]
fn names_are_one_each() {
    let mut names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), RULES.len());
}

#[test]
fn the_page_escapes_what_a_server_says() {
    let mut facts = facts(&[]);
    facts.unknown.push("<script>alert(1)</script>".into());
    let page = page(&judge(facts), "0.1");
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert"), "{page}");
}

#[test]
fn greatest_values_of_types() {
    for (ty, want) in
        [("tinyint(4)", 127), ("tinyint unsigned", 255), ("int", 2_147_483_647), ("bigint unsigned", u64::MAX)]
    {
        assert_eq!(read::greatest(ty), Some(want), "{ty}");
    }
}

/// The guide has the list of the rules; `INRUSH_WRITE_DOCTOR=1` writes it.
#[test]
fn the_guide_lists_every_rule() {
    const MARKS: [&str; 2] = ["<!-- rules -->\n", "<!-- end of rules -->"];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/doctor.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(MARKS[0]).unwrap();
    let (_, after) = rest.split_once(MARKS[1]).unwrap();
    let want = format!("{before}{}\n{}{}{after}", MARKS[0], guide::rules(), MARKS[1]);
    if std::env::var_os("INRUSH_WRITE_DOCTOR").is_some() {
        std::fs::write(path, &want).unwrap();
    } else {
        assert!(
            text == want,
            "docs/doctor.md: INRUSH_WRITE_DOCTOR=1 cargo test --workspace --lib doctor writes the list"
        );
    }
}

#[test]
fn files_by_what_reading_them_showed() {
    let source = |seconds: u64, refused: u64, descending: Option<f64>| Source {
        rows: 10_000,
        bytes: 10 << 20,
        elapsed: Duration::from_secs(seconds),
        refused,
        first_refused: Some("orders.csv:7:3, too long".into()),
        descending,
    };
    let probed =
        |rows_a_second: u64| Probe { sampled: rows_a_second, all_indexes: Duration::from_secs(1), ..Probe::default() };
    for (source, probe, expected) in [
        (source(1, 0, None), None, vec!["source-slow"]),
        (source(1, 0, None), Some(probed(5_000)), vec![]),
        (source(1, 0, None), Some(probed(40_000)), vec!["source-slow"]),
        (source(1, 2, None), Some(probed(5_000)), vec!["source-refused"]),
        (source(1, 0, Some(0.5)), Some(probed(5_000)), vec!["source-order"]),
        (source(1, 0, Some(0.001)), Some(probed(5_000)), vec![]),
        (Source::default(), None, vec![]),
    ] {
        let table = Table { name: "shop.orders".into(), engine: "InnoDB".into(), ..Table::default() };
        let facts = Facts { source: Some(source), probe, table: Some(table), ..Facts::default() };
        let found: Vec<_> = names(facts).into_iter().filter(|name| name.starts_with("source")).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn the_words_of_twins() {
    let twin = |least: f64, most: f64| {
        Effect::Twin { factor: f64::midpoint(least, most), least, most, what: "w".into() }.shown()
    };
    assert_eq!(twin(1.5, 2.5), "twin: 2.00 x (1.50 to 2.50), w");
    assert_eq!(twin(0.5, 0.7), "twin: slower, 0.60 x (0.50 to 0.70), w");
    assert_eq!(twin(0.5, 1.5), "twin: no difference for certain (1.00 x, 0.50 to 1.50), w");
}
