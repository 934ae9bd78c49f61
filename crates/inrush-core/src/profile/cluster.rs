//! The cluster that a server belongs to, according to its variables: Galera (MariaDB, Percona XtraDB Cluster) and MySQL's Group
//! Replication.
//!
//! The version does not show it, so it is queried where it matters: a node certifies a transaction as a whole when it is
//! committed, and a row lock is known to its own node only.

/// The kind of cluster that a server belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cluster {
    /// A single server, or a source with replicas that take no writes from others.
    None,
    /// A Galera cluster: every node takes writes.
    Galera,
    /// A group with one primary, which alone takes writes.
    OnePrimary,
    /// A group in which every member takes writes.
    ManyPrimaries,
}

impl Cluster {
    /// The query whose rows [`Cluster::read`] reads. A server has only the variables of its own kind of cluster.
    pub const QUERY: &str = "SHOW VARIABLES WHERE Variable_name IN ('wsrep_on', 'wsrep_provider', 'group_replication_group_name', \
                             'group_replication_single_primary_mode')";

    /// Reads rows of name and value. Other variables may be among them.
    pub fn read(rows: &[Vec<String>]) -> Self {
        let value = |name: &str| {
            let row = rows.iter().find(|row| row.first().is_some_and(|n| n.eq_ignore_ascii_case(name)));
            row.and_then(|row| row.get(1)).map_or(String::new(), |value| value.to_ascii_lowercase())
        };
        let is_galera =
            ["on", "1"].contains(&&*value("wsrep_on")) && !["", "none"].contains(&&*value("wsrep_provider"));
        match (is_galera, value("group_replication_group_name").is_empty()) {
            (true, _) => Self::Galera,
            (false, true) => Self::None,
            (false, false) => match &*value("group_replication_single_primary_mode") {
                "off" | "0" => Self::ManyPrimaries,
                _ => Self::OnePrimary,
            },
        }
    }

    /// Names the cluster if row locks do not reach its other nodes: there, a lock of the ledger does not exclude other runs.
    pub fn with_local_locks(self) -> Option<&'static str> {
        match self {
            Self::None | Self::OnePrimary => None,
            Self::Galera => Some("a Galera cluster"),
            Self::ManyPrimaries => Some("a group with several primaries"),
        }
    }

    /// A statement of several rows that fails behind a row which it has replaced or updated is undone on its own node only: the rows before
    /// it stay in what the transaction sends to the other nodes, and the nodes differ from then on (MariaDB 10.11.19).
    pub fn sends_undone_rows(self) -> bool {
        self == Self::Galera
    }

    /// The most bytes of rows that one transaction should have: a cluster certifies and sends it as a whole.
    pub fn transaction_bytes(self) -> usize {
        match self {
            Self::None => usize::MAX,
            Self::Galera | Self::OnePrimary | Self::ManyPrimaries => 16 << 20,
        }
    }
}
