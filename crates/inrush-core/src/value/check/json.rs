//! JSON: a document as RFC 8259 has it, not nested deeper than the server allows. Nothing is built; one pass over the bytes.

use super::number::Number;
use super::{Judge, Verdict, Why};
use crate::value::Rules;

#[derive(Clone, Debug)]
pub(super) struct JsonJudge {
    max_depth: usize,
    /// MySQL keeps documents in a binary form, which must be able to hold every number.
    binary: bool,
}

impl JsonJudge {
    pub(super) fn new(rules: &Rules) -> Self {
        Self { max_depth: rules.json_depth(), binary: !rules.is_mariadb() }
    }
}

impl Judge for JsonJudge {
    fn judge(&self, cell: &[u8], _: &mut Vec<u8>) -> Verdict {
        let mut reader = Reader { text: cell, at: 0, rules: self };
        match reader.document() {
            Ok(()) => Verdict::Keep,
            Err(why) => Verdict::Bad(why),
        }
    }
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    rules: &'a JsonJudge,
}

impl Reader<'_> {
    /// A loop with its own stack (one bit a level: is it an object?), so that no document can exhaust ours.
    fn document(&mut self) -> Result<(), Why> {
        let mut objects = 0u128;
        let mut depth = 0;
        'value: loop {
            self.space();
            match self.peek() {
                Some(open @ (b'[' | b'{')) => {
                    self.at += 1;
                    depth += 1;
                    if depth > self.rules.max_depth {
                        return Err(Why::JsonDepth);
                    }
                    objects = objects << 1 | u128::from(open == b'{');
                    self.space();
                    let close = if open == b'{' { b'}' } else { b']' };
                    if self.peek() == Some(close) {
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
                Some(b'"') => self.string()?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(b't') => self.word(b"true")?,
                Some(b'f') => self.word(b"false")?,
                Some(b'n') => self.word(b"null")?,
                _ => return Err(self.fault()),
            }
            // Behind a value: close what ends here, until a comma asks for the next value or the document is over.
            loop {
                self.space();
                if depth == 0 {
                    return if self.at == self.text.len() { Ok(()) } else { Err(self.fault()) };
                }
                let object = objects & 1 == 1;
                match self.peek() {
                    Some(b',') => {
                        self.at += 1;
                        if object {
                            self.key()?;
                        }
                        continue 'value;
                    }
                    Some(close) if close == if object { b'}' } else { b']' } => {
                        self.at += 1;
                        depth -= 1;
                        objects >>= 1;
                    }
                    _ => return Err(self.fault()),
                }
            }
        }
    }

    fn key(&mut self) -> Result<(), Why> {
        self.space();
        let start = self.at;
        self.string()?;
        if self.rules.binary && self.at - start - 2 > KEY_BYTES {
            return Err(Why::JsonKey);
        }
        self.space();
        self.expect(b':')
    }

    fn string(&mut self) -> Result<(), Why> {
        self.expect(b'"')?;
        loop {
            match self.next() {
                Some(b'"') => return Ok(()),
                Some(b'\\') => self.escape()?,
                Some(0x20..) => {}
                _ => return Err(self.fault_before()),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Why> {
        match self.next() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
                let unit = self.code_unit()?;
                match unit {
                    0xd800..0xdc00 => {
                        self.expect(b'\\')?;
                        self.expect(b'u')?;
                        if (0xdc00..0xe000).contains(&self.code_unit()?) { Ok(()) } else { Err(self.fault_before()) }
                    }
                    0xdc00..0xe000 => Err(self.fault_before()),
                    _ => Ok(()),
                }
            }
            _ => Err(self.fault_before()),
        }
    }

    fn code_unit(&mut self) -> Result<u32, Why> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.next().and_then(|b| (b as char).to_digit(16)).ok_or_else(|| self.fault_before())?;
            unit = unit << 4 | digit;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<(), Why> {
        let start = self.at;
        let _ = self.expect(b'-');
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.expect(b'.').is_ok() {
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        if self.rules.binary && (text.len() > 300 || text.contains(&b'e') || text.contains(&b'E')) {
            let value = std::str::from_utf8(text).ok().and_then(|t| t.parse::<f64>().ok()).unwrap_or(f64::NAN);
            let is_zero = Number::parse(text).is_some_and(|number| number.is_zero());
            if !value.is_finite() || (value == 0.0 && !is_zero) {
                return Err(Why::JsonNumber { at: start as u32 });
            }
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Why> {
        if !self.peek().is_some_and(|b| b.is_ascii_digit()) {
            return Err(self.fault());
        }
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Why> {
        for byte in word {
            self.expect(*byte)?;
        }
        Ok(())
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Why> {
        if self.peek() != Some(byte) {
            return Err(self.fault());
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    #[inline]
    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += 1;
        byte
    }

    fn fault(&self) -> Why {
        Why::Json { at: self.at.min(self.text.len()) as u32 }
    }

    /// The byte that has just been read is the wrong one.
    fn fault_before(&self) -> Why {
        Why::Json { at: (self.at - 1).min(self.text.len()) as u32 }
    }
}

/// The longest name of a member in MySQL's binary form.
const KEY_BYTES: usize = 65_535;
