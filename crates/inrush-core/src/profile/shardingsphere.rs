//! Apache ShardingSphere-Proxy (5.1.0 was tried), which puts its name behind the version of the server that it shows:
//! `5.7.22-ShardingSphere-Proxy 5.4.1`.
//!
//! Its transactions are LOCAL by default: a COMMIT goes to one server after the other, and a crash between them leaves a part
//! ("Transaction limitations" of its manual). Whether they are XA no statement of MySQL's says. LOAD DATA is refused with error 1997.

use super::{Profile, relative};
use crate::wire::ServerVersion;

pub(super) fn profile(version: &ServerVersion) -> Profile {
    Profile {
        name: "ShardingSphere-Proxy",
        shared_lock: "FOR UPDATE",
        local_infile: false,
        prefers_load_data: false,
        commits_together: false,
        temporary_tables: false,
        ..relative::profile(version)
    }
}
