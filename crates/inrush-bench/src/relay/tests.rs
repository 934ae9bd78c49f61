use super::*;
use std::time::Duration;

/// A server that answers each line with the same line, on a port or on a socket; it says `bye` when a client has said its last.
fn echo(on_socket: bool) -> (Address, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let listener = match on_socket {
        true => {
            let path = folder.path().join("echo.sock");
            Listener::Unix(UnixListener::bind(&path).unwrap(), path)
        }
        false => Listener::Tcp(TcpListener::bind("127.0.0.1:0").unwrap()),
    };
    let address = listener.address().unwrap();
    thread::spawn(move || {
        while let Ok(mut stream) = listener.accept() {
            thread::spawn(move || {
                let mut bytes = vec![0; 64 << 10];
                while let Ok(n @ 1..) = stream.read(&mut bytes) {
                    stream.write_all(&bytes[..n]).unwrap();
                }
                let _ = stream.write_all(b"bye");
            });
        }
    });
    (address, folder)
}

fn link(ms: u64) -> Link {
    Link { round_trip: Duration::from_millis(ms), ..Link::default() }
}

fn ask(stream: &mut Stream, question: &[u8]) -> (Vec<u8>, Duration) {
    let start = Instant::now();
    stream.write_all(question).unwrap();
    let mut answer = vec![0; question.len()];
    stream.read_exact(&mut answer).unwrap();
    (answer, start.elapsed())
}

#[test]
fn a_question_takes_a_round_trip_at_least() {
    for on_socket in [false, true] {
        let (server, _folder) = echo(on_socket);
        let relay = Relay::start(server, &link(20)).unwrap();
        let mut stream = relay.address().connect().unwrap();
        for _ in 0..3 {
            let (answer, took) = ask(&mut stream, b"hello");
            assert_eq!(answer, b"hello");
            assert!(took >= Duration::from_millis(20), "{took:?}");
        }
    }
}

#[test]
fn bytes_come_in_order_while_others_are_under_way() {
    let (server, _folder) = echo(true);
    for jitter in [0, 3] {
        let relay = Relay::start(server.clone(), &Link { jitter: Duration::from_millis(jitter), ..link(10) }).unwrap();
        let mut stream = relay.address().connect().unwrap();
        let mut back = stream.try_clone().unwrap();
        let sent: Vec<u8> = (0..3_000_000_u32).map(|i| (i * 7 % 251) as u8).collect();
        let (same, n) = (sent.clone(), sent.len());
        let writer = thread::spawn(move || {
            // In pieces of many sizes.
            let mut rest = &same[..];
            while !rest.is_empty() {
                let (piece, others) = rest.split_at((rest.len() % 1_009 + 1).min(rest.len()));
                stream.write_all(piece).unwrap();
                rest = others;
            }
        });
        let mut came = vec![0; n];
        back.read_exact(&mut came).unwrap();
        writer.join().unwrap();
        assert!(came == sent, "not what was sent");
    }
}

#[test]
fn a_narrow_link_takes_its_time() {
    let (server, _folder) = echo(true);
    let relay = Relay::start(server, &Link { bytes_per_second: Some(1_000_000), ..Link::default() }).unwrap();
    let mut stream = relay.address().connect().unwrap();
    let (_, took) = ask(&mut stream, &vec![7; 50_000]);
    assert!(took >= Duration::from_millis(50), "{took:?}");
}

#[test]
fn one_side_may_end_before_the_other() {
    for ms in [0, 10] {
        let (server, _folder) = echo(false);
        let relay = Relay::start(server, &link(ms)).unwrap();
        let mut stream = relay.address().connect().unwrap();
        ask(&mut stream, b"hello");
        stream.shutdown(Shutdown::Write);
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
        assert_eq!(rest, b"bye", "at {ms} ms");
    }
}

#[test]
fn many_connections_at_a_time() {
    let (server, _folder) = echo(true);
    let relay = Relay::start(server, &link(5)).unwrap();
    thread::scope(|scope| {
        for number in 0..40_u8 {
            let relay = &relay;
            scope.spawn(move || {
                let mut stream = relay.address().connect().unwrap();
                for _ in 0..5 {
                    assert_eq!(ask(&mut stream, &[number; 300]).0, [number; 300]);
                }
            });
        }
    });
}

#[test]
fn a_server_that_is_not_there_is_a_closed_connection() {
    let relay = Relay::start(Address::Unix("nowhere.sock".into()), &link(1)).unwrap();
    let mut stream = relay.address().connect().unwrap();
    let _ = stream.write_all(b"hello");
    assert_eq!(stream.read(&mut [0; 10]).unwrap_or(0), 0);
}

#[test]
fn it_leaves_nothing_behind() {
    let (server, _folder) = echo(true);
    let relay = Relay::start(server, &link(1)).unwrap();
    let address = relay.address().clone();
    let Address::Unix(path) = &address else { panic!("it listens on {address:?}") };
    assert!(path.exists());
    let mut before = address.connect().unwrap();
    ask(&mut before, b"hello");
    drop(relay);
    assert!(!path.exists() && address.connect().is_err());
    assert_eq!(ask(&mut before, b"hello").0, b"hello", "a connection goes on");
}
