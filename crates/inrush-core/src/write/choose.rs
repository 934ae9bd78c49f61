//! Chooses how rows are written, for batches and loads: by which method, why, and by which one after the server refused one.
//!
//! Pure: [`Need`] says what the rows and their statement require, [`Allowed`] what the server can do, [`Chooser`] keeps what the server has
//! refused. A method is taken if it has no obstacle; `auto` takes the first of its preference.

use super::method::{Method, RowReport};
use crate::error::{Error, Result};
use crate::profile::Profile;
use std::borrow::Cow;

/// What the rows and their statement require.
#[derive(Clone, Debug)]
pub struct Need {
    /// Whose rows they are.
    pub rows: Rows,
    /// The requested method; `None` is `auto`.
    pub requested: Option<Method>,
    /// Whether the statement has placeholders.
    pub has_placeholders: bool,
    /// Whether it is an INSERT, REPLACE, UPDATE or DELETE.
    pub is_dml: bool,
    /// Why one statement cannot hold many rows, if it cannot.
    pub no_multi_row: Option<String>,
    /// Why not every value can be bound, if not.
    pub not_bindable: Option<Obstacle>,
    /// Why LOAD DATA would not store the same, if it would not.
    pub no_load_data: Option<Obstacle>,
    /// Several lanes would write by LOAD DATA, and each locks the table until it ends. INSERTs of VALUES are faster then: those
    /// that go only into a primary key do not wait (docs/notes/multi-row.md).
    ///
    /// They wait for a table with an AUTO_INCREMENT where `innodb_autoinc_lock_mode` is 1, also if the rows bring values for it
    /// (MariaDB's default; MySQL's is 2): <https://dev.mysql.com/doc/refman/8.4/en/innodb-auto-increment-handling.html>.
    pub load_is_serial: bool,
    /// Whether the table has triggers: MariaDB counts the rows that their UPDATEs change among the affected rows of a bulk command
    /// (seen on 10.11 and 11.8), so how many rows the command stored is not known. A requested method is taken.
    pub has_triggers: bool,
    /// Whether bad rows are to be skipped.
    pub skips_bad_rows: bool,
    /// Whether the generated id of each row must be reported.
    pub ids: bool,
    /// Whether a statement of many rows reports the id of each.
    pub many_rows_have_ids: bool,
    /// Whether the number of rows that each row affected must be reported.
    pub affected_each: bool,
}

/// Whose rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// So many rows of a batch.
    Batch(usize),
    /// Those of a load: any number, by several lanes.
    Load,
}

/// What the server can do.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// `Profile::bulk_execute`.
    pub bulk: bool,
    /// `Profile::unit_results`.
    pub unit_results: bool,
    /// `Profile::prefers_load_data`.
    pub prefers_load_data: bool,
    /// `Profile::binds_fast`.
    pub binds_fast: bool,
    /// Whether LOAD DATA LOCAL may be sent.
    pub local_infile: LocalInfile,
    /// Whether it commits within a LOAD DATA, every 10,000 rows: MariaDB's `wsrep_load_data_splitting`, which no session can switch off
    /// (<https://mariadb.com/docs/galera-cluster/reference/galera-cluster-system-variables#wsrep_load_data_splitting>).
    pub splits_loads: bool,
    /// `Profile::loads_commit`.
    pub loads_commit: bool,
    /// `Profile::loads_unchecked`.
    pub loads_unchecked: bool,
    /// `Profile::prefers_text`.
    pub prefers_text: bool,
}

/// Whether LOAD DATA LOCAL may be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalInfile {
    /// The server's `local_infile` is on.
    On,
    /// The server's `local_infile` is off.
    Off,
    /// The server does not report it.
    Unknown,
    /// The connection was made without it, or the server has it off.
    NotEnabled,
}

/// Why a method cannot be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// As half a sentence.
    pub why: Cow<'static, str>,
    /// What to do about it.
    pub hint: Option<&'static str>,
}

/// The method by which rows are written, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The method.
    pub method: Method,
    /// Why this one, as half a sentence.
    pub reason: String,
    /// Whether another method may take its place when the server refuses it.
    pub may_fall_back: bool,
}

