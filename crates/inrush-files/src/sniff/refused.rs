//! Texts that are not read as they are, and what to do with them: columns between blanks, delimiters of two bytes or of a rare one, blanks
//! before quotes, lines with two carriage returns. Each would load as another table, so each is an error with a command or an option.

use super::shape::{FieldShape, is_number};
use super::split::Trial;
use super::tried::{MOST_RECORDS, Tried};
use super::{Sample, given, shown};
use crate::widths::{RULER_LINES, Widths, is_ruler};
use inrush_core::error::{Error, Result};

/// The hint that `hint` makes of a command, which changes a file and pipes it into a load with these options. Programs do not read a text in
/// a wide encoding, which is to become UTF-8 first.
fn piped(sample: Sample<'_>, program: &str, options: &str, hint: impl FnOnce(String) -> String) -> String {
    let name = sample.name;
    if let Some(wide) = sample.wide {
        return format!("make it UTF-8 first: `iconv -f {} -t UTF-8 {name} > utf8.csv`", wide.name());
    }
    let quoted = |path: &str| match path.chars().all(|c| c.is_alphanumeric() || "/._-".contains(c)) {
        true => path.to_owned(),
        false => format!("'{}'", path.replace('\'', "'\\''")),
    };
    let unpack = UNPACK.iter().find(|(ending, _)| name.ends_with(ending));
    let command = match (name, name.split_once('#'), unpack) {
        ("-", ..) => program.to_owned(),
        (_, Some((archive, member)), _) if archive.ends_with(".zip") => {
            format!("unzip -p {} {} | {program}", quoted(archive), quoted(member))
        }
        (.., Some((_, unpack))) => format!("{unpack} {} | {program}", quoted(name)),
        _ if program.starts_with("tr ") => format!("{program} < {}", quoted(name)),
        _ => format!("{program} {}", quoted(name)),
    };
    hint(format!("{command} | inrush load - {options}.."))
}

/// What writes a compressed file to a pipe.
const UNPACK: &[(&str, &str)] = &[
    (".gz", "zcat"),
    (".zst", "zstdcat"),
    (".xz", "xzcat"),
    (".bz2", "bzcat"),
    (".lz4", "lz4cat"),
    (".zip", "unzip -p"),
];

/// Lines that end with two carriage returns and a line feed: text that was translated twice.
pub(super) fn refuse_two_returns(sample: Sample<'_>, text: &[u8]) -> Result<()> {
    let name = sample.name;
    match memchr::memmem::find(text, b"\r\r\n") {
        None => Ok(()),
        Some(at) => Err(Error::config(format!(
            "line {} of `{name}` ends with CR CR LF; the first CR would be a part of its last field",
            memchr::memchr_iter(b'\n', &text[..at]).count() + 1
        ))
        .with_hint(piped(sample, "tr -d '\\r'", "", |command| format!("`{command}` loads it without them")))),
    }
}

/// A sample that is cut off before the first record shows nothing of the table.
pub(super) fn refuse_only_comments(sample: Sample<'_>, text: &[u8]) -> Result<()> {
    if sample.comment.is_none() || sample.is_all || !lines(sample, text).is_empty() {
        return Ok(());
    }
    let (name, n) = (sample.name, sample.bytes.len());
    Err(Error::config(format!("the first {n} bytes of `{name}` are comments, so nothing is found out of its table"))
        .with_hint("`--format csv` or `--format tsv` with a header, or what differs by its option: `--no-header`"))
}

/// The command that removes blanks before fields and after quotes; blanks within quotes stay.
fn without_blanks(delimiter: u8) -> String {
    let shown = given(delimiter);
    let sign = if delimiter == b'|' { "\\|" } else { &shown };
    format!("sed -Ez 's/(^|{sign}|\\n) *(\"([^\"]|\"\")*\"|[^\"{shown}\\n]*) */\\1\\2/g'")
}

