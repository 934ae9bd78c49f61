//! An engine that speaks MySQL's protocol and names itself in its version: SingleStore, and what all such engines have in common. It is treated like the MySQL version that it reports, without the features that were never tested on
//! it.

use super::{Profile, mysql};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "the server",
        // TiDB accepts LOCK TABLES and does nothing.
        locks_tables: false,
        consecutive_ids: false,
        row_alias: false,
        shared_lock: "FOR SHARE",
        keeps_param_types: false,
        text_is_fast: false,
        ..mysql::profile(version)
    }
}
