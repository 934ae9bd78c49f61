//! Queries and typed rows, for threads. Run it with `INRUSH_URL=mysql://user@host/database cargo run --example queries`.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::blocking::Connection;
use inrush::{FromRow, Result};

#[derive(Debug, FromRow)]
struct Person {
    id: u64,
    name: String,
    age: Option<u8>,
}

fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let mut connection = Connection::connect(&url)?;
    connection.execute("CREATE TEMPORARY TABLE people (id INT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(50) NOT NULL, age TINYINT UNSIGNED)", ())?;
    let outcome =
        connection.execute("INSERT INTO people (name, age) VALUES (?, ?), (?, ?)", ("Ann", 40, "Bob", None::<u8>))?;
    println!("{} rows, ids from {}", outcome.affected, outcome.inserted_id()?);

    // A tuple takes the columns by position, a struct by name.
    let names: Vec<(u64, String)> = connection.query("SELECT id, name FROM people WHERE age > ?", (18,))?;
    println!("{names:?}");
    for person in connection.query::<Person>("SELECT * FROM people ORDER BY id", ())? {
        println!(
            "{}: {} is {}",
            person.id,
            person.name,
            person.age.map_or("of no known age".into(), |age| age.to_string())
        );
    }
    let nobody: Option<Person> = connection.query_opt("SELECT * FROM people WHERE name = ?", ("Cy",))?;
    println!("Cy is there: {}", nobody.is_some());

    // A stream keeps nothing: each row is borrowed until the next one, so texts cost no copy.
    let mut rows = connection.query_iter("SELECT id, name FROM people ORDER BY id", ())?;
    while let Some((id, name)) = rows.next_as::<(u64, &str)>()? {
        println!("{id} {name}");
    }

    // What does not fit is an error that names the column, and the connection goes on.
    if let Err(misfit) = connection.query::<(u64, u8)>("SELECT id, age FROM people", ()) {
        println!("{misfit}");
    }
    connection.execute("SELECT CAST('12abc' AS UNSIGNED)", ())?;
    println!("{}", connection.warnings()?[0].message);
    Ok(())
}
