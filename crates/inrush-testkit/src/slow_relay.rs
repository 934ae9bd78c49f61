//! A relay in front of a real server that passes bytes in small pieces with pauses, or holds them back: so that a client waits at as
//! many places as there are, or for ever.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// How bytes pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pieces {
    /// The most that passes at once.
    pub bytes: usize,
    /// The pause after each piece.
    pub pause: Duration,
}

/// A relay on a loopback port of its own; it ends with the value.
#[derive(Debug)]
pub struct SlowRelay {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    pieces: Mutex<Pieces>,
    is_held: AtomicBool,
    is_over: AtomicBool,
    n_connections: AtomicU64,
}

impl SlowRelay {
    /// Starts a relay to a server on the loopback address.
    pub fn start(server_port: u16, pieces: Pieces) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let state = Arc::new(State {
            pieces: Mutex::new(pieces),
            is_held: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            n_connections: AtomicU64::new(0),
        });
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if shared.is_over.load(Ordering::SeqCst) {
                    return;
                }
                shared.n_connections.fetch_add(1, Ordering::SeqCst);
                if let Ok(server) = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], server_port))) {
                    let clone = |stream: &TcpStream| stream.try_clone().expect("a descriptor is free");
                    let (from, to, back) = (clone(&server), clone(&client), Arc::clone(&shared));
                    thread::spawn(move || pass(from, to, &back));
                    let forth = Arc::clone(&shared);
                    thread::spawn(move || pass(client, server, &forth));
                }
            }
        });
        Self { port, state }
    }

    /// The port on 127.0.0.1 to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// How many connections came.
    pub fn n_connections(&self) -> u64 {
        self.state.n_connections.load(Ordering::SeqCst)
    }

    /// From now on bytes pass like this.
    pub fn pass_in(&self, pieces: Pieces) {
        *self.state.pieces.lock().expect("nobody panics while he holds it") = pieces;
    }

    /// From now on nothing passes, and nothing is closed: the network swallows everything.
    pub fn hold(&self) {
        self.state.is_held.store(true, Ordering::SeqCst);
    }
}

impl Drop for SlowRelay {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that listens.
        let _ = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], self.port)));
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, state: &State) {
    // Each piece is to arrive by itself.
    let _ = to.set_nodelay(true);
    let mut bytes = vec![0; 64 << 10];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        if !pass_on(&bytes[..n], &mut to, state) {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}

/// False: there is nobody to pass it on to.
fn pass_on(mut rest: &[u8], to: &mut TcpStream, state: &State) -> bool {
    while !rest.is_empty() {
        while state.is_held.load(Ordering::SeqCst) && !state.is_over.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(2));
        }
        let pieces = *state.pieces.lock().expect("nobody panics while he holds it");
        let (piece, others) = rest.split_at(pieces.bytes.clamp(1, rest.len()));
        if state.is_over.load(Ordering::SeqCst) || to.write_all(piece).is_err() {
            return false;
        }
        rest = others;
        if !pieces.pause.is_zero() {
            thread::sleep(pieces.pause);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn echo() -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut bytes = [0; 64];
            while let Ok(n @ 1..) = stream.read(&mut bytes) {
                let _ = stream.write_all(&bytes[..n]);
            }
        });
        port
    }

    fn client(relay: &SlowRelay) -> TcpStream {
        let client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
        client.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        client
    }

    #[test]
    fn passes_everything_in_pieces() {
        let relay = SlowRelay::start(echo(), Pieces { bytes: 3, pause: Duration::from_millis(5) });
        let mut client = client(&relay);
        client.write_all(b"hello over there").unwrap();
        let (mut all, mut n_reads, mut bytes) = (Vec::new(), 0, [0; 64]);
        while all.len() < 16 {
            let n = client.read(&mut bytes).unwrap();
            all.extend_from_slice(&bytes[..n]);
            n_reads += 1;
        }
        assert_eq!((all.as_slice(), relay.n_connections()), (&b"hello over there"[..], 1));
        assert!(n_reads > 2, "{n_reads} reads");
    }

    #[test]
    fn holds_everything_back() {
        let relay = SlowRelay::start(echo(), Pieces { bytes: 64, pause: Duration::ZERO });
        let mut client = client(&relay);
        client.write_all(b"a").unwrap();
        client.read_exact(&mut [0]).unwrap();
        relay.hold();
        client.write_all(b"b").unwrap();
        assert!(client.read(&mut [0]).is_err(), "something came through, or it was closed");
    }
}
