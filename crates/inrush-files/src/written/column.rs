//! A column of a file of lines: how its values are spelt.

use crate::cells::{self, Cells, Style};
use arrow_array::builder::BinaryViewBuilder;
use arrow_array::{ArrayRef, BinaryViewArray};
use arrow_schema::{DataType, Field};
use inrush_core::error::Result;
use inrush_core::load::ColumnKind;

/// A column of a file of lines.
pub(super) struct LineColumn {
    pub(super) name: Box<[u8]>,
    pub(super) kind: ColumnKind,
    pub(super) is_truth: bool,
    /// Its texts are JSON documents.
    pub(super) is_document: bool,
    /// Its values are bytes, which hexadecimal digits spell.
    pub(super) is_bytes: bool,
    style: Style,
}

impl LineColumn {
    pub(super) fn new(field: &Field) -> Self {
        let kind = kind(field.data_type());
        Self {
            name: field.name().as_bytes().into(),
            kind,
            is_truth: *field.data_type() == DataType::Boolean,
            is_document: cells::is_document(field),
            is_bytes: is_bytes(field.data_type()),
            style: Style::new(kind, cells::is_uuid(field)),
        }
    }

    /// The values of an array as texts.
    pub(super) fn cells(&self, array: &ArrayRef) -> Result<BinaryViewArray> {
        let mut cells = Cells::new(self.style);
        cells.append(array)?;
        let cells = cells.finish()?;
        Ok(if self.is_bytes { in_digits(&cells) } else { cells })
    }
}

/// Whether a file of lines has hexadecimal digits for values of this type.
pub(super) fn is_bytes(ty: &DataType) -> bool {
    matches!(ty, DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_))
}

fn in_digits(cells: &BinaryViewArray) -> BinaryViewArray {
    let mut texts = BinaryViewBuilder::new();
    let mut digits = Vec::new();
    for cell in cells {
        let Some(cell) = cell else {
            texts.append_null();
            continue;
        };
        digits.clear();
        hexadecimal(cell, &mut digits);
        texts.append_value(&digits);
    }
    texts.finish()
}

/// Two lower-case digits a byte, as UNHEX() reads them.
pub(super) fn hexadecimal(bytes: &[u8], digits: &mut Vec<u8>) {
    for byte in bytes {
        digits.extend([DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

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
