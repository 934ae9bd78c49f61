//! [`OpenedFile`]: the decompressed bytes of a file with what is known of it, for the readers of texts.

use crate::decompress::{Compression, peek_before_errors};
use crate::input::Meter;
use crate::on_disk::OnDisk;
use std::io::{self, Read};
use std::sync::Arc;

/// A file of text that was opened.
pub(crate) struct OpenedFile<'a> {
    /// Its name in messages.
    pub(crate) path: &'a str,
    /// Its text, decompressed.
    pub(crate) bytes: Box<dyn Read + Send>,
    /// Counts the bytes that are read of the file.
    pub(crate) meter: Arc<Meter>,
    pub(crate) compression: Compression,
    pub(crate) place: TextPlace,
    /// The text is another one than the file has, so its offsets are not the file's.
    pub(crate) is_rewritten: bool,
}

/// Where a later run finds a text again.
#[derive(Clone, Debug)]
pub(crate) enum TextPlace {
    /// In a file.
    OnDisk(OnDisk),
    /// In standard input or a pipe, if it gets the same text.
    Stream,
    /// Nowhere: it is of this run.
    Nowhere,
}

impl TextPlace {
    pub(crate) fn on_disk(&self) -> Option<&OnDisk> {
        match self {
            Self::OnDisk(file) => Some(file),
            Self::Stream | Self::Nowhere => None,
        }
    }
}

impl<'a> OpenedFile<'a> {
    /// A text that is no file, of unknown length.
    pub(crate) fn of_bytes(path: &'a str, bytes: impl Read + Send + 'static) -> Self {
        Self {
            path,
            bytes: Box::new(bytes),
            meter: Meter::new(None),
            compression: Compression::None,
            place: TextPlace::Nowhere,
            is_rewritten: false,
        }
    }

    /// Another text, which `rewrite` makes of this one.
    pub(crate) fn try_rewritten<R: Read + Send + 'static>(
        self,
        rewrite: impl FnOnce(Box<dyn Read + Send>) -> io::Result<R>,
    ) -> io::Result<Self> {
        Ok(Self { bytes: Box::new(rewrite(self.bytes)?), is_rewritten: true, ..self })
    }

    /// The beginning of the text, at most `n` bytes, and the whole of it. Errors are left for the reader.
    pub(crate) fn peek(self, n: u64) -> (Vec<u8>, Self) {
        let (head, bytes) = peek_before_errors(self.bytes, n);
        (head, Self { bytes, ..self })
    }

    /// The file, if its bytes are this text.
    pub(crate) fn plain_file(&self) -> Option<&OnDisk> {
        self.place.on_disk().filter(|_| self.compression == Compression::None && !self.is_rewritten)
    }
}
