//! Transactions: closures, guards, savepoints, and running again after a deadlock.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::blocking::Connection;
use inrush::{Isolation, Result, TransactionOptions};

fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let mut connection = Connection::connect(&url)?;
    connection
        .execute("CREATE TEMPORARY TABLE accounts (id INT PRIMARY KEY, balance INT NOT NULL) ENGINE=InnoDB", ())?;
    connection.execute("INSERT INTO accounts VALUES (1, 100), (2, 0)", ())?;

    // Commits if the closure comes to a value, rolls back if it comes to an error.
    connection.transaction(|tx| {
        tx.execute("UPDATE accounts SET balance = balance - ? WHERE id = ?", (10, 1))?;
        tx.execute("UPDATE accounts SET balance = balance + ? WHERE id = ?", (10, 2)).map(drop)
    })?;

    // The same again from its start after a deadlock or a lock wait time-out, at most five times.
    let options = TransactionOptions::new().with_isolation(Isolation::ReadCommitted).with_retries(5);
    connection.transaction_with(&options, |tx| tx.execute("UPDATE accounts SET balance = balance + 1", ()))?;

    // A guard that is dropped rolls back; so does a savepoint, for its part.
    let mut tx = connection.begin()?;
    tx.execute("UPDATE accounts SET balance = 0 WHERE id = 1", ())?;
    let mut part = tx.savepoint()?;
    part.execute("DELETE FROM accounts", ())?;
    drop(part);
    tx.commit()?;

    let balances: Vec<(u32, i64)> = connection.query("SELECT id, balance FROM accounts ORDER BY id", ())?;
    println!("{balances:?}");
    Ok(())
}
