//! What the statements of a load's mapping name.

use crate::column::Column;
use crate::column::Rules;
use crate::column::check::Form;
use crate::column::ident::quote_ident;
use crate::load::LoadPlan;
use crate::session::Statement;
use crate::write::Computed;
use crate::write::Insert;
use crate::write::expression::Part;

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
    pub fn of(plan: &LoadPlan) -> Self {
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

/// Whether all values of a mapping can be bound: no column needs an expression around its value, and nothing is computed.
pub fn is_bindable(columns: &[Column], layout: &Layout, rules: &Rules) -> bool {
    // The text of a number would be stored as the bits of its characters, and the others need a function.
    let binds = |form| matches!(form, Form::Number | Form::Plain | Form::Text | Form::Bytes);
    layout.computed.is_empty() && columns.iter().all(|column| binds(Form::of(&column.ty, rules)))
}
