//! Checked columns as the text of a LOAD, and the statements that a mapping needs.
//!
//! What is encoded trusts the checks: a cell of [`Form::Number`] stands in SQL without quotes. Whoever builds a [`CheckedColumn`] by hand
//! takes over that duty.
//!
//! [`Form::Number`]: crate::value::check::Form::Number
//! [`CheckedColumn`]: crate::value::check::CheckedColumn

pub(in crate::bulk) mod block;
pub mod load_data;

use super::expression::Part;
use super::{Computed, Plan};
use crate::session::Statement;
use crate::value::check::{CheckedColumn, Form};
use crate::value::column::Column;
use crate::value::ident::quote_ident;
use crate::value::{Cells, Rules};

/// The rows of `range` that are not in `skip`, which is sorted.
pub(super) fn kept(range: std::ops::Range<usize>, skip: &[u32]) -> impl Iterator<Item = usize> {
    let mut skip = &skip[skip.partition_point(|row| (*row as usize) < range.start)..];
    range.filter(move |row| match skip.first() {
        Some(first) if *first as usize == *row => {
            skip = &skip[1..];
            false
        }
        _ => true,
    })
}

/// What the statements of a mapping name, and what each row is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The columns that get a value, in the order of the statement.
    pub names: Vec<String>,
    /// How many of them get the value of a field, the first ones; the others are computed.
    pub n_values: usize,
    /// What is computed for the others, from all fields.
    pub computed: Vec<Computed<usize>>,
}

impl Layout {
    /// Every column gets the value of a field.
    pub fn plain(columns: &[Column]) -> Self {
        let names = columns.iter().map(|column| column.name.clone()).collect();
        Self { names, n_values: columns.len(), computed: Vec::new() }
    }

    /// That of a plan.
    pub fn of(plan: &Plan) -> Self {
        Self {
            names: plan.filled().into_iter().map(|column| column.name).collect(),
            n_values: plan.n_values,
            computed: plan.computed.iter().map(|(_, computed)| computed.clone()).collect(),
        }
    }

    fn list(&self) -> String {
        self.names.iter().map(|name| quote_ident(name)).collect::<Vec<_>>().join(",")
    }

    /// The INSERT of a row. `verb` is INSERT INTO or REPLACE INTO, `table` is quoted, with its schema, `tail` follows the rows.
    pub fn insert(&self, verb: &str, table: &str, tail: &str) -> Insert {
        let mut sql = format!("{verb} {table} ({}) VALUES ", self.list());
        let (start, mut marks, mut uses) = (sql.len(), Vec::new(), Vec::new());
        let mut use_field = |number: usize, sql: &mut String| {
            marks.push(sql.len());
            uses.push(number);
            sql.push('?');
        };
        sql.push('(');
        for number in 0..self.n_values {
            use_field(number, &mut sql);
            sql.push(',');
        }
        for computed in &self.computed {
            for part in &computed.parts {
                match part {
                    Part::Sql(text) => sql += text,
                    Part::Field(number) => use_field(*number, &mut sql),
                }
            }
            sql.push(',');
        }
        // In the place of the last comma: a table has a column.
        sql.pop();
        sql.push(')');
        let list = start..sql.len();
        sql += tail;
        Insert { statement: Statement::with_marks(sql, marks), list, uses }
    }
}

/// The INSERT of one row of a mapping.
#[derive(Clone, Debug)]
pub struct Insert {
    /// With a placeholder for each use of a field.
    pub statement: Statement,
    /// Where in the text its row stands, which is repeated for more rows.
    pub list: std::ops::Range<usize>,
    /// For each placeholder, the number of its field.
    pub uses: Vec<usize>,
}

/// Whether all values of a mapping can be bound: no column needs an expression around its value, and nothing is computed.
pub fn is_bindable(columns: &[Column], layout: &Layout, rules: &Rules) -> bool {
    // The text of a number would be stored as the bits of its characters, and the others need a function.
    let binds = |form| matches!(form, Form::Number | Form::Plain | Form::Text | Form::Bytes);
    layout.computed.is_empty() && columns.iter().all(|column| binds(Form::of(&column.ty, rules)))
}

/// A column as the row loop wants it.
#[derive(Clone, Copy)]
struct Field<'a> {
    cells: Cells<'a>,
    form: Form,
}

impl<'a> Field<'a> {
    /// The cell's memory; see [`Cells::bytes_and_more`].
    #[inline]
    fn cell(&self, row: usize) -> (&'a [u8], usize) {
        self.cells.bytes_and_more(row)
    }
}

fn fields(columns: &[CheckedColumn]) -> Vec<Field<'_>> {
    columns.iter().map(|column| Field { cells: Cells::new(&column.cells), form: column.form }).collect()
}
