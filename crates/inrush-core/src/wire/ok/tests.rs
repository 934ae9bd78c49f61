use super::*;

const TRACKED: Capabilities = Capabilities::CLIENT_SESSION_TRACK;

#[test]
fn without_session_tracking_the_rest_is_the_info() {
    let ok = OkPacket::parse(b"\x00\xfc\xfb\x00\x07\x02\x00\x01\x00Records: 1", Capabilities::empty()).unwrap();
    assert_eq!((ok.affected, ok.last_insert_id, ok.warnings), (251, 7, 1));
    assert_eq!(ok.info, b"Records: 1");
}

#[test]
fn a_length_before_the_info_is_none_of_it() {
    let info = |packet: &'static [u8]| OkPacket::parse(packet, Capabilities::empty()).unwrap().info;
    assert_eq!(info(b"\x00\x01\x00\x02\x00\x00\x00\x0aRecords: 1"), b"Records: 1");
    assert_eq!(info(b"\x00\x01\x00\x02\x00\x00\x00\x0bRecords: 1"), b"\x0bRecords: 1");
    assert_eq!(info(b"\x00\x01\x00\x02\x00\x00\x00"), b"");
}

#[test]
fn with_session_tracking_the_info_has_a_length() {
    let ok = OkPacket::parse(b"\x00\x01\x00\x02\x40\0\0\x02hi\x09\x00\x07\x01a\x01b\x01c\x00", TRACKED).unwrap();
    assert_eq!(ok.info, b"hi");
    let mut seen = Vec::new();
    SessionChange::read_all(ok.state, |change| seen.push(change)).unwrap();
    assert_eq!(
        seen,
        [SessionChange::Variable { name: b"a", value: b"b" }, SessionChange::Variable { name: b"c", value: b"" }]
    );
}

#[test]
fn info_and_state_may_be_left_out() {
    assert_eq!(OkPacket::parse(b"\x00\0\0\x02\0\0\0", TRACKED).unwrap().info, b"");
    assert_eq!(OkPacket::parse(b"\x00\0\0\x02\x40\0\0\0", TRACKED).unwrap().state, b"");
}

#[test]
fn cut_it_is_malformed() {
    let body = b"\x00\x01\x00\x02\x40\0\0\x02hi\x03\x01\x01s";
    for n in (0..body.len()).filter(|&n| n != 7 && n != 10) {
        assert!(OkPacket::parse(&body[..n], TRACKED).is_err(), "{n}");
    }
    assert!(OkPacket::parse(b"\x03\0\0\0\0\0\0", TRACKED).is_err());
}

#[test]
fn changes_of_other_kinds_are_passed_over() {
    let mut seen = Vec::new();
    SessionChange::read_all(b"\x05\x02\x01T\x63\x00\x01\x05\x04shop", |change| seen.push(change)).unwrap();
    assert_eq!(seen, [SessionChange::Schema(b"shop")]);
    assert!(SessionChange::read_all(b"\x01\x05\x04sho", |_| ()).is_err());
}

#[track_caller]
fn check_end(body: &[u8], capabilities: Capabilities, ends: bool) {
    assert_eq!(end_of_rows(body, capabilities).unwrap().is_break(), ends);
}

#[test]
fn rows_and_their_end_are_told_apart() {
    let new = Capabilities::CLIENT_DEPRECATE_EOF;
    check_end(b"\xfe\0\0\x02\0", Capabilities::empty(), true);
    check_end(b"\xfe\0\0\x02\0\0\0", new, true);
    check_end(b"\x01a", new, false);
    // A field of more than 16 MiB begins with fe as well.
    check_end(&[0xFE; 9], Capabilities::empty(), false);
    check_end(&vec![0xFE; 0xFF_FFFF], new, false);
}
