//! Which profile a version gets, and which features change between versions: a line a case.

use super::*;

/// The version text of a greeting, the engine's name, and the features that differ between versions: `a` row alias, `b` bulk
/// execute, `d` UUID, `k` a key's table, `r` RETURNING, `s` FOR SHARE, `t` RENAME under LOCK TABLES, `u` unit results, `v`
/// VECTOR, `y` TIMESTAMP beyond 2038.
#[track_caller]
fn check(greeting: &str, name: &str, want: &str) {
    let profile = Profile::of(&ServerVersion::parse(greeting));
    let features = [
        ('a', profile.row_alias),
        ('b', profile.bulk_execute),
        ('d', profile.has_uuids),
        ('k', profile.key_has_table),
        ('r', profile.returning),
        ('s', profile.shared_lock == "FOR SHARE"),
        ('t', profile.rename_under_lock),
        ('u', profile.unit_results),
        ('v', profile.has_vectors),
        ('y', profile.timestamp_max > i64::from(i32::MAX)),
    ];
    let has: String = features.iter().filter(|(_, has)| *has).map(|(letter, _)| *letter).collect();
    assert_eq!((profile.name, &*has), (name, want), "{greeting}");
}

#[test]
fn mysql_by_version() {
    check("5.7.44", "MySQL", "");
    check("5.7.44-log", "MySQL", "");
    check("8.0.11", "MySQL", "s");
    check("8.0.13", "MySQL", "st");
    check("8.0.18", "MySQL", "st");
    check("8.0.19", "MySQL", "akst");
    check("8.0.46-0ubuntu0.24.04.1", "MySQL", "akst");
    check("8.4.3-log", "MySQL", "akst");
    check("9.0.0", "MySQL", "akstv");
    check("9.7.4", "MySQL", "akstv");
    check("9.7.4-2", "MySQL", "akstv");
}

#[test]
fn mariadb_by_version() {
    for prefix in ["", "5.5.5-"] {
        let check = |version: &str, want: &str| check(&format!("{prefix}{version}"), "MariaDB", want);
        check("10.3.39-MariaDB-1:10.3.39+maria~ubu2004", "b");
        check("10.6.18-MariaDB-0ubuntu0.22.04.1", "br");
        check("10.11.19-MariaDB-0+deb12u1", "bdr");
        check("11.4.2-MariaDB-log", "bdr");
        check("11.5.2-MariaDB", "bdruy");
        check("11.8.6-MariaDB-7 from Debian", "bdruvy");
        check("12.0.2-mariadb", "bdruvy");
    }
}

#[test]
fn builds_of_mysql_are_mysql() {
    // Percona Server, Percona XtraDB Cluster.
    check("5.7.44-48-log", "MySQL", "");
    check("8.0.36-28", "MySQL", "akst");
    check("8.0.36-28.1", "MySQL", "akst");
    // Aurora reports the version of the MySQL that it is based on; some of its proxies report its own version too.
    check("5.7.12", "MySQL", "");
    check("8.0.28", "MySQL", "akst");
    check("8.0.mysql_aurora.3.04.0", "MySQL", "");
}

#[test]
fn a_proxy_for_mariadb_that_does_not_name_it() {
    check("5.5.5-10.2.12 2.1.13-maxscale", "MariaDB", "b");
    // The prefix alone is a MySQL version.
    check("5.5.5-", "MySQL", "");
    check("5.5.5", "MySQL", "");
    check("5.5.62-log", "MySQL", "");
}

#[test]
fn relatives_get_what_is_sure_to_work() {
    check("8.0.11-TiDB-v8.5.1", "TiDB", "");
    check("5.7.25-TiDB-v7.1.0", "TiDB", "");
    check("8.4.6-Vitess", "Vitess", "kst");
    check("5.7.25-OceanBase-v4.2.1.7", "OceanBase", "");
    check("5.7.25-OceanBase seekdb-v1.4.0.0", "OceanBase", "");
    check("5.6.29-TDDL-5.4.13-16534775", "PolarDB-X", "");
    check("5.7.25-TDDL-5.4.19-20251031", "PolarDB-X", "");
    check("8.0.32-X-Cluster-8.4.20-20251017", "PolarDB-X", "kt");
    check("5.7.22-ShardingSphere-Proxy 5.4.1", "ShardingSphere-Proxy", "");
    check("8.0.27-ShardingSphere-Proxy 5.5.2", "ShardingSphere-Proxy", "kt");
    check("5.7.32-log-SingleStore", "the server", "s");
}

#[test]
fn what_relatives_lack_is_refused_in_time() {
    let of = |text: &str| Profile::of(&ServerVersion::parse(text));
    let features = |text: &str| (of(text).locks_tables, of(text).temporary_tables, of(text).loads_commit);
    assert_eq!(features("9.7.4"), (true, true, false));
    assert_eq!(features("11.8.6-MariaDB"), (true, true, false));
    assert_eq!(features("8.0.11-TiDB-v8.5.1"), (false, false, false));
    assert_eq!(features("5.7.25-OceanBase-v4.2.1.7"), (false, false, true));
    // No LOAD DATA: it is no transaction.
    assert_eq!(features("5.7.25-TDDL-5.4.19-20251031"), (false, false, true));
    assert_eq!(features("5.7.22-ShardingSphere-Proxy 5.4.1"), (false, false, false));
    assert!(!of("5.7.22-ShardingSphere-Proxy 5.4.1").local_infile);
    assert_eq!(of("8.0.11-TiDB-v8.5.1").shared_lock, "FOR UPDATE");
    // LOAD DATA of TiDB alone checks less than INSERT.
    assert!(of("8.0.11-TiDB-v8.5.1").loads_unchecked && !of("5.7.25-OceanBase-v4.2.1.7").loads_unchecked);
    assert_eq!(of("5.7.25-OceanBase-v4.2.1.7").shared_lock, "LOCK IN SHARE MODE");
}

