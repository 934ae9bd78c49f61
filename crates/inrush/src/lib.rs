//! inrush: the fastest safe way to get rows into MySQL and MariaDB.
//!
//! This crate is the I/O shell around [`sans_io`], which knows the protocol but no socket, clock or file.
//!
//! | part | what it is |
//! |---|---|
//! | [`Config`] | where the server is and who we are: builder, [`url`], option files |
//! | [`blocking::Connection`] | a connection for threads |
//! | [`Connection`] | the same for tokio |
//! | [`blocking::Pool`], [`Pool`] | connections for many users, by [`PoolOptions`] |
//! | [`Transaction`], [`TransactionOptions`] | transactions, savepoints, and running them again after a deadlock |
//! | [`FromRow`], [`FromValue`], [`ToRow`], [`ToValue`] | rows as tuples and structs, values as Rust types, and back |
//! | [`ArrowOptions`], [`ArrowBatches`] | results as Arrow record batches |
//! | [`ResultRows`], [`ResultBatches`] | results that own their connection; streams of them |
//! | [`columns!`], [`scalar`], [`InZone`] | many sets of values as columns |
//! | [`Pipeline`] | many commands in one flight |
//! | [`BulkInserter`], [`BulkOptions`] | rows one at a time, written in batches |
//! | [`Inserter`], [`Inserters`], [`InserterOptions`] | single rows of many callers that are sent together, into one table or many |
//! | [`Loader`] | sources in, one table filled, a report out |
//! | [`ReadView`], [`parts`] | one state of tables, read over several connections; a query in parts |
//!
//! ```
//! # let shop = inrush_testkit::shop::open();
//! let url = "mysql://app@localhost:3306/shop?tls=required";
//! # let url = &shop.at(url);
//! let mut connection = inrush::blocking::Connection::connect(url)?;
//! # let mut grown_up = Vec::new();
//! for (id, name) in connection.query::<(u64, String)>("SELECT id, name FROM people WHERE age > ?", (18,))? {
//!     println!("{id} {name}");
//! #     grown_up.push((id, name));
//! }
//! # assert_ne!(connection.query_one::<(String, String)>("SHOW STATUS LIKE 'Ssl_cipher'", ())?.1, "");
//! # assert_eq!(grown_up, [(1, "Ann".to_owned())]);
//! # Ok::<(), inrush::Error>(())
//! ```
//!
//! # Features
//!
//! The default is small: one shell, and no Arrow. A tokio application needs
//! `inrush = { version = "..", default-features = false, features = ["tokio", "derive"] }`.
//!
//! | feature | default | what it adds | what it costs |
//! |---|---|---|---|
//! | `blocking` | yes | [`blocking`]: connections, pools and inserters for threads | no crate |
//! | `tokio` | no | the same for tasks: [`Connection`], [`Pool`], .. | tokio, futures-core, async-stream |
//! | `derive` | yes | `#[derive(FromRow)]`, `#[derive(ToRow)]` | syn, quote, proc-macro2, at compile time |
//! | `arrow` | no | results as record batches; Arrow arrays and record batches as rows | arrow-array, arrow-buffer, arrow-schema |
//! | `loader` | no | [`Loader`], with all that only a bulk load needs; implies `arrow` and `blocking` | twox-hash |
//! | `compression` | no | zlib and Zstandard for the protocol ([`Config::with_compression`]) | flate2 and zlib-rs, zstd (C) |
//! | `metrics` | no | pools and inserters report to the recorder of the crate `metrics` | metrics |
//! | `tracing` | no | spans of connections, statements and loads for the crate `tracing`, and a warning for what is slow | tracing |
//! | `full` | no | all of the above | |
//! | `chrono`, `time`, `uuid`, `rust_decimal`, `bigdecimal`, `serde_json` | no | types of these crates as values | the crate |
//! | `fault-points` | no | for inrush's own tests: a process that ends at a point that a test sets | |
//!
//! `blocking` and `tokio` do not need each other; one of them is needed. A URL or an option that asks for compression without the feature
//! is an error of [`Kind::Config`].
#![cfg_attr(docsrs, feature(doc_cfg))]
// Both shells share code, and so do batches and loads. A build with all features reports dead code.
#![cfg_attr(not(feature = "full"), allow(dead_code, unused_imports))]

