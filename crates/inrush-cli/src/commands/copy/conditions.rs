//! `--where`: which rows of a table are copied.

use inrush_core::column::ident::quote_ident;
use inrush_core::{Error, Result};

/// The conditions of a copy.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    of_all: Option<String>,
    /// Each with its table.
    of_one: Vec<(String, String)>,
}

impl Conditions {
    /// Of `CONDITION` for all tables and `TABLE: CONDITION` for one.
    ///
    /// # Errors
    /// `Config` for two of the same, and for one that is empty.
    pub(super) fn parse(texts: &[String]) -> Result<Self> {
        let mut conditions = Self::default();
        for text in texts {
            let (table, condition) = match table_of(text) {
                Some((table, condition)) => (Some(table), condition),
                None => (None, text.as_str()),
            };
            let condition = condition.trim();
            if condition.is_empty() {
                return Err(Error::config(format!("`--where {text}` has no condition")).with_hint(FORMS));
            }
            let earlier = match &table {
                Some(table) => conditions.of_one.iter().any(|(known, _)| known == table),
                None => conditions.of_all.is_some(),
            };
            if earlier {
                let what = table.map_or("all tables have".to_owned(), |table| format!("`{table}` has"));
                return Err(Error::config(format!("{what} two conditions, and may have one"))
                    .with_hint("join them by AND in one `--where`"));
            }
            match table {
                Some(table) => conditions.of_one.push((table, condition.to_owned())),
                None => conditions.of_all = Some(condition.to_owned()),
            }
        }
        Ok(conditions)
    }

    /// The condition of a table: its own, else that of all.
    pub(super) fn of(&self, table: &str) -> Option<&str> {
        let own = self.of_one.iter().find(|(known, _)| known == table).map(|(_, condition)| condition);
        own.or(self.of_all.as_ref()).map(String::as_str)
    }

    /// # Errors
    /// `Config` for a condition of a table that is not copied.
    pub(super) fn check_names(&self, schema: &str, tables: &[&str]) -> Result<()> {
        match self.of_one.iter().find(|(table, _)| !tables.contains(&table.as_str())) {
            None => Ok(()),
            Some((table, _)) => Err(Error::config(format!(
                "`--where` names {}.{}, which is not among the tables that are copied",
                quote_ident(schema),
                quote_ident(table)
            ))
            .with_hint(FORMS)),
        }
    }
}

/// The table before a colon, and what follows: `orders: id > 5`. No condition of SQL begins like this.
fn table_of(text: &str) -> Option<(String, &str)> {
    let text = text.trim_start();
    let (name, rest) = match text.strip_prefix('`') {
        None => {
            let end = text.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'))?;
            (text[..end].to_owned(), &text[end..])
        }
        Some(quoted) => {
            let mut name = String::new();
            let mut rest = quoted;
            loop {
                let end = rest.find('`')?;
                name.push_str(&rest[..end]);
                rest = &rest[end + 1..];
                match rest.strip_prefix('`') {
                    Some(more) => {
                        name.push('`');
                        rest = more;
                    }
                    None => break (name, rest),
                }
            }
        }
    };
    let rest = rest.trim_start().strip_prefix(':')?;
    (!name.is_empty() && !rest.starts_with('=')).then_some((name, rest))
}

const FORMS: &str = "`--where 'CONDITION'` is for all tables, `--where 'TABLE: CONDITION'` for one; a name with odd characters is written in backticks";

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(texts: &[&str], table: &str, want: Option<&str>) {
        let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(Conditions::parse(&texts).unwrap().of(table), want);
    }

    #[test]
    fn of_all_and_of_one() {
        check(&[], "a", None);
        check(&["id > 5"], "a", Some("id > 5"));
        check(&["a: id > 5"], "a", Some("id > 5"));
        check(&["a: id > 5"], "b", None);
        check(&["x = 1", "a:id > 5"], "a", Some("id > 5"));
        check(&["x = 1", "a:id > 5"], "b", Some("x = 1"));
        check(&[" `a.b``c` : id IN (1, 2)"], "a.b`c", Some("id IN (1, 2)"));
        check(&["t = 'a: b'"], "t", Some("t = 'a: b'"));
        check(&["`t` = 'a: b'"], "t", Some("`t` = 'a: b'"));
        check(&["größe: x = 1"], "größe", Some("x = 1"));
    }

    #[test]
    fn what_is_refused() {
        for (texts, says) in [
            (&["a:"][..], "has no condition"),
            (&[" "], "has no condition"),
            (&["a: x", "a: y"], "`a` has two conditions"),
            (&["x", "y"], "all tables have two conditions"),
        ] {
            let texts: Vec<_> = texts.iter().map(|text| (*text).to_owned()).collect();
            let error = Conditions::parse(&texts).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
        let conditions = Conditions::parse(&["b: x = 1".to_owned()]).unwrap();
        assert!(conditions.check_names("s", &["a", "b"]).is_ok());
        assert!(conditions.check_names("s", &["a"]).unwrap_err().to_string().contains("`s`.`b`"));
    }
}
