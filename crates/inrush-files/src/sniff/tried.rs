//! A dialect, tried on a sample: its score, and which of the dialects of one delimiter is taken.
//!
//! Quotes are text if all lines have the same number of fields without them, and not with them: a stray quote swallows lines. If both
//! readings fit, an error asks the user.

use super::shape::is_number;
use super::split::{Field, Record, Trial, records};
use super::{Sample, shown};
use inrush_core::error::{Error, Result};
use std::collections::BTreeMap;

/// One dialect, tried.
#[derive(Debug)]
pub(super) struct Tried {
    pub(super) trial: Trial,
    pub(super) records: Vec<Record>,
    /// The number of records before the table.
    pub(super) n_before: usize,
    pub(super) score: f64,
    /// Every record of the table has the same number of fields, two at least.
    pub(super) is_uniform: bool,
    /// The share of fields that hold no other delimiter.
    pub(super) whole: f64,
    n_malformed: usize,
    n_swallowing: usize,
    /// The last quote may not close.
    is_open: bool,
}

impl Tried {
    pub(super) fn new(trial: Trial, text: &[u8], sample: Sample<'_>) -> Self {
        let split = records(text, trial, sample, MOST_RECORDS);
        let records = split.all;
        let n_fields = match sample.lacks_ends {
            true => width(text, &records),
            false => usual_number(text, &records),
        };
        let is_usual = |record: &Record| {
            let n = record.fields.len();
            n == n_fields || (sample.lacks_ends && n < n_fields)
        };
        // A line with about as many fields is a header, or a row that the user should check.
        let is_before = |record: &&Record| {
            let n = record.fields.len();
            record.is_blank() || is_comment(text, record) || (n != n_fields && n * 2 <= n_fields)
        };
        let n_before = records.iter().take_while(is_before).count().max(match sample.lacks_ends {
            true => before_a_blank(&records, n_fields),
            false => 0,
        });
        let is_title = |n: usize| n <= MOST_BEFORE && n < records.len() && !records[..n].iter().all(Record::is_blank);
        let n_before = if is_title(n_before) { n_before } else { 0 };
        let table: Vec<&Record> = records[n_before..].iter().filter(|record| !record.is_blank()).collect();
        let n_usual = table.iter().filter(|record| is_usual(record)).count();
        let n_malformed = table.iter().filter(|record| record.is_malformed).count();
        let n_swallowing = table.iter().filter(|record| record.swallows).count();
        let (mut score, mut whole) = (0.0, 0.0);
        if n_fields > 1 && !table.is_empty() {
            let share = n_usual as f64 / table.len() as f64;
            let (mut n_whole, mut all) = (0, 0);
            for record in &table {
                for field in record.fields.iter().filter(|field| !field.is_quoted) {
                    all += 1;
                    n_whole += usize::from(is_whole(&text[field.text.clone()], trial));
                }
            }
            whole = if all == 0 { 1.0 } else { f64::from(n_whole as u32) / f64::from(all) };
            score = share * share * (0.5 + 0.5 * whole) * (1.0 - n_malformed as f64 / table.len() as f64);
            if share < LEAST_SHARE {
                score = 0.0;
            }
        }
        let is_open = split.n_lines_cut > 0 || records.last().is_some_and(|last| last.is_malformed);
        let is_uniform = n_fields > 1 && table.len() > 1 && n_usual == table.len() && split.n_lines_cut == 0;
        // A text that is ragged from the start is not a table after other lines.
        let n_before = if score > 0.0 { n_before } else { 0 };
        Self { trial, records, n_before, score, is_uniform, whole, n_malformed, n_swallowing, is_open }
    }

    pub(super) fn n_fields(&self) -> usize {
        self.records.get(self.n_before).map_or(0, |record| record.fields.len())
    }

    /// The records of the table.
    pub(super) fn table(&self) -> impl Iterator<Item = &Record> {
        self.records[self.n_before..].iter().filter(|record| !record.is_blank())
    }

    /// Whether all records have the same number of fields, and every double quote is around one or within it.
    pub(super) fn has_only_quotes(&self, text: &[u8]) -> bool {
        let mut fields = self.records.iter().flat_map(|record| &record.fields);
        let is_whole = self.is_uniform && self.n_malformed == 0 && !self.is_open;
        let is_quoted = |field: &Field| field.is_quoted || memchr::memchr(b'"', &text[field.text.clone()]).is_none();
        self.trial.quote == Some(b'"') && is_whole && fields.all(is_quoted)
    }

