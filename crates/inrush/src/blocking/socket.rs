//! Waiting for one socket with `poll`, and connecting it within a deadline.

use crate::net::Ready;
use crate::net::dial::{self, Started, Targets};
use crate::{Config, Error, Kind, Result};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use socket2::{SockAddr, SockRef, Socket};
use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

/// Connects to the first of the server's addresses that answers.
pub(super) fn connect(config: &Config, deadline: Instant) -> Result<Socket> {
    let targets = match Targets::direct(config)? {
        Some(targets) => targets,
        None => look_up(config, deadline)?,
    };
    let mut last = dial::timed_out();
    for (address, until) in targets.shares(deadline) {
        match connect_one(address, config, until) {
            Ok(socket) => return Ok(socket),
            Err(e) => last = e,
        }
    }
    Err(dial::failed(config, last))
}

/// Waits until `socket` is ready for `interest`. `Ok(None)`: the deadline passed.
pub(super) fn wait(socket: &Socket, interest: Ready, deadline: Option<Instant>) -> io::Result<Option<Ready>> {
    let mut events = PollFlags::empty();
    events.set(PollFlags::IN, interest.read);
    events.set(PollFlags::OUT, interest.write);
    loop {
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        // A limit that no timespec holds is no limit.
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

/// The system's resolver knows no time-out, so it gets a thread of its own, which we may leave behind.
fn look_up(config: &Config, deadline: Instant) -> Result<Targets> {
    let (sender, receiver) = mpsc::channel();
    let (host, port) = (config.host.clone(), config.port);
    thread::Builder::new()
        .name("inrush-lookup".to_owned())
        .spawn(move || {
            // Nobody listens any more after a time-out; then the answer is of no use.
            let _ = sender.send(Targets::look_up(&host, port));
        })
        .map_err(|e| Error::io("cannot start a thread", e))?;
    receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())).map_err(|_| {
        Error::new(Kind::Io, format!("the name service did not find `{}` within the connect time-out", config.host))
    })?
}

fn connect_one(address: &SockAddr, config: &Config, until: Instant) -> io::Result<Socket> {
    loop {
        match dial::start(address, config)? {
            Started::InProgress(socket) => {
                wait(&socket, Ready { read: false, write: true }, Some(until))?.ok_or_else(dial::timed_out)?;
                dial::finish(&SockRef::from(&socket))?;
                return Ok(socket);
            }
            Started::Busy if Instant::now() < until => thread::sleep(dial::BUSY_PAUSE),
            Started::Busy => return Err(dial::timed_out()),
        }
    }
}
