//! Arrow IPC: files (which end in a list of their batches) and streams (which do not), as arrays.
//!
//! This module parses the messages and passes them to `arrow-ipc` one by one, after it compared every length in them with the data:
//! lengths come from the file, and determine how much memory is allocated.

use crate::columnar::Arrays;
use crate::expansion::expands_too_far;
use crate::guard::guarded;
use crate::input::Meter;
use crate::on_disk::OnDisk;
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{
    Block, Endianness, MessageHeader, MetadataVersion, RecordBatch as Layout, root_as_footer, root_as_message,
};
use arrow_schema::{ArrowError, SchemaRef};
use inrush_core::error::{Error, Result};
use std::io::{self, Read};
use std::sync::Arc;

/// A file or a stream of Arrow batches.
pub(crate) struct Arrow {
    name: Arc<str>,
    schema: SchemaRef,
    version: MetadataVersion,
    decoder: FileDecoder,
    messages: Messages,
    /// See [`expands_too_far`].
    memory: u64,
}

/// Where messages come from.
enum Messages {
    /// A stream: one after the other.
    Stream(Box<dyn Read + Send>),
    /// A file: at the places in its footer, dictionaries first.
    File { file: Blocks, blocks: Vec<Block>, next: usize },
}

/// A message with its body, as the decoder takes it.
struct Message {
    block: Block,
    bytes: Buffer,
}

impl Arrow {
    /// A file that begins and ends with the magic bytes.
    pub(crate) fn open_file(name: &str, file: OnDisk, meter: Arc<Meter>, memory: usize) -> Result<Self> {
        let name: Arc<str> = name.into();
        let file = Blocks { file, meter };
        let (schema, version, blocks) = guarded(&name, || file.footer().map_err(|e| damaged(&name, &e)))?;
        let decoder = FileDecoder::new(schema.clone(), version);
        Ok(Self {
            name,
            schema,
            version,
            decoder,
            messages: Messages::File { file, blocks, next: 0 },
            memory: memory as u64,
        })
    }

    /// A stream: its first message is the schema.
    pub(crate) fn open_stream(name: &str, mut bytes: Box<dyn Read + Send>, memory: usize) -> Result<Self> {
        let name: Arc<str> = name.into();
        let (schema, version) = guarded(&name, || first_message(&mut bytes).map_err(|e| damaged(&name, &e)))?;
        let decoder = FileDecoder::new(schema.clone(), version);
        Ok(Self { name, schema, version, decoder, messages: Messages::Stream(bytes), memory: memory as u64 })
    }

    fn next_rows(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let message = match &mut self.messages {
                Messages::Stream(bytes) => read_message(bytes)?,
                Messages::File { file, blocks, next } => match blocks.get(*next) {
                    Some(block) => {
                        *next += 1;
                        Some(file.message(*block)?)
                    }
                    None => None,
                },
            };
            let Some(Message { block, bytes }) = message else { return Ok(None) };
            match check(&block, &bytes, self.memory)? {
                MessageHeader::DictionaryBatch => self.decoder.read_dictionary(&block, &bytes)?,
                MessageHeader::RecordBatch => return self.decoder.read_record_batch(&block, &bytes),
                _ => return Err(broken("a message is neither a batch nor a dictionary")),
            }
        }
    }
}

impl Arrays for Arrow {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn project(&mut self, fields: &[usize]) {
        let decoder = std::mem::replace(&mut self.decoder, FileDecoder::new(self.schema.clone(), self.version));
        self.decoder = decoder.with_projection(fields.to_vec());
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        let name = self.name.clone();
        guarded(&name, || self.next_rows().map_err(|e| damaged(&name, &e)))
    }

    /// The number of rows of a batch is in its message only, so nothing can be skipped.
    fn skip(&mut self, _n_rows: u64) -> Result<u64> {
        Ok(0)
    }

    fn restart(&mut self) -> Result<bool> {
        match &mut self.messages {
            Messages::Stream(_) => Ok(false),
            Messages::File { next, .. } => {
                *next = 0;
                Ok(true)
            }
        }
    }

    fn never_null(&self, field: usize) -> Option<bool> {
        (!self.schema.field(field).is_nullable()).then_some(true)
    }
}

