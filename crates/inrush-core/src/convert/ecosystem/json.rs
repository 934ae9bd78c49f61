//! `serde_json`: documents, and Rust types as documents. A JSON column, or any that holds text.

use crate::convert::{FromValue, ToValue};
use crate::error::{Error, Result};
use crate::value::{Value, WriteJson};
use crate::wire::ColumnDef;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A Rust value that a column holds as JSON: `Json(settings)` as a parameter, `row.get::<Json<Settings>>("settings")?.0` as a result.
///
/// As a field of a struct with `#[derive(FromRow)]` or `#[derive(ToRow)]` it needs no wrapper: `#[inrush(json)]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Json<T>(pub T);

impl<T: Serialize + Sync> WriteJson for T {
    fn write_json(&self, out: &mut Vec<u8>) -> Result<()> {
        serde_json::to_writer(out, self).map_err(|e| Error::data(format!("it cannot be written as JSON: {e}")))
    }
}

impl<T: Serialize + Sync> ToValue for Json<T> {
    fn to_value(&self) -> Value<'_> {
        Value::Json(&self.0)
    }
}

impl ToValue for serde_json::Value {
    fn to_value(&self) -> Value<'_> {
        Value::Json(self)
    }
}

impl<T: DeserializeOwned> FromValue<'_> for Json<T> {
    const KIND: &'static str = "the JSON of such a value (`Json`)";

    fn from_value(value: Value<'_>, _column: &ColumnDef) -> Option<Self> {
        serde_json::from_slice(value.as_bytes()?).ok().map(Self)
    }

    fn why_not(value: Value<'_>) -> Option<String> {
        serde_json::from_slice::<T>(value.as_bytes()?).err().map(|error| error.to_string())
    }
}

impl FromValue<'_> for serde_json::Value {
    const KIND: &'static str = "JSON (`serde_json::Value`)";

    fn from_value(value: Value<'_>, column: &ColumnDef) -> Option<Self> {
        Json::from_value(value, column).map(|Json(value)| value)
    }

    fn why_not(value: Value<'_>) -> Option<String> {
        Json::<Self>::why_not(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::from_value::tests::{read, refused};
    use std::collections::BTreeMap;

    #[test]
    fn there_and_back() {
        let value: serde_json::Value = serde_json::from_str("{\"a\": [1, null, \"\u{e4}\"]}").unwrap();
        assert_eq!(value.to_value().to_string(), "{\"a\":[1,null,\"\u{e4}\"]}");
        assert_eq!(read::<serde_json::Value>(Value::Bytes(b"{\"a\": [1, null, \"\xc3\xa4\"]}")), Some(value));
        assert_eq!(read::<Json<Vec<u8>>>(Value::Text("[1,2]")), Some(Json(vec![1, 2])));
    }
    #[test]
    fn what_json_cannot_say_is_an_error() {
        let keys = BTreeMap::from([([1_u8, 2], 3)]);
        let error = keys.write_json(&mut Vec::new()).unwrap_err();
        assert_eq!(error.message(), "it cannot be written as JSON: key must be a string");
    }
    #[test]
    fn why_it_does_not_fit_is_said() {
        let message = refused::<Json<Vec<u8>>>(Value::Text("[1, \"x\"]"));
        assert!(message.contains("invalid type: string \"x\", expected u8 at line 1 column 7"), "{message}");
    }
}
