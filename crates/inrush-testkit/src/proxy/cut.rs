//! Cuts connections at a chosen moment, so that a test sees what happens to rows whose outcome a client cannot know.

use super::packets::Packets;
use super::{Admission, Direction, Policy, Proxy};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// When every connection is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// After the server has been sent this many bytes by all clients together: not one more reaches it.
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

/// What happens to connections that are made after the cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// They are closed at once.
    Refused,
    /// They get through.
    Passed,
    /// They are accepted and never get an answer.
    Ignored,
}

/// Which cut, what happens after it, and what has passed so far.
#[derive(Debug)]
pub struct CutPolicy {
    cut: Cut,
    sent: AtomicU64,
    /// Commands that the cut counts.
    n_counted: AtomicU64,
    is_cut: AtomicBool,
    after: After,
}

impl Relay {
    /// Starts one to a server on the loopback address. Clients must not encrypt: COMMIT must be readable.
    pub fn start(server_port: u16, cut: Cut) -> Self {
        Self::begin(server_port, cut, After::Refused)
    }

    /// The same, but connections after the cut get through.
    pub fn healing(server_port: u16, cut: Cut) -> Self {
        Self::begin(server_port, cut, After::Passed)
    }

    /// The same, but connections after the cut wait for ever.
    pub fn ignoring(server_port: u16, cut: Cut) -> Self {
        Self::begin(server_port, cut, After::Ignored)
    }

    fn begin(server_port: u16, cut: Cut, after: After) -> Self {
        let policy = CutPolicy {
            cut,
            sent: AtomicU64::new(0),
            n_counted: AtomicU64::new(0),
            is_cut: AtomicBool::new(false),
            after,
        };
        Self::with_policy(server_port, policy)
    }

    /// Whether it has cut yet.
    pub fn has_cut(&self) -> bool {
        self.policy.is_cut()
    }
}

impl Policy for CutPolicy {
    /// Whether the connection came after the cut: it is not cut.
    type Connection = bool;

    fn admit(&self) -> Admission {
        match (self.is_cut(), self.after) {
            (false, _) | (true, After::Passed) => Admission::Through,
            (true, After::Ignored) => Admission::Ignored,
            // The server is gone, as far as the client can see.
            (true, After::Refused) => Admission::Refused,
        }
    }

    fn begin(&self) -> bool {
        self.is_cut() && self.after == After::Passed
    }

    fn pass(&self, &is_safe: &bool, direction: Direction, mut from: TcpStream, mut to: TcpStream) {
        match direction {
            Direction::Down => {
                self.pass_down(is_safe, &mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            }
            Direction::Up => {
                self.pass_up(is_safe, &mut from, &mut to);
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
    fn pass_down(&self, is_safe: bool, from: &mut TcpStream, to: &mut TcpStream) {
        let mut bytes = [0; 16 << 10];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            // Answers that arrive after the cut are the ones that get lost.
            if (self.is_cut() && !is_safe) || to.write_all(&bytes[..n]).is_err() {
                return;
            }
        }
    }

    /// Passes the client's bytes on. If the server is gone they are lost; that does not end the loop.
    fn pass_up(&self, is_safe: bool, from: &mut TcpStream, to: &mut TcpStream) {
        let (mut bytes, mut packets, mut is_last) = ([0; 16 << 10], Packets::default(), false);
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            let bytes = &bytes[..n];
            if is_safe {
                let _ = to.write_all(bytes);
                continue;
            }
            if self.is_cut() && !is_last {
                return;
            }
            if let Cut::AfterBytes(limit) = self.cut {
                let n_passed = self.count_bytes(n as u64, limit) as usize;
                let _ = to.write_all(&bytes[..n_passed]);
                if self.is_cut() {
                    return;
                }
                continue;
            }
            packets.add(bytes);
            while let Some(packet) = packets.next() {
                match packet.command().map_or(Verdict::Pass, |command| self.judge(command)) {
                    Verdict::Pass => {}
                    Verdict::PassAndCut => is_last = true,
                    Verdict::Cut => return,
                }
                let _ = to.write_all(&packet.bytes);
                if is_last && packet.ends {
                    return;
                }
            }
        }
        let _ = to.write_all(&packets.into_rest());
    }

    fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::SeqCst)
    }

