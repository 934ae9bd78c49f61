//! Which delimiter, quote and escape fit a text best, and how many lines stand before its table.
//!
//! A dialect is scored by how many records have the same number of fields (two at least), how many of their fields are whole (a field
//! that holds another delimiter is likely two), and how few quotes are malformed. Lines before the table are those few at the beginning
//! that have half as many fields at most, or begin with `# `.

use super::shape::is_number;
use super::split::{Record, Trial, records};
use super::{Sample, shown};
use crate::dialect::{CsvOptions, FindOut};
use crate::widths::Widths;
use inrush_core::error::{Error, Result};
use std::collections::BTreeMap;

/// The dialect of a text.
#[derive(Debug)]
pub(super) struct Layout<'a> {
    pub(super) delimiter: u8,
    pub(super) quote: Option<u8>,
    pub(super) escape: Option<u8>,
    pub(super) skip: u64,
    /// The text and its records, from the first of the table on.
    pub(super) text: &'a [u8],
    pub(super) records: Vec<Record>,
}

/// One dialect, tried.
struct Tried {
    trial: Trial,
    records: Vec<Record>,
    /// The number of records before the table.
    n_before: usize,
    score: f64,
}

pub(super) fn find<'a>(sample: Sample<'_>, text: &'a [u8], options: &CsvOptions) -> Result<Layout<'a>> {
    let FindOut { delimiter: finds_delimiter, skip: finds_skip, .. } = options.find_out;
    let (text, said) = if finds_delimiter && options.skip == 0 { said(text) } else { (text, None) };
    let skipped = options.skip + u64::from(said.is_some());
    let text = behind(text, options.skip);
    let delimiter = if finds_delimiter { said } else { Some(options.delimiter.unwrap_or(sample.delimiter)) };
    if delimiter.is_none() {
        refuse_tabs_among_blanks(sample, text)?;
    }
    let trials = trials(text, delimiter, options);
    let mut tried: Vec<Tried> = trials.into_iter().map(|trial| Tried::new(trial, text, sample)).collect();
    // A stable sort: of equals the more usual one stays first.
    tried.sort_by(|a, b| b.score.total_cmp(&a.score));
    let most = tried[0].score;
    // A name such as `.tsv` decides between what fits equally well.
    let is_named = |one: &Tried| one.trial.delimiter == sample.delimiter && one.score >= most * DOUBTFUL;
    let named = tried.iter().position(is_named).filter(|_| sample.delimiter != b',');
    let best = tried.remove(named.unwrap_or(0));
    if most == 0.0 {
        // One column, or nothing that fits: as the name says.
        if delimiter.is_none() {
            refuse_aligned(sample, text)?;
        }
        let delimiter = delimiter.unwrap_or(sample.delimiter);
        let quote = if options.find_out.quote { Some(b'"') } else { options.quote };
        let trial = Trial { delimiter, quote, escape: options.escape };
        let records = records(text, trial, sample.is_all, MOST_RECORDS);
        return Ok(Layout { delimiter, quote, escape: options.escape, skip: skipped, text, records });
    }
    let is_as_good = |other: &&Tried| other.trial.delimiter != best.trial.delimiter && other.score >= most * DOUBTFUL;
    if let Some(other) = tried.iter().find(is_as_good).filter(|_| named.is_none()) {
        let (one, two) = (best.trial.delimiter, other.trial.delimiter);
        return Err(Error::config(format!(
            "the fields of `{}` may be separated by {} or by {}",
            sample.name,
            shown(one),
            shown(two)
        ))
        .with_hint(format!("say which: `--delimiter '{}'` or `--delimiter '{}'`", given(one), given(two))));
    }
    let lines = best.records.get(best.n_before).map_or(0, |record| record.line);
    if lines > 0 && !finds_skip {
        let which = if lines == 1 { "line 1 does".to_owned() } else { format!("lines 1 to {lines} do") };
        let (name, n) = (sample.name, best.n_fields());
        return Err(Error::config(format!(
            "{which} not belong to the table of `{name}`, whose records have {n} fields"
        ))
        .with_hint(format!("`--skip auto` passes over such lines, `--skip {}` over these", skipped + lines)));
    }
    let Trial { delimiter, quote, escape } = best.trial;
    let records = best.records.into_iter().skip(best.n_before).collect();
    Ok(Layout { delimiter, quote, escape, skip: skipped + lines, text, records })
}

