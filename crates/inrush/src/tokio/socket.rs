//! Waiting for one socket by tokio's readiness, and connecting it within a deadline.

use crate::net::Link;
use crate::net::dial::{self, Started, Targets};
use crate::{Config, Error, Result};
use ::tokio::io::{AsyncRead as _, AsyncWrite as _, ReadBuf};
use ::tokio::net::{TcpStream, UnixStream};
use ::tokio::task;
use ::tokio::time::{Instant, sleep, timeout_at};
use socket2::{Domain, SockAddr, SockRef};
use std::future::poll_fn;
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A socket that is registered with tokio's reactor.
pub(crate) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// Connects to the first of the server's addresses that answers.
pub(super) async fn connect(config: &Config, deadline: std::time::Instant) -> Result<Socket> {
    let mut targets = match Targets::direct(config)? {
        Some(targets) => targets,
        None => look_up(config, deadline.into()).await?,
    };
    let mut last = dial::timed_out();
    for (address, until) in targets.shares(config, deadline) {
        match connect_one(address, config, until.into()).await {
            Ok(socket) => return Ok(socket),
            Err(e) => {
                dial::skip_for_a_while(address, config);
                last = e;
            }
        }
    }
    Err(dial::failed(config, last))
}

/// Writes what can be written, else reads what has arrived; waits until one of both happened. `Ok(false)`: the deadline passed.
///
/// Writing comes first: a request that the socket takes at once needs no reading before it, so an exchange is one write and one
/// read. While the socket does not take bytes, reading is possible, so data moves in both directions.
pub(super) async fn exchange(
    socket: &mut Socket,
    link: &mut Link,
    deadline: Option<std::time::Instant>,
) -> Result<bool> {
    let moved = poll_fn(|cx| {
        let mut io = Polled { socket, cx };
        let moved = match link.interest().write {
            true => link.write_some_to(&mut io).and_then(|written| Ok(written || link.fill_from(&mut io)?)),
            false => link.fill_from(&mut io),
        };
        match moved {
            // The direction that was not ready wakes this task.
            Ok(false) => Poll::Pending,
            Ok(true) => Poll::Ready(Ok(())),
            Err(error) => Poll::Ready(Err(error)),
        }
    });
    match deadline {
        None => moved.await.map(|()| true),
        Some(deadline) => timeout_at(deadline.into(), moved).await.map_or(Ok(false), |moved| moved.map(|()| true)),
    }
}

/// A socket within one poll of a task. It wakes the task for what it cannot do now.
struct Polled<'a, 'c> {
    socket: &'a mut Socket,
    cx: &'a mut Context<'c>,
}

impl Read for Polled<'_, '_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let mut space = ReadBuf::new(space);
        // Not `try_read`: after a short read, this one knows that nothing is left, and saves the call that would report it.
        let done = match self.socket {
            Socket::Tcp(stream) => Pin::new(stream).poll_read(self.cx, &mut space),
            Socket::Unix(stream) => Pin::new(stream).poll_read(self.cx, &mut space),
        };
        ready(done)?;
        Ok(space.filled().len())
    }
}

impl Write for Polled<'_, '_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        ready(match self.socket {
            Socket::Tcp(stream) => Pin::new(stream).poll_write(self.cx, bytes),
            Socket::Unix(stream) => Pin::new(stream).poll_write(self.cx, bytes),
        })
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        ready(match self.socket {
            Socket::Tcp(stream) => Pin::new(stream).poll_write_vectored(self.cx, slices),
            Socket::Unix(stream) => Pin::new(stream).poll_write_vectored(self.cx, slices),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn ready<T>(poll: Poll<io::Result<T>>) -> io::Result<T> {
    match poll {
        Poll::Ready(done) => done,
        Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
    }
}

impl Socket {
    /// Registers a non-blocking socket with the reactor.
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

    /// For calls that do not wait.
    pub(super) fn now(&self) -> &Self {
        self
    }

    /// Closes the connection after an error that ended it, at once: the server stops working for a client that is gone. Returns the error.
    pub(super) fn close(&self, error: Error) -> Error {
        let _ = self.options().shutdown(Shutdown::Both);
        error
    }

    async fn writable(&self) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.writable().await,
            Self::Unix(stream) => stream.writable().await,
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

/// The system's resolver blocks, so it runs on a thread for blocking calls.
async fn look_up(config: &Config, deadline: Instant) -> Result<Targets> {
    let (host, port) = (config.host.clone(), config.port);
    let answer = timeout_at(deadline, task::spawn_blocking(move || Targets::look_up(&host, port))).await;
    match answer {
        Ok(Ok(targets)) => targets,
        Ok(Err(e)) => Err(Error::io("cannot ask the name service", io::Error::other(e))),
        Err(_) => Err(dial::name_not_found_in_time(config)),
    }
}

async fn connect_one(address: &SockAddr, config: &Config, until: Instant) -> io::Result<Socket> {
    loop {
        match dial::start(address, config)? {
            Started::InProgress(socket) => {
                let socket = Socket::new(socket)?;
                timeout_at(until, socket.writable()).await.map_err(|_| dial::timed_out())??;
                dial::finish(&socket.options())?;
                return Ok(socket);
            }
            Started::Busy if Instant::now() < until => sleep(dial::BUSY_PAUSE).await,
            Started::Busy => return Err(dial::timed_out()),
        }
    }
}
