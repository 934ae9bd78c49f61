//! One object: its size, its ETag, and requests for ranges of it.

use super::failure;
use super::runtime;
use super::store::{self, Patience};
use crate::address::Address;
use bytes::Bytes;
use futures_util::StreamExt as _;
use inrush_core::error::{Error, Result};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta, ObjectStore};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

/// An object that was opened. A copy is the same object.
#[derive(Clone, Debug)]
pub(crate) struct Object(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    address: Address,
    store: Arc<dyn ObjectStore>,
    path: Path,
    meta: ObjectMeta,
    /// The beginning of it, which came with the answer that its size is from.
    head: Bytes,
    /// The first error that a reader of it met.
    failed: OnceLock<Error>,
}

/// What an address led to.
pub(crate) enum Opened {
    /// It is read by ranges.
    Object(Object),
    /// The server sends the whole of it or nothing.
    Stream(Box<dyn Read + Send>),
    /// There is no such object: the error that says so.
    Missing(Error),
}

/// Opens the object of an address.
///
/// # Errors
/// `Config` for an object that must not be read, and for missing credentials; `Io` if the store does not answer.
pub(crate) fn open(address: &Address) -> Result<Opened> {
    if address.key.is_empty() && !address.scheme.is_http() {
        return Err(Error::config(format!("the address `{}` names no object", address.shown()))
            .with_hint("a folder is named with `/` at its end, several objects with a pattern: `s3://bucket/*.csv`"));
    }
    let (opening, path) = store::of(address, Patience::Opening)?;
    let (store, _) = store::of(address, Patience::Reading)?;
    let (own, place) = (address.clone(), path.clone());
    let first = runtime::wait(async move { first_answer(&own, &opening, &place).await })?;
    let object = |meta, head| {
        let (address, failed) = (address.clone(), OnceLock::new());
        Opened::Object(Object(Arc::new(Inner { address, store: store.clone(), path, meta, head, failed })))
    };
    Ok(match first {
        First::Part(meta, head) => object(meta, head),
        First::Whole(meta, whole) if meta.size == 0 => {
            drop(whole);
            object(meta, Bytes::new())
        }
        First::Whole(_, whole) => Opened::Stream(Box::new(Stream::new(address.clone(), whole)?)),
        First::Missing(error) => Opened::Missing(error),
    })
}

enum First {
    /// Its beginning.
    Part(ObjectMeta, Bytes),
    /// All of it: the server knows no ranges, or it is empty.
    Whole(ObjectMeta, object_store::GetResult),
    /// Nothing: it is not there.
    Missing(Error),
}

async fn first_answer(address: &Address, store: &Arc<dyn ObjectStore>, path: &Path) -> Result<First> {
    let failed = |e: &object_store::Error| failure::of(address, "open", e);
    let range = Some(GetRange::Bounded(0..HEAD));
    match store.get_opts(path, GetOptions { range, ..GetOptions::default() }).await {
        Ok(answer) => {
            let meta = answer.meta.clone();
            let head = answer.bytes().await.map_err(|e| failed(&e))?;
            Ok(First::Part(meta, head))
        }
        Err(error) if failure::is_no_range(&error) => {
            let whole = store.get_opts(path, GetOptions::default()).await.map_err(|e| failed(&e))?;
            Ok(First::Whole(whole.meta.clone(), whole))
        }
        Err(error) if failure::is_no_object(&error) => Ok(First::Missing(failed(&error))),
        Err(error) => Err(failed(&error)),
    }
}

impl Object {
    /// Bytes of it.
    pub(crate) fn size(&self) -> u64 {
        self.0.meta.size
    }

    pub(crate) fn address(&self) -> &Address {
        &self.0.address
    }

    /// What the server says distinguishes its content from others: its ETag, if it has one.
    pub(crate) fn etag(&self) -> Option<&str> {
        self.0.meta.e_tag.as_deref()
    }

    /// When it was written, in nanoseconds since 1970; `None` if the server does not say.
    pub(crate) fn modified(&self) -> Option<i64> {
        self.0.meta.last_modified.timestamp_nanos_opt().filter(|at| *at != 0)
    }

