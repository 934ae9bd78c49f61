//! An ADBC driver: the C interface of Arrow's databases over inrush, for MySQL and MariaDB.
//!
//! The shared library exports `AdbcDriverInrushInit` (and `AdbcDriverInit`): a driver manager of any language finds it by its path. What
//! ADBC asks for and how it is done here is in docs/adbc.md.
//!
//! | module | what |
//! |---|---|
//! | `driver` | driver and database: the options that say where to connect |
//! | `connection` | a connection: transactions, catalogs, information about the server |
//! | `statement` | queries, bound values, updates |
//! | `ingest` | Arrow data into a table: by the loader, or in the connection's transaction |
//! | `session` | the connection that all of one connection's statements share |
//! | `objects` | databases, tables, columns and constraints, as `GetObjects` nests them |
//! | `statistics` | the optimizer's estimates of rows and distinct values |
//! | [`batches`] | the rows of many record batches as one batch |
//! | `options`, `names` | values of options; names of tables |
//! | `failure` | errors |
//!
//! The only `unsafe` is in what `export_driver!` makes.

pub mod batches;
mod connection;
mod driver;
mod failure;
mod info;
mod ingest;
mod names;
mod objects;
mod options;
mod session;
mod statement;
mod statistics;

pub use driver::InrushDriver;

/// The entry points, in a module of their own: nothing of it is written here.
#[expect(missing_docs, reason = "the C interface of ADBC, as the crate adbc_ffi exports it")]
mod export {
    adbc_ffi::export_driver!(AdbcDriverInrushInit, crate::InrushDriver);
}
pub use export::AdbcDriverInrushInit;
