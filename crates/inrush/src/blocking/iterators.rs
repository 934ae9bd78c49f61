//! Results as iterators, which own what the results own.

#[cfg(feature = "arrow")]
use super::ResultBatches;
use super::{Connection, ResultRows};
use crate::{FromRow, Result};
#[cfg(feature = "arrow")]
use arrow_schema::{ArrowError, SchemaRef};
use std::borrow::BorrowMut;

impl<C: BorrowMut<Connection>> ResultRows<C> {
    /// The rest of this result as an iterator, which owns what these results own. A row that does not fit is an error, and the
    /// next one follows; after any other error there is none.
    pub fn into_iter_as<T: for<'r> FromRow<'r>>(mut self) -> impl Iterator<Item = Result<T>> + use<C, T> {
        let mut is_over = false;
        std::iter::from_fn(move || {
            if is_over {
                return None;
            }
            let row = self.next_row();
            is_over = !matches!(row, Ok(Some(_)));
            row.transpose().map(|row| row.and_then(T::from_row))
        })
    }
}

#[cfg(feature = "arrow")]
impl<C: BorrowMut<Connection>> Iterator for ResultBatches<C> {
    type Item = Result<arrow_array::RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().map_err(|error| ArrowError::ExternalError(Box::new(error))).transpose()
    }
}

#[cfg(feature = "arrow")]
impl<C: BorrowMut<Connection>> arrow_array::RecordBatchReader for ResultBatches<C> {
    fn schema(&self) -> SchemaRef {
        ResultBatches::schema(self).clone()
    }
}
