//! Gives each connection a fate of its own by its number, for servers of any protocol: it passes, is cut or stalls after some bytes of
//! the server, or is answered by HTTP's 503.

use super::{Direction, Policy, Proxy};
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Everything passes.
    Pass,
    /// The first request is answered by 503, and the connection is closed.
    Busy,
    /// It is closed when so many bytes of the server have passed.
    CutAfter(u64),
    /// Nothing passes any more when so many bytes of the server have passed.
    StallAfter(u64),
}

/// A proxy with fates.
pub type FateRelay = Proxy<Fates>;

/// Which fate each connection has.
#[derive(Debug)]
pub struct Fates {
    of: fn(u64) -> Fate,
    n_connections: AtomicU64,
    is_over: AtomicBool,
}

impl FateRelay {
    /// Starts one to a server on the loopback address. `of` decides about a connection by its number, from 0.
    pub fn start(server_port: u16, of: fn(u64) -> Fate) -> Self {
        Self::with_policy(server_port, Fates { of, n_connections: AtomicU64::new(0), is_over: AtomicBool::new(false) })
    }

    /// How many connections came.
    pub fn n_connections(&self) -> u64 {
        self.policy.n_connections.load(Ordering::SeqCst)
    }
}

impl Policy for Fates {
    type Connection = Fate;

    fn begin(&self) -> Fate {
        (self.of)(self.n_connections.fetch_add(1, Ordering::SeqCst))
    }

    fn pass(&self, fate: &Fate, direction: Direction, mut from: TcpStream, mut to: TcpStream) {
        let _ = match (*fate, direction) {
            (Fate::Busy, Direction::Up) => refuse(&mut from),
            // The other direction answers, and closes.
            (Fate::Busy, Direction::Down) => return,
            (Fate::CutAfter(n), Direction::Down) => io::copy(&mut (&mut from).take(n), &mut to).map(drop),
            (Fate::StallAfter(n), Direction::Down) => {
                io::copy(&mut (&mut from).take(n), &mut to).map(|_| self.wait_for_the_end())
            }
            (_, _) => io::copy(&mut from, &mut to).map(drop),
        };
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }

    /// Connections that stall end with the proxy.
    fn end(&self) {
        self.is_over.store(true, Ordering::SeqCst);
    }
}

impl Fates {
    fn wait_for_the_end(&self) {
        while !self.is_over.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn refuse(client: &mut TcpStream) -> io::Result<()> {
    // The beginning of a request is enough.
    let _ = client.read(&mut [0; 64 << 10])?;
    client.write_all(b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")?;
    client.shutdown(Shutdown::Write)?;
    // Closed at once, what is still on its way would make a reset of the answer.
    io::copy(client, &mut io::sink()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::cut::tests::server;
    use super::*;

    #[test]
    fn each_connection_has_its_own() {
        for (of, answers) in [
            ((|_| Fate::Pass) as fn(u64) -> Fate, "k"),
            (|_| Fate::CutAfter(0), ""),
            (|_| Fate::Busy, "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"),
        ] {
            let (port, _server) = server();
            let relay = FateRelay::start(port, of);
            let mut client = TcpStream::connect(("127.0.0.1", relay.port())).unwrap();
            client.write_all(b"hello").unwrap();
            let mut answer = vec![0; answers.len()];
            client.read_exact(&mut answer).unwrap();
            assert_eq!(String::from_utf8(answer).unwrap(), answers);
            if answers != "k" {
                assert!(!matches!(client.read(&mut [0]), Ok(1..)), "it is closed");
            }
            assert_eq!(relay.n_connections(), 1);
        }
    }
}
