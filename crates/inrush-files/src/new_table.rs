//! The columns of a new table: their types, from a sample of every file or as the user gives them, and the messages about them.

use crate::dialect::CsvOptions;
use crate::file_format::Format;
use crate::file_source::FileSource;
use crate::infer_types::{Inferred, fit_key, fit_row, tighten};
use crate::whole_sample::infer_types_of;
use inrush_core::column::ColumnType;
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
        Ok(Self { sample, tight, given: given.collect::<Result<_>>()?, has_all_given: true })
    }
}

/// The definition of a table that a load makes.
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
        let mut fields = widest(of_files)?;
        let names = column_names(&fields, matching);
        give(&mut fields, &names, types)?;
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
            if fields.iter().zip(&tight).any(differ) {
                let takes_null = fields.iter().zip(&tight).any(|(field, tight)| field.nullable && !tight.nullable);
                say(if takes_null { ROOM } else { ROOM_OF_TEXTS });
            }
        }
        fit_key(fields.iter_mut().zip(&names).filter(|(_, name)| in_key(name)).map(|(field, _)| field));
        say_of_fields(readers, &fields, csv, say)?;
        for (reader, own) in readers.iter_mut().zip(of_files) {
            let fields: Vec<Inferred> = fields
                .iter()
                .zip(own)
                // A file whose dates SQL reads needs no format because another one does; one without a date yet is like the others.
                .map(|(field, own)| {
                    let format = if own.has_values { &own.date_format } else { &field.date_format };
                    Inferred { date_format: format.clone(), ..field.clone() }
                })
                .collect();
            reader.read_as(&fields);
        }
        let columns: Vec<(&str, &Inferred)> =
            names.iter().zip(&fields).filter_map(|(name, field)| Some((name.as_deref()?, field))).collect();
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

/// Fields that hold those of every file: all have the same.
fn widest(of_files: &[Vec<Inferred>]) -> Result<Vec<Inferred>> {
    let Some((first, others)) = of_files.split_first() else {
        return Err(Error::config("`--create-table` needs a first row, and there is none"));
    };
    let names = |fields: &[Inferred]| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
    if others.iter().any(|fields| names(first) != names(fields)) {
        return Err(Error::config("`--create-table` needs files with the same fields")
            .with_hint("create the table from one of them first, then load the others"));
    }
    let wider = |fields: Vec<Inferred>, others: &Vec<Inferred>| {
        fields.into_iter().zip(others).map(|(field, other)| field.widened_by(other)).collect()
    };
    Ok(others.iter().fold(first.clone(), wider))
}

/// The column of each field, by `--columns` where it is given; a skipped field becomes none.
fn column_names(fields: &[Inferred], matching: &Matching) -> Vec<Option<String>> {
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
        let is = |name: &Option<String>| name.as_ref().is_some_and(|name| name.to_lowercase() == column.to_lowercase());
        match names.iter().position(is).and_then(|at| fields.get_mut(at)) {
            Some(field) => field.set_type(ty)?,
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
        NewTypes { sample: Sample::Beginning, tight: false, given, has_all_given }
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

    #[test]
    fn many_names_are_shortened() {
        assert_eq!(shortened(vec!["a", "b"]), "a, b");
        assert_eq!(shortened(vec!["a"; 12]), "a, a, a, a, a, a, a, a, a, a and 2 more");
    }
}
