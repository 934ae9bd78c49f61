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
        // Seen: of four rows one violated a CHECK; `1 row affected`, `Records: 4 Skipped: 2 Warnings: 2` for two duplicates.
        loads_unchecked: true,
        prefers_text: true,
        // A third of `txn-total-size-limit`, which counts keys, values and indexes as they are stored.
        transaction_bytes: 32 << 20,
        ..relative::profile(version)
    }
}
