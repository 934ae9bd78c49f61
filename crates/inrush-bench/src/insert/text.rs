//! Rows as statements of text: what a program without placeholders sends. inrush itself never takes these methods.

use super::Operation;
use crate::dataset::Users;

/// The values of a row, as [`Users::values`] has them.
pub(super) type User = (i64, String, i32, Option<String>, f64, String);

/// Appends the statement for one row, of the table with this quoted name.
pub(super) fn put_statement(operation: Operation, table: &str, user: &User, out: &mut String) {
    let (id, name, age, email, score, created) = user;
    let id = id.to_string();
    let email = email.as_ref().map_or_else(|| "NULL".to_owned(), |email| quoted(email));
    let values = [&id, &quoted(name), &age.to_string(), &email, &score.to_string(), &quoted(created)];
    let columns = Users::COLUMNS;
    match operation {
        Operation::Insert => {
            out.push_str(&format!(
                "INSERT INTO {table} ({}) VALUES ({})",
                columns.join(", "),
                values.map(|v| &**v).join(", ")
            ));
        }
        Operation::Update => {
            let set = columns.iter().zip(values).skip(1).map(|(column, value)| format!("{column} = {value}"));
            out.push_str(&format!("UPDATE {table} SET {} WHERE id = {id}", set.collect::<Vec<_>>().join(", ")));
        }
        Operation::Delete => out.push_str(&format!("DELETE FROM {table} WHERE id = {id}")),
    }
}

/// A text literal, for sessions in which backslashes escape.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_are_doubled() {
        assert_eq!(quoted(r"it's \ .."), r"'it''s \\ ..'");
    }
    #[test]
    fn each_operation_has_its_statement() {
        let users = Users::new(1);
        let statement = |operation| {
            let mut text = String::new();
            put_statement(operation, "`s`.`t`", &users.values(7), &mut text);
            text
        };
        assert!(
            statement(Operation::Insert)
                .starts_with("INSERT INTO `s`.`t` (id, name, age, email, score, created) VALUES (7, '")
        );
        let update = statement(Operation::Update);
        assert!(update.starts_with("UPDATE `s`.`t` SET name = '") && update.ends_with("' WHERE id = 7"), "{update}");
        assert_eq!(statement(Operation::Delete), "DELETE FROM `s`.`t` WHERE id = 7");
    }
}
