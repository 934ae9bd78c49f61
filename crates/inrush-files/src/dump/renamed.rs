//! A dump whose tables have other names than those that it was made of.
//!
//! | statement | what is rewritten |
//! |---|---|
//! | CREATE TABLE, ALTER TABLE | its name, the tables of its foreign keys, and the names that servers gave to its constraints (`a_ibfk_1`) |
//! | indexes, triggers | the table after ON |
//! | views | the tables after FROM and JOIN; the old name becomes their alias, so that columns keep their qualifiers |
//!
//! Invariant: a statement that names a renamed table anywhere else is refused, and one that reads a table by a name that another table gets.
//! Texts within quotes are not searched.

use super::contents::{DumpContents, OtherStatement};
use super::words::{self, Words};
use inrush_core::column::ident::quote_ident;
use inrush_core::error::{Error, Result};
use inrush_core::sql::{Dialect, Lexeme, Token};
use std::ops::Range;

/// The new names of tables.
pub(super) struct Renames<'a> {
    /// Each old name with the new one.
    names: &'a [(String, String)],
    /// All old names, also of tables that keep theirs.
    tables: Vec<String>,
}

/// What takes the place of a part of a statement.
type Change = (Range<usize>, String);

impl DumpContents {
    /// Gives tables other names, each old one with its new one. Rows are still those of the old name: [`DumpTable::name_in_dump`].
    ///
    /// [`DumpTable::name_in_dump`]: super::DumpTable::name_in_dump
    ///
    /// `makes_tables`: their definitions are for the new names, too; else only rows are taken of them.
    ///
    /// # Errors
    /// `Config` for two tables of one name, and for a statement of which it is not certain what it would mean.
    pub fn rename(&mut self, names: &[(String, String)], makes_tables: bool) -> Result<()> {
        let tables = self.tables.iter().map(|table| table.name.clone()).collect();
        let renames = Renames { names, tables };
        for table in &mut self.tables {
            let what = format!("table {}", quote_ident(&table.name));
            if let Some(definition) = table.definition.as_ref().filter(|_| makes_tables) {
                let by_hand = "make that table by hand, under its new name; `--rows-only` then loads the rows of tables that are there";
                let changes =
                    renames.of_definition(definition).map_err(|why| uncertain(&what, &why, by_hand.to_owned()))?;
                table.definition = Some(String::from_utf8_lossy(&changed(definition.as_bytes(), changes)).into_owned());
            }
            if let Some(new) = renames.new_name(&table.name) {
                new.clone_into(&mut table.name);
            }
        }
        for (at, table) in self.tables.iter().enumerate() {
            let is_taken = self.tables[..at].iter().any(|other| other.name == table.name)
                || self.others.iter().any(|other| other.view.as_ref() == Some(&table.name));
            if is_taken {
                return Err(Error::config(format!("the dump has two tables or views {}", quote_ident(&table.name)))
                    .with_hint("`--rename` needs names that no other table and no view of the dump has"));
            }
        }
        for other in &mut self.others {
            let what = match &other.subject {
                Some(subject) => format!("{subject} ({})", other.place()),
                None => format!("the statement in {}", other.place()),
            };
            let without = match other.table {
                Some(_) => ONLY_ROWS.to_owned(),
                // What may need any table.
                None => format!(
                    "`--only` with the tables that are taken leaves views, routines and events out; {ONLY_ROWS}"
                ),
            };
            let changes = renames.of_other(other).map_err(|why| uncertain(&what, &why, without))?;
            if !changes.is_empty() {
                other.set_text(changed(&other.text, changes));
            }
            if let Some(new) = other.table.as_ref().and_then(|table| renames.new_name(table)) {
                other.table = Some(new.to_owned());
            }
        }
        Ok(())
    }
}

const ONLY_ROWS: &str =
    "`--rows-only` loads the rows of tables that are there, and plays nothing else: make the rest by hand";

fn uncertain(what: &str, why: &str, hint: String) -> Error {
    Error::config(format!("{what} cannot be rewritten for new names of tables with certainty: {why}")).with_hint(hint)
}

/// A text with its parts changed.
fn changed(sql: &[u8], mut changes: Vec<Change>) -> Vec<u8> {
    let mut text = sql.to_vec();
    changes.sort_by_key(|(range, _)| range.start);
    for (range, new) in changes.into_iter().rev() {
        text.splice(range, new.bytes());
    }
    text
}

