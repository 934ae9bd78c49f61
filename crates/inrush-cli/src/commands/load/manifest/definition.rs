//! The text of a CREATE TABLE: which tables it refers to, and the same table by another name or with other collations. No SQL is run here.

use inrush_core::sql::{Dialect, Lexeme, Lexer, Token};
use std::ops::Range;

/// A CREATE TABLE as SHOW CREATE TABLE prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Definition(String);

impl Definition {
    /// `None` for a text that does not begin as one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let definition = Self(text.to_owned());
        definition.name().map(|_| definition)
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The same of another name, which is as SQL has it.
    pub(super) fn with_name(&self, quoted: &str) -> Self {
        let mut text = self.0.clone();
        if let Some(range) = self.name() {
            text.replace_range(range, quoted);
        }
        Self(text)
    }

    /// The tables that its foreign keys refer to, each with its database if that is another one.
    pub(super) fn references(&self) -> Vec<(Option<String>, String)> {
        let mut tokens = self.tokens();
        let mut found = Vec::new();
        while let Some(token) = tokens.next() {
            if !self.is_word(&token, "REFERENCES") {
                continue;
            }
            let Some(first) = tokens.next().and_then(|token| self.identifier(&token)) else { continue };
            let mut rest = tokens.clone();
            let is_dot = rest.next().is_some_and(|token| token.lexeme == Lexeme::Symbol(b'.'));
            found.push(match rest.next().and_then(|token| self.identifier(&token)).filter(|_| is_dot) {
                Some(table) => (Some(first), table),
                None => (None, first),
            });
        }
        found
    }

