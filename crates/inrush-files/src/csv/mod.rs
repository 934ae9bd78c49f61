//! CSV and TSV: options, the splitter, the columns, and the reader that puts them together.

mod columns;
mod dialect;
mod marks;
mod reader;
mod recycle;
mod split;
mod stretch;

pub use dialect::{CsvOptions, Dialect};
pub use reader::CsvReader;
pub(crate) use reader::READ_BYTES;
