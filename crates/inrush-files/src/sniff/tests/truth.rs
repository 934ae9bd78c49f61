//! Files of known truth: a table is drawn, written in a dialect that is drawn too, and read without an option. It must be read exactly, or
//! be refused with a hint that, followed, reads it exactly. Never as another table.
//!
//! `TRUTH_FILES=2000 cargo test -p inrush-files --lib truth` is the long form; `TRUTH_SEED` begins with another file, `TRUTH_REPORT` is a file
//! to which the counts are appended. JSON is in `documents`, workbooks are in `sheets` (`TRUTH_WORKBOOKS`, `TRUTH_PYTHON`).

mod documents;
mod sheets;

use crate::dialect::{AutoDetect, CsvOptions};
use crate::file_format::Format;
use crate::open::open;
use arrow_array::Array;
use arrow_array::cast::AsArray;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

#[test]
fn files_of_known_truth() {
    let (n_files, first) = (number("TRUTH_FILES", 100), number("TRUTH_SEED", 1));
    let folder = tempfile::tempdir().unwrap();
    let outcomes = (first..first + n_files).map(|seed| {
        let truth = Truth::draw(seed);
        let path = folder.path().join(if truth.dialect.delimiter == "\t" && seed % 2 == 0 { "t.tsv" } else { "t.csv" });
        let outcome = check(&truth, &path);
        let bytes = truth.bytes();
        (format!("seed {seed}\n{:?}\n{:?}", String::from_utf8_lossy(&bytes), truth.dialect), outcome)
    });
    report("files", outcomes.collect());
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |n| n.parse().unwrap())
}

/// Counts what came of files, and fails if one was read as another table, or was refused and not helped.
fn report(what: &str, outcomes: Vec<(String, Outcome)>) {
    let mut counts = BTreeMap::<&str, u64>::new();
    for (_, outcome) in &outcomes {
        *counts.entry(outcome.name()).or_default() += 1;
    }
    let said = format!("{} {what}: {counts:?}\n", outcomes.len());
    if let Some(path) = std::env::var_os("TRUTH_REPORT") {
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(said.as_bytes()).unwrap();
    }
    let wrong = outcomes.iter().filter_map(|(file, outcome)| match outcome {
        Outcome::Another(why) | Outcome::NotHelped(why) => Some(format!("{}: {why}\n{file}", outcome.name())),
        Outcome::Exact | Outcome::Helped => None,
    });
    let wrong: Vec<String> = wrong.take(40).collect();
    assert!(wrong.is_empty(), "{said}\n\n{}", wrong.join("\n\n"));
}

/// Does what a hint says of a sheet.
fn follow_sheet(hint: &str, header: bool, n_before: usize, options: &mut CsvOptions) -> bool {
    if hint.contains("--skip auto") {
        options.auto_detect.skip = true;
        return n_before > 0;
    }
    if hint.contains("--no-header") {
        if n_before > 0 && options.skip == 0 && !options.auto_detect.skip {
            options.skip = n_before as u64;
            return hint.contains("`--skip N` passes over lines before the table");
        }
        (options.header, options.auto_detect.header) = (header, false);
        return true;
    }
    false
}

/// What came of a file.
#[derive(Debug)]
enum Outcome {
    /// Read exactly.
    Exact,
    /// Refused, and read exactly with what the hint says.
    Helped,
    /// Read as another table.
    Another(String),
    /// Refused, and the hint does not lead to the table.
    NotHelped(String),
}

impl Outcome {
    fn name(&self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Helped => "refused, and exact by the hint",
            Self::Another(_) => "another table",
            Self::NotHelped(_) => "refused, and not helped",
        }
    }
}

fn check(truth: &Truth, path: &Path) -> Outcome {
    std::fs::write(path, truth.bytes()).unwrap();
    let auto_detect = AutoDetect { delimiter: true, quote: true, header: true, skip: false, encoding: false };
    let mut options = CsvOptions::default().with_auto_detect(auto_detect);
    let mut steps = Vec::new();
    // Each hint may uncover the next question.
    for _ in 0..6 {
        let (message, hint) = match read(path, &options) {
            Ok(table) if table == truth.table() => {
                return if steps.is_empty() { Outcome::Exact } else { Outcome::Helped };
            }
            Ok(table) => return Outcome::Another(format!("{table:?} by {steps:?}")),
            Err(refused) => refused,
        };
        if !follow(&hint, &message, truth, path, &mut options) {
            return Outcome::NotHelped(format!("{message}; {hint} (by {steps:?})"));
        }
        steps.push(hint);
    }
    Outcome::NotHelped(format!("{steps:?}"))
}

/// Names and rows; `None` is NULL. Without a header there are no names.
type Table = (Vec<String>, Vec<Vec<Option<String>>>);

