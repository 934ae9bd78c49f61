//! What a copy reports: lines for people, one document for programs.

use super::masked::MaskedRows;
use super::plan::{CopyPlan, EarlierRuns, PlannedTable};
use crate::commands::differences::{self, Sink};
use crate::{Output, exit};
use inrush::documents::as_json;
use inrush::sans_io::load::report::Report;
use inrush::table::TableName;
use inrush::{Config, Verified};
use inrush_core::human;
use serde_json::{Value, json};
use std::time::Instant;

/// The comparison of a table with its copy.
pub(super) struct CopyComparison {
    /// By the servers: of a table with masks the columns that have none.
    pub(super) verified: Verified,
    pub(super) sink: Sink,
    /// By their values, of a table with masks.
    pub(super) masked: Option<MaskedRows>,
}

impl CopyComparison {
    pub(super) fn is_equal(&self) -> bool {
        self.verified.is_equal() && self.masked.is_none_or(|masked| masked.missing == 0 && masked.extra == 0)
    }
}

/// What became of a table.
pub(super) struct CopiedTable {
    pub(super) name: TableName,
    /// `None`: an earlier run has copied it, so many rows.
    report: Option<Box<Report>>,
    earlier_rows: u64,
    pub(super) comparison: Option<CopyComparison>,
}

impl CopiedTable {
    /// Of an earlier run.
    pub(super) fn earlier(table: &PlannedTable, comparison: Option<CopyComparison>) -> Self {
        let rows = if let EarlierRuns::Copied { rows, .. } = table.state { rows } else { 0 };
        Self { name: table.source.name.clone(), report: None, earlier_rows: rows, comparison }
    }

    /// Of this run.
    pub(super) fn by(table: &PlannedTable, report: Report) -> Self {
        Self { name: table.source.name.clone(), report: Some(Box::new(report)), earlier_rows: 0, comparison: None }
    }

    /// Whether this run has copied it.
    pub(super) fn is_new(&self) -> bool {
        self.report.is_some()
    }

    /// Rows that are stored, and those of them that earlier runs have stored.
    fn rows(&self) -> (u64, u64) {
        match &self.report {
            Some(report) => (report.stored, report.resumed.rows),
            None => (self.earlier_rows, self.earlier_rows),
        }
    }

    fn line(&self) -> String {
        let (rows, earlier) = self.rows();
        let mut text = format!("{}: {}", self.name.name, human::counted(rows, "row"));
        if self.report.is_none() {
            text += ", copied by an earlier run";
        } else if earlier > 0 {
            text += &format!(", {} of them by earlier runs", human::exact(earlier));
        }
        if self.report.as_ref().is_some_and(|report| report.stop.is_some()) {
            return text + ", not whole";
        }
        match &self.comparison {
            None => text + ", not compared",
            Some(comparison) if comparison.is_equal() => text + ", equal",
            Some(CopyComparison { verified, masked: Some(masked), .. }) if verified.is_equal() => {
                text + &format!(
                    ", not equal: of {} the copy lacks {}, masked, and has {} others",
                    human::counted(masked.rows, "row"),
                    masked.missing,
                    masked.extra
                )
            }
            Some(CopyComparison { verified, .. }) => {
                text + &format!(
                    ", not equal: of {}, the copy lacks {}, has {} more, and has other values in {}",
                    human::counted(verified.rows, "row"),
                    verified.missing,
                    verified.extra,
                    verified.different
                )
            }
        }
    }

    fn as_json(&self) -> Value {
        let (rows, earlier) = self.rows();
        json!({
            "table": self.name.name,
            "rows": rows,
            "resumed": earlier,
            "load": self.report.as_ref().map(|report| as_json(report)),
            "verify": self.comparison.as_ref().map(|comparison @ CopyComparison { verified, sink, masked }| json!({
                "equal": comparison.is_equal(),
                "rows": verified.rows,
                "missing": verified.missing,
                "extra": verified.extra,
                "different": verified.different,
                "masked": masked.map(|masked| json!({
                    "rows": masked.rows,
                    "missing": masked.missing,
                    "extra": masked.extra,
                })),
                "differences": sink.shown().iter().map(differences::as_json).collect::<Vec<_>>(),
            })),
        })
    }
}

