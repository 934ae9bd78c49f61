//! `inrush._inrush`: what the Python package (python/inrush) calls. Python's side checks arguments and makes friendly objects; this side
//! moves rows.
//!
//! | module | what |
//! |---|---|
//! | `capsule` | Arrow's C interface, in and out; all of the crate's `unsafe` |
//! | `cells` | Python values as text or bytes, rows as record batches |
//! | `truncated` | nanoseconds cut, on request |
//! | `source` | what is loaded, as sources; iterators run in the thread that called |
//! | `load` | a load from its arguments to its report |
//! | `files` | how files are read |
//! | `new_table` | the columns of a table that a load makes |
//! | `connection` | connections |
//! | `result` | results: Arrow's stream, or tuples |
//! | `read` | a table in parts |
//! | `wait` | Ctrl-C while a server is waited for |
//! | `ending` | threads of daemons where the interpreter ends |
//! | `ledger`, `report` | what loads report |
//! | `params` | the values of a statement |
//! | `inserter` | single rows of threads and tasks that are sent together |
//! | `verify` | two tables compared |
//! | `values` | values as Python objects |
//! | `known` | the parts of Python's own library that are used |
//! | `failure` | errors as exceptions |
//!
//! No lane of a load ever takes the interpreter's lock: its messages wait in a channel for the thread that called.

mod capsule;
mod cells;
mod connection;
mod ending;
mod failure;
mod files;
mod inserter;
mod known;
mod ledger;
mod load;
mod new_table;
mod params;
mod read;
mod report;
mod result;
mod source;
mod truncated;
mod values;
mod verify;
mod wait;

use pyo3::prelude::*;

#[pymodule(gil_used = false)]
mod _inrush {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::connection::Connection;
    #[pymodule_export]
    use crate::inserter::{AsyncInserter, Inserter};
    #[pymodule_export]
    use crate::ledger::{forget, status};
    #[pymodule_export]
    use crate::load::{Control, load};
    #[pymodule_export]
    use crate::read::read;
    #[pymodule_export]
    use crate::result::Result;
    #[pymodule_export]
    use crate::verify::verify;
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::ending::watch(module)
    }
}