fn read(path: &Path, options: &CsvOptions) -> Result<Table, (String, String)> {
    let refused =
        |error: &inrush_core::Error| (error.message().to_owned(), error.hint().unwrap_or_default().to_owned());
    let mut reader = open(&path.to_string_lossy(), Format::Auto, options).map_err(|e| refused(&e))?;
    let header = reader.as_csv().and_then(|csv| csv.found()).map_or(options.header, |found| found.header);
    let names = if header { reader.fields().iter().map(|name| name.trim().to_owned()).collect() } else { Vec::new() };
    let mut rows = Vec::new();
    while let Some(batch) = reader.next().map_err(|e| refused(&e))? {
        if let Some(reject) = batch.rejects.first() {
            // The command adds the hint.
            return Err((reject.reason.clone(), String::new()));
        }
        for row in 0..batch.rows.num_rows() {
            let cell = |column: &std::sync::Arc<dyn Array>| {
                let cells = column.as_binary_view();
                cells.is_valid(row).then(|| String::from_utf8_lossy(cells.value(row)).into_owned())
            };
            rows.push(batch.rows.columns().iter().map(cell).collect());
        }
    }
    Ok((names, rows))
}

/// Follows a hint, as a user does who knows the file. Returns false if the hint does not help.
fn follow(hint: &str, message: &str, truth: &Truth, path: &Path, options: &mut CsvOptions) -> bool {
    let said = |text: &str| hint.contains(text);
    let file = path.to_string_lossy();
    if let Some((command, more)) = hint.split_once(" | inrush load - ")
        && let Some((_, command)) = command.rsplit_once('`')
    {
        let done = Command::new("sh").args(["-c", command]).output().unwrap();
        assert!(done.status.success() && command.contains(&*file), "{command}");
        std::fs::write(path, done.stdout).unwrap();
        for (option, delimiter) in [("--delimiter '\\t'", b'\t'), ("--delimiter $'\\x1f'", 0x1f)] {
            if more.starts_with(option) {
                options.delimiter = Some(delimiter);
                options.auto_detect.delimiter = false;
            }
        }
        return true;
    }
    if let Some((_, command)) = hint.split_once("make it UTF-8 first: `") {
        let command = command.split(" > ").next().unwrap();
        let done = Command::new("sh").args(["-c", command]).output().unwrap();
        assert!(done.status.success(), "{command}");
        std::fs::write(path, done.stdout).unwrap();
        return true;
    }
    let dialect = &truth.dialect;
    if said("--header") && said("--no-header") {
        options.header = dialect.header;
        options.auto_detect.header = false;
        return true;
    }
    if said("--skip auto") || (said("--skip ") && said("passes over it")) {
        // As a comment it has no names.
        options.auto_detect.skip = true;
        return truth.n_before() > 0;
    }
    let delimiter = dialect.delimiter.as_bytes()[0];
    let shown = if delimiter == b'\t' { "\\t".to_owned() } else { dialect.delimiter.to_owned() };
    if said("for one field, `--delimiter ','` for two") {
        options.delimiter = Some(if truth.rows[0].len() == 1 { b';' } else { b',' });
        options.auto_detect.delimiter = false;
        return true;
    }
    if said("--delimiter") {
        options.delimiter = Some(if truth.rows[0].len() == 1 { b',' } else { delimiter });
        options.auto_detect.delimiter = false;
        return truth.rows[0].len() == 1 || said(&format!("--delimiter '{shown}'"));
    }
    if said("--escape '\\'") && !dialect.escapes && said("`--quote ''` for text") {
        (options.quote, options.auto_detect.quote) = (None, false);
        return dialect.quote.is_none();
    }
    if said("--escape '\\'") && dialect.escapes {
        (options.quote, options.escape, options.auto_detect.quote) = (None, Some(b'\\'), false);
        return true;
    }
    if said("--null '\\N'") {
        options.nulls.push(b"\\N".to_vec());
        return true;
    }
    if message.starts_with("expected 1 fields") {
        if truth.dialect.quote == Some(b'\'') && truth.bytes().contains(&b'\'') {
            (options.quote, options.auto_detect.quote) = (Some(b'\''), false);
        } else {
            (options.delimiter, options.auto_detect.delimiter) = (Some(0x1f), false);
        }
        return truth.rows[0].len() == 1;
    }
    if said("--quote") || message.contains("closing quote") {
        options.quote = dialect.quote;
        options.auto_detect.quote = false;
        return true;
    }
    false
}

