//! The lexical rules of SQL: where a quoted text, a comment, a word ends. Every reader of SQL text in this crate uses them.
//!
//! | what | rule | source |
//! |---|---|---|
//! | blank | space, `\t`, `\n`, `\v`, `\f`, `\r` | `my_isspace` |
//! | `-- ..` | only if a blank, a control character or the end of the text follows: `5--3` is 8 | `sql_lex.cc`, `MY_LEX_COMMENT` |
//! | `# ..`, `-- ..` | up to `\n` | the same |
//! | `/* .. */` | up to the first `*/`; does not nest | `consume_comment` |
//! | `/*! .. */`, `/*M! .. */` | executed by some servers, so its content is text; 5 or 6 digits after the mark are a version | `MY_LEX_LONG_COMMENT` |
//! | `'..'` | a doubled quote is a quote; a backslash escapes, unless the session is in NO_BACKSLASH_ESCAPES | `get_text` |
//! | `".."` | the same; in ANSI_QUOTES it is a name, as `` `..` `` | `MY_LEX_STRING_OR_DELIMITER` |
//! | `` `..` `` | a doubled quote is a quote; a backslash is an ordinary character | `MY_LEX_USER_VARIABLE_DELIMITER` |
//! | word | letters, digits, `_`, `$`, all bytes from 0x80 | `ident_map` |
//!
//! A test compares them with the servers' own answers (`real/lexical.rs` of the library).
//!
//! Invariant: a lexeme is never empty and ends at a character's border if the text is UTF-8.

mod script;

pub use script::{Cut, ScriptCutter, ScriptStatement};

/// How a session reads quotes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// A backslash is an ordinary character in literals.
    pub no_backslash_escapes: bool,
    /// Double quotes hold names, in which a backslash is an ordinary character.
    pub ansi_quotes: bool,
}

impl Dialect {
    /// Every reading of quotes that differs from the others. In NO_BACKSLASH_ESCAPES, the end of a quoted text is the same with ANSI_QUOTES.
    pub const ALL: [Self; 3] = [
        Self { no_backslash_escapes: false, ansi_quotes: false },
        Self { no_backslash_escapes: false, ansi_quotes: true },
        Self { no_backslash_escapes: true, ansi_quotes: false },
    ];

    fn escapes(self, quote: u8) -> bool {
        match quote {
            b'\'' => !self.no_backslash_escapes,
            b'"' => !self.no_backslash_escapes && !self.ansi_quotes,
            _ => false,
        }
    }
}

/// The smallest part of a text that has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexeme {
    /// Blanks.
    Blank,
    /// A comment that no server executes. One that stays open goes to the end of the text, which servers refuse.
    Comment,
    /// `/*!`, `/*M!`, with the version if there is one.
    OpenCondition,
    /// The `*/` that closes it.
    CloseCondition,
    /// A keyword, a name, a number.
    Word,
    /// A text or a name in quotes of this kind.
    Quoted(u8),
    /// A quote of this kind that stays open, with the rest of the text.
    Unclosed(u8),
    /// Any other byte.
    Symbol(u8),
}

/// A lexeme, and its range in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub lexeme: Lexeme,
    /// Its bytes in the text.
    pub range: std::ops::Range<usize>,
}

/// The lexemes of a text, one after the other.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    dialect: Dialect,
    at: usize,
    is_in_condition: bool,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a [u8], dialect: Dialect) -> Self {
        Self { text, dialect, at: 0, is_in_condition: false }
    }

    /// Starts at this byte of the text, where a lexeme begins.
    pub(crate) fn start_at(&mut self, at: usize) {
        self.at = at;
    }

    /// Advances over words, blanks and symbols to the next byte that may begin a quoted text, a comment or a placeholder, or is a backslash.
    pub(crate) fn skip_plain(&mut self) {
        self.at += run(&self.text[self.at..], |byte| IS_PLAIN[usize::from(byte)]);
    }

    /// Whether a `/*!` is open here.
    pub fn is_in_condition(&self) -> bool {
        self.is_in_condition
    }

    /// The next lexeme that is neither a blank nor a comment.
    pub fn next_token(&mut self) -> Option<Token> {
        self.find(|token| !matches!(token.lexeme, Lexeme::Blank | Lexeme::Comment))
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let rest = &self.text[self.at..];
        let (lexeme, length) = match rest {
            [] => return None,
            [b'*', b'/', ..] if self.is_in_condition => (Lexeme::CloseCondition, 2),
            _ => lexeme(rest, self.dialect),
        };
        self.is_in_condition = match lexeme {
            Lexeme::OpenCondition => true,
            Lexeme::CloseCondition => false,
            _ => self.is_in_condition,
        };
        let range = self.at..self.at + length;
        self.at = range.end;
        Some(Token { lexeme, range })
    }
}

