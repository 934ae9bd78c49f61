//! The tables of a manifest on the server: which are there, in which order they are filled, and the making of those that are missing.

use super::definition::{Definition, like};
use super::order::by_references;
use crate::commands::load::Watch;
use inrush::blocking::Connection;
use inrush::execute_until_stopped;
use inrush::table::TableName;
use inrush_core::sql::{Dialect, Lexeme, Lexer};
use inrush_core::{Error, Kind, Result};
use std::collections::HashMap;

/// A table to be filled.
#[derive(Debug)]
pub(crate) struct RestoreTarget {
    pub(crate) name: TableName,
    /// Its database when it was exported.
    pub(crate) database: String,
    pub(crate) definition: Option<String>,
}

/// The tables to be made.
#[derive(Debug, Default)]
pub(crate) struct Missing(Vec<(TableName, Definition)>);

/// The tables of `targets` that are not there, and the order in which all are filled, by their numbers.
///
/// # Errors
/// `Config` for a missing table without a definition, a missing database, and foreign keys in a circle, unless `is_unchecked`.
pub(crate) fn plan(
    connection: &mut Connection,
    targets: &[RestoreTarget],
    is_unchecked: bool,
) -> Result<(Missing, Vec<usize>)> {
    let mut missing = Missing::default();
    let mut parents = Vec::new();
    for target in targets {
        let name = &target.name;
        let is_there = connection.query_opt::<String>(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?",
            (&name.schema, &name.name),
        )?;
        let referred = match is_there {
            Some(_) => connection.query::<(String, String)>(
                "SELECT REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME FROM information_schema.KEY_COLUMN_USAGE
                 WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND REFERENCED_TABLE_NAME IS NOT NULL",
                (&name.schema, &name.name),
            )?,
            None => {
                check_database(connection, &name.schema)?;
                let definition = target.definition()?;
                let of_same = |(schema, table): (Option<String>, String)| match schema {
                    Some(schema) => (schema, table),
                    None => (name.schema.clone(), table),
                };
                let referred = definition.references().into_iter().map(of_same).collect();
                missing.0.push((name.clone(), definition));
                referred
            }
        };
        parents.push(referred.into_iter().map(|(schema, name)| TableName { schema, name }).collect::<Vec<_>>());
    }
    if is_unchecked {
        return Ok((missing, (0..targets.len()).collect()));
    }
    let number = |name: &TableName| targets.iter().position(|target| target.name == *name);
    let numbers: Vec<Vec<_>> = parents.iter().map(|names| names.iter().filter_map(number).collect()).collect();
    let order = by_references(&numbers).map_err(|circle| {
        let names: Vec<_> = circle.iter().map(|at| targets[*at].name.quoted()).collect();
        let problem = match names.len() {
            2 => format!("foreign keys of {} refer to the table itself, so its rows have no order", names[0]),
            _ => format!("foreign keys refer in a circle, so no table can be first: {}", names.join(" -> ")),
        };
        Error::config(problem).with_hint(
            "`--unchecked foreign-keys` loads without the server's check of them: the rows of an export are of one state",
        )
    })?;
    Ok((missing, order))
}

/// The tables that the foreign keys of a CREATE TABLE refer to, each with its database if it names one.
pub(crate) fn references(definition: &str) -> Vec<(Option<String>, String)> {
    Definition::parse(definition).map(|definition| definition.references()).unwrap_or_default()
}

fn check_database(connection: &mut Connection, schema: &str) -> Result<()> {
    let found = connection
        .query_opt::<String>("SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME = ?", (schema,))?;
    match found {
        Some(_) => Ok(()),
        None => Err(Error::config(format!("there is no database `{schema}` that this user may see"))
            .with_hint("create it first, or name another one: `--into 'other.*'`")),
    }
}

impl RestoreTarget {
    fn definition(&self) -> Result<Definition> {
        let name = self.name.quoted();
        let Some(text) = &self.definition else {
            return Err(Error::config(format!("{name} is not there, and there is no definition of it"))
                .with_hint("it was a view or a query: create a table with its columns first"));
        };
        let definition = Definition::parse(text)
            .ok_or_else(|| Error::config(format!("the manifest's definition of {name} is no CREATE TABLE")))?;
        Ok(definition.with_name(&name))
    }
}

impl Missing {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this table is one of them.
    pub(crate) fn has(&self, name: &TableName) -> bool {
        self.0.iter().any(|(missing, _)| missing == name)
    }

    /// The names, for a message.
    pub(crate) fn names(&self) -> String {
        self.0.iter().map(|(name, _)| name.quoted()).collect::<Vec<_>>().join(", ")
    }