/// How a table is written.
#[derive(Debug)]
struct Dialect {
    delimiter: &'static str,
    quote: Option<u8>,
    quotes: Quotes,
    /// As SELECT INTO OUTFILE: `\` escapes, `\N` is NULL.
    escapes: bool,
    header: bool,
    line_end: &'static str,
    before: &'static str,
    blank_behind: bool,
    mark: &'static [u8],
    is_utf_16: bool,
    has_last_end: bool,
    end: &'static str,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Quotes {
    Never,
    WhereNeeded,
    Texts,
    All,
}

struct Truth {
    names: Vec<String>,
    rows: Vec<Vec<Option<String>>>,
    dialect: Dialect,
    /// Columns whose cells are texts.
    texts: Vec<bool>,
}

impl Truth {
    fn draw(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let escapes = dice.percent(8);
        let delimiter = match dice.below(20) {
            _ if escapes => "\t",
            0..8 => ",",
            8..12 => ";",
            12..16 => "\t",
            16..18 => "|",
            18 => "~",
            _ => "||",
        };
        let quote = match dice.below(10) {
            _ if escapes => None,
            0..7 => Some(b'"'),
            7 => Some(b'\''),
            _ => None,
        };
        let quotes = match dice.below(6) {
            _ if quote.is_none() => Quotes::Never,
            0..3 => Quotes::WhereNeeded,
            3..5 => Quotes::Texts,
            _ => Quotes::All,
        };
        let header = dice.percent(75);
        let dialect = Dialect {
            delimiter,
            quote,
            quotes,
            escapes,
            header,
            line_end: ["\n", "\n", "\n", "\r\n", "\r\n", "\r", "\r\r\n"][dice.below(7) as usize],
            // Nothing is found out of a title where the delimiter is not.
            before: if dice.percent(10) && !matches!(delimiter, "~" | "||") {
                ["Report of 2024\n\n", "# made by hand\n", "\n\n"][dice.below(3) as usize]
            } else {
                ""
            },
            blank_behind: quote == Some(b'"') && quotes == Quotes::Texts && delimiter == "," && dice.percent(20),
            mark: if dice.percent(10) { "\u{feff}".as_bytes() } else { b"" },
            is_utf_16: dice.percent(5),
            has_last_end: dice.percent(85),
            end: if dice.percent(3) { "\x1a" } else { "" },
        };
        // A title and a column are alike.
        let n_columns = dice.between(if dialect.before.is_empty() && !escapes { 1 } else { 2 }, 7) as usize;
        let n_rows = dice.between(if dialect.before.is_empty() { 1 } else { 3 }, 20) as usize;
        let kinds: Vec<u64> = (0..n_columns).map(|_| dice.below(N_KINDS)).collect();
        let mut rows: Vec<Vec<Option<String>>> =
            (0..n_rows).map(|_| kinds.iter().map(|kind| cell(*kind, &mut dice)).collect()).collect();
        let mut names = names(n_columns, &mut dice);
        let can_hold = |text: &str| match (dialect.quotes, dialect.escapes) {
            (_, true) => true,
            (Quotes::Never, _) => !text.contains(['\n', '\r']) && !text.contains(dialect.delimiter),
            _ => true,
        };
        let plain = |text: &str| {
            let text = text.replace(['\n', '\r'], " ").replace(dialect.delimiter, "-");
            // With one column it is unknown whether a sign is a delimiter.
            let text = if n_columns == 1 && dialect.quotes == Quotes::Never { text.replace(", ", " ") } else { text };
            if dialect.line_end == "\r" { text.replace('"', "") } else { text }
        };
        for cell in rows.iter_mut().flatten() {
            match cell {
                // Without a word for it NULL is empty.
                None if !dialect.escapes => *cell = Some(String::new()),
                Some(text) if !can_hold(text) || dialect.line_end != "\n" || n_columns == 1 => *text = plain(text),
                _ => {}
            }
        }
        for name in &mut names {
            *name = plain(name);
        }
        let texts = kinds.iter().map(|kind| *kind >= FIRST_TEXT).collect();
        // A row of one empty field is a blank line.
        if n_columns == 1 {
            rows.retain(|row| row[0].as_ref().is_none_or(|text| !text.is_empty()));
            if rows.is_empty() {
                rows.push(vec![Some("x1".to_owned())]);
            }
        }
        Self { names, rows, dialect, texts }
    }

    fn table(&self) -> Table {
        let names = if self.dialect.header { self.names.clone() } else { Vec::new() };
        (names, self.rows.clone())
    }

    fn n_before(&self) -> usize {
        self.dialect.before.len()
    }

