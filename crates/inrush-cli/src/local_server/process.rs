//! The server's process: started, recognised among all processes, waited for, stopped.
//!
//! It is recognised by `--defaults-file=FOLDER/..` on its command line, read from /proc each time, so neither a stale pid
//! file nor a recycled process id can be mistaken for it.

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use inrush_core::{Error, Kind, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::account::Account;
use super::home::{Home, give, no_link};
use super::program::Program;

/// A process that this command started.
#[derive(Debug)]
pub(super) struct Started {
    child: Child,
    /// Where its part of the log begins.
    log_start: u64,
    log: String,
}

/// Starts the program with one of the home's option files; it reads from a pipe if `arguments` request a bootstrap.
pub(super) fn spawn(
    home: &Home,
    program: &Program,
    account: Option<&Account>,
    options: &str,
    arguments: &[&str],
) -> Result<Started> {
    let log = open_log(home, account)?;
    let failed = |e| Error::io(format!("cannot start `{}`", program.path().display()), e);
    let log_start = log.metadata().map_err(failed)?.len();
    let mut command = Command::new(program.path());
    command
        .arg(format!("--defaults-file={}", home.path(options).display()))
        .args(arguments)
        .current_dir(home.folder())
        // Secrets of other servers, which the account of this one must not read.
        .env_remove("INRUSH_PASSWORD")
        .env_remove("INRUSH_URL")
        .stdin(if arguments.contains(&"--bootstrap") { Stdio::piped() } else { Stdio::null() })
        .stdout(log.try_clone().map_err(failed)?)
        .stderr(log)
        // Its own group: Ctrl-C in this terminal is for inrush, not for the server.
        .process_group(0);
    if let Some(account) = account {
        command.uid(account.uid).gid(account.gid);
    }
    Ok(Started { child: command.spawn().map_err(failed)?, log_start, log: String::new() })
}

/// Runs the program to its end with the option file for making data, feeding it `statements`.
pub(super) fn run(
    home: &Home,
    program: &Program,
    account: Option<&Account>,
    arguments: &[&str],
    statements: &str,
) -> Result<()> {
    let mut started = spawn(home, program, account, "initialise.cnf", arguments)?;
    if let Some(mut stdin) = started.child.stdin.take() {
        // A server that exited no longer reads; its exit status and log have the reason.
        let _ = stdin.write_all(statements.as_bytes());
    }
    let status = started.child.wait().map_err(|e| Error::io("cannot wait for the server's program", e))?;
    if status.success() {
        return Ok(());
    }
    started.read_log(home);
    Err(started.failure(home, "the server cannot make its data folder"))
}

impl Started {
    pub(super) fn pid(&self) -> i32 {
        // A process id fits: Linux has at most 2^22 of them.
        i32::try_from(self.child.id()).unwrap_or_default()
    }

    /// Waits for the first greeting. If that does not come in time the server is left alone: it may be busy with
    /// the recovery from a crash, and ending that would only make the next one longer.
    pub(super) fn await_answer(&mut self, home: &Home, patience: Duration) -> Result<()> {
        let deadline = Instant::now() + patience;
        loop {
            if answers(home) {
                return Ok(());
            }
            if self.child.try_wait().map_err(|e| Error::io("cannot watch the server", e))?.is_some() {
                self.read_log(home);
                return Err(self.failure(home, "the server did not start"));
            }
            if Instant::now() >= deadline {
                return Err(no_answer(home, patience));
            }
            std::thread::sleep(POLL);
        }
    }

    /// Whether it exited because another process had its port.
    pub(super) fn lost_its_port(&self) -> bool {
        let log = self.log.to_ascii_lowercase();
        log.contains("bind on tcp/ip port") || log.contains("address already in use")
    }

    fn read_log(&mut self, home: &Home) {
        let mut bytes = Vec::new();
        if let Ok(mut file) = File::open(home.log()) {
            // An endless log must not fill our memory: the reason is at its end or in its first part.
            let _ = file.seek(SeekFrom::Start(self.log_start)).and_then(|_| file.take(1 << 20).read_to_end(&mut bytes));
        }
        self.log = String::from_utf8_lossy(&bytes).into_owned();
    }

    fn failure(&self, home: &Home, what: &str) -> Error {
        let reason = reason(&self.log).unwrap_or("its log has no reason");
        Error::new(Kind::Server, format!("{what}: {reason}"))
            .with_hint(format!("its log is `{}`", home.log().display()))
    }
}

/// The process of this home, even if another program started it.
pub(super) fn find(home: &Home) -> Option<i32> {
    let wanted = ["my.cnf", "initialise.cnf"].map(|name| {
        let mut argument = b"--defaults-file=".to_vec();
        argument.extend_from_slice(home.path(name).as_os_str().as_bytes());
        argument
    });
    let is_ours = |pid: &i32| {
        // An ended process has no command line any more.
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|argument| wanted.iter().any(|w| w == argument))
    };
    // A script that starts the server may stay as its parent; the server itself writes its pid into this file.
    written_pid(home).filter(is_ours).or_else(|| processes().into_iter().find(is_ours))
}

fn written_pid(home: &Home) -> Option<i32> {
    fs::read_to_string(home.path("mysqld.pid")).ok()?.trim().parse().ok()
}

/// Whether a process has given up its memory, and with that its command line, but not yet its files: a killed server takes a
/// while to. One that only waits to be noticed by its parent (a zombie without threads) has given up everything.
fn is_exiting(pid: i32) -> bool {
    let has_no_command_line = fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.is_empty());
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let is_zombie = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with(['Z', 'X']));
    let n_threads = fs::read_dir(format!("/proc/{pid}/task")).map_or(0, Iterator::count);
    has_no_command_line && n_threads > 0 && !(is_zombie && n_threads == 1)
}

