//! `GetObjects`: databases, their tables, their columns and constraints, nested as ADBC has them. Facts come from information_schema.

use crate::failure::{self, Result};
use crate::names::database;
use crate::session::SharedSession;
use adbc_core::options::ObjectDepth;
use adbc_core::schemas::GET_OBJECTS_SCHEMA;
use arrow_array::RecordBatch;
use inrush::Row;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The types of tables that servers have.
pub(crate) const TABLE_TYPES: [&str; 6] =
    ["BASE TABLE", "VIEW", "SYSTEM VIEW", "SYSTEM VERSIONED", "SEQUENCE", "TEMPORARY"];

/// The requested objects; names are patterns of LIKE.
pub(crate) struct Wanted<'a> {
    pub(crate) depth: ObjectDepth,
    pub(crate) catalog: Option<&'a str>,
    pub(crate) db_schema: Option<&'a str>,
    pub(crate) table_name: Option<&'a str>,
    pub(crate) table_type: Option<Vec<&'a str>>,
    pub(crate) column_name: Option<&'a str>,
}

/// A row of information_schema as texts.
pub(crate) struct Texts(Vec<Option<String>>);

impl inrush::FromRow<'_> for Texts {
    fn from_row(row: Row<'_>) -> inrush::Result<Self> {
        let text = |at: usize| match row.get::<inrush::Value<'_>>(at)? {
            inrush::Value::Null => Ok(None),
            inrush::Value::Int(number) => Ok(Some(number.to_string())),
            inrush::Value::UInt(number) => Ok(Some(number.to_string())),
            // A default may be bytes of any kind.
            _ => row.get::<Vec<u8>>(at).map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned())),
        };
        (0..row.columns().len()).map(text).collect::<inrush::Result<_>>().map(Self)
    }
}

impl Texts {
    pub(crate) fn text(&self, at: usize) -> &str {
        self.0.get(at).and_then(Option::as_deref).unwrap_or_default()
    }

    fn json(&self, at: usize) -> Value {
        self.0.get(at).cloned().flatten().map_or(Value::Null, Value::String)
    }

    fn number(&self, at: usize) -> Value {
        self.0
            .get(at)
            .and_then(Option::as_deref)
            .and_then(|text| text.parse::<i64>().ok())
            .map_or(Value::Null, |n| json!(n.min(i32::MAX.into())))
    }
}

/// All requested objects.
pub(crate) fn batch(session: &Arc<SharedSession>, wanted: &Wanted<'_>) -> Result<RecordBatch> {
    let database = database(wanted.catalog, wanted.db_schema)?;
    let schemas = ask(
        session,
        "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA",
        &[("SCHEMA_NAME", database)],
        "SCHEMA_NAME",
    )?;
    let depth = match wanted.depth {
        ObjectDepth::Catalogs => 0,
        ObjectDepth::Schemas => 1,
        ObjectDepth::Tables => 2,
        ObjectDepth::All | ObjectDepth::Columns => 3,
    };
    let mut tables = if depth >= 2 { tables(session, wanted, database)? } else { Vec::new() };
    if depth >= 3 {
        fill(session, wanted, database, &mut tables)?;
    }
    let of_schema = |schema: &str| -> Vec<Value> {
        let own = tables.iter().filter(|table| table.schema == schema);
        own.map(|table| {
            let below = |list: &Vec<Value>| if depth >= 3 { json!(list) } else { Value::Null };
            json!({
                "table_name": table.name, "table_type": table.ty,
                "table_columns": below(&table.columns), "table_constraints": below(&table.constraints),
            })
        })
        .collect()
    };
    let rows: Vec<Value> = schemas
        .iter()
        .map(|schema| {
            let schema = schema.text(0);
            let tables = if depth >= 2 { json!(of_schema(schema)) } else { Value::Null };
            let below =
                if depth >= 1 { json!([{ "db_schema_name": "", "db_schema_tables": tables }]) } else { Value::Null };
            json!({ "catalog_name": schema, "catalog_db_schemas": below })
        })
        .collect();
    let mut decoder = arrow_json::ReaderBuilder::new(GET_OBJECTS_SCHEMA.clone())
        .with_batch_size(rows.len().max(1))
        .build_decoder()
        .map_err(failure::of_arrow)?;
    decoder.serialize(&rows).map_err(failure::of_arrow)?;
    let batch = decoder.flush().map_err(failure::of_arrow)?;
    Ok(batch.unwrap_or_else(|| RecordBatch::new_empty(GET_OBJECTS_SCHEMA.clone())))
}

struct Table {
    schema: String,
    name: String,
    ty: String,
    columns: Vec<Value>,
    constraints: Vec<Value>,
}

fn tables(session: &Arc<SharedSession>, wanted: &Wanted<'_>, database: Option<&str>) -> Result<Vec<Table>> {
    let sql = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES";
    let rows = ask(
        session,
        sql,
        &[("TABLE_SCHEMA", database), ("TABLE_NAME", wanted.table_name)],
        "TABLE_SCHEMA, TABLE_NAME",
    )?;
    let is_wanted = |ty: &str| wanted.table_type.as_ref().is_none_or(|types| types.iter().any(|one| is_type(one, ty)));
    let wanted = rows.iter().filter(|row| is_wanted(row.text(2)));
    Ok(wanted
        .map(|row| Table {
            schema: row.text(0).into(),
            name: row.text(1).into(),
            ty: row.text(2).into(),
            columns: Vec::new(),
            constraints: Vec::new(),
        })
        .collect())
}

