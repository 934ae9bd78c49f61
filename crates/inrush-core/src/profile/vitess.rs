//! Vitess, by its documents: it was never tested.
//!
//! `transaction_mode` is MULTI by default: a COMMIT goes to one shard after the other, and one that fails leaves what others have committed
//! ("Distributed Transactions" of its manual). A sharded keyspace refuses LOAD DATA with error 1235.

use super::{Profile, relative};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "Vitess",
        prefers_load_data: false,
        commits_together: false,
        temporary_tables: false,
        ..relative::profile(version)
    }
}
