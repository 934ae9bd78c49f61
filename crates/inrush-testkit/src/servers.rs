//! The real servers: a list of what `scripts/servers` started, SQL through the server's own client program, schemas
//! that vanish at the end of a test.
//!
//! A server that does not run fails the test that asked for it. SQL here is sent by the `mysql` or `mariadb`
//! program, never by our own driver: the check of a result must not share the driver's mistakes.

mod kept_client;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::patience::{Wait, until};
use serde::Deserialize;

/// Every test server: three families, each with LOCAL INFILE on and off. Starts what does not run.
///
/// Panics with the script's own words if that fails.
pub fn all() -> Vec<Server> {
    SERVERS.get_or_init(|| list(&["env"])).clone()
}

static SERVERS: OnceLock<Vec<Server>> = OnceLock::new();

/// The servers that allow LOCAL INFILE, one of each family.
pub fn with_local_infile() -> Vec<Server> {
    all().into_iter().filter(|server| server.local_infile).collect()
}

/// The servers that refuse LOCAL INFILE, one of each family.
pub fn without_local_infile() -> Vec<Server> {
    all().into_iter().filter(|server| !server.local_infile).collect()
}

/// Four of the six servers: MySQL with LOCAL INFILE on and off, one MariaDB with it on and the other one with it off. They are each
/// version, and each engine with the two methods that `auto` takes there; the other two would repeat what the same engine does by the
/// same method. An odd `rotation` swaps the two MariaDBs.
pub fn spread(rotation: usize) -> Vec<Server> {
    let swap = rotation % 2 == 1;
    let is_one = |server: &Server| match server.name.as_str() {
        "mariadb-10.11" => server.local_infile != swap,
        "mariadb-11.8" => server.local_infile == swap,
        _ => true,
    };
    all().into_iter().filter(is_one).collect()
}

/// The one server of a family (`mysql-9.7`, `mariadb-10.11`, `mariadb-11.8`) that allows LOCAL INFILE.
pub fn one(name: &str) -> Server {
    let known = with_local_infile();
    let names: Vec<_> = known.iter().map(|server| server.name.clone()).collect();
    known.into_iter().find(|server| server.name == name).unwrap_or_else(|| panic!("no `{name}` among {names:?}"))
}

/// The servers tuned for measuring (2 GiB buffer pool and redo log), started when first asked for.
pub fn for_benchmarks() -> Vec<Server> {
    list(&["env", "--bench"])
}

/// The nodes of the engine that `scripts/engines` has started and named in `INRUSH_TEST_ENGINE`: the first one is the node that clients
/// speak to. Fails without that variable: an engine that is not there has no test that passes.
pub fn engine() -> Vec<Server> {
    let file = std::env::var("INRUSH_TEST_ENGINE").expect(
        "INRUSH_TEST_ENGINE: the file engine.json of an engine that is up; `scripts/engines test NAME` sets it",
    );
    let text = std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file}: {error}"));
    serde_json::from_str(&text).expect("a list of servers")
}

/// One running server and how to reach it.
#[derive(Clone, Debug, Deserialize)]
pub struct Server {
    /// The family: `mysql-9.7`, `mariadb-10.11`, `mariadb-11.8`.
    pub name: String,
    /// The instance's own name, which `scripts/servers shell` takes.
    pub instance: String,
    /// Its vendor.
    pub vendor: Vendor,
    /// As the program prints it.
    pub version: String,
    /// Whether LOCAL INFILE is allowed.
    pub local_infile: bool,
    /// Where its certificate comes from: it decides whether `verify-full` can succeed.
    pub certificate: Certificate,
    /// `127.0.0.1`; the server's certificate also names `localhost`.
    pub host: String,
    /// TCP port on the loopback address.
    pub port: u16,
    /// Unix socket. Empty: it is reached by TCP alone.
    pub socket: PathBuf,
    /// A user with every right, by the vendor's default plugin.
    pub user: String,
    /// Its password.
    pub password: String,
    /// The password of `root`.
    pub root_password: String,
    /// A user for each authentication plugin that this server has; the first one is `user`.
    pub users: Vec<User>,
    /// The authority that signed the server's certificate.
    pub ca: PathBuf,
    /// An authority that did not.
    pub wrong_ca: PathBuf,
    /// Process id.
    pub pid: i32,
    /// A program that starts this server's like with any options.
    pub mysqld: PathBuf,
    /// The client program that came with the server.
    pub client: PathBuf,
    /// The server's `--basedir`.
    pub basedir: PathBuf,
    /// Its error log.
    pub error_log: PathBuf,
    /// A folder that both the tests can write into and the server can read from (LOAD DATA INFILE without LOCAL).
    pub file_dir: PathBuf,
}

