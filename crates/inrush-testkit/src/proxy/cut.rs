//! Cuts connections at a chosen moment, so that a test sees what happens to rows whose fate a client cannot know.

use super::{Admission, Direction, Policy, Proxy};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// When every connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// After the server has been sent this many bytes by all clients together.
    AfterBytes(u64),
    /// When this many COMMITs have been seen (1 is the first): the last one still reaches the server, its answer is lost.
    AfterCommit(u64),
    /// The same, but the last one never reaches the server.
    BeforeCommit(u64),
    /// When this many writes have been seen, as INSERTs in text or as executions: the last one still reaches the server.
    AfterWrite(u64),
    /// When this many ROLLBACK have been seen, to a savepoint or of all: the last one still reaches the server, its answer is lost.
    AfterUndo(u64),
    /// The same, but the last one never reaches the server.
    BeforeUndo(u64),
    /// When a text that begins like this was seen, also one that is prepared: it still reaches the server.
    AfterText(&'static str),
}

/// A proxy that cuts.
pub type Relay = Proxy<CutPolicy>;

/// What becomes of connections that are made after the cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// They are closed at once.
    Refused,
    /// They get through.
    Passed,
    /// They are taken, and nobody ever says anything.
    Ignored,
}

/// Which cut, what happens behind it, and what has passed so far.
#[derive(Debug)]
pub struct CutPolicy {
    cut: Cut,
    sent: AtomicU64,
    commits: AtomicU64,
    writes: AtomicU64,
    undos: AtomicU64,
    is_cut: AtomicBool,
    after: After,
}

impl Relay {
    /// Starts one to a server on the loopback address. Clients must not encrypt: COMMIT must be readable.
    pub fn start(server_port: u16, cut: Cut) -> Self {
        Self::begin(server_port, cut, After::Refused)
    }

    /// The same, but whoever comes after the cut gets through.
    pub fn healing(server_port: u16, cut: Cut) -> Self {
        Self::begin(server_port, cut, After::Passed)
    }

    /// The same, but whoever comes after the cut waits for ever.
    pub fn ignoring(server_port: u16, cut: Cut) -> Self {
        Self::begin(server_port, cut, After::Ignored)
    }

    fn begin(server_port: u16, cut: Cut, after: After) -> Self {
        let policy = CutPolicy {
            cut,
            sent: AtomicU64::new(0),
            commits: AtomicU64::new(0),
            writes: AtomicU64::new(0),
            undos: AtomicU64::new(0),
            is_cut: AtomicBool::new(false),
            after,
        };
        Self::with_policy(server_port, policy)
    }

    /// Whether it has cut yet.
    pub fn has_cut(&self) -> bool {
        self.policy.is_cut.load(Ordering::SeqCst)
    }
}

impl Policy for CutPolicy {
    /// Whether the connection came after the cut: it is not cut.
    type Connection = bool;

    fn admit(&self) -> Admission {
        match (self.is_cut.load(Ordering::SeqCst), self.after) {
            (false, _) | (true, After::Passed) => Admission::Through,
            (true, After::Ignored) => Admission::Ignored,
            // The server is gone, as far as the client can see.
            (true, After::Refused) => Admission::Refused,
        }
    }

    fn begin(&self) -> bool {
        self.is_cut.load(Ordering::SeqCst) && self.after == After::Passed
    }

