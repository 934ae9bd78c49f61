//! What a table's definition says of columns and the protocol does not: texts that are JSON documents, on MariaDB bytes that are vectors, and
//! numbers that are years.

use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Float32Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, ListArray, RecordBatch, RecordBatchOptions, StringArray, UInt16Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inrush_core::{Error, Result};
use inrush_files::WrittenFormat;
use std::collections::HashMap;
use std::sync::Arc;

/// Columns by what they hold.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) documents: Vec<String>,
    pub(super) vectors: Vec<String>,
    /// ENUM and SET, for which a reader of CSV takes nothing between two delimiters for NULL.
    pub(super) choices: Vec<String>,
    /// YEAR: the text `0` would be 2000 for a server, so text files have four digits.
    pub(super) years: Vec<String>,
}

impl Known {
    /// The schema with this, so that readers of the file know it too. SQL has vectors as bytes, which both kinds of servers take.
    pub(super) fn schema(&self, schema: &SchemaRef, format: WrittenFormat) -> SchemaRef {
        let is_json = [("ARROW:extension:name", "arrow.json"), ("ARROW:extension:metadata", "")];
        let is_json = HashMap::from(is_json.map(|(key, value)| (key.to_owned(), value.to_owned())));
        let field = |field: &Arc<Field>| match () {
            () if self.documents.contains(field.name()) => {
                Arc::new(field.as_ref().clone().with_metadata(is_json.clone()))
            }
            () if self.vectors.contains(field.name()) => {
                let is_sql = format == WrittenFormat::Sql;
                let ty = if is_sql { DataType::Binary } else { DataType::List(item()) };
                Arc::new(field.as_ref().clone().with_data_type(ty))
            }
            () if self.years.contains(field.name())
                && matches!(format, WrittenFormat::Csv | WrittenFormat::JsonLines) =>
            {
                Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8))
            }
            () => field.clone(),
        };
        Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
    }

    /// Refuses what a reader takes for NULL in a file without quotes.
    ///
    /// # Errors
    /// `Data` for an empty text of an ENUM or a SET.
    pub(super) fn check_without_quotes(&self, batch: &RecordBatch) -> Result<()> {
        let schema = batch.schema();
        for (field, array) in schema.fields().iter().zip(batch.columns()) {
            let texts = array.as_string_opt::<i32>().filter(|_| self.choices.contains(field.name()));
            if texts.is_some_and(|texts| texts.iter().any(|text| text == Some(""))) {
                let problem =
                    format!("column `{}` has an empty value, which without quotes is read as NULL", field.name());
                return Err(Error::data(problem).with_hint("leave `--quote ''` out"));
            }
        }
        Ok(())
    }

    /// A batch with such a schema.
    ///
    /// # Errors
    /// `Protocol` for a batch of other columns.
    pub(super) fn batch(schema: &SchemaRef, batch: &RecordBatch) -> Result<RecordBatch> {
        let column = |(array, field): (&ArrayRef, &Arc<Field>)| match (array.data_type(), field.data_type()) {
            (DataType::Binary, DataType::List(_)) => vectors(array.as_binary()),
            (DataType::List(_), DataType::Binary) => vector_bytes(array.as_list()),
            (DataType::UInt16, DataType::Utf8) => years(array.as_primitive()),
            _ => array.clone(),
        };
        let columns = batch.columns().iter().zip(schema.fields()).map(column).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.clone(), columns, &options)
            .map_err(|error| Error::protocol(error.to_string()))
    }
}

fn years(numbers: &UInt16Array) -> ArrayRef {
    Arc::new(numbers.iter().map(|year| year.map(|year| format!("{year:04}"))).collect::<StringArray>())
}

/// Four bytes a number, little-endian.
fn vectors(bytes: &BinaryArray) -> ArrayRef {
    let mut lists = ListBuilder::new(Float32Builder::new()).with_field(item());
    for value in bytes {
        for number in value.unwrap_or_default().as_chunks::<4>().0 {
            lists.values().append_value(f32::from_le_bytes(*number));
        }
        lists.append(value.is_some());
    }
    Arc::new(lists.finish())
}

/// The same back.
fn vector_bytes(lists: &ListArray) -> ArrayRef {
    let bytes = |list: Option<ArrayRef>| {
        let numbers = list?;
        let numbers = numbers.as_primitive_opt::<Float32Type>()?;
        Some(numbers.values().iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>())
    };
    Arc::new(lists.iter().map(bytes).collect::<BinaryArray>())
}

/// The field of a vector's numbers, as in those of MySQL.
fn item() -> Arc<Field> {
    Arc::new(Field::new("item", DataType::Float32, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_vectors() {
        let known = Known { vectors: vec!["v".into()], ..Known::default() };
        let bytes = [Some(&[0, 0, 128, 63, 0, 0, 0, 192][..]), None, Some(&[])];
        let batch =
            RecordBatch::try_from_iter([("v", Arc::new(BinaryArray::from(bytes.to_vec())) as ArrayRef)]).unwrap();
        let batch = Known::batch(&known.schema(&batch.schema(), WrittenFormat::Csv), &batch).unwrap();
        let lists = batch.column(0).as_any().downcast_ref::<ListArray>().unwrap();
        assert_eq!((lists.value_length(0), lists.is_null(1), lists.value_length(2)), (2, true, 0));
        let back = Known::batch(&known.schema(&batch.schema(), WrittenFormat::Sql), &batch).unwrap();
        assert_eq!(back.column(0).as_binary::<i32>(), &BinaryArray::from(bytes.to_vec()));
        assert_eq!(format!("{:?}", lists.value(0)), "PrimitiveArray<Float32>\n[\n  1.0,\n  -2.0,\n]");
    }
}
