//! What a user may do, read from the lines of SHOW GRANTS. Pure.
//!
//! Invariant: [`May::No`] is certain. Roles, revoked parts and lines of another form make it [`May::Unknown`].

/// The rights of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rights {
    grants: Vec<Grant>,
    /// Whether there may be more: those of a role, or of a line that is not understood.
    has_more: bool,
    /// Whether parts are taken out of them again.
    has_revoked: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Grant {
    /// In upper case.
    rights: Vec<String>,
    /// A pattern of LIKE; `*` is every schema.
    schema: String,
    /// `None` is every table.
    table: Option<String>,
}

/// Whether a user has a right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum May {
    Yes,
    No,
    Unknown,
}

impl Rights {
    /// Reads the lines of SHOW GRANTS.
    pub(crate) fn read<S: AsRef<str>>(lines: &[S]) -> Self {
        let mut rights = Self { grants: Vec::new(), has_more: lines.is_empty(), has_revoked: false };
        for line in lines.iter().map(AsRef::as_ref) {
            match grant(line) {
                Some(grant) => rights.grants.push(grant),
                // To act as another user, which takes another login.
                None if line.starts_with("GRANT PROXY ON ") => {}
                None if line.starts_with("REVOKE ") => rights.has_revoked = true,
                None => rights.has_more = true,
            }
        }
        rights
    }

    /// Whether the user has `right` on all tables of `schema`.
    pub(crate) fn on_schema(&self, right: &str, schema: &str) -> May {
        self.may(right, |grant| grant.table.is_none() && is_like(schema, &grant.schema))
    }

    /// Whether the user has `right` on this table.
    pub(crate) fn on_table(&self, right: &str, schema: &str, table: &str) -> May {
        self.may(right, |grant| {
            is_like(schema, &grant.schema) && grant.table.as_ref().is_none_or(|name| name.eq_ignore_ascii_case(table))
        })
    }

    fn may(&self, right: &str, covers: impl Fn(&Grant) -> bool) -> May {
        let has = |grant: &Grant| grant.rights.iter().any(|one| one == right || one == "ALL PRIVILEGES");
        match self.grants.iter().any(|grant| has(grant) && covers(grant)) {
            true if !self.has_revoked => May::Yes,
            false if !self.has_more => May::No,
            _ => May::Unknown,
        }
    }
}

/// `GRANT SELECT, INSERT ON what TO ..`.
fn grant(line: &str) -> Option<Grant> {
    let (rights, rest) = split_outside_quotes(line.strip_prefix("GRANT ")?, " ON ")?;
    let (object, _) = split_outside_quotes(rest, " TO ")?;
    let object = object.strip_prefix("TABLE ").unwrap_or(object);
    let (schema, table) = split_outside_quotes(object, ".")?;
    let words = rights.split(',').map(|right| right.trim().to_uppercase());
    Some(Grant { rights: words.collect(), schema: unquoted(schema), table: (table != "*").then(|| unquoted(table)) })
}

/// The parts before and after the first `separator` that is not between backticks.
fn split_outside_quotes<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    let mut is_quoted = false;
    let at = text.char_indices().find(|(at, c)| {
        is_quoted ^= *c == '`';
        !is_quoted && text[*at..].starts_with(separator)
    });
    at.map(|(at, _)| (&text[..at], &text[at + separator.len()..]))
}

fn unquoted(name: &str) -> String {
    let inner = name.strip_prefix('`').and_then(|name| name.strip_suffix('`'));
    inner.map_or_else(|| name.to_owned(), |inner| inner.replace("``", "`"))
}

/// Whether a name is like a pattern: `%` is any text, `_` a character, `\` makes the next one literal. Upper and lower case are the same:
/// on some systems they are to the server.
fn is_like(name: &str, pattern: &str) -> bool {
    fn matches(name: &[char], pattern: &[char]) -> bool {
        match pattern {
            [] => name.is_empty(),
            ['%', rest @ ..] => (0..=name.len()).any(|n| matches(&name[n..], rest)),
            ['\\', literal, rest @ ..] => name.first() == Some(literal) && matches(&name[1..], rest),
            ['_', rest @ ..] => !name.is_empty() && matches(&name[1..], rest),
            [c, rest @ ..] => name.first() == Some(c) && matches(&name[1..], rest),
        }
    }
    let chars = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    pattern == "*" || matches(&chars(name), &chars(pattern))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(lines: &[&str], right: &str, schema: &str, want: May) {
        assert_eq!(Rights::read(lines).on_schema(right, schema), want, "{lines:?}");
    }

    #[test]
    fn rights_on_schemas() {
        let usage = "GRANT USAGE ON *.* TO `me`@`%`";
        check(&["GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION"], "DROP", "any", May::Yes);
        check(&["GRANT SELECT, DROP, ALTER ON *.* TO `me`@`%`"], "DROP", "any", May::Yes);
        check(&[usage], "DROP", "any", May::No);
        check(&[usage, r"GRANT CREATE ON `inrush\_tune\_%`.* TO `me`@`%`"], "DROP", "inrush_tune_7", May::No);
        check(&[usage, r"GRANT ALL PRIVILEGES ON `inrush\_tune\_%`.* TO `me`@`%`"], "DROP", "inrush_tune_7", May::Yes);
        check(&[usage, r"GRANT ALL PRIVILEGES ON `inrush\_tune\_%`.* TO `me`@`%`"], "DROP", "inrushXtune_7", May::No);
        check(&[usage, "GRANT DROP ON `shop`.`orders` TO `me`@`%`"], "DROP", "shop", May::No);
    }
    #[test]
    fn what_is_not_known_is_no_refusal() {
        let role = "GRANT `writers`@`%` TO `me`@`%`";
        check(&["GRANT USAGE ON *.* TO `me`@`%`", role], "DROP", "any", May::Unknown);
        check(&["GRANT DROP ON *.* TO `me`@`%`", "REVOKE DROP ON `any`.* FROM `me`@`%`"], "DROP", "any", May::Unknown);
        check(&[], "DROP", "any", May::Unknown);
        check(&["GRANT DROP ON *.* TO `me`@`%`", role], "DROP", "any", May::Yes);
        let proxy = "GRANT PROXY ON ''@'%' TO 'root'@'localhost' WITH GRANT OPTION";
        check(&["GRANT ALL PRIVILEGES ON *.* TO `root`@`localhost` WITH GRANT OPTION", proxy], "DROP", "any", May::Yes);
        check(&["GRANT USAGE ON *.* TO `me`@`%`", proxy], "DROP", "any", May::No);
    }
    #[test]
    fn rights_on_tables() {
        let rights = Rights::read(&["GRANT SELECT (`a ON b`), TRIGGER ON `my``shop`.`a.b` TO `me`@`%`"]);
        assert_eq!(rights.on_table("TRIGGER", "my`shop", "a.b"), May::Yes);
        assert_eq!(rights.on_table("TRIGGER", "my`shop", "b"), May::No);
        assert_eq!(rights.on_table("INSERT", "my`shop", "a.b"), May::No);
    }
}
