//! Secondary indexes that are dropped before a load and rebuilt after it, exactly as SHOW CREATE TABLE spells them.
//!
//! Unique keys stay, for they decide which rows are stored; so do indexes that a foreign key or an AUTO_INCREMENT column may need.

use crate::session::statement::quoted;
use crate::value::ident::quote_ident;

/// An index as the server spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// ``KEY `name` (`a`(5) DESC) COMMENT '..'``.
    pub definition: String,
    /// The column of its first part; `None` if that is an expression.
    first_column: Option<String>,
}

impl Index {
    /// The indexes of a SHOW CREATE TABLE that are neither primary nor unique, in their order.
    pub fn of_table(create: &str) -> Vec<Index> {
        let behind_name = create.find('`').and_then(|at| ident(&create[at..])).map_or("", |(_, behind)| behind);
        let body = behind_name.find('(').map_or("", |at| &behind_name[at + 1..]);
        items(body).into_iter().filter_map(Index::parse).collect()
    }

    /// Reads what [`add`] wrote.
    pub fn stored(text: &str) -> Vec<Index> {
        items(text).into_iter().filter_map(|item| Index::parse(item.strip_prefix("ADD ")?)).collect()
    }

    /// Whether a load may do without it: `needed` are columns with which indexes begin that must stay.
    pub fn may_go(&self, needed: &[String]) -> bool {
        self.first_column.as_ref().is_none_or(|first| !needed.iter().any(|c| c.eq_ignore_ascii_case(first)))
    }

    fn parse(definition: &str) -> Option<Index> {
        let definition = definition.trim();
        let at = definition.find('`')?;
        let words: Vec<_> = definition[..at].split_ascii_whitespace().collect();
        if !matches!(words[..], ["KEY"] | ["FULLTEXT" | "SPATIAL" | "VECTOR", "KEY"]) {
            return None;
        }
        let (name, behind) = ident(&definition[at..])?;
        let inside = behind.find('(').map_or("", |at| behind[at + 1..].trim_start());
        let first_column = ident(inside).map(|(column, _)| column);
        Some(Index { name, definition: definition.to_owned(), first_column })
    }
}

/// The definitions as they are added again; also how they are kept meanwhile.
pub fn add(indexes: &[Index]) -> String {
    indexes.iter().map(|index| format!("ADD {}", index.definition)).collect::<Vec<_>>().join(",\n")
}

/// One ALTER that takes them all away. `table` is quoted.
pub fn drop_statement(table: &str, indexes: &[Index]) -> String {
    let drops: Vec<_> = indexes.iter().map(|index| format!("DROP INDEX {}", quote_ident(&index.name))).collect();
    format!("ALTER TABLE {table} {}", drops.join(", "))
}

/// One ALTER that makes them all again, but for FULLTEXT indexes, of which InnoDB makes one at a time (1795): each but the first gets
/// an ALTER of its own.
pub fn add_statements(table: &str, indexes: &[Index]) -> Vec<String> {
    let is_fulltext = |index: &Index| index.definition.starts_with("FULLTEXT");
    let first = indexes.iter().position(is_fulltext);
    let of_its_own = |(i, index): &(usize, &Index)| is_fulltext(index) && first != Some(*i);
    let (alone, together): (Vec<_>, Vec<_>) = indexes.iter().enumerate().partition(of_its_own);
    let alter = |indexes: &[Index]| format!("ALTER TABLE {table} {}", add(indexes));
    let together: Vec<Index> = together.into_iter().map(|(_, index)| index.clone()).collect();
    let mut statements = vec![alter(&together)];
    statements.extend(alone.into_iter().map(|(_, index)| alter(std::slice::from_ref(index))));
    statements
}

/// Those of `indexes` that `there` has not, by name.
pub fn missing(indexes: &[Index], there: &[Index]) -> Vec<Index> {
    let is_there = |index: &&Index| there.iter().any(|other| other.name.eq_ignore_ascii_case(&index.name));
    indexes.iter().filter(|index| !is_there(index)).cloned().collect()
}

/// Splits at the commas outside of quotes and brackets, up to the bracket that closes what stands around all of it.
fn items(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let (mut found, mut from, mut depth, mut i) = (Vec::new(), 0, 0_u32, 0);
    while let Some(&first) = bytes.get(i) {
        match first {
            b'\'' | b'"' | b'`' => {
                i += quoted(&bytes[i..]).unwrap_or(bytes.len() - i);
                continue;
            }
            b'(' => depth += 1,
            b')' if depth == 0 => break,
            b')' => depth -= 1,
            b',' if depth == 0 => {
                found.push(text[from..i].trim());
                from = i + 1;
            }
            _ => {}
        }
        i += 1;
    }
    found.push(text[from..i].trim());
    found.retain(|item| !item.is_empty());
    found
}

/// The name in backticks at the beginning, and what stands behind it.
fn ident(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('`')?;
    let mut from = 0;
    loop {
        let end = from + inside[from..].find('`')?;
        if !inside[end + 1..].starts_with('`') {
            return Some((inside[..end].replace("``", "`"), &inside[end + 1..]));
        }
        from = end + 2;
    }
}

#[cfg(test)]
mod tests;
