//! Which delimiter, quote and escape fit a text best, and how many lines stand before its table.
//!
//! A dialect is scored by how many records have the same number of fields (two at least), how many of their fields are whole (a field
//! that holds another delimiter is likely two), and how few quotes are malformed. Lines before the table are those few at the beginning
//! that have half as many fields at most, or begin with `# `.

use super::refused;
use super::split::{Record, Trial, records};
use super::tried::{Choice, DELIMITERS, MOST_RECORDS, Tried, choose, is_comment};
use super::{Sample, given, shown};
use crate::dialect::{AutoDetect, CsvOptions};
use inrush_core::error::{Error, Result};

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

pub(super) fn find<'a>(sample: Sample<'_>, text: &'a [u8], options: &CsvOptions) -> Result<Layout<'a>> {
    let AutoDetect { delimiter: finds_delimiter, quote: finds_quote, skip: finds_skip, .. } = options.auto_detect;
    let (text, said) = if finds_delimiter && options.skip == 0 { said(text) } else { (text, None) };
    let skipped = options.skip + u64::from(said.is_some());
    let text = behind(text, options.skip);
    refused::refuse_only_comments(sample, text)?;
    let delimiter = if finds_delimiter { said } else { Some(options.delimiter.unwrap_or(sample.delimiter)) };
    if delimiter.is_none() {
        refused::refuse_tabs_among_blanks(sample, text)?;
    }
    let mut choices = choices(sample, text, delimiter, options);
    if finds_quote {
        let tried: Vec<&Tried> = choices.iter().map(|choice| &choice.tried).collect();
        refused::refuse_blanks_before_quotes(sample, text, &tried)?;
    }
    // A stable sort: of equals the more common one stays first.
    choices.sort_by(|a, b| b.tried.score.total_cmp(&a.tried.score));
    let is_number_column = choices[0].tried.is_column_of_numbers(text) && delimiter.is_none();
    let most = if is_number_column { 0.0 } else { choices[0].tried.score };
    if most == 0.0 {
        // One column, or no delimiter fits: take the delimiter by the file's name.
        if delimiter.is_none() {
            refused::refuse_aligned(sample, text)?;
            refused::refuse_rare_delimiter(sample, text)?;
        }
        let delimiter = delimiter.unwrap_or(if is_number_column { b';' } else { sample.delimiter });
        let is_default = |choice: &Choice| choice.tried.trial.delimiter == delimiter;
        let is_single = |choice: &&Choice| choice.tried.trial.quote == Some(b'\'') && choice.in_doubt.is_none();
        let single = choices.iter().find(|choice| is_default(choice)).filter(is_single);
        let quote = match single {
            Some(_) => Some(b'\''),
            None if finds_quote => Some(b'"'),
            None => options.quote,
        };
        let trial = Trial { delimiter, quote, escape: options.escape };
        let records = records(text, trial, sample, MOST_RECORDS).all;
        return Ok(Layout { delimiter, quote, escape: options.escape, skip: skipped, text, records });
    }
    let Choice { tried: mut best, .. } = best(sample, text, choices)?;
    if options.widths.is_some() && !finds_skip {
        // A short line has few fields, whatever it is.
        best.n_before = 0;
    }
    if finds_delimiter && said.is_none() {
        refused::refuse_wider_delimiter(sample, text, &best)?;
        refused::refuse_blanks_behind(sample, text, &best)?;
        refuse_numbers_in_halves(sample.name, text, &best)?;
        refused::refuse_doubled(sample, text, &best)?;
        refused::refuse_ruler(sample, text, skipped, &best)?;
    }
    // Comments alone need not be skipped here: the reader skips them.
    let first = best.records.get(best.n_before).filter(|_| best.n_before > 0);
    let lines = first.map_or(0, |record| record.line);
    if lines > 0 && !finds_skip {
        return Err(lines_before(sample.name, text, &best, skipped, lines));
    }
    let Trial { delimiter, quote, escape } = best.trial;
    let records = best.records.into_iter().skip(best.n_before).collect();
    Ok(Layout { delimiter, quote, escape, skip: skipped + lines, text, records })
}

/// The dialect that fits best, if it is the only one.
fn best(sample: Sample<'_>, text: &[u8], mut choices: Vec<Choice>) -> Result<Choice> {
    let most = choices[0].tried.score;
    // A name such as `.tsv` decides between what fits equally well.
    let is_named = |one: &Tried| one.trial.delimiter == sample.delimiter && one.score >= most * DOUBTFUL;
    let named = choices.iter().position(|choice| is_named(&choice.tried)).filter(|_| sample.delimiter != b',');
    let mut best = choices.remove(named.unwrap_or(0));
    let doubt = |one: &Tried, other: &Tried| {
        let (one, two) = (one.trial.delimiter, other.trial.delimiter);
        let message =
            format!("the fields of `{}` may be separated by {} or by {}", sample.name, shown(one), shown(two));
        let hint = format!("say which: `--delimiter '{}'` or `--delimiter '{}'`", given(one), given(two));
        Err(Error::config(message).with_hint(hint))
    };
    // A dialect with the same number of fields on every line is not dropped for one with fewer fields.
    let n_fields = best.tried.n_fields();
    let uniform = choices.iter().filter(|choice| choice.tried.is_uniform);
    let widest = uniform.max_by_key(|choice| choice.tried.n_fields()).map(|choice| choice.tried.trial);
    let at = choices.iter().position(|choice| Some(choice.tried.trial) == widest);
    if let Some(at) = at.filter(|at| choices[*at].tried.n_fields() > n_fields && named.is_none()) {
        match (best.tried.is_uniform, best.tried.whole) {
            (false, _) => best = choices.swap_remove(at),
            // Its other signs are those within numbers.
            (true, 1.0) => {}
            (true, _) => return doubt(&best.tried, &choices[at].tried),
        }
    } else if let Some(other) = choices.iter().find(|other| other.tried.score >= most * DOUBTFUL && named.is_none()) {
        return doubt(&best.tried, &other.tried);
    }
    best.check(sample.name, text)?;
    Ok(best)
}

