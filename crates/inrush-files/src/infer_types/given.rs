//! A type that a user gives to a column of a new table. It becomes a part of CREATE TABLE, so it is read word by word: it cannot contain
//! anything that ends the column's definition.

use inrush_core::column::ColumnType;

/// A column's type as CREATE TABLE takes it; `None` if the text is not exactly one type.
pub(super) fn parse(text: &str) -> Option<ColumnType> {
    let bare = without_null(text);
    let ty = ColumnType::parse(bare);
    (is_one_type(text) && !matches!(ty, ColumnType::Other(_))).then_some(ty)
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