/// Whether rows commit with the ledger, whether a write is the fence, KiB of a statement.
#[test]
fn transactions_of_relatives() {
    let check = |text: &str, want: (bool, bool, Option<usize>)| {
        let profile = Profile::of(&ServerVersion::parse(text));
        let kib = (profile.statement_bytes != usize::MAX).then_some(profile.statement_bytes >> 10);
        assert_eq!((profile.commits_together, profile.marks_jobs, kib), want, "{text}");
    };
    check("9.7.4", (true, false, None));
    check("11.8.6-MariaDB", (true, false, None));
    check("8.0.11-TiDB-v8.5.1", (true, false, None));
    check("5.7.25-OceanBase-v4.2.1.7", (true, false, None));
    check("5.7.25-TDDL-5.4.19-20251031", (true, true, Some(240)));
    check("5.7.22-ShardingSphere-Proxy 5.4.1", (false, false, None));
    check("8.4.6-Vitess", (false, false, None));
}

#[test]
fn an_engine_that_the_greeting_does_not_name() {
    let (greeted, told) = (ServerVersion::parse("5.7.25"), ServerVersion::parse("5.7.25-OceanBase seekdb-v1.4.0.0"));
    assert_eq!(Engine::unless_greeted(&told, &greeted), Engine::named("oceanbase"));
    assert_eq!(Engine::unless_greeted(&greeted, &greeted), None);
    // A MariaDB that only the prefix of its greeting shows.
    assert_eq!(
        Engine::unless_greeted(&ServerVersion::parse("10.4.7-log"), &ServerVersion::parse("5.5.5-10.4.7-log")),
        None
    );
    let mut version = greeted;
    Engine::named("OceanBase").unwrap().rename(&mut version);
    assert_eq!((Profile::of(&version).name, version.to_string()), ("OceanBase", "OceanBase 5.7.25".to_owned()));
    assert_eq!(Engine::named("oracle"), None);
    for name in Engine::names().split(", ") {
        assert!(Engine::named(name).is_some(), "{name}");
    }
}

#[test]
fn nonsense_is_an_old_mysql() {
    check("", "MySQL", "");
    check("no.digits", "MySQL", "");
}

#[test]
fn what_a_login_agreed_on_counts() {
    let mysql = Profile::of(&ServerVersion::parse("9.7.4"));
    let plain = mysql.agreed(Capabilities::empty(), MariaDbCapabilities::empty());
    assert!(mysql.local_infile && !plain.local_infile && !plain.bulk_execute);
    let bulk = MariaDbCapabilities::MARIADB_CLIENT_STMT_BULK_OPERATIONS;
    let agreed = Profile::of(&ServerVersion::parse("11.8.6-MariaDB")).agreed(Capabilities::CLIENT_LOCAL_FILES, bulk);
    assert!(agreed.local_infile && agreed.bulk_execute && !agreed.unit_results);
}

#[track_caller]
fn cluster(variables: &[(&str, &str)], want: Cluster) {
    let rows: Vec<_> = variables.iter().map(|(name, value)| vec![(*name).into(), (*value).into()]).collect();
    assert_eq!(Cluster::read(&rows), want);
}

#[test]
fn clusters_by_their_variables() {
    let group = ("group_replication_group_name", "8a94f357-aab4-11df-86ab-c80aa9429562");
    cluster(&[], Cluster::None);
    cluster(&[("wsrep_on", "OFF"), ("wsrep_provider", "none")], Cluster::None);
    cluster(&[("wsrep_on", "ON"), ("wsrep_provider", "none")], Cluster::None);
    cluster(&[("WSREP_ON", "ON"), ("wsrep_provider", "libgalera_smm.so"), ("log_bin", "ON")], Cluster::Galera);
    cluster(&[("wsrep_on", "1"), ("wsrep_provider", "libgalera_smm.so")], Cluster::Galera);
    cluster(&[("group_replication_group_name", "")], Cluster::None);
    cluster(&[group, ("group_replication_single_primary_mode", "ON")], Cluster::OnePrimary);
    cluster(&[group, ("group_replication_single_primary_mode", "OFF")], Cluster::ManyPrimaries);
}

#[test]
fn where_locks_and_transactions_end() {
    let features = |cluster: Cluster| {
        (cluster.with_local_locks().is_some(), cluster.sends_undone_rows(), cluster.transaction_bytes())
    };
    assert_eq!(features(Cluster::None), (false, false, usize::MAX));
    assert_eq!(features(Cluster::OnePrimary), (false, false, 16 << 20));
    assert_eq!(features(Cluster::ManyPrimaries), (true, false, 16 << 20));
    assert_eq!(features(Cluster::Galera), (true, true, 16 << 20));
}
