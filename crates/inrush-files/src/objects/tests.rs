//! Objects over HTTP, with a server whose faults are scripted.

use super::{Object, ObjectReader, Opened, open};
use crate::address::Address;
use inrush_core::error::{Error, Kind};
use inrush_testkit::object_server::{Act, ObjectServer, Request};
use std::io::Read;

/// 3 MB, of which no two blocks are alike.
fn content() -> Vec<u8> {
    (0u32..3_000_000 / 4).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect()
}

fn served(policy: impl Fn(&Request) -> Act + Send + Sync + 'static) -> (ObjectServer, Address) {
    let server = ObjectServer::start();
    server.put("/d/x.bin", content());
    server.set_policy(policy);
    let address = Address::parse(&format!("{}/d/x.bin", server.url())).unwrap().unwrap();
    (server, address)
}

fn object(address: &Address) -> Object {
    match open(address).unwrap() {
        Opened::Object(object) => object,
        Opened::Stream(_) | Opened::Missing(_) => panic!("no object"),
    }
}

fn read_all(object: &Object) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    ObjectReader::new(object, 0).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn own(error: std::io::Error) -> Error {
    Error::io("cannot read", error)
}

#[test]
fn is_read_from_any_place() {
    let (_server, address) = served(|_| Act::Answer);
    let (object, content) = (object(&address), content());
    assert_eq!(object.size(), content.len() as u64);
    assert!(object.etag().is_some() && object.modified().is_some());
    for (at, bytes) in [(0, 5), (0, 70_000), (65_535, 2), (65_536, 1), (1_000_001, 1_500_000), (2_999_999, 1)] {
        let mut read = vec![0; bytes];
        ObjectReader::new(&object, at as u64).read_exact(&mut read).unwrap();
        assert!(read == content[at..at + bytes], "{bytes} bytes at {at}");
        let mut read = Vec::new();
        ObjectReader::exact(&object, at as u64, bytes as u64).read_to_end(&mut read).unwrap();
        assert!(read == content[at..at + bytes], "exactly {bytes} bytes at {at}");
    }
    assert!(read_all(&object).unwrap() == content);
    assert_eq!(ObjectReader::new(&object, 3_000_000).read(&mut [0; 8]).unwrap(), 0);
}

#[test]
fn bytes_are_passed_over() {
    let (_server, address) = served(|_| Act::Answer);
    let (object, content) = (object(&address), content());
    let mut reader = ObjectReader::new(&object, 10);
    let (mut at, mut read) = (10, [0; 100]);
    for pass in [0, 5, 70_000, 1_000_000, 50] {
        reader.pass(pass);
        at += pass as usize;
        reader.read_exact(&mut read).unwrap();
        assert_eq!(read, content[at..at + 100], "after {pass}");
        at += 100;
    }
    reader.pass(u64::MAX);
    assert_eq!(reader.read(&mut read).unwrap(), 0);
}

#[test]
fn a_cut_answer_is_continued() {
    let (server, address) = served(|request| if request.nth % 3 < 2 { Act::Cut(50_000) } else { Act::Answer });
    assert!(read_all(&object(&address)).unwrap() == content());
    assert!(server.requests().len() > 4);
}

#[test]
fn a_cut_answer_is_continued_without_an_etag() {
    let (_server, address) = served(|request| if request.nth % 2 == 1 { Act::Cut(0) } else { Act::Anonymous });
    // A cut answer has an ETag, which is another one than none.
    let error = own(read_all(&object(&address)).unwrap_err());
    assert!(error.message().contains("was written to"), "{error}");
    let (_server, address) = served(|_| Act::Anonymous);
    assert!(read_all(&object(&address)).unwrap() == content());
}

#[test]
fn a_busy_server_is_asked_again() {
    let (server, address) = served(|request| match request.nth % 2 {
        0 => Act::Fail(503, "<Error><Code>SlowDown</Code></Error>".into()),
        _ => Act::Answer,
    });
    assert!(read_all(&object(&address)).unwrap() == content());
    assert!(server.requests().len() >= 4);
}

#[test]
fn another_content_is_noticed() {
    let changed = |request: &Request| match request.nth {
        2 => Act::Replace(b"x".repeat(3_000_000)),
        _ => Act::Answer,
    };
    let (_server, address) = served(changed);
    let object = object(&address);
    let error = own(read_all(&object).unwrap_err());
    assert_eq!(error.kind(), Kind::Data);
    assert!(error.message().contains("was written to while it was loaded"), "{error}");
    assert_eq!(object.failure().unwrap().message(), error.message());
}

#[test]
fn another_size_without_an_etag_is_noticed() {
    let (server, address) = served(|_| Act::Anonymous);
    let object = object(&address);
    server.put("/d/x.bin", b"short".to_vec());
    let error = object.compare().unwrap_err();
    assert!(error.message().contains("had 3000000 bytes and has 5"), "{error}");
}

#[test]
fn a_server_without_ranges_sends_all() {
    let (_server, address) = served(|_| Act::Whole);
    let Opened::Stream(mut stream) = open(&address).unwrap() else { panic!("by ranges") };
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    assert!(bytes == content());
}

#[test]
fn an_empty_object_has_no_ranges() {
    let (server, address) = served(|_| Act::Answer);
    server.put("/d/x.bin", Vec::new());
    assert_eq!(object(&address).size(), 0);
    assert!(read_all(&object(&address)).unwrap().is_empty());
}

#[test]
fn failures_say_what_to_do() {
    let xml = |code: &str| format!("<Error><Code>{code}</Code><Message>it says\u{1b}[31m</Message></Error>");
    let cases = [
        (404, xml("NoSuchBucket"), Kind::Config, "there is no bucket"),
        (403, xml("AccessDenied"), Kind::Config, "access is denied (AccessDenied)"),
        (403, "Request has expired".into(), Kind::Config, "has expired"),
        (400, xml("ExpiredToken"), Kind::Config, "has expired"),
        (401, String::new(), Kind::Config, "access is denied (401 Unauthorized)"),
        (400, xml("Odd"), Kind::Io, "the server answers 400 Bad Request: Odd: it says\\u{1b}[31m"),
    ];
    for (status, body, kind, says) in cases {
        let (_server, address) = served(move |_| Act::Fail(status, body.clone()));
        let error = open(&address).err().unwrap();
        assert_eq!(error.kind(), kind, "{status}: {error}");
        assert!(error.message().contains(says), "{status}: {error}");
    }
}

#[test]
fn an_object_that_is_missing_is_no_failure() {
    let (_server, address) = served(|_| Act::Fail(404, "<Error><Code>NoSuchKey</Code></Error>".into()));
    let Opened::Missing(error) = open(&address).unwrap() else { panic!("it is there") };
    assert!(error.message().ends_with("there is no such object"), "{error}");
}

#[test]
fn a_server_that_is_away_is_named() {
    let server = ObjectServer::start();
    let url = format!("{}/x.csv?sig=secret", server.url());
    drop(server);
    let error = open(&Address::parse(&url).unwrap().unwrap()).err().unwrap();
    assert!(error.message().contains("/x.csv`") && error.message().contains("refused"), "{error}");
    assert!(!error.to_string().contains("secret") && error.hint().unwrap().contains("no server listens"), "{error}");
}

#[test]
fn a_signature_is_sent() {
    let (server, _) = served(|_| Act::Answer);
    let url = format!("{}/d/x.bin?X-Sig=a%2Fb&y=1", server.url());
    object(&Address::parse(&url).unwrap().unwrap());
    assert_eq!(server.requests()[0].query, "X-Sig=a%2Fb&y=1");
}
