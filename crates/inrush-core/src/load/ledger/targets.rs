//! Which tables a target's triggers may write to: a ROLLBACK must undo those rows too.
//!
//! A trigger's text is searched for names, not parsed: a table that is only read, or only named in a comment, counts as well.

use std::collections::BTreeSet;

/// A trigger, or a routine that one may call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routine {
    /// Its name.
    pub name: String,
    /// Its text.
    pub body: String,
}

/// Returns the first of `tables`, which have no transactions, that is named in one of the `triggers` or of the `routines` they
/// call.
pub fn untransacted<'a>(triggers: &[Routine], routines: &[Routine], tables: &'a [String]) -> Option<&'a str> {
    let mut waiting: Vec<&Routine> = triggers.iter().collect();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    while let Some(routine) = waiting.pop() {
        let words = words(&routine.body);
        let is_named = |name: &str| words.contains(&name.to_lowercase());
        if let Some(table) = tables.iter().find(|table| is_named(table)) {
            return Some(table);
        }
        waiting.extend(routines.iter().filter(|called| is_named(&called.name) && seen.insert(&called.name)));
    }
    None
}

/// Returns everything that may be a name: texts in backticks, and words.
fn words(body: &str) -> BTreeSet<String> {
    let quoted = body.split('`').skip(1).step_by(2);
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let bare = body.split(|c| !is_of_word(c)).filter(|word| !word.is_empty());
    quoted.chain(bare).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(trigger: &str, routines: &[(&str, &str)], want: Option<&str>) {
        let routine = |&(name, body): &(&str, &str)| Routine { name: name.into(), body: body.into() };
        let routines: Vec<_> = routines.iter().map(routine).collect();
        let tables = ["audit".to_owned(), "Old Log".to_owned()];
        assert_eq!(untransacted(&[routine(&("t", trigger))], &routines, &tables), want);
    }

    #[test]
    fn a_named_table() {
        check("INSERT INTO audit VALUES (NEW.id)", &[], Some("audit"));
        check("insert into shop.AUDIT(id) values (1)", &[], Some("audit"));
        check("INSERT INTO `old log` VALUES (1)", &[], Some("Old Log"));
        check("BEGIN UPDATE`shop`.`audit`SET n=1; END", &[], Some("audit"));
    }
    #[test]
    fn others() {
        check("INSERT INTO audits VALUES (NEW.audit_id)", &[], None);
        check("SET NEW.name = 'x'", &[], None);
    }
    #[test]
    fn through_what_it_calls() {
        let routines =
            [("note", "CALL write_it(1)"), ("write_it", "INSERT INTO audit VALUES (1); CALL note(2)"), ("x", "audit")];
        check("CALL note(NEW.id)", &routines, Some("audit"));
        check("CALL other(NEW.id)", &routines, None);
    }
}
