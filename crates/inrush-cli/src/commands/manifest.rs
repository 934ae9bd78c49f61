//! `manifest.json`: what the files of an export hold, and which state of the server it is. `export` writes it, `load` reads it.

use inrush::{BinlogPosition, ReadLock};
use inrush_core::{Error, Result};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All files of an export.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// The version of the manifest.
    pub(crate) inrush_export: u32,
    /// The version text of the server.
    pub(crate) server: String,
    pub(crate) begun: String,
    /// What kept others from committing, see [`lock_name`].
    pub(crate) lock: String,
    pub(crate) binary_log: Option<LogPosition>,
    /// The zone of TIMESTAMPs in the files.
    pub(crate) time_zone: String,
    /// The extension of the format.
    pub(crate) format: String,
    /// How CSV is written; `None`: with commas, `"`, `\N` for NULL, and a line of names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) csv: Option<CsvText>,
    pub(crate) tables: Vec<Exported>,
}

/// The style of CSV, in the words of the options.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct CsvText {
    pub(crate) delimiter: String,
    pub(crate) quote: String,
    pub(crate) escape: Option<String>,
    /// `None`: the escape and N.
    pub(crate) null: Option<String>,
    pub(crate) header: bool,
}

/// Where the binary log was.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LogPosition {
    pub(crate) file: String,
    pub(crate) position: u64,
    pub(crate) gtids: String,
}

/// The files of a table or a query.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Exported {
    #[serde(flatten)]
    pub(crate) rows_of: RowsOf,
    /// Columns of bytes whose values are hexadecimal digits in the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) hex: Vec<String>,
    pub(crate) rows: u64,
    pub(crate) files: Vec<WrittenFile>,
}

/// What the rows are of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum RowsOf {
    Table {
        database: String,
        table: String,
        columns: Vec<String>,
        /// SHOW CREATE TABLE; `None` for a view.
        definition: Option<String>,
    },
    Query {
        query: String,
        /// The columns of its result.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        columns: Vec<String>,
    },
}

/// A file that is whole.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct WrittenFile {
    pub(crate) name: String,
    pub(crate) rows: u64,
    pub(crate) bytes: u64,
    /// XXH3 of its bytes, 64 bits as 16 hexadecimal digits.
    pub(crate) xxh3: String,
}

impl Manifest {
    /// The manifest in a text; `None` if the text is something else.
    ///
    /// # Errors
    /// `Config` for a manifest of a version that is not known, and a damaged one.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Option<Self>> {
        let damaged = |error| Err(Error::config(format!("`{name}` is no whole manifest: {error}")));
        let document = match serde_json::from_str::<Value>(text) {
            Ok(document) => document,
            Err(error) if text.contains("\"inrush_export\":") => return damaged(error),
            Err(_) => return Ok(None),
        };
        let Some(version) = document.get("inrush_export") else { return Ok(None) };
        if version.as_u64() != Some(VERSION.into()) {
            return Err(Error::config(format!("`{name}` is a manifest of version {version}, which is not known here"))
                .with_hint("a newer `inrush` wrote it"));
        }
        let manifest: Self = match serde_json::from_value(document) {
            Ok(manifest) => manifest,
            Err(error) => return damaged(error),
        };
        let wrong = |what: String| Err(Error::config(format!("`{name}` was edited or is damaged: {what}")));
        if manifest.tables.is_empty() {
            return wrong("it has no table".to_owned());
        }
        for table in &manifest.tables {
            let of_files: u64 = table.files.iter().map(|file| file.rows).sum();
            if of_files != table.rows {
                return wrong(format!(
                    "{} has {} rows, and its files have {of_files}",
                    table.rows_of.name(),
                    table.rows
                ));
            }
        }
        Ok(Some(manifest))
    }

    pub(crate) fn as_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Exported {
    /// Nothing yet of these rows.
    pub(crate) fn of(rows_of: RowsOf) -> Self {
        Self { rows_of, hex: Vec::new(), rows: 0, files: Vec::new() }
    }

    pub(crate) fn add(&mut self, file: WrittenFile) {
        self.rows += file.rows;
        self.files.push(file);
    }
}

impl RowsOf {
    /// For messages.
    fn name(&self) -> String {
        match self {
            Self::Table { database, table, .. } => format!("`{database}`.`{table}`"),
            Self::Query { .. } => "the query".to_owned(),
        }
    }

    /// The table's database; `None` for a query.
    pub(crate) fn database(&self) -> Option<&str> {
        match self {
            Self::Table { database, .. } => Some(database),
            Self::Query { .. } => None,
        }
    }
}

impl From<&BinlogPosition> for LogPosition {
    fn from(position: &BinlogPosition) -> Self {
        Self { file: position.file.clone(), position: position.position, gtids: position.gtids.clone() }
    }
}

/// The name of a lock in a manifest.
pub(crate) fn lock_name(lock: ReadLock) -> &'static str {
    match lock {
        ReadLock::Global => "global",
        ReadLock::Tables => "tables",
        ReadLock::OneConnection => "one-connection",
        _ => "none",
    }
}

/// A hash as the manifest has it.
pub(crate) fn hash_text(xxh3: u64) -> String {
    format!("{xxh3:016x}")
}

/// NULL in CSV files, if no other text was chosen.
pub(crate) const USUAL_NULL: &str = r"\N";

/// The version of manifests.
pub(crate) const VERSION: u32 = 1;

/// The file's name. Names of tables have no dot in names of files, so no table's file has this name.
pub(crate) const MANIFEST: &str = "manifest.json";

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn other_documents_are_no_manifests() {
        let parse = |text: &str| Manifest::parse(text, "m").map(|found| found.is_some()).map_err(|e| e.to_string());
        assert_eq!(parse("[{\"a\": 1}]"), Ok(false));
        assert_eq!(parse("a,b"), Ok(false));
        assert_eq!(
            parse("{\"inrush_export\": 2}"),
            Err("`m` is a manifest of version 2, which is not known here".into())
        );
        assert!(parse("{\"inrush_export\": 1, ").unwrap_err().starts_with("`m` is no whole manifest: EOF"));
        assert!(parse("{\"inrush_export\": 1}").unwrap_err().starts_with("`m` is no whole manifest: missing field"));
    }

    #[test]
    fn what_is_written_is_read() {
        let file = json!({ "name": "t.csv", "rows": 2, "bytes": 9, "xxh3": "00000000000000ff" });
        let table = json!({ "database": "shop", "table": "t", "columns": ["a"], "definition": null, "hex": ["a"], "rows": 2, "files": [file] });
        let query = json!({ "query": "SELECT 1", "columns": ["1"], "rows": 0, "files": [] });
        let document = json!({ "inrush_export": 1, "server": "9.7.0", "begun": "now", "lock": "none", "binary_log": null,
            "time_zone": "+00:00", "format": "csv", "tables": [table, query] });
        let manifest = Manifest::parse(&document.to_string(), "m").unwrap().unwrap();
        assert_eq!(manifest.as_json(), document);
        assert!(matches!(manifest.tables[1].rows_of, RowsOf::Query { .. }));
        let refused = |change: &dyn Fn(&mut Value)| {
            let mut document = document.clone();
            change(&mut document);
            Manifest::parse(&document.to_string(), "m").unwrap_err().to_string()
        };
        let no_file = refused(&|document| document["tables"][0]["files"] = json!([]));
        assert_eq!(no_file, "`m` was edited or is damaged: `shop`.`t` has 2 rows, and its files have 0");
        assert!(refused(&|document| document["tables"] = json!([])).ends_with("it has no table"));
    }
}
