//! Which options would make the cells of a column fit that do not fit as SQL writes them: proposed to a person, never taken by itself.

use super::{DateFormat, Percent, Rule, ValueFormats};
use crate::moment::{DATES, TIMES};
use inrush_core::column::check::{is_date_or_time, is_number};
use inrush_core::load::ColumnKind;
use std::fmt;

/// Options that fit the cells of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proposal {
    /// The field.
    pub field: String,
    /// The options, as they are given on a command line. If there are several, each fits all the cells, and only the file's owner
    /// knows which is right.
    pub options: Vec<String>,
    /// How many cells they were tried on.
    pub n_cells: usize,
}

impl fmt::Display for Proposal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, options, n_cells } = self;
        let options = options.iter().map(|option| format!("`{option}`")).collect::<Vec<_>>().join(" or ");
        let pivot = if options.contains("%y") { PIVOT } else { "" };
        write!(f, "column `{field}` looks like {options}: {n_cells} of {n_cells} sampled cells fit{pivot}")
    }
}

/// The options that fit all cells of a field when added to the `given` ones; `None` if there are none, or if none is needed.
pub(crate) fn propose(field: &str, cells: &[&[u8]], given: &ValueFormats) -> Option<Proposal> {
    let cells: Vec<&[u8]> = cells.iter().copied().filter(|cell| !cell.trim_ascii().is_empty()).collect();
    let is_plain = |cell: &&[u8]| is_number(cell) || is_date_or_time(cell);
    if cells.iter().all(is_plain) {
        return None;
    }
    let fits = |formats: &ValueFormats, column_kind| match formats.rule(field, column_kind) {
        Rule::Keep => false,
        rule => cells.iter().all(|cell| rule.rewrite(cell, &mut Vec::new())),
    };
    let numbers = if given.has_numbers() { Vec::new() } else { number_formats(&cells) };
    let is_of_use = |formats: &ValueFormats| fits(formats, ColumnKind::Float) && is_met(formats, &cells);
    let mut found: Vec<ValueFormats> = numbers.into_iter().filter(is_of_use).collect();
    // The fewest options of each kind: what more of them would allow is not there.
    let fewest = found.iter().map(n_options).min();
    found.retain(|formats| Some(n_options(formats)) == fewest);
    if found.is_empty() {
        // A format for one field takes precedence over a format for all dates.
        let column = (!given.dates.is_empty()).then_some(field);
        found = date_formats(column).filter(|formats| fits(formats, ColumnKind::Moment)).collect();
    }
    let options: Vec<String> = found.iter().map(ValueFormats::to_string).collect();
    (!options.is_empty()).then(|| Proposal { field: field.to_owned(), options, n_cells: cells.len() })
}

/// Whether some cell has a sign that an option is for: `007` has none, whatever would read it.
fn is_met(formats: &ValueFormats, cells: &[&[u8]]) -> bool {
    let signs = [formats.decimal, formats.thousands].into_iter().flatten().map(String::from);
    let signs = signs.chain(formats.currencies.iter().cloned()).chain(formats.percent.map(|_| "%".to_owned()));
    let blanks: &[&str] = if formats.thousands == Some(' ') { &["\u{a0}", "\u{202f}"] } else { &[] };
    let apostrophe = (formats.thousands == Some('\'')).then_some("\u{2019}");
    let mut all = signs.chain(blanks.iter().copied().chain(apostrophe).map(str::to_owned));
    all.any(|sign| cells.iter().any(|cell| contains(cell, &sign)))
}

fn n_options(formats: &ValueFormats) -> usize {
    usize::from(formats.decimal.is_some())
        + usize::from(formats.thousands.is_some())
        + formats.currencies.len()
        + usize::from(formats.percent.is_some())
}

/// All known ways to write numbers, with the signs of these cells.
fn number_formats(cells: &[&[u8]]) -> Vec<ValueFormats> {
    let mut all = Vec::new();
    let signs: Vec<&str> =
        CURRENCIES.iter().copied().filter(|sign| cells.iter().any(|cell| contains(cell, sign))).collect();
    let has_percent = cells.iter().any(|cell| cell.ends_with(b"%"));
    for (decimal, thousands) in [
        (None, None),
        (Some(','), None),
        (None, Some(',')),
        (Some(','), Some('.')),
        (None, Some(' ')),
        (Some(','), Some(' ')),
        (None, Some('\'')),
    ] {
        let formats = ValueFormats::default()
            .with_decimal(decimal)
            .with_thousands(thousands)
            .with_currencies(signs.iter().map(|sign| (*sign).to_owned()).collect::<Vec<_>>())
            .with_percent(has_percent.then_some(Percent::Strip));
        all.push(formats);
    }
    all
}

fn contains(cell: &[u8], sign: &str) -> bool {
    memchr::memmem::find(cell, sign.as_bytes()).is_some()
}

/// Dates as people write them, alone and with a time.
fn date_formats(column: Option<&str>) -> impl Iterator<Item = ValueFormats> {
    let formats = DATES.iter().flat_map(|date| TIMES.iter().map(move |time| format!("{date}{time}")));
    formats.map(move |format| {
        let column = column.map(str::to_owned);
        ValueFormats::default().with_dates([DateFormat { column, format }])
    })
}

/// Which century `%y` means.
const PIVOT: &str = " (`%y` reads 00 to 68 as 2000 to 2068, 69 to 99 as 1969 to 1999)";

const CURRENCIES: &[&str] = &["$", "€", "£", "¥", "₹", "₽", "zł", "kr", "USD", "EUR", "GBP", "JPY", "CHF"];
