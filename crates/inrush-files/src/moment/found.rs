//! The one format by which all texts of a column can be read as dates, if there is only one: `31/01/2024` among them says that the day
//! comes first. Years have four digits; which century others are of is not in the file.

use super::{DATES, TIMES, rewrite};
use inrush_core::column::check::is_date_or_time;
use std::sync::LazyLock;

/// The formats that are left over for the cells so far.
#[derive(Debug, Default)]
pub(crate) struct FoundFormat(Option<Vec<&'static str>>);

impl FoundFormat {
    /// Examines one more cell.
    pub(crate) fn note(&mut self, cell: &[u8]) {
        static ALL: LazyLock<Vec<String>> = LazyLock::new(|| {
            let dates = DATES.iter().filter(|date| !date.contains("%y"));
            dates.flat_map(|date| TIMES.iter().map(move |time| format!("{date}{time}"))).collect()
        });
        let Ok(text) = str::from_utf8(cell) else {
            self.0 = Some(Vec::new());
            return;
        };
        let mut written = Vec::new();
        let mut fits = |format: &&'static str| {
            written.clear();
            rewrite(format, text.trim(), &mut written) && is_date_or_time(&written)
        };
        match &mut self.0 {
            None => self.0 = Some(ALL.iter().map(String::as_str).filter(|format| fits(format)).collect()),
            Some(left) => left.retain(|format| fits(format)),
        }
    }

    /// The only format that fits, and whether it has a time.
    pub(crate) fn only(&self) -> Option<(&'static str, bool)> {
        let left = self.0.as_deref().unwrap_or_default();
        let (first, others) = left.split_first()?;
        // The short and the long name of May are one.
        let short = |format: &str| format.replace("%B", "%b");
        let is_only = others.iter().all(|other| short(other) == short(first));
        is_only.then(|| (*first, first.contains("%H") || first.contains("%I")))
    }
}
