//! The change buffer collects changes of secondary indexes whose pages are not in memory. MySQL 8.4 switched it off, MariaDB 11 removed it.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;
use inrush::sans_io::human;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "change-buffer",
    area: Area::Memory,
    about: "The change buffer collects changes of secondary indexes whose pages are not in memory. MySQL 8.4 switched it off, MariaDB 11 removed it.",
    source: "MySQL manual, innodb_change_buffering",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let table = facts.table.as_ref()?;
    let is_off = facts.var("innodb_change_buffering").is_none_or(|value| value.eq_ignore_ascii_case("none"));
    let plain = table.secondary().filter(|index| !index.is_unique && index.kind == "BTREE").count();
    if !is_off || plain == 0 || table.index_bytes <= facts.number("innodb_buffer_pool_size")? {
        return None;
    }
    Some(
        Symptom::known(
            "pages of secondary indexes are read for each row",
            1.5,
            "a read of the disk a row and index, as these do not fit into memory",
        )
        .because(format!(
            "{} that are not unique have {}",
            Facts::indexes(plain as u64),
            human::bytes(table.index_bytes as f64)
        ))
        .because(facts.shown("innodb_change_buffering"))
        .do_this("`inrush load --defer-indexes`, or `innodb_change_buffering = inserts` where the server has it"),
    )
}
