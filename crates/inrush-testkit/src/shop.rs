//! A little shop on a test server, for the examples in rustdoc: a few tables with a few rows, in a schema of its own.
//!
//! An example opens it in hidden lines, shows its reader a URL as applications have them, and at its end queries the shop to
//! check that its changes are stored. These queries use the server's own client program, never the driver that is shown.

use crate::servers::{self, Schema};
use arrow_array::{ArrayRef, BinaryViewArray, RecordBatch};
use arrow_schema::{DataType, Field, Schema as Fields};
use inrush_core::load::{Batch, FieldUse, Origin, Source};
use inrush_core::{Error, Kind, Result};
use std::sync::Arc;

/// A shop with its goods, closed (its schema is dropped) when the value is. A server that is not there is a panic.
pub fn open() -> Shop {
    let schema = servers::one("mysql-9.7").schema("shop");
    schema.sql(GOODS);
    Shop { schema }
}

/// See [`open`].
#[derive(Debug)]
pub struct Shop {
    schema: Schema,
}

impl Shop {
    /// A URL that leads here.
    pub fn url(&self) -> String {
        self.schema.url()
    }

    /// The same with the options of `shown`: of the URL that an example shows.
    pub fn at(&self, shown: &str) -> String {
        match shown.split_once('?') {
            Some((_, options)) => format!("{}?{options}", self.url()),
            None => self.url(),
        }
    }

    /// The rows of an answer, each as text with blanks between its values.
    #[track_caller]
    pub fn ask(&self, sql: &str) -> Vec<String> {
        self.schema.sql(sql).iter().map(|row| row.join(" ")).collect()
    }
}

/// Two more people as a [`Source`], for a loader: what a file would hold.
pub fn newcomers() -> Box<dyn Source> {
    let fields = ["name", "age"].map(str::to_owned);
    Box::new(Newcomers { fields, chosen: Vec::new(), done: false })
}

struct Newcomers {
    fields: [String; 2],
    chosen: Vec<usize>,
    done: bool,
}

impl Source for Newcomers {
    fn name(&self) -> &str {
        "newcomers"
    }

    fn fields(&self) -> &[String] {
        &self.fields
    }

    fn select(&mut self, uses: &[FieldUse]) {
        self.chosen = uses.iter().map(|usage| usage.index).collect();
    }

    fn next(&mut self) -> Result<Option<Batch>> {
        if std::mem::replace(&mut self.done, true) {
            return Ok(None);
        }
        let column = |index: &usize| Arc::new(BinaryViewArray::from_iter_values(NEWCOMERS[*index])) as ArrayRef;
        let name = |index: &usize| Field::new(&self.fields[*index], DataType::BinaryView, true);
        let fields = Fields::new(self.chosen.iter().map(name).collect::<Vec<_>>());
        let rows = RecordBatch::try_new(Arc::new(fields), self.chosen.iter().map(column).collect())
            .map_err(|e| Error::new(Kind::Data, e.to_string()))?;
        let origin = Origin {
            source: "newcomers".into(),
            first_record: 1,
            first_line: 1,
            span: 0..2,
            text: Vec::<u8>::new().into(),
            lines: 0,
            verbatim: None,
            record_starts: Vec::new(),
            record_ends: Vec::new(),
            stood: None,
        };
        Ok(Some(Batch { rows, utf8: true, known: Vec::new(), origin, rejects: Vec::new() }))
    }
}

/// Column by column, as `fields` has them.
const NEWCOMERS: [[&str; 2]; 2] = [["Dora", "Emil"], ["33", "61"]];

/// The gift for customer 7 exists already: a step that inserts a second one fails.
const GOODS: &str = "
CREATE TABLE people (
    id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(80) NOT NULL, full_name VARCHAR(80) NOT NULL DEFAULT '',
    age TINYINT UNSIGNED);
INSERT INTO people (name, full_name, age) VALUES ('Ann', 'Ann A.', 40), ('Bob', 'Bob B.', 17), ('Cy', 'Cy C.', NULL);
CREATE TABLE accounts (id INT PRIMARY KEY, balance INT NOT NULL);
INSERT INTO accounts VALUES (1, 100), (2, 100);
CREATE TABLE customers (id INT PRIMARY KEY, n_orders INT NOT NULL);
INSERT INTO customers VALUES (7, 0);
CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer INT NOT NULL);
CREATE TABLE gifts (customer INT PRIMARY KEY);
INSERT INTO gifts VALUES (7);
CREATE TABLE stock (id INT PRIMARY KEY, n INT NOT NULL);
INSERT INTO stock VALUES (3, 5);
CREATE TABLE visits (n INT NOT NULL);
INSERT INTO visits VALUES (0);
CREATE TABLE numbers (n INT PRIMARY KEY);
";
