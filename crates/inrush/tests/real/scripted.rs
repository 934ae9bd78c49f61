//! What no honest server does: a listener on the loopback address plays it, to both shells.

use crate::cases::{SHELLS, Twin};
use inrush::{Config, Error, Kind, TlsMode};
use inrush_testkit::patience::patience;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// Lets each shell in turn `use_it` against a listener that plays `script`.
#[track_caller]
pub(crate) fn play(script: impl Fn(&mut TcpStream) + Sync, use_it: impl Fn(crate::cases::Shell, Config)) {
    for shell in SHELLS {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let config = Config::new().with_host("127.0.0.1").with_port(port).with_user("ann");
        let config = config.with_connect_timeout(patience());
        thread::scope(|scope| {
            scope.spawn(|| {
                let (mut peer, _) = listener.accept().unwrap();
                // Should we break off, it must not wait for ever.
                peer.set_read_timeout(Some(patience())).unwrap();
                script(&mut peer);
            });
            use_it(shell, config);
        });
    }
}

/// Plays `script`, to which the only answer is a refusal.
#[track_caller]
pub(crate) fn check_no_login(script: impl Fn(&mut TcpStream) + Sync, change: impl Fn(Config) -> Config) -> Error {
    let last = std::cell::RefCell::new(None);
    play(script, |shell, config| {
        let error = Twin::connect(shell, &change(config)).unwrap_err();
        assert!(!error.is_fatal(), "{error:?}");
        *last.borrow_mut() = Some(error);
    });
    last.into_inner().unwrap()
}

/// Long enough for a client on a busy machine to send what the script reads, and shorter than any script.
pub(crate) fn hurried(config: Config) -> Config {
    config.with_connect_timeout(Duration::from_secs(2))
}

pub(crate) fn packet(sequence: u8, body: &[u8]) -> Vec<u8> {
    let mut packet = (body.len() as u32).to_le_bytes()[..3].to_vec();
    packet.push(sequence);
    packet.extend_from_slice(body);
    packet
}

const PROTOCOL_41: u32 = 0x200;
pub(crate) const SSL: u32 = 0x800;
const LOCAL_FILES: u32 = 0x80;
const SECURE_CONNECTION: u32 = 0x8000;
const PLUGIN_AUTH: u32 = 0x8_0000;

/// A greeting by mysql_native_password with these capabilities besides the least a login needs.
pub(crate) fn greeting(more: u32) -> Vec<u8> {
    let capabilities = (1 | PROTOCOL_41 | SECURE_CONNECTION | PLUGIN_AUTH | more).to_le_bytes();
    let mut body = b"\x0A8.0.99-played\0".to_vec();
    body.extend_from_slice(&7_u32.to_le_bytes());
    body.extend_from_slice(b"12345678\0");
    body.extend_from_slice(&capabilities[..2]);
    body.extend_from_slice(&[45, 2, 0]);
    body.extend_from_slice(&capabilities[2..]);
    body.push(21);
    body.extend_from_slice(&[0; 10]);
    body.extend_from_slice(b"123456789012\0mysql_native_password\0");
    packet(0, &body)
}

pub(crate) const OK: [u8; 7] = [0, 0, 0, 2, 0, 0, 0];

pub(crate) fn read_packet(peer: &mut TcpStream) -> Vec<u8> {
    let mut header = [0; 4];
    peer.read_exact(&mut header).unwrap();
    let mut body = vec![0; u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize];
    peer.read_exact(&mut body).unwrap();
    body
}

pub(crate) fn let_in(peer: &mut TcpStream, more: u32) {
    peer.write_all(&greeting(more)).unwrap();
    read_packet(peer);
    peer.write_all(&packet(2, &OK)).unwrap();
}

/// Reads until the other side closes; what it sent besides.
pub(crate) fn until_closed(peer: &mut TcpStream) -> Vec<u8> {
    let mut rest = Vec::new();
    // A reset is an end as well.
    let _ = peer.read_to_end(&mut rest);
    rest
}

#[test]
fn a_listener_that_stays_silent() {
    let error = check_no_login(|peer| drop(until_closed(peer)), hurried);
    assert!(error.kind() == Kind::Io && error.message().contains("connect time-out"), "{error:?}");
    assert!(error.hint().is_some());
}

#[test]
fn a_server_that_stops_inside_its_greeting() {
    let stops = |peer: &mut TcpStream| {
        peer.write_all(&greeting(0)[..30]).unwrap();
        until_closed(peer);
    };
    let error = check_no_login(stops, hurried);
    assert!(error.kind() == Kind::Io && error.message().contains("connect time-out"), "{error:?}");
}

