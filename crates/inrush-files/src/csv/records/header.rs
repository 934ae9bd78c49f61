//! The first record of a file: its header, or what shows how many fields there are.

use super::{QUOTE_HINT, RecordReader};
use crate::csv::cut::is_blank;
use crate::csv::split::{Fields, SplitRecord, Splitter, garbled_reason};
use inrush_core::error::{Error, InputFault, Result};
use std::mem;

impl RecordReader {
    /// Reads the names from the first record that is neither blank nor a comment, and removes the record if it is the header. Returns no
    /// names for an empty file.
    pub(in crate::csv) fn read_names(&mut self, header: bool) -> Result<Vec<String>> {
        let mut at = 0;
        let (fields, end, n_fields, garbled) = loop {
            if self.ended && at == self.text.len() {
                return Ok(Vec::new());
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
            return Err(Error::data(message).at(self.place_of(at)));
        }
        if !header {
            // Blank lines before it are rows if there is only one field, so they stay.
            return Ok((1..=n_fields).map(|n| format!("c{n}")).collect());
        }
        if let Some(field) = garbled {
            let by_blanks = memchr::memmem::find(&self.text[at..end], b"\" \"").is_some();
            let hint = if by_blanks { "if blanks are between the fields, `--delimiter ' '`" } else { QUOTE_HINT };
            return Err(Error::data(garbled_reason(field)).at(self.place_of(at)).with_hint(hint));
        }
        let malformed = self.input.malformed().first().is_some_and(|&bad| bad < self.text_at + end as u64);
        let mut names = Vec::with_capacity(n_fields);
        for span in &fields.spans {
            let bytes = if span.is_aside() { &fields.side } else { &self.text };
            match str::from_utf8(&bytes[span.start()..span.end()]) {
                // NULL is no name.
                Ok("\\N") if !span.is_literal() && self.dialect.has_null_word() => names.push(String::new()),
                Ok(name) if !malformed => names.push(name.to_owned()),
                _ => {
                    return Err(Error::data(format!("the header is not valid {}", self.encoding().name()))
                        .with_input_fault(InputFault::Encoding)
                        .at(self.place_of(at))
                        .with_hint("name the encoding of the file: `--encoding latin1` or another"));
                }
            }
        }
        self.drop_text(end);
        Ok(names)
    }
}

/// Far more than the columns of a table (4,096), so that a wide file can still be projected.
const MAX_FIELDS: usize = 65_536;
