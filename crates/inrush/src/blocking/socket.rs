//! Waiting for one socket with `poll`, and connecting it within a deadline.

use crate::net::dial::{self, Started, Targets};
use crate::net::{Link, Ready};
use crate::{Config, Error, Kind, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use socket2::{SockAddr, SockRef};
use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// A connected socket that blocks, and that another thread may close.
pub(crate) struct Socket(Arc<Wire>);

/// Ends a connection from another thread, at once, whatever it is doing. Cheap to clone.
#[derive(Clone)]
pub struct Aborter(Weak<Wire>);

struct Wire {
    socket: socket2::Socket,
    aborted: AtomicBool,
}

impl Socket {
    pub(crate) fn new(socket: socket2::Socket) -> Self {
        Self(Arc::new(Wire { socket, aborted: AtomicBool::new(false) }))
    }

    /// The socket itself, for its options.
    pub(super) fn options(&self) -> SockRef<'_> {
        SockRef::from(&self.0.socket)
    }

    /// For calls that do not wait.
    pub(super) fn now(&self) -> Direct<'_> {
        Direct::now(&self.0.socket)
    }

    pub(super) fn aborter(&self) -> Aborter {
        Aborter(Arc::downgrade(&self.0))
    }

    /// Closes the connection after an error that ended it, at once: the server stops working for a client that is gone. Returns the error,
    /// or that the connection was aborted.
    pub(super) fn close(&self, error: Error) -> Error {
        let _ = self.0.socket.shutdown(Shutdown::Both);
        match self.0.aborted.load(Ordering::Acquire) {
            true if error.is_outcome_unknown() => aborted().outcome_unknown(),
            true => aborted(),
            false => error,
        }
    }
}

impl Aborter {
    /// Ends the connection. What it was doing fails with [`Kind::Interrupted`]; the server rolls back what is not committed.
    pub fn abort(&self) {
        if let Some(wire) = self.0.upgrade() {
            wire.aborted.store(true, Ordering::Release);
            // This fails only if the other side has closed the connection first.
            let _ = wire.socket.shutdown(Shutdown::Both);
        }
    }
}

fn aborted() -> Error {
    Error::new(Kind::Interrupted, "the connection was aborted").fatal()
}

/// Connects to the first of the server's addresses that answers.
pub(super) fn connect(config: &Config, deadline: Instant) -> Result<Socket> {
    let mut targets = match Targets::direct(config)? {
        Some(targets) => targets,
        None => look_up(config, deadline)?,
    };
    let mut last = dial::timed_out();
    for (address, until) in targets.shares(config, deadline) {
        match connect_one(address, config, until) {
            Ok(socket) => return Ok(Socket::new(socket)),
            Err(e) => {
                dial::skip_for_a_while(address, config);
                last = e;
            }
        }
    }
    Err(dial::failed(config, last))
}

/// Waits until `socket` is ready for `interest`. `Ok(None)`: the deadline passed.
fn wait(socket: &socket2::Socket, interest: Ready, deadline: Option<Instant>) -> io::Result<Option<Ready>> {
    let mut events = PollFlags::empty();
    events.set(PollFlags::IN, interest.read);
    events.set(PollFlags::OUT, interest.write);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // A limit that is too large for a timespec counts as no limit.
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut polled = [PollFd::new(socket, events)];
        match poll(&mut polled, left.as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) => {
                let came = polled[0].revents();
                // An error or a hang-up shows in the next read or write.
                let over = came.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL);
                let ready = |flag, wanted| wanted && (over || came.contains(flag));
                return Ok(Some(Ready {
                    read: ready(PollFlags::IN, interest.read),
                    write: ready(PollFlags::OUT, interest.write),
                }));
            }
            Err(Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
    }
}

