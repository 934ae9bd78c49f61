//! Write methods as values: their names, which of them `auto` chooses, and when a refusal means "try the next one".

use crate::error::{Error, Result};
use std::fmt;

/// A method to write rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// LOAD DATA LOCAL INFILE, streamed from memory.
    LoadData,
    /// MariaDB's COM_STMT_BULK_EXECUTE: one statement, followed by the values of many rows.
    Bulk,
    /// INSERT .. VALUES (?,?),(?,?).. with the values bound.
    MultiRowPrepared,
    /// INSERT .. VALUES (..),(..) as escaped text.
    MultiRow,
    /// COM_STMT_EXECUTE for each row, sent while the replies are read.
    Pipelined,
    /// COM_STMT_EXECUTE for each row, one at a time.
    Prepared,
    /// Statements as text, joined by `;`.
    MultiStatement,
    /// A statement as text for each row, one at a time.
    Row,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 8] = [
        Method::LoadData,
        Method::Bulk,
        Method::MultiRowPrepared,
        Method::MultiRow,
        Method::Pipelined,
        Method::Prepared,
        Method::MultiStatement,
        Method::Row,
    ];

    /// Those of a load from files.
    pub const LOADS: [Method; 4] = [Method::LoadData, Method::Bulk, Method::MultiRowPrepared, Method::MultiRow];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Method::LoadData => "load-data",
            Method::Bulk => "bulk",
            Method::MultiRowPrepared => "multi-row-prepared",
            Method::MultiRow => "multi-row",
            Method::Pipelined => "pipelined",
            Method::Prepared => "prepared",
            Method::MultiStatement => "multi-statement",
            Method::Row => "row",
        }
    }

    /// Whether it writes by any statement with placeholders (UPDATE, DELETE), not by INSERTs alone.
    pub fn takes_any_statement(self) -> bool {
        match self {
            Method::LoadData | Method::MultiRowPrepared | Method::MultiRow => false,
            Method::Bulk | Method::Pipelined | Method::Prepared | Method::MultiStatement | Method::Row => true,
        }
    }

    /// The one of `methods` that has this name; `auto` is `None`.
    pub fn parse(name: &str, methods: &[Method]) -> Result<Option<Method>> {
        if name == "auto" {
            return Ok(None);
        }
        methods.iter().find(|method| method.name() == name).map(|method| Some(*method)).ok_or_else(|| {
            let known: Vec<_> = methods.iter().map(|method| format!("`{}`", method.name())).collect();
            Error::config(format!("`{name}` is not a write method"))
                .with_hint(format!("it takes `auto`, {}", known.join(", ")))
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The method a load uses, and why: printed in the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// Why this one, as half a sentence.
    pub reason: String,
    /// Whether another method may take its place when the server refuses it.
    pub may_fall_back: bool,
}

/// What decides about the method, before the first row is sent.
#[derive(Clone, Copy, Debug)]
pub struct MethodFacts {
    /// The server's `local_infile`; `None` if the server did not report it.
    pub local_infile: Option<bool>,
    /// COM_STMT_BULK_EXECUTE was agreed on: `Profile::bulk_execute`.
    pub has_bulk: bool,
    /// Every value may be bound as it is.
    pub bindable: bool,
    /// Several lanes would write by LOAD DATA, and each locks the table until it ends. INSERTs of VALUES are faster then: those
    /// that go only into a primary key do not wait (docs/notes/multi-row.md).
    ///
    /// They wait for a table with an AUTO_INCREMENT where `innodb_autoinc_lock_mode` is 1, also if the rows bring values for it
    /// (MariaDB's default; MySQL's is 2): <https://dev.mysql.com/doc/refman/8.4/en/innodb-auto-increment-handling.html>.
    pub load_is_serial: bool,
    /// The server commits within a LOAD DATA, every 10,000 rows: MariaDB's `wsrep_load_data_splitting`, which no session can switch off
    /// (<https://mariadb.com/docs/galera-cluster/reference/galera-cluster-system-variables#wsrep_load_data_splitting>).
    pub load_is_split: bool,
    /// A computed column for which LOAD DATA may change a value silently where a strict INSERT fails (docs/notes/computed.md).
    pub load_is_lax: bool,
    /// A column without a value and a default is left to a trigger. Where the trigger gives it none, LOAD DATA of MySQL silently
    /// stores 0 or an empty text, and a strict INSERT fails (docs/notes/computed.md).
    pub trigger_fills: bool,
}

/// Chooses before the first row is sent, from the requested method and from what the server reports. For the best INSERT see
/// [`best_insert`].
///
/// # Errors
/// `Config` if the server or the table does not allow the requested method.
pub fn choose(asked: Option<Method>, facts: MethodFacts) -> Result<Choice> {
    let MethodFacts { local_infile, has_bulk, bindable, load_is_serial, load_is_split, .. } = facts;
    let MethodFacts { load_is_lax, trigger_fills, .. } = facts;
    let insert = best_insert(has_bulk, bindable);
    let chosen = |method, reason: &str| Choice { method, reason: reason.into(), may_fall_back: true };
    Ok(match (asked, local_infile) {
        (Some(Method::LoadData), Some(false)) => {
            return Err(Error::config("the server has `local_infile` off, so LOAD DATA LOCAL is not allowed")
                .with_hint("`--method auto` takes the next best way; `SET GLOBAL local_infile = 1` on the server allows this one"));
        }
        (Some(Method::LoadData), _) if load_is_split => {
            return Err(Error::config("the server has `wsrep_load_data_splitting` on: it commits within a LOAD DATA, so a chunk would not be a transaction")
                .with_hint("`--method auto` takes the next best way; `SET GLOBAL wsrep_load_data_splitting = OFF` on the server allows this one"));
        }
        (Some(Method::LoadData), _) if load_is_lax => {
            return Err(Error::config(
                "`load-data` cannot compute what `--set` says as strictly as an INSERT: the server could bend a value without a word, as `12 apples` into 12",
            )
            .with_hint("`--method auto` or `--method multi-row` loads the rows and names the bad ones; `load-data` takes constants and functions of texts"));
        }
        (Some(Method::LoadData), _) if trigger_fills => {
            return Err(Error::config(
                "a trigger is to fill a NOT NULL column: where it does not, `load-data` could store 0 or an empty text without a word",
            )
            .with_hint("`--method auto` takes the next best way, whose rows fail then"));
        }
        (Some(Method::Bulk), _) if !has_bulk => {
            return Err(Error::config("`bulk` is a command of MariaDB, and this server does not have it")
                .with_hint("`--method auto` takes the fastest method that the server has"));
        }
        (Some(method @ (Method::MultiRowPrepared | Method::Bulk)), _) if !bindable => {
            return Err(Error::config(format!("`{method}` cannot write this table: it has too many columns, or one of BIT, a vector or a geometry, or one that is computed (`--set`)"))
                .with_hint("`--method multi-row` can"));
        }
        (Some(method), _) => Choice { method, reason: "requested".into(), may_fall_back: false },
        (None, Some(false)) => chosen(insert, "the server has `local_infile` off, so LOAD DATA LOCAL is not allowed"),
        (None, _) if load_is_lax => {
            chosen(insert, "LOAD DATA could bend what `--set` computes without a word, and a strict INSERT does not")
        }
        (None, _) if trigger_fills => {
            chosen(insert, "a trigger is to fill a NOT NULL column, and only a strict INSERT fails where it does not")
        }
        (None, _) if load_is_split => chosen(
            insert,
            "the server commits within a LOAD DATA (`wsrep_load_data_splitting` is on), and a chunk is to be a transaction",
        ),
        (None, _) if load_is_serial => chosen(
            insert,
            "the lanes' LOAD DATA would wait for each other, for the lock of the table's AUTO_INCREMENT (`innodb_autoinc_lock_mode` is 1)",
        ),
        (None, Some(true)) => chosen(Method::LoadData, "the server allows LOAD DATA LOCAL, its fastest way in"),
        (None, None) => {
            chosen(Method::LoadData, "the server does not report whether it allows LOAD DATA LOCAL; it accepted it")
        }
    })
}

/// The fastest method without LOAD DATA. `bindable`: every value may be bound as it is. Bound rows cost either server less than text, and
/// MariaDB a little less still in bulk (docs/notes/multi-row.md).
pub fn best_insert(has_bulk: bool, bindable: bool) -> Method {
    match bindable {
        true if has_bulk => Method::Bulk,
        true => Method::MultiRowPrepared,
        false => Method::MultiRow,
    }
}

/// The two methods that a load measures while it runs, to choose the faster one (`tuner::trial`). The first is the chosen one,
/// and is kept in doubt. MariaDB stores rows by its bulk command as fast as by LOAD DATA, or a tenth faster
/// (docs/notes/load-speed.md).
pub fn to_try(chosen: &Choice, insert: Method) -> Option<[Method; 2]> {
    let is_open = chosen.may_fall_back && chosen.method == Method::LoadData && insert == Method::Bulk;
    is_open.then_some([Method::LoadData, Method::Bulk])
}

/// Returns the method with which `auto` continues after the server refused `method` with this error.
pub fn fall_back(method: Method, error: &Error, insert: Method) -> Choice {
    let (what, next) = match method {
        Method::LoadData => ("LOAD DATA LOCAL", insert),
        Method::Bulk => ("COM_STMT_BULK_EXECUTE", Method::MultiRowPrepared),
        _ => ("a prepared INSERT", Method::MultiRow),
    };
    let reason = format!("{what} was refused: {} (error {})", error.message(), error.code());
    Choice { method: next, reason, may_fall_back: next != Method::MultiRow }
}

/// Whether an answer to LOAD DATA LOCAL refuses the method itself, not this data.
///
/// 4166 (MariaDB), 3948 ER_CLIENT_LOCAL_FILES_DISABLED (MySQL), 1148 ER_NOT_ALLOWED_COMMAND (older ones), 2068 (client side), 1235 not supported
/// (Vitess, sharded), 1997 (ShardingSphere), 1290 --secure-file-priv style option, 1045/1227 a missing right for LOAD DATA.
pub fn refuses_local_infile(code: u16) -> bool {
    matches!(code, 1148 | 3948 | 4166 | 2068 | 1235 | 1997 | 1227 | 1045)
}

/// Whether an error refuses the method itself, not these rows.
///
/// 1295 (ER_UNSUPPORTED_PS), 1047 and 1210 of a server that does not know the command, 4033 (bulk needs row-based replication), 1390 (too many
/// placeholders), 1461 (too many prepared statements).
pub fn is_refused(method: Method, error: &Error) -> bool {
    match method {
        Method::LoadData => refuses_local_infile(error.code()),
        Method::Bulk => matches!(error.code(), 1295 | 1047 | 1210 | 1461 | 4033),
        Method::MultiRowPrepared => matches!(error.code(), 1295 | 1390 | 1461),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    const MYSQL: MethodFacts = MethodFacts {
        local_infile: None,
        has_bulk: false,
        bindable: true,
        load_is_serial: false,
        load_is_split: false,
        load_is_lax: false,
        trigger_fills: false,
    };
    const MARIADB: MethodFacts = MethodFacts { has_bulk: true, ..MYSQL };

    #[track_caller]
    fn check(asked: Option<Method>, facts: MethodFacts, want: Method, may_fall_back: bool) {
        let choice = choose(asked, facts).unwrap();
        assert_eq!((choice.method, choice.may_fall_back), (want, may_fall_back));
    }

    #[test]
    fn local_allowed() {
        check(None, MethodFacts { local_infile: Some(true), ..MYSQL }, Method::LoadData, true);
    }
    #[test]
    fn local_off() {
        check(None, MethodFacts { local_infile: Some(false), ..MYSQL }, Method::MultiRowPrepared, true);
        check(None, MethodFacts { local_infile: Some(false), bindable: false, ..MYSQL }, Method::MultiRow, true);
        check(None, MethodFacts { local_infile: Some(false), ..MARIADB }, Method::Bulk, true);
        check(
            None,
            MethodFacts { local_infile: Some(false), has_bulk: false, ..MARIADB },
            Method::MultiRowPrepared,
            true,
        );
    }
    #[test]
    fn server_says_nothing() {
        check(None, MYSQL, Method::LoadData, true);
    }
    #[test]
    fn loads_that_would_wait_for_each_other() {
        for local_infile in [None, Some(true), Some(false)] {
            check(None, MethodFacts { local_infile, load_is_serial: true, ..MYSQL }, Method::MultiRowPrepared, true);
            let serial = MethodFacts { local_infile, load_is_serial: true, ..MARIADB };
            check(None, serial, Method::Bulk, true);
            check(None, MethodFacts { bindable: false, ..serial }, Method::MultiRow, true);
        }
    }
    #[test]
    fn what_load_data_would_bend_goes_by_inserts() {
        for local_infile in [None, Some(true), Some(false)] {
            for facts in [MYSQL, MARIADB] {
                let lax = MethodFacts { local_infile, bindable: false, load_is_lax: true, ..facts };
                check(None, lax, Method::MultiRow, true);
                check(Some(Method::MultiRow), lax, Method::MultiRow, false);
                assert_eq!(choose(Some(Method::LoadData), lax).unwrap_err().kind(), Kind::Config);
            }
        }
    }
    #[test]
    fn what_a_trigger_fills_goes_by_inserts() {
        let filled = MethodFacts { local_infile: Some(true), trigger_fills: true, ..MYSQL };
        check(None, filled, Method::MultiRowPrepared, true);
        check(None, MethodFacts { trigger_fills: true, ..MARIADB }, Method::Bulk, true);
        assert_eq!(choose(Some(Method::LoadData), filled).unwrap_err().kind(), Kind::Config);
    }
    #[test]
    fn what_the_server_would_split_goes_by_inserts() {
        let split = MethodFacts { local_infile: Some(true), load_is_split: true, ..MARIADB };
        check(None, split, Method::Bulk, true);
        check(Some(Method::MultiRow), split, Method::MultiRow, false);
        assert_eq!(choose(Some(Method::LoadData), split).unwrap_err().kind(), Kind::Config);
    }
    #[test]
    fn asked_for_is_final() {
        check(Some(Method::LoadData), MethodFacts { load_is_serial: true, ..MARIADB }, Method::LoadData, false);
        check(Some(Method::MultiRow), MethodFacts { local_infile: Some(true), ..MYSQL }, Method::MultiRow, false);
    }
    #[test]
    fn what_the_server_forbids_is_refused_at_once() {
        let refused = choose(Some(Method::LoadData), MethodFacts { local_infile: Some(false), ..MYSQL });
        assert_eq!(refused.unwrap_err().kind(), Kind::Config);
    }
    #[test]
    fn rows_are_bound_where_they_can_be() {
        assert_eq!(best_insert(true, true), Method::Bulk);
        assert_eq!(best_insert(false, true), Method::MultiRowPrepared);
        assert_eq!(best_insert(true, false), Method::MultiRow);
        assert_eq!(best_insert(false, false), Method::MultiRow);
    }
    #[test]
    fn what_cannot_be_bound_is_refused_at_once() {
        for method in [Method::MultiRowPrepared, Method::Bulk] {
            let refused = choose(Some(method), MethodFacts { bindable: false, ..MARIADB });
            assert_eq!(refused.unwrap_err().kind(), Kind::Config);
        }
        check(Some(Method::Bulk), MARIADB, Method::Bulk, false);
        assert_eq!(choose(Some(Method::Bulk), MYSQL).unwrap_err().kind(), Kind::Config);
    }
    #[test]
    fn only_what_auto_has_chosen_is_tried_beside_another() {
        let tried = |asked, facts: MethodFacts| {
            let insert = best_insert(facts.has_bulk, facts.bindable);
            to_try(&choose(asked, facts).unwrap(), insert)
        };
        let both = Some([Method::LoadData, Method::Bulk]);
        assert_eq!((tried(None, MARIADB), tried(None, MYSQL)), (both, None));
        assert_eq!(tried(Some(Method::LoadData), MARIADB), None);
        assert_eq!(tried(None, MethodFacts { bindable: false, ..MARIADB }), None);
        assert_eq!(tried(None, MethodFacts { local_infile: Some(false), ..MARIADB }), None);
        assert_eq!(tried(None, MethodFacts { load_is_lax: true, ..MARIADB }), None);
    }
    #[test]
    fn each_refusal_leads_one_step_on() {
        let refused = Error::server(1295, *b"HY000", "no");
        let next = fall_back(Method::LoadData, &refused, Method::Bulk);
        assert_eq!((next.method, next.may_fall_back), (Method::Bulk, true));
        let next = fall_back(next.method, &refused, Method::Bulk);
        assert_eq!((next.method, next.may_fall_back), (Method::MultiRowPrepared, true));
        let last = fall_back(next.method, &refused, Method::MultiRowPrepared);
        assert_eq!((last.method, last.may_fall_back), (Method::MultiRow, false));
        assert_eq!(last.reason, "a prepared INSERT was refused: no (error 1295)");
    }
    #[test]
    fn names_round_trip() {
        for method in Method::ALL {
            assert_eq!(Method::parse(method.name(), &Method::ALL).unwrap(), Some(method));
        }
        assert_eq!(Method::parse("auto", &[]).unwrap(), None);
        assert!(Method::parse("fast", &Method::ALL).is_err());
        assert!(Method::parse("row", &Method::LOADS).is_err());
    }
}
