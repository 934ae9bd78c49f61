//! Writes record batches as files that `open` reads: CSV, JSON Lines, Parquet, Arrow IPC; and as SQL.
//!
//! A writer takes batches of one schema and holds at most a row group (Parquet) or a batch in memory. Nothing is complete before `finish`.

mod column;
mod compressed;
mod csv;
mod jsonl;
mod lines;
mod rows;
mod sql;

use arrow_array::RecordBatch;
use arrow_ipc::CompressionType;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions};
use arrow_schema::{ArrowError, Schema, SchemaRef};
use inrush_core::error::{Error, Result};
use inrush_core::wire::Row;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use std::io::{BufWriter, Write};

/// The format of a file that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrittenFormat {
    /// RFC 4180: a line of names, commas, `"` around fields that need quotes and around an empty text; NULL is `\N` without quotes. Bytes
    /// are hexadecimal digits.
    Csv,
    /// An object on each line: numbers and truth values as in JSON, everything else as texts. Bytes are hexadecimal digits.
    JsonLines,
    /// Row groups of about 64 MiB, Zstandard, statistics of each.
    Parquet,
    /// An Arrow IPC file (Feather) with Zstandard.
    Arrow,
    /// INSERT statements of at most 1 MiB for the table `rows`, or that of [`BatchWriter::sql`].
    Sql,
}

impl WrittenFormat {
    /// What names of such files end with.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Sql => "sql",
        }
    }

    /// The columns of bytes whose values are hexadecimal digits in files of this format.
    pub fn hex_columns(self, schema: &Schema) -> Vec<String> {
        let fields = schema.fields().iter().filter(|field| column::is_bytes(field.data_type()));
        match self {
            Self::Csv | Self::JsonLines => fields.map(|field| field.name().clone()).collect(),
            Self::Parquet | Self::Arrow | Self::Sql => Vec::new(),
        }
    }
}

pub use compressed::WrittenCompression;
pub use csv::CsvStyle;
pub use rows::{RowLayout, TextRule};
pub use sql::SqlStyle;

/// A file that is being written.
pub struct BatchWriter<W: Write + Send>(Writer<W>);

enum Writer<W: Write + Send> {
    Lines(lines::LinesWriter<W>),
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<FileWriter<BufWriter<W>>>),
}

impl<W: Write + Send> BatchWriter<W> {
    /// Begins a file of rows of this schema.
    ///
    /// # Errors
    /// `Config` for a type that the format has not, by column; `Io`.
    pub fn new(format: WrittenFormat, schema: &SchemaRef, out: W) -> Result<Self> {
        Self::compressed(format, WrittenCompression::None, schema, out)
    }

    /// The same, compressed if it is a file of lines; Parquet and Arrow compress by themselves.
    ///
    /// # Errors
    /// Those of [`BatchWriter::new`].
    pub fn compressed(
        format: WrittenFormat,
        compression: WrittenCompression,
        schema: &SchemaRef,
        out: W,
    ) -> Result<Self> {
        Self::styled(format, &CsvStyle::default(), compression, schema, out)
    }

    /// The same with another style of CSV; other formats ignore it.
    ///
    /// # Errors
    /// Those of [`BatchWriter::new`].
    pub fn styled(
        format: WrittenFormat,
        style: &CsvStyle,
        compression: WrittenCompression,
        schema: &SchemaRef,
        out: W,
    ) -> Result<Self> {
        let lines = |form, out| lines::LinesWriter::new(form, compression, schema, out).map(Writer::Lines);
        Ok(Self(match format {
            WrittenFormat::Csv => lines(lines::Form::Csv(style.clone()), out)?,
            WrittenFormat::JsonLines => lines(lines::Form::Json, out)?,
            WrittenFormat::Sql => lines(lines::Form::Sql(SqlStyle::default()), out)?,
            WrittenFormat::Parquet => {
                let level = ZstdLevel::try_new(ZSTD_LEVEL).map_err(of_parquet)?;
                let properties = WriterProperties::builder().set_compression(Compression::ZSTD(level)).build();
                let options = ArrowWriterOptions::new().with_properties(properties);
                let writer = ArrowWriter::try_new_with_options(out, schema.clone(), options).map_err(of_parquet)?;
                Writer::Parquet(Box::new(writer))
            }
            WrittenFormat::Arrow => {
                let options =
                    IpcWriteOptions::default().try_with_compression(Some(CompressionType::ZSTD)).map_err(of_arrow)?;
                let schema: &Schema = schema;
                let writer = FileWriter::try_new_with_options(BufWriter::new(out), schema, options);
                Writer::Arrow(Box::new(writer.map_err(of_arrow)?))
            }
        }))
    }

