//! CSV and TSV: options, the splitter, the columns, and the reader that puts them together.

mod columns;
mod cut;
mod dialect;
mod marks;
mod parse;
mod reader;
mod recycle;
mod split;

pub use cut::count_records;
pub use dialect::{CsvOptions, Dialect};
pub use reader::CsvReader;
pub(crate) use reader::READ_BYTES;