/// Refuses a blank after each delimiter, which would be a part of texts, and make numbers bad.
pub(super) fn refuse_blanks_behind(sample: Sample<'_>, text: &[u8], best: &Tried) -> Result<()> {
    let (mut n, delimiter) = (0, best.trial.delimiter);
    for record in best.table() {
        n += 1;
        if record.fields.len() < 2 || !record.fields[1..].iter().all(|field| text[field.text.clone()].starts_with(b" "))
        {
            return Ok(());
        }
    }
    if n < 2 || delimiter == b' ' {
        return Ok(());
    }
    let name = sample.name;
    Err(Error::config(format!(
        "a blank stands behind each {} of `{name}`, and would be a part of the values",
        shown(delimiter)
    ))
    .with_hint(piped(sample, &without_blanks(delimiter), "", |command| {
        format!("`{command}` leaves the blanks out; `--delimiter '{}'` keeps them", given(delimiter))
    })))
}

/// Refuses quotes after blanks: these do not count as quotes, so the field would keep both, and end at a delimiter within.
pub(super) fn refuse_blanks_before_quotes(sample: Sample<'_>, text: &[u8], tried: &[&Tried]) -> Result<()> {
    let is_blank_quoted = |field: &[u8]| {
        let inner = field.trim_ascii();
        let closes = |quote: u8| inner.len() > 1 && inner.ends_with(&[quote]);
        let quote = inner.first().copied().filter(|first| *first == b'"');
        field.starts_with(b" ")
            && quote.is_some_and(|quote| closes(quote) || memchr::memchr(quote, &inner[1..]).is_none())
    };
    // Where quotes are quotes with one delimiter, another one is text within them: `1,"first; "`.
    let has_quotes = tried.iter().any(|one| one.has_only_quotes(text));
    let is_open = |one: &&&Tried| one.trial.quote == Some(b'"') && (one.is_uniform || !has_quotes);
    for one in tried.iter().filter(is_open) {
        let fields = one.records.iter().flat_map(|record| record.fields.iter().map(move |field| (record, field)));
        let found = fields
            .filter(|(record, field)| {
                record.fields.len() > 1 && !field.is_quoted && is_blank_quoted(&text[field.text.clone()])
            })
            .map(|(record, field)| (record.line, &text[field.text.clone()]))
            .next();
        if let Some((line, field)) = found {
            let name = sample.name;
            let field = String::from_utf8_lossy(field);
            return Err(Error::config(format!(
                "blanks stand before quotes in `{name}`, so these are no quotes: `{field}` in line {}",
                line + 1
            ))
            .with_hint(piped(sample, &without_blanks(one.trial.delimiter), "", |command| {
                format!("`{command}` leaves the blanks out")
            })));
        }
    }
    Ok(())
}

/// A line of dashes under the names would be a row.
pub(super) fn refuse_ruler(sample: Sample<'_>, text: &[u8], skipped: u64, best: &Tried) -> Result<()> {
    let name = sample.name;
    let lines = text.split(|byte| *byte == b'\n').enumerate().skip(best.records[best.n_before].line as usize);
    let first = lines.filter(|(_, line)| !line.trim_ascii().is_empty() && !sample.is_comment(line)).take(RULER_LINES);
    match first.filter(|(_, line)| is_ruler(line)).map(|(i, _)| i as u64 + 1 + skipped).next() {
        None => Ok(()),
        Some(line) => Err(Error::config(format!("line {line} of `{name}` only has dashes, and would be a row"))
            .with_hint(piped(sample, &format!("sed {line}d"), "", |command| format!("`{command}` leaves it out")))),
    }
}

