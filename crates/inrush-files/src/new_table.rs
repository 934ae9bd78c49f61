//! The columns that a load makes, of a new table or for one that lacks them: their types, from a sample of every file or as the user gives
//! them, and the messages about them.

use crate::dialect::CsvOptions;
use crate::file_format::Format;
use crate::file_source::FileSource;
use crate::infer_types::{Inferred, fit_key, fit_row, tighten};
use crate::whole_sample::infer_types_of;
use inrush_core::column::{Column, ColumnType, names_charset};
use inrush_core::error::{Error, Result};
use inrush_core::load::plan::nearest;
use inrush_core::load::{FieldTarget, Matching};
use std::collections::{BTreeMap, BTreeSet};

/// The bytes of each file that its types are inferred from.
const BYTES: usize = 4 << 20;

/// The message if columns hold more than the sample has.
const ROOM: &str =
    "columns take NULL, and texts twice as long as those of the sample: `--tight` makes them as narrow as it is";

/// The same if no column takes NULL.
const ROOM_OF_TEXTS: &str =
    "columns take texts twice as long as those of the sample: `--tight` makes them as narrow as it is";

/// How the types of a new table are found.
#[derive(Clone, Debug)]
pub struct NewTypes {
    /// What they are inferred from.
    pub sample: Sample,
    /// Whether the columns have no room for what the sample does not have.
    pub tight: bool,
    /// Columns and the types that they are given.
    pub given: Vec<(String, String)>,
    /// Whether the table has all of these columns.
    pub has_all_given: bool,
    /// Whether the load may add columns to a table that is there. If so, the files may have different fields, and texts mean NULL only in columns
    /// of numbers, dates and times: a run that continues the load finds the columns in the table and reads their fields in the same way.
    pub adds: bool,
    /// The columns of the table that is there, if the load only adds others.
    pub there: Option<Vec<Column>>,
    /// The fields that expressions name. They get no column of a table that is there.
    pub used: Vec<String>,
}

/// What a load may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Makes {
    /// The table, if there is none.
    Table,
    /// The table, also in the place of one that is there.
    TableAnew,
    /// Nothing but columns.
    Columns,
}

/// What types are inferred from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// The beginning of each file.
    Beginning,
    /// From this many records of each file; the load reads the file again.
    Records(u64),
    /// From all records of each file; the load reads the file again.
    All,
}

impl NewTypes {
    /// Reads `--sample`, `--tight` and `--type`.
    ///
    /// # Errors
    /// `Config` for a text that is not valid.
    pub fn parse(sample: Option<&str>, tight: bool, types: &[String]) -> Result<Self> {
        let sample = match sample {
            None => Sample::Beginning,
            Some("all") => Sample::All,
            Some(text) => match text.parse() {
                Ok(n) if n > 0 => Sample::Records(n),
                _ => {
                    return Err(Error::config(format!("`--sample {text}` is not understood"))
                        .with_hint("it takes a number of rows, or `all`"));
                }
            },
        };
        let given = types.iter().map(|text| match text.split_once('=') {
            Some((column, ty)) if !column.trim().is_empty() => {
                Ok((column.trim().trim_matches('`').to_owned(), ty.trim().to_owned()))
            }
            _ => Err(Error::config(format!("`--type {text}` is not understood"))
                .with_hint("it takes a column and a type: `--type zip=CHAR(5)`")),
        });
        let given = given.collect::<Result<_>>()?;
        Ok(Self { sample, tight, given, has_all_given: true, adds: false, there: None, used: Vec::new() })
    }

    /// The same for a load that may add columns to a table that is there, whose own ones `read` returns. `used` are the fields that
    /// expressions name. `None` if it makes nothing: there is no table, or the fields have no names, which could be those of columns.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn adding_to(
        self,
        makes: Makes,
        matching: &Matching,
        used: Vec<String>,
        read: impl FnOnce() -> Result<Option<Vec<Column>>>,
    ) -> Result<Option<Self>> {
        let types = Self { adds: *matching != Matching::ByPosition, used, ..self };
        let there = match (makes, types.adds) {
            (Makes::TableAnew, _) | (Makes::Table, false) => return Ok(Some(types)),
            (Makes::Columns, false) => return Ok(None),
            (_, true) => read()?,
        };
        Ok((there.is_some() || makes == Makes::Table).then_some(Self { there, ..types }))
    }

    /// Whether they are of columns for a table that is there.
    pub fn only_adds(&self) -> bool {
        self.there.is_some()
    }
}

