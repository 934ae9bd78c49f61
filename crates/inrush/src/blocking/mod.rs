//! The blocking shell: a thread, and a socket whose calls wait only where no other work can be done.

#[cfg(feature = "arrow")]
mod arrow;
mod batch;
mod bulk;
mod connection;
mod executor;
mod inserter;
mod inserters;
mod iterators;
mod maintenance;
mod pipeline;
mod pool;
mod pool_verbs;
mod query_timeout;
mod rows;
mod shell;
mod socket;
mod split;
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
pub use socket::Aborter;
#[cfg(test)]
pub(crate) use socket::Socket;
pub use transaction::{Savepoint, Transaction};
