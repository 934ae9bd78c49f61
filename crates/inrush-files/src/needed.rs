//! What values of files need of the columns that they go into (`--widen`): lengths and ranges, from the sample that types are inferred from.

use crate::file_format::Format;
use crate::file_source::FileSource;
use crate::infer_types::{Inferred, Numbers, varchar};
use crate::new_table::column_names;
use inrush_core::error::{Error, Result};
use inrush_core::load::Matching;
use inrush_core::load::widen::Needed;

/// What the fields of all files need, by the columns that they go into. `computed`: the columns of expressions, which no field goes into.
///
/// # Errors
/// `Config` where the files do not say which columns their fields go into.
pub fn needed(
    of_files: &[Vec<Inferred>],
    matching: &Matching,
    computed: &[String],
    is_tight: bool,
) -> Result<Vec<Needed>> {
    if *matching == Matching::ByPosition {
        return Err(Error::config("`--widen` needs the names of the fields, and the files have none")
            .with_hint("`--columns a,b` names the column of each field in order"));
    }
    let is = |one: &str, other: &str| one.trim().to_lowercase() == other.trim().to_lowercase();
    let mut all: Vec<Needed> = Vec::new();
    for fields in of_files {
        for (field, column) in fields.iter().zip(column_names(fields, matching)) {
            let is_free = |column: &String| !computed.iter().any(|computed| is(computed, column));
            let Some(column) = column.filter(is_free) else { continue };
            let own = of_field(field, column);
            match all.iter_mut().find(|known| is(&known.column, &own.column)) {
                None => all.push(own),
                Some(known) => widen(known, &own),
            }
        }
    }
    for one in &mut all {
        (one.varchar, one.is_tight) = (varchar(one.max_chars, is_tight), is_tight);
    }
    Ok(all)
}

fn of_field(field: &Inferred, column: String) -> Needed {
    let numbers = field.numbers.as_ref();
    Needed {
        column,
        max_chars: field.max_chars,
        ints: numbers.and_then(Numbers::ints),
        digits: numbers.and_then(Numbers::digits),
        ..Needed::default()
    }
}

fn widen(known: &mut Needed, own: &Needed) {
    known.max_chars = known.max_chars.max(own.max_chars);
    known.ints = match (known.ints, own.ints) {
        (Some((least, most)), Some((other, more))) => Some((least.min(other), most.max(more))),
        (one, other) => one.or(other),
    };
    known.digits = match (known.digits, own.digits) {
        (Some((before, behind)), Some((other, more))) => Some((before.max(other), behind.max(more))),
        (one, other) => one.or(other),
    };
}

/// Refuses files of which no values are read to infer types: dumps, and files whose fields have types.
///
/// # Errors
/// `Config`.
pub fn check_needed(readers: &[Box<dyn FileSource>], format: Format) -> Result<()> {
    let is_dump = |name: &str| format.is_dump(name.rsplit_once('#').map_or(name, |(archive, _)| archive));
    match readers.iter().find(|reader| is_dump(reader.name())) {
        None => Ok(()),
        Some(dump) => Err(Error::config(format!(
            "`--widen` widens columns for the values of a file, and `{}` is a dump, which has the definitions of its columns",
            dump.name()
        ))
        .with_hint("compare them with the table by `SHOW CREATE TABLE`, and alter that first")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::CsvOptions;
    use crate::new_table::{Sample, infer_all};

    #[track_caller]
    fn check(texts: &[&str], want: &str) {
        let folder = tempfile::tempdir().unwrap();
        let csv = CsvOptions::default();
        let mut readers = Vec::new();
        for (n, text) in texts.iter().enumerate() {
            let path = folder.path().join(format!("{n}.csv"));
            std::fs::write(&path, text).unwrap();
            readers.push(crate::open(path.to_str().unwrap(), Format::Auto, &csv).unwrap());
        }
        let of_files = infer_all(&mut readers, Sample::Beginning, Format::Auto, &csv).unwrap();
        let needed = needed(&of_files, &Matching::ByName, &["u".into()], false).unwrap();
        let shown: Vec<_> = needed
            .iter()
            .map(|one| format!("{} {} {:?} {:?} {:?}", one.column, one.max_chars, one.varchar, one.ints, one.digits))
            .collect();
        assert_eq!(shown.join("; "), want);
    }

    #[test]
    fn what_values_need() {
        check(&["a,u\n12,1\n-7,1\n"], "a 2 Some(64) Some((-7, 12)) Some((2, 0))");
        check(&["a\n12.50\n3\nx\n"], "a 5 Some(64) Some((0, 3)) Some((2, 2))");
        check(
            &["a,b\nx,1\n", "B,a\n700,na\u{ef}ve\n"],
            "a 5 Some(64) None None; b 3 Some(64) Some((0, 700)) Some((3, 0))",
        );
    }
}
