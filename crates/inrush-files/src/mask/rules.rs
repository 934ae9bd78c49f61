//! The rules of a user, and what they mean for a table.

use super::{ColumnMask, MaskKey, MaskRule};
use inrush_core::column::Column;
use inrush_core::column::ident::quote_ident;
use inrush_core::error::{Error, Result};
use inrush_core::load::plan::nearest;

/// Rules for columns of tables.
#[derive(Clone, Debug)]
pub struct MaskRules {
    key: MaskKey,
    is_strict: bool,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// `None`: every table.
    table: Option<String>,
    column: String,
    rule: MaskRule,
    /// It must name a column: given on the command line, or in the section of one table.
    is_needed: bool,
    /// That of the command line precedes that of a file.
    is_of_command: bool,
}

/// The masks of a table's columns.
#[derive(Clone, Debug)]
pub struct TableMasks {
    /// In the order of the columns; `None` for one that no rule names.
    pub masks: Vec<Option<ColumnMask>>,
    /// Identifies key and rules: a load is continued only under the same.
    pub fingerprint: String,
}

impl MaskRules {
    /// No rules yet. With `is_strict`, a column that no rule names is an error.
    pub fn new(key: MaskKey, is_strict: bool) -> Self {
        Self { key, is_strict, entries: Vec::new() }
    }

    /// Adds `COLUMN=RULE` or `TABLE.COLUMN=RULE` of the command line.
    ///
    /// # Errors
    /// `Config` for what is no such rule, and for a column that has one.
    pub fn add_text(&mut self, text: &str) -> Result<()> {
        let (name, rule) = text.split_once('=').ok_or_else(|| {
            Error::config(format!("`--mask {text}` has no rule"))
                .with_hint("it takes COLUMN=RULE, such as `--mask email=hmac`")
        })?;
        let (table, column) = match name.trim().rsplit_once('.') {
            Some((table, column)) => (Some(plain(table)), plain(column)),
            None => (None, plain(name.trim())),
        };
        self.add(Entry { table, column, rule: MaskRule::parse(rule)?, is_needed: true, is_of_command: true })
    }

    /// Adds a rule of a file. Names may have `*` in them. `table`: `None` for every table.
    ///
    /// # Errors
    /// As [`MaskRules::add_text`].
    pub fn add_of_file(&mut self, table: Option<&str>, column: &str, rule: &str) -> Result<()> {
        let is_needed = table.is_some_and(|table| !table.contains('*')) && !column.contains('*');
        let rule = MaskRule::parse(rule).map_err(|error| error.while_doing(&format!("the rule of `{column}`")))?;
        let (table, column) = (table.map(str::to_owned), column.to_owned());
        self.add(Entry { table, column, rule, is_needed, is_of_command: false })
    }

