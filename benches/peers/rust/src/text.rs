//! Statements with the values in them, as a program writes them that does not leave it to a client.

use crate::Person;
use std::fmt::Write;

/// Writes an INSERT of these people behind its head.
pub fn insert(sql: &mut String, head: &str, people: &[Person]) {
    sql.clear();
    sql.push_str(head);
    for (i, (id, name, age, email, score, created)) in people.iter().enumerate() {
        sql.push_str(if i == 0 { "(" } else { ",(" });
        write!(sql, "{id},").expect("a String takes all");
        quote(sql, name);
        write!(sql, ",{age},").expect("a String takes all");
        match email {
            Some(email) => quote(sql, email),
            None => sql.push_str("NULL"),
        }
        write!(sql, ",{score},'{created}')").expect("a String takes all");
    }
}

fn quote(sql: &mut String, text: &str) {
    sql.push('\'');
    for letter in text.chars() {
        if matches!(letter, '\'' | '\\') {
            sql.push('\\');
        }
        sql.push(letter);
    }
    sql.push('\'');
}
