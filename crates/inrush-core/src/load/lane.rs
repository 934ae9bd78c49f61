//! A lane's session: what one connection of a load sets before its first row, and the check that the server really took it.
//!
//! Autocommit is off: a transaction begins with the first statement, and nothing is ever committed but by COMMIT, not even by a
//! statement that follows a deadlock which ended the transaction.
//!
//! A lane inherits nothing: whatever a server, a user or an init_connect configured, the same bytes mean the same rows.

use crate::error::{Error, Kind, Result};
use crate::profile::Profile;

/// What a lane's session is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaneSession {
    /// The zone of times without an offset, as the server spells it: `+00:00`, `Europe/Berlin`.
    pub time_zone: String,
    /// Whether the server logs statements, not rows: READ COMMITTED is an error there (1665).
    pub statement_binlog: bool,
    /// What the server can do.
    pub profile: Profile,
    /// Which checks are switched off.
    pub unchecked: Unchecked,
}

/// Checks of the server that a load may do without, at its user's own risk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unchecked {
    /// `unique_checks = 0`: InnoDB may not notice that a key exists twice.
    pub unique: bool,
    /// `foreign_key_checks = 0`: rows whose parent is missing are stored.
    pub foreign_keys: bool,
    /// `sql_mode` without NO_ZERO_DATE: `0000-00-00` is stored, in columns without a value as well whose default it is.
    pub zero_dates: bool,
}

/// The modes of a lane. Strict for every engine; `0` in an AUTO_INCREMENT column stays 0; no date that is none.
/// Not NO_BACKSLASH_ESCAPES, not ANSI_QUOTES, not PAD_CHAR_TO_FULL_LENGTH: literals mean what we escape.
pub const SQL_MODE: &str = "STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO";

/// The statement that every session of a load runs first, so that its own queries are answered in full and mean the same whatever
/// the server's defaults are (docs/notes/session-state.md). Every supported server has these variables, and every user may set
/// them. 2⁶³ - 1: OceanBase refuses larger limits.
pub const ANSWERS: &str = "SET SESSION sql_select_limit=9223372036854775807, sql_big_selects=1, sql_safe_updates=0";

/// The same for variables that some servers lack, or that only some users may set: if one is refused, it stays as it is.
pub fn more_answers(profile: &Profile) -> Vec<&'static str> {
    const ALL: &[&str] = &[
        "sql_quote_show_create=1",
        "sql_auto_is_null=0",
        "div_precision_increment=4",
        "group_concat_max_len=1048576",
        "lc_time_names='en_US'",
        "default_week_format=0",
        "lock_wait_timeout=31536000",
        "default_storage_engine=InnoDB",
    ];
    [ALL, profile.optional_settings].concat()
}

/// As many warnings as SHOW WARNINGS can list.
pub const MAX_ERROR_COUNT: u64 = 65_535;

/// Longer than any chunk takes to encode or to commit; the defaults (30 s and 60 s) end a LOAD that waits for a slow disk.
const NET_TIMEOUT_SECONDS: u32 = 3_600;

impl Unchecked {
    /// The modes of a lane.
    fn sql_mode(self) -> String {
        if self.zero_dates { SQL_MODE.replace(",NO_ZERO_DATE", "") } else { SQL_MODE.to_owned() }
    }

    /// Refuses what would lose rows: see [`Profile::needs_a_key_check`].
    ///
    /// # Errors
    /// `Guarantee`.
    pub fn check(self, profile: &Profile) -> Result<()> {
        if !(profile.needs_a_key_check && self.unique && self.foreign_keys) {
            return Ok(());
        }
        let name = profile.name;
        Err(Error::new(
            Kind::Guarantee,
            format!("without unique and foreign key checks {name} loses rows that it has acknowledged, once one of them is refused"),
        )
        .with_hint(format!("`--unchecked` takes either of them on {name}, but not both")))
    }
}

impl LaneSession {
    /// The statements that set the session, in order; each gives an OK.
    pub fn setup(&self) -> Vec<String> {
        let more: String = self.profile.required_settings.iter().map(|setting| format!(", {setting}")).collect();
        let isolation = if self.statement_binlog { "REPEATABLE READ" } else { "READ COMMITTED" };
        vec![
            "SET NAMES utf8mb4".into(),
            format!("SET SESSION TRANSACTION READ WRITE, ISOLATION LEVEL {isolation}"),
            format!(
                "SET SESSION sql_mode='{}', time_zone='{}', sql_notes=1, \
                 sql_warnings=0, autocommit=0, foreign_key_checks={}, unique_checks={}, innodb_lock_wait_timeout=50, \
                 net_read_timeout={NET_TIMEOUT_SECONDS}, net_write_timeout={NET_TIMEOUT_SECONDS}, completion_type='NO_CHAIN', wait_timeout=28800{more}",
                self.unchecked.sql_mode(),
                self.time_zone.replace('\\', "\\\\").replace('\'', "''"),
                u8::from(!self.unchecked.foreign_keys),
                u8::from(!self.unchecked.unique),
            ),
        ]
    }

