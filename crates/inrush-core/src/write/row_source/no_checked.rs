//! Replaces `checked.rs` when the feature `loader` is off: the same type, which then has no values.

use crate::convert::BoundRows;
use crate::error::Result;
use crate::value::Value;
use crate::wire::ParamType;
use crate::write::block::Block;
use std::convert::Infallible;
use std::marker::PhantomData;

/// Rows of checked cells, which only a load has (feature `loader`).
pub struct CheckedRows<'a>(Infallible, PhantomData<&'a ()>);

impl CheckedRows<'_> {
    pub(super) fn put_types(&self, _types: &mut [ParamType]) {
        match self.0 {}
    }

    pub(crate) fn put_literal(&self, _row: usize, _i: usize, _backslash_escapes: bool, _block: &mut Block<'_>) {
        match self.0 {}
    }
}

impl BoundRows for CheckedRows<'_> {
    fn n_rows(&self) -> usize {
        match self.0 {}
    }

    fn row<'s>(&'s self, _row: usize, _out: &mut Vec<Value<'s>>) -> Result<()> {
        match self.0 {}
    }
}
