//! A folder of a store that files are written into: objects that appear when all of them are whole, or not at all.
//!
//! A large object is uploaded in parts, of which a store shows nothing before the upload is completed. Dropping an upload aborts it.

use super::failure;
use super::list::list;
use super::runtime;
use super::store::{self, Patience};
use crate::address::Address;
use inrush_core::error::{Error, Result};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::{SystemTime, UNIX_EPOCH};

/// A folder that was empty when it was opened.
#[derive(Debug)]
pub struct ObjectFolder {
    address: Address,
}

impl ObjectFolder {
    /// Opens the folder of this address.
    ///
    /// # Errors
    /// `Config` for a folder that is not empty, an HTTP server, which is only read, and missing credentials.
    pub fn open(address: &str) -> Result<Self> {
        let not_one = || Error::config(format!("`{address}` is not the address of a folder in a store"));
        let mut address = Address::parse(address).transpose()?.ok_or_else(not_one)?;
        if address.scheme.is_http() {
            return Err(Error::config(format!("`{}` is on an HTTP server, which is only read", address.shown()))
                .with_hint("files are written to `s3://bucket/folder`, `gs://`, `az://`, or a folder on the disk"));
        }
        if !address.key.is_empty() && !address.key.ends_with('/') {
            address.key.push('/');
        }
        let folder = Self { address };
        folder.check_empty()?;
        Ok(folder)
    }

    fn check_empty(&self) -> Result<()> {
        let found = list(&self.address, true)?;
        match found.first() {
            None => Ok(()),
            Some(first) if first.ends_with(CLAIM) => Err(self.claimed()),
            Some(first) => Err(Error::config(format!(
                "`{}` is not empty: it holds `{}`",
                self.address.shown(),
                self.address.with_key(first).shown()
            ))
            .with_hint("name a new folder: an export adds to no other, and writes over nothing")),
        }
    }

    /// The address to show.
    pub fn shown(&self) -> String {
        self.address.shown()
    }

    /// Begins the object of this name in the folder.
    ///
    /// # Errors
    /// `Config` for a name that no key can have.
    pub fn create(&self, name: &str) -> Result<ObjectUpload> {
        ObjectUpload::new(&self.address.with_key(&format!("{}{name}", self.address.key)))
    }

    fn claimed(&self) -> Error {
        let claim = self.address.with_key(&format!("{}{CLAIM}", self.address.key));
        Error::config(format!("another program is writing into `{}`, or was killed while it did", self.address.shown()))
            .with_hint(format!("name a new folder; `{}` says so, and is deleted when it is done", claim.shown()))
    }

    /// Makes all objects appear, while no other program does so in this folder. If one of them fails, those that appeared before it are
    /// deleted.
    ///
    /// # Errors
    /// `Config` if the folder is not empty any more, or another program has claimed it; those of the store.
    pub fn finish(&self, uploads: Vec<ObjectUpload>) -> Result<()> {
        // From here on what is in the folder is ours: nothing of another program is written over, nor deleted after an error.
        let (store, claim) = self.claim()?;
        let finished = self.finish_alone(&claim, uploads);
        // Who may write and not delete leaves it, and the files can be read as well.
        let _ = runtime::wait(async move { Ok(store.delete(&claim).await) });
        finished
    }