/// A file's bytes, with bounds checks.
struct Blocks {
    file: OnDisk,
    meter: Arc<Meter>,
}

impl Blocks {
    /// The schema, and where dictionaries and batches are.
    fn footer(&self) -> Result<(SchemaRef, MetadataVersion, Vec<Block>), ArrowError> {
        let end = self.file.size().checked_sub(TRAILER_BYTES).ok_or_else(|| broken("it is too short"))?;
        let trailer = self.bytes(end, TRAILER_BYTES)?;
        let (length, magic) = trailer.split_at(4);
        if magic != MAGIC {
            return Err(broken("its end is missing"));
        }
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]).into();
        let start = end.checked_sub(length).ok_or_else(|| broken("its footer is longer than the file"))?;
        let bytes = self.bytes(start, length)?;
        let footer = root_as_footer(&bytes).map_err(|e| broken(&format!("its footer: {e}")))?;
        let schema = footer.schema().ok_or_else(|| broken("it has no schema"))?;
        let blocks = [footer.dictionaries(), footer.recordBatches()].into_iter().flatten();
        let blocks = blocks.flat_map(|blocks| blocks.iter().copied()).collect();
        Ok((read_schema(schema)?, footer.version(), blocks))
    }

    fn message(&self, block: Block) -> Result<Message, ArrowError> {
        let part = |n: i64| u64::try_from(n).map_err(|_| broken("a length is negative"));
        let (start, metadata, body) =
            (part(block.offset())?, part(block.metaDataLength().into())?, part(block.bodyLength())?);
        let length = metadata.checked_add(body).ok_or_else(|| broken("a length is too large"))?;
        Ok(Message { block, bytes: Buffer::from_vec(self.bytes(start, length)?) })
    }

    fn bytes(&self, start: u64, length: u64) -> Result<Vec<u8>, ArrowError> {
        if start.checked_add(length).is_none_or(|end| end > self.file.size()) {
            return Err(broken(&format!("it names {length} bytes at {start}, and has {}", self.file.size())));
        }
        let mut bytes = vec![0; length as usize];
        self.file.exact(start, length).read_exact(&mut bytes)?;
        self.meter.add(length);
        Ok(bytes)
    }
}

/// The schema with which a stream begins.
fn first_message(bytes: &mut dyn Read) -> Result<(SchemaRef, MetadataVersion), ArrowError> {
    let message = read_message(bytes)?.ok_or_else(|| broken("it is empty"))?;
    let message = root_as_message(metadata(&message.block, &message.bytes)?).map_err(|e| broken(&e.to_string()))?;
    let schema = message.header_as_schema().ok_or_else(|| broken("it does not begin with a schema"))?;
    Ok((read_schema(schema)?, message.version()))
}

fn read_schema(schema: arrow_ipc::Schema<'_>) -> Result<SchemaRef, ArrowError> {
    if schema.endianness() != Endianness::Little {
        return Err(broken("it is big endian, which is not read"));
    }
    Ok(Arc::new(try_fb_to_schema(schema)?))
}

/// The next message of a stream; `None` at its end. Memory is taken as bytes arrive.
fn read_message(bytes: &mut dyn Read) -> Result<Option<Message>, ArrowError> {
    let mut whole = Vec::new();
    if !append(bytes, 4, &mut whole)? {
        return Ok(None);
    }
    if whole == CONTINUATION {
        append(bytes, 4, &mut whole)?.then_some(()).ok_or_else(cut)?;
    }
    let prefix = whole.len();
    let length = whole.last_chunk::<4>().map_or(0, |length| u32::from_le_bytes(*length)) as usize;
    if length == 0 {
        return Ok(None);
    }
    append(bytes, length, &mut whole)?.then_some(()).ok_or_else(cut)?;
    let message = root_as_message(&whole[prefix..]).map_err(|e| broken(&e.to_string()))?;
    let body = usize::try_from(message.bodyLength()).map_err(|_| broken("a length is negative"))?;
    let metadata = i32::try_from(whole.len()).map_err(|_| broken("a message is too large"))?;
    let block = Block::new(0, metadata, body as i64);
    // The body has to be aligned by itself.
    let mut aligned = vec![0; whole.len().next_multiple_of(ALIGNMENT) - whole.len()];
    let shift = aligned.len();
    aligned.append(&mut whole);
    append(bytes, body, &mut aligned)?.then_some(()).ok_or_else(cut)?;
    Ok(Some(Message { block, bytes: Buffer::from_vec(aligned).slice(shift) }))
}