    /// How many of these bytes pass.
    fn count_bytes(&self, n: u64, limit: u64) -> u64 {
        let before = self.sent.fetch_add(n, Ordering::SeqCst);
        if before + n >= limit {
            self.is_cut.store(true, Ordering::SeqCst);
        }
        limit.saturating_sub(before).min(n)
    }

    /// Judges a command of a client. The cut is known before the command is passed, so that its answer is lost for certain.
    fn judge(&self, command: &[u8]) -> Verdict {
        let is_number = |n: u64| self.n_counted.fetch_add(1, Ordering::SeqCst) + 1 == n;
        let is_text = |start: &str| matches!(command, [3, text @ ..] if text.starts_with(start.as_bytes()));
        let is_commit = matches!(command, [3, text @ ..] if text.eq_ignore_ascii_case(b"COMMIT"));
        let is_write = matches!(command, [0x17 | 0xFA, ..]) || is_text("INSERT INTO");
        let is_undo = is_text("ROLLBACK");
        let verdict = match self.cut {
            Cut::AfterUndo(n) if is_undo && is_number(n) => Verdict::PassAndCut,
            Cut::BeforeUndo(n) if is_undo && is_number(n) => Verdict::Cut,
            Cut::AfterWrite(n) if is_write && is_number(n) => Verdict::PassAndCut,
            Cut::AfterCommit(n) if is_commit && is_number(n) => Verdict::PassAndCut,
            Cut::BeforeCommit(n) if is_commit && is_number(n) => Verdict::Cut,
            Cut::AfterText(start) => match command {
                [3 | 0x16, text @ ..] if text.starts_with(start.as_bytes()) => Verdict::PassAndCut,
                _ => Verdict::Pass,
            },
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

    /// Sends pieces until one is not answered.
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
    const PING: &[u8] = b"\x01\0\0\0\x0E";

    #[test]
    fn passes_what_is_below_the_limit() {
        check(Cut::AfterBytes(100), &[b"one", b"two"], 2, b"onetwo");
    }
    #[test]
    fn cuts_at_the_limit() {
        check(Cut::AfterBytes(6), &[b"one", b"two", b"three"], 1, b"onetwo");
        check(Cut::AfterBytes(5), &[b"one", b"two", b"three"], 1, b"onetw");
    }
    #[test]
    fn cuts_the_answer_to_a_commit() {
        check(Cut::AfterCommit(2), &[COMMIT, PING, COMMIT, PING], 2, &[COMMIT, PING, COMMIT].concat());
    }
    #[test]
    fn cuts_the_answer_to_a_write() {
        const EXECUTE: &[u8] = b"\x02\0\0\0\x17\x01";
        const INSERT: &[u8] = b"\x11\0\0\0\x03INSERT INTO t ..";
        check(Cut::AfterWrite(2), &[EXECUTE, PING, INSERT, PING], 2, &[EXECUTE, PING, INSERT].concat());
    }
    #[test]
    fn cuts_the_answer_to_a_text() {
        const CALL: &[u8] = b"\x09\0\0\0\x03CALL p()";
        check(Cut::AfterText("CALL"), &[COMMIT, CALL, PING], 1, &[COMMIT, CALL].concat());
    }
    /// Two commands in one read.
    #[test]
    fn cuts_in_the_middle_of_a_flight() {
        for (cut, heard) in [(Cut::BeforeCommit(2), 2), (Cut::AfterCommit(2), 3), (Cut::AfterCommit(1), 1)] {
            let (port, server) = server();
            let relay = Relay::start(port, cut);
            let mut client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
            let flight = [COMMIT, PING, COMMIT, PING];
            client.write_all(&flight.concat()).unwrap();
            let _ = client.read_to_end(&mut Vec::new());
            assert_eq!(server.join().unwrap(), flight[..heard].concat(), "{cut:?}");
        }
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
        const UNDO: &[u8] = b"\x18\0\0\0\x03ROLLBACK TO SAVEPOINT a";
        check(Cut::AfterUndo(1), &[PING, UNDO, PING], 1, &[PING, UNDO].concat());
        check(Cut::BeforeUndo(2), &[UNDO, UNDO, PING], 1, UNDO);
    }
    #[test]
    fn cuts_a_commit() {
        check(Cut::BeforeCommit(1), &[PING, COMMIT, PING], 1, PING);
    }
}
