//! `GetStatistics`: how many rows a table has and how many values an indexed column, as the server's optimizer estimates them. Every value is
//! approximate and says so.

use crate::failure::{self, Result};
use crate::names::database;
use crate::objects::{Texts, ask};
use crate::session::SharedSession;
use adbc_core::constants::{ADBC_STATISTIC_DISTINCT_COUNT_KEY, ADBC_STATISTIC_ROW_COUNT_KEY};
use adbc_core::schemas::{
    GET_STATISTIC_NAMES_SCHEMA, GET_STATISTICS_SCHEMA, STATISTIC_VALUE_SCHEMA, STATISTICS_DB_SCHEMA_SCHEMA,
    STATISTICS_SCHEMA,
};
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Float64Array, Int16Array, Int64Array, ListArray, RecordBatch, StringArray,
    StructArray, UInt64Array, UnionArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use std::sync::Arc;

/// No statistics beyond those that ADBC names.
pub(crate) fn names() -> RecordBatch {
    RecordBatch::new_empty(GET_STATISTIC_NAMES_SCHEMA.clone())
}

/// The statistics of tables; names are patterns of LIKE.
pub(crate) fn batch(
    session: &Arc<SharedSession>,
    catalog: Option<&str>,
    db_schema: Option<&str>,
    table_name: Option<&str>,
) -> Result<RecordBatch> {
    let database = database(catalog, db_schema)?;
    let of_tables = [("TABLE_SCHEMA", database), ("TABLE_NAME", table_name)];
    // MySQL keeps estimates for a day; other servers have no such variable.
    let expiry = |value: &str| {
        let set = format!("SET SESSION information_schema_stats_expiry = {value}");
        session.with(|connection| match connection.execute(&set, ()) {
            Err(error) if error.code() == UNKNOWN_VARIABLE => Ok(()),
            done => done.map(drop),
        })
    };
    expiry("0")?;
    let tables = "SELECT TABLE_SCHEMA, TABLE_NAME, NULL, TABLE_ROWS FROM information_schema.TABLES";
    let indexes = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CARDINALITY FROM information_schema.STATISTICS";
    let mut of_indexes = of_tables.to_vec();
    of_indexes.push(("SEQ_IN_INDEX", Some("1")));
    let of_rows = ask(session, tables, &of_tables, "TABLE_SCHEMA, TABLE_NAME");
    let of_columns = ask(session, indexes, &of_indexes, "TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, CARDINALITY DESC");
    expiry("DEFAULT")?;
    let rows = of_rows?.into_iter().filter_map(|row| Statistic::read(row, ADBC_STATISTIC_ROW_COUNT_KEY));
    let columns = of_columns?.into_iter().filter_map(|row| Statistic::read(row, ADBC_STATISTIC_DISTINCT_COUNT_KEY));
    let mut all: Vec<Statistic> = rows.chain(columns).collect();
    all.sort_by(|a, b| (&a.schema, &a.table, &a.column).cmp(&(&b.schema, &b.table, &b.column)));
    // A column that several indexes begin with.
    all.dedup_by(|b, a| (&a.schema, &a.table, &a.column) == (&b.schema, &b.table, &b.column));
    nested(&all).map_err(failure::of_arrow)
}

/// ER_UNKNOWN_SYSTEM_VARIABLE
const UNKNOWN_VARIABLE: u16 = 1193;

/// One value. `column` is `None` for a value of a table.
struct Statistic {
    schema: String,
    table: String,
    column: Option<String>,
    key: i16,
    value: i64,
}

impl Statistic {
    /// `None`: the server has no estimate, as of a view.
    fn read(row: Texts, key: i16) -> Option<Self> {
        let value = row.text(3).parse().ok()?;
        let column = Some(row.text(2).to_owned()).filter(|column| !column.is_empty());
        Some(Self { schema: row.text(0).into(), table: row.text(1).into(), column, key, value })
    }
}

/// Sorted statistics as ADBC nests them: a row for each database.
fn nested(all: &[Statistic]) -> std::result::Result<RecordBatch, ArrowError> {
    let n = all.len();
    let databases: Vec<&[Statistic]> = all.chunk_by(|a, b| a.schema == b.schema).collect();
    let names = databases.iter().filter_map(|own| own.first()).map(|first| first.schema.as_str());
    let DataType::Union(members, _) = &*STATISTIC_VALUE_SCHEMA else { return Err(not_nested()) };
    let values = UnionArray::try_new(
        members.clone(),
        vec![0_i8; n].into(),
        Some((0..i32::try_from(n).unwrap_or(i32::MAX)).collect::<ScalarBuffer<i32>>()),
        vec![
            Arc::new(all.iter().map(|one| Some(one.value)).collect::<Int64Array>()) as ArrayRef,
            Arc::new(UInt64Array::new_null(0)),
            Arc::new(Float64Array::new_null(0)),
            Arc::new(BinaryArray::new_null(0)),
        ],
    )?;
    let statistics = StructArray::try_new(
        fields(&STATISTICS_SCHEMA)?,
        vec![
            Arc::new(StringArray::from_iter_values(all.iter().map(|one| &one.table))),
            Arc::new(all.iter().map(|one| one.column.as_deref()).collect::<StringArray>()),
            Arc::new(all.iter().map(|one| Some(one.key)).collect::<Int16Array>()),
            Arc::new(values),
            Arc::new(BooleanArray::from(vec![true; n])),
        ],
        None,
    )?;
    let schemas = StructArray::try_new(
        fields(&STATISTICS_DB_SCHEMA_SCHEMA)?,
        vec![
            Arc::new(StringArray::from_iter_values(databases.iter().map(|_| ""))),
            list(Arc::new(statistics), databases.iter().map(|own| own.len()))?,
        ],
        None,
    )?;
    let catalogs = StringArray::from_iter_values(names);
    let schemas = list(Arc::new(schemas), databases.iter().map(|_| 1))?;
    RecordBatch::try_new(GET_STATISTICS_SCHEMA.clone(), vec![Arc::new(catalogs), schemas])
}

fn list(items: ArrayRef, lengths: impl Iterator<Item = usize>) -> std::result::Result<ArrayRef, ArrowError> {
    let item = Arc::new(Field::new_list_field(items.data_type().clone(), true));
    Ok(Arc::new(ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), items, None)?))
}

fn fields(of: &DataType) -> std::result::Result<Fields, ArrowError> {
    match of {
        DataType::Struct(fields) => Ok(fields.clone()),
        _ => Err(not_nested()),
    }
}

fn not_nested() -> ArrowError {
    ArrowError::SchemaError("the schema of ADBC's statistics is another one".into())
}
