//! Results as streams, which own what the results own.

#[cfg(feature = "arrow")]
use super::ResultBatches;
use super::{Connection, ResultRows};
use crate::{FromRow, Result};
use async_stream::stream;
use futures_core::Stream;
use std::borrow::BorrowMut;
use std::pin::Pin;

impl<C: BorrowMut<Connection>> ResultRows<C> {
    /// The rest of this result as a stream, which owns what these results own. A row that does not fit is an error, and the next
    /// one follows; after any other error there is none.
    pub fn into_stream<'c, T>(mut self) -> Pin<Box<dyn Stream<Item = Result<T>> + Send + 'c>>
    where
        C: Send + 'c,
        T: for<'r> FromRow<'r> + Send + 'c,
    {
        Box::pin(stream! {
            loop {
                let row = match self.next_row().await {
                    Ok(None) => return,
                    Ok(Some(row)) => T::from_row(row),
                    Err(error) => {
                        yield Err(error);
                        return;
                    }
                };
                yield row;
            }
        })
    }
}

#[cfg(feature = "arrow")]
impl<C: BorrowMut<Connection>> ResultBatches<C> {
    /// The rest as a stream, which owns what this result owns. It ends after its first error.
    pub fn into_stream<'c>(mut self) -> Pin<Box<dyn Stream<Item = Result<arrow_array::RecordBatch>> + Send + 'c>>
    where
        C: Send + 'c,
    {
        Box::pin(async_stream::try_stream! {
            while let Some(batch) = self.next_batch().await? {
                yield batch;
            }
        })
    }
}
