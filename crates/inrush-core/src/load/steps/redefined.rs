//! What changes in a table's definition when another one replaces it: the lines of SHOW CREATE TABLE that only one of both has.

use super::copied::without_counter;
use std::collections::BTreeMap;

/// The lines that go (`- ..`) and those that come (`+ ..`), each in its own order; the name and the counter of AUTO_INCREMENT left out.
/// Only another order of the columns is a line of words.
pub fn changes(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (lines(old), lines(new));
    let gone = missing(&old, &new).into_iter().map(|line| format!("- {line}"));
    let come = missing(&new, &old).into_iter().map(|line| format!("+ {line}"));
    let changes: Vec<String> = gone.chain(come).collect();
    match changes.is_empty() && old != new {
        true => vec!["the same columns in another order".into()],
        false => changes,
    }
}

/// The lines after the one with the name.
fn lines(create: &str) -> Vec<String> {
    let text = without_counter(create);
    text.lines().skip(1).map(|line| line.trim().trim_end_matches(',').to_owned()).collect()
}

/// Those of `lines` that `others` has not, or not as often.
fn missing<'a>(lines: &'a [String], others: &[String]) -> Vec<&'a str> {
    let mut left = BTreeMap::<&str, usize>::new();
    others.iter().for_each(|line| *left.entry(line).or_default() += 1);
    let is_missing = |line: &&String| match left.get_mut(line.as_str()) {
        Some(n) if *n > 0 => {
            *n -= 1;
            false
        }
        _ => true,
    };
    lines.iter().filter(is_missing).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "CREATE TABLE `t` (\n  `id` int NOT NULL COMMENT 'key',\n  `name` varchar(20) DEFAULT NULL,\n  \
        PRIMARY KEY (`id`)\n) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4";

    #[track_caller]
    fn check(new: &str, want: &[&str]) {
        assert_eq!(changes(OLD, new), want);
    }

    #[test]
    fn the_same() {
        check(&OLD.replace("`t`", "`t__inrush_new`").replace(" AUTO_INCREMENT=7", ""), &[]);
    }
    #[test]
    fn columns_and_keys() {
        check(
            "CREATE TABLE `n` (\n  `id` int DEFAULT NULL,\n  `name` varchar(20) DEFAULT NULL\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4",
            &["- `id` int NOT NULL COMMENT 'key'", "- PRIMARY KEY (`id`)", "+ `id` int DEFAULT NULL"],
        );
    }
    #[test]
    fn options_of_the_table() {
        check(
            &OLD.replace("utf8mb4", "latin1"),
            &["- ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4", "+ ) ENGINE=InnoDB DEFAULT CHARSET=latin1"],
        );
    }
    #[test]
    fn only_the_order() {
        let (id, name) = ("  `id` int NOT NULL COMMENT 'key',\n", "  `name` varchar(20) DEFAULT NULL,\n");
        check(&OLD.replace(&format!("{id}{name}"), &format!("{name}{id}")), &["the same columns in another order"]);
    }
}
