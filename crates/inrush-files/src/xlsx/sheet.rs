//! The rows of a sheet as lines of text, which the CSV reader parses: a line is a row, cells are between tabs, and everything else is
//! escaped as in the files of SELECT INTO OUTFILE. So a line has the number of its row.

use super::formats::NumberFormatKind;
use super::serial;
use super::strings::{Strings, unescape};
use super::xml::{Token, Xml, damaged};
use crate::escaped::{self, DELIMITER, NULL};
use crate::expansion::expands_too_far;
use crate::pending_bytes::PendingBytes;
use inrush_core::error::Error;
use std::io::{self, Read};

/// What all sheets of a workbook share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) strings: Strings,
    /// What each style of cells shows.
    pub(super) styles: Vec<NumberFormatKind>,
    /// Days count from 1904 on.
    pub(super) is_1904: bool,
    /// Formulas are computed when the workbook is opened: a result of 0 may mean that there is no result.
    pub(super) recalculates: bool,
    /// What is read of formulas, and how much.
    pub(super) limits: Limits,
}

/// The caller's options for the cells of a sheet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    /// The result of a formula is taken from the file, also if it is missing.
    pub(super) takes_stored: bool,
    /// The most bytes of a row.
    pub(super) row: usize,
    /// Shared texts that come to more than this are refused if cells of a few bytes do.
    pub(super) memory: usize,
}

/// Which row has a cell for each column, as the first of a table without a header: the first one that has cells, from a line on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) line: u32,
    /// The columns that are known; a sheet may say that it has more.
    pub(crate) width: u32,
}

/// The rows of a sheet. Cells that are empty at the end of a row are left out.
pub(super) struct Lines {
    xml: Xml,
    shared: Shared,
    /// The first column of the table, from 0.
    first_column: u32,
    /// The first row from this line on that has cells is filled up to a column.
    filled_from: u32,
    filled_to: u32,
    /// The number of lines so far.
    n_lines: u32,
    /// Lines that are not taken yet.
    out: PendingBytes,
    text: String,
    /// Bytes of shared texts so far.
    n_shared: u64,
    has_ended: bool,
}

impl Lines {
    /// Reads up to the first row.
    pub(super) fn new(mut xml: Xml, shared: Shared, fill: Option<Fill>) -> io::Result<Self> {
        let (mut first_column, mut end_column) = (0, 0);
        loop {
            match xml.next()? {
                Token::Start(tag) if tag.name() == "dimension" => {
                    // Written for speed, and not by every program.
                    let range = tag.value("ref")?.unwrap_or_default();
                    let (first, last) = range.split_once(':').unwrap_or((&range, ""));
                    if let (Some((first, _)), Some((last, _))) = (place(first), place(last)) {
                        first_column = first;
                        end_column = last + 1;
                    }
                }
                Token::Start(tag) if tag.name() == "sheetData" => break,
                Token::Eof => return Err(damaged("it is no sheet of cells")),
                _ => {}
            }
        }
        Ok(Self {
            xml,
            shared,
            first_column,
            filled_from: fill.map_or(0, |fill| fill.line),
            filled_to: fill.map_or(0, |fill| end_column.max(first_column + fill.width)),
            n_lines: 0,
            out: PendingBytes::default(),
            text: String::new(),
            n_shared: 0,
            has_ended: false,
        })
    }

    fn refill(&mut self) -> io::Result<()> {
        self.out.clear();
        while self.out.bytes.len() < ENOUGH && !self.has_ended {
            match self.xml.next()? {
                Token::Start(tag) if tag.name() == "row" => {
                    let row = match tag.value("r")? {
                        None => self.n_lines,
                        Some(number) => number.parse::<u32>().ok().and_then(|n| n.checked_sub(1)).unwrap_or(MAX_ROWS),
                    };
                    if row < self.n_lines || row >= MAX_ROWS {
                        return Err(damaged("its rows are not in order"));
                    }
                    self.out.bytes.extend(std::iter::repeat_n(b'\n', (row - self.n_lines) as usize));
                    self.n_lines = row;
                    self.row()?;
                }
                Token::End(tag) if tag.is("sheetData") => {
                    self.has_ended = true;
                    self.xml.finish()?;
                }
                Token::Eof => return Err(damaged("it ends inside of its rows")),
                _ => {}
            }
        }
        Ok(())
    }

