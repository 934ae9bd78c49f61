//! A server's own client program that runs one script after the other, so that a test does not start a process for each statement.
//!
//! The start of the program costs 40 ms of processor time with MySQL 9.7 and 15 ms with MariaDB, a script in a program that runs
//! already 0.3 ms; all tests together run tens of thousands of scripts.
//!
//! Invariant: each script finds a session as new as that of a new process. The program reconnects after each script, so what the
//! script leaves (a transaction, locks, temporary tables, variables, its schema) ends with its connection; only the
//! current schema is `information_schema`, where nothing can be created, instead of none. As with a process of its
//! own, a script ends at its first error: the program ends as well, and is not used again.

use super::{Server, Vendor, rows};
use std::collections::HashMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

/// Runs a script in a program that is idle, or in a new one. `Err` is the program's message.
///
/// The server must be one that runs as long as the tests.
pub(super) fn run(server: &Server, script: &str) -> Result<Vec<Vec<String>>, String> {
    let idle = lock_idle().get_mut(&server.socket).and_then(Vec::pop);
    let mut client = match idle {
        Some(client) => client,
        None => KeptClient::start(server)?,
    };
    let text = client.run(script)?;
    lock_idle().entry(server.socket.clone()).or_default().push(client);
    Ok(rows(&text))
}

/// Programs that wait for a script, by their server's socket. They end with the tests, when their standard input is closed.
static IDLE: LazyLock<Mutex<HashMap<PathBuf, Vec<KeptClient>>>> = LazyLock::new(Mutex::default);

fn lock_idle() -> std::sync::MutexGuard<'static, HashMap<PathBuf, Vec<KeptClient>>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}

struct KeptClient {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl KeptClient {
    fn start(server: &Server) -> Result<Self, String> {
        let mut command = server.client();
        // Unbuffered: a result must arrive before the next script is known.
        command.args(["--default-character-set=utf8mb4", "--unbuffered"]);
        if server.vendor == Vendor::Mysql {
            // MySQL's client knows `connect` only with this option.
            command.arg("--commands");
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("cannot run {}: {error}", server.client.display()))?;
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
        Ok(Self { child, stdin, stdout })
    }

    /// Returns what the script prints.
    fn run(&mut self, script: &str) -> Result<String, String> {
        // The last statement need not have its semicolon; an empty statement does nothing.
        let script = format!("{script}\n;\nconnect information_schema\nSELECT '{END}';\n");
        let Self { child, stdin, stdout } = self;
        let mut text = String::new();
        std::thread::scope(|scope| {
            // A client that stops at an error may leave part of the script unread.
            let mut write = || drop(stdin.write_all(script.as_bytes()));
            if script.len() > PIPE_BYTES {
                // A long script and a long result would each wait for the other.
                scope.spawn(write);
            } else {
                write();
            }
            loop {
                let start = text.len();
                match stdout.read_line(&mut text) {
                    Ok(1..) if text[start..].trim_end_matches('\n') == END => {
                        text.truncate(start);
                        return Ok(());
                    }
                    Ok(1..) => {}
                    Ok(0) | Err(_) => return Err(()),
                }
            }
        })
        .map_err(|()| {
            let mut message = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                let _ = stderr.read_to_string(&mut message);
            }
            let _ = child.wait();
            without_line(message.trim())
        })?;
        Ok(text)
    }
}

impl Drop for KeptClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// `ERROR 1064 (42000) at line 7: ..`: the program counts the lines of all scripts, which says nothing to the reader.
fn without_line(message: &str) -> String {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match message.split_once(" at line ").and_then(|(before, rest)| Some((before, rest.split_once(": ")?))) {
        Some((before, (number, after))) if is_number(number) => format!("{before}: {after}"),
        _ => message.to_owned(),
    }
}

/// A line of output that no script prints.
const END: &str = "-- end of the script --";

/// What fits into an empty pipe for certain.
const PIPE_BYTES: usize = 32 << 10;

#[cfg(test)]
mod tests;
