//! Peers as processes: starts them, sends them commands, waits for them, and ends them, however they behave.
//!
//! Invariant: no process outlives its [`Peers`], nor does one that a peer started: each peer leads a process group, which is killed as a
//! whole. If this process is killed, a peer's input ends, which ends the peer.

use super::{Hello, PROTOCOL, PeerCell, ServerPlace, When};
use crate::insert::Written;
use inrush::sans_io::{Error, Kind, Result};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};
use serde::Deserialize;
use serde_json::json;
use std::fs::{self, DirBuilder};
use std::io::{BufRead as _, BufReader, ErrorKind, Read, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// All peers of a run, and the file with the rows that they write.
#[derive(Debug)]
pub struct Peers {
    peers: Vec<Peer>,
    rows: Option<RowsFile>,
    patience: Duration,
    stop: Arc<AtomicBool>,
}

/// One of them.
#[derive(Debug)]
struct Peer {
    /// The program's.
    name: String,
    hello: Hello,
    process: Process,
}

#[derive(Debug)]
struct Process {
    child: Child,
    /// `None` once it must end.
    input: Option<ChildStdin>,
    lines: Receiver<Line>,
    /// The end of what it wrote to its standard error.
    complaints: Arc<Mutex<Vec<u8>>>,
    /// Reads them to the end.
    listener: Option<JoinHandle<()>>,
}

enum Line {
    Whole(Vec<u8>),
    TooLong,
}

/// A peer's answer for a case.
#[derive(Debug, Deserialize)]
struct Answer {
    seconds: f64,
    rows: u64,
    cut: bool,
    client_cpu: f64,
}

/// A peer's answer to its preparation.
#[derive(Debug, Deserialize)]
struct Ready {
    ready: u64,
}

/// A peer's answer if a command failed.
#[derive(Debug, Deserialize)]
struct Complaint {
    error: String,
}

impl Peers {
    /// Starts programs and reads their descriptions. `patience` is the time that a peer may take to answer besides its work; `stop` ends
    /// all waiting. The password goes into their environment.
    ///
    /// # Errors
    /// `Config` if one cannot be started; `Protocol` for one without a description.
    pub fn start(
        programs: &[PathBuf],
        password: Option<&str>,
        patience: Duration,
        stop: Arc<AtomicBool>,
    ) -> Result<Self> {
        let mut peers = Self { peers: Vec::new(), rows: None, patience, stop };
        // All at once: some take a while to come up.
        let started: Vec<_> = programs
            .iter()
            .map(|program| Ok((name_of(program), Process::start(program, password)?)))
            .collect::<Result<_>>()?;
        for (name, process) in started {
            let line = process.line(&name, "say what it is", patience, &peers.stop)?;
            let hello: Hello = parse(&name, &line)?;
            if hello.protocol != PROTOCOL {
                let what =
                    format!("the peer `{name}` speaks version {} of the protocol, not {PROTOCOL}", hello.protocol);
                return Err(Error::new(Kind::Protocol, what).with_hint("`make peers` builds it anew"));
            }
            peers.peers.push(Peer { name, hello, process });
        }
        Ok(peers)
    }

    /// Their descriptions.
    pub fn hellos(&self) -> Vec<Hello> {
        self.peers.iter().map(|peer| peer.hello.clone()).collect()
    }

    /// `go-sql-driver 1.9.3, PyMySQL 1.1.2`.
    pub fn versions(&self) -> String {
        let versions = self.peers.iter().map(|peer| format!("{} {}", peer.hello.peer, peer.hello.version));
        versions.collect::<Vec<_>>().join(", ")
    }

    /// Reacts to interrupts from now on.
    pub fn heed(&mut self, stop: Arc<AtomicBool>) {
        self.stop = stop;
    }

    /// Has all of them connect and read their rows, which are `n_rows` lines of `text`; the empty table is theirs meanwhile.
    ///
    /// # Errors
    /// `Io` if the file cannot be written; the peer's error.
    pub fn prepare(&mut self, place: &ServerPlace, table: &str, text: &str, n_rows: u64) -> Result<()> {
        let file = RowsFile::write(text)?;
        let message = json!({ "op": "prepare", "server": place, "table": table, "file": file.path(), "rows": n_rows });
        self.rows = Some(file);
        for peer in &mut self.peers {
            let ready: Ready = peer.ask(&message, "prepare", PREPARE + self.patience, &self.stop)?;
            if ready.ready != n_rows {
                return Err(peer.wrong(&format!("has read {} rows of {n_rows}", ready.ready)));
            }
        }
        Ok(())
    }

    /// Has a peer write the first rows of its file.
    ///
    /// # Errors
    /// The peer's error; `Protocol` for a peer that exits, does not answer in time or reports impossible numbers.
    pub fn run(&mut self, cell: &PeerCell, table: &str, statement_rows: u64, cap: Duration) -> Result<Written> {
        let PeerCell { peer, subject, commits, rows } = cell;
        let Some(peer) = self.peers.get_mut(*peer) else { return Err(Error::config("no such peer")) };
        let message = json!({
            "op": "run", "subject": subject, "commits": When::of(*commits), "rows": rows, "statement_rows": statement_rows,
            "first": 1, "table": table, "cap": cap.as_secs_f64(),
        });
        let start = Instant::now();
        let answer: Answer = peer.ask(&message, &format!("run `{subject}`"), cap + self.patience, &self.stop)?;
        let took = peer.checked(&answer, *rows, start.elapsed())?;
        let client_cpu = Duration::try_from_secs_f64(answer.client_cpu).unwrap_or_default();
        Ok(Written { took, client_cpu, rows: answer.rows, cut: answer.cut, ..Written::default() })
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        // All are notified before the first wait.
        self.peers.iter_mut().for_each(|peer| drop(peer.process.input.take()));
    }
}

impl Peer {
    fn ask<T: for<'de> Deserialize<'de>>(
        &mut self,
        message: &serde_json::Value,
        doing: &str,
        limit: Duration,
        stop: &AtomicBool,
    ) -> Result<T> {
        if let Ok(Line::Whole(line)) = self.process.lines.try_recv() {
            let start: String = String::from_utf8_lossy(&line).chars().take(SHOWN).collect();
            return Err(self.wrong(&format!("said `{}` without being asked", start.trim_end())));
        }
        // Fails if the program has exited; then its last output is more useful.
        let _ = self.process.tell(&format!("{message}\n"));
        let line = self.process.line(&self.name, doing, limit, stop)?;
        if let Ok(Complaint { error }) = serde_json::from_slice(&line) {
            return Err(Error::new(Kind::Server, format!("the peer `{}` could not {doing}: {error}", self.name)));
        }
        parse(&self.name, &line)
    }

    /// The time, if the peer's numbers are possible.
    fn checked(&self, answer: &Answer, rows: u64, observed: Duration) -> Result<Duration> {
        let Answer { seconds, rows: stored, cut, .. } = *answer;
        let took = Duration::try_from_secs_f64(seconds).ok().filter(|took| !took.is_zero() && *took <= observed);
        let Some(took) = took else {
            let observed = observed.as_secs_f64();
            return Err(self.wrong(&format!("says that it took {seconds} s; its answer was {observed:.6} s in coming")));
        };
        match () {
            () if stored > rows => Err(self.wrong(&format!("says that it stored {stored} rows of {rows}"))),
            () if cut != (stored < rows) => {
                let word = if cut { "was cut" } else { "was not cut" };
                Err(self.wrong(&format!("says that it stored {stored} rows of {rows} and {word}")))
            }
            () => Ok(took),
        }
    }

    fn wrong(&self, what: &str) -> Error {
        Error::new(Kind::Protocol, format!("the peer `{}` {what}", self.name))
    }
}

impl Process {
    fn start(program: &Path, password: Option<&str>) -> Result<Self> {
        let mut command = Command::new(program);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A process group of its own: a Ctrl-C does not reach it, and its children end with it.
        command.process_group(0).env_remove("INRUSH_URL").env_remove("INRUSH_PASSWORD");
        if let Some(password) = password {
            command.env("INRUSH_PASSWORD", password);
        }
        let failed = |e| Error::config(format!("the peer `{}` cannot be started: {e}", program.display()));
        let mut child = spawn(&mut command).map_err(failed)?;
        let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (send, lines) = mpsc::channel();
        let complaints = Arc::new(Mutex::new(Vec::new()));
        // They end when the program and all that it started have.
        if let Some(output) = output {
            thread::spawn(move || read_lines(output, |line| send.send(line).is_ok()));
        }
        let kept = complaints.clone();
        let listener = errors.map(|errors| thread::spawn(move || keep_end(errors, &kept)));
        Ok(Self { child, input, lines, complaints, listener })
    }

    fn tell(&mut self, message: &str) -> std::io::Result<()> {
        self.input.as_mut().map_or(Ok(()), |input| input.write_all(message.as_bytes()).and_then(|()| input.flush()))
    }

    /// The next line of its output during a command.
    fn line(&self, name: &str, doing: &str, limit: Duration, stop: &AtomicBool) -> Result<Vec<u8>> {
        let end = Instant::now() + limit;
        let wrong = |what: String| Error::new(Kind::Protocol, format!("the peer `{name}` {what}"));
        loop {
            if stop.load(Relaxed) {
                return Err(Error::new(Kind::Interrupted, "interrupted"));
            }
            match self.lines.recv_timeout(LOOK) {
                Ok(Line::Whole(line)) => return Ok(line),
                Ok(Line::TooLong) => {
                    return Err(wrong(format!("said more than {LONGEST_LINE} bytes without a line's end")));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => {}
                Err(RecvTimeoutError::Timeout) => {
                    let limit = limit.as_secs();
                    return Err(wrong(format!("did not {doing} within {limit} s{}", self.last_words()))
                        .with_hint("`--peers-patience SECONDS` waits longer"));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.exit_status();
                    self.hear_out();
                    return Err(wrong(format!("ended when it was to {doing}{status}{}", self.last_words())));
                }
            }
        }
    }

    /// ` (exit status: 2)`, if that is known soon.
    fn exit_status(&self) -> String {
        let Some(pid) = Pid::from_raw(self.child.id() as i32) else { return String::new() };
        let end = Instant::now() + GRACE;
        while Instant::now() < end {
            // It stays until it is reaped.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if let Ok(Some(status)) = rustix::process::waitid(WaitId::Pid(pid), options) {
                return match (status.exit_status(), status.terminating_signal()) {
                    (Some(code), _) => format!(" (exit code {code})"),
                    (None, Some(signal)) => format!(" (signal {signal})"),
                    (None, None) => String::new(),
                };
            }
            thread::sleep(SOON);
        }
        String::new()
    }

    /// The output of an exited program may still be in the pipe; its children may continue to write.
    fn hear_out(&self) {
        let end = Instant::now() + GRACE;
        while self.listener.as_ref().is_some_and(|listener| !listener.is_finished()) && Instant::now() < end {
            thread::sleep(SOON);
        }
    }

    /// `: ` and the last line of its standard error, if there is one.
    fn last_words(&self) -> String {
        let complaints = self.complaints.lock().map(|words| words.clone()).unwrap_or_default();
        let text = String::from_utf8_lossy(&complaints);
        match text.lines().map(str::trim).rfind(|line| !line.is_empty()) {
            Some(line) => format!(": {line}"),
            None => String::new(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.take());
        // Until then it is not reaped, so its process id and its group's are not reused.
        let _ = self.exit_status();
        if let Some(group) = Pid::from_raw(self.child.id() as i32) {
            let _ = rustix::process::kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }
}

/// A program that another process still has open for writing (the build, or a process forked from it) can be
/// run a moment later.
fn spawn(command: &mut Command) -> std::io::Result<Child> {
    let end = Instant::now() + GRACE;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy && Instant::now() < end => thread::sleep(SOON),
            done => return done,
        }
    }
}

/// The file of rows, in a private folder.
#[derive(Debug)]
struct RowsFile(PathBuf);

impl RowsFile {
    fn write(text: &str) -> Result<Self> {
        let shared = std::env::temp_dir();
        let mut number = 0;
        let folder = loop {
            let folder = shared.join(format!("inrush-bench-peers-{}-{number}", std::process::id()));
            match DirBuilder::new().mode(0o700).create(&folder) {
                Ok(()) => break folder,
                // Left by a killed process with the same number, or created by another program.
                Err(error) if error.kind() == ErrorKind::AlreadyExists && number < MOST_LEFT => number += 1,
                Err(error) => return Err(Error::io(format!("cannot make `{}`", folder.display()), error)),
            }
        };
        let failed = |e| Error::io(format!("cannot write into `{}`", folder.display()), e);
        let made = Self(folder.clone());
        fs::write(made.path(), text).map_err(failed)?;
        Ok(made)
    }

    fn path(&self) -> PathBuf {
        self.0.join("rows.tsv")
    }
}

impl Drop for RowsFile {
    fn drop(&mut self) {
        // Ours from the start; the error cannot be reported any more.
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn name_of(program: &Path) -> String {
    program.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn parse<T: for<'de> Deserialize<'de>>(name: &str, line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|e| {
        let start: String = String::from_utf8_lossy(line).chars().take(SHOWN).collect();
        Error::new(Kind::Protocol, format!("the peer `{name}` said `{}`: {e}", start.trim_end()))
    })
}

fn read_lines(output: impl Read, mut tell: impl FnMut(Line) -> bool) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let read = output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line);
        // A part of a line at the end was never finished.
        let line = match read {
            Ok(_) if line.ends_with(b"\n") => Line::Whole(line),
            Ok(n) if n as u64 == LONGEST_LINE => Line::TooLong,
            _ => return,
        };
        if !tell(line) {
            return;
        }
    }
}

fn keep_end(mut errors: impl Read, complaints: &Mutex<Vec<u8>>) {
    let mut piece = [0; 1024];
    while let Ok(n @ 1..) = errors.read(&mut piece) {
        let Ok(mut kept) = complaints.lock() else { return };
        kept.extend_from_slice(piece.get(..n).unwrap_or_default());
        let too_many = kept.len().saturating_sub(KEPT);
        kept.drain(..too_many);
    }
}

/// A JVM is warmed up within it.
const PREPARE: Duration = Duration::from_secs(60);
/// How long a peer may take to end once its input has.
const GRACE: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(100);
const SOON: Duration = Duration::from_millis(5);
const LONGEST_LINE: u64 = 1 << 20;
/// Bytes of a standard error.
const KEPT: usize = 4096;
/// Folders of killed processes.
const MOST_LEFT: u32 = 1000;
/// Characters of a line in an error.
const SHOWN: usize = 200;

#[cfg(test)]
mod tests;