    /// Whether it is one column, with quotes around some of its values.
    fn is_column(&self) -> bool {
        let (mut n, mut has_quoted) = (0, false);
        let is_one = self.records.iter().filter(|record| !record.is_blank()).all(|record| {
            n += 1;
            has_quoted |= record.fields[0].is_quoted;
            record.fields.len() == 1
        });
        is_one && n > 1 && has_quoted && self.n_malformed == 0 && !self.is_open
    }

    /// Whether it cuts the numbers of one column at their decimal comma: its header has none.
    pub(super) fn is_column_of_numbers(&self, text: &[u8]) -> bool {
        let header = self.records[..self.n_before].iter().filter(|record| !record.is_blank()).count();
        let is_number = |record: &Record| match &record.fields[..] {
            [only] => only.text.is_empty(),
            [first, .., last] => is_number(text[first.text.start..last.text.end].trim_ascii()),
            [] => false,
        };
        self.trial.delimiter == b',' && header == 1 && self.table().all(is_number)
    }
}

/// The chosen dialect of one delimiter, and the doubt about its quote that the user must settle first.
#[derive(Debug)]
pub(super) struct Choice {
    pub(super) tried: Tried,
    /// The quote that may be text as well.
    pub(super) in_doubt: Option<u8>,
}

impl Choice {
    fn sure(tried: Tried) -> Self {
        Self { tried, in_doubt: None }
    }

    /// The question, if there is one.
    pub(super) fn check(&self, name: &str, text: &[u8]) -> Result<()> {
        let Some(quote) = self.in_doubt else { return Ok(()) };
        let is_quoted = |record: &&Record| {
            let begins = |at: usize| text.get(at) == Some(&quote) || at > 0 && text[at - 1] == quote;
            record.fields.iter().any(|field| begins(field.text.start))
        };
        let line = self.tried.table().find(is_quoted).map_or(0, |record| record.line);
        let other = if quote == b'"' { "" } else { "\"" };
        let given = if quote == b'"' { "'\"'" } else { "\"'\"" };
        Err(Error::config(format!(
            "{} around fields of `{name}` may be quotes or text (line {} has the first)",
            shown(quote),
            line + 1
        ))
        .with_hint(format!("say which: `--quote {given}` for quotes, `--quote '{other}'` for text")))
    }
}

/// Chooses between the dialects of one delimiter; `tried` has the more common first.
pub(super) fn choose(mut tried: Vec<Tried>, text: &[u8]) -> Option<Choice> {
    let take = |tried: &mut Vec<Tried>, is: &dyn Fn(&Trial) -> bool| {
        let at = tried.iter().position(|one| is(&one.trial))?;
        Some(tried.remove(at))
    };
    let single = take(&mut tried, &|trial| trial.quote == Some(b'\''));
    let plain = take(&mut tried, &|trial| trial.quote.is_none() && trial.escape.is_none());
    let escaped = take(&mut tried, &|trial| trial.quote.is_none() && trial.escape.is_some());
    // A stable sort: of equals the more common one stays first.
    tried.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut rest = tried.into_iter();
    let Some(quoted) = rest.next() else { return plain.or(escaped).or(single).map(Choice::sure) };
    let other_quoted_fits = rest.any(|one| one.is_uniform && one.n_malformed == 0);
    let single = match single {
        Some(single) if single.is_column() && is_regular(&single) => return Some(Choice::sure(single)),
        single => single,
    };
    if let Some(single) = single.filter(|single| fits_single(single, &quoted, text)) {
        let is_needed = single.score > quoted.score;
        let in_doubt = (!is_needed && !is_regular(&single)).then_some(b'\'');
        return Some(Choice { tried: single, in_doubt });
    }
    if let Some(escaped) = escaped
        && escaped.is_uniform
        && quotes_of(&escaped, text).0 == 0
        && !(quoted.is_uniform || plain.as_ref().is_some_and(|plain| plain.is_uniform))
    {
        return Some(Choice::sure(escaped));
    }
    let is_plain = |plain: &Tried| plain.is_uniform && !other_quoted_fits && !quoted.is_column();
    let Some(plain) = plain.filter(is_plain) else {
        return Some(Choice::sure(quoted));
    };
    let (pairs, strays) = quotes_of(&plain, text);
    let is_swallowing = quoted.is_uniform && quoted.n_swallowing > 0;
    // Quotes that close within text: a bad record of CSV, and text in TSV, which has quotes rarely.
    let is_text = quoted.n_malformed > 0 && plain.trial.delimiter == b'\t' && pairs == 0;
    if strays == 0 || (quoted.is_uniform && !is_swallowing && !is_text) {
        return Some(Choice::sure(quoted));
    }
    if plain.trial.delimiter == b',' && quoted.is_open && pairs == 0 {
        // A file that is damaged or cut off, more likely: the reader refuses it at the quote, and names the option.
        return Some(Choice::sure(Tried { score: plain.score, is_uniform: true, ..quoted }));
    }
    let is_sure = pairs == 0 && (plain.trial.delimiter == b'\t' || !is_swallowing);
    Some(Choice { in_doubt: (!is_sure).then_some(b'"'), tried: plain })
}

