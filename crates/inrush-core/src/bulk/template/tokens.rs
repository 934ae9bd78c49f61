//! The words, names and marks of a statement, without blanks and comments.
//!
//! The content of `/*! .. */` counts as words like any other, because a server may execute it. The start and end of such a
//! comment are recorded, because a part that crosses them must not be cut out.

use crate::session::Statement;
use crate::session::statement::{comment, quoted};
use std::ops::Range;

/// A token, and its range in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) what: What,
    pub(super) range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// Letters, digits, `_`, `$`: a keyword, a name, a number.
    Word,
    /// A text in quotes of this kind.
    Quoted(u8),
    /// The mark of a placeholder, by its number.
    Mark(usize),
    /// Any other byte that is no blank.
    Symbol(u8),
}

/// A statement's tokens.
#[derive(Debug)]
pub(super) struct Tokens {
    /// Without the `;` at the end.
    pub(super) tokens: Vec<Token>,
    /// The positions of each `/*!` and its `*/`.
    pub(super) borders: Vec<usize>,
    /// Where the last token ends: only `;`, blanks and comments follow.
    pub(super) end: usize,
}

impl Tokens {
    /// Reads a text; `None` if quotes or `/*!` stay open in it.
    pub(super) fn of(statement: &Statement) -> Option<Self> {
        let text = statement.sql().as_bytes();
        let mut marks = statement.marks().iter().copied().enumerate().peekable();
        let (mut tokens, mut borders) = (Vec::new(), Vec::new());
        let mut is_conditional = false;
        let mut end = 0;
        let mut i = 0;
        while let Some(&first) = text.get(i) {
            let rest = &text[i..];
            while marks.next_if(|(_, at)| *at < i).is_some() {}
            if let Some(n) = opens_condition(rest).filter(|_| !is_conditional) {
                is_conditional = true;
                borders.push(i);
                i += n;
                continue;
            }
            if is_conditional && rest.starts_with(b"*/") {
                is_conditional = false;
                borders.push(i);
                i += 2;
                end = i;
                continue;
            }
            if let Some(n) = comment(rest) {
                i += n;
                continue;
            }
            let (what, n) = match first {
                b'\'' | b'"' | b'`' => (What::Quoted(first), quoted(rest)?),
                b'?' => match marks.peek() {
                    Some((number, at)) if *at == i => (What::Mark(*number), 1),
                    _ => (What::Symbol(first), 1),
                },
                _ if is_word(first) => (What::Word, rest.iter().take_while(|byte| is_word(**byte)).count()),
                _ => (What::Symbol(first), 1),
            };
            let range = i..i + n;
            i = range.end;
            if first.is_ascii_whitespace() || first == VERTICAL_TAB {
                continue;
            }
            if what != What::Symbol(b';') {
                end = i;
            }
            match tokens.last_mut() {
                // A doubled quote does not end a text.
                Some(Token { what: last, range: text })
                    if matches!(what, What::Quoted(_)) && *last == what && text.end == range.start =>
                {
                    text.end = range.end;
                }
                _ => tokens.push(Token { what, range }),
            }
        }
        while tokens.pop_if(|token| token.what == What::Symbol(b';')).is_some() {}
        (!is_conditional).then_some(Self { tokens, borders, end })
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

/// The length of `/*!80000` or `/*M!100100`.
fn opens_condition(text: &[u8]) -> Option<usize> {
    let digits = text.strip_prefix(b"/*!").or_else(|| text.strip_prefix(b"/*M!"))?;
    let n_digits = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some(text.len() - digits.len() + n_digits)
}

/// Which Rust does not count among the blanks.
const VERTICAL_TAB: u8 = 0x0B;