/// The lexeme at the start of a text that is not empty, and its length in bytes.
fn lexeme(text: &[u8], dialect: Dialect) -> (Lexeme, usize) {
    let first = text[0];
    match first {
        _ if is_word(first) => (Lexeme::Word, run(text, is_word)),
        _ if is_blank(first) => (Lexeme::Blank, run(text, is_blank)),
        b'\'' | b'"' | b'`' => match quoted(text, dialect) {
            Some(length) => (Lexeme::Quoted(first), length),
            None => (Lexeme::Unclosed(first), text.len()),
        },
        b'#' | b'-' | b'/' => match (condition(text), comment(text)) {
            (Some(length), _) => (Lexeme::OpenCondition, length),
            (None, Some(length)) => (Lexeme::Comment, length),
            (None, None) => (Lexeme::Symbol(first), 1),
        },
        _ => (Lexeme::Symbol(first), 1),
    }
}

/// The length of the comment at the start of a text. The marks of a condition are a comment's, too: see [`condition`].
fn comment(text: &[u8]) -> Option<usize> {
    // NUL ends it too, and no statement has it outside of quotes.
    let line = || memchr::memchr2(b'\n', 0, text).map_or(text.len(), |end| end + usize::from(text[end] != 0));
    match text {
        [b'#', ..] | [b'-', b'-'] => Some(line()),
        [b'-', b'-', next, ..] if is_blank(*next) || next.is_ascii_control() => Some(line()),
        [b'/', b'*', inside @ ..] => Some(2 + memchr::memmem::find(inside, b"*/").map_or(inside.len(), |end| end + 2)),
        _ => None,
    }
}

/// The length of `/*!`, `/*!80000` or `/*M!100100` at the start of a text.
fn condition(text: &[u8]) -> Option<usize> {
    let inside = text.strip_prefix(b"/*!").or_else(|| text.strip_prefix(b"/*M!"))?;
    let n_digits = inside.iter().take(6).take_while(|byte| byte.is_ascii_digit()).count();
    Some(text.len() - inside.len() + if n_digits < 5 { 0 } else { n_digits })
}

/// The length of the quoted text at the start of a text; `None` if it stays open.
fn quoted(text: &[u8], dialect: Dialect) -> Option<usize> {
    let quote = *text.first()?;
    let escapes = dialect.escapes(quote);
    let mut at = 1;
    loop {
        match *text.get(at)? {
            b'\\' if escapes => at += 2,
            byte if byte != quote => at += 1,
            _ if text.get(at + 1) == Some(&quote) => at += 2,
            _ => return Some(at + 1),
        }
    }
}

/// The length of the run of such bytes at the start of a text.
fn run(text: &[u8], is_of_it: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|byte| !is_of_it(*byte)).unwrap_or(text.len())
}

/// Whether a word may contain the byte.
pub(crate) fn is_word(byte: u8) -> bool {
    IS_WORD[usize::from(byte)]
}

const IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let of_ascii = byte < 0x80 && (byte as u8).is_ascii_alphanumeric();
        table[byte] = of_ascii || byte == b'_' as usize || byte == b'$' as usize || byte >= 0x80;
        byte += 1;
    }
    table
};

const IS_PLAIN: [bool; 256] = {
    let mut table = [true; 256];
    let (special, mut i) = (b"'\"`#-/*?:\\", 0);
    while i < special.len() {
        table[special[i] as usize] = false;
        i += 1;
    }
    table
};

/// Whether the byte is a blank.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b'\t'..=b'\r' | b' ')
}

#[cfg(test)]
mod tests;
