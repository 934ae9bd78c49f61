//! What a table's definition says of columns and the protocol does not: texts that are JSON documents, on MariaDB bytes that are vectors, and
//! numbers that are years.

use arrow_array::builder::{Float32Builder, ListBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Float32Type;
use arrow_array::{
    Array as _, ArrayRef, BinaryArray, ListArray, RecordBatch, RecordBatchOptions, StringArray, UInt16Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inrush::ColumnDef;
use inrush_core::wire::ColumnType;
use inrush_core::{Error, Result};
use inrush_files::{RowLayout, TextRule, WrittenFormat};
use std::collections::HashMap;
use std::sync::Arc;

/// Columns by what they hold.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    pub(crate) documents: Vec<String>,
    pub(crate) vectors: Vec<String>,
    /// ENUM and SET, for which a reader of CSV takes nothing between two delimiters for NULL.
    pub(crate) choices: Vec<String>,
    /// YEAR: the text `0` would be 2000 for a server, so text files have four digits.
    pub(crate) years: Vec<String>,
    /// ENUM, each with the text by which its error value (index 0) is read.
    pub(crate) enums: Vec<(String, String)>,
}

/// What becomes of the error value of an ENUM, which servers show as ''. It is not the member '', and no format has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorValues {
    Refuse,
    Null,
    Empty,
}

impl Known {
    /// Adds the columns of a query's result whose type is JSON. MariaDB has no such type: there they are texts.
    pub(crate) fn add_documents(&mut self, columns: &[ColumnDef]) {
        let documents = columns.iter().filter(|column| column.ty == ColumnType::MYSQL_TYPE_JSON);
        self.documents.extend(documents.map(|column| column.name.clone()));
    }

    /// The schema with this, so that readers of the file know it too. SQL has vectors as bytes, which both kinds of servers take.
    pub(crate) fn schema(&self, schema: &SchemaRef, format: WrittenFormat, errors: ErrorValues) -> SchemaRef {
        let is_enum = |name: &String| self.enums.iter().any(|(column, _)| column == name);
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
            () if errors == ErrorValues::Null && is_enum(field.name()) => {
                Arc::new(field.as_ref().clone().with_nullable(true))
            }
            () => field.clone(),
        };
        Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
    }

    /// A batch without error values of ENUMs.
    ///
    /// # Errors
    /// `Data` for such a value, if it is to be refused.
    pub(crate) fn without_error_values(&self, batch: RecordBatch, errors: ErrorValues) -> Result<RecordBatch> {
        let mut columns = batch.columns().to_vec();
        let mut fields: Vec<_> = batch.schema().fields().iter().cloned().collect();
        for (field, column) in fields.iter_mut().zip(&mut columns) {
            let Some((_, error)) = self.enums.iter().find(|(name, _)| name == field.name()) else { continue };
            let Some(texts) = column.as_string_opt::<i32>() else { continue };
            let is_error = |text: Option<&str>| text == Some(error);
            if !texts.iter().any(is_error) {
                continue;
            }
            let other = match errors {
                ErrorValues::Refuse => return Err(error_value(field.name())),
                ErrorValues::Null => None,
                ErrorValues::Empty => Some(""),
            };
            let values = texts.iter().map(|text| if is_error(text) { other } else { text });
            let values = values.collect::<StringArray>();
            *field = Arc::new(field.as_ref().clone().with_nullable(true));
            *column = Arc::new(values);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), columns, &options)
            .map_err(|error| Error::protocol(error.to_string()))
    }

    /// The same for rows without arrays, and what [`Known::check_without_quotes`] refuses unless there are quotes.
    pub(crate) fn add_rules(&self, layout: &mut RowLayout, errors: ErrorValues, has_quotes: bool) {
        let rule = match errors {
            ErrorValues::Refuse => TextRule::Refuse(error_value),
            ErrorValues::Null => TextRule::Null,
            ErrorValues::Empty => TextRule::Empty,
        };
        self.enums.iter().for_each(|(name, error)| layout.add_rule(name, error, rule));
        if !has_quotes {
            self.choices.iter().for_each(|name| layout.add_rule(name, "", TextRule::Refuse(empty_choice)));
        }
    }

    /// Refuses what a reader takes for NULL in a file without quotes.
    ///
    /// # Errors
    /// `Data` for an empty text of an ENUM or a SET.
    pub(crate) fn check_without_quotes(&self, batch: &RecordBatch) -> Result<()> {
        let schema = batch.schema();
        for (field, array) in schema.fields().iter().zip(batch.columns()) {
            let texts = array.as_string_opt::<i32>().filter(|_| self.choices.contains(field.name()));
            if texts.is_some_and(|texts| texts.iter().any(|text| text == Some(""))) {
                return Err(empty_choice(field.name()));
            }
        }
        Ok(())
    }

    /// A batch with such a schema.
    ///
    /// # Errors
    /// `Protocol` for a batch of other columns.
    pub(crate) fn batch(schema: &SchemaRef, batch: &RecordBatch) -> Result<RecordBatch> {
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

fn empty_choice(column: &str) -> Error {
    Error::data(format!("column `{column}` has an empty value, which without quotes is read as NULL"))
        .with_hint("leave `--quote ''` out")
}

fn error_value(column: &str) -> Error {
    Error::data(format!("column `{column}` holds the error value of an ENUM (index 0), which no file can tell from ''"))
        .with_hint(
            "`--invalid-enums null` writes NULL for it, `--invalid-enums empty` an empty text, as other tools do",
        )
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
        let batch =
            Known::batch(&known.schema(&batch.schema(), WrittenFormat::Csv, ErrorValues::Refuse), &batch).unwrap();
        let lists = batch.column(0).as_any().downcast_ref::<ListArray>().unwrap();
        assert_eq!((lists.value_length(0), lists.is_null(1), lists.value_length(2)), (2, true, 0));
        let back =
            Known::batch(&known.schema(&batch.schema(), WrittenFormat::Sql, ErrorValues::Refuse), &batch).unwrap();
        assert_eq!(back.column(0).as_binary::<i32>(), &BinaryArray::from(bytes.to_vec()));
        assert_eq!(format!("{:?}", lists.value(0)), "PrimitiveArray<Float32>\n[\n  1.0,\n  -2.0,\n]");
    }
}
