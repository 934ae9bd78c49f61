//! Columns of a table that are too narrow for values of the files (`--widen`): which get which type, and the ALTER that changes nothing else.
//!
//! Invariant: a column keeps its whole definition. That is the server's own line in SHOW CREATE TABLE, of which only the type's word is
//! replaced; where something else of the table depends on the type, the column is refused. No column gets narrower, or another kind of type.

use crate::column::ident::{quote_ident, quote_table};
use crate::column::{Column, ColumnType};
use std::fmt;

/// What the values of a field need, of all sources together, as far as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needed {
    /// The column that the field goes into.
    pub column: String,
    /// Length of the longest value, in characters.
    pub max_chars: usize,
    /// The VARCHAR that a new column would get; `None`: it would be a TEXT.
    pub varchar: Option<u32>,
    /// The least and the greatest whole number; `None`: there is none, or not all numbers are whole.
    pub ints: Option<(i128, i128)>,
    /// The most digits before and after the point of any number without an exponent.
    pub digits: Option<(usize, usize)>,
    /// Whether the new type is as narrow as these values allow.
    pub is_tight: bool,
}

/// A column that gets a wider type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Widened {
    /// Its name.
    pub column: String,
    /// Its type.
    pub from: ColumnType,
    /// The one that it gets.
    pub to: ColumnType,
    /// The definition with the new type, without the name.
    pub definition: String,
}

impl fmt::Display for Widened {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} to {}", self.column, self.from, self.to)
    }
}

/// The columns that are too narrow, and the types that they need. What no wider type of the same kind holds is left out: such rows are bad, as they
/// are without the option.
pub fn too_narrow<'a>(columns: &'a [Column], needed: &[Needed]) -> Vec<(&'a Column, ColumnType)> {
    let of = |needed: &Needed| {
        let is = |column: &&Column| column.name.to_lowercase() == needed.column.trim().to_lowercase();
        let column = columns.iter().find(is).filter(|column| !column.generated)?;
        Some((column, wider(&column.ty, needed)?))
    };
    let mut narrow: Vec<(&Column, ColumnType)> = Vec::new();
    for (column, ty) in needed.iter().filter_map(of) {
        if !narrow.iter().any(|(known, _)| known.name == column.name) {
            narrow.push((column, ty));
        }
    }
    narrow
}

/// The type of the same kind that holds what is needed; `None` if this one does, or none does.
fn wider(ty: &ColumnType, needed: &Needed) -> Option<ColumnType> {
    match *ty {
        ColumnType::VarChar { chars } if needed.max_chars > chars as usize => {
            let longest = u32::try_from(needed.max_chars).ok().filter(|chars| *chars <= MOST_CHARS)?;
            // With room for longer ones, where a row has it.
            Some(ColumnType::VarChar { chars: needed.varchar.map_or(longest, |chars| chars.max(longest)) })
        }
        ColumnType::Int { bytes, unsigned, bool: false } => {
            let (least, most) = needed.ints?;
            let holds = |bytes: u8| {
                let bits = 8 * u32::from(bytes);
                let (from, to) = if unsigned {
                    (0, (1_i128 << bits) - 1)
                } else {
                    (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1)
                };
                from <= least && most <= to
            };
            if holds(bytes) {
                return None;
            }
            // INT at least: the first rows of a file have small numbers.
            let from = if needed.is_tight { 0 } else { 4 };
            let bytes = [2, 3, 4, 8].into_iter().find(|wider| *wider > bytes && *wider >= from && holds(*wider))?;
            Some(ColumnType::Int { bytes, unsigned, bool: false })
        }
        ColumnType::Decimal { precision, scale, unsigned } => {
            let (before, behind) = needed.digits?;
            let own = usize::from(precision - scale.min(precision));
            if before <= own && behind <= scale.into() {
                return None;
            }
            let (before, behind) = (before.max(own), behind.max(scale.into()));
            let precision = u8::try_from(before + behind).ok().filter(|precision| *precision <= 65)?;
            let scale = u8::try_from(behind).ok().filter(|scale| *scale <= 30)?;
            Some(ColumnType::Decimal { precision, scale, unsigned })
        }
        _ => None,
    }
}

