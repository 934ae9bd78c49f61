//! A type that a user gives to a column of a new table, or to a new column. It becomes a part of CREATE TABLE or ALTER TABLE, so it is read
//! word by word: a type, its character set and collation, NULL or NOT NULL. It cannot contain anything that ends the column's definition, nor
//! what makes a column store something else than its cells, such as DEFAULT.

use inrush_core::column::{ColumnType, split_type};

/// A column's type as CREATE TABLE takes it.
///
/// # Errors
/// The reason, if the text is not exactly one type.
pub(super) fn parse(text: &str) -> Result<ColumnType, String> {
    let bare = without_null(text);
    let (word_and_list, words) = split_type(bare);
    let ty = ColumnType::parse(bare);
    if !is_one_type(text) || matches!(ty, ColumnType::Other(_)) {
        return Err("that is no type of a column that is known".into());
    }
    let words: Vec<String> = words.split_ascii_whitespace().map(str::to_ascii_lowercase).collect();
    let mut rest: Vec<&str> = words.iter().map(String::as_str).collect();
    if is_number(&ty) {
        let first = split_type(word_and_list).0;
        skip(&mut rest, &["precision"], first.eq_ignore_ascii_case("double"));
        let is_unsigned = skip(&mut rest, &["unsigned"], true);
        skip(&mut rest, &["zerofill"], is_unsigned);
    }
    if has_charset(&ty) {
        let is_named = skip(&mut rest, &["character", "set"], true) || skip(&mut rest, &["charset"], true);
        let charset = if is_named && !rest.is_empty() { Some(rest.remove(0)) } else { None };
        let is_collated = skip(&mut rest, &["collate"], true);
        let collation = if is_collated && !rest.is_empty() { Some(rest.remove(0)) } else { None };
        if (is_named && charset.is_none()) || (is_collated && collation.is_none()) {
            return Err("a name is missing behind CHARACTER SET or COLLATE".into());
        }
        let of_collation = collation.and_then(|name| name.split('_').next());
        if [charset, of_collation].contains(&Some("utf8")) {
            return Err("`utf8` is not the same character set on all servers: write `utf8mb4` or `utf8mb3`".into());
        }
        if [charset, of_collation].contains(&Some("binary")) {
            return Err("with `binary` it is no text: write VARBINARY or BLOB".into());
        }
    }
    if let Some(word) = rest.iter().find(|word| !matches!(**word, "not" | "null")).or(rest.first()) {
        return Err(format!("`{}` is no part of a type", word.to_ascii_uppercase()));
    }
    if matches!(ty, ColumnType::Text { .. } | ColumnType::Blob { .. }) && word_and_list.contains('(') {
        return Err("servers take another type for a TEXT or BLOB with a length: write TINYTEXT, TEXT, MEDIUMTEXT or LONGTEXT, or VARCHAR with a length".into());
    }
    if let ColumnType::Enum { members } | ColumnType::Set { members } = &ty
        && members.iter().any(|member| member.ends_with(' '))
    {
        return Err("servers drop the spaces at the end of a member".into());
    }
    Ok(ty)
}

/// Removes `words` from the beginning, if they `may` be there. Returns whether they were.
fn skip(rest: &mut Vec<&str>, words: &[&str], may: bool) -> bool {
    let is_there = may && rest.starts_with(words);
    if is_there {
        rest.drain(..words.len());
    }
    is_there
}

fn is_number(ty: &ColumnType) -> bool {
    use ColumnType::{Decimal, Double, Float, Int};
    matches!(ty, Int { .. } | Decimal { .. } | Float { .. } | Double { .. })
}

fn has_charset(ty: &ColumnType) -> bool {
    use ColumnType::{Char, Enum, Set, Text, VarChar};
    matches!(ty, Char { .. } | VarChar { .. } | Text { .. } | Enum { .. } | Set { .. })
}

/// A type without the `NULL` or `NOT NULL` at its end.
pub(super) fn without_null(ty: &str) -> &str {
    let strip = |text: &'_ str, word: &str| {
        let at = text.len().checked_sub(word.len())?;
        let is_word = text.is_char_boundary(at) && text[at..].eq_ignore_ascii_case(word);
        (is_word && text[..at].ends_with([' ', ')'])).then_some(at)
    };
    let Some(at) = strip(ty, "NULL") else { return ty };
    let bare = ty[..at].trim_end();
    strip(bare, "NOT").map_or(bare, |at| bare[..at].trim_end())
}

/// Whether the text is words, perhaps with one list in brackets after the first of them.
fn is_one_type(text: &str) -> bool {
    let are_words = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_'));
    match text.split_once('(') {
        None => are_words(text),
        Some((word, list)) => are_words(word) && behind_list(list).is_some_and(are_words),
    }
}

/// What follows the list that ends with the first `)` outside of its texts: numbers and texts between commas.
fn behind_list(list: &str) -> Option<&str> {
    let mut is_within = false;
    for (at, c) in list.char_indices() {
        match c {
            // Whether it escapes depends on the server's sql_mode.
            '\\' => return None,
            '\'' => is_within = !is_within,
            _ if is_within => {}
            ')' => return Some(&list[at + 1..]),
            ',' | ' ' => {}
            digit if digit.is_ascii_digit() => {}
            _ => return None,
        }
    }
    None
}
