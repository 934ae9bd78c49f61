//! The program with a collector of the test's own: the spans of a load arrive there, with their names and fields, on every test server.
#![allow(clippy::unwrap_used, clippy::panic)]

use inrush_testkit::servers;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::thread;

#[test]
fn a_collector_gets_the_spans_of_a_load() {
    for server in servers::all() {
        let schema = server.schema("otlp");
        schema.sql("CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(9), age TINYINT UNSIGNED)");
        let file = tempfile::Builder::new().suffix(".csv").tempfile().unwrap();
        std::fs::write(file.path(), "id,name,age\n1,Ann,40\n2,Bob,secret\n3,Cy,42\n").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let collector = thread::spawn(move || collect(&listener));

        let output = Command::new(env!("CARGO_BIN_EXE_traces"))
            .args([file.path().to_str().unwrap(), "people"])
            .env("INRUSH_URL", schema.url())
            .env("OTEL_EXPORTER_OTLP_ENDPOINT", &endpoint)
            .output()
            .unwrap();
        // Whoever connects without a request ends the collector.
        drop(TcpStream::connect(endpoint.trim_start_matches("http://")).unwrap());
        let received = collector.join().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "3 read, 2 stored, 1 rejected\n");
        // Texts are in the messages as they are.
        let has = |text: &str| received.windows(text.len()).any(|some| some == text.as_bytes());
        for text in
            ["nightly-load", "inrush.load", "inrush.load.chunk", "db.collection.name", "people", "a record is rejected"]
        {
            assert!(has(text), "{}: no `{text}`", server.instance);
        }
        assert!(!has("secret") && !has(&server.password), "{}", server.instance);
    }
}

/// The bodies of all requests to `/v1/traces`, until a connection has none.
fn collect(listener: &TcpListener) -> Vec<u8> {
    let mut received = Vec::new();
    loop {
        let mut stream = BufReader::new(listener.accept().unwrap().0);
        let mut n_requests = 0;
        while let Some(body) = request(&mut stream) {
            n_requests += 1;
            received.extend(body);
            stream.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
        }
        if n_requests == 0 {
            return received;
        }
    }
}

/// The body of the next request; `None` at the end of the connection.
fn request(stream: &mut BufReader<TcpStream>) -> Option<Vec<u8>> {
    let mut length = None;
    let mut first = None;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let line = line.trim_end();
        first.get_or_insert_with(|| line.to_owned());
        if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().ok();
        }
        if line.is_empty() {
            break;
        }
    }
    assert!(first.unwrap().starts_with("POST /v1/traces "));
    let mut body = vec![0; length.unwrap()];
    stream.read_exact(&mut body).unwrap();
    Some(body)
}
