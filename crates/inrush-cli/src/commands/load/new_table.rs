//! The columns of a new table: types from a sample of every file, by the user's own choice where there is one, and what is said of them.

use super::args::{LoadArgs, NewTypes, Sample};
use crate::Output;
use inrush::LoadOptions;
use inrush::sans_io::bulk::{FieldTarget, Matching};
use inrush_core::value::column::ColumnType;
use inrush_core::{Error, Result};
use inrush_files::{CsvOptions, FileSource, Inferred, fit_key, fit_row, infer_types_of, tighten};
use std::collections::{BTreeMap, BTreeSet};

/// As much of each file as its types are guessed from.
const BYTES: usize = 4 << 20;

/// What is said where columns hold more than the sample has.
const ROOM: &str =
    "columns take NULL, and texts twice as long as those of the sample: `--tight` makes them as narrow as it is";

/// What the load makes a table of.
pub(super) struct NewTable {
    /// Names and definitions of its columns.
    pub(super) columns: Vec<(String, String)>,
    /// The columns whose cells must keep their spelling.
    pub(super) keep_spelling: Vec<String>,
}

/// The columns. From now on the readers read their fields as these.
pub(super) fn columns(
    readers: &mut [Box<dyn FileSource>],
    types: &NewTypes,
    (args, csv): (&LoadArgs, &CsvOptions),
    options: &LoadOptions,
    output: &Output,
) -> Result<NewTable> {
    let of_files = inferred(readers, types.sample, args, csv)?;
    let mut fields = of_files[0].clone();
    for others in &of_files[1..] {
        fields = fields.into_iter().zip(others).map(|(field, other)| field.widened_by(other)).collect();
    }
    let names = column_names(&fields, &options.matching);
    give(&mut fields, &names, types)?;
    let is = |name: &str, key: &str| name.to_lowercase() == key.to_lowercase();
    let in_key =
        |name: &Option<String>| name.as_deref().is_some_and(|name| options.key.iter().any(|key| is(name, key)));
    let mut tight = fields.clone();
    tighten(&mut tight);
    if types.tight {
        fields = tight;
    } else {
        fit_row(&mut fields);
        // Who asks for no key does not say that rows are complete.
        fields.iter_mut().for_each(|field| field.nullable |= options.key.is_empty());
        let differ = |(field, tight): (&Inferred, &Inferred)| field.definition(false) != tight.definition(false);
        if fields.iter().zip(&tight).any(differ) {
            output.notice(ROOM);
        }
    }
    fit_key(fields.iter_mut().zip(&names).filter(|(_, name)| in_key(name)).map(|(field, _)| field));
    say(readers, &fields, csv, output)?;
    for (reader, own) in readers.iter_mut().zip(&of_files) {
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
    if let Some(key) = options.key.iter().find(|key| !columns.iter().any(|(name, _)| is(name, key))) {
        return Err(Error::config(format!("`--key {key}`: the new table has no such column")));
    }
    let kept = columns.iter().filter(|(_, field)| field.keeps_spelling).map(|(name, _)| (*name).to_owned());
    let keep_spelling = kept.collect();
    let columns = columns
        .into_iter()
        .map(|(name, field)| (name.to_owned(), field.definition(options.key.iter().any(|key| is(name, key)))))
        .collect();
    Ok(NewTable { columns, keep_spelling })
}

/// The fields of every file: all have the same.
fn inferred(
    readers: &mut [Box<dyn FileSource>],
    sample: Sample,
    args: &LoadArgs,
    csv: &CsvOptions,
) -> Result<Vec<Vec<Inferred>>> {
    if readers.is_empty() {
        return Err(Error::config("`--create-table` needs a first row, and every file is empty"));
    }
    let mut of_files: Vec<Vec<Inferred>> = Vec::new();
    let are_several = readers.len() > 1;
    for reader in readers {
        let n_records = match sample {
            Sample::Beginning => None,
            Sample::Records(n) => Some(Some(n)),
            Sample::All => Some(None),
        };
        let mut fields = match n_records {
            None => reader.infer_types(BYTES)?,
            Some(n) => infer_types_of(&**reader, args.file_format(), csv, n)?,
        };
        let names = |fields: &[Inferred]| fields.iter().map(|field| field.name.clone()).collect::<Vec<_>>();
        if of_files.first().is_some_and(|first| names(first) != names(&fields)) {
            return Err(Error::config("`--create-table` needs files with the same fields")
                .with_hint("create the table from one of them first, then load the others"));
        }
        for cause in fields.iter_mut().filter_map(|field| field.cause.as_mut()) {
            cause.source = are_several.then(|| reader.name().to_owned());
        }
        of_files.push(fields);
    }
    Ok(of_files)
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

/// Gives columns the types that the user wants.
fn give(fields: &mut [Inferred], names: &[Option<String>], types: &NewTypes) -> Result<()> {
    for (column, ty) in &types.given {
        let is = |name: &Option<String>| name.as_ref().is_some_and(|name| name.to_lowercase() == column.to_lowercase());
        match names.iter().position(is).and_then(|at| fields.get_mut(at)) {
            Some(field) => field.set_type(ty)?,
            None if !types.has_all_given => {}
            None => {
                let names: Vec<_> = names.iter().flatten().map(String::as_str).collect();
                let hint = match inrush::sans_io::bulk::plan::nearest(column, names.iter().copied()) {
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

/// Says what was decided that a look at the file does not show: texts that are NULL, formats of dates, numbers that stay texts.
fn say(readers: &mut [Box<dyn FileSource>], fields: &[Inferred], csv: &CsvOptions, output: &Output) -> Result<()> {
    let others = || fields.iter().filter(|field| !field.is_text());
    for text in others().flat_map(|field| &field.null_texts).collect::<BTreeSet<_>>() {
        let names = others().filter(|field| field.null_texts.contains(text)).map(|field| field.name.as_str());
        output.notice(&format!("`{text}` is read as NULL in {}", shortened(names.collect())));
    }
    let mut formats = BTreeMap::<&str, Vec<&str>>::new();
    for field in others() {
        if let Some(format) = &field.date_format {
            formats.entry(format).or_default().push(&field.name);
        }
    }
    for (format, names) in formats {
        output.notice(&format!("dates are read by `{format}`, which alone fits, in {}", shortened(names)));
    }
    let texts: Vec<&Inferred> = fields.iter().filter(|field| field.is_text() && field.given.is_none()).collect();
    let proposed = super::hints::say_how_texts_look(readers, &texts, output)?;
    say_formats_without_use(fields, &proposed, csv, output);
    let causes = texts.iter().filter(|field| !proposed.contains(&field.name)).filter_map(|field| {
        let cause = field.cause.as_ref()?;
        Some(format!("`{}` is {}{cause}", field.name, field.ddl_type()))
    });
    let causes: Vec<String> = causes.collect();
    causes.iter().take(MOST_NAMED).for_each(|cause| output.notice(cause));
    if causes.len() > MOST_NAMED {
        output.notice(&format!("and {} more columns are texts for such a reason", causes.len() - MOST_NAMED));
    }
    Ok(())
}

/// Says which formats of dates make no column of dates or times.
fn say_formats_without_use(fields: &[Inferred], proposed: &[String], csv: &CsvOptions, output: &Output) {
    use ColumnType::{Date, DateTime, Time, Timestamp};
    let is_moment = |field: &Inferred| matches!(field.ty, Date | DateTime { .. } | Time { .. } | Timestamp { .. });
    for format in &csv.formats.dates {
        let Some(column) = &format.column else {
            if !fields.iter().any(is_moment) {
                output.notice(&format!("`--date-format '{}'` fits the cells of no column", format.format));
            }
            continue;
        };
        let is_of = |field: &&Inferred| field.name.trim().eq_ignore_ascii_case(column);
        let is_unsaid = |field: &&Inferred| {
            field.is_text() && field.given.is_none() && field.cause.is_none() && !proposed.contains(&field.name)
        };
        if let Some(field) = fields.iter().find(is_of).filter(is_unsaid) {
            let (name, ty) = (&field.name, field.ddl_type());
            output.notice(&format!(
                "`{name}` is {ty}: not all of its cells fit `--date-format '{name}={}'`",
                format.format
            ));
        }
    }
}

/// Names, the first of many.
pub(super) fn shortened(names: Vec<&str>) -> String {
    match names.len().checked_sub(MOST_NAMED) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..MOST_NAMED].join(", ")),
    }
}

/// As many columns are named.
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
