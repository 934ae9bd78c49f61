//! `manifest.json`: what an export's files hold, and which state of the server it is.

use super::tables::Table;
use inrush::table::TableName;
use inrush::{BinlogPosition, ReadLock, ReadView};
use inrush_files::WrittenFormat;
use serde_json::{Value, json};

/// All files of an export.
pub(super) struct Manifest {
    server: String,
    format: WrittenFormat,
    begun: String,
    pub(super) lock: ReadLock,
    pub(super) position: Option<BinlogPosition>,
    pub(super) tables: Vec<Exported>,
}

/// The files of a table or a query.
pub(super) struct Exported {
    rows_of: RowsOf,
    pub(super) files: Vec<WrittenFile>,
}

enum RowsOf {
    Table { name: TableName, columns: Vec<String>, definition: Option<String> },
    Query(String),
}

/// A file that is whole.
#[derive(Clone, Debug)]
pub(super) struct WrittenFile {
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// XXH3 of its bytes, 64 bits.
    pub(super) xxh3: u64,
}

impl Manifest {
    pub(super) fn new(server: String, format: WrittenFormat, view: &ReadView) -> Self {
        let begun = jiff::Timestamp::now().round(jiff::Unit::Second).unwrap_or_default().to_string();
        Self { server, format, begun, lock: view.lock(), position: view.position().cloned(), tables: Vec::new() }
    }

    pub(super) fn as_json(&self) -> Value {
        let lock = match self.lock {
            ReadLock::Global => "global",
            ReadLock::Tables => "tables",
            ReadLock::OneConnection => "one-connection",
            _ => "none",
        };
        let position = self
            .position
            .as_ref()
            .map(|position| json!({ "file": position.file, "position": position.position, "gtids": position.gtids }));
        json!({
            "inrush_export": 1,
            "server": self.server,
            "begun": self.begun,
            "lock": lock,
            "binary_log": position,
            "time_zone": super::TIME_ZONE,
            "format": self.format.extension(),
            "tables": self.tables.iter().map(Exported::as_json).collect::<Vec<_>>(),
        })
    }
}

impl Exported {
    pub(super) fn table(table: &Table, definition: Option<String>) -> Self {
        let rows_of = RowsOf::Table { name: table.name.clone(), columns: table.columns.clone(), definition };
        Self { rows_of, files: Vec::new() }
    }

    pub(super) fn query(text: &str) -> Self {
        Self { rows_of: RowsOf::Query(text.to_owned()), files: Vec::new() }
    }

    fn as_json(&self) -> Value {
        let file = |file: &WrittenFile| json!({ "name": file.name, "rows": file.rows, "bytes": file.bytes, "xxh3": format!("{:016x}", file.xxh3) });
        let mut document = match &self.rows_of {
            RowsOf::Table { name, columns, definition } => {
                json!({ "database": name.schema, "table": name.name, "columns": columns, "definition": definition })
            }
            RowsOf::Query(text) => json!({ "query": text }),
        };
        document["rows"] = self.files.iter().map(|file| file.rows).sum::<u64>().into();
        document["files"] = self.files.iter().map(file).collect();
        document
    }
}