/// Every second field is empty in all records: the delimiter is two bytes.
pub(super) fn refuse_doubled(sample: Sample<'_>, text: &[u8], best: &Tried) -> Result<()> {
    let delimiter = best.trial.delimiter;
    let table: Vec<_> = best.records[best.n_before..].iter().filter(|record| !record.is_blank()).collect();
    let is_doubled = |fields: &[super::split::Field]| {
        fields.len() > 2
            && fields.len() % 2 == 1
            && fields.iter().skip(1).step_by(2).all(|field| field.text.is_empty() && !field.is_quoted)
    };
    let n_fields = table.first().map_or(0, |first| first.fields.len());
    let is_filled =
        |i: usize| table.iter().any(|record| record.fields.get(i).is_some_and(|field| !field.text.is_empty()));
    let has_values = (0..n_fields).step_by(2).all(is_filled);
    let n_doubled = table.iter().filter(|record| is_doubled(&record.fields)).count();
    // A single sign may be within a value.
    let is_delimiter = table.first().is_some_and(|first| is_doubled(&first.fields)) && n_doubled * 3 >= table.len() * 2;
    if !matches!(delimiter, b'|' | b'\t' | b';') || !has_values || !is_delimiter {
        return Ok(());
    }
    let (name, one) = (sample.name, given(delimiter));
    let other = if delimiter != b'\t' && memchr::memchr(b'\t', text).is_none() { "\\t" } else { "\\x1f" };
    let option = if other == "\\t" { "'\\t'" } else { "$'\\x1f'" };
    Err(Error::config(format!("the fields of `{name}` are separated by `{one}{one}`, and a delimiter is one byte"))
        .with_hint(piped(
            sample,
            &format!("sed 's/{one}{one}/{other}/g'"),
            &format!("--delimiter {option} "),
            |command| format!("`{command}` loads it"),
        )))
}

/// Refuses a sign that is rarely anything but a delimiter, if it is on every line, and the common delimiters give fewer columns or are
/// not on every line.
pub(super) fn refuse_wider_delimiter(sample: Sample<'_>, text: &[u8], best: &Tried) -> Result<()> {
    let lines = lines(sample, text);
    let (Some(first), name) = (lines.first(), sample.name) else { return Ok(()) };
    let other = best.trial.delimiter;
    for &sign in b"~^\x01\x1f" {
        if memchr::memchr(sign, first).is_none() {
            continue;
        }
        let is_wider = |tried: Tried| {
            tried.is_uniform && (!best.is_uniform || best.n_before > 0 || tried.n_fields() >= best.n_fields())
        };
        if in_quotes(sample, text, sign).any(is_wider) {
            let option = if sign < b' ' { format!("$'\\x{sign:02x}'") } else { format!("'{}'", given(sign)) };
            return Err(Error::config(format!(
                "the fields of `{name}` may be separated by {} or by {}",
                if sign < b' ' { format!("the byte {sign:#04x}") } else { shown(sign) },
                shown(other)
            ))
            .with_hint(format!("say which: `--delimiter {option}` or `--delimiter '{}'`", given(other))));
        }
    }
    let n_double = |line: &[u8]| memchr::memmem::find_iter(line, b"||").count();
    let n = n_double(first);
    if n > 0 && other != b'|' && lines.len() > 1 && lines.iter().all(|line| n_double(line) == n) {
        return Err(Error::config(format!(
            "the fields of `{name}` may be separated by `||`, and a delimiter is one byte, or by {}",
            shown(other)
        ))
        .with_hint(piped(sample, "sed 's/||/\\x1f/g'", "--delimiter $'\\x1f' ", |command| {
            format!("`{command}` loads the first, `--delimiter '{}'` is the second", given(other))
        })));
    }
    Ok(())
}

/// A sign as the delimiter, with either quote.
fn in_quotes<'s>(sample: Sample<'s>, text: &'s [u8], sign: u8) -> impl Iterator<Item = Tried> + 's {
    b"\"'"
        .iter()
        .map(move |&quote| Tried::new(Trial { delimiter: sign, quote: Some(quote), escape: None }, text, sample))
}

