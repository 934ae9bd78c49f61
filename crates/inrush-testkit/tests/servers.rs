//! The test servers themselves: all there, told apart, and set up as every other test expects.

use inrush_testkit::servers::{self, Server, Vendor};
use std::process::Command;

#[test]
fn three_families_twice() {
    let seen: Vec<_> = servers::all().iter().map(|s| (s.name.clone(), s.local_infile)).collect();
    let want = ["mysql-9.7", "mariadb-10.11", "mariadb-11.8"].map(|name| [(name.into(), true), (name.into(), false)]);
    assert_eq!(seen, want.concat());
}

#[test]
fn each_is_what_it_says() {
    for server in servers::all() {
        let row =
            server.sql("SELECT version(), @@local_infile, @@port, @@max_connections, @@max_connect_errors").remove(0);
        let packet: u64 = server.sql("SELECT @@max_allowed_packet")[0][0].parse().unwrap();
        let is_large = server.vendor == Vendor::Mysql || !server.local_infile;
        assert_eq!(packet > 2 << 24, is_large, "{}: {packet}", server.instance);
        let version = server.name.split_once('-').expect("family and version").1;
        assert!(row[0].starts_with(version), "{}: {}", server.instance, row[0]);
        assert_eq!(row[0].contains("MariaDB"), server.vendor == Vendor::Mariadb);
        assert_eq!(row[1] == "1", server.local_infile, "{}", server.instance);
        assert_eq!(row[2..], [server.port.to_string(), "500".into(), "1000000".into()], "{}", server.instance);
    }
}

#[test]
fn each_is_durable_and_speaks_tls() {
    for server in servers::all() {
        assert_eq!(server.sql("SELECT @@innodb_flush_log_at_trx_commit"), [["1"]]);
        let binlog = server.sql("SELECT @@log_bin, @@sync_binlog").remove(0);
        let want = if server.vendor == Vendor::Mysql { ["1", "1"] } else { ["0", "0"] };
        assert_eq!(binlog, want, "{}", server.instance);
        let certificate = server.sql("SHOW GLOBAL VARIABLES LIKE 'ssl_cert'").remove(0);
        assert!(certificate[1].ends_with("server-cert.pem"), "{}: {certificate:?}", server.instance);
        for file in [&server.ca, &server.wrong_ca] {
            assert!(std::fs::read_to_string(file).unwrap().contains("BEGIN CERTIFICATE"), "{}", file.display());
        }
    }
}

#[test]
fn each_user_is_there_with_its_plugin() {
    for server in servers::all() {
        for user in &server.users {
            let found = server.sql(&format!("SELECT plugin FROM mysql.user WHERE user = '{}'", user.user));
            assert_eq!(found, [[user.plugin.clone()]], "{} on {}", user.user, server.instance);
        }
        assert_eq!((&server.users[0].user, &server.users[0].password), (&server.user, &server.password));
    }
}

#[test]
fn the_server_reads_files_in_its_folder() {
    for server in servers::all() {
        let schema = server.schema("files");
        let file = server.file_dir.join(format!("{}.txt", schema.name()));
        std::fs::write(&file, "1\tone\n2\ttwo\n").unwrap();
        let count = schema.sql(&format!(
            "CREATE TABLE t (id INT, name TEXT); LOAD DATA INFILE '{}' INTO TABLE t; SELECT count(*) FROM t",
            file.display()
        ));
        std::fs::remove_file(&file).unwrap();
        assert_eq!(count, [["2"]], "{}", server.instance);
    }
}

#[test]
fn schemas_differ_and_vanish() {
    let server = servers::one("mariadb-10.11");
    let (one, two) = (server.schema("same"), server.schema("same"));
    assert_ne!(one.name(), two.name());
    let name = one.name().to_owned();
    drop(one);
    assert_eq!(count_schemas(&server, &name), "0");
    assert_eq!(count_schemas(&server, two.name()), "1");
}

#[test]
fn results_come_back_as_they_were() {
    for server in servers::with_local_infile() {
        let rows = server.sql(r"SELECT 'a\tb', 'back\\slash', NULL; SELECT 'two\nlines', 'ü', ''");
        assert_eq!(rows, [["a\tb", "back\\slash", "NULL"], ["two\nlines", "ü", ""]]);
    }
}

#[test]
fn a_failing_statement_is_told() {
    let message = servers::one("mysql-9.7").try_sql("SELECT * FROM nowhere.nothing").unwrap_err();
    assert!(message.contains("nowhere"), "{message}");
}

/// Between the probe of a free port and the server's own bind another process may take it: however often that happens, the server starts
/// again with another port. A start that fails for another reason is tried three times.
#[test]
fn a_start_is_tried_again_while_its_port_is_taken() {
    let script = r#"
        set -euo pipefail
        CACHE=$1 fails=$2 words=$3 launches=0
        . ../../scripts/lib/instances.sh
        say() { :; }
        fail() { echo "no"; exit; }
        stop_instance() { :; }
        await_greeting() { [[ ! -s $CACHE/run/$1/error.log ]]; }
        launch_instance() {
            launches=$((launches + 1))
            free_port "$CACHE/run/$1/port" >"$CACHE/run/$1/port.new" && mv "$CACHE/run/$1/port.new" "$CACHE/run/$1/port"
            if ((launches > fails)); then words=; fi
            printf '%s' "$words" >"$CACHE/run/$1/error.log"
        }
        mkdir -p "$CACHE/run/a"
        launch_instance a
        await_instance a mysql-9.7 1 own test
        echo "$launches"
    "#;
    let mysql = "[Server] Can't start server: Bind on TCP/IP port: Address already in use";
    let mariadb = "[ERROR] Can't start server: Bind on TCP/IP port. Got error: 98: Address already in use";
    for (fails, words, want) in [(7, mysql, "8"), (7, mariadb, "8"), (2, "Corrupt", "3"), (3, "Corrupt", "no")] {
        let folder = tempfile::tempdir().unwrap();
        let mut bash = Command::new("bash");
        bash.args(["-c", script, "bash"]).arg(folder.path()).args([fails.to_string().as_str(), words]);
        let output = bash.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), want, "{words}: {output:?}");
    }
}

fn count_schemas(server: &Server, name: &str) -> String {
    let count = server.sql(&format!("SELECT count(*) FROM information_schema.schemata WHERE schema_name = '{name}'"));
    count[0][0].clone()
}