    fn add(&mut self, entry: Entry) -> Result<()> {
        let same = |a: &Option<String>, b: &Option<String>| match (a, b) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(b),
            (a, b) => a.is_none() && b.is_none(),
        };
        let is_double = |other: &Entry| {
            other.column.eq_ignore_ascii_case(&entry.column)
                && same(&other.table, &entry.table)
                && other.is_of_command == entry.is_of_command
        };
        if self.entries.iter().any(is_double) {
            return Err(Error::config(format!("the column `{}` has two masks", entry.column))
                .with_hint("`TABLE.COLUMN=RULE` gives it a mask of its own in each table"));
        }
        self.entries.push(entry);
        Ok(())
    }

    /// Identifies a text that may have values in it which are masked: 64 bits, which do not give it away without the key.
    pub fn fingerprint_of(&self, text: &str) -> String {
        self.key.fingerprint(text)
    }

    /// The masks of a table. `table` is its name, `schema` that of its database.
    ///
    /// # Errors
    /// `Config` for a rule that does not fit its column, for two rules of one column, and with strict rules for a column without one.
    pub fn of_table(&self, schema: &str, table: &str, columns: &[Column]) -> Result<TableMasks> {
        let mut masks = Vec::new();
        let mut missing = Vec::new();
        for column in columns {
            match &self.of_column(schema, table, &column.name)[..] {
                [] => {
                    missing.push(format!("`{}`", column.name));
                    masks.push(None);
                }
                [entry, others @ ..] => {
                    if let Some(other) = others.iter().find(|other| other.rule != entry.rule) {
                        let message = format!(
                            "two masks match the column `{}` of `{table}`: `{} = {}` and `{} = {}`",
                            column.name, entry.column, entry.rule, other.column, other.rule
                        );
                        return Err(Error::config(message).with_hint("name the column itself to decide"));
                    }
                    entry.rule.check(column).map_err(|error| error.while_doing(&format!("table `{table}`")))?;
                    masks.push(Some(ColumnMask::new(column, entry.rule.clone(), self.key.clone())));
                }
            }
        }
        if self.is_strict && !missing.is_empty() {
            return Err(Error::config(format!("no mask names {} of the table `{table}`", missing.join(", ")))
                .with_hint(format!(
                    "`--mask-strict` needs a rule for each column; `{}=keep` leaves its values as they are",
                    missing[0].trim_matches('`')
                )));
        }
        let named = |mask: &Option<ColumnMask>| mask.as_ref().map(|mask| format!("{}={}", mask.column, mask.rule));
        let text = masks.iter().filter_map(named).collect::<Vec<_>>().join("\n");
        Ok(TableMasks { fingerprint: self.key.fingerprint(&text), masks })
    }

    /// The rules that count for a column.
    fn of_column(&self, schema: &str, table: &str, column: &str) -> Vec<&Entry> {
        let is_of_column = |entry: &&Entry| entry.is_of_table(schema, table) && matches(&entry.column, column);
        let mut found: Vec<&Entry> = self.entries.iter().filter(is_of_column).collect();
        let best = found.iter().map(|entry| entry.rank()).max();
        found.retain(|entry| Some(entry.rank()) == best);
        found
    }

    /// Refuses a generated column whose values would show those of a masked one. `columns` and `generated`: all of the table, the latter
    /// with their expressions, in which names are in backticks. `written`: the columns that are written.
    ///
    /// # Errors
    /// `Config` for a column that is computed of a masked one and has no rule.
    pub fn check_generated(
        &self,
        schema: &str,
        table: &str,
        (columns, generated): (&[String], &[(String, String)]),
        written: &[String],
    ) -> Result<()> {
        let is_hidden = |name: &String| {
            self.of_column(schema, table, name).first().is_some_and(|entry| entry.rule != MaskRule::Keep)
        };
        let mut hidden: Vec<(&String, &String)> =
            columns.iter().filter(|name| is_hidden(name)).map(|name| (name, name)).collect();
        // A generated column may be computed of another one.
        let mut at = 0;
        while let Some((name, origin)) = hidden.get(at).copied() {
            at += 1;
            let mark = quote_ident(name).to_lowercase();
            for (of, expression) in generated {
                let is_new = !hidden.iter().any(|(known, _)| *known == of);
                if is_new && expression.to_lowercase().contains(&mark) && self.of_column(schema, table, of).is_empty() {
                    hidden.push((of, origin));
                }
            }
        }
        let is_shown = |name: &String| written.contains(name) && self.of_column(schema, table, name).is_empty();
        match hidden.into_iter().find(|(name, _)| is_shown(name)) {
            None => Ok(()),
            Some((name, origin)) => Err(Error::config(format!(
                "the column `{name}` of `{table}` is computed of `{origin}`, which is masked, and would show it"
            ))
            .with_hint(format!("give `{name}` a rule (`{name}=keep` shows it), or leave it out of `--columns`"))),
        }
    }

    /// Refuses rules that name no column of these tables: database, table, columns.
    ///
    /// # Errors
    /// `Config`.
    pub fn check_names<'a>(&self, tables: &[(&'a str, &'a str, &'a [Column])]) -> Result<()> {
        for entry in self.entries.iter().filter(|entry| entry.is_needed) {
            let of_tables = || tables.iter().filter(|(schema, table, _)| entry.is_of_table(schema, table));
            // A file of rules may be for more tables than these.
            if !entry.is_of_command && of_tables().next().is_none() {
                continue;
            }
            let names = || of_tables().flat_map(|(_, _, columns)| columns.iter()).map(|column| column.name.as_str());
            if !names().any(|name| matches(&entry.column, name)) {
                let error = Error::config(match &entry.table {
                    Some(table) => {
                        format!("a mask names the column `{}` of `{table}`, which is not there", entry.column)
                    }
                    None => format!("a mask names the column `{}`, which is not there", entry.column),
                });
                return Err(match nearest(&entry.column, names()) {
                    Some(near) => error.with_hint(format!("did you mean `{near}`?")),
                    None => error.with_hint("`TABLE.COLUMN=RULE` is for one table, `COLUMN=RULE` for all of them"),
                });
            }
        }
        Ok(())
    }
}

impl Entry {
    fn is_of_table(&self, schema: &str, table: &str) -> bool {
        let Some(own) = &self.table else { return true };
        matches(own, table) || matches(own, &format!("{schema}.{table}"))
    }

    /// Which of several rules counts: the command line's, then those of a table, then those of names without `*`.
    fn rank(&self) -> (bool, bool, bool) {
        (self.is_of_command, self.table.is_some(), !self.column.contains('*'))
    }
}

fn plain(name: &str) -> String {
    name.replace('`', "")
}

/// Whether a name matches a pattern, in which `*` is any text; ASCII letters in any case.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.to_lowercase(), name.to_lowercase());
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}
