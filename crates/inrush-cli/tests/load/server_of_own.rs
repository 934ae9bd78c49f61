//! A server that a test may kill, fill and switch as it likes: started by `inrush server`, like one of the usual ones.

use inrush_testkit::servers::{Server, one};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A test on a server of its own for each family of servers: `$test` is called with its name.
macro_rules! on_each_family {
    ($test:ident) => {
        #[test]
        fn mysql_9_7() {
            $test("mysql-9.7");
        }
        #[test]
        fn mariadb_10_11() {
            $test("mariadb-10.11");
        }
        #[test]
        fn mariadb_11_8() {
            $test("mariadb-11.8");
        }
    };
}
pub(crate) use on_each_family;

/// A server made by `inrush server` in a folder of its own, stopped with the value.
pub(crate) struct OwnServer {
    above: tempfile::TempDir,
    like: Server,
    settings: Vec<String>,
}

impl OwnServer {
    pub(crate) fn new(family: &str, settings: &[&str]) -> Self {
        let above = tempfile::tempdir().unwrap();
        // Started by root, the server runs as another account, which must be able to reach its folder.
        fs::set_permissions(above.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let settings = settings.iter().map(|&setting| setting.to_owned()).collect();
        Self { above, like: one(family), settings }
    }

    /// The folder around the server's own.
    pub(crate) fn above(&self) -> &Path {
        self.above.path()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        self.given_to(Command::new(env!("CARGO_BIN_EXE_inrush")), arguments)
    }

    pub(crate) fn start(&self) -> Value {
        self.started(self.command(&["start"]))
    }

    pub(crate) fn stop(&self) {
        let output = self.command(&["stop", "--wait", "60"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }

    /// Completes `inrush server`, or what runs it.
    pub(crate) fn given_to(&self, mut command: Command, arguments: &[&str]) -> Command {
        command.arg("server").arg("--dir").arg(self.above.path().join("server")).args(arguments);
        command.env("INRUSH_MYSQLD", &self.like.mysqld).stdin(Stdio::null());
        command
    }

    /// Runs a `start`, with the settings, and returns what it says.
    pub(crate) fn started(&self, mut command: Command) -> Value {
        command.args(["--json", "--memory", "128M"]);
        for setting in &self.settings {
            command.args(["--set", setting]);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Starts it with a disk of so many MiB at `folder`, of which some are taken by a file `filler`. The disk is in a mount
    /// namespace that only the server lives in, and vanishes with it.
    pub(crate) fn start_with_disk(&self, folder: &Path, size: u32, filler: u32, arguments: &[&str]) -> Value {
        let owner = fs::metadata(folder).unwrap();
        let options = format!("size={size}m,mode=750,uid={},gid={}", owner.uid(), owner.gid());
        let mut command = Command::new("unshare");
        command.args(["--mount", "--propagation", "private", "sh", "-euc", MOUNT, "sh"]).arg(folder);
        command.args([&options, &filler.to_string(), env!("CARGO_BIN_EXE_inrush")]);
        self.started(self.given_to(command, &[&["start"], arguments].concat()))
    }

    /// Starts it, and says how it is reached.
    pub(crate) fn server(&self) -> Server {
        let started = self.start();
        let text = |name: &str| started[name].as_str().unwrap();
        let password = fs::read_to_string(text("password_file")).unwrap().trim().to_owned();
        Server {
            instance: format!("{} of its own", self.like.name),
            socket: PathBuf::from(text("socket")),
            port: started["port"].as_u64().unwrap() as u16,
            user: "root".into(),
            password,
            pid: started["pid"].as_i64().unwrap() as i32,
            ..self.like.clone()
        }
    }
}

const MOUNT: &str = r#"
folder=$1 options=$2 filler=$3
shift 3
mount -t tmpfs -o "$options" tmpfs "$folder"
head -c "${filler}M" /dev/zero >"$folder/filler"
exec "$@"
"#;

impl Drop for OwnServer {
    fn drop(&mut self) {
        let _ = self.command(&["stop", "--wait", "60"]).output();
    }
}
