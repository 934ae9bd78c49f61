//! Prepared statements: by position and by name, kept by the connection, with values of any length.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::blocking::Connection;
use inrush::{Result, params};

fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let mut connection = Connection::connect(&url)?;
    connection.execute("CREATE TEMPORARY TABLE notes (id INT PRIMARY KEY, author VARCHAR(50), body LONGTEXT)", ())?;

    // A statement belongs to no connection: each prepares it once, keeps it, and closes the one unused for longest.
    let insert = connection.prepare("INSERT INTO notes (id, author, body) VALUES (:id, :author, :body)")?;
    let long = "a long note. ".repeat(100_000);
    connection.execute(&insert, params! { "id" => 1, "author" => "Ann", "body" => "a short note" })?;
    connection.execute(&insert, params! { "author" => "Bob", "id" => 2, "body" => long })?;
    connection.execute(&insert, (3, None::<&str>, "by position"))?;

    let (count, bytes): (u32, u64) = connection.query_one("SELECT COUNT(*), SUM(LENGTH(body)) FROM notes", ())?;
    println!("{count} notes, {bytes} bytes");
    println!("{} statements are kept", connection.session().statements().len());

    if let Err(mistake) = connection.execute(&insert, params! { "id" => 4, "writer" => "Cy" }) {
        println!("{mistake}; {}", mistake.hint().unwrap_or_default());
    }
    Ok(())
}