/// Whether a server greets on the home's socket.
pub(super) fn answers(home: &Home) -> bool {
    let greet = || -> std::io::Result<u8> {
        let mut socket = UnixStream::connect(home.socket())?;
        socket.set_read_timeout(Some(Duration::from_secs(5)))?;
        let mut start = [0; 5];
        socket.read_exact(&mut start)?;
        Ok(start[4])
    };
    // The first packet of a server that takes connections begins with the protocol's version.
    greet().is_ok_and(|first| first == 10)
}

/// Waits for the greeting of a server that another program started; returns false if it exited instead.
pub(super) fn await_answer(home: &Home, pid: i32, patience: Duration) -> Result<bool> {
    let deadline = Instant::now() + patience;
    while !answers(home) {
        if find(home) != Some(pid) {
            return Ok(false);
        }
        if Instant::now() >= deadline {
            return Err(no_answer(home, patience));
        }
        std::thread::sleep(POLL);
    }
    Ok(true)
}

/// Shuts the server down, and waits until it has exited. Never kills it: committed rows must reach the disk.
pub(super) fn terminate(home: &Home, pid: i32, patience: Duration) -> Result<()> {
    send(pid, Signal::TERM)?;
    let deadline = Instant::now() + patience;
    while find(home) == Some(pid) || is_exiting(pid) {
        if Instant::now() >= deadline {
            return Err(Error::new(
                Kind::Server,
                format!("the server (pid {pid}) is still busy with its shutdown after {} s", patience.as_secs()),
            )
            .with_hint(format!("it continues by itself; its log is `{}`", home.log().display())));
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

/// Waits for the last server's process if it is just ending: until then it holds its files and its port. Then removes the
/// lock of its socket: MySQL would trust it as long as any process has that number, including a zombie.
pub(super) fn await_exit_of_last(home: &Home) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while written_pid(home).is_some_and(is_exiting) && Instant::now() < deadline {
        std::thread::sleep(POLL);
    }
    let mut lock = home.socket().into_os_string();
    lock.push(".lock");
    // MariaDB has none.
    let _ = fs::remove_file(lock);
}

/// Ends a process whose work is thrown away.
pub(super) fn kill_and_wait(pid: i32) -> Result<()> {
    send(pid, Signal::KILL)?;
    let deadline = Instant::now() + Duration::from_secs(30);
    while is_exiting(pid) || fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty()) {
        if Instant::now() >= deadline {
            return Err(Error::new(Kind::Io, format!("the process {pid} of an interrupted start does not end")));
        }
        std::thread::sleep(POLL);
    }
    Ok(())
}

fn send(pid: i32, signal: Signal) -> Result<()> {
    let target = Pid::from_raw(pid).ok_or_else(|| Error::new(Kind::Io, format!("{pid} is not a process id")))?;
    match kill_process(target, signal) {
        // It has exited by itself, which is enough.
        Ok(()) | Err(rustix::io::Errno::SRCH) => Ok(()),
        Err(e) => Err(Error::io(format!("cannot stop the server (pid {pid})"), e.into())),
    }
}

fn processes() -> Vec<i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn open_log(home: &Home, account: Option<&Account>) -> Result<File> {
    let path = home.log();
    let log = no_link(OpenOptions::new().create(true).append(true).mode(0o600)).open(&path);
    let log = log.map_err(|e| Error::io(format!("cannot write `{}`", path.display()), e))?;
    give(&path, account)?;
    Ok(log)
}

/// The line of a log with the reason: the first error, without time and codes, else the last line.
fn reason(log: &str) -> Option<&str> {
    let line = log.lines().find(|line| line.contains("ERROR") && !line.ends_with("Aborting"));
    let line = line.or_else(|| log.lines().rev().find(|line| !line.trim().is_empty()))?;
    let text = line.split_once("[ERROR]").map_or(line, |(_, text)| text);
    let text = text.rsplit_once("[Server]").or_else(|| text.rsplit_once("[InnoDB]")).map_or(text, |(_, text)| text);
    Some(text.trim().trim_end_matches('.'))
}

fn no_answer(home: &Home, patience: Duration) -> Error {
    Error::new(Kind::Server, format!("the server runs but does not answer after {} s", patience.as_secs())).with_hint(
        format!("after a crash it may need longer: run the command again; its log is `{}`", home.log().display()),
    )
}

const POLL: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_the_first_error_without_its_codes() {
        let mysql = "2026 [System] starting\n2026 0 [ERROR] [MY-010262] [Server] Can't start server: Bind on TCP/IP port: Address already in use\n2026 [ERROR] [MY-010119] [Server] Aborting\n";
        assert_eq!(reason(mysql), Some("Can't start server: Bind on TCP/IP port: Address already in use"));
        let mariadb =
            "2026 0 [Note] x\n2026 0 [ERROR] InnoDB: Unable to lock ./ibdata1 error: 11\n2026 0 [ERROR] Aborting\n";
        assert_eq!(reason(mariadb), Some("InnoDB: Unable to lock ./ibdata1 error: 11"));
    }

    #[test]
    fn without_an_error_it_is_the_last_line() {
        assert_eq!(reason("one\ntwo.\n\n"), Some("two"));
        assert_eq!(reason(""), None);
    }

    #[test]
    fn no_process_is_ours_by_chance() {
        let home = Home::at(&tempfile::tempdir().unwrap().path().join("x")).unwrap();
        assert_eq!(find(&home), None);
        assert!(!answers(&home));
    }
}