    fn pass(&self, &is_safe: &bool, direction: Direction, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = [0; 16 << 10];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            // Answers that arrive after the cut are the ones that get lost.
            if self.is_cut.load(Ordering::SeqCst) && !is_safe {
                break;
            }
            let verdict =
                if is_safe || direction == Direction::Down { Verdict::Pass } else { self.look_at(&bytes[..n]) };
            let is_passed = verdict == Verdict::Cut || to.write_all(&bytes[..n]).is_ok();
            if verdict != Verdict::Pass || (direction == Direction::Down && !is_passed) {
                break;
            }
        }
        match direction {
            Direction::Down => drop(to.shutdown(Shutdown::Both)),
            Direction::Up => {
                let _ = from.shutdown(Shutdown::Both);
                // Only this half: the server must read what it was sent before it sees the end.
                let _ = to.shutdown(Shutdown::Write);
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pass,
    PassAndCut,
    Cut,
}

impl CutPolicy {
    /// Judges what a client sends. A command is one write of the client, so a COMMIT comes in one piece.
    fn look_at(&self, bytes: &[u8]) -> Verdict {
        let sent = self.sent.fetch_add(bytes.len() as u64, Ordering::SeqCst) + bytes.len() as u64;
        let commits = match bytes {
            [7, 0, 0, 0, 3, command @ ..] if command.eq_ignore_ascii_case(b"COMMIT") => {
                self.commits.fetch_add(1, Ordering::SeqCst) + 1
            }
            _ => 0,
        };
        let writes = match bytes {
            [_, _, _, 0, 0x17 | 0xFA, ..] => self.writes.fetch_add(1, Ordering::SeqCst) + 1,
            [_, _, _, 0, 3, text @ ..] if text.starts_with(b"INSERT INTO") => {
                self.writes.fetch_add(1, Ordering::SeqCst) + 1
            }
            _ => 0,
        };
        let undos = match bytes {
            [_, _, _, 0, 3, text @ ..] if text.starts_with(b"ROLLBACK") => {
                self.undos.fetch_add(1, Ordering::SeqCst) + 1
            }
            _ => 0,
        };
        let verdict = match self.cut {
            Cut::AfterUndo(n) if undos == n => Verdict::PassAndCut,
            Cut::BeforeUndo(n) if undos == n => Verdict::Cut,
            Cut::AfterWrite(n) if writes == n => Verdict::PassAndCut,
            Cut::AfterText(start) => match bytes {
                [_, _, _, 0, 3 | 0x16, text @ ..] if text.starts_with(start.as_bytes()) => Verdict::PassAndCut,
                _ => Verdict::Pass,
            },
            Cut::AfterBytes(limit) if sent >= limit => Verdict::Cut,
            Cut::AfterCommit(n) if commits == n => Verdict::PassAndCut,
            Cut::BeforeCommit(n) if commits == n => Verdict::Cut,
            _ => Verdict::Pass,
        };
        if verdict != Verdict::Pass {
            self.is_cut.store(true, Ordering::SeqCst);
        }
        verdict
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::net::TcpListener;

    /// A server that answers each piece with `k`, and what it was sent.
    pub(crate) fn server() -> (u16, std::thread::JoinHandle<Vec<u8>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let thread = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let (mut heard, mut bytes) = (Vec::new(), [0; 1024]);
            while let Ok(n @ 1..) = stream.read(&mut bytes) {
                heard.extend_from_slice(&bytes[..n]);
                let _ = stream.write_all(b"k");
            }
            heard
        });
        (port, thread)
    }

    #[track_caller]
    fn check(cut: Cut, pieces: &[&[u8]], answers: usize, heard: &[u8]) {
        let (port, server) = server();
        let relay = Relay::start(port, cut);
        let mut client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
        let mut answered = 0;
        for piece in pieces {
            if client.write_all(piece).is_err() || !matches!(client.read(&mut [0]), Ok(1)) {
                break;
            }
            answered += 1;
        }
        drop(client);
        assert_eq!((answered, server.join().unwrap()), (answers, heard.to_vec()));
        assert_eq!(relay.has_cut(), answers < pieces.len());
    }

    const COMMIT: &[u8] = b"\x07\0\0\0\x03COMMIT";

    #[test]
    fn passes_what_is_below_the_limit() {
        check(Cut::AfterBytes(100), &[b"one", b"two"], 2, b"onetwo");
    }
    #[test]
    fn cuts_at_the_limit() {
        check(Cut::AfterBytes(6), &[b"one", b"two", b"three"], 1, b"one");
    }
    #[test]
    fn cuts_the_answer_to_a_commit() {
        check(Cut::AfterCommit(2), &[COMMIT, b"x", COMMIT, b"y"], 2, &[COMMIT, b"x", COMMIT].concat());
    }
    #[test]
    fn cuts_the_answer_to_a_write() {
        const EXECUTE: &[u8] = b"\x0A\0\0\0\x17\x01";
        const INSERT: &[u8] = b"\x20\0\0\0\x03INSERT INTO t ..";
        check(Cut::AfterWrite(2), &[EXECUTE, b"x", INSERT, b"y"], 2, &[EXECUTE, b"x", INSERT].concat());
    }
    #[test]
    fn cuts_the_answer_to_a_text() {
        const CALL: &[u8] = b"\x09\0\0\0\x03CALL p()";
        check(Cut::AfterText("CALL"), &[COMMIT, CALL, b"y"], 1, &[COMMIT, CALL].concat());
    }
    #[test]
    fn who_comes_later_gets_through_where_it_heals() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let relay = Relay::healing(listener.local_addr().unwrap().port(), Cut::AfterBytes(1));
        for passes in [false, true] {
            let mut client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
            let (mut server, _) = listener.accept().unwrap();
            client.write_all(b"xy").unwrap();
            assert_eq!(matches!(server.read(&mut [0; 2]), Ok(2)), passes);
        }
    }
    #[test]
    fn cuts_at_a_rollback() {
        const UNDO: &[u8] = b"\x20\0\0\0\x03ROLLBACK TO SAVEPOINT a";
        check(Cut::AfterUndo(1), &[b"x", UNDO, b"y"], 1, &[b"x", UNDO].concat());
        check(Cut::BeforeUndo(2), &[UNDO, UNDO, b"y"], 1, UNDO);
    }
    #[test]
    fn cuts_a_commit() {
        check(Cut::BeforeCommit(1), &[b"x", COMMIT, b"y"], 1, b"x");
    }
}
