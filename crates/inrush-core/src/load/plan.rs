//! The plan: which field of a source goes into which column of the table. Every mistake of a mapping is found up front, and all
//! of them are reported at once.

use super::{Drift, FieldUse, Mode, NewColumns};
use crate::column::{Column, ColumnType, Empty};
use crate::error::{Error, Result};
use crate::write::expression::Part;
use crate::write::{Computed, Table};

/// What to do with one field of a source, from `--columns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldTarget {
    /// It goes into the column of this name.
    Column(String),
    /// `@name`: it goes into no column, unless an expression names it.
    Skip(String),
}

impl FieldTarget {
    /// Reads a `--columns` list: `a,b,@skip`.
    pub fn parse_list(list: &str) -> Result<Vec<FieldTarget>> {
        list.split(',')
            .map(|item| match item.trim() {
                "" => Err(Error::config(format!("`--columns {list}` has an empty name"))
                    .with_hint("write `@skip` for a field that goes nowhere")),
                skipped if skipped.starts_with('@') => Ok(FieldTarget::Skip(skipped[1..].trim_matches('`').to_owned())),
                name => Ok(FieldTarget::Column(name.trim_matches('`').to_owned())),
            })
            .collect()
    }
}

/// How the fields of a source are matched to columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Matching {
    /// By the names in the header.
    ByName,
    /// In order: the file has no header.
    ByPosition,
    /// As `--columns` says, in order.
    Listed(Vec<FieldTarget>),
}

/// Which fields of a source are read, and which column each becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadPlan {
    /// The fields to read, in the order of `columns` from number `n_noted` on; no field fills the columns before.
    pub uses: Vec<FieldUse>,
    /// The target columns, in the order of the statement's column list. After them come the fields that only expressions name:
    /// texts.
    pub columns: Vec<Column>,
    /// How many of `columns`, the first ones, no field fills: see [`LoadPlan::noting`].
    pub n_noted: usize,
    /// How many of `columns` are target columns.
    pub n_values: usize,
    /// The columns that are computed, and from which of `columns`.
    pub computed: Vec<(Column, Computed<usize>)>,
    /// The names of fields that no column takes, where [`NewColumns::Ignore`] leaves them out.
    pub left_out: Vec<String>,
}

impl LoadPlan {
    /// Maps the fields of `source` onto `table`, or names every mistake at once. A mode that makes no rows needs no values for them.
    pub fn new(
        source: &str,
        fields: &[String],
        matching: &Matching,
        set: &[Computed],
        table: &Table,
        (mode, drift): (Mode, Drift),
    ) -> Result<LoadPlan> {
        let mut mistakes = Vec::new();
        let mut left_out = Vec::new();
        let named = |name: &str| set.iter().flat_map(Computed::fields).any(|field| is_same(field, name));
        let mut targets = match matching {
            Matching::ByName => by_name(fields, table, named, &mut left_out),
            Matching::ByPosition => by_position(fields, set, table, &mut mistakes),
            Matching::Listed(listed) => by_list(fields, listed, table, (&mut left_out, &mut mistakes)),
        };
        let mut advice = Advice::Names;
        if drift.new != NewColumns::Ignore && !left_out.is_empty() {
            let have_names = left_out.iter().any(|left| !matches!(left, Unknown::Nameless(_)));
            mistakes.extend(left_out.drain(..).map(|left| left.mistake(table)));
            advice = if have_names { Advice::NewColumns } else { Advice::Nameless };
        }
        named_twice(&targets, &mut mistakes);
        let (mut computed, variables) = computed(set, &names(fields, matching), table, &mut mistakes);
        // If a column is computed, the expression takes precedence over the field of the column's name.
        targets.retain(|(_, column)| !computed.iter().any(|(other, _)| other.name == column.name));
        let filled = || targets.iter().map(|(_, c)| *c).chain(computed.iter().map(|(c, _)| c));
        for column in filled() {
            if column.generated {
                mistakes.push(format!("column `{}` is generated and takes no value", column.name));
            }
        }
        // A wrong count or an unknown name often leaves columns uncovered as well: report one mistake only once.
        if mistakes.is_empty() {
            // An undo finds rows as the load has made them.
            let has_made_rows = !mode.is_by_key() || mode == Mode::Undo;
            let is_missing = |column: &&Column| has_made_rows && !filled().any(|other| other.name == column.name);
            let missing: Vec<&Column> = table.columns.iter().filter(is_missing).collect();
            let makes_rows = |_: &&&Column| !mode.is_by_key();
            let objections = missing.iter().filter(makes_rows);
            let objections = objections.filter_map(|column| Some((column, drift.missing.objection(column)?)));
            let objections: Vec<(&&Column, String)> = objections.collect();
            if !objections.is_empty() {
                let have_defaults = objections.iter().all(|(column, _)| column.optional);
                advice = if have_defaults { Advice::Default } else { Advice::Values };
            }
            mistakes.extend(objections.into_iter().map(|(_, objection)| objection));
            if filled().next().is_none() {
                mistakes.push("no field goes into any column".into());
            }
            let nulls = missing.into_iter().filter(|column| drift.missing.stores_null(column));
            let nulls: Vec<_> = nulls.map(|column| (column.clone(), Computed::null(&column.name))).collect();
            computed.extend(nulls);
        }
        if !mistakes.is_empty() {
            return Err(does_not_fit(source, table, &mistakes, advice));
        }
        let n_values = targets.len();
        let numbered = |(column, computed): &(Column, Computed)| {
            let number =
                |name: &str| variables.iter().position(|(_, known)| is_same(known, name)).map(|i| n_values + i);
            Some((column.clone(), computed.numbered(number)?))
        };
        let computed = computed.iter().filter_map(numbered).collect();
        let as_text = |(index, name): &(usize, String)| (*index, text_field(name));
        let columns: Vec<(usize, Column)> =
            targets.into_iter().map(|(i, c)| (i, c.clone())).chain(variables.iter().map(as_text)).collect();
        let field_use = |(index, c): &(usize, Column)| FieldUse {
            index: *index,
            empty_is_null: empty_is_null(c),
            quoted_empty_is_null: empty_is_null(c) && c.ty.properties().empty != Empty::Member,
            column_kind: c.ty.properties().kind,
        };
        let uses = columns.iter().map(field_use).collect();
        let columns = columns.into_iter().map(|(_, column)| column).collect();
        let left_out = left_out.iter().map(Unknown::name).collect();
        Ok(LoadPlan { uses, columns, n_noted: 0, n_values, computed, left_out })
    }

