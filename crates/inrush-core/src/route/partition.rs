//! Partitions of MySQL and MariaDB, by their descriptions in information_schema.PARTITIONS.
//!
//! A model is made for columns of whole numbers, days, moments without a fraction, YEAR and BINARY, and for the functions of them
//! that are named here; on PolarDB-X, by HASH and KEY, for columns of whole numbers, moments without a fraction and texts. Everything
//! else has no model, with the reason for people. Sub-partitions are not distinguished.

use super::description::{self, Literal};
use super::key_hash::KeyHash;
use super::wide_hash::{WideHash, even_bounds};
use crate::column::ident::{quote_ident, quote_table};
use crate::column::order::KeyPart;
use crate::column::{Column, ColumnType};
use crate::profile::Profile;
use std::cmp::Ordering;
use std::collections::HashMap;

/// A row of information_schema.PARTITIONS.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    /// PARTITION_NAME.
    pub name: String,
    /// PARTITION_METHOD: `RANGE COLUMNS`, `LINEAR KEY` ..
    pub method: String,
    /// PARTITION_EXPRESSION; empty for KEY of the primary key.
    pub expression: String,
    /// PARTITION_DESCRIPTION; empty for HASH and KEY.
    pub description: String,
}

/// Which partition a row goes into.
#[derive(Clone, Debug)]
pub struct Partitioning {
    fields: Vec<Field>,
    rule: Rule,
    names: Vec<String>,
    /// See [`Profile::hashes_days_as_bytes`].
    days_as_bytes: bool,
    /// See [`Profile::explain_partitions`].
    explain: &'static str,
}

/// A query whose first row says where the server looks for a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The query.
    pub sql: String,
    /// The number of the column with the partitions, from 0.
    pub column: usize,
}

/// A column that the partition depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Field {
    column: String,
    kind: Kind,
}

/// What its values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Int {
        bytes: u8,
        unsigned: bool,
    },
    Year,
    Date,
    DateTime,
    Binary {
        bytes: u32,
    },
    /// In utf8mb4_general_ci.
    Text,
}

#[derive(Clone, Debug)]
enum Rule {
    Range(Function, Vec<Option<i128>>),
    List(Function, HashMap<Option<i128>, u32>),
    Hash(Function, Count),
    Key(Count),
    /// The bounds of ranges of a hash, in order: see [`Profile::hash_ranges`].
    HashRanges(Vec<i64>),
    RangeColumns(Vec<Vec<Bound>>),
    ListColumns(HashMap<Vec<Option<Vec<u8>>>, u32>),
}

/// A part of a bound of RANGE COLUMNS; values in the bytes of [`KeyPart`].
#[derive(Clone, Debug, PartialEq, Eq)]
enum Bound {
    Value(Vec<u8>),
    MaxValue,
}

#[derive(Clone, Copy, Debug)]
struct Count {
    n: u32,
    is_linear: bool,
}

/// What is computed of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Itself,
    Year,
    Month,
    DayOfMonth,
    ToDays,
    ToSeconds,
}

/// A value of a row, in the bytes of [`KeyPart`] of a column without NULL; `None` is NULL.
pub type Value = Option<Vec<u8>>;

