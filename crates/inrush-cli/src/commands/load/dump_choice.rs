//! What of a dump is taken: `--only`, `--except`, `--schema-only`, `--rows-only`, and how: `--definers`, `--strict`. Nothing is read or sent here.

use clap::Args;
use inrush_core::{Error, Result};
use inrush_files::{DumpContents, DumpTable, OtherStatement};

/// The options about whole dumps.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct DumpArgs {
    /// Of a whole dump, only these tables, and what is altered, indexed or triggered on them
    #[arg(long, value_name = "a,b", value_delimiter = ',', help_heading = "Dumps", conflicts_with = "except")]
    only: Vec<String>,

    /// Of a whole dump, not these tables, nor what is altered, indexed or triggered on them
    #[arg(long, value_name = "a,b", value_delimiter = ',', help_heading = "Dumps")]
    except: Vec<String>,

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
            ("only", !self.only.is_empty()),
            ("except", !self.except.is_empty()),
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

    /// Leaves in `contents` what is taken; other statements that are not are put to those that are left out.
    ///
    /// # Errors
    /// `Config` for a table that the dump does not have, for a choice that leaves none, and for a user that is none.
    pub(super) fn choose(&self, file: &str, contents: &mut DumpContents) -> Result<()> {
        let definer = self.definer()?;
        if let Some(name) = self.only.iter().chain(&self.except).find(|name| !has(contents, name)) {
            let names: Vec<_> = contents.tables.iter().map(|table| format!("`{}`", table.name)).collect();
            return Err(Error::config(format!("`{file}` has no table `{name}`"))
                .with_hint(format!("it has {}", shortened(&names))));
        }
        contents.tables.retain(|table| self.takes(&table.name));
        if contents.tables.is_empty() && !self.except.is_empty() {
            return Err(Error::config(format!("`--except` leaves no table of `{file}`")));
        }
        let (played, left_out) =
            std::mem::take(&mut contents.others).into_iter().partition::<Vec<_>, _>(|other| self.plays(other));
        contents.left_out.extend(left_out.into_iter().filter(|other| !other.is_setting));
        contents.others = played;
        if let Some(user) = &definer {
            contents.others.iter_mut().for_each(|other| *other = other.with_definer(user.as_deref()));
        }
        Ok(())
    }

    fn takes(&self, table: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|name| name == table);
        (self.only.is_empty() || is_in(&self.only)) && !is_in(&self.except)
    }

    /// Whether a statement that is no row is taken.
    fn plays(&self, other: &OtherStatement) -> bool {
        match &other.table {
            _ if self.rows_only => false,
            _ if other.is_setting => true,
            Some(table) => self.takes(table),
            // It may need any table.
            None => self.only.is_empty(),
        }
    }

    /// What becomes of a DEFINER: `None` keeps it, an empty one takes it away.
    fn definer(&self) -> Result<Option<Option<String>>> {
        let quoted = |text: &str| format!("`{}`", text.replace('`', "``"));
        match (self.definers.as_str(), self.definers.rsplit_once('@')) {
            ("keep", _) => Ok(None),
            ("strip", _) => Ok(Some(None)),
            (_, Some((user, host))) if !host.is_empty() => Ok(Some(Some(format!("{}@{}", quoted(user), quoted(host))))),
            (text, _) => Err(Error::config(format!("`--definers {text}` is not understood"))
                .with_hint("it takes `keep`, `strip` or a user with its host: `app@%`")),
        }
    }
}

fn has(contents: &DumpContents, name: &str) -> bool {
    contents.tables.iter().any(|DumpTable { name: table, .. }| table == name)
}

fn shortened(names: &[String]) -> String {
    let more = if names.len() > 20 { format!(" and {} more", names.len() - 20) } else { String::new() };
    format!("{}{more}", names[..names.len().min(20)].join(", "))
}
