//! Scripts of SQL: where a statement ends and the next one begins, as the servers' client programs cut them, while the text arrives.
//!
//! | what | rule |
//! |---|---|
//! | the end of a statement | the delimiter outside of quotes and comments, `;` at first; also `\g` and `\G` |
//! | `DELIMITER $$` | where a statement could begin: the rest of its line, up to a blank, is the delimiter from then on. No server gets it |
//! | the text of a statement | from its first lexeme that is no comment to its delimiter. What is all blanks and comments is no statement |
//! | the end of the script | ends a statement, unless a quote or a comment is open |
//!
//! From the source of the client program (`client/mysql.cc`, `add_line` and `com_delimiter`). Other commands of that program (SOURCE, `\.`) are
//! taken for statements.
//!
//! Invariant: where a script is cut does not depend on the pieces in which it arrives, and what was read is not read again, except a lexeme
//! that reached the end of a piece.

use super::{Dialect, Lexeme, Lexer, Token, is_blank, is_word};
use crate::error::{Error, Result};
use memchr::{memchr, memchr_iter, memmem};
use std::ops::Range;

/// Cuts a script whose text is in a buffer that grows at its end and is drained at its beginning.
#[derive(Clone, Debug)]
pub struct ScriptCutter {
    dialect: Dialect,
    delimiter: Vec<u8>,
    /// Bytes at the beginning of the buffer that are of earlier statements.
    done: usize,
    /// Where the next lexeme begins.
    at: usize,
    /// Where the text of the statement begins, and its line.
    content: Option<(usize, u64)>,
    is_in_condition: bool,
    /// The line at `done`, from 1.
    line: u64,
}

/// What a buffer has next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// A statement, without its delimiter.
    Statement(ScriptStatement),
    /// More of the script is needed.
    More,
    /// No statement is left.
    End,
}

/// A statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptStatement {
    /// Its bytes in the buffer.
    pub range: Range<usize>,
    /// The line in which it begins, counted from 1.
    pub line: u64,
    /// Whether a delimiter ends it, and not the script.
    pub is_ended: bool,
    /// Whether that is `\G`, after which the client programs print a line for each value.
    pub is_vertical: bool,
}

impl Default for ScriptCutter {
    fn default() -> Self {
        Self {
            dialect: Dialect::default(),
            delimiter: b";".to_vec(),
            done: 0,
            at: 0,
            content: None,
            is_in_condition: false,
            line: 1,
        }
    }
}

impl ScriptCutter {
    /// The same with another delimiter at first, which may reach over the end of a line.
    #[must_use]
    pub fn with_delimiter(self, delimiter: &[u8]) -> Self {
        Self { delimiter: delimiter.to_vec(), ..self }
    }

