//! The start of a file: skipped lines, and the header.

use super::{CsvReader, QUOTE_HINT};
use crate::csv::cut::is_blank;
use crate::csv::parse::garbled_reason;
use crate::csv::split::{Fields, SplitRecord, Splitter};
use crate::dialect::HeaderNames;
use crate::names::clean;
use inrush_core::error::{Error, InputFault, Result};
use memchr::memchr;
use std::mem;

impl CsvReader {
    /// Skips complete lines of any length, holding no more than one read of them.
    pub(super) fn pass_lines(&mut self, mut lines: u64) -> Result<()> {
        while lines > 0 {
            match memchr(b'\n', &self.text) {
                Some(at) => {
                    self.drop_text(at + 1);
                    lines -= 1;
                }
                None if self.ended => {
                    self.drop_text(self.text.len());
                    return Ok(());
                }
                None => {
                    self.drop_text(self.text.len());
                    self.read_on(0)?;
                }
            }
        }
        Ok(())
    }

    /// Cleans the names of a header.
    pub(super) fn clean_names(&mut self, how: HeaderNames) {
        self.renamed = clean(&mut self.names, how);
    }

    /// Reads the names from the first record that is neither blank nor a comment, and removes the record if it is the header.
    pub(super) fn read_names(&mut self, header: bool) -> Result<()> {
        let mut at = 0;
        let (fields, end, n_fields, garbled) = loop {
            if self.ended && at == self.text.len() {
                return Ok(());
            }
            let mut fields = Fields::default();
            let found = Splitter::new(&self.dialect, &self.text, at, self.ended).record(at, MAX_FIELDS, &mut fields);
            match found {
                SplitRecord::Record { end, .. } | SplitRecord::Comment { end } if end - at > self.max_record => {
                    return Err(self.too_long(at));
                }
                SplitRecord::Record { end, .. } if is_blank(&self.text[at..end]) => at = end,
                SplitRecord::Comment { end } => at = end,
                SplitRecord::Record { end, fields: n, garbled } => break (fields, end, n, garbled),
                SplitRecord::Incomplete { .. } if self.text.len() - at > self.max_record => {
                    return Err(self.too_long(at));
                }
                SplitRecord::Incomplete { open_quote } if self.ended => {
                    return Err(self.unclosed(open_quote.unwrap_or(at)));
                }
                SplitRecord::Incomplete { .. } => {
                    if header {
                        self.drop_text(mem::take(&mut at));
                    }
                    self.read_on(at)?;
                }
            }
        };
        if n_fields > MAX_FIELDS {
            let message = format!("the first record has {n_fields} fields, more than {MAX_FIELDS}");
            return Err(Error::data(message).at(self.place(at)));
        }
        if !header {
            self.names = (1..=n_fields).map(|n| format!("c{n}")).collect();
            return Ok(()); // Blank lines before it are rows if there is only one field, so they stay.
        }
        if let Some(field) = garbled {
            let by_blanks = memchr::memmem::find(&self.text[at..end], b"\" \"").is_some();
            let hint = if by_blanks { "if blanks are between the fields, `--delimiter ' '`" } else { QUOTE_HINT };
            return Err(Error::data(garbled_reason(field)).at(self.place(at)).with_hint(hint));
        }
        let malformed = self.input.malformed().first().is_some_and(|&bad| bad < self.text_at + end as u64);
        for span in &fields.spans {
            let bytes = if span.is_aside() { &fields.side } else { &self.text };
            match str::from_utf8(&bytes[span.start()..span.end()]) {
                // NULL is no name.
                Ok("\\N") if !span.is_literal() && self.dialect.has_null_word() => self.names.push(String::new()),
                Ok(name) if !malformed => self.names.push(name.to_owned()),
                _ => {
                    return Err(Error::data(format!("the header is not valid {}", self.encoding().name()))
                        .with_input_fault(InputFault::Encoding)
                        .at(self.place(at))
                        .with_hint("name the encoding of the file: `--encoding latin1` or another"));
                }
            }
        }
        self.drop_text(end);
        Ok(())
    }
}

/// Far more than the columns of a table (4,096), so that a wide file can still be projected.
const MAX_FIELDS: usize = 65_536;
