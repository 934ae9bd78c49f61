//! A scripted peer: the server's side of an exchange, packet by packet, and everything that can go wrong with it.
//!
//! ```
//! # use inrush_testkit::script::script;
//! # use inrush_core::session::simple::ping;
//! script()
//!     .logged_in()
//!     .command(b"\x0e")
//!     .read(b"\x00\x00\x00\x02\x00\x00\x00")
//!     .check_all(|peer| peer.run(&mut ping()).map(|outcome| outcome.affected), 0);
//! ```
//!
//! `read` and `write` are seen from the client, whose conversation is under test: it *reads* what the script sends.
//! Sequence numbers are the script's business, and it checks those of the client.

use std::fmt::Debug;

use inrush_core::error::{Error, Kind, Result};
use inrush_core::session::{Channel, Conversation, Login, LoginOptions, Step, TlsWish, Transport};

use crate::captured;

/// The server's side of an exchange.
#[derive(Clone, Debug)]
pub struct Script {
    transport: Transport,
    greeting: Option<Vec<u8>>,
    actions: Vec<Action>,
    sequence: u8,
}

/// An empty script on a fresh TCP connection.
pub fn script() -> Script {
    Script { transport: Transport::Tcp, greeting: None, actions: Vec::new(), sequence: 0 }
}

#[derive(Clone, Debug)]
enum Action {
    /// The client gets this frame.
    ToClient { frame: Vec<u8>, any_number: bool },
    /// The client must send exactly this frame; with None, any payload.
    FromClient { sequence: u8, payload: Option<Vec<u8>> },
    /// The client must ask its shell for TLS.
    StartTls,
}

impl Script {
    /// The connection is a Unix socket.
    #[must_use]
    pub fn on_unix_socket(mut self) -> Self {
        self.transport = Transport::Unix;
        self
    }

    /// A login came before, at a server of today; its packets are not part of the test.
    #[must_use]
    pub fn logged_in(mut self) -> Self {
        self.greeting = Some(captured::greeting(captured::ALL_CAPABILITIES));
        self
    }

    /// The same at a server that knows neither CLIENT_DEPRECATE_EOF nor session tracking.
    #[must_use]
    pub fn logged_in_long_ago(mut self) -> Self {
        self.greeting = Some(captured::greeting(captured::ALL_CAPABILITIES & !0x0180_0000));
        self
    }

    /// The same at MariaDB 11.8.
    #[must_use]
    pub fn logged_in_at_mariadb(mut self) -> Self {
        self.greeting = Some(captured::MARIADB_GREETING.to_vec());
        self
    }

    /// The client reads a packet with this payload.
    #[must_use]
    pub fn read(mut self, payload: &[u8]) -> Self {
        let frame = frame(self.sequence, payload);
        self.sequence = self.sequence.wrapping_add(1);
        self.actions.push(Action::ToClient { frame, any_number: false });
        self
    }

    /// The same, if the client cannot know the packet's number, so that a wrong one is not a fault.
    #[must_use]
    pub fn read_of_any_number(self, payload: &[u8]) -> Self {
        let mut script = self.read(payload);
        if let Some(Action::ToClient { any_number, .. }) = script.actions.last_mut() {
            *any_number = true;
        }
        script
    }

    /// The client writes a packet with this payload.
    #[must_use]
    pub fn write(self, payload: &[u8]) -> Self {
        self.push_write(Some(payload.to_vec()))
    }

    /// The client writes a packet, whose payload is checked elsewhere.
    #[must_use]
    pub fn write_something(self) -> Self {
        self.push_write(None)
    }

    /// The client begins a command with this payload.
    #[must_use]
    pub fn command(mut self, payload: &[u8]) -> Self {
        self.sequence = 0;
        self.write(payload)
    }

    /// What follows answers a command that was sent in `n_frames` frames: the next one of a pipeline.
    #[must_use]
    pub fn reply_to(mut self, n_frames: u8) -> Self {
        self.sequence = n_frames;
        self
    }

    /// The client asks for TLS.
    #[must_use]
    pub fn start_tls(mut self) -> Self {
        self.actions.push(Action::StartTls);
        self
    }

    /// The exchange succeeds with `want`, handles every fault at every step, and does not depend on how its bytes are cut.
    #[track_caller]
    pub fn check_all<T: PartialEq + Debug>(&self, talk: impl Fn(&mut Peer) -> Result<T>, want: T) {
        self.check(&talk, want);
        self.check_splits(&talk);
        self.check_faults(&talk);
    }