/// The vendor of a server.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Vendor {
    /// MySQL.
    Mysql,
    /// MariaDB.
    Mariadb,
}

/// Where a server's certificate comes from.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Certificate {
    /// Ours: it names `localhost` and `127.0.0.1`.
    Own,
    /// Made by the server itself: it names no host, so only `verify-ca` can succeed.
    Automatic,
}

/// A user who logs in by one authentication plugin.
#[derive(Clone, Debug, Deserialize)]
pub struct User {
    /// The server's name of the plugin; `cleartext_plugin_server` speaks `mysql_clear_password` with the client.
    pub plugin: String,
    /// Name.
    pub user: String,
    /// Password, may be empty.
    pub password: String,
}

impl Server {
    /// A URL for the tests' user over TCP.
    pub fn url(&self, schema: &str) -> String {
        format!("mysql://{}:{}@{}:{}/{schema}", self.user, self.password, self.host, self.port)
    }

    /// Runs statements as the tests' user and returns the rows of all results as text; NULL is `NULL`.
    ///
    /// Panics with the server's message if a statement fails.
    #[track_caller]
    pub fn sql(&self, statements: &str) -> Vec<Vec<String>> {
        self.try_sql(statements).unwrap_or_else(|message| panic!("{}: {message}\nin: {statements}", self.instance))
    }

    /// Like [`sql`](Self::sql), but returns the client program's message as the error.
    ///
    /// MySQL cannot show a process list while some session's statement holds a character beyond the BMP (error 3854): such a query is
    /// run again.
    pub fn try_sql(&self, statements: &str) -> Result<Vec<Vec<String>>, String> {
        let wait = Wait::begin();
        loop {
            match self.run_client(statements) {
                Err(message) if message.contains("ERROR 3854 ") => wait.pause(message),
                ended => return ended,
            }
        }
    }

    /// Waits until a transaction waits for a row of a table in this schema.
    ///
    /// Panics after [`patience`](crate::patience::patience).
    #[track_caller]
    pub fn until_a_row_is_waited_for(&self, schema: &str) {
        let what = format!("somebody who waits for a row in `{schema}` on {}", self.instance);
        until(what, || self.is_a_row_waited_for(schema));
    }

    /// Whether a transaction waits for a row of a table in this schema. Takes 150 ms, so that it may be called in a loop.
    ///
    /// MySQL's `data_locks` is built for each query and holds no text of a statement. MariaDB's tables are refreshed only if no query
    /// has read them for 100 ms, as MySQL's `INNODB_TRX` is (MySQL manual, "Persistence and Consistency of InnoDB Transaction and
    /// Locking Information").
    #[track_caller]
    pub fn is_a_row_waited_for(&self, schema: &str) -> bool {
        std::thread::sleep(Duration::from_millis(150));
        let sql = match self.vendor {
            Vendor::Mysql => format!(
                "SELECT COUNT(*) FROM performance_schema.data_locks WHERE LOCK_STATUS = 'WAITING' AND OBJECT_SCHEMA = '{schema}'"
            ),
            Vendor::Mariadb => format!(
                "SELECT COUNT(*) FROM information_schema.INNODB_LOCK_WAITS w JOIN information_schema.INNODB_LOCKS l \
                 ON l.lock_id = w.requested_lock_id WHERE l.lock_table LIKE '`{schema}`.%'"
            ),
        };
        self.sql(&sql)[0][0] != "0"
    }

    /// The server's client program as the tests' user, with its output for programs.
    pub fn client(&self) -> Command {
        let mut client = Command::new(&self.client);
        client.args(["--no-defaults", "--batch", "--skip-column-names"]);
        if self.vendor == Vendor::Mariadb {
            // MariaDB's client encrypts even what goes through a Unix socket. Of the 70 ms of processor time that 10.11's takes for one
            // statement, 50 ms are TLS, and all tests together start it tens of thousands of times. MySQL's client does not encrypt there.
            client.arg("--skip-ssl");
        }
        if self.is_without_socket() {
            client.args(["--protocol=tcp".into(), format!("--host={}", self.host), format!("--port={}", self.port)]);
        } else {
            client.arg(format!("--socket={}", self.socket.display()));
        }
        client.arg(format!("--user={}", self.user));
        client.env("MYSQL_PWD", &self.password);
        client
    }

