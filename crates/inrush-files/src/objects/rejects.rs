//! Bad rows of a load as two objects: the records, and beside them the log that says why.

use super::object::{Opened, open};
use super::upload::ObjectUpload;
use crate::address::Address;
use inrush_core::error::{Error, Result};
use inrush_core::load::{RejectObject, RejectStore};

/// The objects of this address, and of the same with `.log` at its end.
pub(crate) struct ObjectRejects {
    addresses: [Address; 2],
}

impl ObjectRejects {
    /// # Errors
    /// `Config` for an HTTP server, which is only read, and for an address without a key.
    pub(crate) fn new(address: Address) -> Result<Self> {
        let shown = address.shown();
        let refused = |why: &str| {
            let hint = "name an object of `s3://`, `gs://` or `az://`, or a file on the disk";
            Err(Error::config(format!("bad rows cannot be written to `{shown}`: {why}")).with_hint(hint))
        };
        if address.scheme.is_http() {
            return refused("an HTTP server is only read");
        }
        if address.key.is_empty() || address.key.ends_with('/') {
            return refused("it is the address of a folder");
        }
        let log = address.with_key(&format!("{}.log", address.key));
        Ok(Self { addresses: [address, log] })
    }
}

impl RejectStore for ObjectRejects {
    fn check(&self) -> Result<()> {
        for address in &self.addresses {
            match open(address)? {
                Opened::Missing(_) => {}
                Opened::Object(_) | Opened::Stream(_) => {
                    return Err(Error::config(format!(
                        "`{}` exists: it may hold rows of an earlier load",
                        address.shown()
                    ))
                    .with_hint("load what is in it, then remove it; or give `--bad-rows divert:FILE` another name"));
                }
            }
        }
        Ok(())
    }

    fn begin(&self) -> Result<[Box<dyn RejectObject>; 2]> {
        let [records, log] = &self.addresses;
        Ok([Box::new(ObjectUpload::new(records)?), Box::new(ObjectUpload::new(log)?)])
    }
}

impl RejectObject for ObjectUpload {
    fn complete(self: Box<Self>) -> Result<()> {
        self.put()
    }
}