    /// Adds target columns at the front, for what the load itself records about each row.
    #[must_use]
    pub fn noting(mut self, noted: Vec<Column>) -> Self {
        let n_noted = noted.len();
        for part in self.computed.iter_mut().flat_map(|(_, computed)| &mut computed.parts) {
            if let Part::Field(number) = part {
                *number += n_noted;
            }
        }
        self.columns.splice(0..0, noted);
        LoadPlan { n_noted: self.n_noted + n_noted, n_values: self.n_values + n_noted, ..self }
    }

    /// The columns that get a value: from a field, then computed ones.
    pub fn filled(&self) -> Vec<Column> {
        self.columns[..self.n_values].iter().chain(self.computed.iter().map(|(column, _)| column)).cloned().collect()
    }

    /// The columns whose values depend on the source: not those that are computed of no field, such as by `NOW()`.
    pub fn of_fields(&self) -> impl Iterator<Item = &Column> {
        let has_field = |computed: &Computed<usize>| computed.parts.iter().any(|part| matches!(part, Part::Field(_)));
        let computed = self.computed.iter().filter(move |(_, computed)| has_field(computed)).map(|(column, _)| column);
        self.columns[self.n_noted..self.n_values].iter().chain(computed)
    }

    /// Whether it stores NULL in this column, whatever the source has.
    pub fn sets_null(&self, column: &str) -> bool {
        let null = Computed::null(column).parts;
        let is_null = |parts: &[Part<usize>]| match (parts, &null[..]) {
            ([Part::Sql(sql)], [Part::Sql(null)]) => sql == null,
            _ => false,
        };
        self.computed.iter().any(|(of, computed)| of.name == column && is_null(&computed.parts))
    }

    /// Whether LOAD DATA warns of each computed value for which a strict INSERT fails.
    pub fn is_strict_in_load(&self) -> bool {
        self.computed.iter().all(|(_, computed)| computed.is_strict_in_load())
    }

    /// Drops the fields of all columns but these: a delete needs nothing but its key.
    pub fn keep(&mut self, columns: &[String]) {
        let is_variable = |i: usize| i >= self.n_values;
        let kept = |(i, column): (usize, &Column)| is_variable(i) || columns.contains(&column.name);
        let kept: Vec<bool> = self.columns.iter().enumerate().map(kept).collect();
        let n_dropped = kept.iter().filter(|kept| !**kept).count();
        let mut is_kept = kept.iter();
        self.uses.retain(|_| is_kept.next() == Some(&true));
        let mut is_kept = kept.iter();
        self.columns.retain(|_| is_kept.next() == Some(&true));
        self.n_values -= n_dropped;
        self.computed.retain(|(column, _)| columns.contains(&column.name));
        for part in self.computed.iter_mut().flat_map(|(_, computed)| &mut computed.parts) {
            if let Part::Field(number) = part {
                *number -= n_dropped;
            }
        }
    }
}

