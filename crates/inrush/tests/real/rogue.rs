//! Servers that give endless answers, or hold a client by a byte now and then.

use crate::cases::{Shell, Twin};
use crate::scripted::{SSL, check_no_login, greeting, hurried, let_in, packet, play, read_packet};
use inrush::{Config, Error, Kind, blocking};
use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

/// A result set of text columns whose only row comes again and again, until nobody takes it any more.
fn repeat_a_row(peer: &mut TcpStream, n_columns: u8, value: &[u8]) {
    let mut answer = packet(1, &[n_columns]);
    for column in 0..n_columns {
        let mut body = b"\x03def\0\0\0\x01c\0\x0C\xFF\0".to_vec();
        body.extend_from_slice(&[0, 1, 0, 0, 253, 0, 0, 0, 0, 0]);
        answer.extend(packet(2 + column, &body));
    }
    answer.extend(packet(2 + n_columns, &[0xFE, 0, 0, 2, 0]));
    peer.write_all(&answer).unwrap();
    let mut row = Vec::new();
    for _ in 0..n_columns {
        row.push(value.len() as u8);
        row.extend_from_slice(value);
    }
    let mut sequence = 3 + n_columns;
    loop {
        let mut rows = Vec::new();
        for _ in 0..1000 {
            rows.extend(packet(sequence, &row));
            sequence = sequence.wrapping_add(1);
        }
        if peer.write_all(&rows).is_err() {
            return;
        }
    }
}

fn insert(shell: Shell, config: &Config) -> Error {
    const SQL: &str = "INSERT INTO s.t VALUES (?)";
    let rows = [(1,), (2,)];
    match shell {
        Shell::Blocking => blocking::Connection::connect(config).unwrap().execute_batch(SQL, &rows).unwrap_err(),
        Shell::Tokio => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                inrush::Connection::connect(config).await.unwrap().execute_batch(SQL, &rows).await.unwrap_err()
            })
        }
    }
}

#[test]
fn an_endless_answer_to_a_question_of_ours_is_an_error() {
    for value in [&b"BASE TABLE"[..], b""] {
        let script = |peer: &mut TcpStream| {
            let_in(peer, 0);
            let question = read_packet(peer);
            assert!(question.windows(18).any(|part| part == b"information_schema"));
            repeat_a_row(peer, 6, value);
        };
        play(script, |shell, config| {
            let error = insert(shell, &config.with_max_result(4 << 20));
            assert!(error.kind() == Kind::Protocol && error.is_fatal(), "{error:?}");
            assert!(error.message().contains("more than 4194304 bytes"), "{error:?}");
        });
    }
}

#[test]
fn an_endless_answer_to_a_question_for_settings_is_an_error() {
    let script = |peer: &mut TcpStream| {
        let_in(peer, 0);
        read_packet(peer);
        repeat_a_row(peer, 2, b"1048576");
    };
    play(script, |shell, config| {
        let mut connection = Twin::connect(shell, &config.with_max_result(1 << 20)).unwrap();
        let error = connection.max_allowed_packet().unwrap_err();
        assert!(error.kind() == Kind::Protocol && error.is_fatal(), "{error:?}");
    });
}

/// Sends these bytes one by one, for far longer than anybody waits, and closes.
fn drip(peer: &mut TcpStream, bytes: &[u8]) {
    for byte in bytes.iter().cycle().take(600) {
        if peer.write_all(&[*byte]).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_drip_after_the_login_does_not_stretch_the_read_timeout() {
    let drips = |peer: &mut TcpStream| {
        let_in(peer, 0);
        read_packet(peer);
        peer.write_all(b"\xF0\x0F\0\x01\0\0\0\x02\0\0\0").unwrap();
        drip(peer, b"x");
    };
    play(drips, |shell, config| {
        let config = config.with_read_timeout(Some(Duration::from_secs(2)));
        let error = Twin::connect(shell, &config).unwrap().ping().unwrap_err();
        assert!(error.is_timeout() && error.message().contains("read time-out"), "{error:?}");
    });
}

#[test]
fn a_drip_within_the_handshake_does_not_stretch_the_connect_timeout() {
    let drips = |peer: &mut TcpStream| {
        peer.write_all(&greeting(SSL)).unwrap();
        read_packet(peer);
        // A record of TLS that is never complete.
        peer.write_all(b"\x16\x03\x03\x3F\0\x02").unwrap();
        drip(peer, b"\0");
    };
    let error = check_no_login(drips, hurried);
    assert!(error.is_timeout() && error.message().contains("connect time-out"), "{error:?}");
}
