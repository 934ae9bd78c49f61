//! The stage: a temporary table that takes the rows of a chunk, and the statement that brings them from there into the table.
//!
//! CREATE and DROP TEMPORARY TABLE do not commit; TRUNCATE does, so a stage is emptied by TRUNCATE only where nothing is open, and by
//! DELETE inside of a transaction. A key that comes twice is refused by the stage's own key: then the rows are brought over in
//! smaller parts, so that each finds what the one before it left.

use crate::column::ident::quote_ident;
use crate::column::{Column, ColumnType};
use crate::load::Mode;

/// The statements of a stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Its name, quoted, with its schema.
    pub name: String,
    /// Drops it and creates it again.
    pub create: [String; 2],
    /// Empties it; commits.
    pub truncate: String,
    /// Empties it within a transaction.
    pub clear: String,
    /// Brings its rows into the table.
    pub apply: String,
}

impl Stage {
    /// For an update, a delete or an undo by `key`. `target` is quoted, with its schema, as is `name`; `columns` are those that are filled.
    pub fn by_key(mode: Mode, name: &str, target: &str, columns: &[Column], key: &[String]) -> Self {
        let keyed = key.iter().map(|c| quote_ident(c)).collect::<Vec<_>>().join(",");
        let may_be_null = columns.iter().any(|column| column.nullable && key.contains(&column.name));
        let kind = if may_be_null { "UNIQUE KEY" } else { "PRIMARY KEY" };
        let names = columns.iter().map(|column| quote_ident(&column.name)).collect::<Vec<_>>().join(",");
        let same = |c: &String| format!("{TARGET}.{0}={STAGED}.{0}", quote_ident(c));
        let found = key.iter().map(same).collect::<Vec<_>>().join(" AND ");
        let apply = match mode {
            Mode::Delete | Mode::Undo => {
                let unchanged = match mode {
                    Mode::Undo => columns.iter().map(|column| format!(" AND {}", is_unchanged(column))).collect(),
                    _ => String::new(),
                };
                format!("DELETE {TARGET} FROM {target} AS {TARGET} JOIN {name} AS {STAGED} ON {found}{unchanged}")
            }
            _ => {
                let others = columns.iter().filter(|column| !key.contains(&column.name));
                let set = others.map(|column| same(&column.name)).collect::<Vec<_>>().join(",");
                format!("UPDATE {target} AS {TARGET} JOIN {name} AS {STAGED} ON {found} SET {set}")
            }
        };
        Self::new(name, format!("{kind} ({keyed})"), &names, target, apply)
    }

    /// For an upsert of many rows: they are inserted in their order, which an additional column keeps. `tail` is the text that
    /// follows the rows of such an INSERT; `new` is the alias that it uses for them.
    pub fn in_order(name: &str, target: &str, columns: &[Column], new: &str, tail: &str) -> Self {
        let names = columns.iter().map(|column| quote_ident(&column.name)).collect::<Vec<_>>().join(",");
        let selected: Vec<String> = columns.iter().map(taken_as_it_is).collect();
        let apply =
            format!("INSERT INTO {target} ({names}) SELECT {names} FROM {name} AS {new} ORDER BY {new}.{ROW}{tail}");
        Self::new(
            name,
            format!("{ROW} BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY"),
            &selected.join(","),
            target,
            apply,
        )
    }

    fn new(name: &str, definition: String, selected: &str, target: &str, apply: String) -> Self {
        Self {
            name: name.into(),
            create: [
                format!("DROP TEMPORARY TABLE IF EXISTS {name}"),
                format!(
                    "CREATE TEMPORARY TABLE {name} ({definition}) ENGINE=InnoDB SELECT {selected} FROM {target} WHERE FALSE"
                ),
            ],
            truncate: format!("TRUNCATE TABLE {name}"),
            clear: format!("DELETE FROM {name}"),
            apply,
        }
    }
}

/// The condition that a row of the table has the staged value. Texts are compared by their bytes: a collation would call `a` and `A` equal.
fn is_unchanged(column: &Column) -> String {
    let ident = quote_ident(&column.name);
    let side = |table: &str| match column.ty {
        ColumnType::Char { .. }
        | ColumnType::VarChar { .. }
        | ColumnType::Text { .. }
        | ColumnType::Enum { .. }
        | ColumnType::Set { .. } => {
            format!("CAST({table}.{ident} AS BINARY)")
        }
        _ => format!("{table}.{ident}"),
    };
    format!("{} <=> {}", side(TARGET), side(STAGED))
}

