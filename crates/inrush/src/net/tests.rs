//! Both shells over a pair of sockets, with a conversation made for it: no login, no server, every byte under control.

use crate::{Config, Kind, Result, blocking, tokio};
use inrush_core::session::{Conversation, Session, Step};
use inrush_core::wire::Outbox;
use inrush_testkit::patience::growing_limits;
use socket2::{Domain, Socket, Type};
use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::thread;
use std::time::Duration;

/// Sends so many packets, and is done when so many have arrived.
#[derive(Clone)]
struct Exchange {
    n_to_send: usize,
    n_to_receive: usize,
}

impl Conversation for Exchange {
    type Output = ();

    fn send(&mut self, _: &mut Session, out: &mut Outbox) -> Result<Step<()>> {
        if self.n_to_send > 0 {
            self.n_to_send -= 1;
            out.packet(|body| body.extend_from_slice(&PAYLOAD));
            out.expect_reply_any_time();
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], _: &mut Session, _: &mut Outbox) -> Result<Step<()>> {
        assert_eq!(packet, PAYLOAD);
        self.n_to_receive -= 1;
        Ok(if self.n_to_receive == 0 && self.n_to_send == 0 { Step::Done(()) } else { Step::More })
    }
}

static PAYLOAD: [u8; 60_000] = [7; 60_000];

/// One shell of the two, over one end of a pair.
enum Shell {
    Blocking(blocking::Connection),
    Tokio(::tokio::runtime::Runtime, tokio::Connection),
}

impl Shell {
    fn run(&mut self, conversation: Exchange) -> Result<()> {
        match self {
            Self::Blocking(connection) => connection.run(conversation),
            Self::Tokio(runtime, connection) => runtime.block_on(connection.run(conversation)),
        }
    }
}

/// Runs `check` with each shell on one end of a socket pair and the other end in its hands.
fn both(config: &Config, check: impl Fn(Shell, Socket)) {
    let (ours, theirs) = pair();
    check(Shell::Blocking(blocking::Connection::over(blocking::Socket::new(ours), config)), theirs);
    let (ours, theirs) = pair();
    let runtime = ::tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let socket = runtime.block_on(async { tokio_socket(ours) });
    check(Shell::Tokio(runtime, tokio::Connection::over(socket, config)), theirs);
}

/// The smallest buffers the system allows: a few KiB, far below one packet.
fn pair() -> (Socket, Socket) {
    let (ours, theirs) = Socket::pair(Domain::UNIX, Type::STREAM, None).unwrap();
    for socket in [&ours, &theirs] {
        socket.set_send_buffer_size(1).unwrap();
        socket.set_recv_buffer_size(1).unwrap();
    }
    (ours, theirs)
}

fn tokio_socket(socket: Socket) -> tokio::Socket {
    socket.set_nonblocking(true).unwrap();
    tokio::Socket::new(socket).unwrap()
}

fn frame(sequence: u8) -> Vec<u8> {
    let mut frame = (PAYLOAD.len() as u32).to_le_bytes()[..3].to_vec();
    frame.push(sequence);
    frame.extend_from_slice(&PAYLOAD);
    frame
}

#[test]
fn reads_while_it_writes() {
    // The peer reads nothing until it has written everything: a client that writes first and reads later hangs for ever.
    const N: usize = 50;
    both(&Config::new(), |mut shell, mut theirs| {
        let peer = thread::spawn(move || {
            for sequence in 0..N {
                theirs.write_all(&frame(sequence as u8)).unwrap();
            }
            let mut received = vec![0; N * frame(0).len()];
            theirs.read_exact(&mut received).unwrap();
            theirs.write_all(&frame(N as u8)).unwrap();
        });
        shell.run(Exchange { n_to_send: N, n_to_receive: N + 1 }).unwrap();
        peer.join().unwrap();
    });
}

#[track_caller]
fn check_dead_after(mut shell: Shell, want: &str) {
    let error = shell.run(Exchange { n_to_send: 1, n_to_receive: 1 }).unwrap_err();
    assert!(error.is_fatal() && error.kind() == Kind::Io && error.message().contains(want), "{error:?}");
    let again = shell.run(Exchange { n_to_send: 1, n_to_receive: 1 }).unwrap_err();
    assert!(again.is_fatal() && again.message().contains("cannot be used any more"), "{again:?}");
}

/// The peer may take its time to read.
fn impatient_reader() -> Config {
    Config::new().with_read_timeout(Some(SHORT)).with_write_timeout(None)
}

const SHORT: Duration = Duration::from_millis(150);

