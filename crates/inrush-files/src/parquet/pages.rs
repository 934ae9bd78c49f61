//! The pages of a Parquet file on their way to its decoder, and the memory that a batch of them takes.
//!
//! The footer has sums only, which are not enough: one row can hold all values of its row group, and the header of a page can have any
//! size. So this module reads the header of each page before the page is decompressed, and its repetition levels before its values are
//! decoded. If a batch would take more than `--memory`, its rows are read again in smaller batches; a single row that is too large is an
//! error.

use super::header::{self, Header};
use super::runs::{self, Windows};
use super::{FileBytes, is_none};
use crate::expansion::MOST_EXPANSION;
use parquet::arrow::arrow_reader::RowGroups;
use parquet::basic::{Encoding, Type};
use parquet::column::page::{Page, PageIterator, PageMetadata, PageReader};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::ColumnDescriptor;
use std::sync::{Arc, Mutex, PoisonError};

/// One row group, whose pages are counted.
pub(super) struct Group {
    pub(super) bytes: FileBytes,
    pub(super) metadata: Arc<ParquetMetaData>,
    pub(super) index: usize,
    pub(super) budget: Arc<Budget>,
}

impl Group {
    fn group(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.index)
    }
}

impl RowGroups for Group {
    fn num_rows(&self) -> usize {
        usize::try_from(self.group().num_rows()).unwrap_or(0)
    }

    fn column_chunks(&self, leaf: usize) -> Result<Box<dyn PageIterator>, ParquetError> {
        let column = self.group().column(leaf);
        let column = match column.dictionary_page_offset() {
            Some(at) if is_none(at) => &column.clone().into_builder().set_dictionary_page_offset(None).build()?,
            _ => column,
        };
        let (start, len) = column.byte_range();
        let bytes = self.bytes.of_column(start, len, self.metadata.file_metadata().schema_descr().num_columns());
        let inner = SerializedPageReader::new(Arc::new(bytes.clone()), column, self.num_rows(), None)?;
        let pages: Box<dyn PageReader> = Box::new(Counted {
            inner,
            bytes,
            next: start..start.saturating_add(len),
            leaf,
            column: column.clone(),
            windows: Windows::new(self.budget.batch_rows),
            budget: self.budget.clone(),
        });
        Ok(Box::new(OneChunk(Some(pages))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.group()))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

/// The pages of one column of one row group.
struct OneChunk(Option<Box<dyn PageReader>>);

impl Iterator for OneChunk {
    type Item = Result<Box<dyn PageReader>, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for OneChunk {}

/// The memory that a batch may take, and what its columns take of it.
pub(super) struct Budget {
    memory: u64,
    batch_rows: u64,
    columns: Mutex<Vec<Taken>>,
    refused: Mutex<Option<Refused>>,
}

/// Bytes that a column takes.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    dictionary: u64,
    /// The pages of the batch; texts stay in them.
    pages: u64,
    last_page: u64,
    /// The most that the values of a batch take outside of their pages.
    values: u64,
}

/// Why a batch was not decoded.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    pub(super) why: String,
    pub(super) hint: &'static str,
    /// A batch of fewer rows takes less.
    pub(super) may_shrink: bool,
}

impl Budget {
    pub(super) fn new(memory: u64, batch_rows: u64, n_columns: usize) -> Self {
        let columns = Mutex::new(vec![Taken::default(); n_columns]);
        Self { memory, batch_rows, columns, refused: Mutex::default() }
    }

    /// A batch begins: of the pages before, a column keeps its last.
    pub(super) fn begin_batch(&self) {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        columns.iter_mut().for_each(|taken| taken.pages = taken.last_page);
    }

    /// Why the last batch failed, if it took too much memory.
    pub(super) fn take_refused(&self) -> Option<Refused> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn refuse(&self, refused: Refused) -> ParquetError {
        let why = ParquetError::General(refused.why.clone());
        *self.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(refused);
        why
    }