    /// A variable that only some users may set on some servers. Without it SHOW WARNINGS lists fewer, and warnings not listed
    /// count as doubt.
    pub fn more_warnings(&self) -> String {
        format!("SET SESSION max_error_count={MAX_ERROR_COUNT}")
    }

    /// The query that returns the row for [`LaneSession::check`].
    pub fn check_query(&self) -> &'static str {
        "SELECT @@SESSION.sql_mode, @@SESSION.time_zone, @@SESSION.sql_notes, \
         @@SESSION.autocommit, @@SESSION.foreign_key_checks, @@SESSION.unique_checks, @@SESSION.character_set_client"
    }

    /// Compares the session variables that the server reports with the values that were set; a proxy or a plugin may have blocked
    /// them.
    pub fn check(&self, row: &[String]) -> Result<()> {
        let on = |unchecked: bool| if unchecked { "0" } else { "1" };
        let (foreign_keys, unique) = (on(self.unchecked.foreign_keys), on(self.unchecked.unique));
        let sql_mode = self.unchecked.sql_mode();
        let want = [&sql_mode, &self.time_zone, "1", "0", foreign_keys, unique, "utf8mb4"];
        let names = [
            "sql_mode",
            "time_zone",
            "sql_notes",
            "autocommit",
            "foreign_key_checks",
            "unique_checks",
            "character_set_client",
        ];
        if row.len() != want.len() {
            return Err(Error::protocol("the server does not report its session settings"));
        }
        for ((name, want), got) in names.iter().zip(want).zip(row) {
            let same = if *name == "sql_mode" { same_modes(want, got) } else { want.eq_ignore_ascii_case(got) };
            if !same {
                return Err(Error::config(format!("the server did not take `{name}` = `{want}`: it is `{got}`"))
                    .with_hint("a proxy may keep session settings from the server: connect to the server itself"));
            }
        }
        Ok(())
    }
}

fn same_modes(want: &str, got: &str) -> bool {
    let sorted = |modes: &str| {
        let mut list: Vec<String> = modes.split(',').map(|mode| mode.trim().to_ascii_uppercase()).collect();
        list.sort();
        list.dedup();
        list
    };
    sorted(want) == sorted(got)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::ServerVersion;

    const LANE: fn() -> LaneSession = || LaneSession {
        time_zone: "+00:00".into(),
        statement_binlog: false,
        profile: profile("9.7.4"),
        unchecked: Unchecked::default(),
    };

    fn profile(version: &str) -> Profile {
        Profile::of(&ServerVersion::parse(version))
    }

    fn answer() -> Vec<String> {
        [SQL_MODE, "+00:00", "1", "0", "1", "1", "utf8mb4"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_session_as_set_passes() {
        LANE().check(&answer()).unwrap();
    }

    #[test]
    fn the_order_of_modes_does_not_matter() {
        let mut row = answer();
        row[0] = row[0].split(',').rev().collect::<Vec<_>>().join(",");
        LANE().check(&row).unwrap();
    }

    #[test]
    fn every_difference_is_named() {
        for (i, name) in ["sql_mode", "time_zone", "sql_notes"].iter().enumerate() {
            let mut row = answer();
            row[i] = "other".into();
            assert!(LANE().check(&row).unwrap_err().to_string().contains(name));
        }
        assert!(LANE().check(&[]).is_err());
    }

    #[test]
    fn statement_logging_gets_the_isolation_it_can_log() {
        let lane = LaneSession { statement_binlog: true, ..LANE() };
        assert!(lane.setup()[1].ends_with("REPEATABLE READ"));
    }

    #[test]
    fn checks_are_on_where_a_session_can_switch_them_off() {
        assert!(
            LaneSession { profile: profile("11.8.6-MariaDB"), ..LANE() }.setup()[2]
                .ends_with(", check_constraint_checks=1")
        );
        assert!(!LANE().setup()[2].contains("check_constraint_checks"));
    }

    #[test]
    fn what_is_not_to_be_checked_is_switched_off_and_nothing_else() {
        let lane = LaneSession { unchecked: Unchecked { unique: true, ..Unchecked::default() }, ..LANE() };
        assert!(lane.setup()[2].contains("foreign_key_checks=1, unique_checks=0,"), "{:?}", lane.setup()[2]);
        let mut row = answer();
        assert!(lane.check(&row).unwrap_err().message().contains("unique_checks"));
        row[5] = "0".into();
        lane.check(&row).unwrap();
        assert!(LANE().check(&row).is_err());
    }

    #[test]
    fn what_loses_rows_is_refused() {
        let both = Unchecked { unique: true, foreign_keys: true, zero_dates: true };
        let mariadb = profile("11.8.6-MariaDB");
        assert!(both.check(&mariadb).is_err() && both.check(&profile("9.7.4")).is_ok());
        Unchecked { unique: false, ..both }.check(&mariadb).unwrap();
        Unchecked { foreign_keys: false, ..both }.check(&mariadb).unwrap();
    }

    #[test]
    fn a_zone_cannot_end_its_literal() {
        let lane = LaneSession { time_zone: "x', sql_mode='".into(), ..LANE() };
        assert!(lane.setup()[2].contains("time_zone='x'', sql_mode=''',"), "{:?}", lane.setup()[2]);
    }
}