/// What to do about a mapping.
enum Advice {
    /// Map fields by names.
    Names,
    /// The same, or decide about fields without a column.
    NewColumns,
    /// The same of fields without a name, for which there is no column.
    Nameless,
    /// Store the defaults of columns without a field.
    Default,
    /// Give columns without a field and without a default a value.
    Values,
}

fn does_not_fit(source: &str, table: &Table, mistakes: &[String], advice: Advice) -> Error {
    let mut list = mistakes.iter().take(MOST_MISTAKES).map(|mistake| format!("\n  - {mistake}")).collect::<String>();
    if let Some(more) = mistakes.len().checked_sub(MOST_MISTAKES).filter(|more| *more > 0) {
        list.push_str(&format!("\n  - and {more} more"));
    }
    Error::config(format!("`{source}` does not fit table `{}`:{list}", table.name))
        .with_hint(match advice {
            Advice::Names => "`--columns a,b,@skip` names the column of each field in order; `--no-header` if line 1 is data",
            Advice::NewColumns => {
                "`--columns a,b,@skip` names the column of each field in order; `--new-columns ignore` leaves such fields out, \
                 `--new-columns add` adds columns for them; `--no-header` if line 1 is data"
            }
            Advice::Nameless => {
                "`--columns a,b,@skip` names the column of each field in order; `--new-columns ignore` leaves such fields out; \
                 `--no-header` if line 1 is data"
            }
            Advice::Default => "`--missing-columns default` stores the defaults of such columns",
            Advice::Values => {
                "`--set 'column = 0'` gives such a column a value, ALTER TABLE a default; `--columns a,b,@skip` names the column of each \
                 field in order; `--no-header` if line 1 is data"
            }
        })
}

/// The most mistakes that a message has: a table may lack thousands of columns.
const MOST_MISTAKES: usize = 50;

/// A field that the table has no column for.
enum Unknown<'a> {
    /// By its name in the header.
    Field(&'a str),
    /// It has no name; by its number, from 1.
    Nameless(usize),
    /// By the name that `--columns` has for it.
    Listed(&'a str),
}

impl Unknown<'_> {
    fn mistake(&self, table: &Table) -> String {
        match self {
            Self::Field(name) => unknown_column("field", name, table),
            Self::Nameless(number) => format!("field {number} has no name"),
            Self::Listed(name) => unknown_column("`--columns`", name, table),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Field(name) | Self::Listed(name) => shown(name),
            Self::Nameless(number) => format!("field {number}"),
        }
    }
}

/// Empty text is a value; an empty number or date is none. AUTO_INCREMENT generates a value for NULL.
fn empty_is_null(column: &Column) -> bool {
    column.ty.properties().empty != Empty::Text && (column.nullable || column.auto_increment)
}

type Targets<'a> = Vec<(usize, &'a Column)>;

/// The fields that expressions name.
type Variables = Vec<(usize, String)>;

/// The names of the fields, as expressions may call them.
fn names<'a>(fields: &'a [String], matching: &'a Matching) -> Vec<&'a str> {
    match matching {
        Matching::Listed(listed) => {
            let name = |target: &'a FieldTarget| match target {
                FieldTarget::Column(name) | FieldTarget::Skip(name) => name.as_str(),
            };
            listed.iter().map(name).collect()
        }
        Matching::ByName | Matching::ByPosition => fields.iter().map(String::as_str).collect(),
    }
}

/// The computed columns, and the fields that their expressions name: index and name.
fn computed(
    set: &[Computed],
    names: &[&str],
    table: &Table,
    mistakes: &mut Vec<String>,
) -> (Vec<(Column, Computed)>, Variables) {
    let mut columns: Vec<(Column, Computed)> = Vec::new();
    let mut variables = Variables::new();
    for computed in set {
        match find(table, &computed.column) {
            None => mistakes.push(unknown_column("`--set`", &computed.column, table)),
            Some(column) if columns.iter().any(|(other, _)| other.name == column.name) => {
                mistakes.push(format!("column `{}` is computed by more than one `--set`", column.name));
            }
            Some(column) => columns.push((column.clone(), computed.clone())),
        }
        for name in computed.fields() {
            match names.iter().position(|known| is_same(known, name)) {
                Some(_) if variables.iter().any(|(_, known)| is_same(known, name)) => {}
                Some(index) => variables.push((index, name.to_owned())),
                None => mistakes.push(match nearest(name, names.iter().copied()) {
                    Some(near) => format!("`--set`: there is no field `@{name}`; did you mean `@{near}`?"),
                    None => format!("`--set`: there is no field `@{name}`"),
                }),
            }
        }
    }
    (columns, variables)
}