    fn bytes(&self) -> Vec<u8> {
        let Dialect { line_end, before, mark, is_utf_16, has_last_end, end, .. } = self.dialect;
        let mut lines = Vec::new();
        if self.dialect.header {
            let names: Vec<Option<String>> = self.names.iter().cloned().map(Some).collect();
            lines.push(self.line(&names, true));
        }
        lines.extend(self.rows.iter().map(|row| self.line(row, false)));
        let text = before.replace('\n', line_end) + &lines.join(line_end) + if has_last_end { line_end } else { "" };
        let text = if has_last_end { text + end } else { text };
        if is_utf_16 {
            return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        }
        [mark, text.as_bytes()].concat()
    }

    fn line(&self, cells: &[Option<String>], is_header: bool) -> String {
        let fields: Vec<String> =
            cells.iter().enumerate().map(|(i, cell)| self.field(cell.as_deref(), is_header || self.texts[i])).collect();
        let blank = if self.dialect.blank_behind { " " } else { "" };
        fields.join(&format!("{}{blank}", self.dialect.delimiter))
    }

    fn field(&self, cell: Option<&str>, is_text: bool) -> String {
        let Dialect { delimiter, quote, quotes, escapes, .. } = self.dialect;
        let Some(text) = cell else { return "\\N".to_owned() };
        if escapes {
            return text.replace('\\', "\\\\").replace('\t', "\\\t").replace('\n', "\\\n");
        }
        let Some(quote) = quote.map(char::from) else { return text.to_owned() };
        let is_special = text.contains(delimiter) || text.contains(['\n', '\r']) || text.starts_with(quote);
        let is_quoted = match quotes {
            Quotes::Never => false,
            Quotes::WhereNeeded => is_special,
            Quotes::Texts => is_special || is_text,
            Quotes::All => true,
        };
        match is_quoted {
            true => format!("{quote}{}{quote}", text.replace(quote, &format!("{quote}{quote}"))),
            false => text.to_owned(),
        }
    }
}

/// Kinds of cells, those of numbers and days first.
const N_KINDS: u64 = 18;
const FIRST_TEXT: u64 = 9;

fn cell(kind: u64, dice: &mut Dice) -> Option<String> {
    if dice.percent(6) {
        return None;
    }
    let n = dice.below(3_000);
    let pick = |dice: &mut Dice, words: &[&str]| words[dice.below(words.len() as u64) as usize].to_owned();
    Some(match kind {
        0 => n.to_string(),
        1 => format!("{}.{:02}", n, dice.below(100)),
        2 => format!("{},{:02}", n, dice.below(100)),
        3 => format!("1.{:03},{}", dice.below(1000), dice.below(10)),
        4 => format!("{}", 1950 + dice.below(80)),
        5 => format!("20{:02}-{:02}-{:02}", dice.below(30), dice.between(1, 12), dice.between(1, 28)),
        6 => format!("{:02}.{:02}.20{:02}", dice.between(1, 28), dice.between(1, 12), dice.below(30)),
        7 => format!("{:02}:{:02}", dice.below(24), dice.below(60)),
        8 => format!("-{}", dice.below(50)),
        9 => pick(dice, &["Ann", "Bob", "Zoé", "Jörg", "Max", "Ida", "Lea", "Tom", "Eva", "Kim"]),
        10 => pick(dice, &["Berlin", "New York", "São Paulo", "Köln", "Roma", "Paris, France", "Den Haag", "Oslo"]),
        11 => pick(
            dice,
            &["a; b", "x|y", "one, two", "plain", "it's", "5\" pipe", "say \"hi\"", "\"Foo\" Inc", "tab\there"],
        ),
        12 => format!("{}{:03}", ["A", "B", "X"][dice.below(3) as usize], n % 1000),
        13 => pick(dice, &["true", "false"]),
        14 => format!("user{n}@example.org"),
        15 => format!("https://example.org/{n}?a=1&b=2"),
        16 => {
            pick(dice, &["two\nlines", "one line", "three\nshort\nlines", "with, comma\nand line", "C:\\Foo\\bar", "x"])
        }
        _ => format!("{:06}", n),
    })
}

fn names(n: usize, dice: &mut Dice) -> Vec<String> {
    let lists: [&[&str]; 5] = [
        &["id", "name", "city", "price", "date", "note", "email"],
        &["Kunde", "Ort", "Straße", "Wert", "Jahr", "Menge", "Bemerkung"],
        &["order_id", "first_name", "zip", "amount", "created_at", "status", "url"],
        &["2019", "2020", "2021", "2022", "2023", "2024", "2025"],
        &["Region", "2024-01", "2024-02", "2024-03", "2024-04", "2024-05", "2024-06"],
    ];
    lists[dice.below(5) as usize][..n].iter().map(|&name| name.to_owned()).collect()
}

/// SplitMix64.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    fn percent(&mut self, chance: u64) -> bool {
        self.below(100) < chance
    }
}
