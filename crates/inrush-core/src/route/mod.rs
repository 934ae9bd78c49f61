//! Where a row goes: predicts, from the row alone, the partition that a server would put it into.
//!
//! A route is a *hint*: it decides which rows are sent together, never where they are stored. A model of the server's rules may
//! be wrong, for a version, a collation or a setting that was not considered. So it is compared with the server's own answers for
//! rows of the load before it is used ([`Partitioning::question`]), and not used at all if a single one differs.
//!
//! | module | what it knows |
//! |---|---|
//! | [`partition`] | the partitions of MySQL and MariaDB: RANGE, LIST, HASH, KEY, linear ones, COLUMNS; HASH and KEY of PolarDB-X |
//! | `key_hash` | the servers' hash of KEY partitions |
//! | `wide_hash` | that of PolarDB-X, whose partitions are ranges of it |
//! | `description` | the texts in which information_schema describes partitions |

mod description;
mod key_hash;
pub mod partition;
mod wide_hash;

pub use partition::{Described, Partitioning, Question};
