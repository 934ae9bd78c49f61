use super::*;

fn packets(inbox: &mut Inbox) -> Vec<(Vec<u8>, u8)> {
    std::iter::from_fn(|| inbox.next_packet().unwrap().map(|p| (p.body.to_vec(), p.first))).collect()
}

#[test]
fn packets_may_arrive_in_any_pieces() {
    let bytes = b"\x03\0\0\x01abc\0\0\0\x02\x01\0\0\x03z";
    for cut in 0..=bytes.len() {
        let mut inbox = Inbox::new(1000);
        inbox.extend(&bytes[..cut]);
        let mut got = packets(&mut inbox);
        inbox.extend(&bytes[cut..]);
        got.extend(packets(&mut inbox));
        assert_eq!(got, [(b"abc".to_vec(), 1), (vec![], 2), (b"z".to_vec(), 3)]);
        assert!(inbox.is_empty());
    }
}

#[test]
fn a_packet_over_the_limit_is_refused_before_it_arrives() {
    let mut inbox = Inbox::new(1000);
    inbox.extend(b"\xe9\x03\0\0");
    assert!(inbox.next_packet().unwrap_err().is_fatal());
    let mut inbox = Inbox::new(1000);
    inbox.extend(b"\xe8\x03\0\0");
    assert_eq!(inbox.next_packet().unwrap(), None);
}

#[test]
fn the_limit_counts_all_frames() {
    let mut inbox = Inbox::new(MAX_FRAME + 10);
    inbox.extend(b"\xff\xff\xff\0");
    inbox.extend(&vec![0; MAX_FRAME]);
    inbox.extend(b"\x0b\0\0\x01");
    assert!(inbox.next_packet().unwrap_err().is_fatal());
}

#[test]
fn frames_of_one_packet_must_be_numbered_in_order() {
    let mut inbox = Inbox::new(64 << 20);
    inbox.extend(b"\xff\xff\xff\x05");
    inbox.extend(&vec![0; MAX_FRAME]);
    assert_eq!(inbox.next_packet().unwrap(), None);
    assert!(!inbox.is_empty());
    inbox.extend(b"\0\0\0\x07");
    assert!(inbox.next_packet().unwrap_err().is_fatal());
}

#[test]
fn memory_follows_what_arrived_and_is_given_back() {
    let mut inbox = Inbox::new(64 << 20);
    inbox.extend(b"\xff\xff\xff\0");
    assert_eq!(inbox.next_packet().unwrap(), None);
    assert!(inbox.bytes.len() <= INITIAL);
    inbox.extend(&vec![1; MAX_FRAME]);
    inbox.extend(b"\0\0\0\x01");
    assert_eq!(inbox.next_packet().unwrap().unwrap().body.len(), MAX_FRAME);
    assert!(inbox.bytes.len() <= 4 * MAX_FRAME);
    assert_eq!(inbox.next_packet().unwrap(), None);
    inbox.space();
    assert!(inbox.bytes.len() <= INITIAL && inbox.joined.capacity() <= KEEP);
}
