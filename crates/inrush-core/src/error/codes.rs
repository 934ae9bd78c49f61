//! The tables of the servers' error codes: what each code says about its transaction and about the connection that it came on, and
//! which command it refuses.
//!
//! All code that retries, reconnects, waits for a server or writes by another method reads these tables. There are two other lists:
//! which errors are the fault of one row (`write::answer`), which ones a mode skips (`load::modes`).

/// What a code says about the transaction. Nothing of the transaction is stored, or its outcome is unknown ([`Class::Lost`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// Another transaction was in the way: the same one succeeds later, after a ROLLBACK.
    Conflict,
    /// A conflict, or a limit that the same transaction reaches each time.
    ConflictOrLimit,
    /// No AUTO_INCREMENT value is available, temporarily or permanently.
    NoId,
    /// The transaction is larger than a limit of the server.
    TooLarge,
    /// The server accepts no more connections, or no more statements of this user.
    Full,
    /// The server starts, ends or is not part of its cluster, or it ended this connection.
    Unavailable,
    /// A proxy lost its connection to the server: this is not the server's answer, so the outcome of the statement is unknown.
    Lost,
    /// The server refuses writes.
    ReadOnly,
    /// KILL QUERY; KILL, if the connection is closed too.
    Killed,
    /// Anything else: the same transaction would fail again.
    Other,
}

/// The state of the connection after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// As good as before.
    Usable,
    /// It works, but leads to a server that cannot do the work: a new one may lead to another server.
    Misplaced,
    /// The server closes it.
    Closed,
}

/// Looks a code up.
pub fn of(code: u16) -> (Class, Connection) {
    let found = TABLE.binary_search_by_key(&code, |(code, ..)| *code);
    found.map_or((Class::Other, Connection::Usable), |at| (TABLE[at].1, TABLE[at].2))
}

/// The codes that mean more than "the same statement would fail again", in ascending order.
const TABLE: &[(u16, Class, Connection)] = {
    use Class::*;
    use Connection::*;
    &[
        (1020, Conflict, Usable), // a row changed since the snapshot (MariaDB, innodb_snapshot_isolation)
        (1040, Full, Closed),     // max_connections
        (1041, Other, Closed),    // out of memory
        (1043, Other, Closed),    // bad handshake
        (1047, Unavailable, Misplaced), // a Galera node that is not part of its cluster at that moment
        (1053, Unavailable, Closed), // shutdown
        (1080, Other, Closed),    // the server closes a thread by force
        (1129, Other, Closed),    // the host is blocked
        (1130, Other, Closed),    // the host is not allowed
        (1152, Other, Closed),    // aborted connection
        (1153, Other, Closed),    // packet larger than max_allowed_packet
        (1154, Other, Closed),    // read error on a pipe
        (1155, Other, Closed),    // fcntl failed
        (1156, Other, Closed),    // packets out of order
        (1157, Other, Closed),    // a packet cannot be decompressed
        (1158, Unavailable, Closed), // network: read
        (1159, Unavailable, Closed), // network: read time-out
        (1160, Unavailable, Closed), // network: write
        (1161, Unavailable, Closed), // network: write time-out
        (1180, ConflictOrLimit, Usable), // COMMIT failed
        (1184, Other, Closed),    // aborted connection, before the login
        (1197, TooLarge, Usable), // max_binlog_cache_size
        (1203, Full, Misplaced),  // max_user_connections, of all users
        (1205, Conflict, Usable), // lock wait time-out; undoes the statement only, so a ROLLBACK comes first
        (1206, ConflictOrLimit, Usable), // the lock table is full
        (1213, Conflict, Usable), // deadlock; the transaction is rolled back
        (1226, Full, Usable),     // a resource limit of this user: connections, or statements an hour
        (OPTION_PREVENTS, ReadOnly, Misplaced), // --read-only, if the message says so
        (1317, Killed, Usable),   // KILL QUERY
        (1467, NoId, Usable),     // no AUTO_INCREMENT value
        (1705, TooLarge, Usable), // max_binlog_stmt_cache_size
        (1792, ReadOnly, Misplaced), // the transaction is READ ONLY
        (1836, ReadOnly, Misplaced), // the server is in read-only mode
        (1927, Unavailable, Closed), // KILL (MariaDB)
        (2006, Lost, Closed),     // a client's code, which proxies send: the server has gone away
        (2013, Lost, Closed),     // the same: the connection was lost during the statement
        (3032, Unavailable, Closed), // offline_mode (MySQL)
        (3100, ConflictOrLimit, Usable), // a hook of replication failed before the COMMIT
        (3101, ConflictOrLimit, Usable), // a plugin of replication rolled the transaction back
        (3169, Unavailable, Closed), // KILL (MySQL)
        (3572, Conflict, Usable), // NOWAIT, and the row is locked (MySQL; MariaDB says 1205); undoes the statement only
        (4031, Unavailable, Closed), // idle for longer than wait_timeout (MySQL)
        (8004, TooLarge, Usable), // TiDB: the transaction is too large
    ]
};

/// The code of every option that forbids a statement.
pub(crate) const OPTION_PREVENTS: u16 = 1290;

/// An unknown command; a Galera node that is not ready answers every command with it.
pub(crate) const UNKNOWN_COMMAND: u16 = 1047;

/// A command that a server may refuse as such, whatever its rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusable {
    /// LOAD DATA LOCAL.
    LoadLocal,
    /// COM_STMT_BULK_EXECUTE.
    BulkExecute,
    /// A prepared statement.
    Prepared,
}

/// The commands that a code refuses. [`Error::refuses`](super::Error::refuses) also compares the message, where a code means more than that.
pub(super) fn refused_by(code: u16) -> &'static [Refusable] {
    REFUSALS.iter().find(|(known, _)| *known == code).map_or(&[], |(_, commands)| commands)
}

const REFUSALS: &[(u16, &[Refusable])] = {
    use Refusable::*;
    &[
        (1045, &[LoadLocal]),              // access denied
        (UNKNOWN_COMMAND, &[BulkExecute]), // unless it is Galera's
        (1148, &[LoadLocal]),              // ER_NOT_ALLOWED_COMMAND, of older servers
        (1210, &[BulkExecute]),            // wrong arguments: a server that does not know the command
        (1227, &[LoadLocal]),              // a privilege is missing
        (1235, &[LoadLocal]),              // not supported (Vitess, sharded)
        (OPTION_PREVENTS, &[LoadLocal]),   // any option but --read-only
        (1295, &[BulkExecute, Prepared]),  // ER_UNSUPPORTED_PS
        (1390, &[Prepared]),               // too many placeholders
        (1461, &[BulkExecute, Prepared]),  // max_prepared_stmt_count
        (1997, &[LoadLocal]),              // ShardingSphere
        (2068, &[LoadLocal]),              // the client's code, which proxies send
        (3948, &[LoadLocal]),              // ER_CLIENT_LOCAL_FILES_DISABLED (MySQL)
        (4033, &[BulkExecute]),            // needs row-based replication
        (4166, &[LoadLocal]),              // local_infile is off (MariaDB)
    ]
};

#[cfg(test)]
mod tests;