    /// The cells of a row, and its line end.
    fn row(&mut self) -> io::Result<()> {
        let (mut next, mut written) = (self.first_column, self.first_column);
        let start = self.out.bytes.len();
        loop {
            match self.xml.next()? {
                Token::Start(tag) if tag.name() == "c" => {
                    let [name, kind, style] = tag.values(["r", "t", "s"])?;
                    let column = match name {
                        None => next,
                        Some(name) => place(&name).map_or(MAX_COLUMNS, |(column, _)| column),
                    };
                    if column < next || column >= MAX_COLUMNS {
                        return Err(damaged("the cells of a row are not in order, or beside its table"));
                    }
                    next = column + 1;
                    let style = style.and_then(|index| self.shared.styles.get(index.parse::<usize>().ok()?));
                    let format = style.copied().unwrap_or_default();
                    if self.cell(Kind::of(kind.as_deref()), format, column)? {
                        self.up_to(written, column);
                        escaped::push(self.text.as_bytes(), &mut self.out.bytes);
                        written = column + 1;
                    }
                    let limit = self.shared.limits.row;
                    if self.out.bytes.len() - start > limit {
                        return Err(damaged(format!("row {} has more than {limit} bytes", self.n_lines + 1)));
                    }
                }
                Token::End(tag) if tag.is("row") => break,
                Token::Eof => return Err(damaged("it ends inside of a row")),
                _ => {}
            }
        }
        // Only the first row that has cells: the columns of a table without names are counted there.
        let may_be_first = written > self.first_column && self.n_lines >= self.filled_from;
        if may_be_first && self.filled_to > written {
            let last = self.filled_to - 1;
            self.up_to(written, last);
            self.out.bytes.extend_from_slice(NULL);
        }
        if may_be_first {
            self.filled_to = 0;
        }
        self.out.bytes.push(b'\n');
        self.n_lines += 1;
        Ok(())
    }

    /// Writes the empty cells from `written` up to `column`, and the tabs before each of them and the next one.
    fn up_to(&mut self, written: u32, column: u32) {
        if written > self.first_column {
            self.out.bytes.push(DELIMITER);
        }
        for _ in written..column {
            self.out.bytes.extend_from_slice(NULL);
            self.out.bytes.push(DELIMITER);
        }
    }

    /// Reads a cell into `text`; returns whether there is anything in it.
    fn cell(&mut self, kind: Kind, format: NumberFormatKind, column: u32) -> io::Result<bool> {
        self.text.clear();
        let (mut is_formula, mut is_computed) = (false, false);
        loop {
            match self.xml.next()? {
                Token::Start(tag) if tag.name() == "f" => is_formula = true,
                Token::Start(tag) if tag.name() == "v" && kind != Kind::Inline => {
                    self.xml.text_of("v", &mut self.text)?;
                    // An empty text is a result, an empty number is not.
                    is_computed = (!self.text.is_empty() || kind == Kind::Text)
                        && !(self.shared.recalculates && kind == Kind::Number && self.text == "0");
                    self.resolve(kind, format)?;
                }
                Token::Start(tag) if tag.name() == "is" && kind == Kind::Inline => {
                    self.xml.text_of("is", &mut self.text)?;
                    unescape(&mut self.text, 0);
                }
                Token::End(tag) if tag.is("c") => {
                    if is_formula && !is_computed && !self.shared.limits.takes_stored {
                        return Err(io::Error::other(not_computed(column, self.n_lines)));
                    }
                    return Ok(!self.text.is_empty());
                }
                Token::Eof => return Err(damaged("it ends inside of a cell")),
                _ => {}
            }
        }
    }

