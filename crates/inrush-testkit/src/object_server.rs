//! A small HTTP server for objects, whose faults are scripted: it speaks what an S3 client needs (ranges, ETags, lists, uploads in
//! parts), and plain HTTP.
//!
//! A connection is a thread. Signatures are not checked. Before each answer the server asks the test's [`Policy`] what it does with the
//! request.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A request that arrived.
#[derive(Clone, Debug)]
pub struct Request {
    /// `GET`, `HEAD`, `PUT`, `POST`, `DELETE`.
    pub method: String,
    /// The path, decoded, with `/` at its beginning: `/bucket/key`.
    pub path: String,
    /// What follows `?`, unchanged.
    pub query: String,
    /// The headers, by their names in small letters.
    pub headers: BTreeMap<String, String>,
    /// How many requests with the same method and path were before it.
    pub nth: usize,
}

impl Request {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    /// The value of a parameter of the query, decoded.
    pub fn parameter(&self, name: &str) -> Option<String> {
        let mut all = self.query.split('&').filter_map(|pair| pair.split_once('=').or(Some((pair, ""))));
        all.find(|(known, _)| *known == name).map(|(_, value)| decoded(&value.replace('+', " ")))
    }
}

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Act {
    /// Answers it.
    Answer,
    /// Answers it with this status and body alone.
    Fail(u16, String),
    /// Sends so many bytes of the body, and closes the connection.
    Cut(usize),
    /// Sends so many bytes of the body, and no more until [`ObjectServer::release`].
    Stall(usize),
    /// Sends the whole object, whatever range was requested.
    Whole,
    /// Replaces the object, and then answers.
    Replace(Vec<u8>),
    /// Answers without an ETag and a time of change.
    Anonymous,
}

/// Decides about each request.
pub type Policy = dyn Fn(&Request) -> Act + Send + Sync;

/// The server; it ends when it is dropped.
#[derive(Debug)]
pub struct ObjectServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    state: Mutex<State>,
    released: (Mutex<bool>, Condvar),
    is_over: AtomicBool,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

struct State {
    objects: BTreeMap<String, Vec<u8>>,
    uploads: BTreeMap<String, Upload>,
    n_uploads: usize,
    requests: Vec<Request>,
    policy: Arc<Policy>,
}

/// An upload that is not complete.
struct Upload {
    path: String,
    parts: BTreeMap<u32, Vec<u8>>,
}

impl ObjectServer {
    /// Listens on a free port of this machine.
    ///
    /// # Panics
    /// If it cannot.
    pub fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let address = listener.local_addr().expect("its address");
        let state = State {
            objects: BTreeMap::new(),
            uploads: BTreeMap::new(),
            n_uploads: 0,
            requests: Vec::new(),
            policy: Arc::new(|_| Act::Answer),
        };
        let released = (Mutex::new(false), Condvar::new());
        let shared = Arc::new(Shared { state: Mutex::new(state), released, is_over: AtomicBool::new(false) });
        let own = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming() {
                if own.is_over.load(SeqCst) {
                    return;
                }
                let shared = own.clone();
                if let Ok(stream) = stream {
                    thread::spawn(move || serve(&shared, &stream));
                }
            }
        });
        Self { address, shared }
    }

    /// `http://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stores an object under its path, `/bucket/key`.
    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.shared.state().objects.insert(path.to_owned(), bytes.into());
    }

    /// The content of an object.
    pub fn get(&self, path: &str) -> Option<Vec<u8>> {
        self.shared.state().objects.get(path).cloned()
    }

    /// The paths of all objects.
    pub fn paths(&self) -> Vec<String> {
        self.shared.state().objects.keys().cloned().collect()
    }

    /// Uploads that are neither complete nor aborted.
    pub fn open_uploads(&self) -> usize {
        self.shared.state().uploads.len()
    }

    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.state().requests.clone()
    }

    /// From now on this decides about each request.
    pub fn set_policy(&self, policy: impl Fn(&Request) -> Act + Send + Sync + 'static) {
        self.shared.state().policy = Arc::new(policy);
    }

    /// Ends all stalls.
    pub fn release(&self) {
        *lock(&self.shared.released.0) = true;
        self.shared.released.1.notify_all();
    }
}

impl Drop for ObjectServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, SeqCst);
        self.release();
        // The listener waits for one more connection.
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(shared: &Shared, stream: &TcpStream) {
    let mut reader = BufReader::new(stream);
    while let Ok(Some((mut request, body))) = read_request(&mut reader) {
        let act = {
            let mut state = shared.state();
            let is_same = |other: &&Request| (&other.method, &other.path) == (&request.method, &request.path);
            request.nth = state.requests.iter().filter(is_same).count();
            state.requests.push(request.clone());
            state.policy.clone()
        }(&request);
        if !matches!(answer(shared, stream, &request, body, act), Ok(true)) {
            return;
        }
    }
}