/// The new definitions of columns, by the table's SHOW CREATE TABLE. `tied`: columns that foreign keys of any table name.
///
/// # Errors
/// The reasons why columns cannot be widened without an effect on something else.
pub fn plan(create: &str, narrow: &[(&Column, ColumnType)], tied: &[String]) -> Result<Vec<Widened>, Vec<String>> {
    let (mut widened, mut objections) = (Vec::new(), Vec::new());
    for (column, to) in narrow {
        match definition(create, column, to, tied) {
            Ok(definition) => widened.push(Widened {
                column: column.name.clone(),
                from: column.ty.clone(),
                to: to.clone(),
                definition,
            }),
            Err(why) => objections.push(format!("column `{}` is {}, and needs {to}: {why}", column.name, column.ty)),
        }
    }
    if objections.is_empty() { Ok(widened) } else { Err(objections) }
}

fn definition(create: &str, column: &Column, to: &ColumnType, tied: &[String]) -> Result<String, String> {
    let name = quote_ident(&column.name);
    let own = own_line(create, &column.name).ok_or("SHOW CREATE TABLE does not show it")?;
    let attributes = split(own, &column.ty).ok_or_else(|| format!("its definition is `{own}`"))?;
    if attributes.split(' ').take(3).any(|word| word.eq_ignore_ascii_case("zerofill")) {
        return Err("ZEROFILL shows as many digits as it is wide".into());
    }
    if tied.iter().any(|tied| tied.to_lowercase() == column.name.to_lowercase()) {
        return Err("a foreign key goes by it, and both sides must have one type".into());
    }
    if is_partitioned_by(create, &column.name) {
        return Err("the table is partitioned by it".into());
    }
    let uses_it = |line: &&str| !line.starts_with(&format!("  {name} ")) && line.contains(&name);
    for line in create.lines().skip(1).filter(uses_it) {
        let line = line.trim_start();
        if line.starts_with('`') {
            if line.contains(" AS (") {
                return Err(format!("a generated column is made of it: `{}`", line.trim_end_matches(',')));
            }
        } else if line.contains("((") && !line.starts_with("CONSTRAINT") && !line.starts_with("CHECK") {
            return Err(format!("an index is made of an expression: `{}`", line.trim_end_matches(',')));
        }
    }
    Ok(format!("{}{attributes}", word(to)))
}

/// Whether the table's partitions depend on the column. Only the lines behind the columns and options are read, and not the list of partitions,
/// whose words are names of columns too: `VALUES LESS THAN`.
fn is_partitioned_by(create: &str, column: &str) -> bool {
    let lines = create.lines().skip_while(|line| !line.starts_with(')')).skip(1);
    let rule: Vec<&str> = lines.take_while(|line| !line.starts_with('(')).collect();
    let (rule, column) = (rule.join(" ").to_lowercase(), column.to_lowercase());
    let is_of_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$');
    let is_named = match column.chars().all(is_of_word) {
        true => rule.split(|char: char| !is_of_word(char)).any(|word| word == column),
        false => rule.contains(&quote_ident(&column)),
    };
    // KEY () is the primary key.
    rule.contains("partition by") && (is_named || rule.replace(' ', "").contains("()"))
}

/// The definition of a column in SHOW CREATE TABLE, without its name.
fn own_line<'a>(create: &'a str, column: &str) -> Option<&'a str> {
    let begins = format!("  {} ", quote_ident(column));
    let mut lines = create.lines().skip(1).filter_map(|line| line.strip_prefix(&begins));
    let line = lines.next()?;
    // Two lines that begin so: texts are not escaped as they are known here.
    lines.next().is_none().then(|| line.strip_suffix(',').unwrap_or(line))
}