    /// The first error that a reader of it met, if any.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.0.failed.get().cloned()
    }

    /// Its first bytes, which need no request.
    pub(super) fn head(&self) -> &Bytes {
        &self.0.head
    }

    /// Compares it with what is there now.
    pub(crate) fn compare(&self) -> Result<()> {
        let own = self.clone();
        runtime::wait(async move {
            let options = own.options(0..1.min(own.size()));
            let answer = own.0.store.get_opts(&own.0.path, options).await;
            own.check(&answer.map_err(|e| own.failed("read", &e))?.meta)
        })
    }

    /// Requests a range. The parts of it come in order; the last one is followed by the end of the channel, or is an error.
    pub(super) fn request(&self, range: Range<u64>) -> Result<Request> {
        let (send, parts) = mpsc::channel();
        let own = self.clone();
        let task = runtime::handle()?.spawn(async move {
            if let Err(error) = own.send_parts(range, &send).await {
                let _ = own.0.failed.set(error.clone());
                let _ = send.send(Err(error));
            }
        });
        Ok(Request { parts, task: task.abort_handle() })
    }

    async fn send_parts(&self, range: Range<u64>, to: &Sender<Result<Bytes>>) -> Result<()> {
        let (mut at, mut tries) = (range.start, 0);
        while at < range.end {
            let answer = self.0.store.get_opts(&self.0.path, self.options(at..range.end)).await;
            let answer = answer.map_err(|e| self.failed("read", &e))?;
            self.check(&answer.meta)?;
            let mut parts = answer.into_stream();
            let error = loop {
                match parts.next().await {
                    None => break None,
                    Some(Err(error)) => break Some(error),
                    Some(Ok(part)) => {
                        at += part.len() as u64;
                        if at > range.end {
                            return Err(Error::data(format!(
                                "the server sent more bytes of `{}` than were requested",
                                self.0.address.shown()
                            )));
                        }
                        if to.send(Ok(part)).is_err() {
                            return Ok(());
                        }
                    }
                }
            };
            if at == range.end {
                break;
            }
            // The client itself repeats what was cut, where there is an ETag.
            tries += 1;
            if tries > MOST_TRIES {
                return Err(match error {
                    Some(error) => self.failed("read", &error),
                    None => Error::data(format!("the server sent only {at} bytes of `{}`", self.0.address.shown())),
                });
            }
            tokio::time::sleep(Duration::from_millis(100) * tries * tries).await;
        }
        Ok(())
    }

    fn options(&self, range: Range<u64>) -> GetOptions {
        // A weak ETag never matches (RFC 9110, 13.1.1): it is compared here alone.
        let if_match = self.0.meta.e_tag.clone().filter(|etag| !etag.starts_with("W/"));
        let range = (range.end > range.start).then_some(GetRange::Bounded(range));
        GetOptions { if_match, range, ..GetOptions::default() }
    }

    /// Compares what an answer says of the object with what it was when it was opened.
    fn check(&self, now: &ObjectMeta) -> Result<()> {
        let (then, shown) = (&self.0.meta, self.0.address.shown());
        if now.size != then.size {
            let how = format!("it had {} bytes and has {}", then.size, now.size);
            return Err(failure::changed(&shown, &how));
        }
        if now.e_tag != then.e_tag {
            return Err(failure::changed(&shown, "its ETag is another one"));
        }
        if then.e_tag.is_none() && now.last_modified != then.last_modified {
            return Err(failure::changed(&shown, "its time of change is another one"));
        }
        Ok(())
    }

    fn failed(&self, doing: &str, error: &object_store::Error) -> Error {
        failure::of(&self.0.address, doing, error)
    }
}

/// A request that is under way. Dropping it ends it.
pub(super) struct Request {
    parts: Receiver<Result<Bytes>>,
    task: AbortHandle,
}

impl Request {
    /// The next part; `None` at the end of the range.
    pub(super) fn next(&self) -> Option<Result<Bytes>> {
        self.parts.recv().ok()
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// The body of an answer, from its beginning to its end. It cannot be requested again from where it was cut.
struct Stream {
    request: Request,
    /// Parts that may still be received before some are read.
    room: Arc<Semaphore>,
    rest: Bytes,
}

impl Stream {
    fn new(address: Address, answer: object_store::GetResult) -> Result<Self> {
        let (send, parts) = mpsc::channel();
        let room = Arc::new(Semaphore::new(MOST_PARTS));
        let free = room.clone();
        let task = runtime::handle()?.spawn(async move {
            let mut body = answer.into_stream();
            while let Some(part) = body.next().await {
                let Ok(permit) = free.acquire().await else { return };
                permit.forget();
                let part = part.map_err(|e| {
                    failure::of(&address, "read", &e).with_hint(
                        "the server does not send parts of it, so it was not continued; fetch it first, and load the file",
                    )
                });
                let is_last = part.is_err();
                if send.send(part).is_err() || is_last {
                    return;
                }
            }
        });
        Ok(Self { request: Request { parts, task: task.abort_handle() }, room, rest: Bytes::new() })
    }
}

impl Read for Stream {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.rest.is_empty() {
            match self.request.next() {
                None => return Ok(0),
                Some(part) => self.rest = part.map_err(io::Error::other)?,
            }
            self.room.add_permits(1);
        }
        let n = space.len().min(self.rest.len());
        space[..n].copy_from_slice(&self.rest.split_to(n));
        Ok(n)
    }
}

/// 64 KiB: the beginning that identifies most files, or all of a small one.
const HEAD: u64 = 64 << 10;

/// Parts of a stream that are received before they are read, of some 16 KiB each.
const MOST_PARTS: usize = 512;

/// How often a range is requested again from where it was cut.
const MOST_TRIES: u32 = 5;
