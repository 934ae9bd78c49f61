//! `inrush server` with real servers: its life, its crashes, and what it refuses to touch.

// The helpers of tests fail like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use inrush_testkit::patience::until as await_true;
use inrush_testkit::servers;
use serde_json::Value;

const FAMILIES: [&str; 3] = ["mysql-9.7", "mariadb-10.11", "mariadb-11.8"];

#[test]
fn it_starts_stops_and_keeps_its_rows() {
    for family in FAMILIES {
        let place = Place::new(family);
        let started = place.start();
        assert_eq!(started["running"], true);
        assert!(family.starts_with(started["vendor"].as_str().unwrap()), "{started}");
        assert_eq!(
            place.sql("CREATE TABLE test.t (id INT PRIMARY KEY); INSERT INTO test.t VALUES (7); SELECT id FROM test.t"),
            "7"
        );
        assert_eq!(place.sql("SELECT @@local_infile, @@innodb_flush_log_at_trx_commit, @@log_bin"), "1\t1\t0");

        let again = place.start();
        assert_eq!(again["pid"], started["pid"], "a second start finds the first");
        assert_eq!(place.json("status", 0), again);

        place.json("stop", 0);
        assert_eq!(place.json("status", 3)["running"], false);
        assert_eq!(place.json("stop", 0)["stopped"], false, "a second stop finds nothing");

        assert_eq!(place.start()["port"], started["port"]);
        assert_eq!(place.sql("SELECT id FROM test.t"), "7");
    }
}

#[test]
fn it_comes_back_after_kill_9_with_every_committed_row() {
    for family in FAMILIES {
        let place = Place::new(family);
        let pid = place.start()["pid"].as_i64().unwrap();
        place.sql("CREATE TABLE test.t (id INT PRIMARY KEY); INSERT INTO test.t VALUES (1), (2), (3)");
        kill_9(pid);
        assert_eq!(place.json("status", 3)["running"], false);
        assert_ne!(place.start()["pid"], pid);
        assert_eq!(place.sql("SELECT count(*) FROM test.t"), "3");
    }
}