/// Writes what can be written, else reads what has arrived; waits until one of both happened. `Ok(false)`: the deadline passed.
///
/// An exchange of one request and one answer is one call that writes and one that waits and reads.
pub(super) fn exchange(socket: &mut Socket, link: &mut Link, deadline: Option<Instant>) -> Result<bool> {
    let socket = &socket.0.socket;
    let mut now = Direct::now(socket);
    if link.interest().write && link.write_some_to(&mut now)? {
        return Ok(true);
    }
    let interest = link.interest();
    if !interest.write && deadline.is_none() {
        // Only the server's answer can arrive, so the read may wait by itself.
        return fill_waiting(socket, link).map(|()| true);
    }
    let Some(ready) =
        wait(socket, interest, deadline).map_err(|e| Error::io("cannot wait for the socket", e).fatal())?
    else {
        return Ok(false);
    };
    // The socket may be ready without bytes for this exchange: then the caller's loop runs once more.
    if ready.read {
        link.fill_from(&mut now)?;
    }
    if ready.write {
        link.write_some_to(&mut now)?;
    }
    Ok(true)
}

/// Reads, and waits until something arrives. If the replies of a pipeline come fast, it waits for several of them, so that not each costs a call.
fn fill_waiting(socket: &socket2::Socket, link: &mut Link) -> Result<()> {
    let least = link.least_to_come();
    if least == 0 {
        return link.fill_from(&mut Direct { socket, flags: RecvFlags::empty(), most: usize::MAX }).map(drop);
    }
    let start = Instant::now();
    let (flags, most, goal) = match link.is_flowing {
        true => (RecvFlags::WAITALL, least.min(SEVERAL_REPLIES), FLOWING * 32),
        false => (RecvFlags::empty(), usize::MAX, FLOWING),
    };
    link.fill_from(&mut Direct { socket, flags, most })?;
    // The answers of slow statements are delivered one by one.
    link.is_flowing = start.elapsed() < goal;
    Ok(())
}

/// Calls on a socket whose flags say whether they wait, whatever the socket's mode.
pub(super) struct Direct<'a> {
    socket: &'a socket2::Socket,
    flags: RecvFlags,
    /// Reads no more than so many bytes at once.
    most: usize,
}

impl<'a> Direct<'a> {
    /// Calls that do not wait.
    fn now(socket: &'a socket2::Socket) -> Self {
        Self { socket, flags: RecvFlags::DONTWAIT, most: usize::MAX }
    }
}

impl Read for Direct<'_> {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        let most = self.most.min(space.len());
        let (n, _) = recv(self.socket, &mut space[..most], self.flags)?;
        Ok(n)
    }
}

impl Write for Direct<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(send(self.socket, bytes, SendFlags::DONTWAIT | SendFlags::NOSIGNAL)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The system's resolver knows no time-out, so it gets a thread of its own, which we may abandon.
fn look_up(config: &Config, deadline: Instant) -> Result<Targets> {
    let (sender, receiver) = mpsc::channel();
    let (host, port) = (config.host.clone(), config.port);
    thread::Builder::new()
        .name("inrush-lookup".to_owned())
        .spawn(move || {
            // After a time-out the channel has no receiver any more; then the answer is of no use.
            let _ = sender.send(Targets::look_up(&host, port));
        })
        .map_err(|e| Error::io("cannot start a thread", e))?;
    receiver
        .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        .map_err(|_| dial::name_not_found_in_time(config))?
}

fn connect_one(address: &SockAddr, config: &Config, until: Instant) -> io::Result<socket2::Socket> {
    loop {
        match dial::start(address, config)? {
            Started::InProgress(socket) => {
                wait(&socket, Ready { read: false, write: true }, Some(until))?.ok_or_else(dial::timed_out)?;
                dial::finish(&SockRef::from(&socket))?;
                // From here on the flags of each call say whether it waits.
                socket.set_nonblocking(false)?;
                return Ok(socket);
            }
            Started::Busy if Instant::now() < until => thread::sleep(dial::BUSY_PAUSE),
            Started::Busy => return Err(dial::timed_out()),
        }
    }
}

/// Some hundred replies.
const SEVERAL_REPLIES: usize = 1024;
/// A reply that comes within this time is one of many.
const FLOWING: Duration = Duration::from_micros(500);
