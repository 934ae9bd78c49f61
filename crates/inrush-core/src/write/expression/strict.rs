//! Which expressions LOAD DATA computes as strictly as an INSERT does.
//!
//! LOAD DATA reads a field that an expression names into a user variable. When an expression uses such a variable as a number,
//! the servers convert it without a warning (`12 apples` becomes 12), where a strict INSERT of the same text fails with 1292
//! (docs/notes/computed.md). So an expression is strict only if it never uses a field as a number. The list is short on purpose:
//! all other expressions are written by INSERTs.

use super::{Computed, Part};
use crate::sql::{Dialect, Lexeme, Lexer};

impl<F> Computed<F> {
    /// Whether LOAD DATA warns about each value for which a strict INSERT fails: a constant, or functions of texts alone.
    pub fn is_strict_in_load(&self) -> bool {
        let mut tokens = Vec::new();
        for part in &self.parts {
            match part {
                Part::Field(_) => tokens.push(Token::Text),
                Part::Sql(sql) => match read(sql) {
                    Some(more) => tokens.extend(more),
                    None => return false,
                },
            }
        }
        if let [Token::Number] | [Token::Sign, Token::Number] = tokens[..] {
            return true;
        }
        let mut rest = &tokens[..];
        is_value(&mut rest, Nesting::Outermost) && rest.is_empty()
    }
}

/// A token of an expression.
#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A quoted text or a field.
    Text,
    Number,
    Sign,
    /// A name, in capitals.
    Word(String),
    Open,
    Close,
    Comma,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Outermost,
    Argument,
}

/// The tokens of `sql`; `None` if there is one that no strict expression has.
fn read(sql: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut lexer = Lexer::new(sql.as_bytes(), Dialect::default()).peekable();
    while let Some(token) = lexer.next() {
        let text = &sql[token.range];
        tokens.push(match token.lexeme {
            Lexeme::Blank => continue,
            Lexeme::Quoted(b'\'') => Token::Text,
            Lexeme::Symbol(b'(') => Token::Open,
            Lexeme::Symbol(b')') => Token::Close,
            Lexeme::Symbol(b',') => Token::Comma,
            Lexeme::Symbol(b'-' | b'+') => Token::Sign,
            Lexeme::Word if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                // `1.5`, `1.`.
                let is_decimal_point = |next: &crate::sql::Token| next.lexeme == Lexeme::Symbol(b'.');
                if lexer.next_if(is_decimal_point).is_some() {
                    let is_number =
                        |next: &crate::sql::Token| sql[next.range.clone()].bytes().all(|byte| byte.is_ascii_digit());
                    lexer.next_if(is_number);
                }
                Token::Number
            }
            Lexeme::Word if !text.starts_with(|c: char| c.is_ascii_digit()) => Token::Word(text.to_ascii_uppercase()),
            _ => return None,
        });
    }
    Some(tokens)
}

/// Takes one value from the beginning of `rest`; false if it is not strict.
fn is_value(rest: &mut &[Token], place: Nesting) -> bool {
    let Some((first, behind)) = rest.split_first() else { return false };
    *rest = behind;
    let word = match first {
        Token::Text => return true,
        Token::Word(word) => word.as_str(),
        _ => return false,
    };
    if word == "NULL" {
        return true;
    }
    let is_outermost = place == Nesting::Outermost;
    let Some(arguments) = rest.strip_prefix(&[Token::Open]) else {
        return is_outermost && CLOCK_WORDS.contains(&word);
    };
    if is_outermost && CLOCKS.contains(&word) {
        *rest = arguments;
        return take(rest, &Token::Close);
    }
    if !(TEXT_FUNCTIONS.contains(&word) || is_outermost && OUTERMOST_FUNCTIONS.contains(&word)) {
        return false;
    }
    *rest = arguments;
    loop {
        if !is_value(rest, Nesting::Argument) {
            return false;
        }
        if take(rest, &Token::Close) {
            return true;
        }
        if !take(rest, &Token::Comma) {
            return false;
        }
    }
}

fn take(rest: &mut &[Token], token: &Token) -> bool {
    match rest.split_first() {
        Some((first, behind)) if first == token => {
            *rest = behind;
            true
        }
        _ => false,
    }
}

/// Functions that take texts for texts and return one.
const TEXT_FUNCTIONS: [&str; 13] = [
    "UPPER",
    "UCASE",
    "LOWER",
    "LCASE",
    "TRIM",
    "LTRIM",
    "RTRIM",
    "REVERSE",
    "REPLACE",
    "CONCAT",
    "CONCAT_WS",
    "NULLIF",
    "COALESCE",
];

/// Functions of texts that return no text: nothing may take what they return for one.
const OUTERMOST_FUNCTIONS: [&str; 2] = ["STR_TO_DATE", "UNHEX"];

/// Functions without arguments.
const CLOCKS: [&str; 7] =
    ["NOW", "CURRENT_TIMESTAMP", "LOCALTIMESTAMP", "CURDATE", "CURRENT_DATE", "UTC_TIMESTAMP", "UTC_DATE"];

/// Those that need no brackets.
const CLOCK_WORDS: [&str; 3] = ["CURRENT_TIMESTAMP", "CURRENT_DATE", "LOCALTIMESTAMP"];

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expression: &str, want: bool) {
        let computed = Computed::parse(&format!("c={expression}")).unwrap();
        assert_eq!(computed.is_strict_in_load(), want, "{expression}");
    }

    #[test]
    fn constants() {
        for constant in ["'NZ'", "'it''s'", "NULL", "7", "-1.5", "NOW()", "now( )", "current_timestamp", "CURDATE()"] {
            check(constant, true);
        }
    }
    #[test]
    fn functions_of_texts() {
        for texts in [
            "@x",
            "UPPER(@name)",
            "concat (@a, '-', TRIM(@b))",
            "STR_TO_DATE(NULLIF(@born,''),'%d.%m.%Y')",
            "UNHEX(@`the raw`)",
            "COALESCE(NULLIF(@x, 'a'), NULL)",
        ] {
            check(texts, true);
        }
    }
    #[test]
    fn a_field_that_is_taken_for_a_number() {
        for number in [
            "@price*@qty",
            "@x+1",
            "-@x",
            "CAST(@price AS DECIMAL(10,2))",
            "NULLIF(@x, 0)",
            "COALESCE(@x, 7)",
            "ROUND(@x)",
            "IF(@x, 1, 0)",
            "@x = 7",
            "CONCAT(@x) * 2",
            "REPLACE(@x, ',', '.') + 0",
            "MAKEDATE(2000, @x)",
            "LEFT('abc', @x)",
        ] {
            check(number, false);
        }
    }
    #[test]
    fn what_is_not_known() {
        for other in [
            "price*2",
            "name",
            "(SELECT MAX(id) FROM t)",
            "CONCAT(STR_TO_DATE(@x, '%Y'), 'x')",
            "CONCAT()",
            "NOW(6)",
            "@@sql_mode",
            "'a' 'b'",
            "\"a\"",
            "0x41",
            "1e3",
            "DEFAULT(a)",
            "my_function(@x)",
            "@x COLLATE utf8mb4_bin",
        ] {
            check(other, false);
        }
    }
}
