//! What a load stores of a typed value is what a batch stores (and so what an execution stores), or one of the two refuses it: each kind of
//! value in each type of column, by each method. A value is a cell of Arrow, as a program gives it to the loader.

use super::oracle::{Lane, has_type};
use super::values::TYPES;
use super::ways::{Stored, batched, take, values_for};
use arrow_array::*;
use arrow_schema::ArrowError;
use inrush::sans_io::value::Value;
use inrush::sans_io::write::Method;
use inrush::{BadRows, Config, Guarantee, LoadOptions, Loader, Source, blocking};
use inrush_files::CsvOptions;
use inrush_testkit::servers;
use std::sync::Arc;

#[test]
fn every_way_to_load_stores_what_a_batch_stores() {
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
            let want = batched(&mut connection, table, Method::MultiRowPrepared, &values).unwrap();
            connection.execute(&format!("DELETE FROM {table}"), ()).unwrap();
            for method in [Method::LoadData, Method::Bulk, Method::MultiRowPrepared, Method::MultiRow] {
                let Some(got) = loaded(&config, &mut connection, table, method, &values) else { continue };
                for (id, got) in got {
                    let value = values[id];
                    if let Some(want) = want.get(&id).filter(|want| **want != got)
                        && !is_spelt_otherwise(ty, &value)
                    {
                        let way = method.name();
                        differ.push(format!("{}, {ty}, {way}: {value:?} is {got}, and {want} by a batch", server.name));
                    }
                }
            }
        }
    }
    assert!(differ.is_empty(), "{} differ:\n{}", differ.len(), differ.join("\n"));
}

/// A load makes texts of all values before it looks at the column, those that a file would hold (docs/formats.md): a value that goes into a
/// text is the same, and spelt in another way than the server spells what is bound.
fn is_spelt_otherwise(ty: &str, value: &Value<'_>) -> bool {
    let is_text = ["char", "varchar", "tinytext", "longblob", "varbinary", "binary", "json"]
        .iter()
        .any(|text| ty.starts_with(text));
    match value {
        // No zeros behind a fraction, no sign of zero; 24 hours are a day.
        Value::Time(time) => is_text && (time.micros > 0 || time.as_micros() == Some(0)),
        Value::DateTime(moment) => is_text && (moment.micros > 0 || moment.hour > 23),
        // The digits that distinguish it among the FLOATs.
        Value::Float(_) => is_text,
        // A document keeps the spelling on MariaDB: `1e+18` of a load, `1e18` of the server.
        Value::Double(_) => ty == "json",
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