    /// Makes the text of a cell of its value in the file.
    fn resolve(&mut self, kind: Kind, format: NumberFormatKind) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        match kind {
            Kind::Number => self.text = serial::text(&self.text, format, self.shared.is_1904),
            Kind::Shared => {
                let text = self.text.trim().parse().ok().and_then(|index| self.shared.strings.get(index));
                let text = text.ok_or_else(|| damaged("a cell has a text that is not there"))?;
                self.text.clear();
                self.text.push_str(text);
                self.n_shared += text.len() as u64;
                // Cells of a few bytes each, which name one long text.
                let stored = self.xml.position() + self.shared.strings.len();
                if let Some(why) = expands_too_far(stored, self.n_shared, self.shared.limits.memory as u64) {
                    return Err(damaged(format!("what its cells say by shared texts {why}")));
                }
            }
            Kind::Bool => {
                let truth = truth(&self.text).ok_or_else(|| damaged("a cell is neither true nor false"))?;
                self.text = truth.to_string();
            }
            Kind::Text => unescape(&mut self.text, 0),
            Kind::AsItIs | Kind::Inline => {}
        }
        Ok(())
    }
}

impl Read for Lines {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.out.is_taken() && !self.has_ended {
            self.refill()?;
        }
        Ok(self.out.take(space))
    }
}

/// The error for a formula whose result is not in the file. The program that wrote it computes none, which is to be done by the one that
/// opens it.
fn not_computed(column: u32, row: u32) -> Error {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        letters.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    let name: String = letters.into_iter().collect();
    Error::data(format!("cell `{name}{}` has a formula whose result is not in the workbook", row + 1)).with_hint(
        "open it in Excel or LibreOffice and save it, which computes formulas \
         (`soffice --headless --convert-to xlsx --outdir computed FILE`); `--formulas stored` takes the results that are \
         there, the others are NULL or 0",
    )
}

/// The kind of a cell's value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    /// The number of a shared text.
    Shared,
    /// A text within the cell, next to the value.
    Inline,
    /// The text that a formula has.
    Text,
    Bool,
    /// An error, or a day as ISO 8601 writes it.
    AsItIs,
}

impl Kind {
    fn of(kind: Option<&str>) -> Self {
        match kind {
            None | Some("n") => Self::Number,
            Some("s") => Self::Shared,
            Some("inlineStr") => Self::Inline,
            Some("str") => Self::Text,
            Some("b") => Self::Bool,
            Some(_) => Self::AsItIs,
        }
    }
}

/// A truth value as XML Schema has it, or as a number.
fn truth(text: &str) -> Option<bool> {
    match text.trim() {
        text if text.eq_ignore_ascii_case("true") => Some(true),
        text if text.eq_ignore_ascii_case("false") => Some(false),
        text => text.parse::<f64>().ok().filter(|number| !number.is_nan()).map(|number| number != 0.0),
    }
}

/// Column and row of a cell such as `AB12`, from 0. Returns `None` if it is not a cell, or is beyond the last one.
fn place(name: &str) -> Option<(u32, u32)> {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (letters, digits) = name.split_at_checked(letters.min(3))?;
    let column = letters.bytes().fold(0, |n, c| n * 26 + u32::from(c.to_ascii_uppercase() - b'A') + 1);
    let (column, row) = (column.checked_sub(1)?, digits.parse::<u32>().ok()?.checked_sub(1)?);
    (column < MAX_COLUMNS && row < MAX_ROWS).then_some((column, row))
}

/// The limits of Excel, and of the format.
const MAX_ROWS: u32 = 1 << 20;
const MAX_COLUMNS: u32 = 1 << 14;

/// Bytes of lines that are written before they are taken; a row may have more.
const ENOUGH: usize = 32 << 10;