#[test]
fn a_server_that_lets_nobody_in_and_drips_does_not_stretch_the_time() {
    let drips = |peer: &mut TcpStream| {
        for byte in greeting(0) {
            if peer.write_all(&[byte]).is_err() {
                return;
            }
            thread::sleep(Duration::from_millis(50));
        }
    };
    let error = check_no_login(drips, hurried);
    assert!(error.message().contains("connect time-out"), "{error:?}");
}

#[test]
fn a_server_that_closes_at_once() {
    let error = check_no_login(|_| (), |config| config);
    assert_eq!(error.kind(), Kind::Io, "{error:?}");
}

#[test]
fn something_that_is_no_mysql_server() {
    for banner in
        ["SSH-2.0-OpenSSH_9.2p1\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", "220 mail ESMTP\r\n", "\0\0\0\0\0\0\0\0"]
    {
        let speaks = |peer: &mut TcpStream| peer.write_all(banner.as_bytes()).unwrap();
        let error = check_no_login(speaks, hurried);
        assert!(matches!(error.kind(), Kind::Protocol | Kind::Io), "{banner}: {error:?}");
    }
}

#[test]
fn a_server_that_is_full_says_so_in_place_of_a_greeting() {
    let full = |peer: &mut TcpStream| {
        peer.write_all(&packet(0, b"\xFF\x10\x04Too many connections")).unwrap();
    };
    let error = check_no_login(full, |config| config);
    assert_eq!((error.kind(), error.code()), (Kind::Server, 1040), "{error:?}");
}

#[test]
fn a_server_without_tls_is_refused_where_tls_is_required() {
    for mode in [TlsMode::Required, TlsMode::VerifyCa, TlsMode::VerifyFull] {
        let plain = |peer: &mut TcpStream| {
            peer.write_all(&greeting(0)).unwrap();
            assert_eq!(until_closed(peer), b"", "something was sent in the clear");
        };
        let error = check_no_login(plain, |config| config.with_tls(mode).with_password("secret"));
        assert!(error.message().contains("does not offer TLS"), "{error:?}");
        assert!(!error.hint().unwrap().contains("preferred"), "never weaker than was asked for: {error:?}");
    }
}

#[test]
fn a_server_without_tls_is_fine_where_tls_is_preferred() {
    play(
        |peer| {
            let_in(peer, 0);
            assert_eq!(read_packet(peer), [0x0E]);
            peer.write_all(&packet(1, &OK)).unwrap();
            assert_eq!(until_closed(peer), packet(0, &[0x01]), "a dropped connection says COM_QUIT");
        },
        |shell, config| Twin::connect(shell, &config).unwrap().ping().unwrap(),
    );
}

#[test]
fn a_handshake_that_fails_is_no_reason_to_go_on_without() {
    let breaks_off = |peer: &mut TcpStream| {
        peer.write_all(&greeting(SSL)).unwrap();
        let request = read_packet(peer);
        assert_eq!(request.len(), 32, "an SSLRequest and no more");
        let mut hello = [0; 5];
        peer.read_exact(&mut hello).unwrap();
        assert_eq!(hello[..2], [0x16, 0x03], "TLS begins");
        peer.write_all(b"\x15\x03\x03\x00\x02\x02\x28 this is no TLS").unwrap();
        until_closed(peer);
    };
    let error = check_no_login(breaks_off, |config| config.with_password("secret"));
    assert!(error.message().contains("the TLS handshake failed") && error.hint().is_some(), "{error:?}");
}

#[test]
fn words_put_in_before_the_handshake_are_refused() {
    let injects = |peer: &mut TcpStream| {
        let mut both = greeting(SSL);
        both.extend_from_slice(&packet(2, &OK));
        peer.write_all(&both).unwrap();
        until_closed(peer);
    };
    let error = check_no_login(injects, |config| config.with_tls(TlsMode::Required));
    assert!(error.kind() == Kind::Protocol && error.message().contains("before the TLS handshake"), "{error:?}");
}

#[test]
fn a_server_that_asks_for_a_file_nobody_offered() {
    let rogue = |peer: &mut TcpStream| {
        let_in(peer, LOCAL_FILES);
        read_packet(peer);
        peer.write_all(&packet(1, b"\xFB/etc/passwd")).unwrap();
        assert_eq!(until_closed(peer), b"", "something was sent to a rogue server");
    };
    type Verb = fn(&mut Twin) -> Error;
    let verbs: [Verb; 4] = [
        |connection| connection.ping().unwrap_err(),
        |connection| connection.query("SELECT 1").unwrap_err(),
        |connection| connection.prepare("SELECT ?").unwrap_err(),
        |connection| connection.reset().unwrap_err(),
    ];
    for verb in verbs {
        play(rogue, |shell, config| {
            let mut connection = Twin::connect(shell, &config.with_local_infile(true)).unwrap();
            let error = verb(&mut connection);
            assert!(error.kind() == Kind::Protocol && error.is_fatal(), "{error:?}");
            assert!(connection.ping().unwrap_err().message().contains("cannot be used any more"));
        });
    }
}

