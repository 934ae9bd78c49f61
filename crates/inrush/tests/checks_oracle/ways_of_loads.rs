//! What a load stores of a typed value is what an execution stores, or the row is bad: each kind of value in each type of column, by each
//! method. A value is a cell of Arrow, as a program gives it to the loader.

use super::oracle::{Lane, has_type};
use super::values::TYPES;
use super::ways::{Stored, executed, is_bent_by_execute, take, values_for};
use arrow_array::*;
use arrow_schema::ArrowError;
use inrush::sans_io::bulk::Method;
use inrush::sans_io::wire::Value;
use inrush::{BadRows, Config, Guarantee, LoadOptions, Loader, Source, blocking};
use inrush_files::CsvOptions;
use inrush_testkit::servers;
use std::sync::Arc;

#[test]
fn every_way_to_load_stores_what_an_execution_stores() {
    let mut differ = Vec::new();
    for server in servers::with_local_infile() {
        let lane = Lane::on(&server);
        let config = Config::from_url(&lane.schema.url()).unwrap().with_local_infile(true);
        let config = config.with_time_zone("+00:00").unwrap();
        let mut connection = blocking::Connection::connect(&config).unwrap();
        for (number, ty) in TYPES.into_iter().filter(|ty| has_type(&server.name, ty)).enumerate() {
            let table = &format!("l{number}");
            connection.execute(&format!("CREATE TABLE {table} (id INT PRIMARY KEY, c {ty} NULL)"), ()).unwrap();
            let values = values_for(ty);
            let want = executed(&mut connection, table, &values);
            for method in [Method::LoadData, Method::Bulk, Method::MultiRowPrepared, Method::MultiRow] {
                let Some(got) = loaded(&config, &mut connection, table, method, &values) else { continue };
                for (id, got) in got {
                    let value = values[id];
                    if let Some(want) = want.get(&id).filter(|want| **want != got)
                        && !is_bent_by_execute(&server.name, ty, &value)
                        && !is_read_as_text(ty, &value)
                    {
                        let way = method.name();
                        differ.push(format!("{}, {ty}, {way}: {value:?} is {got}, and {want} by execute", server.name));
                    }
                }
            }
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

/// A load makes texts of all values, those that a file would hold (docs/formats.md), before it looks at the column.
fn is_read_as_text(ty: &str, value: &Value<'_>) -> bool {
    let is_text = ["char", "varchar", "tinytext", "longblob", "varbinary", "binary", "json"]
        .iter()
        .any(|text| ty.starts_with(text));
    match value {
        // A Duration is a count in its own unit for numbers; in a text it has no sign of zero and no zeros behind its fraction.
        Value::Time(time) => {
            ty.starts_with("bigint")
                || ty.starts_with("bit")
                || (is_text && (time.micros > 0 || time.as_micros() == Some(0)))
        }
        Value::DateTime(moment) => is_text && moment.micros > 0,
        // The digits of a number; bytes are UTF-8, whatever the column's character set is.
        Value::Text(_) => ty.starts_with("bit"),
        Value::Bytes(_) => ty.starts_with("bit") || ty.contains("character set") || ty == "json",
        // A member of this name, not of this place.
        Value::Int(_) | Value::UInt(_) => ty.starts_with("set"),
        // Words for what is no number, where a server stores 0 without a word. The servers store the greatest whole number for the DOUBLEs next
        // to it; a load stores each digit, and in JSON the shortest ones.
        Value::Double(n) => {
            ty.starts_with("set")
                || ty == "json"
                || !n.is_finite()
                || (n.abs() >= 9.2e18 && (ty == "bigint" || ty == "bit(64)"))
        }
        // The digits that distinguish it among the FLOATs.
        Value::Float(n) => ty.starts_with("set") || is_text || !n.is_finite() || (n.abs() >= 9.2e18 && ty == "bit(64)"),
        _ => false,
    }
}

/// One load of all values, a source for each kind; `None` for a method that this server or this table does not have.
fn loaded(
    config: &Config,
    connection: &mut blocking::Connection,
    table: &str,
    method: Method,
    values: &[Value<'static>],
) -> Option<Stored> {
    let options = LoadOptions::default().with_method(method).with_bad_rows(BadRows::Skip).with_lanes(1);
    let options = options.with_guarantee(Guarantee::AtLeastOnce);
    let loader = Loader::new(config.clone(), table).with_options(options);
    match loader.load(sources(values)) {
        Ok(report) => {
            assert!(report.stop.is_none(), "{table}, {method}: {:?}", report.stop);
            assert_eq!(report.read, report.stored + report.rejected, "{table}, {method}");
        }
        Err(error) => {
            assert_eq!(error.kind(), inrush::Kind::Config, "{table}, {method}: {error:?}");
            return None;
        }
    }
    Some(take(connection, table))
}

fn sources(values: &[Value<'static>]) -> Vec<Box<dyn Source>> {
    macro_rules! of_kind {
        ($array:ty, $pattern:pat => $value:expr) => {{
            let picked = values.iter().enumerate();
            let picked = picked.filter_map(|(id, value)| match *value {
                $pattern => $value.map(|value| (id as i32, value)),
                _ => None,
            });
            let (ids, cells): (Vec<i32>, Vec<_>) = picked.unzip();
            source(Int32Array::from(ids), Arc::new(<$array>::from(cells)))
        }};
    }
    let days = days_since_1970;
    vec![
        of_kind!(Int64Array, Value::Int(n) => Some(n)),
        of_kind!(UInt64Array, Value::UInt(n) => Some(n)),
        of_kind!(Float32Array, Value::Float(n) => Some(n)),
        of_kind!(Float64Array, Value::Double(n) => Some(n)),
        of_kind!(StringArray, Value::Text(text) => Some(text)),
        of_kind!(BinaryArray, Value::Bytes(bytes) => Some(bytes)),
        of_kind!(Date32Array, Value::Date(date) => days(date)),
        of_kind!(TimestampMicrosecondArray, Value::DateTime(moment) => days(moment.date).map(|days| {
            let seconds = i64::from(moment.hour) * 3600 + i64::from(moment.minute) * 60 + i64::from(moment.second);
            (i64::from(days) * 86_400 + seconds) * 1_000_000 + i64::from(moment.micros)
        })),
        of_kind!(DurationMicrosecondArray, Value::Time(time) => time.as_micros()),
    ]
}

/// `None`: no calendar has the day, so Arrow does not either.
fn days_since_1970(date: inrush::Date) -> Option<i32> {
    let date = jiff::civil::Date::new(i16::try_from(date.year).ok()?, date.month as i8, date.day as i8).ok()?;
    Some((date - jiff::civil::date(1970, 1, 1)).get_days())
}

fn source(ids: Int32Array, cells: ArrayRef) -> Box<dyn Source> {
    let batch = RecordBatch::try_from_iter_with_nullable([("id", Arc::new(ids) as ArrayRef, true), ("c", cells, true)]);
    let batch = batch.unwrap();
    let schema = batch.schema();
    let reader = RecordBatchIterator::new([Ok::<_, ArrowError>(batch)], schema);
    inrush_files::record_batches_once("values", reader, &CsvOptions::default()).unwrap()
}
