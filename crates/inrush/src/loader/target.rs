//! One target of a load: a table on a server, how rows are written there, and what was learned of it during the load. Options, counters
//! and events for all targets are in the [`Load`].

use super::control::lock;
use super::event::LoadEvent;
use super::load::Load;
use super::run_lock::RunLock;
use super::sort_plan::SortPlan;
use super::tuning::Tuning;
use crate::Config;
use inrush_core::column::ident::quote_table;
use inrush_core::load::lane::LaneSession;
use inrush_core::load::ledger::Ledger;
use inrush_core::load::steps::Shadow;
use inrush_core::write::Table;
use inrush_core::write::answer::AcceptedWarnings;
use inrush_core::write::method::{Choice, Method};
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex};

/// What all lanes into one table share.
pub(super) struct Target {
    /// The load whose target it is.
    pub(super) load: Arc<Load>,
    pub(super) config: Config,
    pub(super) table: Table,
    /// Whether the server takes names that differ by case for the same.
    pub(super) ignores_case: bool,
    /// The columns (name, type) of the table that is not there yet.
    pub(super) to_create: Option<Vec<(String, String)>>,
    /// This run has created it.
    pub(super) is_created: AtomicBool,
    pub(super) session: LaneSession,
    /// The server's version text.
    pub(super) server: String,
    /// The server's `max_allowed_packet`, in bytes.
    pub(super) max_packet: usize,
    pub(super) choice: Mutex<Choice>,
    /// The best method after LOAD DATA.
    pub(super) insert: Method,
    pub(super) accepted_warnings: Mutex<AcceptedWarnings>,
    /// Chunks of more bytes than this are too large for some limit of the server.
    pub(super) largest_chunk: AtomicUsize,
    /// The share of bad rows that the last replay came to.
    pub(super) bad_share: Mutex<f64>,
    pub(super) sort: SortPlan,
    pub(super) tuning: Arc<Tuning>,
    pub(super) run_lock: RunLock,
}

impl Target {
    /// Where the ledger is stored.
    pub(super) fn ledger(&self) -> Ledger {
        let shared_lock = self.session.profile.shared_lock;
        Ledger { schema: self.table.schema.clone(), shared_lock, has_owners: false, has_runs: false }
    }

    /// The target as people and the ledger name it.
    pub(super) fn name(&self) -> String {
        format!("{}.{}", self.table.schema, self.table.name)
    }

    /// The table that an atomic load fills in place of the target.
    pub(super) fn shadow(&self) -> Option<Shadow> {
        self.load.options.atomic.then(|| Shadow::of(&self.table.schema, &self.table.name))
    }

    /// The table that is filled, quoted, with its schema.
    pub(super) fn filled(&self) -> String {
        self.shadow().map_or_else(|| self.quoted(), |shadow| quote_table(&shadow.schema, &shadow.shadow))
    }

    /// The target, quoted, with its schema.
    pub(super) fn quoted(&self) -> String {
        quote_table(&self.table.schema, &self.table.name)
    }

    pub(super) fn notify_choice(&self) {
        let choice = lock(&self.choice).clone();
        self.load.notify(&LoadEvent::Method(choice));
    }
}