    /// Changes what a column takes; returns what all of them take.
    fn change(&self, leaf: usize, change: impl FnOnce(&mut Taken)) -> u64 {
        let mut columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(taken) = columns.get_mut(leaf) {
            change(taken);
        }
        let all = columns.iter().flat_map(|taken| [taken.dictionary, taken.pages, taken.values]);
        all.fold(0, u64::saturating_add)
    }
}

/// The pages of a column, each counted before it is decompressed or decoded.
struct Counted {
    inner: SerializedPageReader<FileBytes>,
    bytes: FileBytes,
    /// Where the next page begins, and where the column ends.
    next: std::ops::Range<u64>,
    leaf: usize,
    column: ColumnChunkMetaData,
    windows: Windows,
    budget: Arc<Budget>,
}

impl Counted {
    /// Reads and checks the header of the next page; `None` after the last one.
    fn header(&mut self) -> Result<Option<Header>, ParquetError> {
        while self.next.start < self.next.end {
            let header = header::read(self.bytes.get_read(self.next.start)?)?;
            self.next.start = self.next.start.saturating_add(header.len).saturating_add(header.stored);
            if header.kind == INDEX_PAGE {
                continue;
            }
            let (size, memory) = (header.plain.max(header.stored), self.budget.memory);
            if size > memory {
                return Err(self.budget.refuse(Refused {
                    why: format!(
                        "a page of column `{}` comes to {} MiB, more than the {} MiB of `--memory`",
                        self.column.column_path().string(),
                        size >> 20,
                        memory >> 20
                    ),
                    hint: "raise `--memory`, or write the file with smaller pages",
                    may_shrink: false,
                }));
            }
            return Ok(Some(header));
        }
        Ok(None)
    }

    /// Counts what a page takes and what its values are going to take.
    fn count(&mut self, header: &Header, page: &Page) -> Result<(), ParquetError> {
        // Pages of common size and common ratio do not count: a wide file has hundreds of them at a time.
        let is_usual = header.plain <= USUAL_PAGE && header.plain / MOST_EXPANSION <= header.stored;
        let size = if is_usual { 0 } else { header.plain };
        let column = self.column.column_descr_ptr();
        if let Page::DictionaryPage { .. } = page {
            let all = self.budget.change(self.leaf, |taken| taken.dictionary = size);
            return self.check(all, 0, 0);
        }
        let (n, values) = values_of(&column, page, &mut self.windows, self.budget.batch_rows);
        let keeps_pages = column.physical_type() == Type::BYTE_ARRAY;
        let all = self.budget.change(self.leaf, |taken| {
            taken.pages = if keeps_pages { taken.pages.saturating_add(size) } else { size };
            taken.last_page = size;
            taken.values = values;
        });
        self.check(all, n, values)
    }

