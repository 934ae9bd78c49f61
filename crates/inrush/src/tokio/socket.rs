//! Waiting for one socket by tokio's readiness, and connecting it within a deadline.

use crate::net::Ready;
use crate::net::dial::{self, Started, Targets};
use crate::{Config, Error, Kind, Result};
use ::tokio::io::Interest;
use ::tokio::net::{TcpStream, UnixStream};
use ::tokio::task;
use ::tokio::time::{Instant, sleep, timeout_at};
use socket2::{Domain, SockAddr, SockRef};
use std::io::{self, IoSlice, Read, Write};

/// A socket in the hands of tokio's reactor.
pub(crate) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Connects to the first of the server's addresses that answers.
pub(super) async fn connect(config: &Config, deadline: Instant) -> Result<Socket> {
    let targets = match Targets::direct(config)? {
        Some(targets) => targets,
        None => look_up(config, deadline).await?,
    };
    let mut last = dial::timed_out();
    for (address, until) in targets.shares(deadline.into_std()) {
        match connect_one(address, config, until.into()).await {
            Ok(socket) => return Ok(socket),
            Err(e) => last = e,
        }
    }
    Err(dial::failed(config, last))
}

/// Waits until `socket` is ready for `interest`. `Ok(None)`: the deadline passed.
pub(super) async fn wait(
    socket: &Socket,
    interest: Ready,
    deadline: Option<std::time::Instant>,
) -> io::Result<Option<Ready>> {
    // A socket that is always ready would keep the other tasks of this thread from running.
    task::coop::consume_budget().await;
    let wanted = match (interest.read, interest.write) {
        (true, true) => Interest::READABLE | Interest::WRITABLE,
        (_, false) => Interest::READABLE,
        (false, true) => Interest::WRITABLE,
    };
    let came = match deadline {
        None => socket.ready(wanted).await?,
        Some(deadline) => match timeout_at(deadline.into(), socket.ready(wanted)).await {
            Ok(came) => came?,
            Err(_) => return Ok(None),
        },
    };
    let over = came.is_error() || came.is_read_closed() || came.is_write_closed();
    Ok(Some(Ready {
        read: interest.read && (over || came.is_readable()),
        write: interest.write && (over || came.is_writable()),
    }))
}

impl Socket {
    /// Hands a non-blocking socket to the reactor.
    pub(crate) fn new(socket: socket2::Socket) -> io::Result<Self> {
        match socket.domain()? {
            Domain::UNIX => UnixStream::from_std(socket.into()).map(Self::Unix),
            _ => TcpStream::from_std(socket.into()).map(Self::Tcp),
        }
    }

    /// The socket itself, for its options.
    pub(super) fn options(&self) -> SockRef<'_> {
        match self {
            Self::Tcp(stream) => SockRef::from(stream),
            Self::Unix(stream) => SockRef::from(stream),
        }
    }

    async fn ready(&self, wanted: Interest) -> io::Result<::tokio::io::Ready> {
        match self {
            Self::Tcp(stream) => stream.ready(wanted).await,
            Self::Unix(stream) => stream.ready(wanted).await,
        }
    }
}

impl Read for &Socket {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.try_read(space),
            Socket::Unix(stream) => stream.try_read(space),
        }
    }
}

impl Write for &Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.try_write(bytes),
            Socket::Unix(stream) => stream.try_write(bytes),
        }
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Socket::Tcp(stream) => stream.try_write_vectored(slices),
            Socket::Unix(stream) => stream.try_write_vectored(slices),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The system's resolver blocks, so it runs beside.
async fn look_up(config: &Config, deadline: Instant) -> Result<Targets> {
    let (host, port) = (config.host.clone(), config.port);
    let answer = timeout_at(deadline, task::spawn_blocking(move || Targets::look_up(&host, port))).await;
    match answer {
        Ok(Ok(targets)) => targets,
        Ok(Err(e)) => Err(Error::io("cannot ask the name service", io::Error::other(e))),
        Err(_) => Err(Error::new(
            Kind::Io,
            format!("the name service did not find `{}` within the connect time-out", config.host),
        )),
    }
}

async fn connect_one(address: &SockAddr, config: &Config, until: Instant) -> io::Result<Socket> {
    loop {
        match dial::start(address, config)? {
            Started::InProgress(socket) => {
                let socket = Socket::new(socket)?;
                let writable = Ready { read: false, write: true };
                wait(&socket, writable, Some(until.into_std())).await?.ok_or_else(dial::timed_out)?;
                dial::finish(&socket.options())?;
                return Ok(socket);
            }
            Started::Busy if Instant::now() < until => sleep(dial::BUSY_PAUSE).await,
            Started::Busy => return Err(dial::timed_out()),
        }
    }
}
