use super::*;

/// Sends `ask` bytes one a time, then takes one packet as the answer; `!` refuses, `X` breaks.
struct Echo(Vec<u8>);

impl Conversation for Echo {
    type Output = Vec<u8>;

    fn send(&mut self, _: &mut Session, out: &mut Outbox) -> Result<Step<Vec<u8>>> {
        if let Some(byte) = self.0.pop() {
            out.packet(|b| b.push(byte));
        }
        Ok(Step::More)
    }

    fn receive(&mut self, packet: &[u8], _: &mut Session, _: &mut Outbox) -> Result<Step<Vec<u8>>> {
        match packet {
            b"!" => Err(Error::server(1064, *b"42000", "no")),
            b"X" => Err(Error::protocol("broken")),
            b"T" => Ok(Step::StartTls),
            _ => Ok(Step::Done(packet.to_vec())),
        }
    }
}

fn channel(received: &[u8]) -> Channel {
    let mut channel = Channel::new(Transport::Tcp, 1000);
    channel.inbox.extend(received);
    channel.begin().unwrap();
    channel
}

#[test]
fn sends_a_frame_each_time_the_outbox_is_empty() {
    let mut channel = channel(b"");
    let mut echo = Echo(vec![2, 1]);
    for frame in [[1, 0, 0, 0, 1], [1, 0, 0, 1, 2]] {
        for n in [3, 2] {
            assert_eq!(channel.advance(&mut echo).unwrap(), Step::More);
            assert_eq!(channel.outbox.unsent()[..n], frame[5 - channel.outbox.unsent().len()..][..n]);
            channel.outbox.sent(n);
        }
    }
    channel.inbox.extend(b"\x01\0\0\x02k");
    assert_eq!(channel.advance(&mut echo).unwrap(), Step::Done(b"k".to_vec()));
    channel.begin().unwrap();
}

#[test]
fn a_refusal_leaves_the_connection_usable() {
    let mut channel = channel(b"\x01\0\0\0!");
    assert_eq!(channel.advance(&mut Echo(vec![])).unwrap_err().code(), 1064);
    assert!(!channel.session.is_dead());
    channel.begin().unwrap();
}

#[test]
fn any_other_error_kills_it() {
    for received in [&b"\x01\0\0\0X"[..], b"\x01\0\0\x01a", b"\xff\xff\xff\0"] {
        let mut channel = channel(received);
        assert!(channel.advance(&mut Echo(vec![])).unwrap_err().is_fatal());
        assert!(channel.session.is_dead());
        assert!(channel.begin().unwrap_err().is_fatal());
        assert!(channel.advance(&mut Echo(vec![])).is_err());
    }
}

#[test]
fn bytes_nobody_asked_for_kill_it_after_the_reply() {
    let mut channel = channel(b"\x01\0\0\0a\x01");
    assert_eq!(channel.advance(&mut Echo(vec![])).unwrap(), Step::Done(b"a".to_vec()));
    assert!(channel.session.is_dead());
}

#[test]
fn bytes_before_the_tls_handshake_are_refused() {
    let mut fine = channel(b"\x01\0\0\0T");
    assert_eq!(fine.advance(&mut Echo(vec![])).unwrap(), Step::StartTls);
    let mut injected = channel(b"\x01\0\0\0T\x01");
    assert!(injected.advance(&mut Echo(vec![])).unwrap_err().is_fatal());
    assert!(injected.session.is_dead());
}

#[test]
fn an_interrupted_use_is_the_last() {
    let mut channel = channel(b"");
    assert_eq!(channel.advance(&mut Echo(vec![])).unwrap(), Step::More);
    assert!(channel.begin().unwrap_err().is_fatal());
    assert!(channel.session.is_dead());
}

#[test]
fn a_server_that_closes_an_idle_connection_is_heard() {
    let mut channel = channel(b"\x0d\0\0\x00\xff\xbf\x0f#HY000gone");
    // The command at that moment has number 0, so that number 1 would be the reply's.
    channel.outbox.command(|b| b.push(0x0E));
    let error = channel.advance(&mut Echo(vec![])).unwrap_err();
    assert_eq!((error.code(), error.message()), (4031, "gone"));
    assert!(error.is_fatal() && channel.session.is_dead());
    assert!(channel.session.was_refused, "it has read nothing of the command");
}

#[test]
fn a_proxy_that_lost_its_server_may_have_read_the_command() {
    let mut channel = channel(b"\x0d\0\0\x00\xff\xdd\x07#HY000gone");
    channel.outbox.command(|b| b.push(0x0E));
    let error = channel.advance(&mut Echo(vec![])).unwrap_err();
    assert_eq!((error.code(), error.is_fatal(), channel.session.was_refused), (2013, true, false));
}
