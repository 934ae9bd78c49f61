//! The kind and version of the server, as far as its greeting shows.

use std::fmt;

/// A server's version from its greeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerVersion {
    /// The vendor of the server.
    pub vendor: Vendor,
    /// Major, minor, patch. Servers that speak MySQL's protocol without being MySQL report here the MySQL version that they
    /// emulate.
    pub numbers: (u16, u16, u16),
    /// The text, without the prefix MariaDB puts before it.
    pub text: String,
}

/// The vendor of a server. Unknown ones count as MySQL, which they emulate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Vendor {
    /// Oracle's MySQL, Percona Server, Aurora, and all servers that do not identify themselves.
    MySql,
    /// MariaDB.
    MariaDb,
    /// PingCAP's TiDB.
    TiDb,
    /// Vitess.
    Vitess,
    /// OceanBase.
    OceanBase,
    /// Alibaba's PolarDB-X.
    PolarDbX,
    /// SingleStore.
    SingleStore,
    /// Apache ShardingSphere-Proxy.
    ShardingSphere,
}

impl Vendor {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::MySql => "MySQL",
            Self::MariaDb => "MariaDB",
            Self::TiDb => "TiDB",
            Self::Vitess => "Vitess",
            Self::OceanBase => "OceanBase",
            Self::PolarDbX => "PolarDB-X",
            Self::SingleStore => "SingleStore",
            Self::ShardingSphere => "ShardingSphere",
        }
    }

    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::MySql,
        Self::MariaDb,
        Self::TiDb,
        Self::Vitess,
        Self::OceanBase,
        Self::PolarDbX,
        Self::SingleStore,
        Self::ShardingSphere,
    ];
}

impl ServerVersion {
    /// Reads the version text of a greeting.
    pub fn parse(text: &str) -> Self {
        // MariaDB 10 and later call themselves `5.5.5-10.x`, because old replicas treated a two-digit major version as an error.
        // No other server does so: a server with this prefix that does not name itself is a proxy in front of a MariaDB.
        let (text, unnamed) = match text.strip_prefix("5.5.5-") {
            Some(own) if own.starts_with(|c: char| c.is_ascii_digit()) => (own, Vendor::MariaDb),
            _ => (text, Vendor::MySql),
        };
        Self { vendor: named(text).unwrap_or(unnamed), numbers: numbers(text), text: text.to_owned() }
    }

    /// Whether it is at least this version; meaningful only where the vendor is known.
    pub fn is_at_least(&self, major: u16, minor: u16, patch: u16) -> bool {
        self.numbers >= (major, minor, patch)
    }
}

impl fmt::Display for ServerVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match named(&self.text) {
            Some(_) => f.write_str(&self.text),
            None => write!(f, "{} {}", self.vendor.name(), self.text),
        }
    }
}

fn named(text: &str) -> Option<Vendor> {
    let lower = text.to_ascii_lowercase();
    MARKS.iter().find(|(mark, _)| lower.contains(mark)).map(|&(_, vendor)| vendor)
}

fn numbers(text: &str) -> (u16, u16, u16) {
    let digits = text.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    let mut parts = digits.split('.').map(|part| part.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    (next(), next(), next())
}

/// What a version text contains, in lower case.
const MARKS: &[(&str, Vendor)] = &[
    // A proxy puts its name behind the version of the server that it shows.
    ("shardingsphere", Vendor::ShardingSphere),
    ("mariadb", Vendor::MariaDb),
    ("tidb", Vendor::TiDb),
    ("vitess", Vendor::Vitess),
    ("oceanbase", Vendor::OceanBase),
    ("tddl", Vendor::PolarDbX),
    ("polardb-x", Vendor::PolarDbX),
    ("x-cluster", Vendor::PolarDbX),
    ("singlestore", Vendor::SingleStore),
    ("memsql", Vendor::SingleStore),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, vendor: Vendor, numbers: (u16, u16, u16)) {
        let version = ServerVersion::parse(text);
        assert_eq!((version.vendor, version.numbers), (vendor, numbers));
    }

    #[test]
    fn mysql() {
        check("9.7.4", Vendor::MySql, (9, 7, 4));
        check("8.0.46-0ubuntu0.24.04.1", Vendor::MySql, (8, 0, 46));
        check("8.4.3-log", Vendor::MySql, (8, 4, 3));
    }
    #[test]
    fn mariadb() {
        check("5.5.5-10.11.19-MariaDB-0+deb12u1", Vendor::MariaDb, (10, 11, 19));
        check("11.8.6-MariaDB-7 from Debian", Vendor::MariaDb, (11, 8, 6));
        check("12.0.2-mariadb", Vendor::MariaDb, (12, 0, 2));
        check("5.5.5-10.2.12 2.1.13-maxscale", Vendor::MariaDb, (10, 2, 12));
    }
    #[test]
    fn relatives() {
        check("8.0.11-TiDB-v8.5.1", Vendor::TiDb, (8, 0, 11));
        check("8.0.30-Vitess", Vendor::Vitess, (8, 0, 30));
        check("5.7.25-OceanBase-v4.2.1.7", Vendor::OceanBase, (5, 7, 25));
        check("5.6.29-TDDL-5.4.13-16534775", Vendor::PolarDbX, (5, 6, 29));
        check("5.7.25-TDDL-5.4.19-20251031", Vendor::PolarDbX, (5, 7, 25));
        check("8.0.32-X-Cluster-8.4.20-20251017", Vendor::PolarDbX, (8, 0, 32));
        check("5.7.22-ShardingSphere-Proxy 5.4.1", Vendor::ShardingSphere, (5, 7, 22));
        check("5.5.5-10.11.4-MariaDB-ShardingSphere-Proxy 5.1.0", Vendor::ShardingSphere, (10, 11, 4));
    }
    #[test]
    fn nonsense_is_a_mysql_of_version_zero() {
        check("", Vendor::MySql, (0, 0, 0));
        check("5.5.5-", Vendor::MySql, (5, 5, 5));
        check("99999999.1", Vendor::MySql, (0, 1, 0));
        check("no.digits", Vendor::MySql, (0, 0, 0));
    }
}
