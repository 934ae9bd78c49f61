//! Results as Arrow record batches, whole or one at a time.

#![allow(clippy::print_stdout)] // It is made to be looked at.

use inrush::Result;
use inrush::blocking::Connection;

fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let mut connection = Connection::connect(&url)?;
    connection
        .execute("CREATE TEMPORARY TABLE sales (day DATE NOT NULL, amount DECIMAL(10,2) NOT NULL, note TEXT)", ())?;
    connection.execute("INSERT INTO sales VALUES ('2024-02-29', 12.50, 'leap'), ('2024-03-01', 7.25, NULL)", ())?;

    for batch in connection.query_arrow("SELECT * FROM sales ORDER BY day", ())? {
        for field in batch.schema().fields() {
            println!("{}: {}", field.name(), field.data_type());
        }
        println!("{} rows", batch.num_rows());
    }
    let mut batches =
        connection.query_arrow_iter("SELECT * FROM sales WHERE amount > ?", ("10",), &Default::default())?;
    while let Some(batch) = batches.next_batch()? {
        println!("{} rows of {} columns", batch.num_rows(), batch.num_columns());
    }
    Ok(())
}