/// Clients of other databases ask for a TABLE.
fn is_type(asked: &str, ty: &str) -> bool {
    asked.eq_ignore_ascii_case(ty) || (asked.eq_ignore_ascii_case("table") && ty == "BASE TABLE")
}

/// Columns and constraints.
fn fill(session: &Arc<SharedSession>, wanted: &Wanted<'_>, database: Option<&str>, tables: &mut [Table]) -> Result<()> {
    let of_tables = |schema, name| [(schema, database), (name, wanted.table_name)];
    let sql = "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, ORDINAL_POSITION, COLUMN_DEFAULT, IS_NULLABLE, DATA_TYPE, COLUMN_TYPE, \
               CHARACTER_MAXIMUM_LENGTH, CHARACTER_OCTET_LENGTH, NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, EXTRA, COLUMN_COMMENT \
               FROM information_schema.COLUMNS";
    let mut of_columns = of_tables("TABLE_SCHEMA", "TABLE_NAME").to_vec();
    of_columns.push(("COLUMN_NAME", wanted.column_name));
    for row in ask(session, sql, &of_columns, "TABLE_SCHEMA, TABLE_NAME, ORDINAL_POSITION")? {
        if let Some(table) = find(tables, row.text(0), row.text(1)) {
            table.columns.push(column(&row));
        }
    }
    let sql = "SELECT k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, c.CONSTRAINT_TYPE, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA, \
               k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE k \
               JOIN information_schema.TABLE_CONSTRAINTS c ON c.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA \
               AND c.TABLE_NAME = k.TABLE_NAME AND c.CONSTRAINT_NAME = k.CONSTRAINT_NAME";
    let order = "k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION";
    for row in ask(session, sql, &of_tables("k.TABLE_SCHEMA", "k.TABLE_NAME"), order)? {
        if let Some(table) = find(tables, row.text(0), row.text(1)) {
            constraint(&mut table.constraints, &row);
        }
    }
    Ok(())
}

fn find<'t>(tables: &'t mut [Table], schema: &str, name: &str) -> Option<&'t mut Table> {
    tables.iter_mut().find(|table| table.schema == schema && table.name == name)
}

fn column(row: &Texts) -> Value {
    let is_nullable = row.text(5) == "YES";
    let size = match row.number(8) {
        Value::Null => row.number(10),
        chars => chars,
    };
    let extra = row.text(13).to_ascii_uppercase();
    json!({
        "column_name": row.json(2),
        "ordinal_position": row.number(3),
        "remarks": row.0.get(14).cloned().flatten().filter(|text| !text.is_empty()),
        "xdbc_type_name": row.json(7),
        "xdbc_column_size": size,
        "xdbc_decimal_digits": if row.number(11).is_null() { row.number(12) } else { row.number(11) },
        "xdbc_num_prec_radix": if row.number(10).is_null() { Value::Null } else { json!(10) },
        "xdbc_nullable": i16::from(is_nullable),
        "xdbc_column_def": row.json(4),
        "xdbc_char_octet_length": row.number(9),
        "xdbc_is_nullable": row.json(5),
        "xdbc_is_autoincrement": extra.contains("AUTO_INCREMENT"),
        "xdbc_is_generatedcolumn": extra.contains("GENERATED") && !extra.contains("DEFAULT_GENERATED"),
    })
}

/// Adds a column of a constraint to it.
fn constraint(constraints: &mut Vec<Value>, row: &Texts) {
    let is_last = |constraint: &Value| constraint["constraint_name"] == row.text(2);
    if !constraints.last().is_some_and(is_last) {
        constraints.push(json!({
            "constraint_name": row.text(2), "constraint_type": row.text(3),
            "constraint_column_names": [], "constraint_column_usage": [],
        }));
    }
    let Some(last) = constraints.last_mut().and_then(Value::as_object_mut) else { return };
    push(last, "constraint_column_names", row.json(4));
    if row.text(3) == "FOREIGN KEY" {
        let usage = json!({
            "fk_catalog": row.json(5), "fk_db_schema": "", "fk_table": row.json(6), "fk_column_name": row.json(7),
        });
        push(last, "constraint_column_usage", usage);
    }
}

fn push(object: &mut Map<String, Value>, list: &str, value: Value) {
    if let Some(list) = object.get_mut(list).and_then(Value::as_array_mut) {
        list.push(value);
    }
}

/// Asks information_schema, with a LIKE for each pattern that is given.
pub(crate) fn ask(
    session: &Arc<SharedSession>,
    sql: &str,
    patterns: &[(&str, Option<&str>)],
    order: &str,
) -> Result<Vec<Texts>> {
    let given: Vec<(&str, &str)> =
        patterns.iter().filter_map(|(column, pattern)| Some((*column, (*pattern)?))).collect();
    let conditions: Vec<String> = given.iter().map(|(column, _)| format!("{column} LIKE ?")).collect();
    let condition = if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    let values: Vec<&str> = given.iter().map(|(_, pattern)| *pattern).collect();
    session.with(|connection| connection.query(&format!("{sql}{condition} ORDER BY {order}"), &values))
}
