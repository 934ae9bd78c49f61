//! One target of a load: a table on a server, how rows are written there, and what was learned of it during the load. Options, counters
//! and events for all targets are in the [`Load`].

use super::run_lock::RunLock;
use super::sort_plan::SortPlan;
use super::tuning::Tuning;
use crate::Config;
use crate::blocking::Connection;
use crate::loader::control::lock;
use crate::loader::load::Load;
use crate::loader::report::event::LoadEvent;
use inrush_core::column::Column;
use inrush_core::column::ident::quote_table;
use inrush_core::load::lane::LaneSession;
use inrush_core::load::ledger::Ledger;
use inrush_core::load::steps::Shadow;
use inrush_core::load::widen::Widened;
use inrush_core::profile::Cluster;
use inrush_core::write::answer::AcceptedWarnings;
use inrush_core::write::{Choice, Chooser, Table};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// What all lanes into one table share.
pub(crate) struct Target {
    /// The load whose target it is.
    pub(crate) load: Arc<Load>,
    pub(crate) config: Config,
    pub(crate) table: Table,
    /// Whether the server takes names that differ by case for the same.
    pub(crate) ignores_case: bool,
    /// The columns (name, type) of the table that is not there yet.
    pub(crate) to_create: Option<Vec<(String, String)>>,
    /// The columns (name, type) that the table lacks, and gets before the first row; they are among those of `table`.
    pub(crate) to_add: Vec<(String, String)>,
    /// The columns that the table has narrower until the first row is sent.
    pub(crate) widened: Vec<Widened>,
    /// This run has created it.
    pub(crate) is_created: AtomicBool,
    pub(crate) session: LaneSession,
    /// The server's version text.
    pub(crate) server: String,
    /// The server's `max_allowed_packet`, in bytes.
    pub(crate) max_packet: usize,
    /// The cluster that the server is part of.
    pub(crate) cluster: Cluster,
    /// Which method writes, and what the server has refused.
    pub(crate) chooser: Mutex<Chooser>,
    pub(crate) accepted_warnings: Mutex<AcceptedWarnings>,
    /// The most bytes of rows that one transaction should have.
    pub(crate) transaction_bytes: usize,
    /// Chunks of more bytes than this, as they are sent, have met a limit of the server.
    pub(crate) largest_chunk: AtomicUsize,
    /// The share of bad rows that the last replay came to.
    pub(crate) bad_share: Mutex<f64>,
    pub(crate) sort: SortPlan,
    pub(crate) tuning: Arc<Tuning>,
    pub(crate) run_lock: RunLock,
    /// Of a part of a named job: keeps others that load it waiting.
    pub(crate) _part_lock: Option<Connection>,
}

impl Target {
    /// Where the ledger is stored.
    pub(crate) fn ledger(&self) -> Ledger {
        Ledger {
            schema: self.table.schema.clone(),
            shared_lock: self.session.profile.shared_lock,
            is_marked: self.cluster != Cluster::None || self.session.profile.marks_jobs,
            has_owners: false,
            has_runs: false,
        }
    }

    /// The target as people and the ledger name it.
    pub(crate) fn name(&self) -> String {
        format!("{}.{}", self.table.schema, self.table.name)
    }

    /// The table that an atomic load fills in place of the target.
    pub(crate) fn shadow(&self) -> Option<Shadow> {
        self.load.options.atomic.then(|| Shadow::of(&self.table.schema, &self.table.name))
    }

    /// Whether the column is one that the table gets before the first row.
    pub(crate) fn adds(&self, column: &Column) -> bool {
        self.to_add.iter().any(|(name, _)| *name == column.name)
    }

    /// The columns that the table has before the load adds any.
    pub(crate) fn old_columns(&self) -> Vec<Column> {
        self.table.columns.iter().filter(|column| !self.adds(column)).cloned().collect()
    }

    /// The table that is filled, quoted, with its schema.
    pub(crate) fn filled(&self) -> String {
        self.shadow().map_or_else(|| self.quoted(), |shadow| quote_table(&shadow.schema, &shadow.shadow))
    }

    /// The target, quoted, with its schema.
    pub(crate) fn quoted(&self) -> String {
        quote_table(&self.table.schema, &self.table.name)
    }

    /// Whether a chunk of so many bytes, and so many as they are sent, is too large for one transaction. A source's batches are only about as
    /// large as requested, so a quarter more than the engine or the cluster should get is let pass.
    pub(crate) fn is_too_large(&self, bytes: u64, bytes_sent: usize) -> bool {
        let most = self.transaction_bytes.saturating_add(self.transaction_bytes / 4);
        bytes > most as u64 || bytes_sent > self.largest_chunk.load(Relaxed)
    }

    /// The current method, and why.
    pub(crate) fn choice(&self) -> Choice {
        lock(&self.chooser).choice().clone()
    }

    pub(crate) fn notify_choice(&self) {
        self.load.notify(&LoadEvent::Method(self.choice()));
    }
}
