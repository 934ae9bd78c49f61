//! Measures the way to the server: round trips, and how fast a long statement travels over this and other ways. Reads only.

use super::facts::{Facts, Link};
use inrush::blocking::Connection;
use inrush::sans_io::Result;
use inrush::{Compression, Config, TlsMode};
use std::path::Path;
use std::time::{Duration, Instant};

/// Measures the connection, and each other way that this client could take.
pub(super) fn measure(config: &Config, connection: &mut Connection, facts: &Facts, until: Instant) -> Link {
    let status = |connection: &mut Connection, name: &str| -> Option<String> {
        let sql = format!("SHOW SESSION STATUS LIKE '{name}'");
        connection.query_opt::<(String, String)>(&sql, ()).ok()?.map(|(_, value)| value)
    };
    let mut link = Link {
        is_socket: config.uses_socket(),
        is_tls: status(connection, "Ssl_cipher").is_some_and(|cipher| !cipher.is_empty()),
        is_compressed: status(connection, "Compression").is_some_and(|value| value.eq_ignore_ascii_case("ON")),
        local_socket: local_socket(config, facts),
        round_trip: crate::facts::round_trip(connection).ok().map(Duration::from_secs_f64),
        busy: crate::facts::machine().busy,
        ..Link::default()
    };
    let most = facts.number("max_allowed_packet").unwrap_or(1 << 20).min(4 << 20) as usize;
    let text = rows_as_text(most / 2);
    link.upload = upload(connection, &text).ok();
    let over = |other: Config| match Instant::now() < until {
        true => upload(&mut Connection::connect(&other).ok()?, &text).ok(),
        false => None,
    };
    // Who asked for TLS gets no connection without it, not even for a measurement.
    if link.is_tls && config.tls() == TlsMode::Preferred {
        link.upload_plain = over(config.clone().with_tls(TlsMode::Disabled));
    }
    if let Some(socket) = link.local_socket.as_ref().filter(|_| !link.is_socket) {
        link.upload_socket = over(config.clone().with_socket(socket).with_tls(TlsMode::Disabled));
    }
    if !link.is_compressed {
        link.upload_compressed = over(config.clone().with_compression([Compression::ZSTD, Compression::ZLIB]));
    }
    link
}

/// The server's socket, if the server is on this machine.
fn local_socket(config: &Config, facts: &Facts) -> Option<String> {
    let is_local = matches!(config.host(), "localhost" | "127.0.0.1" | "::1")
        || facts.var("hostname") == Some(&*rustix::system::uname().nodename().to_string_lossy());
    let socket = facts.var("socket").filter(|socket| is_local && Path::new(socket).exists())?;
    Some(socket.to_owned())
}

/// Bytes a second of a statement that carries the text: the best of some, as other work only slows it. They become longer as long as they
/// are quick, so that a slow network does not carry a long one.
fn upload(connection: &mut Connection, text: &str) -> Result<f64> {
    let (mut best, mut bytes): (f64, _) = (0.0, FIRST_BYTES.min(text.len()));
    let began = Instant::now();
    for n in 0..STATEMENTS {
        if n > 1 && began.elapsed() > ENOUGH {
            break;
        }
        let sql = format!("SELECT LENGTH('{}')", &text[..bytes]);
        let sent = Instant::now();
        connection.query_one::<u64>(&sql, ())?;
        let took = sent.elapsed();
        best = best.max(sql.len() as f64 / took.as_secs_f64().max(1e-9));
        if took < QUICK {
            bytes = (bytes * 4).min(text.len());
        }
    }
    Ok(best)
}

/// So many bytes of text that looks like rows, and compresses like rows; each is a character.
fn rows_as_text(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 200);
    let mut n: u64 = 0x9E37_79B9_7F4A_7C15;
    while text.len() < bytes {
        n = n.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("{},{:016x},2026-{:02}-{:02},customer {};", n >> 44, n, n % 12 + 1, n % 28 + 1, n >> 50);
    }
    text
}

const STATEMENTS: usize = 9;
const FIRST_BYTES: usize = 64 << 10;
/// A statement that takes longer is long enough.
const QUICK: Duration = Duration::from_millis(60);
/// No measurement takes longer than that.
const ENOUGH: Duration = Duration::from_millis(600);
