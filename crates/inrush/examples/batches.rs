//! Many rows for one statement: rows and columns, all or none, bad rows skipped, generated ids.
//!
//! `INRUSH_URL=mysql://user@host/database cargo run --example batches`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use inrush::blocking::Connection;
use inrush::{BatchOptions, OnBadRow, ToRow, columns, params, scalar};

#[derive(ToRow)]
struct Person<'a> {
    name: &'a str,
    age: Option<u8>,
}

fn main() -> inrush::Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_default();
    let mut connection = Connection::connect(&url)?;
    let create = "CREATE TEMPORARY TABLE people (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(40) UNIQUE, age TINYINT UNSIGNED)";
    connection.execute(create, ())?;
    let insert = "INSERT INTO people (name, age) VALUES (:name, :age)";

    // Rows: by name, by position, as structs.
    connection.execute_batch(insert, &[params! { "age" => 40, "name" => "Ann" }])?;
    connection.execute_batch(insert, &[("Bob", 41), ("Cy", 42)])?;
    let report =
        connection.execute_batch(insert, &[Person { name: "Di", age: None }, Person { name: "Ed", age: Some(5) }])?;
    println!("{} rows by {}, since {}", report.n_rows, report.method, report.reason);

    // Columns; a scalar is the same for all rows.
    let names = ["Flo", "Gus", "Hal"];
    connection.execute_batch(insert, &columns! { name: &names, age: scalar(30) })?;

    // One bad row, and nothing of the batch is stored; the error names it.
    if let Err(error) = connection.execute_batch(insert, &[("Ida", 50), ("Ann", 51)]) {
        println!("row {:?}: {error}", error.row());
    }

    // Or the others are.
    let options = BatchOptions::new().with_bad_rows(OnBadRow::Skip).with_ids(true);
    let report = connection.execute_batch_with(insert, &[("Ida", 50), ("Ann", 51), ("Jo", 52)], &options)?;
    println!("{} stored, {} not", report.n_rows, report.bad_rows.len());
    for (row, id) in report.ids.iter().flat_map(|ids| ids.iter()).enumerate() {
        println!("row {row} has id {id:?}");
    }

    let (n, ages) = connection.query_one::<(u64, u64)>("SELECT COUNT(*), SUM(age) FROM people", ())?;
    println!("{n} people, {ages} years");
    Ok(())
}
