//! Input text: a decompressed stream, decoded to UTF-8, and the [`Meter`] at its source.
//!
//! Text that is not valid in its declared encoding is replaced by U+FFFD and its place recorded, so that the reader can
//! refuse only that record. UTF-8 is passed on unchecked: the batch is checked at once, which is far cheaper.

use crate::dialect::Dialect;
use crate::on_disk::OnDisk;
use crate::pending_bytes::PendingBytes;
use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much of a source has been read, in bytes on disk (compressed bytes of a compressed file); for progress.
#[derive(Debug, Default)]
pub struct Meter {
    read: AtomicU64,
    total: Option<u64>,
}

impl Meter {
    pub(crate) fn new(total: Option<u64>) -> Arc<Self> {
        Arc::new(Self { read: AtomicU64::new(0), total })
    }

    /// Adds bytes that were read.
    pub(crate) fn add(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Bytes read so far.
    pub fn bytes_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Sets the position to byte `at`.
    pub(crate) fn move_to(&self, at: u64) {
        self.read.store(at, Ordering::Relaxed);
    }

    /// Bytes in all, if known (not for pipes).
    pub fn total(&self) -> Option<u64> {
        self.total
    }
}

/// Counts what is read through it.
pub(crate) struct Metered<R> {
    inner: R,
    meter: Arc<Meter>,
}

impl<R> Metered<R> {
    pub(crate) fn new(inner: R, meter: Arc<Meter>) -> Self {
        Self { inner, meter }
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buf)?;
        self.meter.add(n as u64);
        Ok(n)
    }
}

/// A stream of UTF-8 text.
pub(crate) struct Input {
    bytes: Box<dyn Read + Send>,
    decoding: Option<Decoding>,
    /// Bytes read, decompressed and not yet decoded.
    bytes_read: u64,
    /// Bytes of text that were returned so far.
    text_read: u64,
    /// See [`Input::malformed`].
    malformed: Vec<u64>,
    /// The length of the byte order mark.
    mark: usize,
    /// The beginning of the returned text.
    head: Vec<u8>,
    /// Lines end with a carriage return alone.
    lone_returns: Option<LoneReturns>,
}

impl Input {
    /// 64 KiB of its beginning, which identify most streams.
    pub(crate) const HEAD: usize = 64 << 10;

    /// Wraps the bytes. A byte order mark is removed, and takes precedence over `encoding`.
    pub(crate) fn new(mut bytes: Box<dyn Read + Send>, encoding: Option<&'static Encoding>) -> io::Result<Self> {
        let mut head = Vec::with_capacity(4);
        (&mut bytes).take(3).read_to_end(&mut head)?;
        let (encoding, mark) = Encoding::for_bom(&head).unwrap_or((encoding.unwrap_or(UTF_8), 0));
        let head = io::Cursor::new(head.split_off(mark));
        Ok(Self {
            bytes: Box::new(head.chain(bytes)),
            decoding: (encoding != UTF_8).then(|| Decoding::new(encoding)),
            bytes_read: mark as u64,
            text_read: 0,
            malformed: Vec::new(),
            mark,
            head: Vec::new(),
            lone_returns: None,
        })
    }

    /// Makes line feeds of the carriage returns that end lines; those in quotes stay.
    pub(crate) fn with_lone_returns(mut self, dialect: &Dialect) -> Self {
        let Dialect { delimiter, quote, escape, .. } = *dialect;
        let comment = dialect.comment.clone();
        self.lone_returns =
            Some(LoneReturns { delimiter, quote, escape, comment, begun: Some(0), place: RecordPlace::FieldStart });
        self
    }

    /// The same UTF-8 text from byte `to` of it on.
    pub(crate) fn moved(&self, file: &OnDisk, to: u64, meter: &Arc<Meter>) -> Self {
        let at = self.mark as u64 + to;
        meter.move_to(at);
        Self {
            bytes: Box::new(Metered::new(file.from(at), meter.clone())),
            decoding: None,
            bytes_read: at,
            text_read: to,
            malformed: Vec::new(),
            mark: self.mark,
            head: Vec::new(),
            lone_returns: None,
        }
    }

    /// The first bytes of the text that were returned so far, at most [`Input::HEAD`].
    pub(crate) fn head(&self) -> &[u8] {
        &self.head
    }

    /// Bytes before the text.
    pub(crate) fn mark(&self) -> u64 {
        self.mark as u64
    }

    /// Whether the text is the unchanged bytes.
    pub(crate) fn is_as_on_disk(&self) -> bool {
        self.decoding.is_none() && self.lone_returns.is_none()
    }

    /// The encoding the bytes are in.
    pub(crate) fn encoding(&self) -> &'static Encoding {
        self.decoding.as_ref().map_or(UTF_8, |decoding| decoding.encoding)
    }

    /// How many bytes of decompressed text were read, in their own encoding.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    /// Appends at least `want` bytes of text. Returns true at the end of the input. On an error, the text that was read before
    /// it has been appended.
    pub(crate) fn fill(&mut self, text: &mut Vec<u8>, want: usize) -> io::Result<bool> {
        let before = text.len();
        let ended = self.read_some(text, want);
        let new = &mut text[before..];
        if let Some(returns) = &mut self.lone_returns {
            returns.turn(new);
        }
        self.head.extend_from_slice(&new[..new.len().min(Self::HEAD - self.head.len())]);
        ended
    }

    fn read_some(&mut self, text: &mut Vec<u8>, want: usize) -> io::Result<bool> {
        let before = text.len();
        let Some(decoding) = &mut self.decoding else {
            text.reserve_exact(want);
            let result = (&mut self.bytes).take(want as u64).read_to_end(text);
            self.bytes_read += (text.len() - before) as u64;
            return result.map(|n| n < want);
        };
        while text.len() - before < want && !decoding.finished {
            let block = decoding.read_block(&mut self.bytes);
            self.bytes_read += *block.as_ref().unwrap_or(&0) as u64;
            block?;
            if let Some(at) = decoding.decode_some(text) {
                self.malformed.push(self.text_read + (at - before) as u64);
            }
        }
        self.text_read += (text.len() - before) as u64;
        Ok(decoding.finished)
    }

    /// The places of malformed text, as offsets in all returned text; ascending.
    pub(crate) fn malformed(&self) -> &[u64] {
        &self.malformed
    }

    /// Removes the malformed places before byte `end`.
    pub(crate) fn forget_malformed_before(&mut self, end: u64) {
        let n = self.malformed.partition_point(|&at| at < end);
        self.malformed.drain(..n);
    }
}

