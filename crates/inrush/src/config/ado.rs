//! Connection strings as .NET programs have them.
//!
//! ```text
//! Server=db.example.org;Port=3307;Database=shop;User Id=ann;Password="a;b";SslMode=Required;CommandTimeout=120
//! ```
//! The rules are those of .NET: pairs end at `;`; blanks around names and values do not count; a `=` in a name is doubled; a
//! value with `;`, with a quote at its start or with outer blanks is in `'` or `"`, and that quote is doubled inside. A
//! name without a value has no effect. Of two equal names the last counts.

use super::Config;
use super::foreign::{self, ADO};
use crate::{Error, Result};

/// Sets in `config` the options of `text`.
pub(crate) fn apply(text: &str, config: &mut Config) -> Result<()> {
    let mut rest = text;
    let mut after_password = false;
    let mut n_pairs = 0;
    while let Some(pair) = next_pair(&mut rest)? {
        n_pairs += 1;
        if pair.value.is_empty() {
            continue;
        }
        // A password with an unquoted `;` continues as names and values, so nothing after a password is ever shown.
        let set = foreign::set(config, ADO, &pair.name, Some(&pair.value));
        if set.map_err(|e| if after_password { unusable(n_pairs, &e) } else { e })? {
            after_password |= foreign::is_password(ADO, &pair.name);
            continue;
        }
        let what = match after_password {
            true => format!("the name of pair {n_pairs}"),
            false => format!("the name `{}`", pair.name),
        };
        return Err(Error::config(format!("{what} in the connection string is unknown"))
            .with_hint(format!("the nearest is `{}`", foreign::nearest(ADO, &pair.name))));
    }
    Ok(())
}

/// Returns `true` if `text` is such a string and not a URL.
pub(crate) fn looks_like_one(text: &str) -> bool {
    let name = text.split(['=', ';']).next().unwrap_or_default();
    text.contains('=') && !name.contains(':')
}

/// A name and its value.
#[derive(Debug, PartialEq, Eq)]
struct Pair {
    name: String,
    value: String,
}

fn next_pair(rest: &mut &str) -> Result<Option<Pair>> {
    *rest = rest.trim_start_matches(|c: char| c == ';' || c.is_whitespace());
    if rest.is_empty() {
        return Ok(None);
    }
    let name = name(rest)?;
    let value = value(rest)?;
    Ok(Some(Pair { name, value }))
}

/// Up to the `=` that is not doubled.
fn name(rest: &mut &str) -> Result<String> {
    let mut name = String::new();
    let mut chars = rest.chars();
    loop {
        match chars.next() {
            Some('=') if chars.as_str().starts_with('=') => {
                chars.next();
                name.push('=');
            }
            Some('=') => break,
            Some(';') | None => {
                return Err(malformed("a part of it is not `name=value`; a value with `;` needs quotes"));
            }
            Some(c) => name.push(c),
        }
    }
    *rest = chars.as_str();
    match name.trim() {
        "" => Err(malformed("a `=` without a name before it")),
        name => Ok(name.to_owned()),
    }
}

fn value(rest: &mut &str) -> Result<String> {
    let text = rest.trim_start();
    let Some(quote) = text.chars().next().filter(|c| matches!(c, '"' | '\'')) else {
        let (value, behind) = text.split_once(';').unwrap_or((text, ""));
        *rest = behind;
        return Ok(value.trim_end().to_owned());
    };
    let mut value = String::new();
    let mut chars = text[1..].chars();
    loop {
        match chars.next() {
            Some(c) if c == quote && chars.as_str().starts_with(quote) => {
                chars.next();
                value.push(quote);
            }
            Some(c) if c == quote => break,
            Some(c) => value.push(c),
            None => return Err(malformed("a quote that never closes")),
        }
    }
    let behind = chars.as_str().trim_start();
    if !behind.is_empty() && !behind.starts_with(';') {
        return Err(malformed("text behind a closing quote; a quote inside a value is doubled"));
    }
    *rest = behind;
    Ok(value)
}

/// Never shows the string: it may hold a password.
fn malformed(why: &str) -> Error {
    Error::config(format!("the connection string cannot be read: {why}"))
        .with_hint("it looks like `Server=host;Port=3306;Database=name;User Id=user;Password=\"..\"`")
}

fn unusable(idx: usize, error: &Error) -> Error {
    Error::config(format!("the value of pair {idx} in the connection string cannot be used"))
        .with_hint(error.hint().unwrap_or("a password with `;` needs quotes").to_owned())
}

#[cfg(test)]
mod tests;
