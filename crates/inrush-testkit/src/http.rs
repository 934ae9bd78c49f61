//! Plain HTTP requests to servers on the loopback address: how a test puts objects into a store and reads them, without our own client.

use crate::patience::patience;
use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;

/// What a server answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// `200`.
    pub status: u16,
    /// All of its body.
    pub body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// Sends a request to `http://HOST:PORT/PATH`, which must be escaped, and returns the answer.
///
/// # Panics
/// If the server does not answer.
#[track_caller]
pub fn request(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
    try_request(method, url, headers, body).unwrap_or_else(|e| panic!("{method} {url}: {e}"))
}

/// The same with an error.
///
/// # Errors
/// If the server does not answer.
pub fn try_request(method: &str, url: &str, headers: &[(&str, &str)], body: &[u8]) -> io::Result<Answer> {
    let rest = url.strip_prefix("http://").ok_or_else(|| io::Error::other("it is not plain HTTP"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let mut head = format!("{method} /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", body.len());
    let mut stream = TcpStream::connect(host)?;
    stream.set_read_timeout(Some(patience()))?;
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    parsed(&answer).ok_or_else(|| io::Error::other(String::from_utf8_lossy(&answer).into_owned()))
}

fn parsed(answer: &[u8]) -> Option<Answer> {
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n")?;
    let head = std::str::from_utf8(&answer[..end]).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = &answer[end + 4..];
    let is_chunked = head.to_ascii_lowercase().contains("\r\ntransfer-encoding: chunked");
    Some(Answer { status, body: if is_chunked { unchunked(body)? } else { body.to_vec() } })
}

fn unchunked(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|bytes| bytes == b"\r\n")?;
        let n = usize::from_str_radix(std::str::from_utf8(&rest[..end]).ok()?.trim(), 16).ok()?;
        if n == 0 {
            return Some(body);
        }
        body.extend_from_slice(rest.get(end + 2..end + 2 + n)?);
        rest = rest.get(end + 4 + n..)?;
    }
}

/// A text as a part of a URL: all but letters, digits, `-._~` and `/` is escaped.
pub fn escaped(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    text.bytes()
        .map(|byte| if is_plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_with_and_without_chunks() {
        let chunked = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";
        let plain = b"HTTP/1.1 404 Not Found\r\nX: y\r\n\r\nnone";
        for (answer, status, body) in [(&chunked[..], 200, "abcd"), (plain, 404, "none")] {
            let answer = parsed(answer).unwrap();
            assert_eq!((answer.status, &answer.text()[..]), (status, body));
        }
    }

    #[test]
    fn keys_in_urls() {
        assert_eq!(escaped("a b+c%20/é"), "a%20b%2Bc%2520/%C3%A9");
    }
}
