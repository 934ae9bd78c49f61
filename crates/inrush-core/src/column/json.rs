//! JSON according to RFC 8259, in one pass: validates a document, or finds an object's members. Nothing is built.
//!
//! Numbers are not read but only found: a value keeps its digits from the text. Nothing here is recursive, so that no document
//! can exhaust the stack.

use memchr::memchr2;
use std::fmt;

/// A range of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// After the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the bytes of the range.
    pub fn of(self, text: &[u8]) -> &[u8] {
        &text[self.start..self.end]
    }
}

/// A string: the text between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text {
    /// Where.
    pub span: Span,
    /// There is a backslash in it.
    pub escaped: bool,
}

/// A member's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as its text.
    Number(Span),
    /// A string.
    String(Text),
    /// An array or an object, as its text.
    Nested(Span),
}

/// What is wrong, and at which byte of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub what: What,
    /// Where.
    pub at: usize,
}

/// What can be wrong with a text that is to be JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It is none, for this reason.
    Grammar(&'static str),
    /// See [`Limits::depth`].
    Depth,
    /// See [`Limits::key_bytes`].
    Key,
    /// See [`Limits::takes_number`].
    Number,
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            What::Grammar(what) => what,
            What::Depth => "it is nested too deeply",
            What::Key => "a name is too long",
            What::Number => "a number is out of range",
        })
    }
}

/// What a server takes of JSON beyond its grammar.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How many levels of arrays and objects may be nested, at most 128.
    pub depth: u32,
    /// How long a member's name may be, as spelt in the text.
    pub key_bytes: usize,
    /// Whether it can hold this number.
    pub takes_number: fn(&[u8]) -> bool,
}

impl Default for Limits {
    /// The nesting that both servers accept at most (MySQL 100, MariaDB less); anything else without limit.
    fn default() -> Self {
        Self { depth: 100, key_bytes: usize::MAX, takes_number: |_| true }
    }
}

/// Scans a text.
#[derive(Debug)]
pub struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    end: usize,
    limits: Limits,
}

impl<'a> Scanner<'a> {
    /// Scans this part of a text.
    pub fn new(text: &'a [u8], part: Span, limits: Limits) -> Self {
        Self { text, at: part.start, end: part.end, limits }
    }

