//! Opening a socket without ever blocking: look the name up, try each address, report the error.
//!
//! The waiting is the shell's: [`start`] begins to connect, the shell waits until the socket is writable, [`finish`] returns
//! the result. Each address gets an even share of the time that is left, so that one that drops all packets
//! does not keep us from the next.

use crate::{Config, Error, Kind, Reason, Result};
use socket2::{Domain, SockAddr, SockRef, Socket, TcpKeepalive, Type};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::time::{Duration, Instant};

/// Where to connect to, in the order in which to try.
pub(crate) struct Targets(Vec<SockAddr>);

/// A connection attempt.
pub(crate) enum Started {
    /// Wait until it is writable, then call [`finish`].
    InProgress(Socket),
    /// A Unix socket with a full queue. No event reports when it empties: try again a little later.
    Busy,
}

impl Targets {
    /// The targets that need no look-up: a Unix socket, or a host that is an address. `None`: use [`look_up`].
    pub(crate) fn direct(config: &Config) -> Result<Option<Self>> {
        if let Some(path) = &config.socket {
            let address = SockAddr::unix(path)
                .map_err(|e| Error::io(format!("`{}` cannot be a Unix socket", path.display()), e))?;
            return Ok(Some(Self(vec![address])));
        }
        if let Some(address) = config.hosts.address {
            return Ok(Some(Self(vec![address.into()])));
        }
        let address = config.host.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, config.port));
        Ok(address.map(|address| Self(vec![address.into()])))
    }

    /// Looks the host up. Blocks for as long as the system's resolver takes: run it on another thread, with a time-out.
    pub(crate) fn look_up(host: &str, port: u16) -> Result<Self> {
        let cannot = |e| {
            Error::io(format!("cannot find the host `{host}`"), e)
                .because(Reason::ConnectionRefused)
                .with_hint("check its spelling and the name service")
        };
        let found: Vec<_> = (host, port).to_socket_addrs().map_err(cannot)?.map(SockAddr::from).collect();
        match found.is_empty() {
            true => {
                let error = Error::new(Kind::Io, format!("the host `{host}` has no address"));
                Err(error.because(Reason::ConnectionRefused))
            }
            false => Ok(Self(found)),
        }
    }

    /// The targets, each with the share of the time it gets. Those that failed lately come last.
    pub(crate) fn shares(&mut self, config: &Config, deadline: Instant) -> impl Iterator<Item = (&SockAddr, Instant)> {
        config.hosts.move_failed_last(&mut self.0, named);
        let n = self.0.len();
        self.0.iter().enumerate().map(move |(idx, address)| (address, config.share(deadline, n - idx)))
    }
}

/// Begins to connect.
pub(crate) fn start(address: &SockAddr, config: &Config) -> io::Result<Started> {
    let socket = Socket::new(address.domain(), Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    if let Some(bytes) = config.socket_buffers {
        // Before connecting: the TCP window is agreed on then.
        socket.set_recv_buffer_size(bytes)?;
        socket.set_send_buffer_size(bytes)?;
    }
    if address.domain() != Domain::UNIX {
        tune_tcp(&socket, config)?;
    }
    match socket.connect(address) {
        Ok(()) => Ok(Started::InProgress(socket)),
        Err(e) if e.raw_os_error() == Some(IN_PROGRESS) => Ok(Started::InProgress(socket)),
        Err(e) if e.kind() == io::ErrorKind::WouldBlock => Ok(Started::Busy),
        Err(e) => Err(e),
    }
}

/// An attempt to reach this address failed: the next connection tries the other addresses of the name first.
pub(crate) fn skip_for_a_while(address: &SockAddr, config: &Config) {
    config.hosts.failed(&named(address));
}

/// The address as a text.
fn named(address: &SockAddr) -> String {
    address.as_socket().map_or_else(String::new, |address| address.to_string())
}

/// The address of the server at the other end. `None` for a Unix socket.
pub(crate) fn peer(socket: &SockRef<'_>) -> Option<SocketAddr> {
    socket.peer_addr().ok()?.as_socket()
}

/// The result of the attempt, once the socket is writable.
pub(crate) fn finish(socket: &SockRef<'_>) -> io::Result<()> {
    match socket.take_error()? {
        Some(error) => Err(error),
        // Writable without an error and without a peer: it was closed at once.
        None => socket.peer_addr().map(drop),
    }
}

/// The error after the last target failed.
pub(crate) fn failed(config: &Config, last: io::Error) -> Error {
    let hint = match (last.kind(), &config.socket) {
        (io::ErrorKind::NotFound, Some(_)) => "is the server running, and is this the socket it was started with?",
        (io::ErrorKind::ConnectionRefused, _) => "is the server running, and does it listen there?",
        (io::ErrorKind::PermissionDenied, _) => "this user may not open the socket",
        (io::ErrorKind::TimedOut, _) => "a firewall may swallow the packets; `connect-timeout` gives it more time",
        _ => "check host and port",
    };
    let is_late = last.kind() == io::ErrorKind::TimedOut;
    // The user's own mistake, which another attempt does not solve.
    let may_pass = last.kind() != io::ErrorKind::PermissionDenied;
    let error = Error::io(format!("cannot connect to `{}`", config.address()), last).with_hint(hint);
    let error = if may_pass { error.because(Reason::ConnectionRefused) } else { error };
    if is_late { error.timed_out() } else { error }
}

/// The error of a look-up that took too long.
pub(crate) fn name_not_found_in_time(config: &Config) -> Error {
    let message = format!("the name service did not find `{}` within the connect time-out", config.host);
    Error::new(Kind::Io, message).because(Reason::ConnectionRefused).timed_out().not_fatal()
}

/// The time-out of one attempt, in the words of the system.
pub(crate) fn timed_out() -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, "no answer within the connect time-out")
}

fn tune_tcp(socket: &Socket, config: &Config) -> io::Result<()> {
    // A command is written at once and whole: waiting for more bytes to send only costs a round trip.
    socket.set_tcp_nodelay(true)?;
    if let Some(idle) = config.keep_alive {
        let probes = TcpKeepalive::new().with_time(idle).with_interval(PROBE_INTERVAL).with_retries(PROBES);
        socket.set_tcp_keepalive(&probes)?;
    }
    Ok(())
}

/// How long to wait before trying a Unix socket with a full queue again.
pub(crate) const BUSY_PAUSE: Duration = Duration::from_millis(10);
const IN_PROGRESS: i32 = rustix::io::Errno::INPROGRESS.raw_os_error();
/// With the default of 60 s of silence before the first probe, a dead host is noticed after two minutes.
const PROBE_INTERVAL: Duration = Duration::from_secs(10);
const PROBES: u32 = 6;