/// A text of one column, if all its lines have the same number of a sign that may be a delimiter as well.
pub(super) fn refuse_rare_delimiter(sample: Sample<'_>, text: &[u8]) -> Result<()> {
    let name = sample.name;
    let lines = lines(sample, text);
    if lines.is_empty() {
        return Ok(());
    }
    let is_uniform = |n_of: &dyn Fn(&[u8]) -> usize| {
        let first = n_of(lines[0]);
        first > 0 && lines.iter().all(|line| n_of(line) == first)
    };
    for sign in ["::", "~~", "^^", "##"] {
        if lines.len() > 1 && is_uniform(&|line| memchr::memmem::find_iter(line, sign.as_bytes()).count()) {
            return Err(Error::config(format!(
                "the fields of `{name}` may be separated by `{sign}`, and a delimiter is one byte"
            ))
            .with_hint(piped(
                sample,
                &format!("sed 's/{}/\\t/g'", sign.replace('^', "\\^")),
                "--delimiter '\\t' ",
                |command| format!("`{command}` loads them; `--delimiter ,` loads each line as one field"),
            )));
        }
    }
    for &sign in RARE {
        let of_sign = |line: &[u8]| memchr::memchr_iter(sign, line).count();
        let is_moment = || lines.len() > 1 && lines[1..].iter().all(|line| FieldShape::of(line) == FieldShape::Moment);
        let are_numbers = || {
            let words = |line: &[u8]| line.split(|byte| *byte == b' ').all(is_number);
            lines[1..].iter().all(|line| words(line))
        };
        // Addresses have one each.
        let is_address = || sign == b':' && memchr::memmem::find(text, b"://").is_some();
        let is_quoted = || lines[0].contains(&sign) && in_quotes(sample, text, sign).any(|tried| tried.is_uniform);
        // A single line may have any of these signs.
        if lines.len() < 2 && !b"~^\x01\x1f".contains(&sign) {
            continue;
        }
        if (is_uniform(&of_sign) || is_quoted()) && !is_moment() && !is_address() && (sign != b' ' || are_numbers()) {
            let option = if sign < b' ' { format!("$'\\x{sign:02x}'") } else { format!("'{}'", given(sign)) };
            let seen = if sign < b' ' { format!("the byte {sign:#04x}") } else { shown(sign) };
            return Err(Error::config(format!(
                "the fields of `{name}` may be separated by {seen}, or each line is one field"
            ))
            .with_hint(format!("say which: `--delimiter {option}`, or `--delimiter ,` for one field")));
        }
    }
    Ok(())
}

/// Refuses columns that are separated by tabs in some places and by blanks in others: most lines have both a tab and two numbers with
/// blanks between them. The tabs alone would put several columns into one.
pub(super) fn refuse_tabs_among_blanks(sample: Sample<'_>, text: &[u8]) -> Result<()> {
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

/// The first lines that are neither blank nor comments.
fn lines<'a>(sample: Sample<'_>, text: &'a [u8]) -> Vec<&'a [u8]> {
    let whole = match text.iter().rposition(|&byte| byte == b'\n') {
        Some(end) if !sample.is_all => &text[..end],
        _ => text,
    };
    whole
        .split(|&byte| byte == b'\n')
        .map(|line| line.strip_suffix(b"\r").unwrap_or(line))
        .filter(|line| !line.trim_ascii().is_empty() && !sample.is_comment(line))
        .take(MOST_RECORDS)
        .collect()
}

/// Refuses columns that are separated by blanks: most lines have runs of two blanks or more, and the same number of words.
pub(super) fn refuse_aligned(sample: Sample<'_>, text: &[u8]) -> Result<()> {
    let name = sample.name;
    let all = lines(sample, text);
    let ruled = all.iter().take(RULER_LINES).any(|line| is_ruler(line));
    let lines: Vec<&[u8]> = all
        .iter()
        .enumerate()
        .filter(|(i, line)| *i >= RULER_LINES || !is_ruler(line))
        .map(|(_, line)| *line)
        .collect();
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
    // Under a line of dashes one blank is enough.
    let aligned = lines.iter().filter(|line| n_runs(line) > 0 || (ruled && line.contains(&b' '))).count();
    let has_commas = lines.iter().any(|line| line.contains(&b','));
    if lines.len() >= 2 && aligned * 10 >= lines.len() * 9 {
        return Err(Error::config(format!(
            "the columns of `{name}` are aligned by blanks, and have no delimiter between them"
        ))
        .with_hint(match (Widths::measure(&all), has_commas) {
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

/// Rare delimiters, the more common first.
const RARE: &[u8] = b"~^:\x01\x1f\x1e\x1d\x1c\x02#! ";
