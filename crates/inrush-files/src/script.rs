//! The bytes of a script of SQL: of a file, an object or standard input, decompressed.

use crate::decompress::{Compression, MAGIC_BYTES, decompress, peek};
use crate::input::{Meter, Metered};
use crate::raw::raw_bytes;
use inrush_core::error::{Error, Result};
use std::io::{self, Read};
use std::sync::Arc;

/// Reads a script: the decompressed bytes of a path, an address, or of standard input for `-`, without a mark of UTF-8 at their beginning. The
/// meter counts the bytes of the file.
///
/// # Errors
/// `Config` for what is not there, a folder, an archive, and text in UTF-16; `Data` for what cannot be read.
pub fn script_bytes(path: &str) -> Result<(Box<dyn Read + Send>, Arc<Meter>)> {
    let cannot_read = |error: io::Error| match error.kind() {
        io::ErrorKind::IsADirectory => Error::config(format!("`{path}` is a folder")).with_hint("name the files in it"),
        _ => Error::data(format!("cannot read `{path}`: {error}")),
    };
    let (stored, size): (Box<dyn Read + Send>, _) = match path {
        "-" => (Box::new(io::stdin()), None),
        _ => (raw_bytes(path)?, std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file).map(|file| file.len())),
    };
    let meter = Meter::new(size);
    let (head, stored) = peek(Box::new(Metered::new(stored, meter.clone())), MAGIC_BYTES).map_err(cannot_read)?;
    let compression = Compression::of(path, &head)?;
    if matches!(compression, Compression::Zip | Compression::Tar) {
        return Err(Error::config(format!("`{path}` is {}", compression.describe())).with_hint("unpack it first"));
    }
    let plain = decompress(stored, compression).map_err(cannot_read)?;
    Ok((without_mark(path, plain)?, meter))
}

/// The same text without a mark of UTF-8 at its beginning.
///
/// # Errors
/// `Config` for text in UTF-16; `Data` for what cannot be read.
pub(crate) fn without_mark(path: &str, plain: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>> {
    let cannot_read = |error: io::Error| Error::data(format!("cannot read `{path}`: {error}"));
    let (head, mut plain) = peek(plain, 3).map_err(cannot_read)?;
    match *head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => {
            Err(Error::config(format!("`{path}` is text in UTF-16, and a script is in UTF-8"))
                .with_hint(format!("`iconv -f UTF-16 -t UTF-8 {path}` converts it")))
        }
        [0xef, 0xbb, 0xbf] => {
            plain.read_exact(&mut [0; 3]).map_err(cannot_read)?;
            Ok(plain)
        }
        _ => Ok(plain),
    }
}
