//! `--where`: which rows of a table are copied.

use inrush_core::column::ident::quote_ident;
use inrush_core::sql::{Dialect, Lexeme, Lexer};
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
            if let Some(word) = changing(condition) {
                return Err(Error::config(format!(
                    "`--where {text}` has `{word}`, whose value changes: the comparison and a later run would choose other rows"
                ))
                .with_hint("write the value itself: `created >= '2026-01-01 00:00:00'`, in UTC for a TIMESTAMP"));
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

/// The first variable of a condition, or call of a function of the server, whose value is not the same in each session and at each moment.
fn changing(condition: &str) -> Option<String> {
    let mut lexer = Lexer::new(condition.as_bytes(), Dialect::default());
    let tokens: Vec<_> = std::iter::from_fn(|| lexer.next_token()).collect();
    let is = |at: usize, symbol: u8| tokens.get(at).is_some_and(|token| token.lexeme == Lexeme::Symbol(symbol));
    tokens.iter().enumerate().find_map(|(at, token)| {
        let text = condition.get(token.range.clone())?;
        let name = text.trim_matches('`').to_ascii_uppercase();
        let (name, is_called) = (name.as_str(), is(at + 1, b'('));
        let changes = match token.lexeme {
            Lexeme::Symbol(symbol) => symbol == b'@',
            // A column may have such a name behind its table's.
            Lexeme::Word if WITHOUT_BRACKETS.contains(&name) => is_called || at == 0 || !is(at - 1, b'.'),
            Lexeme::Word | Lexeme::Quoted(b'`') if is_called => {
                CALLED.contains(&name) || (name == "UNIX_TIMESTAMP" && is(at + 2, b')'))
            }
            _ => false,
        };
        changes.then(|| text.to_owned())
    })
}

/// Functions that need no brackets.
const WITHOUT_BRACKETS: [&str; 8] = [
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "LOCALTIME",
    "LOCALTIMESTAMP",
    "UTC_DATE",
    "UTC_TIME",
    "UTC_TIMESTAMP",
];

const CALLED: [&str; 24] = [
    "NOW",
    "CURDATE",
    "CURTIME",
    "SYSDATE",
    "RAND",
    "RANDOM_BYTES",
    "UUID",
    "UUID_SHORT",
    "UUID_V4",
    "UUID_V7",
    "SYS_GUID",
    "CONNECTION_ID",
    "PS_CURRENT_THREAD_ID",
    "LAST_INSERT_ID",
    "FOUND_ROWS",
    "ROW_COUNT",
    "ROWNUM",
    "NEXTVAL",
    "LASTVAL",
    "SETVAL",
    "GET_LOCK",
    "RELEASE_LOCK",
    "IS_FREE_LOCK",
    "IS_USED_LOCK",
];

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
    fn what_changes() {
        for (condition, word) in [
            ("d > now() - INTERVAL 5 DAY", Some("now")),
            ("d > NOW /* x */ (6)", Some("NOW")),
            ("d > /*!50000 NOW() */ + 0", Some("NOW")),
            ("d > current_timestamp", Some("current_timestamp")),
            ("d > DATE_SUB(Current_Date, INTERVAL 1 DAY)", Some("Current_Date")),
            ("UTC_TIMESTAMP() > d", Some("UTC_TIMESTAMP")),
            ("id > UNIX_TIMESTAMP( )", Some("UNIX_TIMESTAMP")),
            ("`rand`() < 0.5", Some("`rand`")),
            ("id = (@n := @n + 1)", Some("@")),
            ("id = CONNECTION_ID()", Some("CONNECTION_ID")),
            ("UNIX_TIMESTAMP(d) > 5", None),
            ("now = 5 AND `uuid` = 'x' AND rand > 1", None),
            ("t.current_date = 5 AND `current_time` = 6", None),
            ("t = 'NOW()' OR t = 'a@b' OR t = \"RAND()\" -- NOW()", None),
            ("YEAR(d) = 2026 AND SUBSTR(t, 2) = 'x'", None),
        ] {
            assert_eq!(changing(condition).as_deref(), word, "{condition}");
        }
    }

    #[test]
    fn what_is_refused() {
        for (texts, says) in [
            (&["a:"][..], "has no condition"),
            (&[" "], "has no condition"),
            (&["a: x", "a: y"], "`a` has two conditions"),
            (&["x", "y"], "all tables have two conditions"),
            (&["a: d > NOW()"], "`--where a: d > NOW()` has `NOW`, whose value changes"),
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