/// What is behind the type's word, with the sign of a number; `None` if the definition has another type.
fn split<'a>(definition: &'a str, ty: &ColumnType) -> Option<&'a str> {
    let word_end = definition.find([' ', '(']).unwrap_or(definition.len());
    let (word, rest) = definition.split_at(word_end);
    let names: &[&str] = match ty {
        ColumnType::VarChar { .. } => &["varchar"],
        ColumnType::Decimal { .. } => &["decimal"],
        ColumnType::Int { .. } => &["tinyint", "smallint", "mediumint", "int", "bigint"],
        _ => return None,
    };
    let is_known = names.iter().any(|name| word.eq_ignore_ascii_case(name));
    let (digits, rest) = match rest.strip_prefix('(') {
        Some(inner) => inner.split_once(')')?,
        None => ("", rest),
    };
    let is_plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b',');
    let ends_there = rest.is_empty() || rest.starts_with(' ');
    let whole = format!("{word}{}", if digits.is_empty() { String::new() } else { format!("({digits})") });
    let sign = if rest.starts_with(" unsigned") { " unsigned" } else { "" };
    let is_of_it = ColumnType::parse(&format!("{whole}{sign}")) == *ty;
    (is_known && is_plain && ends_there && is_of_it).then_some(rest)
}

/// The type's word, without the sign of a number, which is one of the attributes.
fn word(ty: &ColumnType) -> String {
    match ty {
        ColumnType::Int { unsigned: true, bytes, bool } => {
            ColumnType::Int { unsigned: false, bytes: *bytes, bool: *bool }.to_string()
        }
        ColumnType::Decimal { unsigned: true, precision, scale } => {
            ColumnType::Decimal { unsigned: false, precision: *precision, scale: *scale }.to_string()
        }
        ty => ty.to_string(),
    }
}

/// The statement that widens columns of this table.
pub fn statement(schema: &str, table: &str, widened: &[Widened]) -> String {
    let changes = widened.iter().map(|one| format!("  MODIFY COLUMN {} {}", quote_ident(&one.column), one.definition));
    format!("ALTER TABLE {}\n{}", quote_table(schema, table), changes.collect::<Vec<_>>().join(",\n"))
}

/// What is otherwise than before, besides the types: the attributes of these columns, and the indexes; `None` if nothing is. `before` and `after` are
/// what SHOW CREATE TABLE has.
pub fn difference(before: &str, after: &str, widened: &[Widened]) -> Option<String> {
    for one in widened {
        let lines = [(before, &one.from), (after, &one.to)]
            .map(|(create, ty)| own_line(create, &one.column).map(|line| (line, split(line, ty))));
        let [was, is] = lines;
        let [was_attributes, is_attributes] = [was, is].map(|line| line.and_then(|(_, attributes)| attributes));
        if is_attributes.is_none() || was_attributes.map(plain_default) != is_attributes.map(plain_default) {
            let text = |line: Option<(&str, Option<&str>)>| line.map_or("gone", |(line, _)| line).to_owned();
            return Some(format!("column `{}` was `{}`, and is `{}`", one.column, text(was), text(is)));
        }
    }
    let names: Vec<String> = widened.iter().map(|one| quote_ident(&one.column)).collect();
    let indexes = |create: &str| -> Vec<String> {
        let is_index = |line: &&str| {
            let line = line.trim_start();
            ["KEY ", "UNIQUE KEY ", "PRIMARY KEY "].iter().any(|word| line.starts_with(word))
                && names.iter().any(|name| line.contains(name))
        };
        create.lines().filter(is_index).map(|line| line.trim().trim_end_matches(',').to_owned()).collect()
    };
    let (was, is) = (indexes(before), indexes(after));
    let changed = was.iter().find(|line| !is.contains(line))?;
    Some(format!("`{changed}` is not there any more"))
}

/// Attributes with a default that is a number without quotes and without zeros behind its point: that of a DECIMAL is shown with all digits of its
/// type, `'5'` is `'5.00'` in a wider one.
fn plain_default(attributes: &str) -> String {
    const DEFAULT: &str = " DEFAULT ";
    let Some((before, behind)) = attributes.split_once(DEFAULT) else { return attributes.to_owned() };
    let (value, rest) = behind.split_at(behind.find(' ').unwrap_or(behind.len()));
    let number = value.strip_prefix('\'').and_then(|value| value.strip_suffix('\'')).unwrap_or(value);
    let is_number = number.contains(|char: char| char.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || b".-".contains(&byte));
    if !is_number {
        return attributes.to_owned();
    }
    let number = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    };
    format!("{before}{DEFAULT}{number}{rest}")
}