/// Answers the question for `max_allowed_packet`, then takes a LOAD and asks for `file`, made from the name offered.
fn ask_for(peer: &mut TcpStream, max_allowed_packet: &str, file: impl Fn(&str) -> String) {
    let_in(peer, LOCAL_FILES);
    tell_limit(peer, max_allowed_packet);
    let load = String::from_utf8(read_packet(peer)).unwrap();
    let name = load.split('\'').nth(1).unwrap();
    let body = [b"\xFB", file(name).as_bytes()].concat();
    peer.write_all(&packet(1, &body)).unwrap();
}

/// Answers the question for `max_allowed_packet` and the time zone: two columns, one row, in the old form with EOF packets.
fn tell_limit(peer: &mut TcpStream, max_allowed_packet: &str) {
    read_packet(peer);
    let column = b"\x03def\0\0\0\x01m\0\x0C\x3F\0\x15\0\0\0\x08\x81\0\0\0\0";
    let end = b"\xFE\0\0\x02\0";
    let row = [&[max_allowed_packet.len() as u8], max_allowed_packet.as_bytes(), b"\x06+00:00"].concat();
    let columns = [packet(1, &[2]), packet(2, column), packet(3, column), packet(4, end)];
    let reply = [&columns[..], &[packet(5, &row), packet(6, end)]].concat();
    peer.write_all(&reply.concat()).unwrap();
}