/// The definition of a table that a load makes, or of the columns that it may add.
#[derive(Debug)]
pub struct NewTable {
    /// Names and definitions of its columns.
    pub columns: Vec<(String, String)>,
    /// The columns whose cells must keep their spelling.
    pub keep_spelling: Vec<String>,
}

impl NewTable {
    /// Decides the columns. From now on the readers read their fields as these. `of_files`: the fields of each file. `say` receives the
    /// decisions that the files do not show by themselves.
    ///
    /// # Errors
    /// `Config` where the files do not make one table, or `types` or `key` name what it has not; those of reading.
    pub fn new(
        readers: &mut [Box<dyn FileSource>],
        of_files: &[Vec<Inferred>],
        types: &NewTypes,
        (matching, key): (&Matching, &[String]),
        csv: &CsvOptions,
        say: &mut dyn FnMut(&str),
    ) -> Result<Self> {
        let has_names = *matching == Matching::ByName;
        let mut fields = widest(of_files, (types.adds, has_names), readers)?;
        let names = column_names(&fields, matching);
        give(&mut fields, &names, types)?;
        // That of a table that is there stays.
        let key = if types.there.is_some() { &[] } else { key };
        let is = |name: &str, key: &str| name.to_lowercase() == key.to_lowercase();
        let in_key = |name: &Option<String>| name.as_deref().is_some_and(|name| key.iter().any(|key| is(name, key)));
        let mut tight = fields.clone();
        tighten(&mut tight);
        if types.tight {
            fields = tight;
        } else {
            fit_row(&mut fields);
            // Without a key the user does not state that rows are complete.
            fields.iter_mut().for_each(|field| field.nullable |= key.is_empty());
            let differ = |(field, tight): (&Inferred, &Inferred)| field.definition(false) != tight.definition(false);
            if !types.only_adds() && fields.iter().zip(&tight).any(differ) {
                let takes_null = fields.iter().zip(&tight).any(|(field, tight)| field.nullable && !tight.nullable);
                say(if takes_null { ROOM } else { ROOM_OF_TEXTS });
            }
        }
        fit_key(fields.iter_mut().zip(&names).filter(|(_, name)| in_key(name)).map(|(field, _)| field));
        let there = types.there.as_deref().unwrap_or_default();
        let is_there = |name: &str| there.iter().any(|column| is_same(&column.name, name));
        // As fields that only expressions name, where the table is there.
        let is_used = |name: &str| types.only_adds() && types.used.iter().any(|used| is_same(used, name));
        let read_as: Vec<_> =
            fields.iter().zip(&names).map(|(field, name)| types.read_as(field, name.as_deref())).collect();
        let is_new = |name: &Option<String>| !name.as_deref().is_some_and(|name| is_there(name) || is_used(name));
        let shown = fields.iter().zip(&read_as).zip(&names).filter_map(|((field, read_as), name)| match read_as {
            None => Some(field.clone()),
            Some(_) if is_new(name) => Some(Inferred { null_texts: Vec::new(), date_format: None, ..field.clone() }),
            Some(_) => None,
        });
        say_of_fields(readers, &shown.collect::<Vec<_>>(), csv, say)?;
        let read: Vec<Inferred> =
            fields.iter().zip(read_as).map(|(field, read_as)| read_as.unwrap_or_else(|| field.clone())).collect();
        for (reader, own) in readers.iter_mut().zip(of_files) {
            // A file whose dates SQL reads needs no format because another one does; one without a date yet is like the others.
            let of_file = |(place, own): (usize, &Inferred)| {
                let is_own = |field: &&Inferred| has_names && is_same(&field.name, &own.name);
                let field = read.get(place).filter(|field| field.name == own.name || !has_names);
                let field = field.or_else(|| read.iter().find(is_own)).unwrap_or(own);
                let format = if own.has_values { &own.date_format } else { &field.date_format };
                Inferred { date_format: format.clone(), ..field.clone() }
            };
            reader.read_as(&own.iter().enumerate().map(of_file).collect::<Vec<_>>());
        }
        let columns = names.iter().zip(&fields).filter_map(|(name, field)| Some((name.as_deref()?, field)));
        let columns: Vec<(&str, &Inferred)> = columns.filter(|(name, _)| !is_there(name) && !is_used(name)).collect();
        if let Some(key) = key.iter().find(|key| !columns.iter().any(|(name, _)| is(name, key))) {
            return Err(Error::config(format!("`--key {key}`: the new table has no such column")));
        }
        let kept = columns.iter().filter(|(_, field)| field.keeps_spelling).map(|(name, _)| (*name).to_owned());
        let keep_spelling = kept.collect();
        let columns = columns
            .into_iter()
            .map(|(name, field)| (name.to_owned(), field.definition(key.iter().any(|key| is(name, key)))))
            .collect();
        Ok(Self { columns, keep_spelling })
    }
}