/// Refuses a text that may be either one column of numbers with a decimal comma, without a header, or two fields. `1.234,50` and `7,05`
/// are not plausible as pairs of numbers.
fn refuse_numbers_in_halves(name: &str, text: &[u8], best: &Tried) -> Result<()> {
    let halves = || {
        best.table().map(|record| match &record.fields[..] {
            [one, two] => Some((&text[one.text.clone()], &text[two.text.clone()])),
            _ => None,
        })
    };
    let is_digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let is_grouped = |text: &[u8]| {
        let mut groups = text.strip_prefix(b"-").unwrap_or(text).split(|byte| *byte == b'.');
        let first = groups.next().unwrap_or_default();
        is_digits(first) && first.len() < 4 && groups.all(|group| is_digits(group) && group.len() == 3)
    };
    let is_number = |half: Option<(&[u8], &[u8])>| {
        half.is_some_and(|(one, two)| (is_grouped(one) || is_digits(one)) && is_digits(two))
    };
    let has_sign = halves().flatten().any(|(_, two)| two.len() > 1 && two.starts_with(b"0"))
        || halves().flatten().all(|(one, _)| is_grouped(one) && one.contains(&b'.'));
    if best.trial.delimiter != b',' || best.n_before > 0 || !has_sign || !halves().all(is_number) {
        return Ok(());
    }
    Err(Error::config(format!("each line of `{name}` may be one number with a decimal comma, or two fields"))
        .with_hint("say which: `--delimiter ';'` for one field, `--delimiter ','` for two"))
}

/// The error for lines before a table, if no option skips them.
fn lines_before(name: &str, text: &[u8], best: &Tried, skipped: u64, lines: u64) -> Error {
    let which = if lines == 1 { "line 1 does".to_owned() } else { format!("lines 1 to {lines} do") };
    let n = best.n_fields();
    let message = format!("{which} not belong to the table of `{name}`, whose records have {n} fields");
    let last = best.records[..best.n_before].iter().rfind(|record| !record.is_blank());
    match last.filter(|last| last.fields.len() == n).and_then(|last| names_in_comment(text, last)) {
        // To pass over it would make a header of the first row.
        Some(names) => {
            let n = skipped + lines;
            Error::config(format!("{message}; line {lines} may be its header, as a comment")).with_hint(format!(
                "`--skip {n} --columns {names} --no-header` takes these names; `--skip {n}` passes over it, and over nothing else"
            ))
        }
        None => Error::config(message)
            .with_hint(format!("`--skip auto` passes over such lines, `--skip {}` over these", skipped + lines)),
    }
}

/// The names in a comment such as `# id,name`, if they can be given as `--columns`.
fn names_in_comment(text: &[u8], record: &Record) -> Option<String> {
    if !is_comment(text, record) {
        return None;
    }
    let name = |(i, field): (usize, &super::split::Field)| {
        let name = str::from_utf8(&text[field.text.clone()]).ok()?.trim();
        let name = if i == 0 { name.trim_start_matches('#').trim() } else { name };
        let is_plain = |c: char| c.is_alphanumeric() || c == '_';
        (!name.is_empty() && name.chars().all(is_plain)).then(|| name.to_owned())
    };
    record.fields.iter().enumerate().map(name).collect::<Option<Vec<_>>>().map(|names| names.join(","))
}

/// The dialect of each delimiter.
fn choices(sample: Sample<'_>, text: &[u8], delimiter: Option<u8>, options: &CsvOptions) -> Vec<Choice> {
    let delimiters: &[u8] = delimiter.as_ref().map_or(&DELIMITERS, std::slice::from_ref);
    let of = |&delimiter: &u8| {
        let trials = trials(text, delimiter, options);
        choose(trials.into_iter().map(|trial| Tried::new(trial, text, sample)).collect(), text)
    };
    delimiters.iter().filter_map(of).collect()
}

/// The dialects to try for a delimiter, the most common first.
fn trials(text: &[u8], delimiter: u8, options: &CsvOptions) -> Vec<Trial> {
    if !options.auto_detect.quote {
        return vec![Trial { delimiter, quote: options.quote, escape: options.escape }];
    }
    let has = |needle: &[u8]| memchr::memmem::find(text, needle).is_some();
    let mut trials = vec![Trial { delimiter, quote: Some(b'"'), escape: None }];
    if has(b"\\\"") {
        trials.push(Trial { delimiter, quote: Some(b'"'), escape: Some(b'\\') });
    }
    if memchr::memchr(b'"', text).is_some() {
        trials.push(Trial { delimiter, quote: None, escape: None });
    }
    if has(&[b'\\', delimiter]) || has(b"\\\n") {
        trials.push(Trial { delimiter, quote: None, escape: Some(b'\\') });
    }
    let begins = text.starts_with(b"'") || has(&[delimiter, b'\'']) || has(b"\n'");
    let ends = text.ends_with(b"'") || has(&[b'\'', delimiter]) || has(b"'\n") || has(b"'\r\n");
    if begins && ends {
        trials.push(Trial { delimiter, quote: Some(b'\''), escape: None });
    }
    trials
}

/// The first line of a file for Excel may give the delimiter, "sep=;". Returns the text after that line, and the delimiter.
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

/// A second dialect whose score is this share of the best one's may be the right one as well.
const DOUBTFUL: f64 = 0.95;