    /// The exchange succeeds with `want`, all of the script is used, and the connection is still usable.
    #[track_caller]
    pub fn check<T: PartialEq + Debug>(&self, talk: impl Fn(&mut Peer) -> Result<T>, want: T) {
        let mut peer = Peer::new(self, Delivery::Whole, None);
        assert_eq!(talk(&mut peer).map_err(|e| format!("{e:?}")), Ok(want));
        assert_eq!(peer.next, peer.actions.len(), "the script was not used to its end");
    }

    /// The exchange ends in an error that `check` accepts, and all of the script is used.
    #[track_caller]
    pub fn check_fails<T: Debug>(&self, talk: impl Fn(&mut Peer) -> Result<T>, check: impl Fn(&Error) -> bool) {
        let mut peer = Peer::new(self, Delivery::Whole, None);
        let error = talk(&mut peer).expect_err("an exchange that fails");
        assert!(check(&error), "{error:?}");
        assert_eq!(peer.next, peer.actions.len(), "the script was not used to its end");
        assert_eq!(peer.channel.session.is_dead(), error.is_fatal(), "{error:?}");
    }

    /// The outcome is the same one byte at a time, and cut in two anywhere.
    #[track_caller]
    pub fn check_splits<T: PartialEq + Debug>(&self, talk: impl Fn(&mut Peer) -> Result<T>) {
        let run = |delivery| talk(&mut Peer::new(self, delivery, None)).map_err(|e| e.to_string());
        let want = run(Delivery::Whole);
        assert_eq!(run(Delivery::OneByOne), want, "one byte at a time");
        let n_bytes: usize = self.actions.iter().map(Action::n_bytes).sum();
        // A long script is cut at some places only: near its start, where the headers are, and at strides beyond.
        for cut in (0..n_bytes.min(2000)).chain((2000..n_bytes).step_by(997)) {
            assert_eq!(run(Delivery::CutAt(cut)), want, "cut at byte {cut}");
        }
    }

    /// Every fault at every step ends in an error, and the connection is dead unless the error says that it is fine.
    #[track_caller]
    pub fn check_faults<T: Debug>(&self, talk: impl Fn(&mut Peer) -> Result<T>) {
        self.each_fault(talk, |fault, result, dead, case| match (fault, result) {
            // The exchange itself was complete.
            (Fault::Surplus, Ok(_)) => assert!(dead, "{case}"),
            (Fault::Refusal, Err(e)) => assert!(e.code() == REFUSAL_CODE && dead == e.is_fatal(), "{case}"),
            (_, Err(e)) => assert!(e.is_fatal() && dead, "{case}"),
            (_, Ok(_)) => panic!("{case}"),
        });
    }

    /// The same for a pipeline, whose result holds that of each step. The server's refusal ends a step and not the exchange, which
    /// continues until it finds that the script has closed the connection.
    #[track_caller]
    pub fn check_faults_of_steps<T: Debug>(&self, talk: impl Fn(&mut Peer) -> Result<Vec<Result<T>>>) {
        self.each_fault(talk, |fault, result, dead, case| match (fault, result) {
            (Fault::Surplus, Ok(_)) => assert!(dead, "{case}"),
            (Fault::Refusal, Ok(steps)) => {
                let n_refused = steps.iter().filter(|step| matches!(step, Err(e) if e.code() == REFUSAL_CODE)).count();
                assert!(n_refused == 1 && !dead, "{case}");
            }
            (_, Err(e)) => assert!(e.is_fatal() && dead, "{case}"),
            (_, Ok(_)) => panic!("{case}"),
        });
    }

    /// The same for a batch, which ends at the first refusal: no fault may lead to a result. If commands were in flight after a refused
    /// one, the error is that of the closed connection.
    #[track_caller]
    pub fn check_faults_of_batch<T: Debug>(&self, talk: impl Fn(&mut Peer) -> Result<T>) {
        self.each_fault(talk, |fault, result, dead, case| match (fault, result) {
            // For the batch itself the exchange was complete.
            (Fault::Surplus, _) => assert!(dead, "{case}"),
            (_, Err(e)) => assert_eq!(e.is_fatal(), dead, "{case}"),
            (_, Ok(_)) => panic!("{case}"),
        });
    }

    #[track_caller]
    fn each_fault<T: Debug>(
        &self,
        talk: impl Fn(&mut Peer) -> Result<T>,
        judge: impl Fn(Fault, Result<T>, bool, &str),
    ) {
        let mut n_faults = 0;
        for (at, action) in self.actions.iter().enumerate() {
            for fault in action.faults(self.actions.get(at + 1..).unwrap_or_default()) {
                let mut peer = Peer::new(self, Delivery::Whole, Some((at, fault.clone())));
                let result = talk(&mut peer);
                let case = format!("{fault:?} at step {at}: {result:?}");
                let dead = peer.channel.session.is_dead();
                judge(fault, result, dead, &case);
                n_faults += 1;
            }
        }
        assert!(n_faults > 0, "a script without a step to break");
    }

