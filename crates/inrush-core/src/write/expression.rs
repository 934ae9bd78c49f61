//! Columns that are computed: `total = @qty * 2`, where `@qty` is a field of the source, as text.
//!
//! The expression is the user's SQL. This module does not interpret it; it only splits it at the fields that it names. So that it
//! stays one expression wherever it is put, brackets must match, and no `;`, no comment and no comma may occur outside of
//! brackets and quotes.

use crate::error::{Error, Result};
use crate::sql::{Dialect, Lexeme, Lexer};

mod strict;

/// A column and the expression that computes it; `F` is the type of a field's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Computed<F = String> {
    /// The column.
    pub column: String,
    /// The expression, in parts.
    pub parts: Vec<Part<F>>,
}

/// A part of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<F> {
    /// SQL, unchanged.
    Sql(String),
    /// The text of a field.
    Field(F),
}

impl Computed {
    /// Reads `column = expression`.
    ///
    /// # Errors
    /// `Config` with what is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = |why: &str| {
            Error::config(format!("`--set {text}`: {why}"))
                .with_hint("it takes `column=expression`, in which `@name` is a field: `--set \"total=@price*@qty\"`")
        };
        let (column, expression) = text.split_once('=').ok_or_else(|| wrong("there is no `=` in it"))?;
        let column = column.trim().trim_matches('`').to_owned();
        if column.is_empty() {
            return Err(wrong("it names no column"));
        }
        if expression.trim().is_empty() {
            return Err(wrong("it has no expression"));
        }
        Ok(Self { column, parts: parts(expression.trim()).map_err(wrong)? })
    }

    /// NULL in the column of this name.
    pub fn null(column: &str) -> Self {
        Self { column: column.to_owned(), parts: vec![Part::Sql("NULL".into())] }
    }

    /// The fields that it names.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Field(name) => Some(name.as_str()),
            Part::Sql(_) => None,
        })
    }

    /// The same with fields by number. `None` for a name that `number` does not know.
    pub fn numbered(&self, number: impl Fn(&str) -> Option<usize>) -> Option<Computed<usize>> {
        let part = |part: &Part<String>| match part {
            Part::Sql(sql) => Some(Part::Sql(sql.clone())),
            Part::Field(name) => number(name).map(Part::Field),
        };
        let parts = self.parts.iter().map(part).collect::<Option<_>>()?;
        Some(Computed { column: self.column.clone(), parts })
    }
}

impl Computed<usize> {
    /// The expression as SQL, each field written as `field` says.
    pub fn sql(&self, field: impl Fn(usize) -> String) -> String {
        let part = |part: &Part<usize>| match part {
            Part::Sql(sql) => sql.clone(),
            Part::Field(number) => field(*number),
        };
        self.parts.iter().map(part).collect()
    }
}

fn parts(expression: &str) -> std::result::Result<Vec<Part<String>>, &'static str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    let mut depth = 0_u32;
    // A load's session escapes by backslashes.
    let mut lexer = Lexer::new(expression.as_bytes(), Dialect::default());
    while let Some(token) = lexer.next() {
        match token.lexeme {
            Lexeme::Comment | Lexeme::OpenCondition | Lexeme::CloseCondition => return Err("it has a comment in it"),
            Lexeme::Unclosed(_) => return Err("a quote stays open in it"),
            Lexeme::Symbol(b'(') => depth += 1,
            Lexeme::Symbol(b')') => depth = depth.checked_sub(1).ok_or("its brackets do not match")?,
            Lexeme::Symbol(b';') => return Err("it has a `;` in it"),
            Lexeme::Symbol(b',') if depth == 0 => return Err("it has a comma outside of brackets"),
            // A variable of the server.
            Lexeme::Symbol(b'@') if expression[token.range.end..].starts_with('@') => drop(lexer.next()),
            Lexeme::Symbol(b'@') => {
                let name = lexer.next().ok_or(NO_NAME)?;
                parts.push(Part::Sql(expression[from..token.range.start].to_owned()));
                from = name.range.end;
                parts.push(Part::Field(field_name(&expression[name.range], name.lexeme).ok_or(NO_NAME)?));
            }
            _ => {}
        }
    }
    if depth > 0 {
        return Err("its brackets do not match");
    }
    parts.push(Part::Sql(expression[from..].to_owned()));
    parts.retain(|part| *part != Part::Sql(String::new()));
    Ok(parts)
}

/// The name that follows `@`.
fn field_name(text: &str, lexeme: Lexeme) -> Option<String> {
    let name = match lexeme {
        Lexeme::Word => text,
        Lexeme::Quoted(b'`') => &text[1..text.len() - 1],
        _ => "",
    };
    (!name.is_empty()).then(|| name.replace("``", "`"))
}

const NO_NAME: &str = "a name is missing after an `@`";

#[cfg(test)]
mod tests;