/// The longest VARCHAR of four bytes a character that a row has room for.
const MOST_CHARS: u32 = 16_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(text: &str) -> ColumnType {
        ColumnType::parse(text)
    }

    fn needs(needed: Needed) -> Needed {
        Needed { column: "c".into(), ..needed }
    }

    fn texts(max_chars: usize) -> Needed {
        let varchar = [64, 255, 1000, 4000].into_iter().find(|chars| *chars as usize >= 2 * max_chars);
        needs(Needed { max_chars, varchar, ..Needed::default() })
    }

    fn ints(least: i128, most: i128) -> Needed {
        needs(Needed { ints: Some((least, most)), ..Needed::default() })
    }

    fn digits(before: usize, behind: usize) -> Needed {
        needs(Needed { digits: Some((before, behind)), ..Needed::default() })
    }

    #[track_caller]
    fn check(from: &str, needed: Needed, want: Option<&str>) {
        let columns = [Column::new("C", ty(from))];
        let narrow = too_narrow(&columns, &[needed.clone(), needed]);
        assert_eq!(narrow.iter().map(|(_, to)| to.to_string()).next().as_deref(), want, "{from}");
        assert!(narrow.len() < 2);
    }

    #[test]
    fn texts_get_longer() {
        check("varchar(20)", texts(20), None);
        check("varchar(20)", texts(21), Some("VARCHAR(64)"));
        check("varchar(200)", texts(201), Some("VARCHAR(1000)"));
        check("varchar(200)", texts(9_000), Some("VARCHAR(9000)"));
        check("varchar(200)", texts(16_001), None);
        check("char(20)", texts(30), None);
        check("text", texts(30), None);
        check("varbinary(20)", texts(30), None);
    }

    #[test]
    fn integers_get_wider() {
        check("int", ints(-5, 2_147_483_647), None);
        check("int", ints(0, 2_147_483_648), Some("BIGINT"));
        check("int unsigned", ints(0, 4_294_967_295), None);
        check("int unsigned", ints(0, 4_294_967_296), Some("BIGINT UNSIGNED"));
        check("int unsigned", ints(-1, 4_294_967_296), None);
        check("bigint", ints(0, i128::from(u64::MAX)), None);
        check("bigint unsigned", ints(0, i128::from(u64::MAX) + 1), None);
        check("tinyint", ints(0, 128), Some("INT"));
        check("tinyint", Needed { is_tight: true, ..ints(0, 128) }, Some("SMALLINT"));
        check("smallint", Needed { is_tight: true, ..ints(-32_769, 0) }, Some("MEDIUMINT"));
        check("mediumint unsigned", ints(0, 16_777_216), Some("INT UNSIGNED"));
        // A truth value.
        check("tinyint(1)", ints(0, 200), None);
        check("double", ints(0, 1 << 60), None);
        check("int", digits(3, 2), None);
    }

    #[test]
    fn decimals_get_more_digits() {
        check("decimal(10,2)", digits(8, 2), None);
        check("decimal(10,2)", digits(9, 1), Some("DECIMAL(11,2)"));
        check("decimal(10,2)", digits(1, 4), Some("DECIMAL(12,4)"));
        check("decimal(10,2) unsigned", digits(9, 3), Some("DECIMAL(12,3) UNSIGNED"));
        check("decimal(10,2)", digits(60, 6), None);
        check("decimal(40,2)", digits(2, 31), None);
    }

    #[track_caller]
    fn defines(definition: &str, from: &str, to: &str, want: Result<&str, &str>) {
        let create = format!(
            "CREATE TABLE `t` (\n  `id` int NOT NULL,\n  `c` {definition},\n  `d` int COMMENT '  `c` int',\n  KEY `k` (`c`(3)),\n  CONSTRAINT `t_chk_1` CHECK ((`c` > 0))\n) ENGINE=InnoDB"
        );
        let column = Column::new("c", ty(from));
        let planned = plan(&create, &[(&column, ty(to))], &[]);
        match (planned, want) {
            (Ok(widened), Ok(want)) => assert_eq!(widened[0].definition, want),
            (Err(objections), Err(want)) => assert!(objections[0].contains(want), "{objections:?}"),
            (planned, _) => panic!("{planned:?}, and not {want:?}"),
        }
    }

    #[test]
    fn only_the_word_of_the_type_is_another() {
        let all =
            " CHARACTER SET latin1 COLLATE latin1_bin NOT NULL DEFAULT 'int, `c` int' COMMENT 'a varchar(20), it''s'";
        defines(&format!("varchar(20){all}"), "varchar(20)", "varchar(64)", Ok(&format!("VARCHAR(64){all}")));
        let all = " NOT NULL AUTO_INCREMENT COMMENT 'x' /*!80023 INVISIBLE */";
        defines(&format!("int{all}"), "int", "bigint", Ok(&format!("BIGINT{all}")));
        defines("int(11) unsigned DEFAULT 7", "int unsigned", "bigint unsigned", Ok("BIGINT unsigned DEFAULT 7"));
        defines(
            "decimal(10,2) unsigned",
            "decimal(10,2) unsigned",
            "decimal(12,3) unsigned",
            Ok("DECIMAL(12,3) unsigned"),
        );
        defines(
            "varchar(20) DEFAULT (uuid()) CHECK (`c` <> '')",
            "varchar(20)",
            "varchar(64)",
            Ok("VARCHAR(64) DEFAULT (uuid()) CHECK (`c` <> '')"),
        );
        defines("int(8) unsigned zerofill", "int unsigned", "bigint unsigned", Err("ZEROFILL"));
        defines("smallint", "int", "bigint", Err("its definition is `smallint`"));
        defines("varchar(21)", "varchar(20)", "varchar(64)", Err("its definition is"));
        defines("int", "int unsigned", "bigint unsigned", Err("its definition is"));
    }

    #[track_caller]
    fn objects(lines: &str, tied: &[&str], want: &str) {
        let create = format!("CREATE TABLE `t` (\n  `c` int DEFAULT NULL,\n{lines}");
        let column = Column::new("c", ty("int"));
        let tied: Vec<String> = tied.iter().map(|name| (*name).to_owned()).collect();
        let planned = plan(&create, &[(&column, ty("bigint"))], &tied).map(|_| ()).map_err(|why| why.join("; "));
        match want {
            "" => assert_eq!(planned, Ok(()), "{lines}"),
            want => assert!(planned.as_ref().is_err_and(|why| why.contains(want)), "{lines}: {planned:?}"),
        }
    }

    #[test]
    fn what_depends_on_the_type_is_refused() {
        objects("  PRIMARY KEY (`c`)\n) ENGINE=InnoDB", &["d"], "");
        objects("  KEY `k` (`c`)\n) ENGINE=InnoDB", &["C"], "a foreign key");
        objects("  `g` int GENERATED ALWAYS AS ((`c` + 1)) STORED\n) ENGINE=InnoDB", &[], "a generated column");
        objects("  KEY `f` (((`c` + 1)))\n) ENGINE=InnoDB", &[], "an index is made of an expression");
        objects("  CONSTRAINT `x` CHECK ((`c` > 1))\n) ENGINE=InnoDB", &[], "");
        objects(
            "  KEY `k` (`c`)\n) ENGINE=InnoDB\n/*!50100 PARTITION BY RANGE (C) (PARTITION p",
            &[],
            "is partitioned by it",
        );
        objects("  KEY `k` (`c`)\n) ENGINE=InnoDB\n PARTITION BY KEY ()", &[], "is partitioned by it");
        objects("  KEY `k` (`c`)\n) ENGINE=InnoDB\n PARTITION BY HASH (`d`)", &[], "");
        objects(
            "  KEY `k` (`c`)\n) ENGINE=InnoDB\n/*!50100 PARTITION BY KEY */ /*!50611 ALGORITHM = 1 */ /*!50100 ()\nPARTITIONS 2 */",
            &[],
            "is partitioned by it",
        );
        objects(
            "  KEY `k` (`c`)\n) ENGINE=InnoDB\n/*!50500 PARTITION BY RANGE  COLUMNS(d,c)\n(PARTITION p",
            &[],
            "is partitioned by it",
        );
        // Words and names that are no columns.
        objects(
            "  KEY `k` (`c`)\n) ENGINE=InnoDB\n PARTITION BY RANGE (`cd`)\n(PARTITION `c` VALUES LESS THAN (5))",
            &[],
            "",
        );
        objects("  KEY `k` (`c`)\n) ENGINE=InnoDB COMMENT='PARTITION BY c'", &[], "");
        objects("  `c` int DEFAULT NULL\n) ENGINE=InnoDB", &[], "does not show it");
    }

    #[test]
    fn statements() {
        let widened = |column: &str, from: &str, to: &str, definition: &str| Widened {
            column: column.into(),
            from: ty(from),
            to: ty(to),
            definition: definition.into(),
        };
        let both = [
            widened("a`", "int", "bigint", "BIGINT NOT NULL"),
            widened("b", "varchar(3)", "varchar(64)", "VARCHAR(64)"),
        ];
        assert_eq!(
            statement("s", "t", &both),
            "ALTER TABLE `s`.`t`\n  MODIFY COLUMN `a``` BIGINT NOT NULL,\n  MODIFY COLUMN `b` VARCHAR(64)"
        );
        assert_eq!(both[1].to_string(), "b VARCHAR(3) to VARCHAR(64)");
    }

    #[test]
    fn what_else_has_changed_is_noticed() {
        let widened = [Widened { column: "c".into(), from: ty("int"), to: ty("bigint"), definition: String::new() }];
        let of = |definition: &str, key: &str| {
            format!("CREATE TABLE `t` (\n  `c` {definition},\n  `d` int,\n  {key}\n) ENGINE=InnoDB AUTO_INCREMENT=7")
        };
        let before = of("int(11) NOT NULL", "KEY `k` (`c`)");
        let differs = |definition: &str, key: &str| difference(&before, &of(definition, key), &widened);
        assert_eq!(differs("bigint(20) NOT NULL", "KEY `k` (`c`)"), None);
        assert_eq!(differs("bigint(20) NOT NULL", "KEY `k` (`c`),\n  KEY `more` (`c`)"), None);
        assert!(
            differs("bigint(20)", "KEY `k` (`c`)").unwrap().contains("was `int(11) NOT NULL`, and is `bigint(20)`")
        );
        assert!(differs("int(11) NOT NULL", "KEY `k` (`c`)").is_some());
        let decimal = [Widened {
            column: "c".into(),
            from: ty("decimal(4,1)"),
            to: ty("decimal(7,2)"),
            definition: String::new(),
        }];
        let differs_by = |was: &str, is: &str| {
            let [was, is] =
                [format!("decimal(4,1) {was}"), format!("decimal(7,2) {is}")].map(|text| of(&text, "KEY `k` (`c`)"));
            difference(&was, &is, &decimal)
        };
        assert_eq!(differs_by("DEFAULT '0.5'", "DEFAULT '0.50'"), None);
        assert_eq!(differs_by("DEFAULT 0.0 COMMENT 'x'", "DEFAULT 0.00 COMMENT 'x'"), None);
        assert_eq!(differs_by("DEFAULT '50'", "DEFAULT '50.00'"), None);
        assert_eq!(differs_by("NOT NULL DEFAULT 0", "NOT NULL DEFAULT 0.00"), None);
        assert!(differs_by("DEFAULT '50'", "DEFAULT '5.00'").is_some());
        assert!(
            differs_by("DEFAULT 0.5", "DEFAULT 0.55").is_some() && differs_by("DEFAULT 0.5", "DEFAULT NULL").is_some()
        );
        assert!(differs("bigint(20) NOT NULL", "KEY `k` (`c`(9))").unwrap().contains("KEY `k` (`c`)"));
    }
}
