//! In place of [`objects`](crate::objects) without the feature `object-store`: no address is opened, so that there is no [`Object`].

use crate::address::Address;
use inrush_core::error::{Error, Result};
use inrush_core::load::{RejectObject, RejectStore};
use std::io::{self, Read, Write};

/// Never made.
#[derive(Clone, Debug)]
pub(crate) struct Object(Address);

/// Never made.
pub(crate) enum Opened {
    Object(Object),
    Stream(Box<dyn Read + Send>),
    Missing(Error),
}

/// Refuses the address.
///
/// # Errors
/// `Config` always.
pub(crate) fn open(address: &Address) -> Result<Opened> {
    Err(refused(address))
}

fn refused(address: &Address) -> Error {
    let message = format!("`{}` is an address, and objects are not read here", address.shown());
    Error::config(message).with_hint("it was built without the feature `object-store`")
}

/// Refuses the address.
///
/// # Errors
/// `Config` always.
pub(crate) fn list(folder: &Address, _is_deep: bool) -> Result<Vec<String>> {
    Err(refused(folder))
}

impl Object {
    pub(crate) fn size(&self) -> u64 {
        0
    }

    pub(crate) fn address(&self) -> &Address {
        &self.0
    }

    pub(crate) fn etag(&self) -> Option<&str> {
        None
    }

    pub(crate) fn modified(&self) -> Option<i64> {
        None
    }

    pub(crate) fn failure(&self) -> Option<Error> {
        None
    }

    pub(crate) fn compare(&self) -> Result<()> {
        Err(refused(&self.0))
    }
}

/// Reads nothing.
pub(crate) struct ObjectReader;

impl ObjectReader {
    pub(crate) fn new(_: &Object, _at: u64) -> Self {
        Self
    }

    pub(crate) fn exact(_: &Object, _at: u64, _bytes: u64) -> Self {
        Self
    }

    pub(crate) fn in_steps(_: &Object, _at: u64, _bytes: u64, _step: u64) -> Self {
        Self
    }

    pub(crate) fn pass(&mut self, _n: u64) {}
}

impl Read for ObjectReader {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

/// Never made.
pub(crate) struct ObjectRejects(Address);

impl ObjectRejects {
    /// Refuses the address.
    ///
    /// # Errors
    /// `Config` always.
    pub(crate) fn new(address: Address) -> Result<Self> {
        Err(refused(&address))
    }
}

impl RejectStore for ObjectRejects {
    fn check(&self) -> Result<()> {
        Err(refused(&self.0))
    }

    fn begin(&self) -> Result<[Box<dyn RejectObject>; 2]> {
        Err(refused(&self.0))
    }
}

/// Never made.
#[derive(Debug)]
pub struct ObjectFolder(Address);

impl ObjectFolder {
    /// Refuses the address.
    ///
    /// # Errors
    /// `Config` always.
    pub fn open(address: &str) -> Result<Self> {
        match Address::parse(address).transpose()? {
            Some(address) => Err(refused(&address)),
            None => Err(Error::config(format!("`{address}` is not the address of a folder in a store"))),
        }
    }

    /// The address to show.
    pub fn shown(&self) -> String {
        self.0.shown()
    }

    /// Refuses to write.
    ///
    /// # Errors
    /// `Config` always.
    pub fn create(&self, _name: &str) -> Result<ObjectUpload> {
        Err(refused(&self.0))
    }

    /// Refuses to write.
    ///
    /// # Errors
    /// `Config` always.
    pub fn finish(&self, _uploads: Vec<ObjectUpload>) -> Result<()> {
        Err(refused(&self.0))
    }
}

/// Never made.
#[derive(Debug)]
pub struct ObjectUpload(Address);

impl ObjectUpload {
    /// Refuses to write.
    ///
    /// # Errors
    /// `Config` always.
    pub fn seal(&mut self) -> Result<()> {
        Err(refused(&self.0))
    }
}

impl Write for ObjectUpload {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::Error::other(refused(&self.0)))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
