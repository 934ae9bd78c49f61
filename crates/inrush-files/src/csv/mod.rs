//! CSV and TSV: the splitter, the columns, and the reader that puts them together.

mod columns;
mod cut;
mod marks;
mod parse;
mod reader;
mod recycle;
mod split;

pub use cut::count_records;
pub use reader::CsvReader;
pub(crate) use reader::READ_BYTES;