/// The fields of every file, as a new table's types are inferred from them.
///
/// # Errors
/// Those of reading.
pub fn infer_all(
    readers: &mut [Box<dyn FileSource>],
    sample: Sample,
    format: Format,
    csv: &CsvOptions,
) -> Result<Vec<Vec<Inferred>>> {
    let are_several = readers.len() > 1;
    let of_file = |reader: &mut Box<dyn FileSource>| {
        let mut fields = match sample {
            Sample::Beginning => reader.infer_types(BYTES)?,
            Sample::Records(n) => infer_types_of(&**reader, format, csv, Some(n))?,
            Sample::All => infer_types_of(&**reader, format, csv, None)?,
        };
        for cause in fields.iter_mut().filter_map(|field| field.cause.as_mut()) {
            cause.source = are_several.then(|| reader.name().to_owned());
        }
        Ok(fields)
    };
    readers.iter_mut().map(of_file).collect()
}

/// Fields that hold those of every file. Without names they are the same by their numbers. With names all files have the same ones, or the
/// load `adds` columns.
fn widest(
    of_files: &[Vec<Inferred>],
    (adds, has_names): (bool, bool),
    readers: &[Box<dyn FileSource>],
) -> Result<Vec<Inferred>> {
    let Some((first, others)) = of_files.split_first() else {
        return Err(Error::config("`--create-table` needs a first row, and there is none"));
    };
    if has_names {
        let names = |fields: &[Inferred]| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        if others.iter().any(|fields| names(first) != names(fields)) {
            return match adds {
                true => Ok(united(of_files)),
                false => Err(Error::config("`--create-table` needs files with the same fields")
                    .with_hint("`--new-columns add` makes the columns of all of them")),
            };
        }
    } else if let Some(at) = others.iter().position(|fields| fields.len() != first.len()) {
        let of = |file: usize| {
            let name = readers.get(file).map(|reader| reader.name().to_owned()).unwrap_or_default();
            format!("`{name}` has {}", of_files.get(file).map_or(0, Vec::len))
        };
        return Err(Error::config(format!(
            "fields go into columns by their numbers, and the files have different numbers of fields: {}, {}",
            of(0),
            of(at + 1)
        ))
        .with_hint("load them one after the other, each with its own `--columns`"));
    }
    let wider = |fields: Vec<Inferred>, others: &Vec<Inferred>| {
        fields.into_iter().zip(others).map(|(field, other)| field.widened_by(other)).collect()
    };
    Ok(others.iter().fold(first.clone(), wider))
}

