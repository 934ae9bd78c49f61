//! Replaces `parquet.rs` if the feature `parquet` is off: Parquet files are refused.

use crate::columnar::Arrays;
use crate::input::Meter;
use crate::on_disk::OnDisk;
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use inrush_core::error::{Error, Result};
use std::sync::Arc;

/// Has no values: this build cannot read Parquet.
pub(crate) enum Parquet {}

impl Parquet {
    pub(crate) fn open(name: &str, _: OnDisk, _: Arc<Meter>, _batch_bytes: usize, _memory: usize) -> Result<Self> {
        Err(Error::config(format!("`{name}` is a Parquet file, and this program was built without Parquet"))
            .with_hint("build it with the feature `parquet` of `inrush-files`, or write the file as CSV"))
    }
}

impl Arrays for Parquet {
    fn schema(&self) -> SchemaRef {
        match *self {}
    }

    fn project(&mut self, _fields: &[usize]) {
        match *self {}
    }

    fn next(&mut self) -> Result<Option<RecordBatch>> {
        match *self {}
    }

    fn skip(&mut self, _n_rows: u64) -> Result<u64> {
        match *self {}
    }

    fn restart(&mut self) -> Result<bool> {
        match *self {}
    }

    fn never_null(&self, _field: usize) -> Option<bool> {
        match *self {}
    }
}