impl Tried {
    fn new(trial: Trial, text: &[u8], sample: Sample<'_>) -> Self {
        let records = records(text, trial, sample.is_all, MOST_RECORDS);
        let n_fields = usual_number(&records);
        let is_usual = |record: &Record| record.fields.len() == n_fields;
        // A line with about as many fields is a header, or a row, that somebody should look at.
        let is_before = |record: &&Record| {
            record.is_blank() || is_comment(text, record) || (!is_usual(record) && record.fields.len() * 2 <= n_fields)
        };
        let n_before = records.iter().take_while(is_before).count();
        let is_title = |n: usize| n <= MOST_BEFORE && n < records.len() && !records[..n].iter().all(Record::is_blank);
        let n_before = if is_title(n_before) { n_before } else { 0 };
        let table: Vec<&Record> = records[n_before..].iter().filter(|record| !record.is_blank()).collect();
        let n_usual = table.iter().filter(|record| is_usual(record)).count();
        let mut score = 0.0;
        if n_fields > 1 && !table.is_empty() {
            let share = n_usual as f64 / table.len() as f64;
            let n_malformed = table.iter().filter(|record| record.is_malformed).count();
            let (mut whole, mut all) = (0, 0);
            for record in &table {
                for field in record.fields.iter().filter(|field| !field.is_quoted) {
                    all += 1;
                    whole += usize::from(is_whole(&text[field.text.clone()], trial));
                }
            }
            let whole = if all == 0 { 1.0 } else { f64::from(whole as u32) / f64::from(all) };
            score = share * share * (0.5 + 0.5 * whole) * (1.0 - n_malformed as f64 / table.len() as f64);
            if share < LEAST_SHARE {
                score = 0.0;
            }
        }
        // Ragged from the start on is not a table behind other lines.
        let n_before = if score > 0.0 { n_before } else { 0 };
        Self { trial, records, n_before, score }
    }

    fn n_fields(&self) -> usize {
        self.records.get(self.n_before).map_or(0, |record| record.fields.len())
    }
}

/// A field that holds no other delimiter, but for the comma in a number.
fn is_whole(field: &[u8], trial: Trial) -> bool {
    let holds = |byte: &u8| *byte != trial.delimiter && DELIMITERS.contains(byte);
    !field.iter().any(holds) || is_number(field.trim_ascii())
}

/// The number of fields that most records have, blank lines aside; of two such numbers that of the first record.
fn usual_number(records: &[Record]) -> usize {
    let first = records.iter().find(|record| !record.is_blank()).map_or(0, |record| record.fields.len());
    let mut counts = BTreeMap::<usize, usize>::new();
    for record in records.iter().filter(|record| !record.is_blank()) {
        *counts.entry(record.fields.len()).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(n, count)| (*count, *n == first)).map_or(0, |(n, _)| n)
}

fn is_comment(text: &[u8], record: &Record) -> bool {
    record.fields.first().is_some_and(|first| !first.is_quoted && text[first.text.clone()].starts_with(b"# "))
}

/// What is tried, the more usual first.
fn trials(text: &[u8], delimiter: Option<u8>, options: &CsvOptions) -> Vec<Trial> {
    let delimiters: &[u8] = delimiter.as_ref().map_or(&DELIMITERS, std::slice::from_ref);
    let mut quotes = vec![(options.quote, options.escape)];
    if options.find_out.quote {
        quotes = vec![(Some(b'"'), None)];
        if memchr::memmem::find(text, b"\\\"").is_some() {
            quotes.push((Some(b'"'), Some(b'\\')));
        }
    }
    let each = |&delimiter: &u8| quotes.iter().map(move |&(quote, escape)| Trial { delimiter, quote, escape });
    let mut trials: Vec<Trial> = delimiters.iter().flat_map(each).collect();
    if options.find_out.quote && memchr::memchr(b'"', text).is_none() {
        for &delimiter in delimiters {
            let has = |marks: [[u8; 2]; 2]| marks.iter().any(|mark| memchr::memmem::find(text, mark).is_some());
            if has([[delimiter, b'\''], [b'\n', b'\'']]) && has([[b'\'', delimiter], [b'\'', b'\n']]) {
                trials.push(Trial { delimiter, quote: Some(b'\''), escape: None });
            }
        }
    }
    trials
}

/// The first line of a file for Excel may say the delimiter, "sep=;". The text behind it, and the delimiter.
fn said(text: &[u8]) -> (&[u8], Option<u8>) {
    let line_end = memchr::memchr(b'\n', text).unwrap_or(text.len());
    match text[..line_end].trim_ascii_end().strip_prefix(b"sep=") {
        Some(&[delimiter]) => (&text[(line_end + 1).min(text.len())..], Some(delimiter)),
        // The tab itself was trimmed.
        Some(&[]) if text[..line_end].starts_with(b"sep=\t") => (&text[(line_end + 1).min(text.len())..], Some(b'\t')),
        _ => (text, None),
    }
}