/// The fields of all files, in the order of their appearance. A row of a file that lacks one has NULL there.
fn united(of_files: &[Vec<Inferred>]) -> Vec<Inferred> {
    let mut all: Vec<Inferred> = Vec::new();
    for field in of_files.iter().flatten() {
        match all.iter().position(|known| is_same(&known.name, &field.name)) {
            Some(at) => all[at] = all[at].clone().widened_by(field),
            None => all.push(field.clone()),
        }
    }
    let has = |file: &Vec<Inferred>, field: &Inferred| file.iter().any(|own| is_same(&own.name, &field.name));
    all.iter_mut().for_each(|field| field.nullable |= !of_files.iter().all(|file| has(file, field)));
    all
}

/// As the servers compare names of columns.
fn is_same(one: &str, other: &str) -> bool {
    one.trim().to_lowercase() == other.trim().to_lowercase()
}

impl NewTypes {
    /// What a field that goes into the column of this name is read as, if not as what was inferred: a text, which stays as it is written. `NA` is
    /// NULL in a column of numbers, dates or times alone, whether the load adds it or it is there.
    fn read_as(&self, field: &Inferred, name: Option<&str>) -> Option<Inferred> {
        if !self.adds {
            return None;
        }
        let there = self.there.as_deref().unwrap_or_default();
        let is_read_so = name.is_some_and(|name| {
            let column = there.iter().find(|column| is_same(&column.name, name));
            let is_unused = self.there.is_none() || !self.used.iter().any(|used| is_same(used, name));
            Inferred::is_number_or_moment(&field.ty)
                && column.map_or(is_unused, |column| Inferred::is_number_or_moment(&column.ty))
        });
        let text = || Inferred::new(field.name.clone(), ColumnType::Text { bytes: u32::MAX }, true);
        (!is_read_so).then(text)
    }
}

/// The column of each field, by `--columns` where it is given; a skipped field becomes none.
pub(crate) fn column_names(fields: &[Inferred], matching: &Matching) -> Vec<Option<String>> {
    match matching {
        Matching::Listed(targets) => targets
            .iter()
            .map(|target| match target {
                FieldTarget::Column(name) => Some(name.clone()),
                FieldTarget::Skip(_) => None,
            })
            .collect(),
        _ => fields.iter().map(|field| Some(field.name.clone())).collect(),
    }
}

/// Sets the types that the user gave for columns.
fn give(fields: &mut [Inferred], names: &[Option<String>], types: &NewTypes) -> Result<()> {
    for (column, ty) in &types.given {
        let is = |name: &Option<String>| name.as_ref().is_some_and(|name| is_same(name, column));
        match names.iter().position(is).and_then(|at| fields.get_mut(at)) {
            Some(field) => {
                field.set_type(ty)?;
                check_given(field, (column, ty), types)?;
            }
            None if !types.has_all_given => {}
            None => {
                let names: Vec<_> = names.iter().flatten().map(String::as_str).collect();
                let hint = match nearest(column, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its columns are {}", names.join(", ")),
                };
                return Err(
                    Error::config(format!("`--type {column}={ty}`: the new table has no such column")).with_hint(hint)
                );
            }
        }
    }
    Ok(())
}

/// Refuses a type for a column that has another one, and NOT NULL for one that the rows which are there lack.
fn check_given(field: &Inferred, (column, ty): (&str, &str), types: &NewTypes) -> Result<()> {
    let Some(there) = &types.there else { return Ok(()) };
    if types.used.iter().any(|used| is_same(used, column)) && !there.iter().any(|own| is_same(&own.name, column)) {
        return Err(Error::config(format!(
            "`--type {column}={ty}`: only `--set` uses this field, which gets no column"
        ))
        .with_hint("without `--type` for it the load goes on"));
    }
    let Some(own) = there.iter().find(|own| is_same(&own.name, column)) else {
        return match field.is_given_not_null() {
            false => Ok(()),
            true => Err(Error::config(format!(
                "`--type {column}={ty}`: a column that is added takes NULL, because the rows that are there have no value for it"
            ))
            .with_hint("give the type without NOT NULL; ALTER TABLE .. MODIFY sets it once all rows have a value")),
        };
    };
    // Servers without a type have another one in its place.
    let is_same_type = match (&field.ty, &own.ty) {
        (ColumnType::Uuid, ColumnType::Char { chars: 36 }) | (ColumnType::Vector { .. }, ColumnType::Json) => true,
        (given, own) => given == own,
    };
    let given = Column::defined(column, ty);
    let is_same_charset = !names_charset(ty) || own.charset.is_none() || given.charset == own.charset;
    match is_same_type && is_same_charset {
        true => Ok(()),
        false => Err(Error::config(format!("`--type {column}={ty}`: the table has this column, as {}", own.ty))
            .with_hint("without `--type` for it the load goes on; ALTER TABLE .. MODIFY changes the type of a column that is there")),
    }
}