fn load(connection: &mut Twin) -> inrush::Result<inrush::sans_io::session::Outcome> {
    connection.load_local(|name| format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE t"), b"secret rows\n")
}

#[test]
fn a_server_that_asks_for_another_file_than_offered() {
    let wishes: [fn(&str) -> String; 5] = [
        |_| "/etc/passwd".to_owned(),
        |name| name.to_uppercase(),
        |name| format!("{name} "),
        |name| name[..name.len() - 1].to_owned(),
        |_| String::new(),
    ];
    for wish in wishes {
        let rogue = |peer: &mut TcpStream| {
            ask_for(peer, "4194304", wish);
            assert_eq!(until_closed(peer), b"", "something was sent to a rogue server");
        };
        play(rogue, |shell, config| {
            let mut connection = Twin::connect(shell, &config.with_local_infile(true)).unwrap();
            let error = load(&mut connection).unwrap_err();
            assert!(error.kind() == Kind::Protocol && error.hint().is_some(), "{error:?}");
            assert!(connection.ping().unwrap_err().is_fatal());
        });
    }
}

#[test]
fn a_server_that_asks_twice_gets_it_once() {
    let rogue = |peer: &mut TcpStream| {
        let name = std::cell::RefCell::new(String::new());
        ask_for(peer, "4194304", |offered| {
            offered.clone_into(&mut name.borrow_mut());
            offered.to_owned()
        });
        assert_eq!(read_packet(peer), b"secret rows\n");
        assert_eq!(read_packet(peer), b"");
        let body = [b"\xFB", name.borrow().as_bytes()].concat();
        peer.write_all(&packet(4, &body)).unwrap();
        assert_eq!(until_closed(peer), b"", "the content was sent twice");
    };
    play(rogue, |shell, config| {
        let mut connection = Twin::connect(shell, &config.with_local_infile(true)).unwrap();
        let error = load(&mut connection).unwrap_err();
        assert!(error.kind() == Kind::Protocol && error.is_fatal(), "{error:?}");
    });
}

#[test]
fn each_load_has_a_name_of_its_own() {
    let names = std::sync::Mutex::new(std::collections::HashSet::new());
    let honest = |peer: &mut TcpStream| {
        ask_for(peer, "4194304", |name| {
            assert!(names.lock().unwrap().insert(name.to_owned()), "`{name}` came twice");
            name.to_owned()
        });
        assert_eq!((read_packet(peer), read_packet(peer)), (b"secret rows\n".to_vec(), Vec::new()));
        peer.write_all(&packet(4, &OK)).unwrap();
        until_closed(peer);
    };
    for _ in 0..3 {
        play(honest, |shell, config| {
            load(&mut Twin::connect(shell, &config.with_local_infile(true)).unwrap()).unwrap();
        });
    }
    assert_eq!(names.lock().unwrap().len(), 6);
}

#[test]
fn content_is_cut_to_what_the_server_takes() {
    const CONTENT: usize = 20_000;
    let narrow = |peer: &mut TcpStream| {
        ask_for(peer, "4096", str::to_owned);
        let (mut n_bytes, mut n_packets) = (0, 0_u8);
        loop {
            let content = read_packet(peer);
            assert!(content.len() < 4096, "a packet of {} bytes", content.len());
            (n_bytes, n_packets) = (n_bytes + content.len(), n_packets + 1);
            if content.is_empty() {
                break;
            }
        }
        assert_eq!(n_bytes, CONTENT);
        peer.write_all(&packet(2 + n_packets, &OK)).unwrap();
        until_closed(peer);
    };
    play(narrow, |shell, config| {
        let mut connection = Twin::connect(shell, &config.with_local_infile(true)).unwrap();
        let sql = |name: &str| format!("LOAD DATA LOCAL INFILE '{name}' INTO TABLE t");
        connection.load_local(sql, &[b'x'; CONTENT]).unwrap();
    });
}

#[test]
fn a_server_whose_limit_makes_no_sense_is_not_believed() {
    for limit in ["0", "-1", "99999999999999999999", "no number"] {
        let odd = |peer: &mut TcpStream| {
            let_in(peer, LOCAL_FILES);
            tell_limit(peer, limit);
            until_closed(peer);
        };
        play(odd, |shell, config| {
            let error = Twin::connect(shell, &config).unwrap().max_allowed_packet().unwrap_err();
            assert!(error.kind() == Kind::Protocol && error.message().contains("max_allowed_packet"), "{error:?}");
        });
    }
}

#[test]
fn a_server_that_stops_inside_a_result() {
    let stops = |peer: &mut TcpStream| {
        let_in(peer, 0);
        read_packet(peer);
        peer.write_all(&packet(1, &[1])).unwrap();
        peer.write_all(b"\xFF\xFF\x0F\x02 a column definition of a megabyte, of which this is all").unwrap();
        until_closed(peer);
    };
    play(stops, |shell, config| {
        let config = config.with_read_timeout(Some(Duration::from_secs(2)));
        let error = Twin::connect(shell, &config).unwrap().query("SELECT 1").unwrap_err();
        assert!(error.kind() == Kind::Io && error.message().contains("read time-out"), "{error:?}");
    });
}

#[test]
fn a_server_that_answers_more_than_it_was_asked() {
    let talkative = |peer: &mut TcpStream| {
        let_in(peer, 0);
        read_packet(peer);
        peer.write_all(&[packet(1, &OK), packet(1, &OK)].concat()).unwrap();
        until_closed(peer);
    };
    play(talkative, |shell, config| {
        let mut connection = Twin::connect(shell, &config).unwrap();
        // The first answer is complete; what follows would be taken for the next one's.
        let _ = connection.ping();
        assert!(connection.ping().unwrap_err().is_fatal());
    });
}

/// An ERR with a code of a client, as a proxy sends it that lost its connection to the server.
fn lost(peer: &mut TcpStream, code: u16) {
    let body = [&b"\xFF"[..], &code.to_le_bytes(), b"#HY000Lost connection to the backend"].concat();
    peer.write_all(&packet(1, &body)).unwrap();
    until_closed(peer);
}

#[test]
fn a_proxy_that_lost_its_server_does_not_know_the_outcome() {
    for (code, statement, is_unknown) in [
        (2013, "INSERT INTO t VALUES (1)", true),
        (2006, "INSERT INTO t VALUES (1)", true),
        (2013, "CALL p()", true),
        (2013, "SELECT 1", false),
    ] {
        let proxy = |peer: &mut TcpStream| {
            let_in(peer, 0);
            read_packet(peer);
            lost(peer, code);
        };
        play(proxy, |shell, config| {
            let mut connection = Twin::connect(shell, &config).unwrap();
            let error = connection.execute(statement).unwrap_err();
            assert_eq!((error.code(), error.is_fatal()), (code, true), "{statement}");
            assert_eq!((error.is_outcome_unknown(), error.is_retryable()), (is_unknown, !is_unknown), "{statement}");
        });
    }
}

#[test]
fn a_commit_that_a_proxy_lost_is_not_run_again() {
    const OPEN: [u8; 7] = [0, 0, 0, 3, 0, 0, 0];
    let proxy = |peer: &mut TcpStream| {
        let_in(peer, 0);
        for _ in ["START TRANSACTION", "INSERT"] {
            read_packet(peer);
            peer.write_all(&packet(1, &OPEN)).unwrap();
        }
        assert_eq!(read_packet(peer), b"\x03COMMIT");
        lost(peer, 2013);
    };
    play(proxy, |shell, config| {
        let options = inrush::TransactionOptions::new().with_retries(5);
        let insert = "INSERT INTO t VALUES (1)";
        let error = match Twin::connect(shell, &config).unwrap() {
            Twin::Blocking(mut c) => c.transaction_with(&options, |tx| tx.execute(insert, ())).unwrap_err(),
            Twin::Tokio(mut c, runtime) => {
                runtime.block_on(c.transaction_with(&options, async |tx| tx.execute(insert, ()).await)).unwrap_err()
            }
        };
        assert!(error.is_outcome_unknown() && !error.is_retryable(), "{error:?}");
    });
}