    fn push_write(mut self, payload: Option<Vec<u8>>) -> Self {
        self.actions.push(Action::FromClient { sequence: self.sequence, payload });
        self.sequence = self.sequence.wrapping_add(1);
        self
    }
}

/// What can go wrong with one step. After it the script sends nothing more and closes the connection.
#[derive(Clone, Debug)]
enum Fault {
    /// The connection closes before the step.
    Close,
    /// The connection closes within the packet.
    Cut,
    /// The packet carries another number.
    WrongNumber,
    /// The header announces more than comes.
    LyingLength,
    /// The header announces more than the client takes.
    TooLong,
    /// An error of the server in its place.
    Refusal,
    /// Another payload.
    Garbage(&'static [u8]),
    /// A byte too many after the last packet.
    Surplus,
    /// A packet too many before the TLS handshake.
    Injection,
    /// The beginning of one.
    InjectedByte,
}

impl Action {
    fn n_bytes(&self) -> usize {
        match self {
            Self::ToClient { frame, .. } => frame.len(),
            _ => 0,
        }
    }

    fn faults(&self, rest: &[Action]) -> Vec<Fault> {
        let Self::ToClient { any_number, .. } = self else {
            return vec![Fault::Close];
        };
        let mut faults = vec![Fault::Close, Fault::Cut, Fault::LyingLength, Fault::TooLong, Fault::Refusal];
        faults.extend(GARBAGE.iter().map(|payload| Fault::Garbage(payload)));
        if !any_number {
            faults.push(Fault::WrongNumber);
        }
        if rest.is_empty() {
            faults.push(Fault::Surplus);
        }
        if let [Self::FromClient { .. }, Self::StartTls, ..] = rest {
            faults.extend([Fault::Injection, Fault::InjectedByte]);
        }
        faults
    }
}

impl Fault {
    /// The bytes that come in place of `frame`.
    fn apply(&self, frame: &[u8]) -> Vec<u8> {
        let (header, payload) = frame.split_at(4);
        let length = payload.len() as u32;
        match self {
            Self::Close => Vec::new(),
            Self::Cut => frame[..frame.len() - 1].to_vec(),
            Self::WrongNumber => [&header[..3], &[header[3].wrapping_add(3)], payload].concat(),
            Self::LyingLength => [&(length + 1).to_le_bytes()[..3], &header[3..], payload].concat(),
            Self::TooLong => [&[0xFE, 0xFF, 0xFF], &header[3..], payload].concat(),
            Self::Refusal => self::frame(header[3], REFUSAL),
            Self::Garbage(payload) => self::frame(header[3], payload),
            Self::Surplus | Self::InjectedByte => [frame, b"\x01"].concat(),
            Self::Injection => {
                [frame, &self::frame(header[3].wrapping_add(2), b"\x00\x00\x00\x02\x00\x00\x00")].concat()
            }
        }
    }
}

/// The client's side without a socket: a channel, and the script in place of a server.
#[derive(Debug)]
pub struct Peer {
    /// The connection.
    pub channel: Channel,
    actions: Vec<Action>,
    next: usize,
    fault: Option<(usize, Fault)>,
    delivery: Delivery,
    /// What the client has sent and the script has not yet read.
    written: Vec<u8>,
    /// The bytes that the client will read next.
    arriving: Vec<u8>,
    n_delivered: usize,
    closed: bool,
    injected: bool,
}

#[derive(Clone, Copy, Debug)]
enum Delivery {
    Whole,
    OneByOne,
    CutAt(usize),
}

impl Peer {
    fn new(script: &Script, delivery: Delivery, fault: Option<(usize, Fault)>) -> Self {
        let mut peer = Self {
            channel: Channel::new(script.transport, MAX_PACKET),
            actions: Vec::new(),
            next: 0,
            fault: None,
            delivery: Delivery::Whole,
            written: Vec::new(),
            arriving: Vec::new(),
            n_delivered: 0,
            closed: false,
            injected: false,
        };
        if let Some(greeting) = &script.greeting {
            let login = self::script().read(greeting).write_something().read(captured::OK);
            peer.actions = login.actions;
            let options =
                LoginOptions { local_files: true, multi_statements: true, tls: TlsWish::Avoid, ..Default::default() };
            peer.run(&mut Login::new(options, [0; 32])).expect("the login before the script");
        }
        (peer.actions, peer.next, peer.delivery, peer.fault) = (script.actions.clone(), 0, delivery, fault);
        peer.n_delivered = 0;
        peer
    }

