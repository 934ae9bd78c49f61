//! Rows lie in the order of the primary key. Random keys (UUID, hashes) write to every page of the table, and split full ones.

use super::{Area, Rule};
use crate::doctor::facts::{Facts, Table};
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "random-key",
    area: Area::Table,
    about: "Rows lie in the order of the primary key. Random keys (UUID, hashes) write to every page of the table, and split full ones.",
    source: "MySQL manual, 'Clustered and Secondary Indexes'",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let (column, ty) = table.primary()?.columns.first()?;
    let ty = ty.to_lowercase();
    let is_random = ["char(36)", "char(32)", "binary(16)", "uuid"]
        .iter()
        .any(|known| ty.starts_with(known) || ty == format!("var{known}"));
    if !is_random {
        return None;
    }
    let title = format!("the primary key begins with `{column}`, {ty}: its values are likely random");
    Some(
        out_of_order(facts, table, title)
        .do_this("`inrush load --sort key` writes a file in the order of the key; for new tables: UUID of version 7, or an AUTO_INCREMENT with the UUID as a second key"),
    )
}

/// What rows cost that come in another order than that of the primary key.
pub(super) fn out_of_order(facts: &Facts, table: &Table, title: impl Into<String>) -> Symptom {
    let pool = facts.number("innodb_buffer_pool_size").unwrap_or(128 << 20);
    let (weight, what) = match table.data_bytes > pool / 2 {
        true => (5.0, "each row writes a page of its own, and the table is larger than half of the buffer pool"),
        false => (1.0, "pages split in half, as long as the table fits into the buffer pool"),
    };
    let [rows, pool] = [table.data_bytes, pool].map(|bytes| human::bytes(bytes as f64));
    Symptom::known(title, weight, what).because(format!("{rows} of rows, a buffer pool of {pool}"))
}
