//! Where a test loads: a server, a schema and a folder of its own, the command run there, and what it said.

use crate::server_of_own::OwnServer;
use inrush_testkit::servers::{Schema, Server, Vendor, spread};
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// Runs `test` on four servers at once: each version, and each engine with LOCAL INFILE on and off ([`spread`]). Which MariaDB has it
/// on differs from label to label, so that all tests together use all six servers.
#[track_caller]
pub(crate) fn everywhere(label: &str, test: impl Fn(&Place) + Sync) {
    on(spread(label.bytes().map(usize::from).sum()), label, test);
}

/// Every method that this server allows.
pub(crate) fn methods(place: &Place) -> Vec<&'static str> {
    let all = ["load-data", "bulk", "multi-row", "multi-row-prepared"];
    let has = |method: &&str| match *method {
        "load-data" => place.server.local_infile,
        "bulk" => !place.is_mysql(),
        _ => true,
    };
    all.into_iter().filter(has).collect()
}

/// What `auto` chooses where LOAD DATA is not allowed.
pub(crate) fn best_insert(place: &Place) -> &'static str {
    if place.is_mysql() { "multi-row-prepared" } else { "bulk" }
}

/// The test on some servers.
#[track_caller]
pub(crate) fn on(servers: Vec<Server>, label: &str, test: impl Fn(&Place) + Sync) {
    let test = &test;
    let failed: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = servers
            .into_iter()
            .map(|server| {
                let name = server.instance.clone();
                (name, scope.spawn(move || test(&Place::new(server, label))))
            })
            .collect();
        threads
            .into_iter()
            .filter_map(|(name, thread)| Some(format!("{name}: {}", message(&*thread.join().err()?))))
            .collect()
    });
    assert!(failed.is_empty(), "{label} fails on {} servers\n{}", failed.len(), failed.join("\n\n"));
}

/// The words of a panic.
pub(crate) fn message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_default()
}

/// A server, a schema and a folder.
pub(crate) struct Place {
    pub(crate) server: Server,
    pub(crate) schema: Schema,
    pub(crate) folder: tempfile::TempDir,
}

impl Place {
    /// On a server of its own, which is started.
    pub(crate) fn own(own: &OwnServer) -> Self {
        Self::new(own.server(), "own")
    }

