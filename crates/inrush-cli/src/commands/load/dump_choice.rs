//! What of a dump is taken: `--only`, `--except`, `--schema-only`, `--rows-only`, and how: `--definers`, `--strict`. Nothing is read or sent here.

use clap::Args;
use inrush_core::column::ident::quote_ident;
use inrush_core::{Error, Result};
use inrush_files::{DumpContents, DumpTable, OtherStatement};

/// The options about whole dumps.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DumpArgs {
    /// Of a whole dump, only these tables, and what is altered, indexed or triggered on them
    #[arg(long, value_name = "a,b", help_heading = "Dumps", conflicts_with = "except")]
    only: Option<String>,

    /// Of a whole dump, not these tables, nor what is altered, indexed or triggered on them
    #[arg(long, value_name = "a,b", help_heading = "Dumps")]
    except: Option<String>,

    /// Of a whole dump, these tables get other names, wherever it is certain that a statement names them
    #[arg(long, value_name = "a=b,c=d", help_heading = "Dumps")]
    rename: Option<String>,

    /// Of a whole dump, everything but rows: tables, views, triggers, routines, events
    #[arg(long, help_heading = "Dumps", conflicts_with = "rows_only")]
    schema_only: bool,

    /// Of a whole dump, only rows: tables that are missing are an error, and no other statement is played
    #[arg(long, help_heading = "Dumps")]
    rows_only: bool,

    /// Whose rights the views, triggers, routines and events of a whole dump have: `keep` the users that it names, `strip` them, so that they are those of the user who loads, or this `USER@HOST`
    #[arg(long, value_name = "keep|strip|USER@HOST", default_value = "keep", help_heading = "Dumps")]
    definers: String,

    /// Refuse a whole dump whose tables would be rewritten for this kind of server (collations, JSON), instead of saying so
    #[arg(long, help_heading = "Dumps")]
    strict: bool,
}

impl DumpArgs {
    /// The first of these options that is given.
    pub(super) fn first_given(&self) -> Option<&'static str> {
        let given = [
            ("only", self.only.is_some()),
            ("except", self.except.is_some()),
            ("rename", self.rename.is_some()),
            ("schema-only", self.schema_only),
            ("rows-only", self.rows_only),
            ("definers", self.definers != "keep"),
            ("strict", self.strict),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(option, _)| option)
    }

    /// Refuses these options where no whole dump is loaded.
    pub(super) fn check_unused(&self) -> Result<()> {
        match self.first_given() {
            None => Ok(()),
            Some(option) => Err(Error::config(format!("`--{option}` is for a whole dump")).with_hint(
                "`dump.sql --into 'DATABASE.*'` is one; `dump.sql#orders --into orders` loads the rows of one table",
            )),
        }
    }

    /// Whether rows are loaded.
    pub(super) fn takes_rows(&self) -> bool {
        !self.schema_only
    }

    /// Whether missing tables are made, and other statements are played.
    pub(super) fn takes_schema(&self) -> bool {
        !self.rows_only
    }

    /// Whether nothing may be rewritten.
    pub(super) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Whether tables of the dump may be left out.
    pub(super) fn leaves_out_tables(&self) -> bool {
        self.only.is_some() || self.except.is_some()
    }

    /// Leaves in `contents` what is taken; other statements that are not are put to those that are left out.
    ///
    /// # Errors
    /// `Config` for a table that the dump does not have, for a choice that leaves none, and for a user that is none.
    pub(super) fn choose(&self, file: &str, contents: &mut DumpContents) -> Result<()> {
        let definer = self.definer()?;
        if self.rows_only && (self.definers != "keep" || self.strict) {
            let option = if self.strict { "strict" } else { "definers" };
            return Err(Error::config(format!("`--{option}` has no meaning with `--rows-only`, which makes nothing")));
        }
        let only = self.only.as_deref().map(|list| names("only", list)).transpose()?;
        let except = self.except.as_deref().map(|list| names("except", list)).transpose()?;
        if let Some(name) = only.iter().chain(&except).flatten().find(|name| !has(contents, name)) {
            let names: Vec<_> = contents.tables.iter().map(|table| quote_ident(&table.name)).collect();
            return Err(Error::config(format!("`{file}` has no table {}", quote_ident(name)))
                .with_hint(format!("it has {}", shortened(&names))));
        }
        let is_in = |list: &Option<Vec<String>>, table: &str| list.iter().flatten().any(|name| name == table);
        let takes = |table: &str| (only.is_none() || is_in(&only, table)) && !is_in(&except, table);
        contents.tables.retain(|table| takes(&table.name));
        if contents.tables.is_empty() && except.is_some() {
            return Err(Error::config(format!("`--except` leaves no table of `{file}`")));
        }
        let plays = |other: &OtherStatement| match &other.table {
            _ if self.rows_only => false,
            _ if other.is_setting => true,
            Some(table) => takes(table),
            // It may need any table.
            None => only.is_none(),
        };
        let (played, left_out) = std::mem::take(&mut contents.others).into_iter().partition::<Vec<_>, _>(plays);
        contents.left_out.extend(left_out.into_iter().filter(|other| !other.is_setting));
        contents.others = played;
        if contents.others.iter().all(|other| other.is_setting) {
            contents.others.clear();
        }
        if let Some(list) = &self.rename {
            let renames = renames(list, file, contents)?;
            contents.rename(&renames, !self.rows_only)?;
        }
        if let Some(user) = &definer {
            contents.others.iter_mut().for_each(|other| *other = other.with_definer(user.as_deref()));
        }
        Ok(())
    }

    /// What becomes of a DEFINER: `None` keeps it, an empty one takes it away.
    fn definer(&self) -> Result<Option<Option<String>>> {
        let is_plain = |text: &str| !text.is_empty() && !text.contains(['\'', '"', '`']);
        match (self.definers.as_str(), self.definers.rsplit_once('@')) {
            ("keep", _) => Ok(None),
            ("strip", _) => Ok(Some(None)),
            (_, Some((user, host))) if is_plain(user) && is_plain(host) => {
                Ok(Some(Some(format!("{}@{}", quote_ident(user), quote_ident(host)))))
            }
            (text, _) => Err(Error::config(format!("`--definers {text}` is not understood"))
                .with_hint("it takes `keep`, `strip` or a user with its host, without quotes: `app@%`")),
        }
    }
}

