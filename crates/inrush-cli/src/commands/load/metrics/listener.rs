//! Answers `GET /metrics` in HTTP/1.1, a connection at a time, each closed after its answer.
//!
//! Whatever a client sends or leaves out, it costs at most [`MAY_TAKE`] and [`MOST_BYTES`], and the load does not wait for it.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// How long one client may take to ask.
const MAY_TAKE: Duration = Duration::from_secs(5);

/// How many bytes a request may have: its first line and its headers. Nothing of them but the first line is used.
const MOST_BYTES: usize = 16 << 10;

/// Answers for as long as the process lives.
pub(super) fn answer(listener: &TcpListener, text: impl Fn() -> String) {
    for client in listener.incoming() {
        match client {
            // A client that is gone gets no answer.
            Ok(client) => drop(serve(client, &text)),
            // Perhaps there is no file descriptor left: do not ask again at once.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
    }
}

fn serve(mut client: TcpStream, text: &impl Fn() -> String) -> std::io::Result<()> {
    let head = read_head(&mut client)?;
    let (status, content_type, body) = respond(&head, text);
    let length = body.len();
    let has_body = !head.starts_with(b"HEAD ");
    let mut answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    if has_body {
        answer += &body;
    }
    client.set_write_timeout(Some(MAY_TAKE))?;
    client.write_all(answer.as_bytes())
}

/// Reads until the empty line that ends the headers.
fn read_head(client: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let (began, mut head) = (Instant::now(), Vec::new());
    let mut buffer = [0; 4096];
    loop {
        let left = MAY_TAKE.saturating_sub(began.elapsed());
        if left.is_zero() || head.len() >= MOST_BYTES {
            return Err(std::io::ErrorKind::InvalidData.into());
        }
        client.set_read_timeout(Some(left))?;
        let n_read = client.read(&mut buffer)?;
        if n_read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        head.extend_from_slice(&buffer[..n_read]);
        if head.windows(4).any(|end| end == b"\r\n\r\n") || head.windows(2).any(|end| end == b"\n\n") {
            return Ok(head);
        }
    }
}

/// The status, the content type and the body of the answer.
fn respond(head: &[u8], text: &impl Fn() -> String) -> (&'static str, &'static str, String) {
    const PLAIN: &str = "text/plain; charset=utf-8";
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let mut words = first.split(|byte| byte.is_ascii_whitespace());
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split(|byte| *byte == b'?').next().unwrap_or_default();
    match (method, path) {
        (b"GET" | b"HEAD", b"/metrics") => ("200 OK", "text/plain; version=0.0.4; charset=utf-8", text()),
        (b"GET" | b"HEAD", _) => ("404 Not Found", PLAIN, "the metrics are at /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed\r\nAllow: GET, HEAD", PLAIN, "GET /metrics\n".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Shutdown;

    /// What comes back for these bytes.
    fn ask(request: &[u8]) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(request).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        let _ = serve(listener.accept().unwrap().0, &|| "up 1\n".to_owned());
        let mut answer = Vec::new();
        // A client that sent too much is cut off.
        let _ = client.read_to_end(&mut answer);
        String::from_utf8(answer).unwrap()
    }

    #[test]
    fn requests_and_what_they_get() {
        let check = |request: &str, status: &str, end: &str| {
            let answer = ask(request.as_bytes());
            assert!(answer.starts_with(status) && answer.ends_with(end), "{request:?}: {answer}");
        };
        let ok = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 5\r\n";
        check("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n", ok, "\r\n\r\nup 1\n");
        check("GET /metrics?x=1 HTTP/1.1\r\n\r\n", ok, "\r\n\r\nup 1\n");
        check("GET /metrics\n\n", ok, "\r\n\r\nup 1\n");
        check("HEAD /metrics HTTP/1.1\r\n\r\n", ok, "Connection: close\r\n\r\n");
        check("GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 ", "the metrics are at /metrics\n");
        check("GET /metricsx HTTP/1.1\r\n\r\n", "HTTP/1.1 404 ", "/metrics\n");
        check("POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 ", "GET /metrics\n");
        check("\r\n\r\n", "HTTP/1.1 405 ", "GET /metrics\n");
    }
    #[test]
    fn what_is_no_request_gets_no_answer() {
        for request in [&b""[..], b"GET /metrics HTTP/1.1\r\n", &[b'a'; 3 * MOST_BYTES]] {
            assert_eq!(ask(request), "", "{} bytes", request.len());
        }
    }
}
