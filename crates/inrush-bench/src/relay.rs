//! A relay in front of a server that adds latency: every byte arrives half a round trip after it was sent, in order, in both directions,
//! while others follow it. It listens as the server does, on a Unix socket or on a loopback port, so that a client behaves in the same
//! way with and without it.
//!
//! Two threads a direction: one notes when bytes came, the other sends them on when they are due, which [`schedule`] decides.

mod schedule;

pub use schedule::Link;

use inrush::Config;
use inrush::sans_io::{Error, Result};
use schedule::{Flow, Wire};
use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::num::NonZeroU64;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

/// A listening address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// A host and a port.
    Tcp(String, u16),
    /// A Unix socket.
    Unix(PathBuf),
}

/// A relay. After it is dropped it passes no new connection on; existing connections continue.
#[derive(Debug)]
pub struct Relay {
    listens: Address,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Address {
    /// The server's.
    pub fn of(config: &Config) -> Self {
        match config.socket() {
            Some(path) if config.uses_socket() => Address::Unix(path.into()),
            _ => Address::Tcp(config.host().into(), config.port()),
        }
    }

    fn connect(&self) -> io::Result<Stream> {
        match self {
            Address::Tcp(host, port) => {
                let stream = TcpStream::connect((host.as_str(), *port))?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            Address::Unix(path) => UnixStream::connect(path).map(Stream::Unix),
        }
    }
}

impl Relay {
    /// Starts one to this server.
    ///
    /// # Errors
    /// `Io` if the relay cannot listen.
    pub fn start(server: Address, link: &Link) -> Result<Self> {
        let cannot = |e| Error::io("the relay cannot listen", e);
        let listener = Listener::beside(&server).map_err(cannot)?;
        let listens = listener.address().map_err(cannot)?;
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, link) = (Arc::clone(&is_over), link.clone());
        let thread = thread::spawn(move || {
            let (up, down) = (Arc::new(Mutex::new(link.wire())), Arc::new(Mutex::new(link.wire())));
            for number in 0_u64.. {
                let client = listener.accept();
                if over.load(Relaxed) {
                    return;
                }
                // A client whose server does not answer finds its connection closed.
                if let (Ok(client), Ok(there)) = (client, server.connect()) {
                    let _ = join(client, there, |is_up| {
                        let wire = if is_up { &up } else { &down };
                        Passage {
                            wire: Arc::clone(wire),
                            flow: link.flow(2 * number + u64::from(is_up)),
                            link: link.clone(),
                        }
                    });
                }
            }
        });
        Ok(Self { listens, is_over, thread: Some(thread) })
    }

    /// Where it listens.
    pub fn address(&self) -> &Address {
        &self.listens
    }

    /// The configuration that connects to the server through the relay.
    pub fn config(&self, config: &Config) -> Config {
        match &self.listens {
            Address::Tcp(host, port) => config.clone().with_host(host).with_port(*port),
            Address::Unix(path) => config.clone().with_socket(path),
        }
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Relaxed);
        // Wakes the thread that listens.
        let woken = self.listens.connect();
        if let (Ok(_), Some(thread)) = (woken, self.thread.take()) {
            let _ = thread.join();
        }
        if let Address::Unix(path) = &self.listens {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// One direction of one connection.
struct Passage {
    /// The wire, which all connections share.
    wire: Arc<Mutex<Wire>>,
    flow: Flow,
    link: Link,
}

/// Passes on what comes, in both directions, until both have ended.
fn join(client: Stream, server: Stream, passage: impl Fn(bool) -> Passage) -> io::Result<()> {
    let (from_client, from_server) = (client.try_clone()?, server.try_clone()?);
    let (up, down) = (passage(true), passage(false));
    thread::spawn(move || up.pass(from_client, server));
    thread::spawn(move || down.pass(from_server, client));
    Ok(())
}

impl Passage {
    fn pass(self, from: Stream, to: Stream) {
        match self.link.is_none() {
            true => self.pass_at_once(from, to),
            false => self.pass_when_due(from, to),
        }
    }

    fn pass_at_once(&self, mut from: Stream, mut to: Stream) {
        let mut bytes = vec![0; self.link.piece()];
        while let Ok(n @ 1..) = from.read(&mut bytes) {
            if to.write_all(&bytes[..n]).is_err() {
                from.shutdown(Shutdown::Read);
                break;
            }
        }
        to.shutdown(Shutdown::Write);
    }

    fn pass_when_due(mut self, mut from: Stream, to: Stream) {
        let queue = Arc::new(Queue::default());
        let (behind, end) = (Arc::clone(&queue), from.try_clone());
        thread::spawn(move || behind.drain(to, end));
        let mut bytes = vec![0; self.link.piece()];
        loop {
            let n = from.read(&mut bytes).unwrap_or(0);
            let sent = self.wire.lock().unwrap_or_else(PoisonError::into_inner).sent(Instant::now(), n);
            // The end of one direction is delayed as well.
            if !queue.push(self.flow.due(sent), &bytes[..n]) || n == 0 {
                return;
            }
        }
    }
}

/// Bytes in transit, in order; an empty piece marks the end.
#[derive(Debug, Default)]
struct Queue {
    inside: Mutex<Inside>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inside {
    pieces: VecDeque<(Instant, Vec<u8>)>,
    bytes: usize,
    /// The other side is closed.
    is_broken: bool,
}

impl Queue {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.inside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False: the receiver is closed.
    fn push(&self, due: Instant, bytes: &[u8]) -> bool {
        let is_full = |inside: &mut Inside| inside.bytes > MOST_BYTES && !inside.is_broken;
        let waited = self.changed.wait_while(self.inside(), is_full);
        let mut inside = waited.unwrap_or_else(PoisonError::into_inner);
        inside.bytes += bytes.len();
        inside.pieces.push_back((due, bytes.to_vec()));
        self.changed.notify_all();
        !inside.is_broken
    }

    fn pop(&self) -> Option<(Instant, Vec<u8>)> {
        let waited = self.changed.wait_while(self.inside(), |inside| inside.pieces.is_empty());
        let mut inside = waited.unwrap_or_else(PoisonError::into_inner);
        let piece = inside.pieces.pop_front()?;
        inside.bytes -= piece.1.len();
        self.changed.notify_all();
        Some(piece)
    }

    /// Sends all bytes on when they are due.
    fn drain(&self, mut to: Stream, from: io::Result<Stream>) {
        // By default a thread wakes up to 50 us late: much for a round trip of half a millisecond.
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        while let Some((due, bytes)) = self.pop() {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            if bytes.is_empty() || to.write_all(&bytes).is_err() {
                break;
            }
        }
        to.shutdown(Shutdown::Write);
        self.inside().is_broken = true;
        self.changed.notify_all();
        if let Ok(from) = from {
            from.shutdown(Shutdown::Read);
        }
    }
}

/// More bytes than are in transit on a link of 30 ms and 10 Gbit/s. Further bytes wait at the sender, as with a full window.
const MOST_BYTES: usize = 48 << 20;

enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// A listener of the same kind as the server's address.
    fn beside(server: &Address) -> io::Result<Self> {
        match server {
            Address::Tcp(..) => TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map(Listener::Tcp),
            Address::Unix(_) => {
                static NUMBER: AtomicU64 = AtomicU64::new(0);
                let name = format!("inrush-relay-{}-{}.sock", std::process::id(), NUMBER.fetch_add(1, Relaxed));
                let path = std::env::temp_dir().join(name);
                // A socket of an earlier process with this process id.
                let _ = std::fs::remove_file(&path);
                Ok(Listener::Unix(UnixListener::bind(&path)?, path))
            }
        }
    }

    fn address(&self) -> io::Result<Address> {
        match self {
            Listener::Tcp(listener) => {
                let address = listener.local_addr()?;
                Ok(Address::Tcp(address.ip().to_string(), address.port()))
            }
            Listener::Unix(_, path) => Ok(Address::Unix(Path::to_path_buf(path))),
        }
    }

    fn accept(&self) -> io::Result<Stream> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                Ok(Stream::Tcp(stream))
            }
            Listener::Unix(listener, _) => Ok(Stream::Unix(listener.accept()?.0)),
        }
    }
}

enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    fn try_clone(&self) -> io::Result<Self> {
        match self {
            Stream::Tcp(stream) => stream.try_clone().map(Stream::Tcp),
            Stream::Unix(stream) => stream.try_clone().map(Stream::Unix),
        }
    }

    /// Ignores an error: the stream may be closed already.
    fn shutdown(&self, how: Shutdown) {
        let _ = match self {
            Stream::Tcp(stream) => stream.shutdown(how),
            Stream::Unix(stream) => stream.shutdown(how),
        };
    }
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.read(bytes),
            Stream::Unix(stream) => stream.read(bytes),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Tcp(stream) => stream.write(bytes),
            Stream::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