/// A text in another encoding as bytes of UTF-8. Text that is not valid is an error.
pub(crate) struct Utf8 {
    input: Input,
    out: PendingBytes,
    has_ended: bool,
}

impl Utf8 {
    pub(crate) fn new(bytes: Box<dyn Read + Send>, encoding: &'static Encoding) -> io::Result<Self> {
        Ok(Self { input: Input::new(bytes, Some(encoding))?, out: PendingBytes::default(), has_ended: false })
    }
}

impl Read for Utf8 {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.out.is_taken() && !self.has_ended {
            self.out.clear();
            self.has_ended = self.input.fill(&mut self.out.bytes, Input::HEAD)?;
            if !self.input.malformed().is_empty() {
                let why = format!("its text is not valid {}", self.input.encoding().name());
                return Err(io::Error::new(io::ErrorKind::InvalidData, why));
            }
        }
        Ok(self.out.take(space))
    }
}

/// Makes line feeds of carriage returns outside of quotes.
struct LoneReturns {
    delimiter: u8,
    quote: Option<u8>,
    escape: Option<u8>,
    comment: Option<Vec<u8>>,
    /// How many bytes of the beginning of a comment the line has so far, unless it has another one.
    begun: Option<usize>,
    place: RecordPlace,
}

/// Where in a record the next byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RecordPlace {
    FieldStart,
    Bare,
    /// In a line that is no record, in which quotes are text.
    Comment,
    Quoted,
    /// After an escape in quotes.
    Escaped,
    /// After a quote in quotes: it closes them unless another one follows.
    Closing,
}

impl LoneReturns {
    fn turn(&mut self, text: &mut [u8]) {
        for byte in text {
            let is_quote = self.quote == Some(*byte);
            let is_comment = self.begins_comment(*byte);
            self.place = match self.place {
                RecordPlace::Comment if *byte != b'\r' => RecordPlace::Comment,
                _ if is_comment => RecordPlace::Comment,
                RecordPlace::Escaped => RecordPlace::Quoted,
                RecordPlace::Quoted if self.escape == Some(*byte) => RecordPlace::Escaped,
                RecordPlace::Quoted if is_quote => RecordPlace::Closing,
                RecordPlace::Quoted => RecordPlace::Quoted,
                RecordPlace::FieldStart | RecordPlace::Closing if is_quote => RecordPlace::Quoted,
                _ if *byte == b'\r' => {
                    *byte = b'\n';
                    self.begun = Some(0);
                    RecordPlace::FieldStart
                }
                _ if *byte == self.delimiter => RecordPlace::FieldStart,
                _ => RecordPlace::Bare,
            };
        }
    }

    /// Whether a line is a comment from this byte of it on.
    fn begins_comment(&mut self, byte: u8) -> bool {
        let Some(comment) = &self.comment else { return false };
        self.begun = self.begun.filter(|n| comment.get(*n) == Some(&byte)).map(|n| n + 1);
        self.begun == Some(comment.len())
    }
}

/// A decoder and the bytes that it has not decoded yet.
struct Decoding {
    encoding: &'static Encoding,
    decoder: Decoder,
    pending: Vec<u8>,
    ended: bool,
    finished: bool,
}

impl Decoding {
    fn new(encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_without_bom_handling();
        Self { encoding, decoder, pending: Vec::new(), ended: false, finished: false }
    }

    /// Reads more if nothing is pending; returns the number of bytes.
    fn read_block(&mut self, bytes: &mut dyn Read) -> io::Result<usize> {
        if self.ended || !self.pending.is_empty() {
            return Ok(0);
        }
        let n = bytes.take(BLOCK as u64).read_to_end(&mut self.pending)?;
        self.ended = n < BLOCK;
        Ok(n)
    }

    /// Decodes the pending bytes, up to the first malformed place: that becomes U+FFFD. Returns its place.
    fn decode_some(&mut self, text: &mut Vec<u8>) -> Option<usize> {
        let start = text.len();
        let room = self.decoder.max_utf8_buffer_length_without_replacement(self.pending.len()).unwrap_or(3 * BLOCK);
        text.resize(start + room, 0);
        let (result, read, written) =
            self.decoder.decode_to_utf8_without_replacement(&self.pending, &mut text[start..], self.ended);
        text.truncate(start + written);
        self.pending.drain(..read);
        match result {
            DecoderResult::InputEmpty => self.finished = self.ended,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => {
                text.extend_from_slice("\u{fffd}".as_bytes());
                return Some(start + written);
            }
        }
        None
    }
}

/// 16 KiB: each malformed place moves the rest of the block, so blocks are small.
const BLOCK: usize = 16 << 10;
