//! The key by which rows are sorted: the clustered key of the target, as far as a load fills it, part by part in the server's order.

use crate::column::Cells;
use crate::column::ColumnType;
use crate::column::order::KeyPart;
use crate::load::LoadPlan;
use crate::route::partition::Value;
use crate::route::{Partitioning, Question};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The key in whose order an engine keeps the rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusteredKey {
    /// Its parts in order.
    pub parts: Vec<ClusteredPart>,
}

/// A part of a clustered key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusteredPart {
    /// The column.
    pub column: String,
    /// The collation of the column, if it has one.
    pub collation: Option<String>,
    /// Only so many characters (bytes of binary types) count.
    pub prefix: Option<u32>,
    /// The order is descending.
    pub descending: bool,
}

impl ClusteredKey {
    /// Reads rows of `information_schema.STATISTICS` for unique keys, in the order of their places: name, column (empty for an expression),
    /// length of the prefix (empty for the whole), whether NULL is allowed (`YES`), direction (`A` or `D`), the column's collation (empty for
    /// none). InnoDB keeps rows by the primary key, else by the first unique key without NULL (MySQL manual, "Clustered and
    /// Secondary Indexes"). The order in which unique keys were made is not reported: if several could be the clustered one, none
    /// is taken.
    pub fn read(rows: impl IntoIterator<Item = [String; 6]>) -> Option<Self> {
        let mut keys: Vec<(String, bool, Vec<ClusteredPart>)> = Vec::new();
        for [name, column, prefix, nullable, direction, collation] in rows {
            if keys.last().is_none_or(|(last, ..)| *last != name) {
                keys.push((name, true, Vec::new()));
            }
            let Some((_, may_be, parts)) = keys.last_mut() else { continue };
            *may_be &= nullable != "YES" && !column.is_empty();
            parts.push(ClusteredPart {
                column,
                collation: Some(collation).filter(|collation| !collation.is_empty()),
                prefix: prefix.parse().ok(),
                descending: direction == "D",
            });
        }
        keys.retain(|(_, may_be, _)| *may_be);
        let primary = keys.iter().position(|(name, ..)| name == "PRIMARY");
        let at = primary.or((keys.len() == 1).then_some(0))?;
        Some(Self { parts: keys.swap_remove(at).2 })
    }

    /// That of a table which is still to be made with this primary key; `collation` is what its columns of text will have.
    pub fn of_new(columns: &[String], collation: Option<&str>) -> Option<Self> {
        let part = |column: &String| ClusteredPart {
            column: column.clone(),
            collation: collation.map(str::to_owned),
            prefix: None,
            descending: false,
        };
        (!columns.is_empty()).then(|| Self { parts: columns.iter().map(part).collect() })
    }
}

/// What rows are sorted by.
#[derive(Clone, Debug)]
pub struct SortKey {
    /// For each part the number of the plan's column whose cells it is made of.
    parts: Vec<(usize, KeyPart)>,
    /// The columns of the table that the parts are.
    names: Vec<String>,
    /// Rows of a partition come together, before the parts decide.
    groups: Option<Arc<Groups>>,
}

/// The partitions of a table, and what of a row they depend on.
#[derive(Debug)]
struct Groups {
    partitioning: Partitioning,
    /// For each of its columns the number of the plan's column, and the order of its values.
    parts: Vec<(usize, KeyPart)>,
}

