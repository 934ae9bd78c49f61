//! Reads data files as batches of Arrow columns: CSV and TSV, plain or compressed, in any encoding.
//!
//! ```text
//! open -> (magic bytes) decompress -> (byte order mark, encoding) input -> csv -> Batch
//! ```

mod csv;
mod decompress;
mod file_source;
mod infer_types;
mod input;
mod on_disk;
mod open;
#[doc(hidden)]
pub mod soup;
mod zip_member;

pub use csv::{CsvOptions, CsvReader, Dialect};
pub use decompress::Compression;
pub use file_source::{FileSource, RejectForm};
pub use infer_types::Inferred;
pub use input::Meter;
pub use open::{Format, open};