impl Renames<'_> {
    fn new_name(&self, table: &str) -> Option<&str> {
        self.names.iter().find(|(old, _)| old == table).map(|(_, new)| new.as_str())
    }

    /// The old name that a word may mean: some servers take names that differ by case for the same.
    fn meant(&self, name: &str) -> Option<&str> {
        let is_it =
            |old: &str| old == name || (old.eq_ignore_ascii_case(name) && !self.tables.iter().any(|one| one == name));
        self.names.iter().map(|(old, _)| old.as_str()).find(|old| is_it(old))
    }

    /// Whether a name is one that another table gets: what it meant before is not there, or is no table of the dump.
    fn is_given(&self, name: &str) -> bool {
        self.meant(name).is_none()
            && !self.tables.iter().any(|one| one == name)
            && self.names.iter().any(|(_, new)| new.eq_ignore_ascii_case(name))
    }

    /// The changes of a name of a table that may have its database before it.
    fn of_name(&self, words: &Words<'_>, tokens: &[Token], at: usize) -> std::result::Result<Option<Change>, String> {
        let Some(name) = tokens.get(at).and_then(|token| words.name_of(token)) else { return Ok(None) };
        if is_symbol(tokens.get(at + 1), b'.') {
            let table = tokens.get(at + 2).and_then(|token| words.name_of(token)).unwrap_or_default();
            return match self.meant(&table) {
                Some(old) => Err(format!("it names {} with a database, {}", quote_ident(old), quote_ident(&name))),
                None => Ok(None),
            };
        }
        if self.is_given(&name) {
            return Err(format!("it names {}, which another table gets as its name", quote_ident(&name)));
        }
        match (self.new_name(&name), self.meant(&name)) {
            (Some(new), _) => Ok(Some((tokens[at].range.clone(), quote_ident(new)))),
            (None, Some(old)) => Err(format!("it names {} in other letters, {}", quote_ident(old), quote_ident(&name))),
            (None, None) => Ok(None),
        }
    }

    /// Those of a CREATE TABLE, whose quotes are those of the default mode.
    fn of_definition(&self, definition: &str) -> std::result::Result<Vec<Change>, String> {
        let words = Words::new(definition.as_bytes(), Dialect::default());
        let tokens = words.all();
        let mut changes: Vec<_> = self.of_name(&words, &tokens, 2)?.into_iter().collect();
        let table = tokens.get(2).and_then(|token| words.name_of(token)).unwrap_or_default();
        // Servers write columns without a table. What comes after REFERENCES may be a database.
        for (at, token) in tokens.iter().enumerate().skip(3) {
            let before = &tokens[at - 1];
            let is_first = before.lexeme != Lexeme::Symbol(b'.') && !words.is(before, "REFERENCES");
            if is_first
                && is_symbol(tokens.get(at + 1), b'.')
                && let Some(old) = words.name_of(token).and_then(|name| self.meant(&name).map(str::to_owned))
            {
                return Err(format!("it names {} before a column", quote_ident(&old)));
            }
        }
        changes.extend(self.of_clauses(&words, &tokens, &table)?);
        Ok(changes)
    }

    /// Those of the clauses of a table: foreign keys, names of constraints.
    fn of_clauses(&self, words: &Words<'_>, tokens: &[Token], table: &str) -> std::result::Result<Vec<Change>, String> {
        let mut changes = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            if words.is(token, "REFERENCES") {
                changes.extend(self.of_name(words, tokens, at + 1)?);
            }
            if words.is(token, "UNION")
                && is_symbol(tokens.get(at + 1), b'=')
                && let Some(old) = tokens[at..].iter().find_map(|token| self.meant(&words.name_of(token)?))
            {
                return Err(format!("it is made of {}", quote_ident(old)));
            }
            // RENAME TABLE changes such names as well.
            let own = tokens.get(at + 1).filter(|_| words.is(token, "CONSTRAINT"));
            if let (Some(new), Some(own)) = (self.new_name(table), own)
                && let Some(name) = words.name_of(own)
                && let Some(number) = name.strip_prefix(table)
                && ["_ibfk_", "_chk_"].iter().any(|word| number.strip_prefix(word).is_some_and(is_number))
            {
                changes.push((own.range.clone(), quote_ident(&format!("{new}{number}"))));
            }
        }
        Ok(changes)
    }

    fn of_other(&self, other: &OtherStatement) -> std::result::Result<Vec<Change>, String> {
        if other.is_setting {
            return Ok(Vec::new());
        }
        let words = Words::new(&other.text, other.dialect());
        let tokens = words.all();
        let Some(first) = tokens.first() else { return Ok(Vec::new()) };
        let find = |word: &str, from: usize| (from..tokens.len()).find(|at| words.is(&tokens[*at], word));
        if words.is(first, "ALTER") && tokens.get(1).is_some_and(|token| words.is(token, "TABLE")) {
            let mut changes: Vec<_> = self.of_name(&words, &tokens, 2)?.into_iter().collect();
            let table = tokens.get(2).and_then(|token| words.name_of(token)).unwrap_or_default();
            changes.extend(self.of_clauses(&words, &tokens, &table)?);
            return Ok(changes);
        }
        let Some(kind) = words.kind_at(&tokens) else { return self.none_in(&words, &tokens) };
        let is_drop = words.is(first, "DROP");
        match () {
            () if words.is(&tokens[kind], "INDEX") => match find("ON", kind) {
                Some(on) => Ok(self.of_name(&words, &tokens, on + 1)?.into_iter().collect()),
                None => self.none_in(&words, &tokens),
            },
            () if is_drop => Ok(Vec::new()),
            () if words.is(&tokens[kind], "TRIGGER") => match find("ON", kind) {
                Some(on) => {
                    self.none_in(&words, &tokens[(on + 2).min(tokens.len())..])?;
                    Ok(self.of_name(&words, &tokens, on + 1)?.into_iter().collect())
                }
                None => self.none_in(&words, &tokens),
            },
            () if words.is(&tokens[kind], "VIEW") => self.of_view(&words, &tokens, kind, other),
            // Its own name is no table's.
            () => self.none_in(&words, &tokens[(kind + 2).min(tokens.len())..]),
        }
    }

    /// Fails if one of these words may be a renamed table.
    fn none_in(&self, words: &Words<'_>, tokens: &[Token]) -> std::result::Result<Vec<Change>, String> {
        for (at, token) in tokens.iter().enumerate() {
            let Some(name) = words.name_of(token) else { continue };
            let is_row = |at: usize| words.is_any(&tokens[at], &["NEW", "OLD"]) && is_symbol(tokens.get(at + 1), b'.');
            // A column of the row of a trigger.
            if at >= 2 && is_row(at - 2) {
                continue;
            }
            if let Some(old) = self.meant(&name) {
                return Err(format!("it names {}", quote_ident(old)));
            }
            if self.is_given(&name) && !is_row(at) {
                return Err(format!("it may name {}, which another table gets as its name", quote_ident(&name)));
            }
        }
        Ok(Vec::new())
    }

    fn of_view(
        &self,
        words: &Words<'_>,
        tokens: &[Token],
        kind: usize,
        other: &OtherStatement,
    ) -> std::result::Result<Vec<Change>, String> {
        let mut changes = Vec::new();
        let read = words::table_places(&other.text, other.dialect());
        let is_read =
            |token: &Token| read.iter().any(|range| range.start <= token.range.start && token.range.end <= range.end);
        for (at, token) in tokens.iter().enumerate().skip(kind + 2) {
            let Some(name) = words.name_of(token) else { continue };
            // Of a table that is left out, or of a WITH.
            if is_read(token) && self.is_given(&name) {
                return Err(format!("it reads {}, which another table gets as its name", quote_ident(&name)));
            }
            let Some(old) = self.meant(&name) else { continue };
            let (before, after) = (tokens.get(at - 1), tokens.get(at + 1));
            if !is_read(token) {
                // A column of another table, the qualifier of a column, an alias.
                let is_column = is_symbol(before, b'.') && !is_symbol(after, b'.');
                let is_qualifier = is_symbol(after, b'.') && !is_symbol(before, b'.');
                let is_alias = before.is_some_and(|before| words.is(before, "AS"));
                match is_column || is_qualifier || is_alias {
                    true => continue,
                    false => return Err(format!("it names {}", quote_ident(old))),
                }
            }
            let Some((range, new)) = self.of_name(words, tokens, at)?.filter(|_| !is_symbol(before, b'.')) else {
                return Err(format!("it names {} with a database", quote_ident(old)));
            };
            let has_alias = match after {
                Some(token) if token.lexeme != Lexeme::Word => words.name_of(token).is_some(),
                Some(token) if words.is(token, "AS") => true,
                Some(token) if words.is_any(token, &AFTER_TABLE) => false,
                Some(token) => {
                    let word = String::from_utf8_lossy(words.text(token)).into_owned();
                    return Err(format!("`{word}` comes after {}", quote_ident(old)));
                }
                None => false,
            };
            let alias = if has_alias { String::new() } else { format!(" {}", quote_ident(old)) };
            changes.push((range, format!("{new}{alias}")));
        }
        Ok(changes)
    }
}

fn is_symbol(token: Option<&Token>, symbol: u8) -> bool {
    token.is_some_and(|token| token.lexeme == Lexeme::Symbol(symbol))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What may follow a table that has no alias.
const AFTER_TABLE: [&str; 18] = [
    "CROSS",
    "EXCEPT",
    "GROUP",
    "HAVING",
    "INNER",
    "INTERSECT",
    "JOIN",
    "LEFT",
    "LIMIT",
    "NATURAL",
    "ON",
    "ORDER",
    "RIGHT",
    "STRAIGHT_JOIN",
    "UNION",
    "USING",
    "WHERE",
    "WITH",
];