/// Whether a text may have `'` around its fields: at the beginning and the end of some, and no field begins with `"`.
fn fits_single(single: &Tried, quoted: &Tried, text: &[u8]) -> bool {
    let has_double = |record: &Record| {
        record.fields.iter().any(|field| {
            let text = &text[field.text.clone()];
            !field.is_quoted && text.len() > 1 && text.starts_with(b"\"") && text.ends_with(b"\"")
        })
    };
    let n_quoted = single.table().filter(|record| record.fields.iter().any(|field| field.is_quoted)).count();
    // Apostrophes at the beginning of one field and at the end of another in a later line.
    let is_by_chance = quoted.is_uniform && n_quoted == single.n_swallowing;
    let fits = single.n_malformed == 0 && single.score >= quoted.score;
    fits && n_quoted > 0 && !is_by_chance && !single.table().any(has_double)
}

/// Whether each column has quotes around all of its values, or around none. The names of a header may lack them.
fn is_regular(tried: &Tried) -> bool {
    let Some(first) = tried.table().next() else { return false };
    let mut has_quoted = first.fields.iter().all(|field| field.is_quoted);
    let is_regular = (0..first.fields.len()).all(|i| {
        let fields = || tried.table().skip(1).filter_map(|record| record.fields.get(i));
        let is_quoted = fields().any(|field| field.is_quoted);
        has_quoted |= is_quoted;
        !is_quoted || !fields().any(|field| !field.is_quoted && !field.text.is_empty())
    });
    is_regular && has_quoted
}

/// How many fields have quotes around them, and how many have one at one end alone.
fn quotes_of(plain: &Tried, text: &[u8]) -> (usize, usize) {
    let (mut pairs, mut strays) = (0, 0);
    for field in plain.table().flat_map(|record| &record.fields) {
        let field = &text[field.text.clone()];
        match (field.starts_with(b"\""), field.len() > 1 && field.ends_with(b"\"")) {
            (true, true) => pairs += 1,
            (true, false) => strays += 1,
            _ => {}
        }
    }
    (pairs, strays)
}

/// Whether a field holds no other delimiter, except for the comma in a number.
fn is_whole(field: &[u8], trial: Trial) -> bool {
    let holds = |byte: &u8| *byte != trial.delimiter && DELIMITERS.contains(byte);
    !field.iter().any(holds) || is_number(field.trim_ascii())
}

/// How many records precede the first one of the full width, if they are narrower and the last of them is blank.
fn before_a_blank(records: &[Record], n_fields: usize) -> usize {
    let Some(first) = records.iter().position(|record| record.fields.len() >= n_fields && !record.is_blank()) else {
        return 0;
    };
    if first > 0 && records[first - 1].is_blank() { first } else { 0 }
}

/// The number of columns where records lack the empty fields at their ends: what most records have, else what the widest one has.
fn width(text: &[u8], records: &[Record]) -> usize {
    let usual = usual_number(text, records);
    let table = || records.iter().filter(|record| !record.is_blank() && !is_comment(text, record));
    let n_usual = table().filter(|record| record.fields.len() == usual).count();
    if usual > 1 && n_usual as f64 >= LEAST_SHARE * table().count() as f64 {
        return usual;
    }
    table().map(|record| record.fields.len()).max().unwrap_or(0)
}

/// The number of fields that most records have, blank lines and comments aside; of two such numbers that of the first record.
fn usual_number(text: &[u8], records: &[Record]) -> usize {
    let is_counted = |record: &&Record| !record.is_blank() && !is_comment(text, record);
    let first = records.iter().find(is_counted).map_or(0, |record| record.fields.len());
    let mut counts = BTreeMap::<usize, usize>::new();
    for record in records.iter().filter(is_counted) {
        *counts.entry(record.fields.len()).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(n, count)| (*count, *n == first)).map_or(0, |(n, _)| n)
}

pub(super) fn is_comment(text: &[u8], record: &Record) -> bool {
    record.fields.first().is_some_and(|first| !first.is_quoted && text[first.text.clone()].starts_with(b"# "))
}

/// A table needs at least this share of records with the most frequent number of fields.
const LEAST_SHARE: f64 = 0.6;

/// The common delimiters, the most common first.
pub(super) const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The most records that are examined.
pub(super) const MOST_RECORDS: usize = 5_000;

/// The most records that may precede a table.
const MOST_BEFORE: usize = 30;