    /// Runs a conversation to its end, as a shell would.
    #[track_caller]
    pub fn run<C: Conversation>(&mut self, conversation: &mut C) -> Result<C::Output> {
        self.channel.begin()?;
        loop {
            match self.channel.advance(conversation)? {
                Step::Done(output) => return Ok(output),
                Step::StartTls if self.injected => panic!("the handshake begins although more came before it"),
                // The handshake finds a closed connection.
                Step::StartTls if self.closed => return Err(self.give_up()),
                Step::StartTls => {
                    assert!(matches!(self.actions.get(self.next), Some(Action::StartTls)), "unexpected wish for TLS");
                    self.next += 1;
                    self.channel.session.set_transport(Transport::Tls);
                    continue;
                }
                Step::More => {}
            }
            let went_out = self.take_written();
            let came_in = self.deliver();
            if !went_out && !came_in {
                // Both sides wait. That is a hang, unless the script's fault was to stop here.
                assert!(
                    self.closed,
                    "the conversation waits, and the script expects {:?}",
                    self.actions.get(self.next)
                );
                return Err(self.give_up());
            }
        }
    }

    /// Handles a closed connection as a shell does.
    fn give_up(&mut self) -> Error {
        self.channel.session.kill();
        Error::new(Kind::Io, "the script closed the connection")
    }

    fn take_written(&mut self) -> bool {
        let unsent = self.channel.outbox.unsent();
        let n = match self.delivery {
            Delivery::OneByOne => unsent.len().min(1),
            _ => unsent.len(),
        };
        self.written.extend_from_slice(&unsent[..n]);
        self.channel.outbox.sent(n);
        n > 0
    }

    /// Plays the script as far as the client's bytes allow, and delivers the server's bytes to the client.
    #[track_caller]
    fn deliver(&mut self) -> bool {
        while !self.closed && self.next < self.actions.len() {
            let fault = self.fault.clone().filter(|&(at, _)| at == self.next).map(|(_, fault)| fault);
            let action = &self.actions[self.next];
            match (action, fault) {
                (Action::ToClient { frame, .. }, None) => self.arriving.extend_from_slice(frame),
                (Action::ToClient { frame, .. }, Some(fault)) => {
                    self.arriving.extend_from_slice(&fault.apply(frame));
                    self.injected = matches!(fault, Fault::Injection | Fault::InjectedByte);
                    self.closed = true;
                }
                (_, Some(_)) => self.closed = true,
                (Action::FromClient { sequence, payload }, None) => {
                    let Some(header) = self.written.first_chunk::<4>() else { break };
                    let length = u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize;
                    if self.written.len() < 4 + length {
                        break;
                    }
                    assert_eq!(header[3], *sequence, "the number of the client's packet");
                    if let Some(payload) = payload {
                        assert_eq!(
                            self.written[4..4 + length].escape_ascii().to_string(),
                            payload.escape_ascii().to_string()
                        );
                    }
                    self.written.drain(..4 + length);
                }
                (Action::StartTls, None) => break,
            }
            self.next += 1;
        }
        let n = match self.delivery {
            Delivery::Whole => self.arriving.len(),
            Delivery::OneByOne => self.arriving.len().min(1),
            Delivery::CutAt(cut) if self.n_delivered < cut => self.arriving.len().min(cut - self.n_delivered),
            Delivery::CutAt(_) => self.arriving.len(),
        };
        self.channel.inbox.extend(&self.arriving[..n]);
        self.arriving.drain(..n);
        self.n_delivered += n;
        n > 0
    }
}

fn frame(sequence: u8, payload: &[u8]) -> Vec<u8> {
    let [a, b, c, ..] = (payload.len() as u32).to_le_bytes();
    [&[a, b, c, sequence], payload].concat()
}

/// Packets above this are too long for the channels under test.
const MAX_PACKET: usize = 1024 * 1024;

/// 1105 is "unknown error": the server refuses, and the connection stays.
const REFUSAL: &[u8] = b"\xff\x51\x04#HY000no";
const REFUSAL_CODE: u16 = 1105;

/// Payloads that no step is content with: empty, and the first byte of each kind of packet without what must follow.
const GARBAGE: &[&[u8]] = &[b"", b"\x00", b"\xfe", b"\xff", b"\xfb/etc/passwd", b"\x42\x42\x42", b"\xfd\xff\xff"];
