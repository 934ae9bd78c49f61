//! Single rows of many tasks that travel together: `INRUSH_URL=mysql://.. cargo run -p inrush --example inserter`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use inrush::{InserterOptions, Pool, Result, params};

#[derive(inrush::ToRow)]
struct Visit<'a> {
    page: &'a str,
    visitor: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let url = std::env::var("INRUSH_URL").unwrap_or_else(|_| "mysql://root@localhost/test".to_owned());
    let pool = Pool::new(&url)?;
    let mut connection = pool.get().await?;
    connection
        .execute(
            "CREATE TABLE visits (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, page VARCHAR(40) NOT NULL, \
             visitor INT UNSIGNED NOT NULL UNIQUE)",
            (),
        )
        .await?;
    drop(connection);

    // Every handler has a clone, and waits for its own row only.
    let visits = pool.inserter("visits")?;
    let mut handlers = Vec::new();
    for visitor in 0..500 {
        let visits = visits.clone();
        handlers.push(tokio::spawn(async move { visits.insert(Visit { page: "/", visitor }).await }));
    }
    let mut ids = Vec::new();
    for handler in handlers {
        ids.push(handler.await.map_err(inrush::Error::application)??.id);
    }
    let status = visits.status();
    println!("{} rows, all with ids: {}", status.stored, ids.iter().all(Option::is_some));
    println!("in less than 50 batches: {}", status.batches < 50);

    // A bad row is its own caller's error; the others are stored.
    let ends = visits.insert_many([(600, "/a"), (7, "/b"), (601, "/c")].map(visit)).await;
    for end in &ends {
        match end {
            Ok(inserted) => println!("stored: {}", inserted.id.is_some()),
            Err(error) => println!("not stored: error {}", error.code()),
        }
    }
    visits.close().await?;

    // With a ledger no COMMIT is left in doubt.
    let visits = pool.inserter_with("visits", &InserterOptions::new().with_exactly_once(true))?;
    visits.insert(params! { "page" => "/d", "visitor" => 700 }).await?;
    visits.close().await?;
    println!("closed: {}", visits.is_closed());
    Ok(())
}

fn visit((visitor, page): (u32, &'static str)) -> Visit<'static> {
    Visit { page, visitor }
}