    fn check(&self, all: u64, n: u64, values: u64) -> Result<(), ParquetError> {
        let memory = self.budget.memory;
        if all <= memory {
            return Ok(());
        }
        let name = self.column.column_path().string();
        let (all, memory_mib) = (all >> 20, memory >> 20);
        let why = if values > memory / 2 && n > 1 {
            format!(
                "a row of column `{name}` has {n} values, which take {all} MiB, more than the {memory_mib} MiB of `--memory`"
            )
        } else {
            format!("a row takes {all} MiB with the pages that it is in, more than the {memory_mib} MiB of `--memory`")
        };
        let hint = "raise `--memory`, or write long lists as rows of a table of their own, and smaller pages";
        Err(self.budget.refuse(Refused { why, hint, may_shrink: self.budget.batch_rows > 1 }))
    }
}

impl Iterator for Counted {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

impl PageReader for Counted {
    fn get_next_page(&mut self) -> Result<Option<Page>, ParquetError> {
        let header = self.header()?;
        let page = self.inner.get_next_page()?;
        if let (Some(header), Some(page)) = (header, &page) {
            self.count(&header, page)?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>, ParquetError> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<(), ParquetError> {
        // A dictionary that is skipped may be decoded later.
        self.header()?;
        self.inner.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.inner.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>, ParquetError> {
        self.inner.take_deferred_dictionary()
    }

    fn at_record_boundary(&mut self) -> Result<bool, ParquetError> {
        self.inner.at_record_boundary()
    }
}

/// The most values of a batch with values of this page, and the bytes that they take outside of their pages.
fn values_of(column: &ColumnDescriptor, page: &Page, windows: &mut Windows, batch_rows: u64) -> (u64, u64) {
    let n_values = u64::from(page.num_values());
    let is_list = column.max_rep_level() > 0;
    let Some((repetition, values)) = parts(column, page) else {
        // An obsolete encoding of the levels: all values may be of one row.
        windows.add(1, n_values);
        return sized(column, windows.take_most(), 0, is_list);
    };
    if is_list {
        let bits = (u16::BITS - column.max_rep_level().unsigned_abs().leading_zeros()) as usize;
        runs::levels(repetition, bits, n_values, |level, n| windows.add(level, n));
    } else {
        windows.add(0, n_values);
    }
    let is_delta = page.encoding() == Encoding::DELTA_BYTE_ARRAY && column.physical_type() == Type::BYTE_ARRAY;
    // The decoder reports damaged lengths.
    let longest = if is_delta { runs::longest_of_delta(values).unwrap_or(0) } else { 0 };
    sized(column, windows.take_most().min(if is_list { u64::MAX } else { batch_rows }), longest, is_list)
}

fn sized(column: &ColumnDescriptor, n: u64, longest: u64, is_list: bool) -> (u64, u64) {
    let listed = if is_list { LISTED_BYTES + width(column) } else { 0 };
    (n, n.saturating_mul(listed.saturating_add(longest)))
}

/// The repetition levels of a page, and its values; `None` if the levels are not runs.
fn parts<'a>(column: &ColumnDescriptor, page: &'a Page) -> Option<(&'a [u8], &'a [u8])> {
    match page {
        Page::DataPage { buf, rep_level_encoding, def_level_encoding, .. } => {
            let mut rest: &[u8] = buf;
            let mut levels = |max: i16, encoding: &Encoding| {
                if max == 0 {
                    return Some(&rest[..0]);
                }
                if *encoding != Encoding::RLE {
                    return None;
                }
                let (len, after) = rest.split_first_chunk::<4>()?;
                let (levels, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
                rest = after;
                Some(levels)
            };
            let repetition = levels(column.max_rep_level(), rep_level_encoding)?;
            levels(column.max_def_level(), def_level_encoding)?;
            Some((repetition, rest))
        }
        Page::DataPageV2 { buf, rep_levels_byte_len, def_levels_byte_len, .. } => {
            let (repetition, rest) = buf.split_at_checked(*rep_levels_byte_len as usize)?;
            Some((repetition, rest.get(*def_levels_byte_len as usize..)?))
        }
        Page::DictionaryPage { .. } => None,
    }
}

/// Bytes of a value in an array; texts are views.
pub(super) fn width(column: &ColumnDescriptor) -> u64 {
    match column.physical_type() {
        Type::BOOLEAN => 1,
        Type::INT32 | Type::FLOAT => 4,
        Type::INT64 | Type::DOUBLE => 8,
        Type::INT96 => 12,
        Type::BYTE_ARRAY => 16,
        Type::FIXED_LEN_BYTE_ARRAY => u64::try_from(column.type_length()).unwrap_or(0),
    }
}

/// The bytes that a value of a list takes besides its width: its levels, 2 bytes each, and its JSON text, which is in memory as a cell and
/// as a part of a statement.
const LISTED_BYTES: u64 = 20;

/// Writers end a page, and a dictionary, at 1 MiB.
const USUAL_PAGE: u64 = 2 << 20;

const INDEX_PAGE: u64 = 1;
