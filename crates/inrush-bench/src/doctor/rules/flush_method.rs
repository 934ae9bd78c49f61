//! Without O_DIRECT the system caches pages that the buffer pool holds already, and each flush writes through it.

use super::{Area, Rule};
use crate::doctor::facts::Facts;
use crate::doctor::finding::Symptom;

/// The rule.
pub(super) const RULE: Rule = Rule {
    name: "flush-method",
    area: Area::Disk,
    about: "Without O_DIRECT the system caches pages that the buffer pool holds already, and each flush writes through it.",
    source: "MySQL manual, innodb_flush_method; MariaDB KB, innodb_data_file_buffering",
    check,
};

fn check(facts: &Facts) -> Option<Symptom> {
    let is_buffered = match facts.var("innodb_flush_method") {
        Some(method) => matches!(method.to_ascii_lowercase().as_str(), "fsync" | "0" | ""),
        None => return None,
    };
    if !is_buffered || facts.innodb_bytes? < facts.number("innodb_buffer_pool_size")? {
        return None;
    }
    Some(
        Symptom::known(
            "pages are in the buffer pool and in the system's cache",
            0.5,
            "memory for each page twice, and flushes of whole files",
        )
        .because(facts.shown("innodb_flush_method"))
        .do_this("`innodb_flush_method = O_DIRECT` in the option file"),
    )
}