/// Appends so many bytes; returns false at the end of the stream.
fn append(bytes: &mut dyn Read, length: usize, whole: &mut Vec<u8>) -> io::Result<bool> {
    let read = bytes.take(length as u64).read_to_end(whole)?;
    match read {
        _ if read == length => Ok(true),
        0 => Ok(false),
        _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends within a message")),
    }
}

/// The metadata of a message, without its prefix.
fn metadata<'a>(block: &Block, bytes: &'a [u8]) -> Result<&'a [u8], ArrowError> {
    let whole = usize::try_from(block.metaDataLength()).ok().and_then(|length| bytes.get(..length)).ok_or_else(cut)?;
    let marks = if whole.starts_with(&CONTINUATION) { 8 } else { 4 };
    whole.get(marks..).ok_or_else(cut)
}

/// Compares every length and offset of a message with its body; returns its kind.
fn check(block: &Block, bytes: &Buffer, memory: u64) -> Result<MessageHeader, ArrowError> {
    let message = root_as_message(metadata(block, bytes)?).map_err(|e| broken(&e.to_string()))?;
    let body = &bytes[block.metaDataLength() as usize..];
    let layout = match message.header_type() {
        MessageHeader::RecordBatch => message.header_as_record_batch(),
        MessageHeader::DictionaryBatch => message.header_as_dictionary_batch().and_then(|batch| batch.data()),
        other => return Ok(other),
    };
    check_layout(&layout.ok_or_else(|| broken("a batch is missing its data"))?, body, memory)?;
    Ok(message.header_type())
}

fn check_layout(layout: &Layout<'_>, body: &[u8], memory: u64) -> Result<(), ArrowError> {
    let (rows, mut plain) = (layout.length(), 0u64);
    if rows < 0
        || layout.nodes().is_some_and(|nodes| nodes.iter().any(|node| node.length() < 0 || node.null_count() < 0))
    {
        return Err(broken("a length is negative"));
    }
    for buffer in layout.buffers().iter().flatten() {
        let bytes = usize::try_from(buffer.offset())
            .ok()
            .zip(usize::try_from(buffer.length()).ok())
            .and_then(|(start, length)| body.get(start..start.checked_add(length)?))
            .ok_or_else(|| broken("a column lies beyond the end of its batch"))?;
        // Compressed buffers begin with their decompressed length.
        if let (Some(_), Some(length)) = (layout.compression(), bytes.first_chunk::<8>()) {
            plain = plain.saturating_add(u64::try_from(i64::from_le_bytes(*length)).unwrap_or(0));
        }
    }
    if plain > MAX_PLAIN {
        return Err(broken("a compressed batch has more than 2 GiB"));
    }
    match expands_too_far(body.len() as u64, plain, memory) {
        Some(why) => Err(ArrowError::MemoryError(format!("a compressed batch {why}"))),
        None => Ok(()),
    }
}

fn broken(what: &str) -> ArrowError {
    ArrowError::IpcError(what.into())
}

fn cut() -> ArrowError {
    broken("it ends within a message")
}

fn damaged(name: &str, error: &ArrowError) -> Error {
    let refused = |what: &dyn std::fmt::Display| Error::data(format!("cannot read `{name}` as Arrow: {what}"));
    match error {
        ArrowError::IpcError(what) => refused(what),
        ArrowError::MemoryError(what) => {
            refused(what).with_hint("raise `--memory`, or write the file in smaller batches")
        }
        other => refused(other),
    }
}

/// The bytes at both ends of a file.
pub(crate) const MAGIC: &[u8] = b"ARROW1";

/// Precedes each message since version 0.15.
pub(crate) const CONTINUATION: [u8; 4] = [0xff; 4];

/// The footer's length and the magic bytes.
const TRAILER_BYTES: u64 = 10;

/// Arrow aligns to 8 bytes, and better to 64.
const ALIGNMENT: usize = 64;

/// Batches are written to be held in memory; beyond this a length is a mistake.
const MAX_PLAIN: u64 = 2 << 30;