/// Prints the result.
pub(super) fn result(
    plan: &CopyPlan,
    copied: &[CopiedTable],
    configs: &[Config; 2],
    code: u8,
    began: Instant,
    output: &Output,
) {
    if output.is_json() {
        let mut document = document_of(plan, configs, code);
        document["tables"] = copied.iter().map(CopiedTable::as_json).collect();
        document["not_begun"] = json!(not_begun(plan, copied));
        document["seconds"] = json!(began.elapsed().as_secs_f64());
        return output.result(&document.to_string());
    }
    for one in copied {
        if let Some(comparison) = &one.comparison {
            comparison.sink.lines(["at the source", "in the copy"]).iter().for_each(|line| output.result(line));
        }
        output.result(&one.line());
    }
    not_begun(plan, copied).iter().for_each(|name| output.result(&format!("{name}: not begun")));
    let rows = copied.iter().map(|one| one.rows().0).sum();
    output.result(&format!(
        "{} of {} of {} to {} in {}{}",
        human::counted(rows, "row"),
        human::counted(copied.len() as u64, "table"),
        place(&configs[0]),
        place(&configs[1]),
        human::time(began.elapsed()),
        if code == exit::OK { "" } else { ": not finished" }
    ));
}

/// Tables that a copy which stopped did not come to.
fn not_begun<'a>(plan: &'a CopyPlan, copied: &[CopiedTable]) -> Vec<&'a str> {
    let is_left = |name: &&TableName| !copied.iter().any(|one| one.name == **name);
    let left = plan.tables.iter().map(|table| &table.source.name).filter(is_left);
    left.map(|name| name.name.as_str()).collect()
}

/// Prints what would be done.
pub(super) fn dry_run(plan: &CopyPlan, configs: &[Config; 2], output: &Output) {
    if output.is_json() {
        let mut document = document_of(plan, configs, exit::OK);
        document["dry_run"] = json!(true);
        document["tables"] = plan.tables.iter().map(planned_as_json).collect();
        return output.result(&document.to_string());
    }
    for table in &plan.tables {
        let what = match table.state {
            EarlierRuns::Missing => "the target lacks it: it is made and filled".to_owned(),
            EarlierRuns::There => "it is there: it is filled".to_owned(),
            EarlierRuns::Otherwise { .. } => {
                "copied by an earlier run with other options: it is emptied and copied anew (`--truncate`)".to_owned()
            }
            EarlierRuns::Begun => "begun by an earlier run, which is gone on with".to_owned(),
            EarlierRuns::Copied { rows, .. } => {
                format!("copied by an earlier run ({}): it is compared", human::counted(rows, "row"))
            }
        };
        output.result(&format!(
            "{}: {} {}, {}; {what}",
            table.source.name.name,
            if table.condition.is_some() { "those that fulfil the condition of about" } else { "about" },
            human::counted(table.rows, "row"),
            human::bytes(table.bytes as f64)
        ));
    }
    output.result(&format!(
        "dry run: {} of {} to {}; nothing was changed",
        human::counted(plan.tables.len() as u64, "table"),
        place(&configs[0]),
        place(&configs[1])
    ));
}

fn planned_as_json(table: &PlannedTable) -> Value {
    json!({
        "table": table.source.name.name,
        "state": table.state.word(),
        "where": table.condition,
        "estimated_rows": table.rows,
        "estimated_bytes": table.bytes,
    })
}

fn document_of(plan: &CopyPlan, configs: &[Config; 2], code: u8) -> Value {
    let of = |config: &Config| json!({ "server": config.address(), "database": config.database() });
    let not_copied: serde_json::Map<_, _> =
        plan.not_copied.iter().map(|(kind, names)| ((*kind).to_owned(), json!(names))).collect();
    json!({
        "inrush": "copy",
        "version": 1,
        "exit_code": code,
        "from": of(&configs[0]),
        "to": of(&configs[1]),
        "not_copied": not_copied,
    })
}

/// What is left out, in one line.
pub(super) fn not_copied(plan: &CopyPlan) -> String {
    let kind = |(kind, names): &(&'static str, Vec<String>)| {
        let shown: Vec<_> = names.iter().take(5).map(|name| format!("`{name}`")).collect();
        let more = if names.len() > 5 { format!(" and {} more", names.len() - 5) } else { String::new() };
        let counted = match *kind {
            "history" => "the history of system-versioned tables".to_owned(),
            "refresh" => "tables that refreshes and comparisons keep or fill".to_owned(),
            kind => human::counted(names.len() as u64, kind),
        };
        format!("{counted} ({}{more})", shown.join(", "))
    };
    plan.not_copied.iter().map(kind).collect::<Vec<_>>().join(", ")
}

fn place(config: &Config) -> String {
    format!("`{}` at `{}`", config.database().unwrap_or_default(), config.address())
}
