//! The texts in which information_schema.PARTITIONS describes partitions: names of columns, calls of a function, bounds and lists of values.

use crate::column::ident::ident;

/// A value in a description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Literal {
    Null,
    /// Above all others.
    MaxValue,
    /// A number, or a text without its quotes.
    Text(String),
}

/// Names in backticks between commas, as KEY and COLUMNS have them. `None` for anything else.
pub(super) fn names(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim();
    let mut names = Vec::new();
    loop {
        let (name, behind) = ident(rest)?;
        names.push(name);
        rest = behind.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => return rest.is_empty().then_some(names),
        }
    }
}

/// The same with or without backticks. `None` if something is no name, such as the call of a function.
pub(super) fn bare_names(text: &str) -> Option<Vec<String>> {
    let is_bare = |name: &str| !name.is_empty() && !name.contains(['(', ')', '`', ' ', '\'']);
    names(text).or_else(|| {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        names.iter().all(|name| is_bare(name)).then_some(names)
    })
}

/// A column, or a function of one: the name of the function in lower case, empty for the column itself. `None` for anything else.
pub(super) fn call(text: &str) -> Option<(String, String)> {
    let mut text = text.trim();
    while let Some(inside) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        text = inside.trim();
    }
    if let Some((column, "")) = ident(text) {
        return Some((String::new(), column));
    }
    let (function, argument) = text.strip_suffix(')')?.split_once('(')?;
    let (column, rest) = ident(argument.trim())?;
    let is_name = function.trim().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    (rest.trim().is_empty() && is_name).then(|| (function.trim().to_ascii_lowercase(), column))
}

/// A list of values: `1,2,NULL`, or of several columns `(1,'a'),(2,'b')`; each becomes a list of its own. `None` for anything else.
pub(super) fn lists(text: &str) -> Option<Vec<Vec<Literal>>> {
    let mut rest = text.trim();
    let mut all = Vec::new();
    while !rest.is_empty() {
        let (list, behind) = match rest.strip_prefix('(') {
            Some(inside) => {
                let (list, behind) = literals(inside)?;
                (list, behind.trim_start().strip_prefix(')')?)
            }
            None => {
                let (literal, behind) = literal(rest)?;
                (vec![literal], behind)
            }
        };
        all.push(list);
        rest = behind.trim_start();
        if !rest.is_empty() {
            rest = rest.strip_prefix(',')?.trim_start();
        }
    }
    Some(all)
}

/// A bound: `10`, `MAXVALUE`, or of several columns `10,'abc'`. `None` for anything else.
pub(super) fn bound(text: &str) -> Option<Vec<Literal>> {
    let (list, rest) = literals(text)?;
    rest.trim().is_empty().then_some(list)
}

fn literals(text: &str) -> Option<(Vec<Literal>, &str)> {
    let mut list = Vec::new();
    let mut rest = text.trim_start();
    loop {
        let (literal, behind) = literal(rest)?;
        list.push(literal);
        rest = behind.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => return Some((list, rest)),
        }
    }
}

fn literal(text: &str) -> Option<(Literal, &str)> {
    if let Some(inside) = text.strip_prefix('\'') {
        let end = inside.find(['\'', '\\'])?;
        let behind = &inside[end..];
        // Quotes and escapes within it are more than any column that has a model can hold.
        let behind = behind.strip_prefix('\'').filter(|behind| !behind.starts_with('\''))?;
        return Some((Literal::Text(inside[..end].to_owned()), behind));
    }
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "+-.".contains(c))).unwrap_or(text.len());
    let (word, behind) = text.split_at(end);
    let literal = match word.to_ascii_uppercase().as_str() {
        "" => return None,
        "NULL" => Literal::Null,
        "MAXVALUE" => Literal::MaxValue,
        _ if word.bytes().all(|byte| byte.is_ascii_digit() || b"+-.".contains(&byte)) => Literal::Text(word.to_owned()),
        _ => return None,
    };
    Some((literal, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Literal {
        Literal::Text(text.into())
    }

    #[test]
    fn columns() {
        assert_eq!(names("`a`,`b``c` , `d`").unwrap(), ["a", "b`c", "d"]);
        assert_eq!(names("`a`,"), None);
        assert_eq!(names("a"), None);
        assert_eq!(bare_names("`a`,`b`").unwrap(), ["a", "b"]);
        assert_eq!(bare_names("a,b").unwrap(), ["a", "b"]);
        for no in ["", "year(a)", "a,", "a b"] {
            assert_eq!(bare_names(no), None, "{no}");
        }
        assert_eq!(call("`a`").unwrap(), ("".into(), "a".into()));
        assert_eq!(call("(`a`)").unwrap(), ("".into(), "a".into()));
        assert_eq!(call("YEAR(`d`)").unwrap(), ("year".into(), "d".into()));
        for no in ["`a` + 1", "floor(`a` / 2)", "year(`a`,1)", "a", "", "(", "`a`)"] {
            assert_eq!(call(no), None, "{no}");
        }
    }

    #[test]
    fn values() {
        assert_eq!(lists("1,-2,NULL").unwrap(), [[text("1")], [text("-2")], [Literal::Null]]);
        assert_eq!(lists("(1,'a b'),(2,NULL)").unwrap(), [[text("1"), text("a b")], [text("2"), Literal::Null]]);
        assert!(lists("").unwrap().is_empty());
        assert_eq!(bound("10,'2024-01-01'").unwrap(), [text("10"), text("2024-01-01")]);
        assert_eq!(bound("MAXVALUE").unwrap(), [Literal::MaxValue]);
        for no in ["'a", "'a''b'", "'a\\'b'", "x'00'", "_binary'a'", "1;", "(1", "1,,2", "1,"] {
            assert_eq!(bound(no), None, "{no}");
            assert!(lists(no).is_none() || no == "1,", "{no}");
        }
    }
}