fn read_request(reader: &mut impl BufRead) -> io::Result<Option<(Request, Vec<u8>)>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace();
    let (method, target) = (words.next().unwrap_or_default().to_owned(), words.next().unwrap_or_default());
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let (path, query) = (decoded(path), query.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((Request { method, path, query, headers, nth: 0 }, body)))
}

/// Answers a request; returns whether the connection stays open.
fn answer(shared: &Shared, stream: &TcpStream, request: &Request, body: Vec<u8>, act: Act) -> io::Result<bool> {
    let is_head = request.method == "HEAD";
    let mut act = act;
    if let Act::Fail(status, text) = &act {
        send(stream, *status, &[], text.as_bytes(), text.len(), is_head)?;
        return Ok(true);
    }
    if let Act::Replace(bytes) = &mut act {
        let bytes = std::mem::take(bytes);
        shared.state().objects.insert(request.path.clone(), bytes);
    }
    match &request.method[..] {
        "GET" | "HEAD" => get(shared, stream, request, &act),
        _ => {
            let (status, headers, text) = change(shared, request, body);
            if let Act::Cut(_) = act {
                return Ok(false);
            }
            let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, &value[..])).collect();
            send(stream, status, &headers, text.as_bytes(), text.len(), false)?;
            Ok(true)
        }
    }
}

fn get(shared: &Shared, stream: &TcpStream, request: &Request, act: &Act) -> io::Result<bool> {
    let is_head = request.method == "HEAD";
    let fail = |status, code: &str| {
        let text = error(code);
        send(stream, status, &[], text.as_bytes(), text.len(), is_head).map(|()| true)
    };
    let (bucket, key) = request.path[1..].split_once('/').unwrap_or((&request.path[1..], ""));
    if request.parameter("list-type").is_some() {
        let text = list(shared, bucket, request);
        send(stream, 200, &[], text.as_bytes(), text.len(), is_head)?;
        return Ok(true);
    }
    let object = shared.state().objects.get(&request.path).cloned();
    let Some(bytes) = object else {
        let has_bucket = shared.state().objects.keys().any(|path| path.starts_with(&format!("/{bucket}/")));
        return fail(404, if has_bucket || key.is_empty() { "NoSuchKey" } else { "NoSuchBucket" });
    };
    let etag = etag(&bytes);
    if request.header("if-match").is_some_and(|wanted| wanted != etag && wanted != "*") {
        return fail(412, "PreconditionFailed");
    }
    let range = request.header("range").filter(|_| !matches!(act, Act::Whole)).and_then(range);
    let (status, range, of) = match range {
        None => (200, 0..bytes.len(), None),
        Some((start, _)) if start >= bytes.len() => return fail(416, "InvalidRange"),
        Some((start, end)) => {
            let end = end.map_or(bytes.len(), |end| bytes.len().min(end + 1));
            (206, start..end, Some(format!("bytes {start}-{}/{}", end - 1, bytes.len())))
        }
    };
    let mut headers = vec![("Accept-Ranges", "bytes")];
    if !matches!(act, Act::Anonymous) {
        headers.extend([("ETag", &etag[..]), ("Last-Modified", "Fri, 27 Nov 2026 10:00:00 GMT")]);
    }
    headers.extend(of.as_deref().map(|of| ("Content-Range", of)));
    let body = &bytes[range];
    let sent = match act {
        Act::Cut(n) | Act::Stall(n) => &body[..(*n).min(body.len())],
        _ => body,
    };
    send(stream, status, &headers, sent, body.len(), is_head)?;
    match act {
        Act::Cut(_) => Ok(false),
        Act::Stall(_) => {
            let mut is_released = lock(&shared.released.0);
            while !*is_released {
                is_released = shared.released.1.wait(is_released).unwrap_or_else(PoisonError::into_inner);
            }
            (&mut &*stream).write_all(&body[sent.len()..])?;
            Ok(true)
        }
        _ => Ok(true),
    }
}