    /// Begins a file of INSERT statements.
    ///
    /// # Errors
    /// `Io`.
    pub fn sql(style: &SqlStyle, compression: WrittenCompression, schema: &SchemaRef, out: W) -> Result<Self> {
        let form = lines::Form::Sql(style.clone());
        Ok(Self(Writer::Lines(lines::LinesWriter::new(form, compression, schema, out)?)))
    }

    /// Appends the rows of a batch.
    ///
    /// # Errors
    /// `Data` for a value that the format cannot hold; `Io`.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        match &mut self.0 {
            Writer::Lines(writer) => writer.write(batch),
            Writer::Parquet(writer) => {
                writer.write(batch).map_err(of_parquet)?;
                if writer.in_progress_size() >= ROW_GROUP {
                    writer.flush().map_err(of_parquet)?;
                }
                Ok(())
            }
            Writer::Arrow(writer) => writer.write(batch).map_err(of_arrow),
        }
    }

    /// Appends a row of a result to a file of CSV or SQL.
    ///
    /// # Errors
    /// `Data` for a value that cannot be written; `Config` for another format; `Io`.
    pub fn write_row(&mut self, row: &Row<'_>, layout: &mut RowLayout) -> Result<()> {
        match &mut self.0 {
            Writer::Lines(writer) => writer.write_row(row, layout),
            Writer::Parquet(_) | Writer::Arrow(_) => Err(no_rows()),
        }
    }

    /// Bytes of rows that are still in memory: those of a row group, before it is compressed as a whole, or of lines.
    pub fn n_buffered(&self) -> usize {
        match &self.0 {
            Writer::Lines(writer) => writer.n_buffered(),
            Writer::Parquet(writer) => writer.in_progress_size(),
            Writer::Arrow(_) => 0,
        }
    }

    /// Ends the file, and returns the writer that it was written to.
    ///
    /// # Errors
    /// `Io`.
    pub fn finish(self) -> Result<W> {
        match self.0 {
            Writer::Lines(writer) => writer.finish(),
            Writer::Parquet(writer) => writer.into_inner().map_err(of_parquet),
            Writer::Arrow(writer) => {
                let buffered = writer.into_inner().map_err(of_arrow)?;
                buffered.into_inner().map_err(|error| unwritten(error.into_error()))
            }
        }
    }
}

/// The fastest level of Zstandard but one: a reader of rows is slower than that.
const ZSTD_LEVEL: i32 = 1;

/// Bytes of encoded rows that make a row group.
const ROW_GROUP: usize = 64 << 20;

fn no_rows() -> Error {
    Error::config("only files of CSV and SQL take rows; others take record batches")
}

fn unwritten(error: std::io::Error) -> Error {
    Error::io("cannot write the file", error)
}

fn of_parquet(error: ParquetError) -> Error {
    match error {
        ParquetError::External(error) => of_source(error),
        ParquetError::NYI(what) => Error::config(format!("Parquet cannot hold this: {what}")),
        error => unwritten(std::io::Error::other(error)),
    }
}

fn of_arrow(error: ArrowError) -> Error {
    match error {
        ArrowError::IoError(_, error) => unwritten(error),
        ArrowError::ExternalError(error) => of_source(error),
        error => unwritten(std::io::Error::other(error)),
    }
}

/// Reports an I/O error, such as a full disk, as itself.
fn of_source(error: Box<dyn std::error::Error + Send + Sync>) -> Error {
    match error.downcast::<std::io::Error>() {
        Ok(error) => unwritten(*error),
        Err(error) => unwritten(std::io::Error::other(error)),
    }
}

#[cfg(test)]
mod tests;
