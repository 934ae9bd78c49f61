//! CSV and TSV: the splitter, the columns, and the reader that puts them together.

mod columns;
mod cut;
mod marks;
mod parse;
mod reader;
mod records;
mod recycle;
mod split;

pub use cut::count_records;
pub(crate) use cut::is_blank;
pub use reader::CsvReader;
pub(crate) use records::{READ_BYTES, RecordChunk, RecordReader};
