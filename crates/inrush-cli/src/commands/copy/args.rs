//! The command line of `inrush copy`.

use crate::commands::load::{LoaderArgs, parse_rate};
use crate::commands::masks::MaskArgs;
use crate::connection::{PasswordOfUrl, server_by_url};
use clap::Args;
use inrush::{Config, LoadOptions, Sort};
use inrush_core::load::lane::Unchecked;
use inrush_core::{Error, Result};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Copy tables from one server to another, MySQL and MariaDB alike: missing tables are made, every row is stored exactly once, and the same command continues after a kill.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CopyArgs {
    /// The database to copy: mysql://user@host:3306/database. Its password: INRUSH_PASSWORD or `--password-file`
    #[arg(value_name = "FROM")]
    from: String,

    /// The database to copy into, in the same form. Its password: INRUSH_OTHER_PASSWORD or `--other-password-file`
    #[arg(value_name = "TO")]
    to: String,

    /// Only these tables [default: all tables of the database]
    #[arg(long, value_name = "a,b", value_delimiter = ',')]
    pub(super) tables: Vec<String>,

    /// Only rows that fulfil this condition of SQL: `CONDITION` for all tables, `TABLE: CONDITION` for one; it may be given several times
    #[arg(long = "where", value_name = "[TABLE:] SQL")]
    pub(super) conditions: Vec<String>,

    /// Report what would be copied and what would not, and change nothing
    #[arg(long)]
    pub(super) dry_run: bool,

    /// Go on although the source has changed since an earlier run: tables that are whole are left as they are, and one that is not begins again
    #[arg(long)]
    pub(super) fuzzy: bool,

    /// Empty tables of the target that are not empty, and copy those again that have changed since an earlier run
    #[arg(long)]
    pub(super) truncate: bool,

    /// Do not compare the tables at the end
    #[arg(long)]
    pub(super) no_verify: bool,

    /// Make secondary indexes of each table after its rows, which is faster for large tables
    #[arg(long)]
    defer_indexes: bool,

    /// Connections that write side by side, `auto` or a number [default: auto, which measures how many pay off]
    #[arg(long, value_name = "auto|N")]
    lanes: Option<String>,

    /// Rows or bytes of a chunk, which is one transaction: `64000`, `4MiB` [default: auto, which adapts it]
    #[arg(long, value_name = "auto|ROWS|BYTES")]
    batch: Option<String>,

    /// The memory limit for rows in progress: `256MiB`, `1GiB` [default: 256MiB]
    #[arg(long, value_name = "BYTES")]
    memory: Option<String>,

    /// The most rows a second that are written: `5000`, `50k` [default: as fast as it goes]
    #[arg(long, value_name = "ROWS/s")]
    rate: Option<String>,

    /// The most rows a second that are read of the source, also of those that earlier runs have stored, and where ranges of the key are compared [default: as fast as it goes]
    #[arg(long, value_name = "ROWS/s")]
    read_rate: Option<String>,

    /// Wait while the target has too much to do: signals with their limits, as those of `inrush load`
    #[arg(long, value_name = "SIGNAL=MOST,..")]
    throttle: Option<String>,

    /// What happens if a signal of `--throttle` cannot be read: `stop` or `ignore` [default: stop]
    #[arg(long, value_name = "WHAT")]
    unreadable_signals: Option<String>,

    /// Wait while a replica of the target is further behind than this: `5s`
    #[arg(long, value_name = "TIME")]
    max_lag: Option<String>,

    /// A replica of the target for `--max-lag`, with the login of the target as far as the URL has none; without it those that the target lists
    #[arg(long, value_name = "URL")]
    replica: Vec<String>,

    /// What happens if `--max-lag` cannot read a replica: `stop` or `ignore` [default: stop]
    #[arg(long, value_name = "WHAT")]
    unreadable_replicas: Option<String>,

    /// How long a chunk is retried after a deadlock, a lost connection to the target or the like: `30s`; `0` is never [default: 10m]
    #[arg(long, value_name = "TIME")]
    retry_for: Option<String>,

    /// Go on with a copy that another user has begun
    #[arg(long)]
    pub(super) force: bool,

    #[command(flatten)]
    pub(super) masks: MaskArgs,

    /// File whose first line is the password for FROM
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,

    /// File whose first line is the password for TO
    #[arg(long, value_name = "FILE")]
    other_password_file: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  inrush copy mysql://reader@db1/shop mysql://app@db2/shop
  inrush copy mysql://reader@db1/shop mysql://app@db2/shop --tables orders,customers --defer-indexes
  inrush copy mysql://reader@db1/shop mysql://app@db2/shop --where \"orders: created >= '2026-01-01'\"
  inrush copy mysql://reader@db1/shop mysql://app@db2/shop --dry-run

Exit codes: 0 copied and equal, 1 wrong usage, 2 a value that the target does not hold, or the tables differ, 3 a server or the network failed, 5 the source has changed since an earlier run";

impl CopyArgs {
    /// The source and the target, each with its database.
    pub(super) fn servers(&self) -> Result<[Config; 2]> {
        let from = PasswordOfUrl { file: self.password_file.as_deref(), ..PasswordOfUrl::FIRST };
        let to = PasswordOfUrl { file: self.other_password_file.as_deref(), ..PasswordOfUrl::OTHER };
        let servers = [server_by_url(&self.from, "FROM", &from)?, server_by_url(&self.to, "TO", &to)?];
        for (place, config) in ["FROM", "TO"].iter().zip(&servers) {
            if config.database().is_none() {
                return Err(Error::config(format!("{place} names no database"))
                    .with_hint("it is the path of the URL: `mysql://user@host/DATABASE`"));
            }
        }
        let [from, to] = servers;
        if from.address() == to.address() && from.database() == to.database() {
            return Err(Error::config("FROM and TO are the same database of the same server"));
        }
        // TIMESTAMPs are instants: both sides have them in UTC.
        Ok([from.with_time_zone(TIME_ZONE)?, to])
    }

    /// The most rows a second that are read of the source.
    pub(super) fn read_rate(&self) -> Result<Option<NonZeroU64>> {
        self.read_rate.as_deref().map(|rate| parse_rate("--read-rate", rate)).transpose()
    }

    /// How rows are loaded.
    pub(super) fn load_options(&self) -> Result<LoadOptions> {
        let given = [
            ("lanes", &self.lanes),
            ("batch", &self.batch),
            ("memory", &self.memory),
            ("rate", &self.rate),
            ("throttle", &self.throttle),
            ("unreadable-signals", &self.unreadable_signals),
            ("max-lag", &self.max_lag),
            ("unreadable-replicas", &self.unreadable_replicas),
            ("retry-for", &self.retry_for),
        ];
        let given = given.into_iter().filter_map(|(name, text)| Some((name, text.as_ref()?)));
        let given = given.chain(self.replica.iter().map(|url| ("replica", url)));
        let loading = given.fold(LoaderArgs::default(), |loading, (name, text)| loading.with(name, text));
        Ok(loading
            .options()?
            // All rows are of one state, and zero dates are values of the source.
            .with_unchecked(Unchecked { foreign_keys: true, zero_dates: true, ..Unchecked::default() })
            .with_time_zone(TIME_ZONE)
            // They come in the order of the key.
            .with_sort(Sort::None)
            .with_truncate(self.truncate)
            .with_defer_indexes(self.defer_indexes)
            .with_force(self.force))
    }
}

pub(super) const TIME_ZONE: &str = "+00:00";
