//! CSV as RFC 4180 has it, so that no reader has to guess: NULL is `\N`, and a text that could be taken for it, for the end of its field or
//! for nothing is in quotes.

use super::unwritten;
use crate::cells::{self, Cells, Style};
use arrow_array::{Array, ArrayRef, BinaryViewArray, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use inrush_core::bulk::ColumnKind;
use inrush_core::error::{Error, Result};
use std::io::Write;

/// A file of lines.
pub(super) struct CsvWriter<W> {
    out: W,
    lines: Vec<u8>,
    styles: Vec<Style>,
}

impl<W: Write> CsvWriter<W> {
    pub(super) fn new(schema: &SchemaRef, out: W) -> Result<Self> {
        let mut lines = Vec::new();
        let mut styles = Vec::new();
        for field in schema.fields() {
            if matches!(field.data_type(), DataType::Binary | DataType::LargeBinary | DataType::BinaryView) {
                let problem = format!("column `{}` holds bytes, and CSV has texts only", field.name());
                return Err(Error::config(problem).with_hint("Parquet and Arrow hold them; or leave the column out"));
            }
            styles.push(Style::new(kind(field.data_type()), cells::is_uuid(field)));
            separate(&mut lines, styles.len() == 1);
            text(field.name().as_bytes(), &mut lines);
        }
        lines.push(b'\n');
        Ok(Self { out, lines, styles })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let columns: Vec<BinaryViewArray> = batch
            .columns()
            .iter()
            .zip(&self.styles)
            .map(|(array, style)| cells_of(array, *style))
            .collect::<Result<_>>()?;
        for row in 0..batch.num_rows() {
            for (at, column) in columns.iter().enumerate() {
                separate(&mut self.lines, at == 0);
                match column.is_null(row) {
                    true => self.lines.extend_from_slice(NULL),
                    false => text(column.value(row), &mut self.lines),
                }
            }
            self.lines.push(b'\n');
            if self.lines.len() >= BUFFER {
                self.flush()?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<W> {
        self.flush()?;
        Ok(self.out)
    }

    fn flush(&mut self) -> Result<()> {
        self.out.write_all(&self.lines).map_err(unwritten)?;
        self.lines.clear();
        Ok(())
    }
}

fn cells_of(array: &ArrayRef, style: Style) -> Result<BinaryViewArray> {
    let mut cells = Cells::new(style);
    cells.append(array)?;
    cells.finish()
}

/// The spelling of values of a type.
fn kind(ty: &DataType) -> ColumnKind {
    match ty {
        DataType::Float16 | DataType::Float32 => ColumnKind::Float,
        DataType::Float64 => ColumnKind::Double,
        DataType::Boolean => ColumnKind::Integer,
        ty if ty.is_integer() => ColumnKind::Integer,
        ty if ty.is_decimal() => ColumnKind::Decimal,
        DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => ColumnKind::Moment,
        DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) => ColumnKind::Time,
        _ => ColumnKind::Text,
    }
}

fn separate(lines: &mut Vec<u8>, is_first: bool) {
    if !is_first {
        lines.push(b',');
    }
}

fn text(cell: &[u8], lines: &mut Vec<u8>) {
    if !needs_quotes(cell) {
        return lines.extend_from_slice(cell);
    }
    lines.push(b'"');
    for piece in cell.split_inclusive(|byte| *byte == b'"') {
        lines.extend_from_slice(piece);
        if piece.ends_with(b"\"") {
            lines.push(b'"');
        }
    }
    lines.push(b'"');
}

/// Blanks at the ends and backslashes are quoted too: some readers drop the first, and take the second for escapes.
fn needs_quotes(cell: &[u8]) -> bool {
    let is_odd = |byte: &u8| matches!(byte, b',' | b'"' | b'\'' | b'\n' | b'\r' | b'\\' | b'#');
    let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
    cell.is_empty() || is_blank(cell.first()) || is_blank(cell.last()) || cell.iter().any(is_odd)
}

const NULL: &[u8] = br"\N";

const BUFFER: usize = 256 << 10;
