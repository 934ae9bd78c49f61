//! Rows as lines of text, and when lines are written; the form decides the text around values.

use super::column::LineColumn;
use super::compressed::{Compressed, WrittenCompression};
use super::csv::CsvStyle;
use super::rows::RowLayout;
use super::sql::{SqlStyle, Statements};
use super::{jsonl, no_rows, unwritten};
use arrow_array::{Array, BinaryViewArray, RecordBatch};
use arrow_schema::SchemaRef;
use inrush_core::error::Result;
use inrush_core::wire::Row;
use std::io::Write;

/// The text around values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Csv(CsvStyle),
    Json,
    Sql(SqlStyle),
}

/// The same under way.
enum Text {
    Csv(CsvStyle),
    Json,
    Sql(Statements),
}

/// A file of lines.
pub(super) struct LinesWriter<W: Write> {
    text: Text,
    out: Compressed<W>,
    lines: Vec<u8>,
    columns: Vec<LineColumn>,
}

impl<W: Write> LinesWriter<W> {
    pub(super) fn new(form: Form, compression: WrittenCompression, schema: &SchemaRef, out: W) -> Result<Self> {
        let columns: Vec<_> = schema.fields().iter().map(|field| LineColumn::new(field)).collect();
        let mut lines = Vec::new();
        let text = match form {
            Form::Csv(style) => {
                style.header(&columns, &mut lines)?;
                Text::Csv(style)
            }
            Form::Json => Text::Json,
            Form::Sql(style) => Text::Sql(Statements::begin(&style, &columns, &mut lines)),
        };
        let out = Compressed::new(compression, out).map_err(unwritten)?;
        Ok(Self { text, out, lines, columns })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let arrays: Vec<BinaryViewArray> = batch
            .columns()
            .iter()
            .zip(&self.columns)
            .map(|(array, column)| column.cells(array))
            .collect::<Result<_>>()?;
        for row in 0..batch.num_rows() {
            let cells = self.columns.iter().zip(&arrays);
            let cells = cells.map(|(column, array)| (column, array.is_valid(row).then(|| array.value(row))));
            match &mut self.text {
                Text::Csv(style) => style.line(cells.map(|(_, cell)| cell), &mut self.lines)?,
                Text::Json => jsonl::line(cells, &mut self.lines)?,
                Text::Sql(statements) => statements.row(cells, &mut self.lines),
            }
            if self.lines.len() >= BUFFER {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Appends a row of a result.
    ///
    /// # Errors
    /// `Data` for a value that cannot be written; `Config` for JSON.
    pub(super) fn write_row(&mut self, row: &Row<'_>, layout: &mut RowLayout) -> Result<()> {
        match &mut self.text {
            Text::Csv(style) => style.row(row, layout, &mut self.lines)?,
            Text::Sql(statements) => statements.result_row(row, layout, &mut self.lines)?,
            Text::Json => return Err(no_rows()),
        }
        if self.lines.len() >= BUFFER {
            self.flush()?;
        }
        Ok(())
    }

    /// Bytes that are not written yet, before compression.
    pub(super) fn n_buffered(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn finish(mut self) -> Result<W> {
        if let Text::Sql(statements) = &mut self.text {
            statements.finish(&mut self.lines);
        }
        self.flush()?;
        self.out.finish().map_err(unwritten)
    }

    fn flush(&mut self) -> Result<()> {
        self.out.write_all(&self.lines).map_err(unwritten)?;
        self.lines.clear();
        Ok(())
    }
}

const BUFFER: usize = 256 << 10;
