//! Replaces `arrays.rs` when the feature `arrow` is off: the same types, which then have no values.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::ops::Range;

use crate::value::Value;

/// Cells of an array.
#[derive(Clone)]
pub(crate) struct ArrayCells<'a>(Infallible, PhantomData<&'a ()>);

/// Which rows are NULL.
#[derive(Clone)]
pub(crate) struct Nulls(Infallible);

/// Timestamps.
pub(crate) struct Moments<'a>(Infallible, PhantomData<&'a ()>);

/// See `with_reader`.
macro_rules! with_array_reader {
    ($cells:expr, $read:ident => $do:expr) => {
        with_reader!(@ $read, $do, |row| $cells.value(row))
    };
}
pub(super) use with_array_reader;

impl ArrayCells<'_> {
    pub(super) fn value(&self, _row: usize) -> Option<Value<'_>> {
        match self.0 {}
    }

    pub(super) fn moments(&self) -> Option<Moments<'_>> {
        match self.0 {}
    }

    pub(super) fn refusal(&self) -> Option<(&str, Option<&'static str>)> {
        match self.0 {}
    }

    pub(super) fn why(&self, _row: usize) -> String {
        match self.0 {}
    }
}

impl Nulls {
    pub(super) fn is_null(&self, _row: usize) -> bool {
        match self.0 {}
    }
}

impl Moments<'_> {
    pub(super) fn micros(&self, _row: usize) -> Option<i64> {
        match self.0 {}
    }

    pub(super) fn n_within(&self, _rows: Range<usize>, _is_within: impl Fn(i64) -> bool) -> usize {
        match self.0 {}
    }
}
