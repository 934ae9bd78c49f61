//! `inrush doctor --twin`: servers like the examined one, which are gone in the end, however it ends.

use crate::place::Place;
use crate::server_of_own::on_each_family;
use crate::session::await_true;
use inrush_testkit::servers::one;
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

on_each_family!(measured_and_gone);

fn measured_and_gone(family: &str) {
    let place = Place::new(one(family), "twins");
    // MySQL takes known folders alone.
    let elsewhere = tempfile::tempdir().unwrap();
    fs::set_permissions(elsewhere.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let option = match place.is_mysql() {
        true => String::new(),
        false => format!(" DATA DIRECTORY = '{}'", elsewhere.path().display()),
    };
    place.sql(&format!("CREATE TABLE codes (id INT AUTO_INCREMENT PRIMARY KEY, code CHAR(36), n INT, d DATE, g INT AS (n + 1) STORED, UNIQUE (code), KEY (n)){option}"));
    place.sql("INSERT INTO codes (code, n, d) VALUES (UUID(), 1, '2026-11-30')");
    for _ in 0..12 {
        place.sql("INSERT INTO codes (code, n, d) SELECT UUID(), n + id, d + INTERVAL 1 DAY FROM codes");
    }
    let above = tempfile::tempdir().unwrap();
    // Started by root, the servers run as another account.
    fs::set_permissions(above.path(), fs::Permissions::from_mode(0o755)).unwrap();

    killed(&place, above.path());
    interrupted(&place, above.path());
    let output = doctor(&place, above.path(), family).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(output.status.success() && json["twins"] == true, "{output:?}");
    let findings = json["findings"].as_array().unwrap();
    let of_commits = findings.iter().find(|finding| finding["rule"] == "commit-flush").unwrap();
    let effect = &of_commits["effect"];
    let number = |name: &str| effect[name].as_f64().unwrap();
    assert!(effect["kind"] == "twin" && number("least") > 0.0 && number("least") <= number("factor"), "{json}");
    assert!(
        number("factor") <= number("most")
            && effect["what"].as_str().unwrap().contains("`innodb_flush_log_at_trx_commit = 2`"),
        "{json}"
    );
    let failed: Vec<_> =
        json["unknown"].as_array().unwrap().iter().filter(|line| line.to_string().contains("twins")).collect();
    assert!(failed.is_empty(), "{failed:?}");
    assert_eq!(left_in(above.path()), [""; 0]);
    assert!(!elsewhere.path().join("inrush_twin").exists());
    assert_eq!(place.sql("SELECT COUNT(*) FROM codes"), "4096");
    place.sql("DROP TABLE codes");
}

/// A doctor that is killed leaves its servers: the next one stops and removes them.
fn killed(place: &Place, above: &Path) {
    let mut child = doctor(place, above, place.server.name.as_str()).stderr(Stdio::null()).spawn().unwrap();
    await_true("a twin", || !sockets(above).is_empty());
    signal(&child, Signal::KILL);
    child.wait().unwrap();
    assert!(!left_in(above).is_empty());
}

fn interrupted(place: &Place, above: &Path) {
    let before = left_in(above);
    let child = doctor(place, above, place.server.name.as_str()).stderr(Stdio::piped()).spawn().unwrap();
    await_true("a twin of its own, and no other", || {
        let left = left_in(above);
        !sockets(above).is_empty() && left.iter().all(|name| !before.contains(name))
    });
    signal(&child, Signal::INT);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(130) && said.contains("interrupted: there is no result"), "{output:?}");
    assert_eq!(left_in(above), [""; 0]);
}

#[test]
fn a_server_of_another_kind_is_no_twin() {
    for (family, other) in [("mysql-9.7", "mariadb-10.11"), ("mariadb-11.8", "mysql-9.7")] {
        let place = Place::new(one(family), "no_twin");
        place.sql("CREATE TABLE codes (id INT PRIMARY KEY)");
        let above = tempfile::tempdir().unwrap();
        let output = doctor(&place, above.path(), other).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && said.contains("they would be no twins"), "{output:?}");
        assert!(said.contains("INRUSH_MYSQLD names another program"), "{said}");
        assert_eq!(left_in(above.path()), [""; 0]);
    }
}

/// The command, with the server program of this family.
fn doctor(place: &Place, above: &Path, family: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
    command.args(["doctor", "codes", "--twin", "--json", "-D", place.schema.name(), "-u", &place.server.user, "-S"]);
    command.arg(&place.server.socket).arg("--twin-dir").arg(above).current_dir(place.folder.path());
    command.env("HOME", place.folder.path()).env_remove("INRUSH_URL").env("INRUSH_PASSWORD", &place.server.password);
    command.env("INRUSH_MYSQLD", one(family).mysqld).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn signal(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), signal).unwrap();
}

fn left_in(above: &Path) -> Vec<String> {
    let names = fs::read_dir(above).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = names.collect();
    names.sort_unstable();
    names
}

/// The sockets of servers that are there.
fn sockets(above: &Path) -> Vec<PathBuf> {
    let sockets = left_in(above).into_iter().map(|name| above.join(name).join("mysqld.sock"));
    sockets.filter(|socket| socket.exists()).collect()
}