fn behind(text: &[u8], n_lines: u64) -> &[u8] {
    (0..n_lines).fold(text, |text, _| memchr::memchr(b'\n', text).map_or(&[], |end| &text[end + 1..]))
}

/// Columns that are told apart by tabs in some places and by blanks in others: most lines have both a tab and two numbers with blanks
/// between them. The tabs alone would put several columns into one.
fn refuse_tabs_among_blanks(sample: Sample<'_>, text: &[u8]) -> Result<()> {
    let name = sample.name;
    let lines = lines(sample, text);
    let has_both = |line: &&&[u8]| memchr::memchr(b'\t', line).is_some() && has_numbers_between_blanks(line);
    // The first one may be a header.
    let rows = lines.get(1..).unwrap_or_default();
    match rows.iter().filter(has_both).count() {
        n if rows.len() >= 2 && n * 10 >= rows.len() * 9 => Err(Error::config(format!(
            "the columns of `{name}` have tabs between them in some places and blanks in others"
        ))
        .with_hint(format!(
            "`expand {name} > aligned.txt` makes columns of them, which can be cut by their widths; if only the tabs count, name the \
             delimiter"
        ))),
        _ => Ok(()),
    }
}

/// Whether two blanks or more stand between a digit and the next number.
fn has_numbers_between_blanks(line: &[u8]) -> bool {
    let begins_number = |rest: &[u8]| match rest {
        [b'-' | b'+' | b'.', second, ..] => second.is_ascii_digit(),
        [first, ..] => first.is_ascii_digit(),
        [] => false,
    };
    memchr::memmem::find_iter(line, b"  ").any(|at| {
        let behind = line[at..].iter().position(|byte| *byte != b' ').map_or(&[][..], |blanks| &line[at + blanks..]);
        at > 0 && line[at - 1].is_ascii_digit() && begins_number(behind)
    })
}

/// The first lines that are not blank.
fn lines<'a>(sample: Sample<'_>, text: &'a [u8]) -> Vec<&'a [u8]> {
    let whole = match text.iter().rposition(|&byte| byte == b'\n') {
        Some(end) if !sample.is_all => &text[..end],
        _ => text,
    };
    whole
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.trim_ascii().is_empty())
        .take(MOST_RECORDS)
        .collect()
}

/// Columns that are told apart by blanks: most lines have runs of two blanks or more, and the same number of words.
fn refuse_aligned(sample: Sample<'_>, text: &[u8]) -> Result<()> {
    let name = sample.name;
    let lines = lines(sample, text);
    let n_runs = |line: &&[u8]| {
        let line = line.trim_ascii();
        let mut runs = 0;
        let mut blanks = 0;
        for byte in line {
            if *byte == b' ' {
                blanks += 1;
            } else {
                runs += usize::from(blanks > 1);
                blanks = 0;
            }
        }
        runs
    };
    let aligned = lines.iter().filter(|line| n_runs(line) > 0).count();
    let has_commas = lines.iter().any(|line| line.contains(&b','));
    if lines.len() >= 2 && aligned * 10 >= lines.len() * 9 {
        return Err(Error::config(format!(
            "the columns of `{name}` are aligned by blanks, and have no delimiter between them"
        ))
        .with_hint(match (Widths::measure(&lines), has_commas) {
            (Some((widths, is_short)), _) => {
                let short = if is_short { " --missing-fields null" } else { "" };
                let each = if has_commas { "" } else { "; `--delimiter ,` loads each line as one field" };
                format!("`--widths {widths}{short}` cuts the lines where the columns begin{each}")
            }
            (None, false) => "`--delimiter ,` loads each line as one field".to_owned(),
            (None, true) => "cut them by their widths, if all lines are of one table; or name the delimiter".to_owned(),
        }));
    }
    Ok(())
}

/// A byte as an option's value.
fn given(byte: u8) -> String {
    if byte == b'\t' { "\\t".to_owned() } else { char::from(byte).to_string() }
}

/// What fields are told apart by, the more usual first.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// As many records are looked at.
const MOST_RECORDS: usize = 5_000;

/// As many records may stand before a table.
const MOST_BEFORE: usize = 30;

/// Fewer records with the usual number of fields make no table.
const LEAST_SHARE: f64 = 0.6;

/// A second dialect whose score is this share of the best one's may be the right one as well.
const DOUBTFUL: f64 = 0.95;
