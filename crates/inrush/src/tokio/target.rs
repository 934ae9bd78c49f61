//! What a batch must know before its first row is sent: the table it goes into, and the settings of the server and the session.

use super::Connection;
use crate::Result;
use crate::table::TableName;
use crate::table::reading::{NamedObject, Reader, Reading, Texts};
use crate::verbs::{self, Settings};
use inrush_core::column::Rules;
use inrush_core::write::Table;
use std::sync::Arc;
use std::time::Instant;

impl Connection {
    /// The server's description of a table or view, or a recent one that is kept. `None`: nothing is known, because there is none that this
    /// user may see, or because it is a temporary table.
    ///
    /// The kept description must be read again before a value is refused because of it: [`Connection::forget_target`].
    pub(crate) async fn target(&mut self, name: &TableName) -> Result<Option<Arc<Table>>> {
        let Some(schema) = self.schema_of(name).await? else { return Ok(None) };
        if let Some(table) = self.tables.find(&schema, &name.name, Instant::now()) {
            return Ok(table);
        }
        let full = TableName { schema, name: name.name.clone() };
        let mut reading = Reading::new(full.clone(), Reader::Batch, self.session().profile());
        while let Some(query) = reading.query() {
            match self.texts(&query).await {
                Ok(rows) => reading.take(rows)?,
                Err(error) => reading.refused(error)?,
            }
        }
        let table = match reading.found() {
            NamedObject::Table(table) | NamedObject::View(table) => Some(Arc::new(table)),
            NamedObject::Temporary => None,
            // The statement will fail, and then perhaps the table is created.
            NamedObject::NoTable | NamedObject::NoSchema => return Ok(None),
        };
        self.tables.keep(&full.schema, &full.name, table.clone(), Instant::now());
        Ok(table)
    }

    /// Makes the next use of the table read its description again.
    pub(crate) async fn forget_target(&mut self, name: &TableName) -> Result<()> {
        if let Some(schema) = self.schema_of(name).await? {
            self.tables.forget(&schema, &name.name);
        }
        Ok(())
    }

    /// What checks must know besides the columns.
    pub(crate) async fn rules(&mut self) -> Result<Rules> {
        let settings = self.settings().await?;
        Ok(Rules::new(settings.zone(self.session()), *self.session().profile()))
    }

    /// By how much one generated id differs from the next. The session may change it, so it is queried each time.
    pub(crate) async fn id_increment(&mut self) -> Result<u64> {
        let [text] = self.query_row(verbs::ID_INCREMENT).await?;
        verbs::id_increment((text,))
    }

    /// Whether the server commits within a LOAD DATA. That setting may change, so it is queried each time.
    pub(crate) async fn splits_loads(&mut self) -> Result<bool> {
        Ok(verbs::splits_loads(self.query_row(verbs::SPLITS_LOADS).await?))
    }

    /// The settings of the server and the session; queried once.
    pub(crate) async fn settings(&mut self) -> Result<Settings> {
        if let Some(settings) = &self.settings {
            return Ok(settings.clone());
        }
        let [max_packet, zone] = self.query_row(Settings::SQL).await?;
        Ok(self.settings.insert(Settings::read((max_packet, zone), self.session())?).clone())
    }

    /// The schema in which a table is searched. If the server does not report a `USE`, this queries it.
    async fn schema_of(&mut self, name: &TableName) -> Result<Option<String>> {
        if !name.schema.is_empty() {
            return Ok(Some(name.schema.clone()));
        }
        match verbs::tells_its_schema(self.session()) {
            true => Ok(self.session().schema().map(str::to_owned)),
            false => {
                let [schema] = self.query_row("SELECT DATABASE()").await?;
                Ok(schema)
            }
        }
    }

    /// The first row of a query of our own; `None` for a value that is NULL, empty or missing.
    async fn query_row<const N: usize>(&mut self, query: &str) -> Result<[Option<String>; N]> {
        let mut values = self.texts(query).await?.into_iter().next().unwrap_or_default().into_iter();
        Ok(std::array::from_fn(|_| values.next().filter(|text| !text.is_empty())))
    }

    /// The rows of a query of our own, each value as text, NULL as the empty text.
    pub(crate) async fn texts(&mut self, query: &str) -> Result<Vec<Vec<String>>> {
        let mut texts = Texts::new(self.config.max_result);
        self.query_each(query, (), |row| texts.take(row)).await?;
        Ok(texts.into_rows())
    }
}