    /// Scans a value that is all of the text.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn document(&mut self) -> Result<(), Fault> {
        self.space();
        self.value()?;
        self.space();
        if self.at == self.end { Ok(()) } else { Err(self.fault("something follows the value")) }
    }

    /// Calls `member` for each member of the object that is all of the text.
    ///
    /// # Errors
    /// What is wrong with it, or the error of `member`.
    pub fn object<E: From<Fault>>(&mut self, mut member: impl FnMut(Text, Value) -> Result<(), E>) -> Result<(), E> {
        self.space();
        if self.peek() != Some(b'{') {
            return Err(self.fault("it is no object").into());
        }
        self.at += 1;
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                let key = self.key()?;
                self.space();
                let value = self.value()?;
                member(key, value)?;
                self.space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => {
                        self.at += 1;
                        break;
                    }
                    _ => return Err(self.fault("`,` or `}` is missing").into()),
                }
            }
        }
        self.space();
        if self.at == self.end { Ok(()) } else { Err(self.fault("something follows the object").into()) }
    }

    /// The next byte that is no blank; `None` at the end.
    pub(crate) fn token(&mut self) -> Option<u8> {
        self.space();
        self.peek()
    }

    /// Skips this byte if it is the next one that is no blank.
    pub(crate) fn takes(&mut self, byte: u8) -> bool {
        let is_next = self.token() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Takes all next bytes that `is_part` accepts.
    pub(crate) fn take_while(&mut self, is_part: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = &self.text[self.at..self.end];
        let taken = rest.iter().position(|byte| !is_part(*byte)).map_or(rest, |n| &rest[..n]);
        self.at += taken.len();
        taken
    }

    /// Takes a member's name and the colon.
    pub(crate) fn key(&mut self) -> Result<Text, Fault> {
        self.space();
        let key = self.string()?;
        if key.span.end - key.span.start > self.limits.key_bytes {
            return Err(Fault { what: What::Key, at: key.span.start });
        }
        self.space();
        self.expect(b':', "`:` is missing")?;
        Ok(key)
    }

    fn value(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        Ok(match self.peek() {
            Some(b'{' | b'[') => {
                self.nested()?;
                Value::Nested(Span { start, end: self.at })
            }
            _ => self.scalar()?,
        })
    }

    /// Takes a value that is no array and no object.
    pub(crate) fn scalar(&mut self) -> Result<Value, Fault> {
        match self.peek() {
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(b't') => self.word(b"true").map(|()| Value::Bool(true)),
            Some(b'f') => self.word(b"false").map(|()| Value::Bool(false)),
            Some(b'n') => self.word(b"null").map(|()| Value::Null),
            _ => Err(self.fault("a value is missing")),
        }
    }

    /// Skips an array or an object, with a stack of one bit for each level: whether it is an object.
    fn nested(&mut self) -> Result<(), Fault> {
        let mut objects = 0u128;
        let mut depth = 0u32;
        'value: loop {
            self.space();
            match self.peek() {
                Some(open @ (b'[' | b'{')) => {
                    if depth == self.limits.depth {
                        return Err(Fault { what: What::Depth, at: self.at });
                    }
                    self.at += 1;
                    depth += 1;
                    objects = objects << 1 | u128::from(open == b'{');
                    self.space();
                    if self.peek() == Some(if open == b'{' { b'}' } else { b']' }) {
                        self.at += 1;
                        depth -= 1;
                        objects >>= 1;
                    } else {
                        if open == b'{' {
                            self.key()?;
                        }
                        continue 'value;
                    }
                }
                _ => drop(self.scalar()?),
            }
            // After a value: close what ends here, until a comma introduces the next value or all is closed.
            while depth > 0 {
                self.space();
                let is_object = objects & 1 == 1;
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if is_object {
                            self.key()?;
                        }
                        continue 'value;
                    }
                    Some(close) if close == if is_object { b'}' } else { b']' } => {
                        self.at += 1;
                        depth -= 1;
                        objects >>= 1;
                    }
                    _ => return Err(self.fault("`,` or a closing bracket is missing")),
                }
            }
            return Ok(());
        }
    }

    fn string(&mut self) -> Result<Text, Fault> {
        self.expect(b'"', "a string is missing")?;
        let start = self.at;
        let mut escaped = false;
        loop {
            let Some(found) = memchr2(b'"', b'\\', &self.text[self.at..self.end]) else {
                self.at = self.end;
                return Err(self.fault("a string does not end"));
            };
            if let Some(control) = self.text[self.at..self.at + found].iter().position(|&byte| byte < 0x20) {
                self.at += control;
                return Err(self.fault("a control character stands in a string"));
            }
            self.at += found + 1;
            if self.text[self.at - 1] == b'"' {
                return Ok(Text { span: Span { start, end: self.at - 1 }, escaped });
            }
            escaped = true;
            self.escape()?;
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 1,
            Some(b'u') => {
                self.at += 1;
                match self.code_unit()? {
                    0xd800..0xdc00 => {
                        self.expect(b'\\', HALF)?;
                        self.expect(b'u', HALF)?;
                        if !(0xdc00..0xe000).contains(&self.code_unit()?) {
                            return Err(self.fault(HALF));
                        }
                    }
                    0xdc00..0xe000 => return Err(self.fault(HALF)),
                    _ => {}
                }
            }
            _ => return Err(self.fault("an escape that JSON does not have")),
        }
        Ok(())
    }

    fn code_unit(&mut self) -> Result<u32, Fault> {
        let digits = self.text[self.at..self.end].first_chunk::<4>().ok_or_else(|| self.fault(DIGITS))?;
        let mut unit = 0;
        for digit in digits {
            unit = unit << 4 | char::from(*digit).to_digit(16).ok_or_else(|| self.fault(DIGITS))?;
        }
        self.at += 4;
        Ok(unit)
    }

    fn number(&mut self) -> Result<Span, Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let number = Span { start, end: self.at };
        match (self.limits.takes_number)(number.of(self.text)) {
            true => Ok(number),
            false => Err(Fault { what: What::Number, at: start }),
        }
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let n = self.text[self.at..self.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += n;
        if n > 0 { Ok(()) } else { Err(self.fault("a digit is missing")) }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Fault> {
        if !self.text[self.at..self.end].starts_with(word) {
            return Err(self.fault("a value is missing"));
        }
        self.at += word.len();
        Ok(())
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), Fault> {
        if self.peek() != Some(byte) {
            return Err(self.fault(what));
        }
        self.at += 1;
        Ok(())
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text[..self.end].get(self.at).copied()
    }

    fn fault(&self, what: &'static str) -> Fault {
        Fault { what: What::Grammar(what), at: self.at.min(self.end) }
    }
}

/// Appends the unescaped content of a string; [`Scanner`] has found it to be complete.
pub fn unescape(string: &[u8], out: &mut Vec<u8>) {
    let mut rest = string;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let Some(&escape) = rest.get(at + 1) else { return };
        rest = &rest[at + 2..];
        match escape {
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let mut unit = take_unit(&mut rest);
                if (0xd800..0xdc00).contains(&unit) {
                    rest = rest.get(2..).unwrap_or_default();
                    unit = 0x1_0000 + ((unit - 0xd800) << 10) + take_unit(&mut rest).saturating_sub(0xdc00);
                }
                let char = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => out.push(other),
        }
    }
    out.extend_from_slice(rest);
}

fn take_unit(rest: &mut &[u8]) -> u32 {
    let (digits, behind) = rest.split_at(rest.len().min(4));
    *rest = behind;
    digits.iter().fold(0, |unit, digit| unit << 4 | char::from(*digit).to_digit(16).unwrap_or(0))
}

const HALF: &str = "half a character (a lone surrogate)";
const DIGITS: &str = "`\\u` needs four hexadecimal digits";

#[cfg(test)]
mod tests;