    pub(crate) fn new(server: Server, label: &str) -> Self {
        let schema = server.schema(label);
        Self { server, schema, folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn is_mysql(&self) -> bool {
        self.server.vendor == Vendor::Mysql
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs SQL, and returns the rows as text: fields between commas, rows between bars.
    #[track_caller]
    pub(crate) fn sql(&self, statements: &str) -> String {
        let rows = self.schema.sql(statements);
        rows.iter().map(|row| row.join(",")).collect::<Vec<_>>().join("|")
    }

    /// `inrush load ARGUMENTS`, to be run in the folder: words between spaces.
    pub(crate) fn command(&self, arguments: &str) -> Command {
        self.command_on(&self.server, arguments)
    }

    /// The same on another node of the server's cluster.
    pub(crate) fn command_on(&self, server: &Server, arguments: &str) -> Command {
        let mut command = self.bare(arguments);
        if server.is_without_socket() {
            command.args(["-h", &server.host, "-P", &server.port.to_string()]);
        } else {
            command.arg("-S").arg(&server.socket);
        }
        command.args(["-u", &server.user, "-D", self.schema.name()]);
        command.env("INRUSH_PASSWORD", &server.password);
        command
    }

    /// The same without a server.
    pub(crate) fn bare(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inrush"));
        command.arg("load").args(arguments.split_whitespace()).current_dir(self.folder.path());
        // Nothing of the user's own configuration.
        command.env("HOME", self.folder.path()).env_remove("INRUSH_URL").env_remove("INRUSH_PASSWORD");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Loads with `--json -q` and hands back what it said: the first load that this schema sees, see [`Place::forget`].
    #[track_caller]
    pub(crate) fn load(&self, arguments: &str) -> Done {
        self.forget();
        self.go_on(arguments)
    }

    /// Empties the ledger, so that a test may load many a content under one name.
    pub(crate) fn forget(&self) {
        let there = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE 'inrush\\_%'";
        let tables = self.schema.sql(there).concat();
        if !tables.is_empty() {
            self.sql(&tables.iter().map(|table| format!("DELETE FROM {table};")).collect::<String>());
        }
    }

    /// The same as a later run, which finds what earlier ones have left in the ledger.
    #[track_caller]
    pub(crate) fn go_on(&self, arguments: &str) -> Done {
        self.done(&self.command(arguments).args(["--json", "-q"]).output().unwrap())
    }

    /// What a finished command said.
    #[track_caller]
    pub(crate) fn done(&self, output: &Output) -> Done {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(self.schema.name(), "shop");
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let json = serde_json::from_str(&stdout).unwrap_or(Value::Null);
        let done = Done { code: output.status.code().unwrap_or(-1), stdout, stderr, json };
        if !done.json.is_null() {
            assert_eq!(done.json["exit_code"], done.code, "{done}");
            if let Some(rows) = done.rows() {
                let accounted = rows.stored + rows.skipped + rows.rejected + rows.not_loaded + rows.unknown;
                assert_eq!(rows.read, accounted, "{done}");
            }
        }
        done
    }

    /// Loads; the report must be what `want` says, and the table must hold as many rows more as are stored.
    #[track_caller]
    pub(crate) fn load_counted(&self, arguments: &str, table: &str, code: i32, want: Rows) -> Done {
        let count = || self.sql(&format!("SELECT COUNT(*) FROM {table}")).parse::<u64>().unwrap();
        let before = count();
        let done = self.load(arguments);
        assert_eq!(done.code, code, "{done}");
        assert_eq!(done.rows(), Some(want), "{done}");
        assert_eq!(count() - before, want.stored, "{done}");
        done
    }
}

/// What a command said and ended with. The schema's name is `shop` in it.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) json: Value,
}

/// The counts of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rows {
    pub(crate) read: u64,
    pub(crate) stored: u64,
    pub(crate) skipped: u64,
    pub(crate) rejected: u64,
    pub(crate) not_loaded: u64,
    pub(crate) unknown: u64,
}

impl Rows {
    pub(crate) fn stored(stored: u64) -> Self {
        Self { read: stored, stored, ..Self::default() }
    }

    pub(crate) fn skipping(stored: u64, skipped: u64) -> Self {
        Self { read: stored + skipped, stored, skipped, ..Self::default() }
    }

    pub(crate) fn rejecting(stored: u64, rejected: u64) -> Self {
        Self { read: stored + rejected, stored, rejected, ..Self::default() }
    }

    pub(crate) fn stopping(stored: u64, not_loaded: u64) -> Self {
        Self { read: stored + not_loaded, stored, not_loaded, ..Self::default() }
    }
}

impl Done {
    /// The counts of the report; none if it did not come to one.
    pub(crate) fn rows(&self) -> Option<Rows> {
        let rows = self.json.get("rows")?;
        let count = |name: &str| rows[name].as_u64().unwrap();
        Some(Rows {
            read: count("read"),
            stored: count("stored"),
            skipped: count("skipped"),
            rejected: count("rejected"),
            not_loaded: count("not_loaded"),
            unknown: count("unknown"),
        })
    }

    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.stderr.contains(text), "`{text}` is not said in\n{self}");
    }
}

impl std::fmt::Display for Done {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = String::new();
        let _ = write!(text, "exit code {}, rows {:?}, standard error:\n{}", self.code, self.rows(), self.stderr);
        if self.json.is_null() && !self.stdout.is_empty() {
            let _ = write!(text, "\nstandard output:\n{}", self.stdout);
        }
        f.write_str(&text)
    }
}
