//! Lines of fixed width as lines with delimiters. A stream: a line that is cut becomes one line.

use crate::escaped::{self, DELIMITER, NULL};
use crate::input::Input;
use crate::pending_bytes::PendingBytes;
use crate::widths::{RULER_LINES, Widths, is_ruler};
use encoding_rs::Encoding;
use memchr::memchr;
use std::io::{self, Read};

/// The lines of a text, cut by widths.
pub(crate) struct FixedWidth {
    input: Input,
    widths: Widths,
    /// The text that begins a comment; such a line becomes a blank line.
    comment: Option<Vec<u8>>,
    /// Text that was read and not cut yet.
    text: Vec<u8>,
    /// Lines that are not taken yet.
    out: PendingBytes,
    has_ended: bool,
    max_line: usize,
    /// Lines with text so far, as far as a ruler may be one of them.
    n_first: usize,
}

impl FixedWidth {
    /// A line of more than `max_line` bytes is an error.
    pub(crate) fn new(
        bytes: Box<dyn Read + Send>,
        encoding: Option<&'static Encoding>,
        widths: Widths,
        comment: Option<Vec<u8>>,
        max_line: usize,
    ) -> io::Result<Self> {
        let input = Input::new(bytes, encoding)?;
        Ok(Self {
            input,
            widths,
            comment,
            text: Vec::new(),
            out: PendingBytes::default(),
            has_ended: false,
            max_line,
            n_first: 0,
        })
    }

    fn refill(&mut self) -> io::Result<()> {
        self.out.clear();
        while self.out.bytes.is_empty() && !self.has_ended {
            // Doubles the text of a long line, so that searching for its end stays linear.
            let want = READ_BYTES.max(self.text.len());
            self.has_ended = self.input.fill(&mut self.text, want)?;
            if !self.input.malformed().is_empty() {
                let encoding = self.input.encoding().name();
                return Err(wrong(format!("a line of it is not valid {encoding}")));
            }
            let mut at = 0;
            while let Some(end) = memchr(b'\n', &self.text[at..]) {
                // A comment, or a line of dashes under the names or above them, is left blank, so that lines keep their numbers.
                if !self.is_comment(at) && !self.is_ruler(at, at + end) {
                    self.cut(at, at + end);
                }
                self.out.bytes.push(b'\n');
                at += end + 1;
            }
            if self.has_ended && at < self.text.len() {
                if !self.is_comment(at) {
                    self.cut(at, self.text.len());
                }
                at = self.text.len();
            }
            self.text.drain(..at);
            if self.text.len() > self.max_line {
                return Err(wrong(format!("a line is longer than {} bytes", self.max_line)));
            }
        }
        Ok(())
    }

    fn is_comment(&self, start: usize) -> bool {
        self.comment.as_ref().is_some_and(|comment| self.text[start..].starts_with(comment))
    }

    /// Whether the line between two places is one of the first and only has dashes.
    fn is_ruler(&mut self, start: usize, end: usize) -> bool {
        if self.n_first >= RULER_LINES {
            return false;
        }
        let line = &self.text[start..end];
        self.n_first += usize::from(!line.trim_ascii().is_empty());
        is_ruler(line)
    }

    /// Writes the fields of the line between two places.
    fn cut(&mut self, start: usize, end: usize) {
        let line = &self.text[start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.iter().all(|byte| *byte == b' ') {
            return;
        }
        let mut is_first = true;
        self.widths.cut(line, |field| {
            if !std::mem::take(&mut is_first) {
                self.out.bytes.push(DELIMITER);
            }
            match field {
                b"" => self.out.bytes.extend_from_slice(NULL),
                field => escaped::push(field, &mut self.out.bytes),
            }
        });
    }
}

impl Read for FixedWidth {
    fn read(&mut self, space: &mut [u8]) -> io::Result<usize> {
        while self.out.is_taken() && !self.has_ended {
            self.refill()?;
        }
        Ok(self.out.take(space))
    }
}

fn wrong(why: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

const READ_BYTES: usize = 64 << 10;
