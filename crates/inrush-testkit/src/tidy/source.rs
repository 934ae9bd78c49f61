//! Finds the names that a Rust file uses: a parser of comments, literals, `use` trees and paths, and of nothing else in the language.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::slice::Iter;

/// The steps of a path.
pub(super) type Path = Vec<String>;

/// What a file names outside of its tests.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Source {
    /// All paths of more than one step, those of `use` among them.
    pub(super) paths: BTreeSet<Path>,
    /// Names that `use` imports, and their paths.
    pub(super) names: BTreeMap<String, Path>,
    /// What `use` brings in as a whole.
    pub(super) globs: Vec<Path>,
    /// Names of items.
    pub(super) defined: BTreeSet<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Step,
    Mark(char),
}

impl Source {
    pub(super) fn read(text: &str) -> Self {
        let tokens = without_tests(&tokens(text));
        let mut source = Self::default();
        let mut tokens = tokens.iter().peekable();
        let start = Token::Mark(';');
        let mut before = &start;
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(word) if word == "use" && *before != Token::Step => {
                    source.read_use(&Path::new(), &mut tokens)
                }
                Token::Word(word) if !matches!(before, Token::Step | Token::Mark('.')) => {
                    let path = read_path(word, &mut tokens);
                    if ITEMS.contains(&word.as_str())
                        && let Some(Token::Word(name)) = tokens.peek()
                        && !ITEMS.contains(&name.as_str())
                    {
                        source.defined.insert(name.clone());
                    }
                    if path.len() > 1 {
                        source.paths.insert(path);
                    }
                }
                _ => {}
            }
            before = token;
        }
        source
    }

    /// The part of a `use` that follows `prefix`, up to the comma or the bracket after it.
    fn read_use(&mut self, prefix: &Path, tokens: &mut Peekable<Iter<'_, Token>>) {
        let mut path = prefix.clone();
        let mut name = None;
        while let Some(token) = tokens.next() {
            match token {
                Token::Word(word) if word == "as" => {
                    if let Some(Token::Word(alias)) = tokens.next() {
                        name = Some(alias.clone());
                    }
                }
                Token::Word(word) => path.push(word.clone()),
                Token::Mark('*') => {
                    self.globs.push(path.clone());
                    self.paths.insert(path);
                    path = Path::new();
                }
                Token::Mark('{') => {
                    while !matches!(tokens.peek(), None | Some(Token::Mark('}'))) {
                        self.read_use(&path, tokens);
                        if let Some(Token::Mark(',')) = tokens.peek() {
                            tokens.next();
                        }
                    }
                    tokens.next();
                    path = Path::new();
                }
                _ => {}
            }
            if let None | Some(Token::Mark(',' | '}' | ';')) = tokens.peek() {
                break;
            }
        }
        if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
            path.pop();
        }
        if let Some(last) = path.last().cloned() {
            self.names.insert(name.unwrap_or(last), path.clone());
            self.paths.insert(path);
        }
    }
}

fn read_path(first: &str, tokens: &mut Peekable<Iter<'_, Token>>) -> Path {
    let mut path = vec![first.to_owned()];
    while let Some(Token::Step) = tokens.peek() {
        let mut ahead = tokens.clone();
        ahead.next();
        let Some(Token::Word(word)) = ahead.next() else { break };
        path.push(word.clone());
        *tokens = ahead;
    }
    path
}

/// Leaves out each item with the attribute `#[cfg(test)]`.
fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut left = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let is_test = tokens[at..].len() >= TEST.len()
            && tokens[at..].iter().zip(TEST).all(|(token, want)| match token {
                Token::Word(word) => word == want,
                Token::Mark(mark) => want.chars().eq([*mark]),
                Token::Step => false,
            });
        if is_test {
            at += TEST.len() + item_length(&tokens[at + TEST.len()..]);
        } else {
            left.push(tokens[at].clone());
            at += 1;
        }
    }
    left
}

/// Up to the `;` or the closing bracket of an item, with its further attributes.
fn item_length(tokens: &[Token]) -> usize {
    let (mut depth, mut in_attribute, mut is_use) = (0, false, false);
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Word(word) if depth == 0 => is_use |= word == "use",
            Token::Mark('#') if depth == 0 => in_attribute = true,
            Token::Mark('{' | '(' | '[') => depth += 1,
            Token::Mark('}') if depth == 1 && !is_use => return at + 1,
            Token::Mark(']') if depth == 1 && in_attribute => (depth, in_attribute) = (0, false),
            Token::Mark('}' | ')' | ']') => depth -= 1,
            Token::Mark(';') if depth == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if let Some(length) = skipped(rest) {
            rest = &rest[length..];
        } else if c.is_alphanumeric() || c == '_' {
            let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else if let Some(after) = rest.strip_prefix("::") {
            tokens.push(Token::Step);
            rest = after;
        } else {
            if !c.is_whitespace() {
                tokens.push(Token::Mark(c));
            }
            rest = &rest[c.len_utf8()..];
        }
    }
    tokens
}

/// The length of the comment, string or character at the beginning of `text`.
fn skipped(text: &str) -> Option<usize> {
    let to = |end: Option<usize>, length: usize| Some(end.map_or(text.len(), |end| end + length));
    if text.starts_with("//") {
        return to(text.find('\n'), 1);
    }
    if text.starts_with("/*") {
        return to(text.find("*/"), 2);
    }
    if let Some(inside) = text.strip_prefix('\'') {
        // A lifetime has no second quote where a character has one.
        let length =
            if inside.starts_with('\\') { 2 + inside.get(2..)?.find('\'')? } else { inside.chars().next()?.len_utf8() };
        return inside[length..].starts_with('\'').then_some(length + 2);
    }
    let prefix = text.find('"').filter(|at| ["", "b", "c", "r", "br"].contains(&text[..*at].trim_end_matches('#')))?;
    let (start, raw) = (&text[..prefix], &text[prefix + 1..]);
    if start.contains('r') {
        let end = format!("\"{}", &start[start.find('#').unwrap_or(prefix)..]);
        return to(raw.find(&end).map(|at| prefix + 1 + at), end.len());
    }
    if start.contains('#') {
        return None;
    }
    let mut escaped = false;
    let end = raw.char_indices().find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    to(end.map(|(at, _)| prefix + 1 + at), 1)
}

/// The keywords before the name of an item.
const ITEMS: &[&str] = &["struct", "enum", "union", "fn", "trait", "type", "const", "static", "mod"];

/// The attribute of items that exist for tests only.
const TEST: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];

#[cfg(test)]
mod tests;
