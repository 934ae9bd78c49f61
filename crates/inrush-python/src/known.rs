//! Classes and functions of Python's own library, each looked up once.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Something that a module has.
pub(crate) struct Known {
    object: PyOnceLock<Py<PyAny>>,
    module: &'static str,
    name: &'static str,
}

impl Known {
    const fn new(module: &'static str, name: &'static str) -> Self {
        Self { object: PyOnceLock::new(), module, name }
    }

    pub(crate) fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyAny>> {
        self.object.import(py, self.module, self.name)
    }
}

pub(crate) static DATE: Known = Known::new("datetime", "date");
pub(crate) static DATETIME: Known = Known::new("datetime", "datetime");
pub(crate) static DECIMAL: Known = Known::new("decimal", "Decimal");
pub(crate) static ENUM: Known = Known::new("enum", "Enum");
pub(crate) static JSON: Known = Known::new("json", "dumps");
pub(crate) static MAIN_THREAD: Known = Known::new("threading", "main_thread");
pub(crate) static THREAD: Known = Known::new("threading", "get_ident");
pub(crate) static TIMEDELTA: Known = Known::new("datetime", "timedelta");
pub(crate) static UTC: Known = Known::new("datetime", "UTC");
pub(crate) static UUID: Known = Known::new("uuid", "UUID");
