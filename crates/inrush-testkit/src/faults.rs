//! A relay in front of a real server that does one fault after the other: it cuts, stalls, swallows an answer, or holds back what a
//! client sent and lets it through after the client has died.
//!
//! It tells COMMIT from other commands, so its clients must not encrypt.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// A fault: what happens to the connection that meets it, and when.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// When it happens.
    pub when: When,
    /// What happens.
    pub what: What,
}

/// Counted over all connections, from the fault before this one.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// After so many bytes to the server.
    Up(u64),
    /// After so many bytes from the server.
    Down(u64),
    /// At this COMMIT, 1 is the first.
    Commit(u64),
}

/// What happens to the connection.
#[derive(Clone, Copy, Debug)]
pub enum What {
    /// Closes the connection.
    Cut,
    /// Lets nothing through any more, in both directions, and closes it after a while.
    Stall(Duration),
    /// Lets what the client sends through, but no answer, and closes it after a while.
    Swallow(Duration),
    /// Keeps what the client sends from here on, and lets it through after a while, even if the client is gone by then.
    Hold(Duration),
}

/// A relay on a loopback port of its own; it accepts no new connection once the value is dropped.
#[derive(Debug)]
pub struct Relay {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    faults: Mutex<Pending>,
    n_met: AtomicU64,
    up: AtomicU64,
    down: AtomicU64,
    is_over: AtomicBool,
    /// Directions of connections that may still pass on bytes.
    n_passing: AtomicU64,
}

