//! A port on which no program listens, and none begins to: tests that run at the same time get their ports from the same system.

use std::net::{Ipv4Addr, TcpListener, TcpStream};

/// A port of 127.0.0.1 that refuses connections for as long as the value lives.
#[derive(Debug)]
pub struct ClosedPort {
    /// A client's end of a connection has the port to itself, and does not listen.
    client: TcpStream,
    _listener: TcpListener,
}

impl ClosedPort {
    /// Takes one.
    ///
    /// # Panics
    /// If this machine has none.
    #[expect(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        let connected = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|listener| {
            let client = TcpStream::connect(listener.local_addr()?)?;
            Ok(Self { client, _listener: listener })
        });
        connected.unwrap_or_else(|error| panic!("no connection within this machine: {error}"))
    }

    /// Its number.
    ///
    /// # Panics
    /// If the system does not know it.
    pub fn number(&self) -> u16 {
        self.client.local_addr().unwrap_or_else(|error| panic!("a connection without an address: {error}")).port()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_there_and_nobody_comes() {
        let closed = ClosedPort::new();
        let address = (Ipv4Addr::LOCALHOST, closed.number());
        assert!(TcpStream::connect(address).is_err() && TcpListener::bind(address).is_err());
    }
}
