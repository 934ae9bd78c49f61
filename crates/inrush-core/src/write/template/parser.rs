//! The grammar of INSERT, REPLACE, UPDATE and DELETE, as far as it is needed to find where placeholders go.

use super::tokens::{Token, What};
use super::{Cell, PlaceholderTarget, RowTemplate, TableName, Template};

/// Is positioned before a token, and advances as long as the text matches.
pub(super) struct Parser<'s> {
    sql: &'s str,
    tokens: &'s [Token],
    borders: &'s [usize],
    at: usize,
}

/// Each step is `None` where the text is not what it should be.
impl<'s> Parser<'s> {
    pub(super) fn new(sql: &'s str, tokens: &'s [Token], borders: &'s [usize]) -> Self {
        Self { sql, tokens, borders, at: 0 }
    }

    pub(super) fn insert(&mut self, template: &mut Template) -> Option<()> {
        while self.eat_any(&["LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY"]) {}
        template.ignore = self.eat("IGNORE");
        self.eat("INTO");
        let start = self.token()?.range.start;
        template.table = Some(self.table()?);
        self.partitions()?;
        template.into = start..self.end();
        if self.is_symbol(b'(') {
            template.columns = Some(self.columns()?);
        }
        if self.eat_any(&["VALUES", "VALUE"]) {
            let row = self.rows(template)?;
            self.alias_of_rows()?;
            self.on_duplicate(&mut template.targets)?;
            self.finish()?;
            template.row = Some(row);
            Some(())
        } else if template.columns.is_none() && self.eat("SET") {
            self.assignments(&mut template.targets)?;
            self.alias_of_rows()?;
            self.on_duplicate(&mut template.targets)
        } else {
            None
        }
    }

    pub(super) fn update(&mut self, template: &mut Template) -> Option<()> {
        self.eat("LOW_PRIORITY");
        template.ignore = self.eat("IGNORE");
        let table = self.table()?;
        self.partitions()?;
        if !self.eat("SET") {
            self.eat("AS");
            self.name()?;
            // Anything but SET is a second table.
            self.eat("SET").then_some(())?;
        }
        template.table = Some(table);
        self.assignments(&mut template.targets)
    }

    pub(super) fn delete(&mut self, template: &mut Template) -> Option<()> {
        while self.eat_any(&["LOW_PRIORITY", "QUICK"]) {}
        template.ignore = self.eat("IGNORE");
        self.eat("FROM").then_some(())?;
        let table = self.table()?;
        self.partitions()?;
        if !self.is_over() && !self.is_any(CLAUSES) {
            self.eat("AS");
            self.name()?;
        }
        // Anything but a clause is a second table.
        (self.is_over() || self.is_any(CLAUSES)).then_some(())?;
        template.table = Some(table);
        Some(())
    }

    /// `(..),(..)`.
    fn rows(&mut self, template: &mut Template) -> Option<RowTemplate> {
        let start = self.token()?.range.start;
        let (mut cells, mut marks, mut n_rows) = (Vec::new(), Vec::new(), 0);
        loop {
            cells.clear();
            self.row(&mut cells, &mut marks)?;
            n_rows += 1;
            for (place, cell) in cells.iter().enumerate() {
                if let Cell::Placeholder(number) = *cell {
                    template.targets[number] = match &template.columns {
                        None => PlaceholderTarget::Position(place),
                        Some(columns) => {
                            columns.get(place).cloned().map_or(PlaceholderTarget::Expression, PlaceholderTarget::Column)
                        }
                    };
                }
            }
            if !self.eat_symbol(b',') {
                break;
            }
        }
        if n_rows > 1 {
            cells.clear();
        }
        let range = start..self.end();
        let is_cut = self.borders.iter().any(|border| range.contains(border));
        let first = marks.first().copied().unwrap_or_default();
        (!is_cut).then(|| RowTemplate { range, n_rows, cells, placeholders: first..first + marks.len() })
    }

    /// `(a, b + 1, f(c, d))`.
    fn row(&mut self, cells: &mut Vec<Cell>, marks: &mut Vec<usize>) -> Option<()> {
        self.eat_symbol(b'(').then_some(())?;
        if self.eat_symbol(b')') {
            return Some(());
        }
        loop {
            let cell = self.expression(&[])?;
            marks.extend(cell.iter().filter_map(mark));
            cells.push(match cell {
                [] => return None,
                [token] if mark(token).is_some() => Cell::Placeholder(mark(token)?),
                [token] if self.says(token, "DEFAULT") => Cell::Default,
                _ => Cell::Other,
            });
            match self.next_symbol()? {
                b',' => {}
                b')' => return Some(()),
                _ => return None,
            }
        }
    }

    /// `a = ?, t.b = b + ?`, up to a clause or the end.
    fn assignments(&mut self, targets: &mut [PlaceholderTarget]) -> Option<()> {
        loop {
            let column = self.path()?.pop()?;
            self.eat_symbol(b':');
            self.eat_symbol(b'=').then_some(())?;
            if let [token] = self.expression(CLAUSES)?
                && let Some(number) = mark(token)
            {
                targets[number] = PlaceholderTarget::Column(column);
            }
            if !self.eat_symbol(b',') {
                return Some(());
            }
        }
    }