#[derive(Debug, Default)]
struct Pending {
    faults: VecDeque<Fault>,
    /// Since the fault before the next one.
    up: u64,
    down: u64,
    commits: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl Relay {
    /// Starts a relay to a server on the loopback address; the faults happen one after the other.
    pub fn start(server_port: u16, faults: impl IntoIterator<Item = Fault>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let state = Arc::new(State::default());
        state.lock().faults.extend(faults);
        let shared = state.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if shared.is_over.load(SeqCst) {
                    return;
                }
                // A server that is not there refuses: so do we, by closing.
                if let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)) {
                    relay(client, server, &shared);
                }
            }
        });
        Self { port, state }
    }

    /// The port on 127.0.0.1 to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many faults have been met.
    pub fn n_met(&self) -> u64 {
        self.state.n_met.load(SeqCst)
    }

    /// Whether every connection has ended, so that nothing which was held back is still to arrive.
    pub fn is_idle(&self) -> bool {
        self.state.n_passing.load(SeqCst) == 0
    }

    /// Bytes that came from clients, and from the server.
    pub fn bytes(&self) -> (u64, u64) {
        (self.state.up.load(SeqCst), self.state.down.load(SeqCst))
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.state.is_over.store(true, SeqCst);
        // Wakes the thread that listens.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

fn relay(client: TcpStream, server: TcpStream, state: &Arc<State>) {
    let clone = |stream: &TcpStream| stream.try_clone().expect("a descriptor is free");
    // A connection that is closed already is relayed all the same: both sides learn of its end.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let is_mute = Arc::new(AtomicBool::new(false));
    let (state_down, mute_down) = (state.clone(), is_mute.clone());
    let (from, to) = (clone(&server), clone(&client));
    state.n_passing.fetch_add(2, SeqCst);
    thread::spawn(move || {
        pass(Way::Down, from, to, &state_down, &mute_down);
        state_down.n_passing.fetch_sub(1, SeqCst);
    });
    let state = state.clone();
    thread::spawn(move || {
        pass(Way::Up, client, server, &state, &is_mute);
        state.n_passing.fetch_sub(1, SeqCst);
    });
}

fn pass(way: Way, mut from: TcpStream, mut to: TcpStream, state: &State, is_mute: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        let bytes = &bytes[..n];
        let Some((at, what)) = state.meet(way, bytes) else {
            // A client that is gone takes no answers; the server must not hear of it by this way.
            if way == Way::Up || !is_mute.load(SeqCst) {
                let _ = to.write_all(bytes);
            }
            continue;
        };
        let _ = to.write_all(&bytes[..at]);
        match what {
            What::Cut => {}
            What::Stall(pause) => {
                is_mute.store(true, SeqCst);
                thread::sleep(pause);
            }
            What::Swallow(pause) => {
                is_mute.store(true, SeqCst);
                if way == Way::Up {
                    let _ = to.write_all(&bytes[at..]);
                }
                thread::sleep(pause);
            }
            What::Hold(pause) => {
                thread::sleep(pause);
                let _ = to.write_all(&bytes[at..]);
                continue;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
        return;
    }
    match way {
        // Only this half: the server must read what it was sent before it hears of the end.
        Way::Up => drop(to.shutdown(Shutdown::Write)),
        Way::Down => drop(to.shutdown(Shutdown::Both)),
    }
}

impl State {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.faults.lock().expect("no thread panics while it holds this lock")
    }

    /// Whether the next fault is met by these bytes, and behind which of them.
    fn meet(&self, way: Way, bytes: &[u8]) -> Option<(usize, What)> {
        let n = bytes.len() as u64;
        let total = if way == Way::Up { &self.up } else { &self.down };
        total.fetch_add(n, SeqCst);
        let mut pending = self.lock();
        let fault = *pending.faults.front()?;
        let (mut at, mut is_met) = (0, false);
        match way {
            Way::Up => {
                // A command is one write of the client, so a COMMIT comes in one piece.
                pending.commits += u64::from(bytes == COMMIT);
                is_met |= matches!(fault.when, When::Commit(k) if bytes == COMMIT && pending.commits == k);
                if let When::Up(limit) = fault.when
                    && pending.up + n > limit
                {
                    (at, is_met) = (limit.saturating_sub(pending.up) as usize, true);
                }
                pending.up += n;
            }
            Way::Down => {
                if let When::Down(limit) = fault.when
                    && pending.down + n > limit
                {
                    (at, is_met) = (limit.saturating_sub(pending.down) as usize, true);
                }
                pending.down += n;
            }
        }
        if !is_met {
            return None;
        }
        pending.faults.pop_front();
        (pending.up, pending.down, pending.commits) = (0, 0, 0);
        self.n_met.fetch_add(1, SeqCst);
        Some((at, fault.what))
    }
}

const COMMIT: &[u8] = b"\x07\0\0\0\x03COMMIT";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relay::tests::server;
    use std::ops::RangeInclusive;
    use std::time::Instant;

    /// Sends pieces until one is not answered; says how many were, and what the server heard.
    #[track_caller]
    fn check(when: When, what: What, pieces: &[&[u8]], answers: RangeInclusive<usize>, heard: &[u8]) {
        let (port, server) = server();
        let relay = Relay::start(port, [Fault { when, what }]);
        let mut client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
        client.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let mut answered = 0;
        for piece in pieces {
            if client.write_all(piece).is_err() || !matches!(client.read(&mut [0]), Ok(1)) {
                break;
            }
            answered += 1;
        }
        drop(client);
        assert_eq!(server.join().unwrap(), heard.to_vec());
        assert!(answers.contains(&answered), "{answered}");
        assert_eq!(relay.n_met(), 1);
    }

    const LONG: Duration = Duration::from_millis(900);

    #[test]
    fn cuts_inside_what_is_sent() {
        // The server's answer to a part may be faster than the cut.
        check(When::Up(5), What::Cut, &[b"one", b"two", b"three"], 1..=2, b"onetw");
    }
    #[test]
    fn cuts_before_an_answer() {
        check(When::Down(1), What::Cut, &[b"one", b"two", b"three"], 1..=1, b"onetwo");
    }
    #[test]
    fn swallows_the_answer_to_a_commit() {
        check(When::Commit(2), What::Swallow(LONG), &[COMMIT, COMMIT], 1..=1, &[COMMIT, COMMIT].concat());
    }
    #[test]
    fn stalls() {
        check(When::Commit(2), What::Stall(LONG), &[COMMIT, COMMIT], 1..=1, COMMIT);
    }
    #[test]
    fn a_commit_outlives_its_client() {
        let began = Instant::now();
        check(When::Commit(2), What::Hold(LONG), &[COMMIT, COMMIT], 1..=1, &[COMMIT, COMMIT].concat());
        assert!(began.elapsed() >= LONG);
    }
}
