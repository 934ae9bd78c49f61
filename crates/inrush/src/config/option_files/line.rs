//! One line of an option file: quotes, escapes and comments.
//!
//! ```text
//! [group]      name      name = value      name = "va\"lue" # comment      # comment      ; comment      !include FILE
//! ```

use crate::{Error, Result};

/// The content of a line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Empty,
    Group(&'a str),
    Include(&'a str),
    IncludeDir(&'a str),
    Option { name: &'a str, value: Option<String> },
}

/// Reads one line. Messages never show a value: it may be a password.
pub(super) fn parse(line: &str) -> Result<Line<'_>> {
    let line = line.trim();
    if line.is_empty() || line.starts_with(['#', ';']) {
        return Ok(Line::Empty);
    }
    if let Some(rest) = line.strip_prefix('[') {
        let (name, _) = rest.split_once(']').ok_or_else(|| Error::config("a group without its `]`"))?;
        return Ok(Line::Group(name.trim()));
    }
    if let Some(directive) = line.strip_prefix('!') {
        return match directive.split_once(char::is_whitespace) {
            Some(("include", path)) => Ok(Line::Include(path.trim())),
            Some(("includedir", path)) => Ok(Line::IncludeDir(path.trim())),
            _ => Err(Error::config("a line with `!` is neither `!include FILE` nor `!includedir DIR`")),
        };
    }
    let (name, value) = match line.split_once('=') {
        Some((name, value)) => (name.trim_end(), Some(unquote(value.trim_start())?)),
        None => (line.split_once('#').map_or(line, |(name, _)| name).trim_end(), None),
    };
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Error::config("a line that is neither a group nor `name = value`"));
    }
    Ok(Line::Option { name, value })
}

/// The value without its quotes, its escapes and the comment after it. A `#` inside quotes is a character; outside it
/// begins a comment, wherever it stands, as in the mysql client: a password with `#` needs quotes.
fn unquote(text: &str) -> Result<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut value = String::with_capacity(text.len());
    let mut chars = text[quote.map_or(0, char::len_utf8)..].chars();
    loop {
        match chars.next() {
            None if quote.is_some() => return Err(Error::config("a quote that never closes")),
            None => break,
            Some('#') if quote.is_none() => break,
            Some(c) if Some(c) == quote => {
                let behind = chars.as_str().trim_start();
                if behind.is_empty() || behind.starts_with('#') {
                    return Ok(value);
                }
                return Err(Error::config("text behind a closing quote"));
            }
            Some('\\') => match chars.next() {
                Some(escaped) => push_escaped(escaped, &mut value),
                None => value.push('\\'),
            },
            Some(c) => value.push(c),
        }
    }
    value.truncate(value.trim_end().len());
    Ok(value)
}

/// `\s` is a blank; an unknown escape keeps its backslash, as in the mysql client.
fn push_escaped(escaped: char, value: &mut String) {
    match escaped {
        'n' => value.push('\n'),
        't' => value.push('\t'),
        'r' => value.push('\r'),
        'b' => value.push('\x08'),
        's' => value.push(' '),
        '"' | '\'' | '\\' => value.push(escaped),
        other => value.extend(['\\', other]),
    }
}