    /// Tokens up to a comma or a clause, or the `)` that closes what was open before.
    fn expression(&mut self, clauses: &[&str]) -> Option<&'s [Token]> {
        let start = self.at;
        let mut depth = 0_usize;
        while let Some(token) = self.token() {
            match token.what {
                What::Symbol(b'(') => depth += 1,
                What::Symbol(b')') if depth > 0 => depth -= 1,
                What::Symbol(b',' | b')') if depth == 0 => break,
                What::Word if depth == 0 && self.is_any(clauses) && self.may_end_here() => break,
                _ => {}
            }
            self.at += 1;
        }
        (depth == 0).then_some(&self.tokens[start..self.at])
    }

    /// `AS new (a, b)`.
    fn alias_of_rows(&mut self) -> Option<()> {
        if self.eat("AS") {
            self.name()?;
            if self.is_symbol(b'(') {
                self.columns()?;
            }
        }
        Some(())
    }

    fn on_duplicate(&mut self, targets: &mut [PlaceholderTarget]) -> Option<()> {
        if !self.eat("ON") {
            return Some(());
        }
        ["DUPLICATE", "KEY", "UPDATE"].iter().all(|word| self.eat(word)).then_some(())?;
        self.assignments(targets)
    }

    fn finish(&mut self) -> Option<()> {
        (self.is_over() || self.is_any(&["RETURNING"])).then_some(())
    }

    /// Whether the statement has ON DUPLICATE KEY UPDATE outside of parentheses, and RETURNING.
    pub(super) fn clauses(&self) -> (bool, bool) {
        let (mut on_duplicate, mut returning, mut depth) = (false, false, 0_usize);
        let mut parser = Self { at: self.at, ..*self };
        while let Some(token) = parser.token() {
            match token.what {
                What::Symbol(b'(') => depth += 1,
                What::Symbol(b')') => depth = depth.saturating_sub(1),
                What::Word if depth == 0 && parser.is_any(&["RETURNING"]) => returning |= parser.may_end_here(),
                What::Word if depth == 0 => {
                    let words = self.tokens[parser.at..].iter().zip(["ON", "DUPLICATE", "KEY", "UPDATE"]);
                    on_duplicate |= words.filter(|(token, word)| self.says(token, word)).count() == 4;
                }
                _ => {}
            }
            parser.at += 1;
        }
        (on_duplicate, returning)
    }

    /// Whether an expression may end before this word. RETURNING is a name like any other on MySQL: `a = returning + 1`.
    fn may_end_here(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.is_some_and(|token| match token.what {
            What::Symbol(symbol) => symbol == b')' || symbol == b'*',
            What::Word => !["UPDATE", "SET", "FROM", "INTO"].iter().any(|word| self.says(token, word)),
            _ => true,
        })
    }

    fn table(&mut self) -> Option<TableName> {
        let mut path = self.path()?;
        let name = path.pop()?;
        let schema = path.pop();
        path.is_empty().then_some(TableName { schema, name })
    }

    /// `PARTITION (p0, p1)`.
    fn partitions(&mut self) -> Option<()> {
        if self.eat("PARTITION") {
            self.columns()?;
        }
        Some(())
    }

    /// `(a, t.b)`: the last word of each.
    fn columns(&mut self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        self.eat_symbol(b'(').then_some(())?;
        if self.eat_symbol(b')') {
            return Some(names);
        }
        loop {
            names.push(self.path()?.pop()?);
            match self.next_symbol()? {
                b',' => {}
                b')' => return Some(names),
                _ => return None,
            }
        }
    }

    /// `a`, `t.a`, `s.t.a`.
    fn path(&mut self) -> Option<Vec<String>> {
        let mut path = vec![self.name()?];
        while self.eat_symbol(b'.') {
            path.push(self.name()?);
        }
        Some(path)
    }

    /// Returns a name as the server reads it. In double quotes too: where a name must come, the session is in ANSI_QUOTES.
    fn name(&mut self) -> Option<String> {
        let token = self.token()?;
        let text = &self.sql[token.range.clone()];
        let name = match token.what {
            What::Word => text.to_owned(),
            What::Quoted(b'`') => text[1..text.len() - 1].replace("``", "`"),
            What::Quoted(b'"') => text[1..text.len() - 1].replace("\"\"", "\""),
            _ => return None,
        };
        self.at += 1;
        Some(name)
    }

    fn token(&self) -> Option<&'s Token> {
        self.tokens.get(self.at)
    }

    fn is_over(&self) -> bool {
        self.at == self.tokens.len()
    }

    /// Where the last token that was taken ends.
    fn end(&self) -> usize {
        self.at.checked_sub(1).map_or(0, |last| self.tokens[last].range.end)
    }

    fn says(&self, token: &Token, word: &str) -> bool {
        token.what == What::Word && self.sql[token.range.clone()].eq_ignore_ascii_case(word)
    }

    fn is_any(&self, words: &[&str]) -> bool {
        self.token().is_some_and(|token| words.iter().any(|word| self.says(token, word)))
    }

    fn eat_any(&mut self, words: &[&str]) -> bool {
        let is = self.is_any(words);
        self.at += usize::from(is);
        is
    }

    pub(super) fn eat(&mut self, word: &str) -> bool {
        self.eat_any(&[word])
    }

    fn is_symbol(&self, symbol: u8) -> bool {
        self.token().is_some_and(|token| token.what == What::Symbol(symbol))
    }

    fn eat_symbol(&mut self, symbol: u8) -> bool {
        let is = self.is_symbol(symbol);
        self.at += usize::from(is);
        is
    }

    fn next_symbol(&mut self) -> Option<u8> {
        let What::Symbol(symbol) = self.token()?.what else { return None };
        self.at += 1;
        Some(symbol)
    }
}

fn mark(token: &Token) -> Option<usize> {
    match token.what {
        What::Mark(number) => Some(number),
        _ => None,
    }
}

/// What may follow an expression at the end of a list of them.
const CLAUSES: &[&str] = &["WHERE", "ORDER", "LIMIT", "ON", "AS", "RETURNING"];
