//! The tokio shell: a task, and a socket that wakes it. Needs a runtime with `io` and `time` enabled.

#[cfg(feature = "arrow")]
mod arrow;
mod batch;
mod bulk;
mod connection;
mod executor;
mod inserter;
mod inserters;
mod maintenance;
mod pipeline;
mod pool;
mod pool_verbs;
mod query_timeout;
mod rows;
mod shell;
mod socket;
mod split;
mod streams;
mod target;
mod transaction;

#[cfg(feature = "arrow")]
pub use arrow::{ArrowBatches, ResultBatches};
pub use bulk::BulkInserter;
pub use connection::Connection;
pub use executor::Executor;
pub use inserter::Inserter;
pub use inserters::Inserters;
pub use pool::{Pool, PooledConnection};
pub use rows::{ResultRows, Rows};
#[cfg(test)]
pub(crate) use socket::Socket;
pub use transaction::{Savepoint, Transaction};
