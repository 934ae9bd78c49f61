//! PolarDB-X, by its documents: it was never tested. The Enterprise Edition names `TDDL` in its version, the Standard Edition `X-Cluster`.
//!
//! Sources, of Alibaba Cloud's manual "PolarDB for Xscale": "Optimize batch insert queries" (an INSERT of more than 256 KB is cut into
//! pieces of 200 rows, which run one after the other; `BATCH_INSERT_POLICY`), "LOAD DATA" (it is no transaction; 1024 rows a piece),
//! "Compatibility with MySQL" (the Standard Edition denies LOAD DATA), "TCL statements" (statements that are not in an
//! explicit transaction may be stored in part), "SQL limits" (no temporary tables). Of partitions: the server's own sources and tests.

use super::{Profile, relative};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "PolarDB-X",
        shared_lock: "FOR UPDATE",
        loads_commit: true,
        marks_jobs: true,
        prefers_load_data: false,
        temporary_tables: false,
        hash_ranges: true,
        // Below the 256 KB from which on the server cuts a statement.
        statement_bytes: 240 << 10,
        ..relative::profile(version)
    }
}