    /// Its collations, each once.
    pub(super) fn collations(&self) -> Vec<String> {
        let mut names: Vec<_> = self.collation_ranges().into_iter().map(|range| self.0[range].to_owned()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// The same with another collation in place of each that `other` returns one for.
    pub(super) fn with_collations(&self, other: impl Fn(&str) -> Option<String>) -> Self {
        let mut text = self.0.clone();
        for range in self.collation_ranges().into_iter().rev() {
            if let Some(name) = other(&self.0[range.clone()]) {
                text.replace_range(range, &name);
            }
        }
        Self(text)
    }

    /// The same with columns of the type JSON in place of texts that are checked to be documents, as MariaDB has them.
    pub(super) fn with_json(&self) -> Self {
        let lines = self.0.split_inclusive('\n').map(|line| json_column(line).unwrap_or_else(|| line.to_owned()));
        Self(lines.collect())
    }

    fn collation_ranges(&self) -> Vec<Range<usize>> {
        let mut tokens = self.tokens();
        let mut found = Vec::new();
        while let Some(token) = tokens.next() {
            if self.is_word(&token, "COLLATE") {
                let next = tokens.find(|token| token.lexeme != Lexeme::Symbol(b'='));
                found.extend(next.filter(|token| token.lexeme == Lexeme::Word).map(|token| token.range));
            }
        }
        found
    }

    /// Where the table's name is.
    fn name(&self) -> Option<Range<usize>> {
        let mut tokens = self.tokens();
        for word in ["CREATE", "TABLE"] {
            tokens.next().filter(|token| self.is_word(token, word))?;
        }
        let name = tokens.next().filter(|token| self.identifier(token).is_some())?;
        tokens.next().filter(|token| token.lexeme == Lexeme::Symbol(b'('))?;
        Some(name.range)
    }

    fn tokens(&self) -> impl Iterator<Item = Token> + Clone {
        let all = Lexer::new(self.0.as_bytes(), Dialect::default());
        all.filter(|token| !matches!(token.lexeme, Lexeme::Blank | Lexeme::Comment))
    }

    fn is_word(&self, token: &Token, word: &str) -> bool {
        token.lexeme == Lexeme::Word && self.0[token.range.clone()].eq_ignore_ascii_case(word)
    }

    /// A name in backticks.
    fn identifier(&self, token: &Token) -> Option<String> {
        let quoted = &self.0[token.range.clone()];
        (token.lexeme == Lexeme::Quoted(b'`')).then(|| quoted[1..quoted.len() - 1].replace("``", "`"))
    }
}

/// A line of such a column with the type JSON.
fn json_column(line: &str) -> Option<String> {
    let tokens: Vec<_> =
        Lexer::new(line.as_bytes(), Dialect::default()).filter(|t| t.lexeme != Lexeme::Blank).collect();
    let [name, ty, ..] = &tokens[..] else { return None };
    let check = format!(" CHECK (json_valid({}))", &line[name.range.clone()]);
    if name.lexeme != Lexeme::Quoted(b'`') || &line[ty.range.clone()] != "longtext" || !line.contains(&check) {
        return None;
    }
    let rest = line[ty.range.end..].replace(&check, "");
    let rest = [" CHARACTER SET utf8mb4", " COLLATE utf8mb4_bin"]
        .iter()
        .fold(rest.as_str(), |rest, words| rest.strip_prefix(words).unwrap_or(rest));
    Some(format!("{}json{rest}", &line[..ty.range.start]))
}

/// Collations that sort like this one or nearly so, the nearest first: MySQL and MariaDB have other names for those of Unicode 9 and 14.
pub(super) fn like(collation: &str) -> Vec<String> {
    let Some((charset, rest)) = collation.split_once('_') else { return Vec::new() };
    let ending = ["_ai_ci", "_as_ci", "_as_cs", "_bin"].into_iter().find(|ending| collation.ends_with(ending));
    let nearest: &[&str] = match (rest.contains("0900"), ending) {
        (true, Some("_bin")) => &["nopad_bin", "bin"],
        (true, Some("_as_cs")) => &["uca1400_nopad_as_cs", "bin"],
        (true, Some("_as_ci")) => &["uca1400_nopad_as_ci", "unicode_520_ci"],
        (true, _) => &["uca1400_nopad_ai_ci", "unicode_520_ci"],
        (false, _) if rest.ends_with("nopad_bin") => &["0900_bin", "bin"],
        (false, Some("_as_cs")) => &["0900_as_cs", "bin"],
        (false, Some("_as_ci")) => &["0900_as_ci", "unicode_520_ci"],
        (false, _) => &["0900_ai_ci", "unicode_520_ci"],
    };
    nearest.iter().chain(&["general_ci"]).map(|name| format!("{charset}_{name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHILD: &str = "CREATE TABLE `a``b` (
  `id` int NOT NULL COMMENT 'REFERENCES `no` COLLATE no',
  `name` varchar(9) COLLATE utf8mb4_0900_bin DEFAULT NULL,
  CONSTRAINT `c1` FOREIGN KEY (`id`) REFERENCES `parent` (`id`) ON DELETE CASCADE,
  CONSTRAINT `c2` FOREIGN KEY (`id`) REFERENCES `other`.`x``y` (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";

    #[test]
    fn finds_names_and_collations() {
        let child = Definition::parse(CHILD).unwrap();
        assert_eq!(child.references(), [(None, "parent".into()), (Some("other".into()), "x`y".into())]);
        assert_eq!(child.collations(), ["utf8mb4_0900_ai_ci", "utf8mb4_0900_bin"]);
        assert!(child.with_name("`s`.`t`").text().starts_with("CREATE TABLE `s`.`t` (\n"));
        let other = child.with_collations(|name| name.ends_with("_bin").then(|| "utf8mb4_bin".into()));
        assert_eq!(other.text(), CHILD.replace("0900_bin", "bin"));
        for no in ["", "DROP TABLE `x`", "CREATE TABLE x (a INT)", "CREATE TABLE `x` SELECT 1"] {
            assert_eq!(Definition::parse(no), None, "{no}");
        }
    }

    #[test]
    fn checked_texts_are_documents() {
        let of = |column: &str| Definition(format!("CREATE TABLE `t` (\n  {column},\n  `k` int\n)")).with_json().0;
        let check =
            |column: &str, want: &str| assert_eq!(of(column), format!("CREATE TABLE `t` (\n  {want},\n  `k` int\n)"));
        let text = "`j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
        check(&format!("{text} DEFAULT NULL CHECK (json_valid(`j`))"), "`j` json DEFAULT NULL");
        check("`j` longtext NOT NULL COMMENT 'x' CHECK (json_valid(`j`))", "`j` json NOT NULL COMMENT 'x'");
        for same in
            ["`j` longtext CHECK (json_valid(`k`))", "`j` longtext DEFAULT NULL", "`j` text CHECK (json_valid(`j`))"]
        {
            check(same, same);
        }
    }

    #[test]
    fn a_collation_has_neighbours() {
        assert_eq!(like("utf8mb4_0900_ai_ci")[0], "utf8mb4_uca1400_nopad_ai_ci");
        assert_eq!(like("utf8mb4_uca1400_ai_ci")[0], "utf8mb4_0900_ai_ci");
        assert_eq!(like("utf8mb3_uca1400_ai_ci").last().unwrap(), "utf8mb3_general_ci");
        assert_eq!(like("binary"), [""; 0]);
    }
}