/// Uploads and deletions: the status, headers and the body of the answer.
fn change(shared: &Shared, request: &Request, body: Vec<u8>) -> (u16, Vec<(&'static str, String)>, String) {
    let mut state = shared.state();
    let upload = request.parameter("uploadId");
    let none = || (404, Vec::new(), error("NoSuchUpload"));
    match (&request.method[..], upload) {
        ("PUT", None) => {
            let tag = etag(&body);
            if request.header("if-none-match") == Some("*") && state.objects.contains_key(&request.path) {
                return (412, Vec::new(), error("PreconditionFailed"));
            }
            state.objects.insert(request.path.clone(), body);
            (200, vec![("ETag", tag)], String::new())
        }
        ("PUT", Some(id)) => {
            let tag = etag(&body);
            let number = request.parameter("partNumber").and_then(|number| number.parse().ok()).unwrap_or(0);
            let Some(upload) = state.uploads.get_mut(&id) else { return none() };
            upload.parts.insert(number, body);
            (200, vec![("ETag", tag)], String::new())
        }
        ("POST", None) if request.parameter("delete").is_some() => {
            let text = String::from_utf8_lossy(&body).into_owned();
            let keys = text.split("<Key>").skip(1).filter_map(|rest| rest.split("</Key>").next());
            let mut deleted = String::new();
            for key in keys {
                state.objects.remove(&format!("{}/{key}", request.path.trim_end_matches('/')));
                let _ = write!(deleted, "<Deleted><Key>{key}</Key></Deleted>");
            }
            (200, Vec::new(), format!("<DeleteResult>{deleted}</DeleteResult>"))
        }
        ("POST", None) => {
            state.n_uploads += 1;
            let id = format!("upload{}", state.n_uploads);
            let upload = Upload { path: request.path.clone(), parts: BTreeMap::new() };
            state.uploads.insert(id.clone(), upload);
            let text =
                format!("<InitiateMultipartUploadResult><UploadId>{id}</UploadId></InitiateMultipartUploadResult>");
            (200, Vec::new(), text)
        }
        ("POST", Some(id)) => {
            let Some(upload) = state.uploads.remove(&id) else { return none() };
            let bytes: Vec<u8> = upload.parts.into_values().flatten().collect();
            let tag = etag(&bytes);
            state.objects.insert(upload.path, bytes);
            let text = format!("<CompleteMultipartUploadResult><ETag>{tag}</ETag></CompleteMultipartUploadResult>");
            (200, Vec::new(), text)
        }
        ("DELETE", Some(id)) => match state.uploads.remove(&id) {
            Some(_) => (204, Vec::new(), String::new()),
            None => none(),
        },
        ("DELETE", None) => {
            state.objects.remove(&request.path);
            (204, Vec::new(), String::new())
        }
        _ => (405, Vec::new(), error("MethodNotAllowed")),
    }
}

/// A page of the objects of a bucket.
fn list(shared: &Shared, bucket: &str, request: &Request) -> String {
    let prefix = request.parameter("prefix").unwrap_or_default();
    let delimiter = request.parameter("delimiter").filter(|delimiter| !delimiter.is_empty());
    let after = request.parameter("continuation-token").unwrap_or_default();
    let state = shared.state();
    let (mut contents, mut folders, mut more) = (String::new(), Vec::<String>::new(), None);
    let (start, mut n) = (format!("/{bucket}/"), 0);
    for (path, bytes) in &state.objects {
        let Some(key) = path.strip_prefix(&start).filter(|key| key.starts_with(&prefix) && **key > *after) else {
            continue;
        };
        if let Some(at) = delimiter.as_ref().and_then(|delimiter| key[prefix.len()..].find(&delimiter[..])) {
            let folder = key[..=prefix.len() + at].to_owned();
            if folders.last() != Some(&folder) {
                folders.push(folder);
            }
            continue;
        }
        if n == PAGE {
            more = contents
                .rfind("<Key>")
                .map(|at| contents[at + 5..].split("</Key>").next().unwrap_or_default().to_owned());
            break;
        }
        n += 1;
        let (tag, size) = (etag(bytes).replace('"', "&quot;"), bytes.len());
        let _ = write!(
            contents,
            "<Contents><Key>{key}</Key><LastModified>2026-11-27T10:00:00.000Z</LastModified><ETag>{tag}</ETag><Size>{size}</Size></Contents>"
        );
    }
    for folder in folders {
        let _ = write!(contents, "<CommonPrefixes><Prefix>{folder}</Prefix></CommonPrefixes>");
    }
    let is_cut = more.is_some();
    let next = more.map(|key| format!("<NextContinuationToken>{key}</NextContinuationToken>")).unwrap_or_default();
    format!("<ListBucketResult><IsTruncated>{is_cut}</IsTruncated>{next}{contents}</ListBucketResult>")
}

fn error(code: &str) -> String {
    format!("<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>no more of it</Message></Error>")
}

fn etag(bytes: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

/// The first and the last byte of a range.
fn range(header: &str) -> Option<(usize, Option<usize>)> {
    let (start, end) = header.strip_prefix("bytes=")?.split_once('-')?;
    Some((start.parse().ok()?, end.parse().ok()))
}

/// Replaces `%41` by its byte.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).filter(|_| first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `length` is the length that the answer has by its header.
fn send(
    mut stream: &TcpStream,
    status: u16,
    headers: &[(&str, &str)],
    body: &[u8],
    length: usize,
    is_head: bool,
) -> io::Result<()> {
    let reason = match status {
        200 => "OK",
        204 => "No Content",
        206 => "Partial Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        412 => "Precondition Failed",
        416 => "Range Not Satisfiable",
        503 => "Service Unavailable",
        _ => "Status",
    };
    let mut head = format!("HTTP/1.1 {status} {reason}\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if status != 204 {
        let _ = write!(head, "Content-Length: {length}\r\n");
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes())?;
    if !is_head {
        stream.write_all(body)?;
    }
    Ok(())
}

/// Objects of a list's page: few, so that tests need few for a second one.
const PAGE: usize = 3;
