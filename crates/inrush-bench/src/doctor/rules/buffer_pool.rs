//! Rows in random order of a key read and write a page of the disk each once the index is larger than the buffer pool.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "buffer-pool",
    area: Area::Memory,
    about: "Rows in random order of a key read and write a page of the disk each once the index is larger than the buffer pool.",
    source: "MySQL manual, innodb_buffer_pool_size",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let pool = facts.number("innodb_buffer_pool_size")?;
    let (bytes, of) = match &facts.table {
        Some(table) => (table.data_bytes + table.index_bytes, format!("`{}` with its indexes", table.name)),
        None => (facts.innodb_bytes?, "all tables of InnoDB".to_owned()),
    };
    if bytes <= pool / 10 * 8 {
        return None;
    }
    let share = facts.share("innodb_buffer_pool_reads", "innodb_buffer_pool_read_requests").unwrap_or_default();
    let what = "rows that are not in the order of the keys read a page of the disk each";
    Some(
        Symptom::known("the buffer pool is smaller than what is written to", 3.0, what)
            .because(format!("{} has {}, {of} {}", "`innodb_buffer_pool_size`", human::bytes(pool as f64), human::bytes(bytes as f64)))
            .because(format!("{:.2} % of the reads of pages went to the disk", share * 100.0))
            .do_this("a larger pool (about three quarters of a machine that runs the server alone); `inrush load --sort key` writes in the order of the key, `--defer-indexes` builds the other indexes at the end"),
    )
}