/// A field that only expressions name: any content, as text.
fn text_field(name: &str) -> Column {
    Column::new(format!("@{name}"), ColumnType::Text { bytes: u32::MAX })
}

fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

/// A field that is no column may still be one that an expression has `named`.
fn by_name<'a, 'f>(
    fields: &'f [String],
    table: &'a Table,
    named: impl Fn(&str) -> bool,
    unknown: &mut Vec<Unknown<'f>>,
) -> Targets<'a> {
    let mut targets = Vec::new();
    for (index, field) in fields.iter().enumerate() {
        match find(table, field) {
            Some(column) => targets.push((index, column)),
            None if named(field) => {}
            None if field.trim().is_empty() => unknown.push(Unknown::Nameless(index + 1)),
            None => unknown.push(Unknown::Field(field)),
        }
    }
    targets
}

fn by_position<'a>(fields: &[String], set: &[Computed], table: &'a Table, mistakes: &mut Vec<String>) -> Targets<'a> {
    let is_set = |column: &&Column| set.iter().any(|computed| is_same(&computed.column, &column.name));
    let column_kinds: Vec<&Column> = table.columns.iter().filter(|c| !c.generated && !is_set(c)).collect();
    if column_kinds.len() != fields.len() {
        mistakes.push(format!(
            "it has {}, and the table has {}",
            count(fields.len(), "field"),
            count(column_kinds.len(), "column")
        ));
        return Vec::new();
    }
    column_kinds.into_iter().enumerate().collect()
}

fn by_list<'a, 'f>(
    fields: &[String],
    listed: &'f [FieldTarget],
    table: &'a Table,
    (unknown, mistakes): (&mut Vec<Unknown<'f>>, &mut Vec<String>),
) -> Targets<'a> {
    if listed.len() != fields.len() {
        mistakes.push(format!("it has {}, and `--columns` names {}", count(fields.len(), "field"), listed.len()));
    }
    let mut targets = Vec::new();
    for (index, target) in listed.iter().enumerate() {
        match target {
            FieldTarget::Skip(_) => {}
            FieldTarget::Column(name) => match find(table, name) {
                Some(column) => targets.push((index, column)),
                None => unknown.push(Unknown::Listed(name)),
            },
        }
    }
    targets
}

fn named_twice(targets: &Targets<'_>, mistakes: &mut Vec<String>) {
    for (i, (_, column)) in targets.iter().enumerate() {
        let earlier = targets[..i].iter().filter(|(_, other)| other.name == column.name).count();
        if earlier == 1 {
            mistakes.push(format!("column `{}` is filled by more than one field", column.name));
        }
    }
}

/// Column names are case-insensitive on every server; an exact match wins all the same.
fn find<'a>(table: &'a Table, name: &str) -> Option<&'a Column> {
    let name = name.trim();
    let same = |column: &&Column| column.name.to_lowercase() == name.to_lowercase();
    table.columns.iter().find(|column| column.name == name).or_else(|| table.columns.iter().find(same))
}

fn unknown_column(what: &str, name: &str, table: &Table) -> String {
    match nearest(name, table.columns.iter().map(|column| column.name.as_str())) {
        Some(near) => format!("{what} `{}`: the table has no such column; did you mean `{near}`?", shown(name)),
        None => {
            let known: Vec<_> = table.columns.iter().take(12).map(|c| c.name.as_str()).collect();
            let more = if table.columns.len() > known.len() { ", .." } else { "" };
            format!("{what} `{}`: the table has no such column (it has {}{more})", shown(name), known.join(", "))
        }
    }
}

/// Returns the candidate that was most likely meant by a mistyped `name`, if one is close enough.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.trim().to_lowercase();
    // Longer names are not worth a guess.
    let is_short = |name: &str| name.chars().count() <= 64;
    let candidates = candidates.filter(|candidate| is_short(&name) && is_short(candidate));
    let distance = |candidate: &str| strsim::levenshtein(&name, &candidate.to_lowercase());
    let (steps, near) = candidates.map(|c| (distance(c), c)).min_by_key(|&(steps, _)| steps)?;
    // Fewer steps than characters, also of the shorter name: `id` is not taken for a mistyped `kind`.
    let n_chars = near.chars().count().min(name.chars().count());
    (steps <= 1 + n_chars / 4 && steps < n_chars).then_some(near)
}

fn shown(name: &str) -> String {
    let mut short: String = name.chars().take(64).flat_map(char::escape_debug).collect();
    if name.chars().count() > 64 {
        short.push_str("..");
    }
    short
}

fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests;
