//! JSON of known truth: Lines and documents, arrays at a path, records with other orders of names and with names that others lack.

use super::{Dice, Outcome, Table, number, report};
use crate::dialect::CsvOptions;
use crate::file_format::Format;
use crate::open::open;
use std::path::Path;

#[test]
fn documents_of_known_truth() {
    let (n_files, first) = (number("TRUTH_FILES", 100), number("TRUTH_SEED", 1));
    let folder = tempfile::tempdir().unwrap();
    let outcomes = (first..first + n_files).map(|seed| {
        let truth = Truth::draw(seed);
        let path = folder.path().join(truth.name);
        std::fs::write(&path, &truth.bytes).unwrap();
        let outcome = check(&truth, &path);
        (format!("seed {seed}\n{:?}", String::from_utf8_lossy(&truth.bytes)), outcome)
    });
    report("documents", outcomes.collect());
}

struct Truth {
    name: &'static str,
    bytes: Vec<u8>,
    path: Option<&'static str>,
    table: Table,
}

fn check(truth: &Truth, path: &Path) -> Outcome {
    let mut options = CsvOptions::default();
    match super::read(path, &options) {
        Ok(table) if table == truth.table => return Outcome::Exact,
        Ok(table) => return Outcome::Another(format!("{table:?}")),
        Err((message, hint)) => {
            let Some(path) = truth.path.filter(|path| hint.contains(&format!("`--json-path {path}` loads these")))
            else {
                return Outcome::NotHelped(format!("{message}; {hint}"));
            };
            options.json_path = Some(path.split('.').map(str::to_owned).collect());
        }
    }
    assert!(open(&path.to_string_lossy(), Format::Auto, &options).is_ok());
    match super::read(path, &options) {
        Ok(table) if table == truth.table => Outcome::Helped,
        Ok(table) => Outcome::Another(format!("{table:?} by {options:?}")),
        Err((message, hint)) => Outcome::NotHelped(format!("{message}; {hint}")),
    }
}

impl Truth {
    fn draw(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x00c0_ffee);
        let names = ["id", "name", "Straße", "a \"b\"", "x.y", "é\u{1f600}", "\\N", "tab\there"];
        let n = dice.between(1, names.len() as u64) as usize;
        let kinds: Vec<u64> = (0..n).map(|_| dice.below(8)).collect();
        let (escapes, blanks) = (dice.percent(30), dice.percent(40));
        let mut seen: Vec<usize> = Vec::new();
        let (mut records, mut cells) = (Vec::new(), Vec::new());
        for _ in 0..dice.between(1, 20) {
            let mut order: Vec<usize> = (0..n).collect();
            if dice.percent(30) {
                order.rotate_left(dice.below(n as u64) as usize);
            }
            // A record has one name at least.
            let mut row = vec![None; n];
            let mut members = Vec::new();
            for (i, column) in order.into_iter().enumerate() {
                if i > 0 && dice.percent(15) {
                    continue;
                }
                let (json, text) = value(kinds[column], &mut dice, escapes, blanks);
                members.push(format!("{}:{}{json}", string(names[column], escapes), if blanks { " " } else { "" }));
                row[column] = text;
                if !seen.contains(&column) {
                    seen.push(column);
                }
            }
            records.push(format!("{{{}}}", members.join(if blanks { ", " } else { "," })));
            cells.push(row);
        }
        let (name, path, text) = written(&records, &mut dice);
        let mark = if dice.percent(20) { "\u{feff}" } else { "" };
        let text = format!("{mark}{text}");
        // As PowerShell writes it.
        let bytes = match !mark.is_empty() && dice.percent(50) {
            true => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            false => text.into_bytes(),
        };
        let names = seen.iter().map(|i| names[*i].trim().to_owned()).collect();
        let rows = cells.into_iter().map(|row| seen.iter().map(|i| row[*i].clone()).collect()).collect();
        Self { name, bytes, path, table: (names, rows) }
    }
}

/// The records in a form: the file's name, the path of the array, the text.
fn written(records: &[String], dice: &mut Dice) -> (&'static str, Option<&'static str>, String) {
    let array = |between: &str| format!("[{}]", records.join(between));
    match dice.below(7) {
        0 => ("a.jsonl", None, records.join("\n") + "\n"),
        1 => ("a.jsonl", None, records.join("\r\n\r\n")),
        2 => ("a.json", None, records.join("\n")),
        3 => ("a.json", None, array(",")),
        4 => ("a.json", None, format!("\n  {}\n\n", array(",\r\n\t").replace("[{", "[\n{"))),
        5 => ("a.json", Some("rows"), format!("{{\"n\": 1, \"rows\": {}, \"next\": null}}", array(", "))),
        _ => (
            "a.json",
            Some("data.rows"),
            format!("{{\"data\": {{\"n\": [1], \"rows\": {}}}, \"meta\": {{}}}}", array(",")),
        ),
    }
}

/// A value as JSON, and the text that it is.
fn value(kind: u64, dice: &mut Dice, escapes: bool, blanks: bool) -> (String, Option<String>) {
    let n = dice.below(3_000);
    let words =
        ["Ann", "", "two\nlines", "say \"hi\"", "C:\\x", "Jörg, 東京", "null", "\u{1f600} x", "]}", "\\N", "{\"a\":1}"];
    let plain = |text: String| (text.clone(), Some(text));
    if dice.percent(8) {
        return ("null".to_owned(), None);
    }
    match kind {
        0 => plain(n.to_string()),
        1 => plain(format!("-{n}.{:02}", dice.below(100))),
        2 => plain(format!("{}e{}", 1 + n % 9, dice.below(20))),
        3 => plain(format!("1234567890123456789{n}.0000000000000000001")),
        4 => {
            let is = dice.percent(50);
            (is.to_string(), Some(u8::from(is).to_string()))
        }
        5 => {
            let nested = if blanks { format!("[ {n}, {{ \"a\": \"]\" }} ]") } else { format!("[{n},{{\"a\":\"]\"}}]") };
            plain(nested)
        }
        6 => {
            let day = format!("20{:02}-{:02}-{:02}", dice.below(30), dice.between(1, 12), dice.between(1, 28));
            (string(&day, escapes), Some(day))
        }
        _ => {
            let word = words[dice.below(words.len() as u64) as usize];
            (string(word, escapes), Some(word.to_owned()))
        }
    }
}

/// A string of JSON; `escapes`: all that is not ASCII is escaped, and `/` as PHP does.
pub(super) fn string(text: &str, escapes: bool) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            '/' if escapes => out += "\\/",
            c if escapes && !c.is_ascii() => {
                let mut units = [0; 2];
                c.encode_utf16(&mut units).iter().for_each(|unit| out += &format!("\\u{unit:04x}"));
            }
            c => out.push(c),
        }
    }
    out + "\""
}
