//! `GetInfo`: who the server and the driver are.

use crate::failure::{self, Result};
use adbc_core::constants::ADBC_VERSION_1_1_0;
use adbc_core::options::InfoCode;
use adbc_core::schemas::GET_INFO_SCHEMA;
use arrow_array::{
    ArrayRef, BooleanArray, Int64Array, RecordBatch, StringArray, UInt32Array, UnionArray, new_empty_array,
};
use arrow_schema::DataType;
use std::collections::HashSet;
use std::sync::Arc;

enum Value {
    Text(String),
    Flag(bool),
    Number(i64),
}

/// The values of these codes, or of all; unknown codes are left out, as ADBC specifies.
pub(crate) fn batch(codes: Option<HashSet<InfoCode>>, version: &str) -> Result<RecordBatch> {
    let vendor = if version.to_ascii_lowercase().contains("mariadb") { "MariaDB" } else { "MySQL" };
    let known = [
        (InfoCode::VendorName, Value::Text(vendor.into())),
        (InfoCode::VendorVersion, Value::Text(version.into())),
        (InfoCode::VendorSql, Value::Flag(true)),
        (InfoCode::VendorSubstrait, Value::Flag(false)),
        (InfoCode::DriverName, Value::Text("inrush".into())),
        (InfoCode::DriverVersion, Value::Text(env!("CARGO_PKG_VERSION").into())),
        (InfoCode::DriverArrowVersion, Value::Text("60".into())),
        (InfoCode::DriverAdbcVersion, Value::Number(ADBC_VERSION_1_1_0.into())),
    ];
    let wanted = known.into_iter().filter(|(code, _)| codes.as_ref().is_none_or(|codes| codes.contains(code)));
    let (mut names, mut kinds, mut offsets) = (Vec::new(), Vec::<i8>::new(), Vec::<i32>::new());
    let (mut texts, mut flags, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (code, value) in wanted {
        names.push(u32::from(&code));
        let (kind, offset) = match value {
            Value::Text(text) => (0, push(&mut texts, text)),
            Value::Flag(flag) => (1, push(&mut flags, flag)),
            Value::Number(number) => (2, push(&mut numbers, number)),
        };
        kinds.push(kind);
        offsets.push(offset);
    }
    let schema = GET_INFO_SCHEMA.clone();
    let DataType::Union(fields, _) = schema.field(1).data_type() else {
        return Err(failure::state("the schema of the driver's facts has changed"));
    };
    let children = fields.iter().map(|(kind, field)| -> ArrayRef {
        match kind {
            0 => Arc::new(StringArray::from(texts.clone())),
            1 => Arc::new(BooleanArray::from(flags.clone())),
            2 => Arc::new(Int64Array::from(numbers.clone())),
            _ => new_empty_array(field.data_type()),
        }
    });
    let values = UnionArray::try_new(fields.clone(), kinds.into(), Some(offsets.into()), children.collect());
    let columns: Vec<ArrayRef> = vec![Arc::new(UInt32Array::from(names)), Arc::new(values.map_err(failure::of_arrow)?)];
    RecordBatch::try_new(schema, columns).map_err(failure::of_arrow)
}

fn push<T>(values: &mut Vec<T>, value: T) -> i32 {
    values.push(value);
    values.len() as i32 - 1
}
