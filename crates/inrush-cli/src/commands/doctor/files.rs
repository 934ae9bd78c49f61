//! The files of `inrush doctor`, read and loaded by the code of `inrush load`.

use super::DoctorArgs;
use crate::Output;
use crate::commands::load::{self, LoadArgs, LoaderArgs, Watch};
use crate::connection::hint_at_login;
use inrush::table::TableName;
use inrush::{Config, Report, Stop};
use inrush_bench::doctor::{Files, Source};
use inrush_bench::tune::{Candidate, Options};
use inrush_core::{Error, Kind, Result};

/// The files, and the table that they are for.
pub(super) struct LoadedFiles<'a> {
    args: &'a DoctorArgs,
    config: &'a Config,
    files: Vec<String>,
    table: &'a TableName,
    signals: &'a Watch,
}

impl<'a> LoadedFiles<'a> {
    /// # Errors
    /// `Config` for standard input, or for a pattern that no file has.
    pub(super) fn new(
        args: &'a DoctorArgs,
        config: &'a Config,
        table: &'a TableName,
        signals: &'a Watch,
    ) -> Result<Self> {
        if args.files.iter().any(|file| file == "-") {
            return Err(Error::config("files are read more than once, and standard input (`-`) can be read only once"));
        }
        let files = inrush_files::expand(&args.files)?;
        // The probe has something to remove.
        signals.hold("stopping after this step; once more leaves at once");
        Ok(Self { args, config, files, table, signals })
    }

    /// A load of the first rows into this table; rows that would be refused are left out.
    fn load(&self, rows: u64, into: &TableName, options: &LoaderArgs) -> Result<Report> {
        let mut reading = self.args.reading.clone();
        reading.limit = Some(reading.limit.map_or(rows, |limit| limit.min(rows)));
        let reading = (self.args.columns.clone(), reading);
        let args = LoadArgs::for_trial(self.files.clone(), into.quoted(), reading, options, &Candidate::DEFAULT);
        let silent = Output::new(true, true, false, false).without_notices();
        let report = load::load(&args, self.config, self.signals, &silent).map_err(hint_at_login)?;
        match report.stop {
            Some(Stop::Interrupted) => Err(Error::new(Kind::Interrupted, "interrupted")),
            Some(Stop::BadData(error) | Stop::Failed(error) | Stop::Unreadable(error)) => Err(error),
            None if self.signals.is_over() => Err(Error::new(Kind::Interrupted, "interrupted")),
            None => Ok(report),
        }
    }
}

impl Files for LoadedFiles<'_> {
    fn read(&mut self, rows: u64) -> Result<Source> {
        let report = LoadedFiles::load(self, rows, self.table, &LoaderArgs::default().with("dry-run", "true"))?;
        let first = report.first_rejects.first();
        Ok(Source {
            rows: report.read,
            bytes: report.bytes,
            elapsed: report.elapsed,
            refused: report.rejected,
            first_refused: first.map(|reject| format!("{}, {}", reject.place, reject.reason)),
            descending: None,
        })
    }

    fn load(&mut self, rows: u64, into: &TableName) -> Result<()> {
        let in_order = LoaderArgs::default().with("lanes", "1").with("sort", "none").with("guarantee", "at-least-once");
        LoadedFiles::load(self, rows, into, &in_order).map(drop)
    }
}
