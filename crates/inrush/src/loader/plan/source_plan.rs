//! A source's plan for one target, with everything that is made from it once.

use super::target::Target;
use crate::loader::back_off::PassThroughBackOff;
use inrush_core::column::Column;
use inrush_core::column::Rules;
use inrush_core::column::check::Check;
use inrush_core::load::encode::Layout;
use inrush_core::load::encode::load_data::{self, LoadText};
use inrush_core::load::ledger::{Fence, Mapping};
use inrush_core::load::modes::Writing;
use inrush_core::load::steps::keyless::Notes;
use inrush_core::load::{LoadPlan, MissingColumns};
use inrush_core::session::Effect;
use inrush_core::write::expression::Part;
use inrush_core::write::{Insert, Writers};
use std::sync::{Arc, Mutex};

/// A source's plan with everything made from it once.
pub(crate) struct SourcePlan {
    /// Which of the load's sources.
    pub(crate) index: usize,
    pub(crate) plan: LoadPlan,
    pub(crate) rules: Rules,
    pub(crate) checks: Vec<Check>,
    pub(crate) back_off: Mutex<PassThroughBackOff>,
    /// The INSERT of one row.
    pub(crate) insert: Insert,
    /// The lasting effect that a statement of it may have.
    pub(crate) effect: Effect,
    /// What makes the INSERTs.
    pub(crate) writers: Writers,
    /// Guards each chunk's COMMIT; none where no ledger is kept.
    pub(crate) fence: Option<Fence>,
    /// Of rows that were sorted together: under whose job the rejects of each source are kept.
    pub(crate) fences_of_rejects: Vec<(Arc<str>, Fence)>,
    pub(crate) layout: Layout,
    /// How the mode writes them.
    pub(crate) writing: Writing,
    /// What is noted of each row until the server has sorted them.
    pub(crate) notes: Option<Notes>,
    /// The columns that an earlier run of an unfinished job has added, as its line says.
    pub(crate) added_before: Option<String>,
    /// The same of columns that it has widened.
    pub(crate) widened_before: Option<String>,
}

/// A column's name as a job's mapping has it: without what is between two names.
fn spelt(column: &Column) -> String {
    column.name.replace(' ', "_")
}

/// The part of a job's mapping with the columns that keep the spelling of their cells.
const SPELLING: &str = "spelling";

impl SourcePlan {
    /// Where its fields go: a job is continued only if that is the same.
    pub(crate) fn mapping(&self, target: &Target) -> Mapping {
        let pairs = self.plan.columns[self.plan.n_noted..].iter().zip(&self.plan.uses);
        let columns: Vec<_> =
            pairs.map(|(column, field)| format!("{} from field {}", column.name, field.index + 1)).collect();
        let options = &target.load.options;
        let part = |part: &Part<String>| match part {
            Part::Sql(sql) => sql.clone(),
            Part::Field(field) => format!("@{field}"),
        };
        let set: Vec<_> = options
            .set
            .iter()
            .map(|set| format!("{} = {}", set.column, set.parts.iter().map(part).collect::<String>()))
            .collect();
        let mapping = Mapping::default()
            .with("columns", columns.join(", "))
            .with("set", set.join("; "))
            .with("mode", options.mode)
            .with("key", options.key.join(", "))
            .with("atomic", if options.redefines() { "by a new table".to_owned() } else { options.atomic.to_string() })
            .with("time zone", &target.session.time_zone);
        let mapping = match target.sort.order() {
            Some((name, order)) => mapping.with(name, order),
            None => mapping,
        };
        let mapping = match options.missing_columns {
            MissingColumns::Null => mapping.with("missing columns", "null"),
            MissingColumns::Default | MissingColumns::Error => mapping,
        };
        let mapping = match (self.added(target), &self.added_before) {
            (Some(added), _) => mapping.with(Mapping::ADDED, added),
            (None, Some(added)) => mapping.with_stored(Mapping::ADDED, added),
            (None, None) => mapping,
        };
        let mapping = match (self.widened(target), &self.widened_before) {
            (Some(widened), before) => mapping.and(widened_also(before.as_deref(), &widened)),
            (None, Some(widened)) => mapping.with_stored(Mapping::WIDENED, widened),
            (None, None) => mapping,
        };
        let kept: Vec<_> = self.plan.columns.iter().filter(|column| column.keeps_spelling).map(spelt).collect();
        if kept.is_empty() { mapping } else { mapping.with(SPELLING, kept.join(", ")) }
    }

    /// The columns (name, type) that the table gets for its fields.
    pub(crate) fn adds<'a>(&'a self, target: &'a Target) -> impl Iterator<Item = &'a (String, String)> {
        let is_of_it = |name: &str| self.plan.columns.iter().any(|column| column.name == name);
        target.to_add.iter().filter(move |(name, _)| is_of_it(name))
    }

    /// The same as text.
    fn added(&self, target: &Target) -> Option<String> {
        let added: Vec<_> = self.adds(target).map(|(name, definition)| format!("{name} {definition}")).collect();
        (!added.is_empty()).then(|| added.join(", "))
    }

    /// The columns that the table widens for its fields, as text.
    fn widened(&self, target: &Target) -> Option<String> {
        let is_of_it = |name: &str| self.plan.columns.iter().any(|column| column.name == name);
        let widened = target.widened.iter().filter(|one| is_of_it(&one.column)).map(ToString::to_string);
        let widened: Vec<_> = widened.collect();
        (!widened.is_empty()).then(|| widened.join(", "))
    }

    /// Keeps what earlier runs of an unfinished job have altered, and the spelling of the cells that an unfinished job keeps, whose table or columns a run of it has made.
    pub(crate) fn follow(&mut self, mapping: &Mapping) {
        self.added_before = mapping.get(Mapping::ADDED).map(str::to_owned);
        self.widened_before = mapping.get(Mapping::WIDENED).map(str::to_owned);
        let Some(kept) = mapping.get(SPELLING) else { return };
        for (column, check) in self.plan.columns.iter_mut().zip(&mut self.checks) {
            let name = spelt(column).escape_debug().to_string();
            if kept.split(", ").any(|kept| kept == name) && !column.keeps_spelling {
                column.keeps_spelling = true;
                *check = Check::new(column, &self.rules);
            }
        }
    }

    /// The LOAD statement for a text; `file_name` is what the server will ask for.
    pub(crate) fn load_statement(&self, text: LoadText<'_>, file_name: &str) -> String {
        let Self { plan, layout, rules, writing, .. } = self;
        load_data::statement_into(&writing.load_into(), &plan.columns, layout, rules, text, file_name)
    }
}

/// What a job has widened before, as the ledger has it, and what it widens now.
fn widened_also(before: Option<&str>, now: &str) -> Mapping {
    let all = Mapping::default().with(Mapping::WIDENED, now);
    let now = all.get(Mapping::WIDENED).unwrap_or_default();
    match before {
        // An earlier run was killed before its ALTER.
        Some(before) if before.contains(now) => Mapping::default().with_stored(Mapping::WIDENED, before),
        Some(before) => Mapping::default().with_stored(Mapping::WIDENED, &format!("{before}, {now}")),
        None => all,
    }
}