#[test]
fn a_silent_server_runs_into_the_read_timeout() {
    both(&impatient_reader(), |shell, mut theirs| {
        let peer = thread::spawn(move || {
            let mut received = vec![0; frame(0).len()];
            theirs.read_exact(&mut received).unwrap();
            theirs
        });
        check_dead_after(shell, "did not answer");
        drop(peer.join().unwrap());
    });
}

#[test]
fn a_server_that_stops_inside_a_packet_runs_into_the_read_timeout() {
    both(&impatient_reader(), |shell, mut theirs| {
        let peer = thread::spawn(move || {
            let mut received = vec![0; frame(0).len()];
            theirs.read_exact(&mut received).unwrap();
            theirs.write_all(&frame(1)[..1000]).unwrap();
            theirs
        });
        check_dead_after(shell, "did not answer");
        drop(peer.join().unwrap());
    });
}

#[test]
fn a_server_that_takes_nothing_runs_into_the_write_timeout() {
    both(&Config::new().with_write_timeout(Some(SHORT)), |shell, theirs| {
        check_dead_after(shell, "took no byte");
        drop(theirs);
    });
}

#[test]
fn a_server_that_drips_runs_into_the_read_timeout() {
    both(&impatient_reader(), |shell, mut theirs| {
        let peer = thread::spawn(move || {
            let mut received = vec![0; frame(0).len()];
            theirs.read_exact(&mut received).unwrap();
            for byte in &frame(1)[..250] {
                thread::sleep(Duration::from_millis(20));
                if theirs.write_all(&[*byte]).is_err() {
                    break;
                }
            }
        });
        check_dead_after(shell, "did not answer");
        peer.join().unwrap();
    });
}

#[test]
fn what_comes_on_starts_the_time_anew() {
    for limit in growing_limits("each piece") {
        let is_late = Cell::new(false);
        both(&Config::new().with_read_timeout(Some(limit)), |mut shell, mut theirs| {
            let peer = thread::spawn(move || {
                let mut received = vec![0; frame(0).len()];
                theirs.read_exact(&mut received).unwrap();
                // In all longer than the limit, each pause far shorter.
                for piece in frame(1).chunks(6_000) {
                    thread::sleep(limit / 8);
                    if theirs.write_all(piece).is_err() {
                        break;
                    }
                }
            });
            match shell.run(Exchange { n_to_send: 1, n_to_receive: 1 }) {
                Err(error) if error.is_timeout() => is_late.set(true),
                end => end.unwrap(),
            }
            drop(shell);
            peer.join().unwrap();
        });
        if !is_late.get() {
            break;
        }
    }
}

#[test]
fn a_server_that_closes_is_an_error() {
    both(&Config::new(), |shell, mut theirs| {
        let peer = thread::spawn(move || {
            let mut received = vec![0; frame(0).len()];
            theirs.read_exact(&mut received).unwrap();
        });
        check_dead_after(shell, "closed the connection");
        peer.join().unwrap();
    });
}

#[test]
fn what_the_server_said_before_it_closed_is_heard() {
    // It answers and closes without taking anything of what we have to send.
    both(&Config::new(), |mut shell, mut theirs| {
        let peer = thread::spawn(move || theirs.write_all(&frame(0)).unwrap());
        shell.run(Exchange { n_to_send: 1, n_to_receive: 1 }).unwrap();
        peer.join().unwrap();
    });
}

#[test]
fn a_dropped_future_leaves_the_connection_dead() {
    let (ours, theirs) = pair();
    let runtime = ::tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut connection = tokio::Connection::over(tokio_socket(ours), &Config::new());
        let exchange = Exchange { n_to_send: 1, n_to_receive: 1 };
        let waiting = connection.run(exchange.clone());
        ::tokio::time::timeout(Duration::from_millis(50), waiting).await.unwrap_err();
        let error = connection.run(exchange).await.unwrap_err();
        assert!(error.is_fatal() && error.message().contains("interrupted"), "{error:?}");
        assert!(connection.session().is_dead());
    });
    drop(theirs);
}

#[test]
fn another_thread_can_abort() {
    let (ours, mut theirs) = pair();
    let mut connection = blocking::Connection::over(blocking::Socket::new(ours), &Config::new());
    let aborter = connection.aborter();
    let other = thread::spawn(move || {
        // Once all is sent, nothing is left but to wait for the answer.
        theirs.read_exact(&mut vec![0; frame(0).len()]).unwrap();
        aborter.clone().abort();
        (aborter, theirs)
    });
    let error = connection.run(Exchange { n_to_send: 1, n_to_receive: 1 }).unwrap_err();
    assert!(error.is_fatal() && error.kind() == Kind::Interrupted, "{error:?}");
    assert!(connection.session().is_dead());
    drop(connection);
    // Of no effect once the connection is gone.
    let (aborter, _theirs) = other.join().unwrap();
    aborter.abort();
}
