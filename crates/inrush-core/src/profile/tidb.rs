//! TiDB (8.4 is tested, which reports MySQL 8.0.11).

use super::{Profile, relative};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "TiDB",
        // It has no shared row locks (error 1235), and an optimistic transaction takes no locks at all before its COMMIT.
        shared_lock: "FOR UPDATE",
        required_settings: &["tidb_txn_mode='pessimistic'"],
        optional_settings: &["max_execution_time=0"],
        temporary_tables: false,
        // A third of `txn-total-size-limit`, which counts keys, values and indexes as they are stored.
        transaction_bytes: 32 << 20,
        ..relative::profile(version)
    }
}
