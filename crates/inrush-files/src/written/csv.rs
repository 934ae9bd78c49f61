//! CSV so that no reader has to guess. With quotes, a text is in quotes if it could be read as NULL, as the end of its field or as
//! nothing. Without, an escape stands before what is special, or there is nothing special in any text.

use super::column::{LineColumn, hexadecimal};
use super::rows::{Cell, PLAIN, RowLayout};
use crate::dialect::{CsvOptions, Dialect};
use inrush_core::error::{Error, Result};
use inrush_core::wire::Row;

/// How a file of fields is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvStyle {
    dialect: Dialect,
    null: Vec<u8>,
    has_header: bool,
    /// Whether a byte of this value makes a field need quotes.
    is_odd: Box<[bool; 256]>,
    /// Whether numbers, days and times are written as they are.
    takes_plain: bool,
}

impl Default for CsvStyle {
    /// RFC 4180, with `\N` for NULL.
    fn default() -> Self {
        let dialect =
            Dialect { delimiter: b',', quote: Some(b'"'), escape: None, comment: None, nulls: vec![NULL.to_vec()] };
        Self::of(dialect, NULL.to_vec(), true)
    }
}

impl CsvStyle {
    /// What a reader with these options understands: delimiter (`delimiter` if they name none), quote, escape, header, the first text
    /// for NULL (`\N` if they name none).
    ///
    /// # Errors
    /// `Config` for characters that cannot be distinguished.
    pub fn new(options: &CsvOptions, delimiter: u8) -> Result<Self> {
        let dialect = Dialect::new(options, delimiter)?;
        let null = options.nulls.first().map_or(NULL, |null| null).to_vec();
        let specials = [Some(dialect.delimiter), dialect.quote, Some(b'\n'), Some(b'\r')];
        let shown = String::from_utf8_lossy(&null);
        if null.iter().any(|byte| specials.contains(&Some(*byte))) {
            return Err(Error::config(format!(
                "the text for NULL, `{shown}`, has a delimiter, a quote or a line end in it"
            )));
        }
        if dialect.escapes_unquoted() {
            if dialect.delimiter.is_ascii_alphanumeric() || null != dialect.nulls.last().map_or(NULL, |null| null) {
                return Err(Error::config("with an escape and without quotes, NULL is the escape and N")
                    .with_hint("leave `--null` out, and separate fields by a tab, a comma or the like"));
            }
        } else if dialect.escape.is_some_and(|escape| null.contains(&escape)) && null != NULL {
            return Err(Error::config(format!("the text for NULL, `{shown}`, has the escape in it")));
        }
        Ok(Self::of(dialect, null, options.header))
    }

    fn of(dialect: Dialect, null: Vec<u8>, has_header: bool) -> Self {
        let own = [Some(dialect.delimiter), dialect.quote, dialect.escape];
        let mut is_odd = Box::new([false; 256]);
        // Backslashes are quoted too, as some readers take them for escapes.
        for byte in b",\"'\n\r\\#".iter().copied().chain(own.into_iter().flatten()) {
            is_odd[usize::from(byte)] = true;
        }
        let is_own = |byte: &u8| own.contains(&Some(*byte));
        let could_be_null = !null.is_empty() && null.iter().all(|byte| PLAIN.contains(byte));
        let takes_plain = !could_be_null && !PLAIN.iter().any(is_own);
        Self { dialect, null, has_header, is_odd, takes_plain }
    }

    /// Whether a text may be in quotes.
    pub fn has_quotes(&self) -> bool {
        self.dialect.quote.is_some()
    }

    /// The first line.
    pub(super) fn header(&self, columns: &[LineColumn], lines: &mut Vec<u8>) -> Result<()> {
        match self.has_header {
            true => self.line(columns.iter().map(|column| Some(&*column.name)), lines),
            false => Ok(()),
        }
    }

    pub(super) fn line<'c>(&self, cells: impl Iterator<Item = Option<&'c [u8]>>, lines: &mut Vec<u8>) -> Result<()> {
        for (at, cell) in cells.enumerate() {
            self.field(at, cell, lines)?;
        }
        lines.push(b'\n');
        Ok(())
    }

    /// The same of a row of a result.
    pub(super) fn row(&self, row: &Row<'_>, layout: &mut RowLayout, lines: &mut Vec<u8>) -> Result<()> {
        let mut digits = Vec::new();
        layout.write(row, |at, cell| match cell {
            Cell::Number(text) | Cell::Float(text) | Cell::Plain(text) if self.takes_plain => {
                if at > 0 {
                    lines.push(self.dialect.delimiter);
                }
                lines.extend_from_slice(text);
                Ok(())
            }
            Cell::Null => self.field(at, None, lines),
            Cell::Number(text) | Cell::Float(text) | Cell::Plain(text) | Cell::Text(text) => {
                self.field(at, Some(text), lines)
            }
            Cell::Bytes(bytes) => {
                digits.clear();
                hexadecimal(bytes, &mut digits);
                self.field(at, Some(&digits), lines)
            }
        })?;
        lines.push(b'\n');
        Ok(())
    }

    fn field(&self, at: usize, cell: Option<&[u8]>, lines: &mut Vec<u8>) -> Result<()> {
        if at > 0 {
            lines.push(self.dialect.delimiter);
        }
        match (cell, self.dialect.quote) {
            (None, _) => lines.extend_from_slice(&self.null),
            (Some(cell), Some(quote)) => self.quoted(cell, quote, lines),
            (Some(cell), None) => self.unquoted(cell, lines)?,
        }
        Ok(())
    }

    fn quoted(&self, cell: &[u8], quote: u8, lines: &mut Vec<u8>) {
        if !self.needs_quotes(cell) {
            return lines.extend_from_slice(cell);
        }
        let escape = self.dialect.escape;
        lines.push(quote);
        for &byte in cell {
            if byte == quote || Some(byte) == escape {
                lines.push(escape.unwrap_or(quote));
            }
            lines.push(byte);
        }
        lines.push(quote);
    }

    /// Blanks at the ends are quoted too, as some readers drop them.
    fn needs_quotes(&self, cell: &[u8]) -> bool {
        let is_blank = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_whitespace);
        cell.is_empty()
            || is_blank(cell.first())
            || is_blank(cell.last())
            || cell == self.null
            || cell.iter().any(|byte| self.is_odd[usize::from(*byte)])
    }

    fn unquoted(&self, cell: &[u8], lines: &mut Vec<u8>) -> Result<()> {
        let Some(escape) = self.dialect.escape else {
            let is_special = |byte: &u8| matches!(byte, b'\n' | b'\r') || *byte == self.dialect.delimiter;
            if cell.iter().any(is_special) || cell == self.null {
                let shown = String::from_utf8_lossy(cell);
                let problem = format!("`{}` cannot be told apart without quotes", shown.escape_default());
                return Err(
                    Error::data(problem).with_hint("`--escape '\\'` with `--quote ''` writes it, and so do quotes")
                );
            }
            lines.extend_from_slice(cell);
            return Ok(());
        };
        for &byte in cell {
            let name = match byte {
                b'\n' => b'n',
                b'\r' => b'r',
                b'\t' => b't',
                0 => b'0',
                byte if byte == escape || byte == self.dialect.delimiter => byte,
                byte => {
                    lines.push(byte);
                    continue;
                }
            };
            lines.extend([escape, name]);
        }
        Ok(())
    }
}

const NULL: &[u8] = br"\N";
