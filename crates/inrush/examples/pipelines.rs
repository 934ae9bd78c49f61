//! Pipelines: many commands in one flight, their replies matched in order, a fault in one of them its own.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::Result;
use inrush::blocking::Connection;

fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let mut connection = Connection::connect(&url)?;
    connection.execute("CREATE TEMPORARY TABLE numbers (n INT PRIMARY KEY) ENGINE=InnoDB", ())?;
    let insert = connection.prepare("INSERT INTO numbers VALUES (?)")?;

    // Each step has its own reply; those behind a step that failed are answered all the same.
    let mut flight = connection.pipeline();
    flight.execute(&insert, (1,)).execute(&insert, (2,)).execute(&insert, (1,)).query("SELECT COUNT(*) FROM numbers");
    for (step, reply) in flight.run()?.into_iter().enumerate() {
        match reply {
            Ok(_) => println!("step {step}: done"),
            Err(error) => println!("step {step}: {}", error.code()),
        }
    }

    // Steps that are chosen one by one need no memory, however many there are.
    let mut numbers = 1_000..2_000;
    let mut n_stored = 0;
    connection.pipeline_each(
        |next| match numbers.next() {
            Some(number) => next.execute(&insert, (number,)),
            None => next.end(),
        },
        |_, reply| {
            reply?;
            n_stored += 1;
            Ok(())
        },
    )?;
    println!("{n_stored} rows in one flight");
    Ok(())
}
