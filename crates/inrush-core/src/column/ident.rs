//! Names in SQL: quoted with backticks, which is right in every sql_mode.

/// `` a`b `` becomes `` `a``b` ``.
pub fn quote_ident(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// `` `schema`.`table` ``.
pub fn quote_table(schema: &str, table: &str) -> String {
    format!("{}.{}", quote_ident(schema), quote_ident(table))
}

/// Returns the name in backticks at the beginning, and the text after it.
pub(crate) fn ident(text: &str) -> Option<(String, &str)> {
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
mod tests {
    use super::*;

    #[test]
    fn doubles_backticks() {
        assert_eq!(quote_ident("a`b"), "`a``b`");
    }

    #[test]
    fn quotes_both_parts_of_a_table() {
        assert_eq!(quote_table("my.db", "t"), "`my.db`.`t`");
    }
}