impl Partitioning {
    /// The model of a table with these partitions, in the order of their places, each once.
    ///
    /// # Errors
    /// Why there is none: a clause for people.
    pub fn of(
        described: &[Described],
        columns: &[Column],
        primary_key: &[String],
        profile: &Profile,
    ) -> Result<Self, String> {
        let first = described.first().ok_or("the table has no partitions")?;
        let method = first.method.to_ascii_uppercase();
        let unknown = || format!("the rule {method} ({}) is not known", first.expression);
        let count = Count { n: described.len() as u32, is_linear: method.starts_with("LINEAR") };
        let columns_named = |names: Vec<String>| -> Result<Vec<Field>, String> {
            names.iter().map(|name| Field::of(name, columns)).collect()
        };
        let (fields, rule) = match method.as_str() {
            _ if profile.hash_ranges => {
                let mut names = match method.as_str() {
                    "HASH" | "KEY" => description::bare_names(&first.expression).ok_or_else(unknown)?,
                    _ => return Err(unknown()),
                };
                if method == "KEY" {
                    // The bounds of a new table differ in the first column only.
                    names.truncate(1);
                }
                let fields = names.iter().map(|name| Field::of_hash_range(name, columns)).collect::<Result<_, _>>()?;
                (fields, Rule::HashRanges(hash_ranges(described)))
            }
            "RANGE" | "LIST" | "HASH" | "LINEAR HASH" => {
                let (function, column) = description::call(&first.expression).ok_or_else(unknown)?;
                let field = Field::of(&column, columns)?;
                let function = Function::of(&function, field.kind).ok_or_else(unknown)?;
                let rule = match method.as_str() {
                    "RANGE" => Rule::Range(function, ranges(described, field.kind).ok_or_else(unknown)?),
                    "LIST" => Rule::List(function, lists(described, field.kind).ok_or_else(unknown)?),
                    _ => Rule::Hash(function, count),
                };
                (vec![field], rule)
            }
            "KEY" | "LINEAR KEY" => {
                let names = match first.expression.as_str() {
                    "" => primary_key.to_vec(),
                    list => description::names(list).ok_or_else(unknown)?,
                };
                let mut fields = columns_named(names)?;
                // The hash uses the columns in the order of the table, whatever the order in the list.
                fields.sort_by_key(|field| columns.iter().position(|column| column.name == field.column));
                (fields, Rule::Key(count))
            }
            "RANGE COLUMNS" | "LIST COLUMNS" => {
                let fields = columns_named(description::names(&first.expression).ok_or_else(unknown)?)?;
                let parts: Option<Vec<KeyPart>> = fields.iter().map(|field| field.part(columns)).collect();
                let parts = parts.ok_or_else(unknown)?;
                let rule = match method.as_str() {
                    "RANGE COLUMNS" => range_columns(described, &parts).map(Rule::RangeColumns),
                    _ => list_columns(described, &parts).map(Rule::ListColumns),
                };
                (fields, rule.ok_or_else(unknown)?)
            }
            _ => return Err(unknown()),
        };
        if fields.is_empty() {
            return Err(unknown());
        }
        Ok(Self {
            fields,
            rule,
            names: described.iter().map(|one| one.name.clone()).collect(),
            days_as_bytes: profile.hashes_days_as_bytes,
            explain: profile.explain_partitions,
        })
    }

    /// The columns that it depends on, in the order of the values of [`Partitioning::route`].
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.column.as_str())
    }

    /// The number of a row's partition, from 0; `None` if the table has none for it.
    pub fn route(&self, values: &[Value]) -> Option<u32> {
        match &self.rule {
            Rule::Range(function, bounds) => match self.number(*function, values) {
                None => Some(0),
                Some(value) => {
                    bounds.iter().position(|bound| bound.is_none_or(|bound| value < bound)).map(|at| at as u32)
                }
            },
            Rule::List(function, lists) => lists.get(&self.number(*function, values)).copied(),
            Rule::Hash(function, count) => {
                // NULL counts as the least number, not as the 0 that manuals name.
                Some(count.of(self.number(*function, values).map_or(i64::MIN, |number| number as i64)))
            }
            Rule::Key(count) => Some(count.of(self.key_hash(values).into())),
            Rule::HashRanges(bounds) => {
                let hash = self.wide_hash(values);
                bounds.iter().position(|bound| hash < *bound).map(|at| at as u32)
            }
            Rule::RangeColumns(bounds) => bounds.iter().position(|bound| is_below(values, bound)).map(|at| at as u32),
            Rule::ListColumns(lists) => lists.get(values).copied(),
        }
    }

    /// Returns a query for the partitions that the server would read for a row with these values, in the table of this schema and name.
    /// Where it is an EXPLAIN, it reads a range of one value, not a row by its key: for a key that does not exist, servers answer without
    /// partitions.
    pub fn question(&self, (schema, table): (&str, &str), values: &[Value]) -> Question {
        if let Rule::HashRanges(_) = self.rule {
            let names = [schema, table].map(literal);
            let values = self.fields.iter().zip(values).map(|(field, value)| match value {
                None => "NULL".into(),
                Some(bytes) => field.kind.literal(bytes),
            });
            let arguments: Vec<String> = names.into_iter().chain(values).collect();
            return Question { sql: format!("SELECT part_route({})", arguments.join(", ")), column: 0 };
        }
        let conditions: Vec<String> = self
            .fields
            .iter()
            .zip(values)
            .map(|(field, value)| {
                let name = quote_ident(&field.column);
                match value {
                    None => format!("{name} IS NULL"),
                    Some(bytes) => {
                        let literal = field.kind.literal(bytes);
                        format!("{name} BETWEEN {literal} AND {literal}")
                    }
                }
            })
            .collect();
        let (explain, table) = (self.explain, quote_table(schema, table));
        Question { sql: format!("{explain} SELECT 1 FROM {table} WHERE {}", conditions.join(" AND ")), column: 3 }
    }

    /// Whether the server's answer, partitions between commas, names that of this number alone, or sub-partitions of it.
    pub fn is_answered(&self, number: Option<u32>, answer: &str) -> bool {
        let Some(name) = number.and_then(|number| self.names.get(number as usize)) else { return false };
        let is_it =
            |told: &str| told == name || told.strip_prefix(name.as_str()).is_some_and(|sub| sub.starts_with('_'));
        !answer.is_empty() && answer.split(',').all(is_it)
    }

    fn number(&self, function: Function, values: &[Value]) -> Option<i128> {
        let (field, value) = (self.fields.first()?, values.first()?.as_ref()?);
        function.apply(field.kind, value)
    }

    fn key_hash(&self, values: &[Value]) -> u32 {
        let mut hash = KeyHash::new();
        for (field, value) in self.fields.iter().zip(values) {
            match value {
                None => hash.null(),
                Some(value) => field.kind.hash(value, self.days_as_bytes, &mut hash),
            }
        }
        hash.finish()
    }

    fn wide_hash(&self, values: &[Value]) -> i64 {
        let mut hash = WideHash::new();
        for (field, value) in self.fields.iter().zip(values) {
            match value {
                None => hash.null(),
                Some(value) => field.kind.hash_wide(value, &mut hash),
            }
        }
        hash.finish()
    }
}