/// The current choice, and what the server has refused so far.
#[derive(Clone, Debug)]
pub struct Chooser {
    need: Need,
    allowed: Allowed,
    refused: Vec<(Method, String)>,
    choice: Choice,
}

impl Chooser {
    /// Chooses before the first row is sent.
    ///
    /// # Errors
    /// `Config` if the requested method cannot write these rows, or none can.
    pub fn new(need: Need, allowed: Allowed) -> Result<Self> {
        let choice = choose(&need, &allowed, &[])?;
        Ok(Self { need, allowed, refused: Vec::new(), choice })
    }

    /// The current choice.
    pub fn choice(&self) -> &Choice {
        &self.choice
    }

    /// Takes another method, for this reason.
    pub fn switch(&mut self, method: Method, reason: String) {
        self.choice = Choice { method, reason, may_fall_back: true };
    }

    /// Whether this error of `method` leads to another one.
    pub fn falls_back(&self, method: Method, error: &Error) -> bool {
        self.choice.may_fall_back && method.is_refused_by(error)
    }

    /// The server refused `method` by this error. Returns whether the choice changed: it does not if another method was chosen
    /// meanwhile.
    ///
    /// # Errors
    /// `Config` if no other method can write these rows.
    pub fn refuse(&mut self, method: Method, error: &Error) -> Result<bool> {
        if self.refused.iter().all(|(known, _)| *known != method) {
            self.refused.push((method, format!("{} (error {})", error.message(), error.code())));
        }
        if self.choice.method != method {
            return Ok(false);
        }
        // Where no other is left, the next refusal is the error.
        self.choice.may_fall_back = false;
        self.choice = choose(&self.need, &self.allowed, &self.refused)?;
        Ok(true)
    }

    /// The two methods that a load measures while it runs, to choose the faster one (`tuner::trial`). The first is the chosen one,
    /// and is kept in doubt. MariaDB stores rows by its bulk command as fast as by LOAD DATA, or a tenth faster
    /// (docs/notes/load-speed.md).
    pub fn to_try(&self) -> Option<[Method; 2]> {
        let is_open = self.choice.may_fall_back && self.choice.method == Method::LoadData;
        let has_other = is_open && self.need.obstacle(Method::Bulk, &self.allowed).is_none();
        has_other.then_some([Method::LoadData, Method::Bulk])
    }
}

fn choose(need: &Need, allowed: &Allowed, refused: &[(Method, String)]) -> Result<Choice> {
    let what = if need.rows == Rows::Load { "load" } else { "batch" };
    if let Some(method) = need.requested {
        let Some(Obstacle { why, hint }) = need.obstacle(method, allowed) else {
            return Ok(Choice { method, reason: "requested".into(), may_fall_back: false });
        };
        let hint = hint.unwrap_or(match need.rows {
            Rows::Load => "`--method auto` takes the fastest method that can",
            Rows::Batch(_) => "without a method inrush chooses one that can",
        });
        return Err(Error::config(format!("`{method}` cannot write this {what}: {why}")).with_hint(hint));
    }
    let mut whys = Vec::new();
    for (method, reason) in need.preference(allowed) {
        if refused.iter().any(|(known, _)| *known == method) {
            continue;
        }
        match need.obstacle(method, allowed) {
            None => {
                let reason = match (refused.last(), whys.into_iter().next()) {
                    (Some((before, why)), _) => format!("`{before}` was refused: {why}"),
                    // A load reports why it does not take LOAD DATA.
                    (None, Some((Method::LoadData, why))) if need.rows == Rows::Load => String::from(why),
                    (None, _) => reason.into(),
                };
                return Ok(Choice { method, reason, may_fall_back: true });
            }
            Some(obstacle) => whys.push((method, obstacle.why)),
        }
    }
    let whys: Vec<_> = whys.iter().map(|(method, why)| format!("`{method}`: {why}")).collect();
    Err(Error::config(format!("no method can write this {what}: {}", whys.join("; "))))
}