    /// The same as this server takes them: collations of the other kind of server are replaced by those that this one has, and texts that MariaDB
    /// checks to be documents become JSON where that is a type. Each change is said.
    ///
    /// # Errors
    /// Those of the server.
    pub(crate) fn for_server(self, connection: &mut Connection, mut say: impl FnMut(&str)) -> Result<Self> {
        let has_json = is_known(connection, "SELECT CAST('1' AS JSON)")?;
        let mut known = HashMap::new();
        let mut here = Vec::new();
        for (table, definition) in self.0 {
            let name = table.quoted();
            let with_json = if has_json { definition.with_json() } else { definition.clone() };
            if with_json != definition {
                say(&format!(
                    "{name}: texts that are checked to be documents become JSON, which keeps the last of members of one name, and orders them anew"
                ));
            }
            for collation in with_json.collations() {
                if known.contains_key(&collation) {
                    continue;
                }
                let other = replacement(connection, &collation)?;
                if let Some(other) = &other {
                    say(&format!("{name}: this server has no collation {collation}; {other} takes its place"));
                }
                known.insert(collation, other);
            }
            here.push((table, with_json.with_collations(|collation| known.get(collation).cloned().flatten())));
        }
        Ok(Self(here))
    }

    /// Makes the tables, as this server takes them ([`Missing::for_server`]).
    ///
    /// # Errors
    /// Those of the server, by table; `Interrupted` after a signal, which ends a CREATE that waits.
    pub(crate) fn create(
        self,
        connection: &mut Connection,
        server: &str,
        signals: &Watch,
        mut say: impl FnMut(&str),
    ) -> Result<()> {
        // A CREATE may wait for others, by its foreign keys.
        let _held = signals.held("stopping; once more leaves at once");
        // A table may be made before the one that it refers to, with defaults that a strict mode refuses.
        connection.execute("SET SESSION foreign_key_checks = 0, sql_mode = 'NO_ENGINE_SUBSTITUTION'", ())?;
        for (name, here) in self.for_server(connection, &mut say)?.0 {
            let name = name.quoted();
            execute_until_stopped(connection, here.text(), || signals.is_over()).map_err(|error| {
                if error.kind() == Kind::Interrupted {
                    return error;
                }
                error.while_doing(&format!("creating {name}")).with_hint(format!(
                    "the definition is of {server}; create the table as it should be here, and the same command fills it"
                ))
            })?;
            say(&format!("created {name}"));
            if signals.is_over() {
                return Err(Error::new(Kind::Interrupted, "interrupted before a row was sent"));
            }
        }
        Ok(())
    }
}

/// A statement with other collations in place of those that the server does not have, and these, each with its replacement; `None` if it
/// names none that can be replaced.
///
/// # Errors
/// Those of the server.
pub(crate) fn with_known_collations(
    connection: &mut Connection,
    sql: &[u8],
) -> Result<Option<(Vec<u8>, Vec<Replaced>)>> {
    let mut lexer = Lexer::new(sql, Dialect::default());
    let mut words = Vec::new();
    while let Some(token) = lexer.next_token() {
        words.extend((token.lexeme == Lexeme::Word).then_some(token.range));
    }
    let mut text = sql.to_vec();
    let mut replaced = Vec::new();
    for range in words.into_iter().rev() {
        let word = String::from_utf8_lossy(&sql[range.clone()]).into_owned();
        if !COLLATION_ENDINGS.iter().any(|ending| word.ends_with(ending)) {
            continue;
        }
        if let Some(other) = replacement(connection, &word)? {
            text.splice(range, other.bytes());
            replaced.push((word, other));
        }
    }
    Ok((!replaced.is_empty()).then_some((text, replaced)))
}

/// A collation, and the one that takes its place.
type Replaced = (String, String);

const COLLATION_ENDINGS: [&str; 3] = ["_ci", "_cs", "_bin"];

/// The collation for one that the server does not have; `None` if it has it.
fn replacement(connection: &mut Connection, collation: &str) -> Result<Option<String>> {
    if has(connection, collation)? {
        return Ok(None);
    }
    for other in like(collation) {
        if has(connection, &other)? {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

fn has(connection: &mut Connection, collation: &str) -> Result<bool> {
    let Some((charset, _)) = collation.split_once('_') else { return Ok(true) };
    is_known(connection, &format!("SELECT CONVERT('' USING {charset}) COLLATE {collation}"))
}

/// Whether the server does not refuse a query.
fn is_known(connection: &mut Connection, query: &str) -> Result<bool> {
    match connection.query::<String>(query, ()) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == Kind::Server && !error.is_fatal() => Ok(false),
        Err(error) => Err(error),
    }
}