/// The old and new names of `--rename`.
fn renames(list: &str, file: &str, contents: &DumpContents) -> Result<Vec<(String, String)>> {
    let mut renames: Vec<(String, String)> = Vec::new();
    for part in parts(list, ',') {
        let [old, new] = &parts(part, '=')[..] else {
            return Err(Error::config(format!("`--rename {part}` is not understood")).with_hint(
                "it takes the name in the dump and the new one: `--rename orders=orders_2026,items=items_2026`",
            ));
        };
        let has_dot = new.contains('.') && !new.starts_with('`');
        let (old, new) = (name_of(old), name_of(new));
        if has_dot {
            return Err(Error::config(format!(
                "`--rename {part}` names a database, or a table with a dot in its name"
            ))
            .with_hint(
                "`--into 'DATABASE.*'` names the database of all tables; a name with a dot is written in backticks",
            ));
        }
        if new.is_empty() || new.ends_with(' ') || new.chars().count() > MOST_CHARS {
            return Err(Error::config(format!("`--rename`: {} is no name of a table", quote_ident(&new)))
                .with_hint(format!("a name has at most {MOST_CHARS} characters, and no blank at its end")));
        }
        if !has(contents, &old) {
            let names: Vec<_> = contents.tables.iter().map(|table| quote_ident(&table.name)).collect();
            return Err(Error::config(format!(
                "`--rename`: `{file}` has no table {} that is taken",
                quote_ident(&old)
            ))
            .with_hint(format!("it has {}", shortened(&names))));
        }
        if renames.iter().any(|(other, _)| *other == old) {
            return Err(Error::config(format!("`--rename` gives {} two names", quote_ident(&old))));
        }
        renames.push((old, new));
    }
    match renames.is_empty() {
        true => Err(Error::config("`--rename` names no table")),
        false => Ok(renames),
    }
}

/// Of the name of a table on a server.
const MOST_CHARS: usize = 64;

/// The names of a list; one with a comma or blanks in it is written in backticks.
fn names(option: &str, list: &str) -> Result<Vec<String>> {
    let names: Vec<_> = parts(list, ',').into_iter().map(name_of).collect();
    match names.is_empty() {
        true => Err(Error::config(format!("`--{option}` names no table"))),
        false => Ok(names),
    }
}

/// The parts between separators that are not within backticks.
fn parts(list: &str, separator: char) -> Vec<&str> {
    let mut is_quoted = false;
    let parts = list.split(|c| {
        is_quoted ^= c == '`';
        c == separator && !is_quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

fn name_of(part: &str) -> String {
    let unquoted = part.strip_prefix('`').and_then(|part| part.strip_suffix('`'));
    unquoted.map_or_else(|| part.to_owned(), |name| name.replace("``", "`"))
}

fn has(contents: &DumpContents, name: &str) -> bool {
    contents.tables.iter().any(|DumpTable { name: table, .. }| table == name)
}

fn shortened(names: &[String]) -> String {
    let more = if names.len() > 20 { format!(" and {} more", names.len() - 20) } else { String::new() };
    format!("{}{more}", names[..names.len().min(20)].join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_names() {
        let check = |list: &str, want: &[&str]| assert_eq!(names("only", list).unwrap_or_default(), want, "{list}");
        check("a,b", &["a", "b"]);
        check(" a , b,", &["a", "b"]);
        check("`a,b`,c", &["a,b", "c"]);
        check("`b``t`, ` x `", &["b`t", " x "]);
        check("back`tick", &["back`tick"]);
        check("", &[]);
        check(" , ", &[]);
    }

    #[test]
    fn users_after_definer() {
        let check = |text: &str, want: Option<Option<Option<&str>>>| {
            let choice = DumpArgs { definers: text.into(), ..DumpArgs::default() };
            let user = choice.definer().ok();
            let user = user.as_ref().map(|user| user.as_ref().map(|user| user.as_deref()));
            assert_eq!(user, want, "{text}");
        };
        check("keep", Some(None));
        check("strip", Some(Some(None)));
        check("app@%", Some(Some(Some("`app`@`%`"))));
        check("x@y@db.example.org", Some(Some(Some("`x@y`@`db.example.org`"))));
        for text in ["", "app", "@%", "app@", "'app'@'%'", "`a`@`%`", "a\"b@%"] {
            check(text, None);
        }
    }
}