impl Need {
    /// Rows of a load: INSERTs that hold many rows.
    pub fn of_load(requested: Option<Method>) -> Self {
        Self {
            rows: Rows::Load,
            requested,
            has_placeholders: true,
            is_dml: true,
            no_multi_row: None,
            not_bindable: None,
            no_load_data: None,
            load_is_serial: false,
            has_triggers: false,
            skips_bad_rows: false,
            ids: false,
            many_rows_have_ids: false,
            affected_each: false,
        }
    }

    /// What `auto` would take, the best first, and why (docs/notes/batch-speed.md has the numbers). Bound rows cost either server less than
    /// text, and MariaDB a little less still in bulk (docs/notes/multi-row.md).
    fn preference(&self, allowed: &Allowed) -> Vec<(Method, &'static str)> {
        let n_rows = match self.rows {
            Rows::Batch(1) => return vec![(Method::Prepared, "a single row")],
            Rows::Batch(n_rows) => n_rows,
            Rows::Load => usize::MAX,
        };
        let is_load = self.rows == Rows::Load;
        let mut methods = Vec::with_capacity(5);
        if is_load || (n_rows >= LOAD_ROWS && !self.skips_bad_rows && allowed.prefers_load_data) {
            methods.push(match allowed.local_infile {
                LocalInfile::Unknown => {
                    (Method::LoadData, "the server does not report whether it allows LOAD DATA LOCAL; it accepted it")
                }
                _ => (Method::LoadData, "the server allows LOAD DATA LOCAL, its fastest way in"),
            });
        }
        methods.push((Method::Bulk, "one command carries many rows, already bound: MariaDB's fastest way in"));
        if !allowed.prefers_text && n_rows >= if allowed.binds_fast { PREPARED_ROWS_BOUND_FAST } else { PREPARED_ROWS }
        {
            methods.push((Method::MultiRowPrepared, "one statement for many rows, bound: parsed once"));
        }
        methods.push((Method::MultiRow, "one statement for all rows"));
        methods.push((Method::Pipelined, "each row is a statement, and they travel in one flight"));
        methods
    }

    /// Why `method` cannot write these rows; `None`: it can.
    fn obstacle(&self, method: Method, allowed: &Allowed) -> Option<Obstacle> {
        let of_server = || allowed.obstacle(method);
        let of_statement = match method {
            Method::LoadData => self.no_load_data.clone().or_else(of_server).or_else(|| self.serial_obstacle()),
            Method::Bulk => of_server().or_else(|| self.bulk_obstacle(allowed)),
            Method::MultiRowPrepared | Method::MultiRow => self.multi_row_obstacle(method),
            Method::Pipelined | Method::Prepared if self.rows == Rows::Load => {
                Some("each row is a statement, and a load puts many rows into one".into())
            }
            Method::Pipelined | Method::Prepared => None,
        };
        of_statement.or_else(|| self.report_obstacle(method))
    }

    fn serial_obstacle(&self) -> Option<Obstacle> {
        let waits = self.load_is_serial && self.requested.is_none();
        waits.then(|| {
            "the lanes' LOAD DATA would wait for each other, for the lock of the table's AUTO_INCREMENT (`innodb_autoinc_lock_mode` is 1)"
                .into()
        })
    }

    fn bulk_obstacle(&self, allowed: &Allowed) -> Option<Obstacle> {
        let wants_results = self.ids || self.affected_each;
        match () {
            () if !self.has_placeholders => Some(NO_PLACEHOLDER.into()),
            () if !self.is_dml => Some("it takes INSERT, REPLACE, UPDATE and DELETE".into()),
            () if self.has_triggers && self.requested.is_none() => {
                Some("the server may count what the table's triggers change among its rows".into())
            }
            () if wants_results && !allowed.unit_results => {
                Some("this server does not report the results of single rows (MariaDB does from 11.5 on)".into())
            }
            () => self.not_bindable.clone(),
        }
    }

