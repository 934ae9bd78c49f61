//! Workbooks of known truth, as four writers make them: ours, and openpyxl, XlsxWriter and PyExcelerate where `TRUTH_PYTHON` names a Python
//! that has them.

use super::{Dice, Outcome, Table, follow_sheet, number, report};
use crate::dialect::{AutoDetect, CsvOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn workbooks_of_known_truth() {
    let (n_files, first) = (number("TRUTH_WORKBOOKS", 40), number("TRUTH_SEED", 1));
    let python = std::env::var_os("TRUTH_PYTHON");
    let writers: &[&str] =
        if python.is_some() { &["ours", "openpyxl", "xlsxwriter", "pyexcelerate"] } else { &["ours"] };
    let folder = tempfile::tempdir().unwrap();
    let truths: Vec<(u64, Truth)> = (first..first + n_files).map(|seed| (seed, Truth::draw(seed))).collect();
    let path = |seed: u64, writer: &str| folder.path().join(format!("{writer}-{seed}.xlsx"));
    for (seed, truth) in &truths {
        std::fs::write(path(*seed, "ours"), truth.workbook()).unwrap();
    }
    if let Some(python) = &python {
        let of = |(seed, truth): &(u64, Truth)| {
            writers[1..].iter().map(|writer| truth.order(writer, &path(*seed, writer))).collect::<Vec<_>>()
        };
        let orders: Vec<String> = truths.iter().flat_map(of).collect();
        write_by(Path::new(python), &format!("[{}]", orders.join(",")));
    }
    let outcomes = truths.iter().flat_map(|(seed, truth)| {
        writers
            .iter()
            .map(|writer| (format!("seed {seed} by {writer}\n{truth:?}"), check(truth, &path(*seed, writer))))
            .collect::<Vec<_>>()
    });
    report("workbooks", outcomes.collect());
}

fn write_by(python: &Path, orders: &str) {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/sniff/tests/truth/write_workbooks.py");
    let mut child = Command::new(python).arg(script).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(orders.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

fn check(truth: &Truth, path: &Path) -> Outcome {
    let auto_detect = AutoDetect { header: true, ..AutoDetect::default() };
    let mut options = CsvOptions::default().with_auto_detect(auto_detect);
    let mut steps = Vec::new();
    for _ in 0..4 {
        match super::read(path, &options) {
            Ok(table) if table == truth.table() => {
                return if steps.is_empty() { Outcome::Exact } else { Outcome::Helped };
            }
            Ok(table) => return Outcome::Another(format!("{table:?} by {steps:?}")),
            Err((message, hint)) => {
                if !follow_sheet(&hint, truth.header, truth.before.len(), &mut options) {
                    return Outcome::NotHelped(format!("{message}; {hint} (by {steps:?})"));
                }
                steps.push(hint);
            }
        }
    }
    Outcome::NotHelped(format!("{steps:?}"))
}

/// What is in a cell.
#[derive(Clone, Debug)]
enum Cell {
    Empty,
    Number(f64),
    Text(String),
    Bool(bool),
    /// Days since 1900 as Excel counts them.
    Day(u32),
}

impl Cell {
    /// Its text in a table.
    fn shown(&self) -> Option<String> {
        match self {
            Self::Empty => None,
            Self::Number(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.clone()),
            Self::Bool(is) => Some(is.to_string()),
            Self::Day(day) => {
                let first = jiff::civil::date(1899, 12, 30);
                Some(first.checked_add(jiff::Span::new().days(*day)).unwrap().to_string())
            }
        }
    }

    fn as_json(&self) -> String {
        match self {
            Self::Empty => "null".to_owned(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => format!("{{\"text\": {}}}", super::documents::string(text, true)),
            Self::Bool(is) => is.to_string(),
            Self::Day(_) => format!("{{\"day\": \"{}\"}}", self.shown().unwrap_or_default()),
        }
    }
}

#[derive(Debug)]
struct Truth {
    header: bool,
    names: Vec<String>,
    rows: Vec<Vec<Cell>>,
    /// Rows before the table.
    before: Vec<Vec<Cell>>,
    /// Texts are stored in the cells, and not in the part of shared texts.
    inline: bool,
    has_dimension: bool,
}

impl Truth {
    fn draw(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x0b00);
        let n = dice.between(2, 7) as usize;
        let kinds: Vec<u64> = (0..n).map(|_| dice.below(7)).collect();
        // Columns that are blank in most rows, the last ones of a sheet among them.
        let blanks: Vec<u64> = (0..n).map(|i| if i > 0 && dice.percent(20) { 70 } else { 6 }).collect();
        let mut rows: Vec<Vec<Cell>> = Vec::new();
        for _ in 0..dice.between(3, 20) {
            let cell = |i: usize| {
                if dice.percent(blanks[i]) { Cell::Empty } else { cell(kinds[i], &mut dice) }
            };
            let mut row: Vec<Cell> = (0..n).map(cell).collect();
            if matches!(row[0], Cell::Empty) {
                row[0] = Cell::Text("x".to_owned());
            }
            rows.push(row);
        }
        // A column without any cell in the file does not exist.
        if rows.iter().all(|row| matches!(row[n - 1], Cell::Empty)) {
            rows[0][n - 1] = Cell::Text("x".to_owned());
        }
        let title = |text: &str| vec![Cell::Text(text.to_owned())];
        let before = match dice.below(10) {
            0 => vec![title("Report of 2024"), Vec::new()],
            1 => vec![title("Report of 2024")],
            2 => vec![title("Report"), title("made by hand"), Vec::new()],
            _ => Vec::new(),
        };
        // Of two columns a title is no narrower than half of them by much, and a line of one cell may be a row.
        let before = if n < 3 { Vec::new() } else { before };
        let header = dice.percent(75);
        let names = super::names(n, &mut dice);
        Self { header, names, rows, before, inline: dice.percent(50), has_dimension: dice.percent(50) }
    }

    fn table(&self) -> Table {
        let names = if self.header { self.names.clone() } else { Vec::new() };
        (names, self.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect())
    }

    /// All rows of the sheet.
    fn sheet(&self) -> Vec<Vec<Cell>> {
        let names = self.names.iter().map(|name| Cell::Text(name.clone())).collect();
        let header = if self.header { vec![names] } else { Vec::new() };
        self.before.iter().cloned().chain(header).chain(self.rows.iter().cloned()).collect()
    }

    /// What the Python program is to write.
    fn order(&self, writer: &str, path: &Path) -> String {
        let row = |row: Vec<Cell>| format!("[{}]", row.iter().map(Cell::as_json).collect::<Vec<_>>().join(","));
        let rows: Vec<String> = self.sheet().into_iter().map(row).collect();
        format!("{{\"writer\": \"{writer}\", \"path\": \"{}\", \"rows\": [{}]}}", path.display(), rows.join(","))
    }

    /// The workbook as we write it.
    fn workbook(&self) -> Vec<u8> {
        let (mut rows, mut strings, mut n_strings) = (String::new(), String::new(), 0);
        let mut xml = |row: usize, column: usize, cell: &Cell| {
            let place = format!("{}{}", char::from(b'A' + column as u8), row + 1);
            match cell {
                Cell::Empty => String::new(),
                Cell::Number(number) => format!("<c r=\"{place}\"><v>{number}</v></c>"),
                Cell::Bool(is) => format!("<c r=\"{place}\" t=\"b\"><v>{}</v></c>", u8::from(*is)),
                Cell::Day(day) => format!("<c r=\"{place}\" s=\"1\"><v>{day}</v></c>"),
                Cell::Text(text) => {
                    let text = text.replace('&', "&amp;").replace('<', "&lt;");
                    if self.inline {
                        return format!(
                            "<c r=\"{place}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">{text}</t></is></c>"
                        );
                    }
                    strings += &format!("<si><t xml:space=\"preserve\">{text}</t></si>");
                    n_strings += 1;
                    format!("<c r=\"{place}\" t=\"s\"><v>{}</v></c>", n_strings - 1)
                }
            }
        };
        for (number, row) in self.sheet().iter().enumerate() {
            let cells: String = row.iter().enumerate().map(|(column, cell)| xml(number, column, cell)).collect();
            rows += &format!("<row r=\"{}\">{cells}</row>", number + 1);
        }
        let last = char::from(b'A' + self.names.len() as u8 - 1);
        let dimension = match self.has_dimension {
            true => format!("<dimension ref=\"A1:{last}{}\"/>", self.sheet().len()),
            false => String::new(),
        };
        let link = |id: u8, kind: &str, target: &str| {
            format!("<Relationship Id=\"r{id}\" Type=\"http://x/{kind}\" Target=\"{target}\"/>")
        };
        let links = [
            link(1, "worksheet", "worksheets/sheet1.xml"),
            link(2, "styles", "styles.xml"),
            link(3, "sharedStrings", "sharedStrings.xml"),
        ];
        let parts = [
            ("xl/workbook.xml", "<workbook><sheets><sheet name=\"S\" r:id=\"r1\"/></sheets></workbook>".to_owned()),
            ("xl/_rels/workbook.xml.rels", format!("<Relationships>{}</Relationships>", links.concat())),
            (
                "xl/styles.xml",
                "<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>".to_owned(),
            ),
            ("xl/sharedStrings.xml", format!("<sst>{strings}</sst>")),
            ("xl/worksheets/sheet1.xml", format!("<worksheet>{dimension}<sheetData>{rows}</sheetData></worksheet>")),
        ];
        let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, text) in parts {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }
}

fn cell(kind: u64, dice: &mut Dice) -> Cell {
    let n = dice.below(3_000);
    let words = [
        "Ann",
        "Bob",
        "Zoé",
        "Paris, France",
        "say \"hi\"",
        "5\" pipe",
        "<b> & c",
        " two  blanks ",
        "a\tb",
        "007",
        "東京",
        "\\N",
    ];
    match kind {
        0 => Cell::Number(n as f64),
        1 => Cell::Number(n as f64 + f64::from(dice.below(100) as u32) / 100.0),
        2 => Cell::Number(-(n as f64)),
        3 => Cell::Bool(dice.percent(50)),
        4 => Cell::Day(dice.between(36_526, 47_000) as u32),
        5 => Cell::Text(format!("{}{n}", ["A", "B", "user"][dice.below(3) as usize])),
        _ => Cell::Text(words[dice.below(words.len() as u64) as usize].to_owned()),
    }
}
