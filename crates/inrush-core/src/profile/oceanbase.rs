//! OceanBase and its small form, seekdb (1.4.0 is tested, which reports MySQL 5.7.25).

use super::{Profile, relative};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "OceanBase",
        // FOR SHARE is a syntax error. The lock is exclusive: two readers wait for each other.
        shared_lock: "LOCK IN SHARE MODE",
        // Statements of more than 10 s are ended by default. Microseconds: a day.
        optional_settings: &["max_execution_time=0", "ob_query_timeout=86400000000", "ob_trx_timeout=86400000000"],
        // Each of its threads commits the rows that it has parsed.
        loads_commit: true,
        prefers_load_data: false,
        temporary_tables: false,
        ..relative::profile(version)
    }
}
