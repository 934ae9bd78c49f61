//! Maps files to tables: `--into 'shop.*'`.

use inrush_core::{Error, Result};
use inrush_files::table_of;

/// The files of one table, in the order in which they are loaded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TableFiles {
    /// As `--into` would name it.
    pub(crate) into: String,
    /// Its bare name.
    pub(crate) table: String,
    pub(crate) files: Vec<String>,
}

/// Each table with its files: all of them for the table of `--into`, or each for the table of its own name.
pub(crate) fn by_table(files: &[String], into: &str) -> Result<Vec<TableFiles>> {
    let files = inrush_files::expand(files)?;
    let Some(database) = into.strip_suffix('*').filter(|_| is_for_many(into)) else {
        return Ok(vec![TableFiles { into: into.into(), table: into.into(), files }]);
    };
    let mut tables: Vec<TableFiles> = Vec::new();
    for file in files {
        let table = table_of(&file).ok_or_else(|| {
            Error::config(format!("`{file}` has no name for a table")).with_hint("name the table: `--into TABLE`")
        })?;
        match tables.iter_mut().find(|one| one.table == table) {
            Some(one) => one.files.push(file),
            None => tables.push(TableFiles {
                into: format!("{database}`{}`", table.replace('`', "``")),
                table,
                files: vec![file],
            }),
        }
    }
    Ok(tables)
}

/// Whether `--into` gives each file a table of its own.
pub(crate) fn is_for_many(into: &str) -> bool {
    into == "*" || into.ends_with(".*")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_into_the_table_of_its_name() {
        let tables = |files: &[&str], into: &str| -> Vec<(String, Vec<String>)> {
            let files: Vec<_> = files.iter().map(|&file| file.to_owned()).collect();
            by_table(&files, into).unwrap().into_iter().map(|one| (one.into, one.files)).collect()
        };
        let one = |into: &str, files: &[&str]| {
            (into.to_owned(), files.iter().map(|&file| file.to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(tables(&["a.csv", "b.csv"], "shop.t"), [one("shop.t", &["a.csv", "b.csv"])]);
        assert_eq!(
            tables(&["x/people.csv.gz", "orders.1.csv", "orders.2.csv", "z.zip#in/items.csv"], "shop.*"),
            [
                one("shop.`people`", &["x/people.csv.gz"]),
                one("shop.`orders`", &["orders.1.csv", "orders.2.csv"]),
                one("shop.`items`", &["z.zip#in/items.csv"])
            ]
        );
        assert_eq!(tables(&["a`b.csv"], "*"), [one("`a``b`", &["a`b.csv"])]);
        for nameless in ["-", "x/.csv"] {
            assert!(by_table(&[nameless.to_owned()], "*").is_err(), "{nameless}");
        }
    }
}
