//! Makes one fault after the other: cuts, stalls, swallows an answer, or holds back what a client sent and lets it through after the
//! client has died.
//!
//! COMMIT must be readable, so clients must not encrypt.

use super::packets::Packets;
use super::{Direction, Policy, Proxy};
use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// A fault: what happens to the connection that it hits, and when.
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

/// A proxy with faults.
pub type Relay = Proxy<Faults>;

/// The faults that are still to happen, and what has passed.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Mutex<Pending>,
    n_met: AtomicU64,
    up: AtomicU64,
    down: AtomicU64,
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

impl Relay {
    /// Starts one to a server on the loopback address; the faults happen one after the other.
    pub fn start(server_port: u16, faults: impl IntoIterator<Item = Fault>) -> Self {
        let policy = Faults::default();
        policy.lock().faults.extend(faults);
        Self::with_policy(server_port, policy)
    }

    /// The number of faults that have happened.
    pub fn n_met(&self) -> u64 {
        self.policy.n_met.load(SeqCst)
    }

    /// Whether every connection has ended, so that nothing which was held back is still to arrive.
    pub fn is_idle(&self) -> bool {
        self.policy.n_passing.load(SeqCst) == 0
    }

    /// Bytes that came from clients, and from the server.
    pub fn bytes(&self) -> (u64, u64) {
        (self.policy.up.load(SeqCst), self.policy.down.load(SeqCst))
    }
}

impl Policy for Faults {
    /// Whether the client gets no answers any more.
    type Connection = AtomicBool;

    fn begin(&self) -> AtomicBool {
        self.n_passing.fetch_add(2, SeqCst);
        AtomicBool::new(false)
    }

    fn pass(&self, is_mute: &AtomicBool, direction: Direction, from: TcpStream, to: TcpStream) {
        self.pass_until_cut(is_mute, direction, from, to);
        self.n_passing.fetch_sub(1, SeqCst);
    }
}

impl Faults {
    fn pass_until_cut(&self, is_mute: &AtomicBool, direction: Direction, mut from: TcpStream, mut to: TcpStream) {
        let (mut bytes, mut packets) = ([0; 16 << 10], Packets::default());
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            let is_over = match direction {
                Direction::Down => self.pass_on(is_mute, direction, &bytes[..n], None, &mut to),
                Direction::Up => {
                    packets.add(&bytes[..n]);
                    std::iter::from_fn(|| packets.next())
                        .any(|packet| self.pass_on(is_mute, direction, &packet.bytes, packet.command(), &mut to))
                }
            };
            if is_over {
                let _ = from.shutdown(Shutdown::Both);
                let _ = to.shutdown(Shutdown::Both);
                return;
            }
        }
        match direction {
            // Only this half: the server must read what it was sent before it sees the end.
            Direction::Up => {
                let _ = to.write_all(&packets.into_rest());
                let _ = to.shutdown(Shutdown::Write);
            }
            Direction::Down => drop(to.shutdown(Shutdown::Both)),
        }
    }

    /// Passes bytes on, as the next fault lets it. Returns whether the connection is to be closed.
    fn pass_on(
        &self,
        is_mute: &AtomicBool,
        direction: Direction,
        bytes: &[u8],
        command: Option<&[u8]>,
        to: &mut TcpStream,
    ) -> bool {
        let Some((at, what)) = self.meet(direction, bytes.len(), command) else {
            // A client that is gone takes no answers; the server must not learn of it by this path.
            if direction == Direction::Up || !is_mute.load(SeqCst) {
                let _ = to.write_all(bytes);
            }
            return false;
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
                if direction == Direction::Up {
                    let _ = to.write_all(&bytes[at..]);
                }
                thread::sleep(pause);
            }
            What::Hold(pause) => {
                thread::sleep(pause);
                let _ = to.write_all(&bytes[at..]);
                return false;
            }
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.faults.lock().expect("no thread panics while it holds this lock")
    }

    /// Whether the next fault happens within these bytes, which may begin a command. Returns the number of bytes before the fault, and
    /// what it does.
    fn meet(&self, direction: Direction, n_bytes: usize, command: Option<&[u8]>) -> Option<(usize, What)> {
        let (n, is_commit) = (n_bytes as u64, command == Some(COMMIT));
        let total = if direction == Direction::Up { &self.up } else { &self.down };
        total.fetch_add(n, SeqCst);
        let mut pending = self.lock();
        let fault = *pending.faults.front()?;
        let (mut at, mut is_met) = (0, false);
        match direction {
            Direction::Up => {
                pending.commits += u64::from(is_commit);
                is_met |= matches!(fault.when, When::Commit(k) if is_commit && pending.commits == k);
                if let When::Up(limit) = fault.when
                    && pending.up + n > limit
                {
                    (at, is_met) = (limit.saturating_sub(pending.up) as usize, true);
                }
                pending.up += n;
            }
            Direction::Down => {
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

const COMMIT: &[u8] = b"\x03COMMIT";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patience::{patience, until};
    use crate::proxy::cut::tests::server;
    use std::ops::RangeInclusive;
    use std::time::Instant;

    const ONE: &[u8] = b"\x03\0\0\x01one";
    const TWO: &[u8] = b"\x03\0\0\x01two";
    const COMMIT: &[u8] = b"\x07\0\0\0\x03COMMIT";

    /// Sends pieces until one is not answered, but by the end of the connection; says how many were, and what the server heard.
    #[track_caller]
    fn check(when: When, what: What, pieces: &[&[u8]], answers: RangeInclusive<usize>, heard: &[u8]) {
        let (port, server) = server();
        let relay = Relay::start(port, [Fault { when, what }]);
        let mut client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
        client.set_read_timeout(Some(patience())).unwrap();
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

    const LONG: Duration = Duration::from_millis(300);

    #[test]
    fn cuts_inside_what_is_sent() {
        // The server's answer to a part may be faster than the cut.
        check(When::Up(9), What::Cut, &[ONE, TWO, ONE], 1..=2, &[ONE, &TWO[..2]].concat());
    }
    #[test]
    fn cuts_before_an_answer() {
        check(When::Down(1), What::Cut, &[ONE, TWO, ONE], 1..=1, &[ONE, TWO].concat());
    }
    #[test]
    fn swallows_the_answer_to_a_commit() {
        check(When::Commit(2), What::Swallow(LONG), &[COMMIT, COMMIT], 1..=1, &[COMMIT, COMMIT].concat());
    }
    #[test]
    fn stalls() {
        check(When::Commit(2), What::Stall(LONG), &[COMMIT, COMMIT], 1..=1, COMMIT);
    }
    /// Cuts within several commands that arrive together.
    #[test]
    fn cuts_at_a_commit_in_a_flight() {
        check(When::Commit(2), What::Cut, &[&[COMMIT, ONE, COMMIT, TWO].concat()], 0..=1, &[COMMIT, ONE].concat());
    }
    #[test]
    fn a_commit_outlives_its_client() {
        let (port, server) = server();
        let relay = Relay::start(port, [Fault { when: When::Commit(1), what: What::Hold(LONG) }]);
        let mut client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
        let began = Instant::now();
        client.write_all(COMMIT).unwrap();
        until("the fault", || relay.n_met() == 1);
        drop(client);
        assert_eq!(server.join().unwrap(), COMMIT);
        assert!(began.elapsed() >= LONG);
        until("the end of what was held", || relay.is_idle());
    }
}