    fn multi_row_obstacle(&self, method: Method) -> Option<Obstacle> {
        match &self.no_multi_row {
            Some(why) => Some(Obstacle { why: why.clone().into(), hint: None }),
            None if !self.has_placeholders => Some(NO_PLACEHOLDER.into()),
            None if method == Method::MultiRowPrepared => self.not_bindable.clone(),
            None => None,
        }
    }

    /// What must be reported about single rows, and `method` does not report.
    fn report_obstacle(&self, method: Method) -> Option<Obstacle> {
        let (has_ids, has_affected) = match method.reports() {
            RowReport::Nothing => (false, false),
            RowReport::Ids => (self.many_rows_have_ids, false),
            RowReport::UnitResults | RowReport::EachReply => (true, true),
        };
        match () {
            () if self.ids && !has_ids => Some("it does not report the id of each row".into()),
            () if self.affected_each && !has_affected => {
                Some("it does not report how many rows each set of values affected".into())
            }
            () => None,
        }
    }
}

impl Allowed {
    /// What an engine can do, where LOAD DATA LOCAL may be sent or not.
    pub fn new(profile: &Profile, local_infile: LocalInfile, splits_loads: bool) -> Self {
        Self {
            bulk: profile.bulk_execute,
            unit_results: profile.unit_results,
            prefers_load_data: profile.prefers_load_data,
            binds_fast: profile.binds_fast,
            local_infile,
            splits_loads,
            loads_commit: profile.loads_commit,
            loads_unchecked: profile.loads_unchecked,
            prefers_text: profile.prefers_text,
        }
    }

    /// Why this server cannot write by `method`, whatever the rows and their statement are; `None`: it can.
    pub fn obstacle(&self, method: Method) -> Option<Obstacle> {
        match method {
            Method::LoadData => self.load_obstacle(),
            Method::Bulk if !self.bulk => Some("it is a command of MariaDB, and this server does not have it".into()),
            Method::Bulk | Method::MultiRowPrepared | Method::MultiRow | Method::Pipelined | Method::Prepared => None,
        }
    }

    fn load_obstacle(&self) -> Option<Obstacle> {
        let of_load = |why: &'static str, hint| Some(Obstacle { why: why.into(), hint: Some(hint) });
        match self.local_infile {
            LocalInfile::Off => of_load(
                "the server has `local_infile` off, so LOAD DATA LOCAL is not allowed",
                "`--method auto` takes the next best way; `SET GLOBAL local_infile = 1` on the server allows this one",
            ),
            LocalInfile::NotEnabled => Some(
                "LOAD DATA LOCAL was not enabled when this connection was made (`local-infile=1`), or the server has it off"
                    .into(),
            ),
            _ if self.splits_loads => of_load(
                "the server has `wsrep_load_data_splitting` on: it commits within a LOAD DATA, so its rows would not be stored whole or not at all",
                "without a method, or by `auto`, the next best one is taken; `SET GLOBAL wsrep_load_data_splitting = OFF` on the server allows this one",
            ),
            _ if self.loads_commit => of_load(
                "this engine commits while it runs a LOAD DATA, so its rows would not be stored whole or not at all",
                "without a method, or by `auto`, the next best one is taken",
            ),
            _ if self.loads_unchecked => of_load(
                "LOAD DATA of this engine drops rows that a CHECK refuses without a warning, and stores rows that a foreign key refuses",
                "without a method, or by `auto`, the next best one is taken",
            ),
            LocalInfile::On | LocalInfile::Unknown => None,
        }
    }
}

impl From<&'static str> for Obstacle {
    fn from(why: &'static str) -> Self {
        Self { why: why.into(), hint: None }
    }
}

const NO_PLACEHOLDER: &str = "the statement has no placeholder";

/// From this many rows on, a file is faster than statements (docs/notes/batch-speed.md).
const LOAD_ROWS: usize = 1_000;

/// From this many rows on, prepared statements cost no more than text, which needs fewer statements (docs/notes/batch-speed.md).
const PREPARED_ROWS: usize = 1_000;

/// The same where text takes the server longer: `Profile::binds_fast`.
const PREPARED_ROWS_BOUND_FAST: usize = 100;
