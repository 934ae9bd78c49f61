//! Reads data files as batches of Arrow columns: CSV, TSV and JSON Lines, plain or compressed, in any encoding; Excel workbooks; Parquet and
//! Arrow IPC.
//!
//! ```text
//! open -> (magic bytes) decompress -> sniff (dialect, header, encoding) -> (byte order mark) input -> csv -> Batch
//!      |                                                                       -> jsonl -> Batch
//!      -> fixed_width (columns of so many characters, as lines with delimiters) -> csv -> Batch
//!      -> xlsx (a sheet's rows as lines) -> csv -> Batch
//!      -> parquet, arrow, record_batches of a program -> columnar (rows, their numbers, resume) -> cells (any type as text) -> Batch
//! ```
//!
//! The feature `parquet` (on by default) reads Parquet and writes files. Without it a Parquet file is refused, and the crate `parquet` is not
//! compiled. The feature `object-store` reads objects of stores and HTTP servers by their addresses; without it they are refused.
#![cfg_attr(not(all(feature = "parquet", feature = "object-store")), allow(dead_code))]

mod address;
mod applies;
mod arrow;
mod cells;
mod columnar;
mod csv;
mod decompress;
mod dialect;
mod diverts;
mod dump;
mod escaped;
mod expansion;
mod file_format;
mod file_options;
mod file_source;
mod fixed_width;
mod formats;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod guard;
pub mod hints;
mod infer_types;
mod input;
mod json_elements;
mod jsonl;
mod lz4;
pub mod mask;
mod moment;
mod names;
mod needed;
mod new_table;
#[cfg(feature = "object-store")]
mod objects;
#[cfg(not(feature = "object-store"))]
#[path = "no_objects.rs"]
mod objects;
mod on_disk;
mod open;
mod opened_file;
mod other_formats;
#[cfg(feature = "parquet")]
mod parquet;
#[cfg(not(feature = "parquet"))]
#[path = "no_parquet.rs"]
mod parquet;
mod paths;
mod pending_bytes;
mod raw;
mod record_batches;
mod script;
mod sniff;
mod tar_member;
mod text;
mod together;
mod whole_sample;
mod widths;
#[cfg(feature = "parquet")]
mod written;
mod xlsx;
mod zip_member;

pub use address::is_address;
pub use columnar::check_extensions;
pub use csv::CsvReader;
#[doc(hidden)]
pub use csv::count_records;
pub use decompress::Compression;
pub use dialect::{AutoDetect, CsvOptions, Dialect, HeaderNames, TableColumn, TableColumns};
pub use diverts::{check_reject_file, is_of_one_table, reject_file_name, reject_header, reject_store};
pub use dump::{DumpContents, DumpFolder, DumpTable, OtherStatement, RowText};
pub use file_format::Format;
pub use file_options::FileOptions;
pub use file_source::{FileSource, RejectForm};
pub use formats::{DateFormat, Percent, Proposal, ValueFormats};
pub use infer_types::{Cause, Inferred, Numbers, Texts, Why, fit_key, fit_row, often_means_null, tighten};
pub use input::Meter;
pub use needed::{check_needed, needed};
pub use new_table::{Makes, NewTable, NewTypes, Sample, infer_all};
pub use objects::{ObjectFolder, ObjectUpload};
pub use open::open;
pub use paths::{expand, table_of};
pub use raw::raw_bytes;
pub use record_batches::{record_batches, record_batches_by_content, record_batches_by_name, record_batches_once};
pub use script::script_bytes;
pub use sniff::DetectedDialect;
pub use together::{
    QuotedEmpties, check_all_names, check_fields_of_formats, check_other_names, describe_all, found_header,
    likely_encodings, open_all, refuse_other_encodings,
};
pub use whole_sample::infer_types_of;
pub use widths::Widths;
#[cfg(feature = "parquet")]
pub use written::{BatchWriter, CsvStyle, RowLayout, SqlStyle, TextRule, WrittenCompression, WrittenFormat};
