//! The bytes of a file or an object, as they are stored.

use crate::address::Address;
use crate::objects::{self, ObjectReader, Opened};
use inrush_core::error::{Error, Result};
use std::fs::File;
use std::io::Read;

/// Reads the bytes of a path or an address from the first to the last, neither decompressed nor decoded.
///
/// # Errors
/// `Config` for what is not there or must not be read.
pub fn raw_bytes(path: &str) -> Result<Box<dyn Read + Send>> {
    let Some(address) = Address::parse(path).transpose()? else {
        let file = File::open(path).map_err(|error| Error::config(format!("cannot open `{path}`: {error}")))?;
        return Ok(Box::new(file));
    };
    Ok(match objects::open(&address)? {
        Opened::Object(object) => Box::new(ObjectReader::new(&object, 0)),
        Opened::Stream(stream) => stream,
        Opened::Missing(error) => return Err(error),
    })
}