impl Field {
    fn of(name: &str, columns: &[Column]) -> Result<Self, String> {
        let column = columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        let column = column.ok_or_else(|| format!("partitions depend on `{name}`, which is no column"))?;
        let kind = match column.ty {
            ColumnType::Int { bytes, unsigned, .. } => Kind::Int { bytes: bytes.clamp(1, 8), unsigned },
            ColumnType::Year => Kind::Year,
            ColumnType::Date => Kind::Date,
            ColumnType::DateTime { fsp: 0 } => Kind::DateTime,
            // Longer ones are not written out by `KeyPart`.
            ColumnType::Binary { bytes } if bytes <= 32 => Kind::Binary { bytes },
            _ => return Err(format!("the rule for the type of column `{name}` is not known")),
        };
        Ok(Self { column: column.name.clone(), kind })
    }

    /// The same of a column whose hash has ranges.
    fn of_hash_range(name: &str, columns: &[Column]) -> Result<Self, String> {
        let column = columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        match column.map(|column| &column.ty) {
            Some(ColumnType::Char { .. } | ColumnType::VarChar { .. }) => {
                Ok(Self { column: column.map_or_else(String::new, |column| column.name.clone()), kind: Kind::Text })
            }
            _ => match Self::of(name, columns)? {
                field if matches!(field.kind, Kind::Int { .. } | Kind::DateTime) => Ok(field),
                _ => Err(format!("the rule for the type of column `{name}` is not known")),
            },
        }
    }

    fn part(&self, columns: &[Column]) -> Option<KeyPart> {
        let column = columns.iter().find(|column| column.name == self.column)?;
        KeyPart::of(&Column { nullable: false, ..column.clone() }, None, None, false)
    }
}