/// Reports the decisions that the file does not show by itself: texts that are NULL, formats of dates, numbers that stay texts.
fn say_of_fields(
    readers: &mut [Box<dyn FileSource>],
    fields: &[Inferred],
    csv: &CsvOptions,
    say: &mut dyn FnMut(&str),
) -> Result<()> {
    let others = || fields.iter().filter(|field| !field.is_text());
    for text in others().flat_map(|field| &field.null_texts).collect::<BTreeSet<_>>() {
        let names = others().filter(|field| field.null_texts.contains(text)).map(|field| field.name.as_str());
        say(&format!("`{text}` is read as NULL in {}", shortened(names.collect())));
    }
    let mut formats = BTreeMap::<&str, Vec<&str>>::new();
    for field in others() {
        if let Some(format) = &field.date_format {
            formats.entry(format).or_default().push(&field.name);
        }
    }
    for (format, names) in formats {
        say(&format!("dates are read by `{format}`, which alone fits, in {}", shortened(names)));
    }
    let texts: Vec<&Inferred> = fields.iter().filter(|field| field.is_text() && field.given.is_none()).collect();
    let proposed = say_how_texts_look(readers, &texts, say)?;
    say_formats_without_use(fields, &proposed, csv, say);
    let causes = texts.iter().filter(|field| !proposed.contains(&field.name)).filter_map(|field| {
        let cause = field.cause.as_ref()?;
        Some(format!("`{}` is {}{cause}", field.name, field.ddl_type()))
    });
    let causes: Vec<String> = causes.collect();
    causes.iter().take(MOST_NAMED).for_each(|cause| say(cause));
    if causes.len() > MOST_NAMED {
        say(&format!("and {} more columns are texts for such a reason", causes.len() - MOST_NAMED));
    }
    Ok(())
}

/// Says which columns of a new table are texts only because of how their numbers or dates are written; returns their names.
fn say_how_texts_look(
    readers: &mut [Box<dyn FileSource>],
    texts: &[&Inferred],
    say: &mut dyn FnMut(&str),
) -> Result<Vec<String>> {
    let names: Vec<String> = texts.iter().map(|field| field.name.clone()).collect();
    let Some(reader) = readers.first_mut().filter(|_| !names.is_empty()) else { return Ok(Vec::new()) };
    let proposals = reader.proposals(&names, PROPOSAL_BYTES)?;
    proposals.iter().for_each(|proposal| say(&format!("{proposal}; without it the column is a text")));
    Ok(proposals.into_iter().map(|proposal| proposal.field).collect())
}

/// Says which formats of dates make no column of dates or times.
fn say_formats_without_use(fields: &[Inferred], proposed: &[String], csv: &CsvOptions, say: &mut dyn FnMut(&str)) {
    use ColumnType::{Date, DateTime, Time, Timestamp};
    let is_moment = |field: &Inferred| matches!(field.ty, Date | DateTime { .. } | Time { .. } | Timestamp { .. });
    for format in &csv.formats.dates {
        let Some(column) = &format.column else {
            if !fields.iter().any(is_moment) {
                say(&format!("`--date-format '{}'` fits the cells of no column", format.format));
            }
            continue;
        };
        let is_of = |field: &&Inferred| field.name.trim().eq_ignore_ascii_case(column);
        let is_unsaid = |field: &&Inferred| {
            field.is_text() && field.given.is_none() && field.cause.is_none() && !proposed.contains(&field.name)
        };
        if let Some(field) = fields.iter().find(is_of).filter(is_unsaid) {
            let (name, ty) = (&field.name, field.ddl_type());
            say(&format!("`{name}` is {ty}: not all of its cells fit `--date-format '{name}={}'`", format.format));
        }
    }
}

