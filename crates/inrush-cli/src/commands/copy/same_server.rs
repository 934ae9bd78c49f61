//! Whether FROM and TO are one database, which two addresses may hide: a socket and a port, two names of a host, two nodes of a cluster.
//!
//! Invariant: such a pair is refused before anything is changed. `--truncate` would empty the source.

use inrush::blocking::Connection;
use inrush::{FromRow, Row};
use inrush_core::{Error, Kind, Result};

/// # Errors
/// `Config` if they are; `Io` if a connection is lost.
pub(super) fn refuse(source: &mut Connection, target: &mut Connection) -> Result<()> {
    let name = |connection: &Connection| connection.config().database().unwrap_or_default().to_owned();
    let (from, to) = (name(source), name(target));
    if from != to {
        let differs_by_case = from.to_lowercase() == to.to_lowercase();
        if !differs_by_case
            || value(target, "SELECT CAST(@@lower_case_table_names AS CHAR)")?.is_some_and(|value| value == "0")
        {
            return Ok(());
        }
    }
    let (one, other) = (source.config().address(), target.config().address());
    let refused = |what: &str, hint: &'static str| {
        Err(Error::config(format!("FROM and TO are the same database of the same {what}, as `{one}` and `{other}`"))
            .with_hint(hint))
    };
    if share_locks(source, target)? {
        return refused("server", "TO must name another database, or another server");
    }
    // Behind a proxy two sessions may be on two servers, and users' locks are of one node of a cluster.
    if is_same(source, target, "SELECT @@server_uuid")? {
        return refused(
            "server",
            "both have one @@server_uuid; if the one is a copy of the other's data directory, remove its auto.cnf and start it again",
        );
    }
    if is_same(source, target, CLUSTER)? {
        return refused(
            "cluster",
            "both have one wsrep_cluster_state_uuid: TO must name another database, or another cluster",
        );
    }
    Ok(())
}

/// Whether a user's lock of the one session is seen by the other.
fn share_locks(source: &mut Connection, target: &mut Connection) -> Result<bool> {
    let lock = format!("inrush_copy_{:016x}", rand::random::<u64>());
    if value(source, &format!("SELECT CAST(GET_LOCK('{lock}', 0) AS CHAR)"))?.is_none_or(|got| got != "1") {
        return Ok(false);
    }
    // Each is null if the lock is free. The name is random, so no other session has it.
    let holder = value(target, &format!("SELECT CAST(IS_USED_LOCK('{lock}') AS CHAR)"))?;
    value(source, &format!("SELECT CAST(RELEASE_LOCK('{lock}') AS CHAR)"))?;
    Ok(holder.is_some())
}

fn is_same(source: &mut Connection, target: &mut Connection, query: &str) -> Result<bool> {
    let is_one = |value: &String| value.bytes().any(|byte| byte != b'0' && byte != b'-');
    let Some(one) = value(source, query)?.filter(is_one) else { return Ok(false) };
    Ok(value(target, query)? == Some(one))
}

/// The last value of the first row as text; `None` if it is null, or if the server does not have it or does not show it.
fn value(connection: &mut Connection, query: &str) -> Result<Option<String>> {
    match connection.query_first::<LastValue>(query, ()) {
        Ok(row) => Ok(row.and_then(|LastValue(value)| value)),
        Err(error) if error.kind() == Kind::Server && !error.is_fatal() => Ok(None),
        Err(error) => Err(error),
    }
}

struct LastValue(Option<String>);

impl FromRow<'_> for LastValue {
    fn from_row(row: Row<'_>) -> Result<Self> {
        row.get(row.columns().len().saturating_sub(1)).map(Self)
    }
}

/// Of Galera; on others there is no such row, or an empty value.
const CLUSTER: &str = "SHOW STATUS LIKE 'wsrep_cluster_state_uuid'";
