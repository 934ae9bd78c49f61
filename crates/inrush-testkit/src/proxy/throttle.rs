//! Passes bytes in small pieces with pauses, or holds all of them back: so that a client waits in as many places as there are, or for
//! ever.

use super::{Direction, Policy, Proxy};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
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

/// A proxy that throttles.
pub type SlowRelay = Proxy<Throttle>;

/// How bytes pass at the moment.
#[derive(Debug)]
pub struct Throttle {
    pieces: Mutex<Pieces>,
    is_held: AtomicBool,
    is_over: AtomicBool,
    n_connections: AtomicU64,
    n_pieces: AtomicU64,
}

impl SlowRelay {
    /// Starts one to a server on the loopback address.
    pub fn start(server_port: u16, pieces: Pieces) -> Self {
        let policy = Throttle {
            pieces: Mutex::new(pieces),
            is_held: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            n_connections: AtomicU64::new(0),
            n_pieces: AtomicU64::new(0),
        };
        Self::with_policy(server_port, policy)
    }

    /// How many connections came.
    pub fn n_connections(&self) -> u64 {
        self.policy.n_connections.load(Ordering::SeqCst)
    }

    /// How many pieces have passed, in both directions.
    pub fn n_pieces(&self) -> u64 {
        self.policy.n_pieces.load(Ordering::SeqCst)
    }

    /// From now on bytes pass like this.
    pub fn pass_in(&self, pieces: Pieces) {
        *self.policy.pieces.lock().expect("no thread panics while it holds this lock") = pieces;
    }

    /// From now on nothing passes, and nothing is closed: the network swallows everything.
    pub fn hold(&self) {
        self.policy.is_held.store(true, Ordering::SeqCst);
    }
}

impl Policy for Throttle {
    type Connection = ();

    fn begin(&self) {
        self.n_connections.fetch_add(1, Ordering::SeqCst);
    }

    fn pass(&self, (): &(), _: Direction, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = vec![0; 64 << 10];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            if !self.pass_on(&bytes[..n], &mut to) {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    }

    /// Connections end with the proxy, also those that are held.
    fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

impl Throttle {
    /// Returns `false` if the receiver is gone.
    fn pass_on(&self, mut rest: &[u8], to: &mut TcpStream) -> bool {
        while !rest.is_empty() {
            while self.is_held.load(Ordering::SeqCst) && !self.is_over.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(2));
            }
            let pieces = *self.pieces.lock().expect("no thread panics while it holds this lock");
            let (piece, others) = rest.split_at(pieces.bytes.clamp(1, rest.len()));
            // Counted before it arrives, so that once all bytes have arrived, all pieces are counted.
            self.n_pieces.fetch_add(1, Ordering::SeqCst);
            if self.is_over.load(Ordering::SeqCst) || to.write_all(piece).is_err() {
                return false;
            }
            rest = others;
            if !pieces.pause.is_zero() {
                thread::sleep(pieces.pause);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::patience::patience;
    use std::net::TcpListener;

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
        client.set_read_timeout(Some(patience())).unwrap();
        client
    }

    #[test]
    fn passes_everything_in_pieces() {
        let relay = SlowRelay::start(echo(), Pieces { bytes: 3, pause: Duration::from_millis(5) });
        let (mut client, mut came) = (client(&relay), [0; 16]);
        client.write_all(b"hello over there").unwrap();
        client.read_exact(&mut came).unwrap();
        assert_eq!((&came, relay.n_connections()), (b"hello over there", 1));
        // Sixteen bytes there and back, three at a time.
        assert!(relay.n_pieces() >= 12, "{} pieces", relay.n_pieces());
    }

    #[test]
    fn holds_everything_back() {
        let relay = SlowRelay::start(echo(), Pieces { bytes: 64, pause: Duration::ZERO });
        let mut client = client(&relay);
        client.write_all(b"a").unwrap();
        client.read_exact(&mut [0]).unwrap();
        relay.hold();
        client.write_all(b"b").unwrap();
        client.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        assert!(client.read(&mut [0]).is_err(), "something came through, or it was closed");
    }
}