impl Kind {
    fn literal(self, bytes: &[u8]) -> String {
        match self {
            Kind::Int { .. } => self.integer(bytes).to_string(),
            Kind::Year => match bytes {
                [0] => "0".into(),
                _ => (u64::from_bytes(bytes) + 1900).to_string(),
            },
            Kind::Date | Kind::DateTime => {
                let moment = self.moment(bytes);
                let date = format!("{:04}-{:02}-{:02}", moment.year, moment.month, moment.day);
                if self == Kind::Date {
                    return format!("'{date}'");
                }
                format!("'{date} {:02}:{:02}:{:02}'", moment.hour, moment.minute, moment.second)
            }
            Kind::Binary { .. } => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
                format!("X'{hex}'")
            }
            // Its weights go where it goes.
            Kind::Text => literal(&weights(bytes)),
        }
    }

    fn integer(self, bytes: &[u8]) -> i128 {
        let size = i128::from(u64::from_bytes(bytes));
        match self {
            Kind::Int { bytes, unsigned: false } => size - (1 << (u32::from(bytes) * 8 - 1)),
            _ => size,
        }
    }

    fn moment(self, bytes: &[u8]) -> Moment {
        let packed = u64::from_bytes(bytes);
        let (date, time) = if self == Kind::Date { (packed, 0) } else { (packed >> 20, packed & 0xf_ffff) };
        Moment {
            year: (date >> 9) as i64,
            month: (date >> 5 & 15) as i64,
            day: (date & 31) as i64,
            hour: (time >> 12) as i64,
            minute: (time >> 6 & 63) as i64,
            second: (time & 63) as i64,
        }
    }

    /// Adds what a row of the server holds for the value.
    fn hash(self, bytes: &[u8], days_as_bytes: bool, hash: &mut KeyHash) {
        match self {
            Kind::Int { bytes: n, .. } => hash.stored(&(self.integer(bytes) as i64).to_le_bytes()[..usize::from(n)]),
            Kind::Year => hash.stored(bytes),
            Kind::Date => {
                let Moment { year, month, day, .. } = self.moment(bytes);
                let stored = &(year << 9 | month << 5 | day).to_le_bytes()[..3];
                if days_as_bytes { hash.bytes(stored) } else { hash.stored(stored) }
            }
            Kind::DateTime => hash.bytes(&self.moment(bytes).stored()),
            Kind::Binary { .. } | Kind::Text => hash.bytes(bytes),
        }
    }

    /// The same for the hash that has ranges.
    fn hash_wide(self, bytes: &[u8], hash: &mut WideHash) {
        match self {
            Kind::Int { bytes: n, .. } => hash.number(&(self.integer(bytes) as i64).to_le_bytes()[..usize::from(n)]),
            Kind::Text => hash.text(&weights(bytes)),
            _ => hash.moment(&self.moment(bytes).stored()),
        }
    }
}

struct Moment {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
}

impl Moment {
    /// A DATETIME as InnoDB stores it.
    fn stored(&self) -> [u8; 5] {
        let days = (self.year * 13 + self.month) << 5 | self.day;
        let packed = (days << 17 | self.hour << 12 | self.minute << 6 | self.second) + (1 << 39);
        let [_, _, _, stored @ ..] = packed.to_be_bytes();
        stored
    }

    /// TO_DAYS: days since the year 0, as the servers count them (`calc_daynr`).
    fn to_days(&self) -> i64 {
        let mut year = self.year;
        let mut days = 365 * year + 31 * (self.month - 1) + self.day;
        if self.month <= 2 {
            year -= 1
        } else {
            days -= (self.month * 4 + 23) / 10
        }
        days + year.div_euclid(4) - (year.div_euclid(100) + 1) * 3 / 4
    }
}

impl Function {
    fn of(name: &str, kind: Kind) -> Option<Self> {
        let is_day = matches!(kind, Kind::Date | Kind::DateTime);
        Some(match name {
            "" if matches!(kind, Kind::Int { .. } | Kind::Year) => Self::Itself,
            "year" if is_day => Self::Year,
            "month" if is_day => Self::Month,
            "dayofmonth" | "day" if is_day => Self::DayOfMonth,
            "to_days" if is_day => Self::ToDays,
            "to_seconds" if is_day => Self::ToSeconds,
            _ => return None,
        })
    }

    fn apply(self, kind: Kind, value: &[u8]) -> Option<i128> {
        if self == Self::Itself {
            return Some(match (kind, value) {
                (Kind::Year, [0]) => 0,
                (Kind::Year, _) => kind.integer(value) + 1900,
                _ => kind.integer(value),
            });
        }
        let moment = kind.moment(value);
        let seconds = moment.hour * 3600 + moment.minute * 60 + moment.second;
        Some(i128::from(match self {
            Self::Itself => return None,
            Self::Year => moment.year,
            Self::Month => moment.month,
            Self::DayOfMonth => moment.day,
            Self::ToDays => moment.to_days(),
            Self::ToSeconds => moment.to_days() * 86_400 + seconds,
        }))
    }
}

impl Count {
    /// The partition of a hash (`get_part_id_hash`, `get_part_id_from_linear_hash`).
    fn of(self, hash: i64) -> u32 {
        let n = i64::from(self.n.max(1));
        if !self.is_linear {
            return (hash % n).unsigned_abs() as u32;
        }
        let mask = (n as u64).next_power_of_two() as i64 - 1;
        let part = hash & mask;
        (if part < n { part } else { hash & (((mask + 1) >> 1) - 1) }) as u32
    }
}

/// A big-endian number of up to eight bytes.
trait FromBytes {
    fn from_bytes(bytes: &[u8]) -> u64;
}

impl FromBytes for u64 {
    fn from_bytes(bytes: &[u8]) -> u64 {
        bytes.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte))
    }
}