impl Groups {
    fn values(&self, cells: &[Cells<'_>], row: usize) -> Vec<Value> {
        let value = |(number, part): &(usize, KeyPart)| {
            let cell = cells[*number].get(row)?;
            let mut bytes = Vec::new();
            part.append_not_null(cell, &mut bytes);
            Some(bytes)
        };
        self.parts.iter().map(value).collect()
    }

    fn route(&self, cells: &[Cells<'_>], row: usize) -> u16 {
        // The server refuses a row that has no partition. No table has more than 8,192 partitions.
        self.partitioning.route(&self.values(cells, row)).map_or(u16::MAX, |number| number as u16)
    }
}

impl SortKey {
    /// The parts of `key` that a load by `plan` knows, from the first on. `fixed_zone`: the session's zone has one offset all year.
    ///
    /// # Errors
    /// Why there is nothing to sort by, for people.
    pub fn of(key: Option<&ClusteredKey>, plan: &LoadPlan, fixed_zone: bool) -> Result<Self, String> {
        let key = key.ok_or("the table has no primary key, so rows have no order in it")?;
        let (mut parts, mut names) = (Vec::new(), Vec::new());
        let mut missing = String::new();
        for part in &key.parts {
            match part_of(part, plan) {
                Ok((number, order)) => {
                    parts.push((number, if fixed_zone { order.with_fixed_zone() } else { order }));
                    names.push(part.column.clone());
                }
                Err(why) => {
                    missing = why;
                    break;
                }
            }
        }
        if parts.is_empty() { Err(missing) } else { Ok(Self { parts, names, groups: None }) }
    }

    /// The same with rows of a partition together.
    ///
    /// # Errors
    /// Why a row's partition is not known before the server stores it, for people.
    pub fn grouped(mut self, partitioning: Partitioning, plan: &LoadPlan) -> Result<Self, String> {
        let part = |column: &str| {
            let part = ClusteredPart { column: column.to_owned(), collation: None, prefix: None, descending: false };
            part_of(&part, plan)
        };
        let parts = partitioning.columns().map(part).collect::<Result<Vec<_>, String>>()?;
        self.groups = Some(Arc::new(Groups { partitioning, parts }));
        Ok(self)
    }

    /// Whether rows of a partition come together.
    pub fn is_grouped(&self) -> bool {
        self.groups.is_some()
    }

    /// Returns queries that check the partitions of rows against the server: one for each partition that some of the rows are in,
    /// with a function that says whether the partitions in the server's answer are the expected ones. Empty for a key that is not
    /// grouped. The table is that of this schema and name.
    pub fn questions(
        &self,
        table: (&str, &str),
        cells: &[Cells<'_>],
        rows: impl Iterator<Item = usize>,
    ) -> Vec<(Question, IsRight)> {
        let Some(groups) = &self.groups else { return Vec::new() };
        let mut seen = BTreeSet::new();
        let mut questions = Vec::new();
        for row in rows {
            let values = groups.values(cells, row);
            let number = groups.partitioning.route(&values);
            if questions.len() < MOST_QUESTIONS && seen.insert(number) {
                let asked = groups.clone();
                let is_right: IsRight = Box::new(move |answer| asked.partitioning.is_answered(number, answer));
                questions.push((groups.partitioning.question(table, &values), is_right));
            }
        }
        questions
    }

    /// What rows are sorted by, for people: the partition, then the columns.
    pub fn shown(&self) -> Vec<String> {
        self.is_grouped().then(|| "partition".to_owned()).into_iter().chain(self.names.iter().cloned()).collect()
    }

    /// The columns of the table that it is made of, in order.
    pub fn columns(&self) -> &[String] {
        &self.names
    }

    /// Whether the order is the server's in each case, or near to it.
    pub fn is_exact(&self) -> bool {
        self.parts.iter().all(|(_, part)| part.is_exact())
    }

    /// Appends the key of row `row`, whose cells are those of the plan's columns.
    #[inline]
    pub fn append(&self, cells: &[Cells<'_>], row: usize, key: &mut Vec<u8>) {
        if let Some(groups) = &self.groups {
            key.extend_from_slice(&groups.route(cells, row).to_be_bytes());
        }
        for (number, part) in &self.parts {
            part.append(cells[*number].get(row), key);
        }
    }

    /// Returns how many of these keys are less than the one before them, and the number of such pairs.
    pub fn descents(keys: &[Vec<u8>]) -> (usize, usize) {
        (keys.windows(2).filter(|pair| pair[1] < pair[0]).count(), keys.len().saturating_sub(1))
    }
}

/// Whether the server's answer, names of partitions between commas, is the one that is expected.
pub type IsRight = Box<dyn Fn(&str) -> bool + Send>;

/// The largest number of partitions to check: a wrong model is wrong for the first already.
const MOST_QUESTIONS: usize = 16;

fn part_of(part: &ClusteredPart, plan: &LoadPlan) -> Result<(usize, KeyPart), String> {
    let collation = part.collation.as_deref();
    let name = &part.column;
    if let Some(number) = plan.columns[..plan.n_values].iter().position(|column| column.name == *name) {
        let column = &plan.columns[number];
        let order = KeyPart::of(column, collation, part.prefix, part.descending);
        return Ok((number, order.ok_or_else(|| format!("the order of column `{name}` is not known"))?));
    }
    let Some((column, computed)) = plan.computed.iter().find(|(column, _)| column.name == *name) else {
        return Err(format!("no field goes into column `{name}` of the key: the server makes its values"));
    };
    let computed_by_server = || format!("column `{name}` of the key is computed by the server (`--set`)");
    let mut fields = computed.parts.iter().filter_map(|part| match part {
        crate::write::expression::Part::Field(number) => Some(*number),
        crate::write::expression::Part::Sql(_) => None,
    });
    let (Some(number), None) = (fields.next(), fields.next()) else { return Err(computed_by_server()) };
    let sql = computed.sql(|_| "@".into());
    if sql.trim() == "@" && !matches!(column.ty, ColumnType::Other(_)) {
        // The cell is a text that was not checked for the column: close enough.
        if let Some(order) = KeyPart::of(column, collation, part.prefix, part.descending) {
            return Ok((number, order));
        }
    }
    let order = KeyPart::of_expression(column, &sql, part.prefix, part.descending);
    Ok((number, order.ok_or_else(computed_by_server)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::column::Column;
    use crate::load::{Drift, Matching, Mode};
    use crate::write::{Computed, Table};

    fn rows(text: &str) -> Vec<[String; 6]> {
        let row = |line: &str| {
            let fields: Vec<String> = line.split(',').map(|field| field.trim().to_owned()).collect();
            fields.try_into().unwrap()
        };
        text.lines().map(row).collect()
    }

    #[track_caller]
    fn check_key(statistics: &str, want: Option<&str>) {
        let key = ClusteredKey::read(rows(statistics));
        let part = |part: &ClusteredPart| {
            let prefix = part.prefix.map_or(String::new(), |prefix| format!("({prefix})"));
            format!("{}{prefix}{}", part.column, if part.descending { " down" } else { "" })
        };
        let told = key.map(|key| key.parts.iter().map(part).collect::<Vec<_>>().join(" "));
        assert_eq!(told.as_deref(), want);
    }

    #[test]
    fn a_primary_key_is_the_clustered_one() {
        check_key("PRIMARY,a,,,A,\nPRIMARY,b,,,D,latin1_bin\nz,c,,,A,", Some("a b down"));
        check_key("PRIMARY,t,20,,A,utf8mb4_bin", Some("t(20)"));
    }
    #[test]
    fn else_the_only_unique_one_without_null() {
        check_key("z,c,,,A,", Some("c"));
        check_key("y,c,,YES,A,\nz,d,,,A,", Some("d"));
        check_key("y,c,,,A,\nz,d,,,A,", None);
        check_key("y,c,,YES,A,", None);
        check_key("y,,,,A,", None);
        check_key("", None);
    }

    fn plan(fields: &[&str], set: &[&str]) -> LoadPlan {
        let column = |(name, ty): &(&str, &str)| Column {
            optional: true,
            ..Column::new((*name).to_owned(), ColumnType::parse(ty))
        };
        let columns = [("id", "int"), ("u", "binary(16)"), ("t", "varchar(20)"), ("j", "json")];
        let table = Table {
            schema: "shop".into(),
            name: "people".into(),
            engine: "InnoDB".into(),
            transactional: true,
            columns: columns.iter().map(column).collect(),
        };
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        let set: Vec<Computed> = set.iter().map(|text| Computed::parse(text).unwrap()).collect();
        LoadPlan::new("a.csv", &fields, &Matching::ByName, &set, &table, (Mode::Insert, Drift::default())).unwrap()
    }

    #[track_caller]
    fn check(key: &[&str], fields: &[&str], set: &[&str], want: Result<&[&str], &str>) {
        let names: Vec<String> = key.iter().map(|name| (*name).to_owned()).collect();
        let key = ClusteredKey::of_new(&names, Some("utf8mb4_bin"));
        let made = SortKey::of(key.as_ref(), &plan(fields, set), true);
        let told = made.as_ref().map(|made| made.columns().iter().map(String::as_str).collect::<Vec<_>>());
        match want {
            Ok(want) => assert_eq!(told.unwrap(), want),
            Err(want) => assert!(made.unwrap_err().contains(want)),
        }
    }

    #[test]
    fn what_a_load_can_sort_by() {
        check(&["id"], &["id", "t"], &[], Ok(&["id"]));
        check(&["t", "id"], &["id", "t"], &[], Ok(&["t", "id"]));
        check(&["u"], &["id", "hex"], &["u=UNHEX(@hex)"], Ok(&["u"]));
        check(&["id"], &["n", "t"], &["id=@n"], Ok(&["id"]));
    }
    #[test]
    fn a_part_that_the_server_makes_ends_the_key() {
        check(&["t", "id"], &["t"], &[], Ok(&["t"]));
    }
    #[test]
    fn nothing_to_sort_by() {
        check(&[], &["id"], &[], Err("no primary key"));
        check(&["id"], &["t"], &[], Err("the server makes its values"));
        check(&["u"], &["id", "n"], &["u=MD5(@n)"], Err("is computed by the server"));
        check(&["u"], &["n", "t"], &["u=CONCAT(@n,@t)"], Err("is computed by the server"));
        check(&["j"], &["j"], &[], Err("the order of column `j` is not known"));
    }

    #[test]
    fn descents_are_counted() {
        let keys = |numbers: &[u8]| numbers.iter().map(|n| vec![*n]).collect::<Vec<_>>();
        assert_eq!(SortKey::descents(&keys(&[1, 2, 2, 1, 3])), (1, 4));
        assert_eq!(SortKey::descents(&[]), (0, 0));
    }
}