    /// Creates the object that says that the folder is being written into.
    fn claim(&self) -> Result<(Arc<dyn ObjectStore>, Path)> {
        let address = self.address.with_key(&format!("{}{CLAIM}", self.address.key));
        let (store, path) = store::of(&address, Patience::Reading)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let own = format!("process {} at {} ns\n", std::process::id(), since.as_nanos());
        let (of, at, text) = (store.clone(), path.clone(), own.clone());
        let is_ours = runtime::wait(async move {
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            match of.put_opts(&at, PutPayload::from(text.into_bytes()), options).await {
                Ok(_) => Ok(true),
                // It may be our own, whose answer was lost.
                Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                    match of.get(&at).await {
                        Ok(there) => Ok(there.bytes().await.is_ok_and(|bytes| bytes == own.as_bytes())),
                        Err(_) => Ok(false),
                    }
                }
                Err(e) => Err(failure::of(&address, "write", &e)),
            }
        })?;
        if is_ours { Ok((store, path)) } else { Err(self.claimed()) }
    }

    fn finish_alone(&self, claim: &Path, uploads: Vec<ObjectUpload>) -> Result<()> {
        let found = list(&self.address, true)?;
        if let Some(other) = found.iter().find(|key| *key != claim.as_ref()) {
            let other = self.address.with_key(other).shown();
            return Err(Error::config(format!("`{other}` was written by another program meanwhile"))
                .with_hint("name a new folder: an export adds to no other, and writes over nothing"));
        }
        let mut done: Vec<(Arc<dyn ObjectStore>, Path)> = Vec::new();
        for upload in uploads {
            let place = (upload.store.clone(), upload.path.clone());
            match upload.complete() {
                Ok(()) => done.push(place),
                Err(error) => {
                    for (store, path) in done {
                        let _ = runtime::wait(async move { Ok(store.delete(&path).await) });
                    }
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

/// An object that is written, and does not appear before [`ObjectFolder::finish`]. Dropping it leaves nothing.
#[derive(Debug)]
pub struct ObjectUpload {
    address: Address,
    store: Arc<dyn ObjectStore>,
    path: Path,
    /// What was written and is not under way.
    part: Vec<u8>,
    /// `None` until there is more than one part.
    upload: Option<Box<dyn MultipartUpload>>,
    under_way: VecDeque<Receiver<Result<()>>>,
    n_parts: usize,
}

impl ObjectUpload {
    pub(super) fn new(address: &Address) -> Result<Self> {
        let (store, path) = store::of(address, Patience::Reading)?;
        let (address, part, under_way) = (address.clone(), Vec::new(), VecDeque::new());
        Ok(Self { address, store, path, part, upload: None, under_way, n_parts: 0 })
    }

    /// Makes it appear in the place of what has its name.
    pub(super) fn put(self) -> Result<()> {
        self.complete()
    }

    /// Sends what is left, so that only the completion is missing. A small object is kept until then.
    ///
    /// # Errors
    /// Those of the store.
    pub fn seal(&mut self) -> Result<()> {
        if self.upload.is_none() && self.part.len() <= MOST_KEPT {
            return Ok(());
        }
        if !self.part.is_empty() {
            self.send_part()?;
        }
        self.await_parts(0)
    }

    fn send_part(&mut self) -> Result<()> {
        if self.n_parts == MOST_PARTS {
            let message =
                format!("`{}` comes to more than {MOST_PARTS} parts of {} MiB", self.address.shown(), PART >> 20);
            return Err(Error::config(message).with_hint("more `--lanes` make more files, which are smaller"));
        }
        let upload = match &mut self.upload {
            Some(upload) => upload,
            none => {
                let (store, path, address) = (self.store.clone(), self.path.clone(), self.address.clone());
                none.insert(runtime::wait(async move {
                    store.put_multipart(&path).await.map_err(|e| failure::of(&address, "write", &e))
                })?)
            }
        };
        let sent = upload.put_part(PutPayload::from(mem::take(&mut self.part)));
        let (send, receive) = sync_channel(1);
        let address = self.address.clone();
        runtime::handle()?.spawn(async move {
            let _ = send.send(sent.await.map_err(|e| failure::of(&address, "write", &e)));
        });
        self.under_way.push_back(receive);
        self.n_parts += 1;
        self.await_parts(UNDER_WAY)
    }

    /// Waits until no more than `n` parts are under way.
    fn await_parts(&mut self, n: usize) -> Result<()> {
        while self.under_way.len() > n {
            let Some(part) = self.under_way.pop_front() else { break };
            part.recv().map_err(|_| Error::data("the upload of a part failed inside its client"))??;
        }
        Ok(())
    }

    /// Makes it appear, in the place of what has its name.
    fn complete(mut self) -> Result<()> {
        self.seal()?;
        let address = self.address.clone();
        let failed = move |e: object_store::Error| failure::of(&address, "write", &e);
        match self.upload.take() {
            Some(mut upload) => runtime::wait(async move {
                let completed = upload.complete().await;
                if completed.is_err() {
                    let _ = upload.abort().await;
                }
                completed.map(drop).map_err(failed)
            }),
            None => {
                let (store, path, part) = (self.store.clone(), self.path.clone(), mem::take(&mut self.part));
                runtime::wait(async move { store.put(&path, PutPayload::from(part)).await.map(drop).map_err(failed) })
            }
        }
    }
}

impl Write for ObjectUpload {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = bytes.len().min(PART - self.part.len());
        self.part.extend_from_slice(&bytes[..n]);
        if self.part.len() == PART {
            self.send_part().map_err(io::Error::other)?;
        }
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for ObjectUpload {
    fn drop(&mut self) {
        if let Some(mut upload) = self.upload.take() {
            // A part that arrives after the end of its upload would stay.
            for part in self.under_way.drain(..) {
                let _ = part.recv();
            }
            let _ = runtime::wait(async move { Ok(upload.abort().await) });
        }
    }
}

/// The name of the object that is in a folder while files appear in it.
const CLAIM: &str = ".inrush-writing";

/// 16 MiB: all parts but the last, of one size, as some stores require.
const PART: usize = 16 << 20;

/// What S3 takes for one object: 156 GiB of such parts.
const MOST_PARTS: usize = 10_000;

/// Parts under way: 32 MiB of memory, beside the one that is filled.
const UNDER_WAY: usize = 2;

/// 256 KiB: a smaller object is one request, and stays in memory until it appears.
const MOST_KEPT: usize = 256 << 10;
