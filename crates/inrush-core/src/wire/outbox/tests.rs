use super::*;
use crate::wire::Inbox;

#[test]
fn a_command_starts_at_number_zero() {
    let mut out = Outbox::default();
    out.command(|b| b.push(0x0E));
    assert_eq!(out.unsent(), [1, 0, 0, 0, 0x0E]);
    out.packet(|_| ());
    assert_eq!(out.unsent(), [1, 0, 0, 0, 0x0E, 0, 0, 0, 1]);
    out.sent(2);
    assert_eq!(out.unsent(), [0, 0, 0x0E, 0, 0, 0, 1]);
    out.sent(7);
    assert!(out.is_empty());
    out.command(|b| b.push(1));
    assert_eq!(out.unsent(), [1, 0, 0, 0, 1]);
}

#[test]
fn replies_are_counted() {
    let mut out = Outbox::default();
    out.command(|b| b.push(3));
    let reply = |first, last| Packet { body: b"", first, last };
    out.take_turn(&reply(1, 1)).unwrap();
    out.take_turn(&reply(2, 4)).unwrap();
    assert!(out.take_turn(&reply(9, 9)).unwrap_err().is_fatal());
    out.expect_reply(1);
    out.take_turn(&reply(1, 1)).unwrap();
    out.expect_reply_any_time();
    out.take_turn(&reply(77, 77)).unwrap();
}

/// Framed payloads are reassembled unchanged, at the lengths where frames begin and end.
#[test]
fn long_payloads_are_split_and_joined_again() {
    for length in [0, 1, MAX_FRAME - 1, MAX_FRAME, MAX_FRAME + 1, 2 * MAX_FRAME, 2 * MAX_FRAME + 5] {
        let payload: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        let mut out = Outbox::default();
        out.command(|b| b.push(9));
        out.command(|b| b.extend_from_slice(&payload));
        let n_frames = length / MAX_FRAME + 1;
        assert_eq!(out.unsent().len(), 5 + length + n_frames * HEADER);

        let mut inbox = Inbox::new(64 << 20);
        inbox.extend(out.unsent());
        assert_eq!(inbox.next_packet().unwrap().unwrap().body, [9]);
        let packet = inbox.next_packet().unwrap().unwrap();
        assert!(packet.body == payload, "{length}");
        assert_eq!((packet.first, packet.last), (0, n_frames as u8 - 1));
        assert!(inbox.is_empty());
        assert_eq!(inbox.next_packet().unwrap(), None);
    }
}

#[test]
fn what_waits_does_not_show() {
    let mut out = Outbox::default();
    out.command(|b| b.extend_from_slice(b"secret"));
    // Neither as text nor as numbers.
    assert!(!format!("{out:?}").contains("secret") && !format!("{out:?}").contains("115, 101"));
}

/// Commands sent while a reply is being received carry numbers of their own, and do not change the reply's.
#[test]
fn a_pipelined_command_takes_no_turn() {
    let mut out = Outbox::default();
    out.command(|b| b.push(0x0E));
    let reply = |first, last| Packet { body: b"", first, last };
    out.take_turn(&reply(1, 1)).unwrap();
    assert_eq!(out.pipelined(|b| b.push(0x0E)), 1);
    assert_eq!(out.pipelined(|b| b.extend_from_slice(&vec![3; 2 * MAX_FRAME])), 3);
    out.take_turn(&reply(2, 2)).unwrap();
    out.expect_reply(1);
    out.take_turn(&reply(1, 1)).unwrap();
    out.expect_reply(3);
    out.take_turn(&reply(3, 3)).unwrap();
    assert_eq!(out.unsent()[5..10], [1, 0, 0, 0, 0x0E]);
}