/// Names, the first of many.
pub(crate) fn shortened(names: Vec<&str>) -> String {
    match names.len().checked_sub(MOST_NAMED) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..MOST_NAMED].join(", ")),
    }
}

/// The number of bytes of a file that are examined to find how its texts are written.
pub(crate) const PROPOSAL_BYTES: usize = 1 << 20;

/// The most columns that a message names.
const MOST_NAMED: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Vec<Inferred> {
        ["c1", "c2", "c3"].map(|name| Inferred::new(name, ColumnType::Date, true)).into()
    }

    fn types(given: &[(&str, &str)], has_all_given: bool) -> NewTypes {
        let given = given.iter().map(|(column, ty)| ((*column).to_owned(), (*ty).to_owned())).collect();
        NewTypes {
            sample: Sample::Beginning,
            tight: false,
            given,
            has_all_given,
            adds: false,
            there: None,
            used: Vec::new(),
        }
    }

    #[test]
    fn a_list_names_the_columns() {
        let names = |matching| column_names(&fields(), &matching).into_iter().flatten().collect::<Vec<_>>();
        assert_eq!(names(Matching::Listed(FieldTarget::parse_list("id,@skip,name").unwrap())), ["id", "name"]);
        assert_eq!(names(Matching::ByPosition), ["c1", "c2", "c3"]);
    }

    #[test]
    fn types_are_given_by_the_names_of_columns() {
        let names = [Some("id".to_owned()), None, Some("name".to_owned())];
        let mut given = fields();
        give(&mut given, &names, &types(&[("NAME", "CHAR(5)")], true)).unwrap();
        assert_eq!(given[2].definition(false), "CHAR(5) NULL");
        let error = |column: &str| give(&mut fields(), &names, &types(&[(column, "INT")], true)).unwrap_err();
        assert_eq!(error("nam").hint(), Some("did you mean `name`?"));
        assert_eq!(error("zip_code").hint(), Some("its columns are id, name"));
        assert!(give(&mut fields(), &names, &types(&[("zip_code", "INT")], false)).is_ok());
    }

    fn fields_of(list: &str) -> Vec<Inferred> {
        let int = |bytes| ColumnType::Int { bytes, unsigned: false, bool: false };
        let field = |name: &str| match name.strip_suffix('+') {
            Some(name) => Inferred::new(name, int(8), false),
            None => Inferred::new(name, int(4), false),
        };
        list.split(',').map(field).collect()
    }

    /// `files`: names of fields, with `+` those of BIGINT.
    #[track_caller]
    fn unites(files: &[&str], want: &str) {
        let of_files: Vec<_> = files.iter().map(|file| fields_of(file)).collect();
        let field = |field: &Inferred| format!("{} {}", field.name, field.definition(false));
        let got = widest(&of_files, (true, true), &[]).unwrap().iter().map(field).collect::<Vec<_>>().join(", ");
        assert_eq!(got, want);
        let is_same = files.iter().all(|file| file.replace('+', "") == files[0].replace('+', ""));
        assert_eq!(widest(&of_files, (false, true), &[]).is_ok(), is_same, "{files:?}");
    }

    #[test]
    fn files_of_several_shapes_have_the_fields_of_all() {
        unites(&["a,b", "a,b+"], "a INT NOT NULL, b BIGINT NOT NULL");
        unites(&["a,b", "a,b,c"], "a INT NOT NULL, b INT NOT NULL, c INT NULL");
        unites(&["a,b", "c,A+"], "a BIGINT NOT NULL, b INT NULL, c INT NULL");
        unites(&["a", "b", "c"], "a INT NULL, b INT NULL, c INT NULL");
    }

    #[test]
    fn fields_without_names_are_the_same_by_number() {
        let of_files = ["a,b", "c,d+"].map(fields_of);
        let field = |field: &Inferred| format!("{} {}", field.name, field.definition(false));
        for adds in [true, false] {
            let widest = widest(&of_files, (adds, false), &[]).unwrap();
            assert_eq!(widest.iter().map(field).collect::<Vec<_>>(), ["a INT NOT NULL", "b BIGINT NOT NULL"]);
        }
        let error = widest(&["a,b", "c"].map(fields_of), (true, false), &[]).unwrap_err();
        assert!(error.message().contains("different numbers of fields"), "{error}");
        assert!(error.hint().unwrap().contains("`--columns`"), "{error}");
    }

    #[test]
    fn only_numbers_and_moments_have_texts_for_null() {
        let column = |name: &str, ty| Column::new(name, ty);
        let int = || ColumnType::Int { bytes: 4, unsigned: false, bool: false };
        let text = || ColumnType::VarChar { chars: 9 };
        let there = vec![
            column("T", text()),
            column("d", ColumnType::Date),
            column("j", ColumnType::Json),
            column("b", ColumnType::Bit { bits: 16 }),
            column("u", ColumnType::Uuid),
        ];
        let read = |types: &NewTypes, name: Option<&str>, ty| {
            types.read_as(&Inferred::new("f", ty, true), name).is_none_or(|field| !field.is_text())
        };
        let adds = NewTypes { adds: true, there: Some(there), used: vec!["x".into()], ..types(&[], true) };
        for (name, ty, want) in [
            ("t", int(), false),
            ("d", int(), true),
            ("d", text(), false),
            ("j", ColumnType::Json, false),
            ("b", int(), false),
            ("u", ColumnType::Uuid, false),
            ("new", int(), true),
            ("new", ColumnType::Json, false),
            ("new", ColumnType::Uuid, false),
            ("x", int(), false),
        ] {
            assert_eq!(read(&adds, Some(name), ty.clone()), want, "{name} {ty}");
        }
        assert!(!read(&adds, None, int()));
        // A new table has a column for each field.
        let makes = NewTypes { there: None, ..adds.clone() };
        assert!(read(&makes, Some("x"), int()) && !read(&makes, Some("new"), ColumnType::Json));
        let plain = NewTypes { adds: false, ..makes };
        assert!(read(&plain, Some("new"), ColumnType::Json) && read(&plain, Some("new"), ColumnType::Uuid));
    }

    #[test]
    fn types_of_columns_that_are_there_are_not_given_anew() {
        let there = vec![
            Column::new("n", ColumnType::Int { bytes: 4, unsigned: false, bool: false }),
            Column::new("u", ColumnType::Char { chars: 36 }),
        ];
        let names = ["n", "u", "new", "x"].map(|name| Some(name.to_owned()));
        let gives = |column: &str, ty: &str| {
            let mut fields: Vec<_> =
                names.iter().flatten().map(|name| Inferred::new(name, ColumnType::Date, true)).collect();
            let types = NewTypes {
                there: Some(there.clone()),
                adds: true,
                used: vec!["x".into()],
                ..types(&[(column, ty)], true)
            };
            give(&mut fields, &names, &types).map_err(|error| error.message().to_owned())
        };
        assert_eq!(gives("N", "INTEGER"), Ok(()));
        assert_eq!(gives("u", "UUID"), Ok(()));
        assert_eq!(gives("u", "CHAR(36) CHARACTER SET utf8mb4"), Ok(()));
        assert_eq!(gives("new", "DATE NULL"), Ok(()));
        assert_eq!(gives("n", "BIGINT").unwrap_err(), "`--type n=BIGINT`: the table has this column, as INT");
        assert!(gives("u", "CHAR(36) CHARACTER SET latin1").is_err());
        assert!(gives("new", "DATE NOT NULL").unwrap_err().contains("a column that is added takes NULL"));
        assert!(gives("x", "DATE").unwrap_err().contains("only `--set` uses this field"));
    }

    #[test]
    fn many_names_are_shortened() {
        assert_eq!(shortened(vec!["a", "b"]), "a, b");
        assert_eq!(shortened(vec!["a"; 12]), "a, a, a, a, a, a, a, a, a, a and 2 more");
    }
}