    /// How the session reads quotes from the next statement on: a statement before it may have changed that.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        self.dialect = dialect;
    }

    /// The next statement of a buffer. `is_whole`: nothing of the script comes after the buffer.
    ///
    /// # Errors
    /// `Config` for a DELIMITER that is none; `Data` for a script that ends within a quoted text or a comment.
    pub fn next(&mut self, buffer: &[u8], is_whole: bool) -> Result<Cut> {
        loop {
            if self.at == buffer.len() && is_whole {
                return Ok(self.end(buffer));
            }
            if !is_whole && buffer.len() - self.at <= self.reach() {
                return Ok(Cut::More);
            }
            if let Some(length) = self.delimiter_at(&buffer[self.at..]) {
                let Some(statement) = self.statement(buffer, self.at) else {
                    self.begin_at(buffer, self.at + length);
                    continue;
                };
                let is_vertical = buffer[self.at..].starts_with(b"\\G");
                self.begin_at(buffer, self.at + length);
                return Ok(Cut::Statement(ScriptStatement { is_vertical, ..statement }));
            }
            let Some(Token { lexeme, range }) = self.lexer(buffer).next() else { return Ok(Cut::More) };
            // What follows might belong to it.
            if !is_whole && buffer.len() - range.end <= self.reach() {
                return Ok(Cut::More);
            }
            if self.content.is_none()
                && lexeme == Lexeme::Word
                && buffer[range.clone()].eq_ignore_ascii_case(b"DELIMITER")
                && buffer.get(range.end).is_none_or(|next| is_blank(*next))
            {
                if !self.set_delimiter(buffer, range.end, is_whole)? {
                    return Ok(Cut::More);
                }
                continue;
            }
            self.check_closed(buffer, lexeme, &range)?;
            if !matches!(lexeme, Lexeme::Blank | Lexeme::Comment) && self.content.is_none() {
                self.content = Some((range.start, self.line_of(buffer, range.start)));
            }
            self.is_in_condition = match lexeme {
                Lexeme::OpenCondition => true,
                Lexeme::CloseCondition => false,
                _ => self.is_in_condition,
            };
            self.at = self.end_of_word(buffer, lexeme, range);
        }
    }

    /// Drops the bytes of earlier statements: the buffer's owner removes as many from its beginning.
    pub fn drain(&mut self) -> usize {
        let drained = std::mem::take(&mut self.done);
        self.at -= drained;
        if let Some((start, _)) = &mut self.content {
            *start -= drained;
        }
        drained
    }

    /// The part that was read of a statement which is not whole: it ends between two lexemes.
    pub fn open_statement(&self) -> Option<Range<usize>> {
        self.content.map(|(start, _)| start..self.at)
    }

    /// Drops the bytes of the open statement before `at`, which is within [`Self::open_statement`]. What is returned of it later begins there, and
    /// has the line of the whole.
    pub fn release(&mut self, buffer: &[u8], at: usize) {
        self.line = self.line_of(buffer, at);
        self.done = at;
        if let Some((start, _)) = &mut self.content {
            *start = at;
        }
    }

    /// The line of what is read next, counted from 1.
    pub fn line(&self) -> u64 {
        self.content.map_or(self.line, |(_, line)| line)
    }

    /// As many bytes after a lexeme decide whether it is whole.
    fn reach(&self) -> usize {
        // `\g`, or a delimiter.
        self.delimiter.len().max(2)
    }

    fn lexer<'a>(&self, buffer: &'a [u8]) -> Lexer<'a> {
        Lexer { text: buffer, dialect: self.dialect, at: self.at, is_in_condition: self.is_in_condition }
    }

    /// The length of what ends a statement, at the beginning of a text.
    fn delimiter_at(&self, text: &[u8]) -> Option<usize> {
        if text.starts_with(&self.delimiter) {
            return Some(self.delimiter.len());
        }
        matches!(text, [b'\\', b'g' | b'G', ..]).then_some(2)
    }

    /// A lexeme's end, or the place of a delimiter in it: words may contain `$$`.
    fn end_of_word(&self, buffer: &[u8], lexeme: Lexeme, range: Range<usize>) -> usize {
        if lexeme != Lexeme::Word || !is_word(self.delimiter[0]) {
            return range.end;
        }
        let reach = (range.end + self.delimiter.len() - 1).min(buffer.len());
        memmem::find(&buffer[range.start..reach], &self.delimiter).map_or(range.end, |at| range.start + at)
    }

    /// The statement that ends at `end`, if there is one.
    fn statement(&mut self, buffer: &[u8], end: usize) -> Option<ScriptStatement> {
        let (start, line) = self.content.take()?;
        let blanks = buffer[start..end].iter().rev().take_while(|byte| is_blank(**byte)).count();
        Some(ScriptStatement { range: start..end - blanks, line, is_ended: true, is_vertical: false })
    }

    fn end(&mut self, buffer: &[u8]) -> Cut {
        match self.statement(buffer, buffer.len()) {
            Some(statement) => {
                self.begin_at(buffer, buffer.len());
                Cut::Statement(ScriptStatement { is_ended: false, ..statement })
            }
            None => Cut::End,
        }
    }

    /// The next statement begins here.
    fn begin_at(&mut self, buffer: &[u8], at: usize) {
        self.line = self.line_of(buffer, at);
        (self.done, self.at) = (at, at);
        (self.content, self.is_in_condition) = (None, false);
    }

    fn line_of(&self, buffer: &[u8], at: usize) -> u64 {
        self.line + memchr_iter(b'\n', &buffer[self.done..at]).count() as u64
    }

    /// Reads the line after the word DELIMITER; `false` if it is not whole.
    fn set_delimiter(&mut self, buffer: &[u8], after: usize, is_whole: bool) -> Result<bool> {
        let end = match memchr(b'\n', &buffer[after..]) {
            Some(length) => after + length,
            None if is_whole => buffer.len(),
            None => return Ok(false),
        };
        let mut words = buffer[after..end].split(|byte| is_blank(*byte)).filter(|word| !word.is_empty());
        let delimiter = words.next().map(unquoted).unwrap_or_default();
        if delimiter.is_empty() || delimiter.contains(&b'\\') {
            let line = self.line_of(buffer, after);
            return Err(Error::config(format!("DELIMITER in line {line} names no delimiter"))
                .with_hint("write it after the word, as in `DELIMITER $$`; it has no backslash"));
        }
        self.delimiter = delimiter.to_vec();
        self.begin_at(buffer, end);
        Ok(true)
    }

    /// A text or a comment that is open at the end of the script: it was cut off, or quotes are read in another way.
    fn check_closed(&self, buffer: &[u8], lexeme: Lexeme, range: &Range<usize>) -> Result<()> {
        let text = &buffer[range.clone()];
        let what = match lexeme {
            Lexeme::Unclosed(b'`') => "a name in backticks",
            Lexeme::Unclosed(_) => "a quoted text",
            Lexeme::Comment if text.starts_with(b"/*") && !(text.len() > 3 && text.ends_with(b"*/")) => "a comment",
            _ => return Ok(()),
        };
        let line = self.line_of(buffer, range.start);
        Err(Error::data(format!("the script ends within {what} that begins in line {line}"))
            .with_hint("the file may have been cut off: compare its size with that of its origin"))
    }
}

/// A text without the quotes around it.
fn unquoted(text: &[u8]) -> &[u8] {
    match text {
        [first @ (b'\'' | b'"' | b'`'), inside @ .., last] if first == last => inside,
        _ => text,
    }
}

#[cfg(test)]
mod tests;
