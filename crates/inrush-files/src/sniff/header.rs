//! Whether the first record has the names of the columns. The rule, which docs/load.md has for people:
//!
//! 1. A text over numbers or days speaks for a header, a number over numbers and a day over days against it, and the larger number of
//!    columns decides. Years and counts (`2019,2020`, `1,2,3`) may be names, and decide nothing by themselves.
//! 2. Of texts over texts, names speak for a header: common words (`name`, `order_id`), numbered ones (`c1,c2`), and fields that are of
//!    another kind than everything below them. A value that is repeated below, and an empty field, speak against it.
//! 3. If the records do not decide, the names of the table's columns do: a record that has only these names is a header, even if
//!    numbers or days speak against it. A line that is the header of another file of the load is a header as well.
//! 4. If that does not decide either, it is an error that asks the user.

use super::layout::Layout;
use super::names;
use super::shape::{FieldShape, is_null_text};
use super::split::Record;
use crate::dialect::{CsvOptions, TableColumn};
use inrush_core::error::{Error, InputFault, Result};
use std::collections::HashMap;

pub(super) fn find(name: &str, layout: &Layout<'_>, options: &CsvOptions) -> Result<bool> {
    let records: Vec<&Record> = layout.records.iter().filter(|record| !record.is_blank()).collect();
    let Some((first, rest)) = records.split_first() else { return Ok(true) };
    let text_of = |record: &Record| -> Vec<&[u8]> {
        record.fields.iter().map(|field| layout.text[field.text.clone()].trim_ascii()).collect()
    };
    let first_fields = text_of(first);
    let (n, lacks_ends) = (first.fields.len(), options.null_missing_fields);
    let is_same = |record: &&&Record| record.fields.len() == n || (lacks_ends && record.fields.len() < n);
    let row = |record: &&Record| {
        let mut row = text_of(record);
        row.resize(n, b"");
        row
    };
    let rows: Vec<Vec<&[u8]>> = rest.iter().take(MOST_RECORDS).filter(is_same).map(row).collect();
    let verdict = judge(&first_fields, &rows);
    let table = options.columns_of_table.as_ref();
    if verdict == Verdict::Header {
        table.inspect(|table| table.note_header(&first_fields));
        return Ok(true);
    }
    if let Some(table) = table
        && (table.has_header(&first_fields)
            || table.read()?.is_some_and(|columns| are_columns(&first_fields, &columns)))
    {
        return Ok(true);
    }
    if verdict == Verdict::Row {
        return Ok(false);
    }
    // Records count their lines after the lines that an option skips.
    let line = match options.skip + first.line {
        0 => "the first line".to_owned(),
        n => format!("line {}", n + 1),
    };
    let line_of = |fields: &[&[u8]]| shown(fields, char::from(layout.delimiter));
    let next = match rows.first() {
        Some(row) => format!("the first row is `{}`", line_of(row)),
        None => "there is no row".to_owned(),
    };
    let own = line_of(&first_fields);
    // For a sheet that may have lines before its table.
    let skip = if lacks_ends { "; `--skip N` passes over lines before the table" } else { "" };
    let message = format!("{line} of `{name}` may be a header or a row");
    let hint = format!("say which: `--header` or `--no-header`; with a header {next}, without one it is `{own}`{skip}");
    let error = Error::config(format!("{message}: `{own}`")).with_hint(hint);
    Err(error.with_input_fault(InputFault::HeaderInDoubt { message: message.into() }))
}

/// Whether the records of a file show that the first of them is a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Header,
    Row,
    Open,
}

fn judge(first: &[&[u8]], rows: &[Vec<&[u8]>]) -> Verdict {
    let shape = |field: &&[u8]| if is_null_text(field) { FieldShape::Empty } else { FieldShape::of(field) };
    let shapes: Vec<FieldShape> = first.iter().map(shape).collect();
    let kinds: Vec<Kind> = (0..first.len()).map(|i| Kind::of(rows, i)).collect();
    if kinds.iter().all(|kind| *kind == Kind::Empty) {
        return validate_alone(first, &shapes);
    }
    let counts = counts(&shapes, first, rows);
    let (mut for_it, mut against, mut weakly_against) = (0, 0, 0);
    let mut texts = Vec::new();
    for (i, (shape, kind)) in shapes.iter().zip(&kinds).enumerate() {
        match (shape, kind) {
            (_, Kind::Empty) => {}
            (FieldShape::Text, Kind::Truth) if is_truth(first[i]) => against += 1,
            (FieldShape::Text, Kind::Number | Kind::Moment | Kind::Mixed | Kind::Truth) => for_it += 1,
            (FieldShape::Text, Kind::Text) => texts.push(i),
            (FieldShape::Moment, Kind::Number) => for_it += 1,
            (FieldShape::Moment, Kind::Moment | Kind::Mixed) => against += 1,
            (FieldShape::Number, Kind::Number | Kind::Mixed) if counts.contains(&i) => weakly_against += 1,
            (FieldShape::Number, Kind::Number | Kind::Mixed) => against += 1,
            // A year may be a name.
            (FieldShape::Year, Kind::Number) if has_years(rows, i) => weakly_against += 1,
            (FieldShape::Empty, _) if i > 0 => weakly_against += 1,
            _ => {}
        }
    }
    if for_it > against {
        return Verdict::Header;
    }
    if for_it > 0 {
        return Verdict::Open;
    }
    let repeated = texts.iter().filter(|i| rows.iter().any(|row| row[**i] == first[**i])).count();
    let doubles = texts.iter().filter(|i| first.iter().filter(|field| **field == first[**i]).count() > 1).count();
    weakly_against += repeated + doubles;
    let has_names = names::are_names(first, &texts, rows) || counts_are_years(&shapes, &counts, rows);
    match (has_names, against, weakly_against) {
        (true, 0, 0) => Verdict::Header,
        (true, 0, weakly) if texts.len() > 2 * weakly => Verdict::Header,
        (false, 1.., _) => Verdict::Row,
        _ => Verdict::Open,
    }
}