#[test]
fn a_start_killed_while_it_makes_the_data_is_repaired_by_the_next() {
    for family in FAMILIES {
        // A machine may be busy enough to make all of the data before this test gets to see their beginning: then once more.
        let half_made = || {
            let place = Place::new(family);
            let mut start = place.command(&["start"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            // The first file of InnoDB: the server is at work, and the system tables are still to come.
            await_true("the data", || place.folder.join("data/ibdata1").exists());
            start.kill().unwrap();
            start.wait().unwrap();
            (!place.folder.join("data.json").exists()).then_some(place)
        };
        let place = (0..20).find_map(|_| half_made()).expect("one of twenty starts is killed in time");
        place.start();
        assert_eq!(place.sql("SELECT 1"), "1");
    }
}

#[test]
fn half_made_data_are_made_anew_and_nothing_else_is_removed() {
    let place = Place::new("mariadb-10.11");
    place.start();
    place.json("stop", 0);
    fs::remove_file(place.folder.join("data.json")).unwrap();
    fs::write(place.folder.join("data/ibdata1"), "half").unwrap();
    fs::write(place.folder.join("files/mine.csv"), "1").unwrap();
    place.start();
    assert_eq!(place.sql("SELECT 1"), "1");
    assert!(place.folder.join("files/mine.csv").exists());
}

#[test]
fn a_folder_that_it_did_not_make_is_refused_untouched() {
    let place = Place::new("mariadb-10.11");
    fs::create_dir_all(place.folder.join("data")).unwrap();
    fs::write(place.folder.join("data/ibdata1"), "precious").unwrap();
    let said = place.fails(&["start"], 1);
    assert!(
        said.contains("holds files that inrush did not make") && said.contains("hint: nothing was touched"),
        "{said}"
    );
    assert_eq!(place.json("stop", 0)["stopped"], false);
    assert_eq!(fs::read_to_string(place.folder.join("data/ibdata1")).unwrap(), "precious");
    assert_eq!(fs::read_dir(&place.folder).unwrap().count(), 1);
}

#[test]
fn two_starts_at_once_make_one_server() {
    let place = Place::new("mysql-9.7");
    let starts: Vec<Child> = (0..3)
        .map(|_| place.command(&["start", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    let pids: Vec<_> =
        starts.into_iter().map(|start| parse(&start.wait_with_output().unwrap(), 0)["pid"].clone()).collect();
    assert!(pids.iter().all(|pid| *pid == pids[0]), "{pids:?}");
}

#[test]
fn a_taken_port_is_told_or_avoided() {
    let place = Place::new("mariadb-11.8");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let said = place.fails(&["start", "--port", &port.to_string()], 1);
    assert!(said.contains(&format!("port {port} is taken")), "{said}");
    drop(taken);
    let with_port = parse(&place.command(&["start", "--json", "--port", &port.to_string()]).output().unwrap(), 0);
    assert_eq!(with_port["port"], port);
    place.json("stop", 0);
    let _taken_again = TcpListener::bind(("127.0.0.1", port)).unwrap();
    assert_ne!(place.start()["port"], port);
}

#[test]
fn a_stale_pid_file_kills_nobody() {
    let place = Place::new("mariadb-10.11");
    let pid = place.start()["pid"].as_i64().unwrap();
    kill_9(pid);
    let mut bystander = Command::new("sleep").arg("600").spawn().unwrap();
    fs::write(place.folder.join("mysqld.pid"), format!("{}\n", bystander.id())).unwrap();
    assert_eq!(place.json("status", 3)["running"], false);
    assert_eq!(place.json("stop", 0)["stopped"], false);
    assert!(bystander.try_wait().unwrap().is_none(), "the bystander was ended");
    bystander.kill().unwrap();
    bystander.wait().unwrap();
}

#[test]
fn a_lost_pid_file_hides_nothing() {
    let place = Place::new("mysql-9.7");
    let pid = place.start()["pid"].clone();
    fs::remove_file(place.folder.join("mysqld.pid")).unwrap();
    assert_eq!(place.start()["pid"], pid);
    assert_eq!(place.json("stop", 0)["stopped"], true);
    assert!(!is_alive(pid.as_i64().unwrap()));
}

#[test]
fn the_password_is_in_one_private_place() {
    for family in ["mysql-9.7", "mariadb-11.8"] {
        let place = Place::new(family);
        let started = place.start();
        let password = fs::read_to_string(started["password_file"].as_str().unwrap()).unwrap().trim().to_owned();
        assert_eq!(password.len(), 24);
        for name in ["password", "client.cnf", "init.sql", "my.cnf"] {
            let mode = place.folder.join(name).metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o077, 0, "{name}");
        }
        let command_line = fs::read(format!("/proc/{}/cmdline", started["pid"])).unwrap();
        let environment = fs::read(format!("/proc/{}/environ", started["pid"])).unwrap();
        assert!(!String::from_utf8_lossy(&environment).contains("SECRET"), "another server's password");
        let log = fs::read_to_string(started["log"].as_str().unwrap()).unwrap();
        for text in
            [String::from_utf8_lossy(&command_line).as_ref(), &log, &started.to_string(), &place.says(&["status"])]
        {
            assert!(!text.contains(&password), "{text}");
        }
        let url = place.says(&["url"]);
        assert_eq!(url, format!("mysql://root@127.0.0.1:{}/test", started["port"]));
        assert_eq!(place.says(&["url", "--with-password"]), url.replace('@', &format!(":{password}@")));
        assert_eq!(place.says(&["password-file"]), started["password_file"].as_str().unwrap());
        let wrong = place.client().args(["--password=wrong", "-e", "SELECT 1"]).output().unwrap();
        assert!(String::from_utf8_lossy(&wrong.stderr).contains("1045"), "{wrong:?}");
    }
}

#[test]
fn root_needs_the_password_over_tcp_too_and_nobody_else_gets_in() {
    for family in FAMILIES {
        let place = Place::new(family);
        let started = place.start();
        let port = format!("--port={}", started["port"]);
        for user in ["root", "", "test"] {
            let tcp = [&port, "--no-defaults", "--host=127.0.0.1", "--protocol=tcp", "-e", "SELECT 1"]
                .map(ToString::to_string);
            let mut client = Command::new(place.program.with_file_name("mysql"));
            // Options first, and --no-defaults before all others.
            client.arg(&tcp[1]).args([&tcp[0], &tcp[2], &tcp[3], &tcp[4], &tcp[5]]).arg(format!("--user={user}"));
            let output = client.output().unwrap();
            assert!(String::from_utf8_lossy(&output.stderr).contains("1045"), "{family} `{user}`: {output:?}");
        }
    }
}

#[test]
fn the_shell_is_the_client_program() {
    let place = Place::new("mariadb-10.11");
    let said = place.fails(&["shell"], 3);
    assert!(said.contains("no server runs") && said.contains("hint: `inrush server start`"), "{said}");
    place.start();
    assert_eq!(place.says(&["shell", "--", "-N", "-e", "SELECT current_user()"]), "root@localhost");
}

#[test]
fn a_shell_without_a_client_program_is_told() {
    let place = Place::new("mariadb-10.11");
    place.start();
    let alone = place.above.path().join("alone");
    fs::create_dir(&alone).unwrap();
    let program = script(&alone, &format!("exec {} \"$@\"", place.program.display()));
    let output = place.command(&["shell"]).env("INRUSH_MYSQLD", program).env("PATH", &alone).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("hint: `apt-get install mariadb-client-core`"), "{said}");
}

#[test]
fn data_of_another_vendor_are_refused() {
    let place = Place::new("mariadb-10.11");
    place.start();
    place.json("stop", 0);
    let other = servers::one("mysql-9.7").mysqld;
    let output = place.command(&["start"]).env("INRUSH_MYSQLD", other).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("was created by MariaDB 10.11") && said.contains("INRUSH_MYSQLD"), "{said}");
}

#[track_caller]
fn refuses_program(body: Option<&str>, code: i32, want: &str) {
    let mut place = Place::new("mariadb-10.11");
    place.program = match body {
        Some(body) => script(place.above.path(), body),
        None => place.above.path().join("missing"),
    };
    let left_running = want.contains("does not answer");
    // Short where nothing is to come.
    let said = place.fails(&["start", "--wait", if left_running { "1" } else { "120" }], code);
    assert!(said.contains(want) && said.contains("hint: "), "{said}");
    if left_running {
        assert!(place.fails(&["status"], 3).contains("but does not answer"));
    }
    assert_eq!(place.json("stop", 0)["stopped"], left_running);
}

#[test]
fn a_missing_program() {
    refuses_program(None, 1, "which is no program")
}
#[test]
fn another_program() {
    refuses_program(Some("echo hello"), 1, "is no MySQL or MariaDB server: it says `hello`")
}
#[test]
fn a_program_that_cannot_make_its_data() {
    let body = "case $* in *--version) echo 'x  Ver 9.7.4 for Linux' ;; *) echo '[ERROR] [MY-1] [Server] no space' >&2; exit 1 ;; esac";
    refuses_program(Some(body), 3, "cannot make its data folder: no space")
}
#[test]
fn a_program_that_dies_at_its_start() {
    let body =
        "case $* in *--version) echo 'x  Ver 9.7.4 for Linux' ;; *initialise.cnf*) ;; *) echo boom >&2; exit 1 ;; esac";
    refuses_program(Some(body), 3, "the server did not start: boom")
}
#[test]
fn a_program_that_never_answers() {
    let body = "case $* in *--version) echo 'x  Ver 9.7.4 for Linux' ;; *initialise.cnf*) ;; *) sleep 600 & trap 'kill $!; exit' TERM; wait ;; esac";
    refuses_program(Some(body), 3, "does not answer after 1 s")
}

#[test]
fn own_options_reach_the_server() {
    let place = Place::new("mysql-9.7");
    let output =
        place.command(&["start", "--json", "--memory", "192M", "--set", "innodb_io_capacity=1234"]).output().unwrap();
    parse(&output, 0);
    assert_eq!(place.sql("SELECT @@innodb_io_capacity, @@innodb_buffer_pool_size DIV 1048576"), "1234\t256");
    let said = place.fails(&["start", "--set", "innodb_io_capacity=4321"], 1);
    assert!(
        said.contains("the server runs already, so `--set innodb_io_capacity=4321` would change nothing"),
        "{said}"
    );
    assert_eq!(place.sql("SELECT @@innodb_io_capacity, HEX('\u{1F980}')"), "1234\tF09FA680");
    let said = Place::new("mysql-9.7").fails(&["start", "--set", "datadir=/elsewhere"], 1);
    assert!(said.contains("`datadir` belongs to inrush"), "{said}");
}

#[test]
fn options_of_the_data_stay() {
    for family in FAMILIES {
        let place = Place::new(family);
        let set = ["--set", "innodb_page_size=8192", "--set", "lower_case_table_names=1"];
        let output = place.command(&["start", "--json", "--memory", "128M"]).args(set).output().unwrap();
        parse(&output, 0);
        place.sql("CREATE TABLE test.Goods (id INT)");
        place.json("stop", 0);
        place.start();
        let settings = "SELECT @@innodb_page_size, @@lower_case_table_names";
        assert_eq!(place.sql(&format!("{settings}; SHOW TABLES IN test")), "8192\t1\ngoods");
    }
}

/// A folder for one server, which ends with it.
struct Place {
    above: tempfile::TempDir,
    folder: PathBuf,
    program: PathBuf,
}

impl Place {
    fn new(family: &str) -> Self {
        let above = tempfile::tempdir().unwrap();
        // Started by root, the server runs as another account, which must be able to reach its folder.
        fs::set_permissions(above.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let folder = above.path().join("server");
        Self { above, folder, program: servers::one(family).mysqld }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
        command.arg("server").arg("--dir").arg(&self.folder).args(arguments).env("INRUSH_MYSQLD", &self.program);
        command.env("INRUSH_URL", "mysql://a:SECRET@127.0.0.1:1/x").env("INRUSH_PASSWORD", "SECRET");
        command.stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn start(&self) -> Value {
        parse(&self.command(&["start", "--json", "--memory", "128M"]).output().unwrap(), 0)
    }

    #[track_caller]
    fn json(&self, verb: &str, code: i32) -> Value {
        parse(&self.command(&[verb, "--json"]).output().unwrap(), code)
    }

    #[track_caller]
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.command(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// What a failing command says on standard error.
    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32) -> String {
        let output = self.command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{said}");
        said
    }

    fn client(&self) -> Command {
        let mut client = Command::new(self.program.with_file_name("mysql"));
        client.arg(format!("--defaults-file={}", self.folder.join("client.cnf").display()));
        client
    }

    #[track_caller]
    fn sql(&self, statements: &str) -> String {
        let output = self.client().args(["--batch", "--skip-column-names", "-e", statements]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Also after a failed test; the folder goes away next, and a server must not outlive it.
        let _ = self.command(&["stop", "--wait", "60"]).output();
    }
}

#[track_caller]
fn parse(output: &Output, code: i32) -> Value {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["inrush"], &document["version"]), (&"server".into(), &1.into()));
    document
}

fn script(folder: &Path, body: &str) -> PathBuf {
    let path = folder.join("server-program");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

fn kill_9(pid: i64) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
    await_true("the end of the killed server", || !is_alive(pid));
}

/// A zombie has no command line any more.
fn is_alive(pid: i64) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty())
}
