//! The words, names and marks of a statement, without blanks and comments.
//!
//! The content of `/*! .. */` counts as words like any other, because a server may execute it. The start and end of such a
//! comment are recorded, because a part that crosses them must not be cut out.

use crate::session::Statement;
use crate::sql::{Lexeme, Lexer};
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
        let mut lexer = Lexer::new(statement.sql().as_bytes(), statement.dialect());
        let mut marks = statement.marks().iter().copied().enumerate().peekable();
        let (mut tokens, mut borders) = (Vec::new(), Vec::new());
        let mut end = 0;
        while let Some(token) = lexer.next_token() {
            let range = token.range;
            while marks.next_if(|(_, at)| *at < range.start).is_some() {}
            let what = match token.lexeme {
                Lexeme::OpenCondition => {
                    borders.push(range.start);
                    continue;
                }
                Lexeme::CloseCondition => {
                    borders.push(range.start);
                    end = range.end;
                    continue;
                }
                Lexeme::Unclosed(_) => return None,
                Lexeme::Word | Lexeme::Blank | Lexeme::Comment => What::Word,
                Lexeme::Quoted(quote) => What::Quoted(quote),
                Lexeme::Symbol(symbol) => match marks.peek() {
                    Some((number, at)) if *at == range.start => What::Mark(*number),
                    _ => What::Symbol(symbol),
                },
            };
            if what != What::Symbol(b';') {
                end = range.end;
            }
            tokens.push(Token { what, range });
        }
        while tokens.pop_if(|token| token.what == What::Symbol(b';')).is_some() {}
        (!lexer.is_in_condition()).then_some(Self { tokens, borders, end })
    }
}
