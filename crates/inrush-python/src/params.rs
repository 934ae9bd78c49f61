//! The values of a statement: a sequence for `?`, a dict for `:name`.

use crate::cells::{self, Owned};
use inrush::ToValue as _;
use inrush::sans_io::convert::params::Named;
use pyo3::prelude::*;
use pyo3::types::PyMapping;

/// The values of one execution.
pub(crate) enum Params {
    ByPlace(Vec<Owned>),
    ByName(Vec<(String, Owned)>),
}

impl Params {
    pub(crate) fn of(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(by_name) = given.cast::<PyMapping>() {
            let names = by_name.keys()?;
            let values = cells::bound(by_name.values()?.as_any(), None)?;
            let names = names.iter().map(|name| name.extract()).collect::<PyResult<Vec<String>>>()?;
            return Ok(Self::ByName(names.into_iter().zip(values).collect()));
        }
        Ok(Self::ByPlace(cells::bound(given, None)?))
    }
}

pub(crate) fn named(values: &[(String, Owned)]) -> Named<'_> {
    Named::new(values.iter().map(|(name, value)| (name.as_str(), value.to_value())).collect())
}