    /// The dump program of the server's own family (`mysqldump`, `mariadb-dump`), as root. Arguments and databases follow.
    pub fn dump(&self) -> Command {
        let mut dump = Command::new(self.client.with_file_name("dump"));
        dump.args(["--no-defaults", "--user=root"]).arg(format!("--socket={}", self.socket.display()));
        if self.vendor == Vendor::Mysql {
            dump.arg("--set-gtid-purged=OFF");
        }
        dump.env("MYSQL_PWD", &self.root_password);
        dump
    }

    /// Whether it is reached by TCP alone.
    pub fn is_without_socket(&self) -> bool {
        self.socket.as_os_str().is_empty()
    }

    fn run_client(&self, statements: &str) -> Result<Vec<Vec<String>>, String> {
        // A script that changes the delimiter may end with another one than it began with.
        if self.outlives_tests() && !statements.contains("DELIMITER") {
            return kept_client::run(self, statements);
        }
        let mut client = self
            .client()
            .arg("--default-character-set=utf8mb4")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", self.client.display()))?;
        let mut stdin = client.stdin.take().expect("a pipe was asked for");
        // A thread of its own: a long script and a long result would each wait for the other.
        let script = statements.as_bytes().to_vec();
        let writer = std::thread::spawn(move || stdin.write_all(&script));
        let output = client.wait_with_output().map_err(|error| error.to_string())?;
        // A client that stops at an error may leave part of the script unread; its exit status shows the error.
        let _ = writer.join();
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        Ok(rows(&String::from_utf8_lossy(&output.stdout)))
    }

    /// Whether it is one of [`all`], with the tests' user: no test stops it, or takes this user's rights.
    fn outlives_tests(&self) -> bool {
        let is_like = |server: &Server| server.socket == self.socket && server.user == self.user;
        SERVERS.get().is_some_and(|servers| servers.iter().any(is_like))
    }

    /// A new, empty schema with a name of its own, dropped when the value is.
    #[track_caller]
    pub fn schema(&self, label: &str) -> Schema {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.subsec_nanos());
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        // Several test processes share a server: process, counter and clock together are never the same twice.
        let mut name: String = label.chars().filter(char::is_ascii_alphanumeric).take(24).collect();
        let _ = write!(name, "_{}_{number}_{nanos:x}", std::process::id());
        self.sql(&format!("CREATE DATABASE `{name}` CHARACTER SET utf8mb4"));
        Schema { server: self.clone(), name }
    }
}

/// A schema that lives as long as a test.
#[derive(Debug)]
pub struct Schema {
    server: Server,
    name: String,
}

impl Schema {
    /// Its name, safe to write without quotes.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The server that it is on.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Reaches it by another node of the same cluster from now on.
    pub fn move_to(&mut self, node: Server) {
        self.server = node;
    }

    /// A URL for the tests' user over TCP, into this schema.
    pub fn url(&self) -> String {
        self.server.url(&self.name)
    }

    /// Runs statements inside this schema: see [`Server::sql`].
    #[track_caller]
    pub fn sql(&self, statements: &str) -> Vec<Vec<String>> {
        self.server.sql(&format!("USE `{}`;\n{statements}", self.name))
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        // A test may have killed its server on purpose, and a second panic would abort and hide the first.
        let _ = self.server.try_sql(&format!("DROP DATABASE IF EXISTS `{}`", self.name));
    }
}

fn list(arguments: &[&str]) -> Vec<Server> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/servers");
    let output = Command::new(&script)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|error| panic!("cannot run {}: {error}", script.display()));
    assert!(
        output.status.success(),
        "the test servers do not start; try `scripts/servers up`. It said:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("`scripts/servers env` prints a list of servers")
}

/// The client's batch output: fields end in tabs, rows in newlines, with backslash escapes for both.
fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split('\t').map(unescape).collect()).collect()
}

fn unescape(field: &str) -> String {
    let mut plain = String::with_capacity(field.len());
    let mut chars = field.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('t')) => plain.push('\t'),
            ('\\', Some('n')) => plain.push('\n'),
            ('\\', Some('0')) => plain.push('\0'),
            ('\\', Some(other)) => plain.push(other),
            (other, _) => plain.push(other),
        }
    }
    plain
}
