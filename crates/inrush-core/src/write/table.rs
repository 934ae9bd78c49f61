//! A target table, as far as batches and loads must know it.

use crate::column::Column;

/// A target table as the server describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The schema (database) it lives in.
    pub schema: String,
    /// Its name as the server spells it.
    pub name: String,
    /// Its storage engine; empty if the server does not report it.
    pub engine: String,
    /// Whether the engine has transactions.
    pub transactional: bool,
    /// Its columns in order.
    pub columns: Vec<Column>,
}

impl Table {
    /// Whether the engine stores the rows on other servers or in other tables, by connections of its own: they do not commit together with what this server
    /// stores, and a table made `LIKE` this one has the same rows.
    pub fn is_elsewhere(&self) -> bool {
        Self::is_elsewhere_by(&self.engine)
    }

    /// The same by the name of the engine.
    pub fn is_elsewhere_by(engine: &str) -> bool {
        ELSEWHERE.iter().any(|known| engine.eq_ignore_ascii_case(known))
    }
}

/// MariaDB's and MySQL's engines that lead to other servers, and the one that leads to other tables.
const ELSEWHERE: [&str; 4] = ["SPIDER", "FEDERATED", "CONNECT", "MRG_MYISAM"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_lead_to_other_servers() {
        assert!(
            ["SPIDER", "Spider", "FEDERATED", "CONNECT", "MRG_MyISAM"]
                .iter()
                .all(|engine| Table::is_elsewhere_by(engine))
        );
        assert!(["InnoDB", "", "MyISAM", "ROCKSDB"].iter().all(|engine| !Table::is_elsewhere_by(engine)));
    }
}