#[cfg(not(any(feature = "blocking", feature = "tokio")))]
compile_error!("inrush needs the feature `blocking` (threads), the feature `tokio` (tasks), or both");

mod batch;
#[cfg(feature = "blocking")]
pub mod blocking;
mod bulk;
mod columns;
mod config;
mod deadlines;
#[cfg(all(feature = "loader", feature = "serde_json"))]
pub mod documents;
mod fault;
mod guard;
mod inserter;
#[cfg(feature = "arrow")]
mod kept_batches;
#[cfg(feature = "loader")]
mod loader;
mod net;
mod nonblocking;
mod once;
#[cfg(feature = "blocking")]
pub mod parts;
pub mod pipeline;
mod pool;
#[cfg(feature = "blocking")]
mod read_view;
mod reading;
mod sql;
pub mod table;
mod tls;
#[cfg(feature = "tokio")]
mod tokio;
mod trace;
mod transact;
#[cfg(feature = "loader")]
mod until_stopped;
mod verbs;
#[cfg(feature = "loader")]
mod verify;
mod waiter;

#[cfg(all(feature = "tokio", feature = "arrow"))]
pub use crate::tokio::{ArrowBatches, ResultBatches};
#[cfg(feature = "tokio")]
pub use crate::tokio::{
    BulkInserter, Connection, Executor, Inserter, Inserters, Pool, PooledConnection, ResultRows, Rows, Savepoint,
    Transaction,
};
pub use bulk::{BulkOptions, BulkReport};
pub use config::{Config, HostOrder, IntoConfig, PipelineMode, PoolOptions, ServerRole, TlsMode, url};
/// The pure core: protocol, batches, ledger and conversions without a socket, for people who build on them. Items that this crate does
/// not name itself may change in any release.
pub use inrush_core as sans_io;
#[cfg(feature = "loader")]
pub use inrush_core::FrontEnd;
pub use inrush_core::batch::{BadRow, BatchOptions, BatchReport, Ids, OnBadRow};
#[cfg(feature = "serde_json")]
pub use inrush_core::convert::Json;
#[cfg(feature = "arrow")]
pub use inrush_core::convert::arrow::{ArrowOptions, InvalidDates};
#[cfg(feature = "arrow")]
pub use inrush_core::convert::bind::InZone;
pub use inrush_core::convert::{
    Columns, FromRow, FromValue, IntoColumn, OwnedRow, Params, Plus, ToRow, ToValue, scalar,
};
pub use inrush_core::error::{BadValue, Conversion, Error, InputFault, Kind, Place, Reason, Result};
#[cfg(feature = "loader")]
pub use inrush_core::load::lane::Unchecked;
#[cfg(feature = "loader")]
pub use inrush_core::load::ledger::NamedJob;
#[cfg(feature = "loader")]
pub use inrush_core::load::report::{Report, Stop};
#[cfg(feature = "loader")]
pub use inrush_core::load::{
    Batch, FieldTarget, Matching, MissingColumns, Mode, NewColumns, Origin, Reject, RejectObject, RejectStore, Source,
};
pub use inrush_core::profile::Engine;
pub use inrush_core::retry::Retries;
pub use inrush_core::session::{Access, Isolation, Outcome, ResetPolicy, ResultSet, Statement, TransactionOptions};
pub use inrush_core::value::{Date, DateTime, Time, Value, WriteJson, WriteValue};
pub use inrush_core::wire::{ColumnDef, Compression, Row};
#[cfg(feature = "loader")]
pub use inrush_core::write::Computed;
pub use inrush_core::write::Method;
pub use inrush_core::write::split::{SplitOptions, SplitReport};
/// ```
/// #[derive(inrush::FromRow)]
/// struct Person<'r> {
///     id: u64,
///     #[inrush(rename = "full_name")]
///     name: &'r str,
///     age: Option<u8>,
/// }
///
/// # fn main() -> inrush::Result<()> {
/// # let shop = inrush_testkit::shop::open();
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
/// # let mut seen = String::new();
/// let mut rows = connection.query_iter("SELECT id, full_name, age FROM people", ())?;
/// while let Some(person) = rows.next_as::<Person>()? {
///     println!("{} {} {:?}", person.id, person.name, person.age);
/// #     seen += &format!("{} {} {:?}, ", person.id, person.name, person.age);
/// }
/// # assert_eq!(seen, "1 Ann A. Some(40), 2 Bob B. Some(17), 3 Cy C. None, ");
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "derive")]
pub use inrush_derive::FromRow;
/// ```
/// #[derive(inrush::ToRow)]
/// struct Person<'p> {
///     id: u64,
///     #[inrush(rename = "full_name")]
///     name: &'p str,
///     age: Option<u8>,
/// }
/// # let shop = inrush_testkit::shop::open();
/// # shop.ask("DELETE FROM people; ALTER TABLE people MODIFY name VARCHAR(80)");
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
///
/// let people = [Person { id: 1, name: "Ann", age: Some(31) }, Person { id: 2, name: "Bea", age: None }];
/// let insert = "INSERT INTO people (full_name, age, id) VALUES (:full_name, :age, :id)";
/// connection.execute_batch(insert, &people)?;
/// connection.execute("UPDATE people SET age = :age + 1 WHERE id = :id", &people[0])?;
/// # assert_eq!(shop.ask("SELECT id, full_name, age FROM people ORDER BY id"), ["1 Ann 32", "2 Bea NULL"]);
/// # Ok::<(), inrush::Error>(())
/// ```
#[cfg(feature = "derive")]
pub use inrush_derive::ToRow;
/// ```
/// # use inrush::{FromRow, FromValue, ToRow, ToValue};
/// #[derive(Debug, PartialEq, FromValue, ToValue)]
/// #[inrush(rename_all = "snake_case")]
/// enum State {
///     InStock,
///     #[inrush(rename = "gone")]
///     SoldOut,
/// }
///
/// #[derive(Debug, PartialEq, FromValue, ToValue)]
/// struct Id(u64);
///
/// # let shop = inrush_testkit::shop::open();
/// # let mut connection = inrush::blocking::Connection::connect(&shop.url())?;
/// # shop.ask("CREATE TABLE things (id BIGINT UNSIGNED PRIMARY KEY, state ENUM('in_stock', 'gone'))");
/// connection.execute("INSERT INTO things VALUES (?, ?)", (Id(7), State::SoldOut))?;
/// let thing: (Id, State) = connection.query_one("SELECT id, state FROM things", ())?;
/// assert_eq!(thing, (Id(7), State::SoldOut));
/// # Ok::<(), inrush::Error>(())
/// ```
#[cfg(feature = "derive")]
pub use inrush_derive::{FromValue, ToValue};
pub use inserter::{Inserted, InserterOptions, InserterStatus, OnDuplicate};
#[cfg(feature = "loader")]
pub use loader::{
    BadRows, BatchSize, Control, DerivedLoad, EventHandler, Forgotten, Guarantee, JobProgress, JobRun, JobStatus,
    KeptTable, LoadEvent, LoadOption, LoadOptions, Loader, MaxBad, MinRows, OptionValue, ReplicaUrl, Snapshot, Sort,
    StoredChunk, UndoOptions, Undone, UnreadableReplicas, UnreadableSignals, Waiting,
};
pub use pipeline::{Pipeline, Reply};
pub use pool::{PoolStatus, Pooled};
#[cfg(feature = "blocking")]
pub use read_view::{BinlogPosition, ReadLock, ReadView};
pub use sql::{Sql, Text, Warning};
#[cfg(feature = "loader")]
pub use until_stopped::execute_until_stopped;
#[cfg(feature = "loader")]
pub use verify::{Difference, DifferenceKind, Verified, VerifyControl, VerifyOptions, verify_seen_by, verify_tables};