/// Judges a record that is alone, or has only empty records below it.
fn validate_alone(first: &[&[u8]], shapes: &[FieldShape]) -> Verdict {
    let texts: Vec<usize> = (0..first.len()).filter(|i| shapes[*i] == FieldShape::Text).collect();
    let filled = shapes.iter().filter(|shape| **shape != FieldShape::Empty).count();
    let is_value = |shape: &&FieldShape| matches!(shape, FieldShape::Number | FieldShape::Moment);
    match filled {
        0 => Verdict::Header,
        _ if shapes.iter().filter(is_value).count() == filled => Verdict::Row,
        _ if texts.len() == filled && names::are_names(first, &texts, &[]) => Verdict::Header,
        _ => Verdict::Open,
    }
}

/// The kind of nearly all values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Empty,
    Number,
    Moment,
    /// Numbers and days.
    Mixed,
    /// `true` and `false`.
    Truth,
    Text,
}

impl Kind {
    fn of(rows: &[Vec<&[u8]>], i: usize) -> Self {
        let (mut filled, mut numbers, mut moments, mut truths) = (0, 0, 0, 0);
        for field in rows.iter().map(|row| row[i]) {
            match FieldShape::of(field) {
                FieldShape::Empty => continue,
                FieldShape::Year | FieldShape::Number => numbers += 1,
                FieldShape::Moment => moments += 1,
                FieldShape::Text if is_null_text(field) => continue,
                FieldShape::Text => truths += usize::from(is_truth(field)),
            }
            filled += 1;
        }
        let is_most = |n: usize| n * 10 >= filled * 9;
        match () {
            () if filled == 0 => Self::Empty,
            () if is_most(numbers) => Self::Number,
            () if is_most(moments) => Self::Moment,
            () if is_most(numbers + moments) => Self::Mixed,
            () if is_most(truths) => Self::Truth,
            () => Self::Text,
        }
    }
}

fn is_truth(field: &[u8]) -> bool {
    [&b"true"[..], b"false"].iter().any(|word| field.eq_ignore_ascii_case(word))
}

/// Whether a column has years below the first record.
fn has_years(rows: &[Vec<&[u8]>], i: usize) -> bool {
    rows.iter().filter(|row| FieldShape::of(row[i]) == FieldShape::Year).count() * 2 >= rows.len()
}

/// The fields that count up by one, as names such as `1,2,3` or `2019,2020` do, unless records below do so as well.
fn counts(shapes: &[FieldShape], first: &[&[u8]], rows: &[Vec<&[u8]>]) -> Vec<usize> {
    let at: Vec<usize> =
        (0..first.len()).filter(|i| matches!(shapes[*i], FieldShape::Number | FieldShape::Year)).collect();
    let counts_up = |row: &[&[u8]]| {
        let whole = |i: &usize| str::from_utf8(row[*i]).ok()?.parse::<u32>().ok();
        let numbers: Option<Vec<u32>> = at.iter().map(whole).collect();
        numbers.is_some_and(|numbers| numbers.windows(2).all(|pair| pair[1].checked_sub(pair[0]) == Some(1)))
    };
    let has_texts = at.len() < first.len();
    let is_enough = at.len() > 2 || (at.len() == 2 && has_texts);
    if !is_enough || !counts_up(first) || rows.iter().filter(|row| counts_up(row)).count() * 2 > rows.len() {
        return Vec::new();
    }
    at
}

/// Whether these are years over numbers that are not years.
fn counts_are_years(shapes: &[FieldShape], counts: &[usize], rows: &[Vec<&[u8]>]) -> bool {
    !counts.is_empty() && counts.iter().all(|i| shapes[*i] == FieldShape::Year && !has_years(rows, *i))
}

/// Whether all fields are names of the table's columns, each of another one.
fn are_columns(first: &[&[u8]], columns: &[TableColumn]) -> bool {
    let mut taken: HashMap<String, ()> = HashMap::new();
    let lower: Vec<String> = columns.iter().map(|column| column.name.trim().to_lowercase()).collect();
    first.iter().all(|field| {
        let Ok(field) = str::from_utf8(field) else { return false };
        let field = field.trim().to_lowercase();
        lower.contains(&field) && taken.insert(field, ()).is_none()
    })
}

/// A record for a message, with long fields cut.
fn shown(fields: &[&[u8]], delimiter: char) -> String {
    let short = |field: &&[u8]| {
        let text = String::from_utf8_lossy(field);
        let cut: String = text.chars().take(MOST_SHOWN).collect();
        if cut.len() < text.len() { cut + ".." } else { cut }
    };
    let mut said: Vec<String> = fields.iter().take(MOST_FIELDS_SHOWN).map(short).collect();
    if fields.len() > MOST_FIELDS_SHOWN {
        said.push("..".to_owned());
    }
    said.join(&delimiter.to_string()).replace('\t', "\\t")
}

const MOST_RECORDS: usize = 1_000;

/// The most characters of a field, and the most fields, that are shown.
const MOST_SHOWN: usize = 24;
const MOST_FIELDS_SHOWN: usize = 6;