/// A NULL that requests a new id must get through a stage, whose column would not be AUTO_INCREMENT but still NOT NULL.
fn taken_as_it_is(column: &Column) -> String {
    let ident = quote_ident(&column.name);
    if column.auto_increment { format!("NULLIF({ident},0) AS {ident}") } else { ident }
}

const TARGET: &str = "inrush_target";
const STAGED: &str = "inrush_new";
const ROW: &str = "`inrush_row`";

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Vec<Column> {
        let column = |name: &str, nullable| Column {
            nullable,
            optional: nullable,
            ..Column::new(name, ColumnType::parse("int"))
        };
        vec![column("id", false), column("a`b", true), column("c", true)]
    }

    fn by(mode: Mode, key: &[&str]) -> Stage {
        let key: Vec<String> = key.iter().map(|&name| name.into()).collect();
        Stage::by_key(mode, "`d`.`s`", "`d`.`t`", &columns(), &key)
    }

    #[test]
    fn update() {
        let stage = by(Mode::Update, &["id"]);
        assert_eq!(
            stage.create[1],
            "CREATE TEMPORARY TABLE `d`.`s` (PRIMARY KEY (`id`)) ENGINE=InnoDB SELECT `id`,`a``b`,`c` FROM `d`.`t` WHERE FALSE"
        );
        assert_eq!(
            stage.apply,
            "UPDATE `d`.`t` AS inrush_target JOIN `d`.`s` AS inrush_new ON inrush_target.`id`=inrush_new.`id` \
             SET inrush_target.`a``b`=inrush_new.`a``b`,inrush_target.`c`=inrush_new.`c`"
        );
    }

    #[test]
    fn delete_by_two_columns_one_of_which_may_be_null() {
        let stage = by(Mode::Delete, &["a`b", "id"]);
        assert!(stage.create[1].contains("(UNIQUE KEY (`a``b`,`id`))"), "{}", stage.create[1]);
        assert_eq!(
            stage.apply,
            "DELETE inrush_target FROM `d`.`t` AS inrush_target JOIN `d`.`s` AS inrush_new \
             ON inrush_target.`a``b`=inrush_new.`a``b` AND inrush_target.`id`=inrush_new.`id`"
        );
    }

    #[test]
    fn undo_of_what_is_as_it_was() {
        let texts =
            ["char(3)", "enum('a')", "text", "json", "blob"].map(|ty| Column::new(&ty[..1], ColumnType::parse(ty)));
        let stage = Stage::by_key(Mode::Undo, "`s`", "`t`", &texts, &["c".into()]);
        assert_eq!(
            stage.apply,
            "DELETE inrush_target FROM `t` AS inrush_target JOIN `s` AS inrush_new ON inrush_target.`c`=inrush_new.`c` \
             AND CAST(inrush_target.`c` AS BINARY) <=> CAST(inrush_new.`c` AS BINARY) \
             AND CAST(inrush_target.`e` AS BINARY) <=> CAST(inrush_new.`e` AS BINARY) \
             AND CAST(inrush_target.`t` AS BINARY) <=> CAST(inrush_new.`t` AS BINARY) \
             AND inrush_target.`j` <=> inrush_new.`j` AND inrush_target.`b` <=> inrush_new.`b`"
        );
    }

    #[test]
    fn upsert_keeps_the_order() {
        let mut columns = columns();
        columns[0].auto_increment = true;
        let tail = " ON DUPLICATE KEY UPDATE `c`=inrush_new.`c`";
        let stage = Stage::in_order("`s`", "`t`", &columns, "inrush_new", tail);
        assert_eq!(
            stage.create[1],
            "CREATE TEMPORARY TABLE `s` (`inrush_row` BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE=InnoDB \
             SELECT NULLIF(`id`,0) AS `id`,`a``b`,`c` FROM `t` WHERE FALSE"
        );
        assert_eq!(
            stage.apply,
            "INSERT INTO `t` (`id`,`a``b`,`c`) SELECT `id`,`a``b`,`c` FROM `s` AS inrush_new ORDER BY inrush_new.`inrush_row` \
             ON DUPLICATE KEY UPDATE `c`=inrush_new.`c`"
        );
    }
}
