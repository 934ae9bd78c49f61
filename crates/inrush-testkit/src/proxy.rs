//! A proxy in front of a real server: what connects to it reaches the server, as far as the proxy's policy lets it.
//!
//! The proxy listens, connects, and starts a thread for each direction of a connection. A [`Policy`] passes the bytes:
//!
//! | policy | |
//! |---|---|
//! | [`fates`] | cuts, stalls, or answers by 503, each connection by its number |
//! | [`cut`] | cuts every connection at a chosen moment: after bytes, at a COMMIT, a write, a ROLLBACK |
//! | [`faults`] | makes one fault after the other: cuts, stalls, lost and late packets |
//! | [`throttle`] | passes bytes in small pieces with pauses, or holds all of them back |
//!
//! `inrush bench rtt` has a relay of its own (`inrush-bench`): it delays by a schedule, over Unix sockets as well, and is a part of the
//! product, which no tool of tests may be.

pub mod cut;
pub mod fates;
pub mod faults;
mod packets;
pub mod throttle;

use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

/// How bytes pass.
pub trait Policy: Send + Sync + 'static {
    /// What both directions of a connection know of it.
    type Connection: Send + Sync + 'static;

    /// What happens to a new connection.
    fn admit(&self) -> Admission {
        Admission::Through
    }

    /// Both directions of a new connection are about to run.
    fn begin(&self) -> Self::Connection;

    /// Passes the bytes of one direction until it ends.
    fn pass(&self, connection: &Self::Connection, direction: Direction, from: TcpStream, to: TcpStream);

    /// The proxy is dropped.
    fn end(&self) {}
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It reaches the server.
    Through,
    /// It is closed.
    Refused,
    /// It stays open, and nothing is ever sent to it.
    Ignored,
}

/// Where bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the server.
    Up,
    /// To the client.
    Down,
}

/// A proxy on a loopback port of its own; it accepts no new connection once the value is dropped.
#[derive(Debug)]
pub struct Proxy<P: Policy> {
    port: u16,
    policy: Arc<P>,
    is_over: Arc<AtomicBool>,
}

impl<P: Policy> Proxy<P> {
    /// Starts one to a server on the loopback address.
    fn with_policy(server_port: u16, policy: P) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a loopback port is free");
        let port = listener.local_addr().expect("a bound socket has an address").port();
        let (policy, is_over) = (Arc::new(policy), Arc::new(AtomicBool::new(false)));
        let (shared, over) = (policy.clone(), is_over.clone());
        thread::spawn(move || {
            let mut ignored = Vec::new();
            for client in listener.incoming().flatten() {
                if over.load(SeqCst) {
                    return;
                }
                match shared.admit() {
                    // A server that is not there refuses: the proxy does so by closing.
                    Admission::Through => {
                        if let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)) {
                            join(&shared, client, server);
                        }
                    }
                    Admission::Refused => {}
                    Admission::Ignored => ignored.push(client),
                }
            }
        });
        Self { port, policy, is_over }
    }

    /// The port on 127.0.0.1 to connect to.
    pub fn port(&self) -> u16 {
        self.port
    }
}

impl<P: Policy> Drop for Proxy<P> {
    fn drop(&mut self) {
        self.is_over.store(true, SeqCst);
        self.policy.end();
        // Wakes the thread that listens.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// A thread for each direction.
fn join<P: Policy>(policy: &Arc<P>, client: TcpStream, server: TcpStream) {
    let clone = |stream: &TcpStream| stream.try_clone().expect("a descriptor is free");
    // Each piece is to arrive by itself. A connection that is closed already is passed on all the same: both sides learn of its end.
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let connection = Arc::new(policy.begin());
    let (from_server, to_client) = (clone(&server), clone(&client));
    let (down, of_down) = (policy.clone(), connection.clone());
    thread::spawn(move || down.pass(&of_down, Direction::Down, from_server, to_client));
    let up = policy.clone();
    thread::spawn(move || up.pass(&connection, Direction::Up, client, server));
}