fn is_below(values: &[Value], bound: &[Bound]) -> bool {
    for (value, bound) in values.iter().zip(bound) {
        let Bound::Value(bound) = bound else { return true };
        // NULL is below every value.
        match value.as_ref().map_or(Ordering::Less, |value| value.cmp(bound)) {
            Ordering::Less => return true,
            Ordering::Greater => return false,
            Ordering::Equal => {}
        }
    }
    false
}

/// A whole number. MariaDB describes those of a BIGINT UNSIGNED from 2⁶³ on as negative ones.
fn whole(literal: &Literal, kind: Kind) -> Option<i128> {
    let Literal::Text(text) = literal else { return None };
    let number: i128 = text.parse().ok()?;
    let wraps = number < 0 && matches!(kind, Kind::Int { unsigned: true, .. });
    Some(if wraps { number + (1 << 64) } else { number })
}

/// A text as a literal that is right in every sql_mode.
fn literal(text: &str) -> String {
    match text.contains(['\'', '\\']) {
        true => format!("X'{}'", text.bytes().map(|byte| format!("{byte:02X}")).collect::<String>()),
        false => format!("'{text}'"),
    }
}

/// The weights of a text, as characters, out of the bytes of [`KeyPart`]: without the two bytes that say what follows it, and without the byte
/// behind the first of several blanks.
fn weights(bytes: &[u8]) -> String {
    let bytes = &bytes[..bytes.len().saturating_sub(2)];
    let mut weights = Vec::with_capacity(bytes.len());
    let mut rest = bytes.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        weights.push(byte);
        if byte == b' ' {
            rest.next();
            while rest.next_if_eq(&b' ').is_some() {
                weights.push(b' ');
            }
        }
    }
    String::from_utf8_lossy(&weights).into_owned()
}

/// The bounds that the server describes; else those of a new table. A wrong one is found out by the server's answers.
fn hash_ranges(described: &[Described]) -> Vec<i64> {
    let bound = |one: &Described| {
        let first = one.description.trim_start_matches('(').split(',').next().unwrap_or_default();
        first.trim_matches([' ', ')', '\'']).parse().ok()
    };
    let bounds: Option<Vec<i64>> = described.iter().map(bound).collect();
    bounds.filter(|bounds| bounds.is_sorted()).unwrap_or_else(|| even_bounds(described.len()))
}

fn ranges(described: &[Described], kind: Kind) -> Option<Vec<Option<i128>>> {
    let bound = |one: &Described| match description::bound(&one.description)?.as_slice() {
        [Literal::MaxValue] => Some(None),
        [literal] => whole(literal, kind).map(Some),
        _ => None,
    };
    described.iter().map(bound).collect()
}

fn lists(described: &[Described], kind: Kind) -> Option<HashMap<Option<i128>, u32>> {
    let mut all = HashMap::new();
    for (number, one) in (0..).zip(described) {
        for list in description::lists(&one.description)? {
            match list.as_slice() {
                [Literal::Null] => all.insert(None, number),
                [literal] => all.insert(Some(whole(literal, kind)?), number),
                _ => return None,
            };
        }
    }
    Some(all)
}

fn encoded(part: &KeyPart, text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    part.append(Some(text.as_bytes()), &mut bytes);
    bytes
}

fn range_columns(described: &[Described], parts: &[KeyPart]) -> Option<Vec<Vec<Bound>>> {
    let bound = |one: &Described| {
        let literals = description::bound(&one.description).filter(|list| list.len() == parts.len())?;
        let bound = |(literal, part): (&Literal, &KeyPart)| match literal {
            Literal::MaxValue => Some(Bound::MaxValue),
            Literal::Text(text) => Some(Bound::Value(encoded(part, text))),
            Literal::Null => None,
        };
        literals.iter().zip(parts).map(bound).collect()
    };
    described.iter().map(bound).collect()
}

fn list_columns(described: &[Described], parts: &[KeyPart]) -> Option<HashMap<Vec<Value>, u32>> {
    let mut all = HashMap::new();
    for (number, one) in (0..).zip(described) {
        for list in description::lists(&one.description)? {
            if list.len() != parts.len() {
                return None;
            }
            let value = |(literal, part): (&Literal, &KeyPart)| match literal {
                Literal::Null => Some(None),
                Literal::Text(text) => Some(Some(encoded(part, text))),
                Literal::MaxValue => None,
            };
            all.insert(list.iter().zip(parts).map(value).collect::<Option<Vec<Value>>>()?, number);
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests;
