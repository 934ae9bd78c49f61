//! The ten tasks of docs/notes/ergonomics.md, as they stand there: each function is what an application writes. The note counts their lines
//! beside those of another library.

use crate::cases::on_servers;
use inrush::{FromRow, Json, Kind, Pool, Reason, Result, ToRow, TransactionOptions};
use inrush_testkit::servers;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, FromRow, ToRow)]
struct Person {
    id: u64,
    name: String,
    age: Option<u8>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Settings {
    theme: String,
    columns: Vec<u8>,
}

// 1. Connect.
async fn connect(url: &str) -> Result<Pool> {
    Pool::new(url)
}

// 2. One row.
async fn person(pool: &Pool, id: u64) -> Result<Person> {
    pool.query_one("SELECT id, name, age FROM people WHERE id = ?", (id,)).await
}

// 3. Many rows.
async fn grown_up(pool: &Pool, age: u8) -> Result<Vec<Person>> {
    pool.query("SELECT id, name, age FROM people WHERE age >= ? ORDER BY id", (age,)).await
}

// 4. Insert, and return the id.
async fn add(pool: &Pool, name: &str, age: Option<u8>) -> Result<u64> {
    pool.execute("INSERT INTO people (name, age) VALUES (?, ?)", (name, age)).await?.inserted_id()
}

// 5. A transaction that runs again after a deadlock.
async fn pay(pool: &Pool, from: u64, to: u64, cents: i64) -> Result<()> {
    pool.transaction_with(&TransactionOptions::new().with_retries(5), async |tx| {
        tx.execute("UPDATE accounts SET cents = cents - ? WHERE id = ?", (cents, from)).await?;
        tx.execute("UPDATE accounts SET cents = cents + ? WHERE id = ?", (cents, to)).await?;
        Ok(())
    })
    .await
}

// 6. Many rows in.
async fn add_all(pool: &Pool, people: &[Person]) -> Result<u64> {
    let report = pool.execute_batch("INSERT INTO people (id, name, age) VALUES (:id, :name, :age)", people).await?;
    Ok(report.affected)
}

// 7. A result that is too large to be kept.
async fn total_age(pool: &Pool) -> Result<u64> {
    let mut connection = pool.get().await?;
    let mut rows = connection.query_iter("SELECT age FROM people WHERE age IS NOT NULL", ()).await?;
    let mut total = 0;
    while let Some(age) = rows.next_as::<u64>().await? {
        total += age;
    }
    Ok(total)
}

// 8. A JSON column.
async fn save(pool: &Pool, id: u64, settings: &Settings) -> Result<()> {
    pool.execute("UPDATE people SET settings = ? WHERE id = ?", (Json(settings), id)).await.map(drop)
}

async fn settings(pool: &Pool, id: u64) -> Result<Settings> {
    Ok(pool.query_one::<Json<Settings>>("SELECT settings FROM people WHERE id = ?", (id,)).await?.0)
}

// 9. A pool in a handler: what a web framework calls with its state.
async fn handler(pool: Pool, id: u64) -> std::result::Result<String, u16> {
    let person = person(&pool, id).await.map_err(|error| status(&error))?;
    Ok(person.name)
}

// 10. An error as an HTTP status.
fn status(error: &inrush::Error) -> u16 {
    match error.reason() {
        Reason::RowNotFound => 404,
        Reason::UniqueViolation | Reason::ForeignKeyViolation => 409,
        Reason::CheckViolation | Reason::NotNullViolation | Reason::DataTooLong => 422,
        _ if error.is_timeout() => 503,
        _ => 500,
    }
}

#[test]
fn each_does_what_it_says() {
    on_servers(servers::with_local_infile(), |server| {
        let schema = server.schema("tasks");
        schema.sql(
            "CREATE TABLE people (id BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) NOT NULL UNIQUE, age TINYINT UNSIGNED, \
             settings JSON); CREATE TABLE accounts (id INT PRIMARY KEY, cents BIGINT NOT NULL); INSERT INTO accounts VALUES (1, 500), (2, 0)",
        );
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let url = schema.url();
        runtime.block_on(async {
            let pool = connect(&url).await.unwrap();
            let ann = add(&pool, "Ann", Some(31)).await.unwrap();
            let want = |id, name: &str, age| Person { id, name: name.to_owned(), age };
            assert_eq!(person(&pool, ann).await.unwrap(), want(ann, "Ann", Some(31)));
            let others = [want(70, "Bo", None), want(71, "Cy", Some(9))];
            assert_eq!(add_all(&pool, &others).await.unwrap(), 2);
            assert_eq!(grown_up(&pool, 18).await.unwrap().len(), 1);
            assert_eq!(total_age(&pool).await.unwrap(), 40);
            pay(&pool, 1, 2, 120).await.unwrap();
            assert_eq!(pool.query_one::<i64>("SELECT cents FROM accounts WHERE id = 2", ()).await.unwrap(), 120);
            let dark = Settings { theme: "dark".to_owned(), columns: vec![1, 2] };
            save(&pool, ann, &dark).await.unwrap();
            assert_eq!(settings(&pool, ann).await.unwrap(), dark);
            let answers = [ann, 5_000].map(|id| tokio::spawn(handler(pool.clone(), id)));
            let [found, missing] = answers;
            assert_eq!((found.await.unwrap(), missing.await.unwrap()), (Ok("Ann".to_owned()), Err(404)));
            let error = add(&pool, "Ann", None).await.unwrap_err();
            assert_eq!((status(&error), error.kind()), (409, Kind::Server));
            let error = add(&pool, &"x".repeat(50), None).await.unwrap_err();
            assert_eq!(status(&error), 422);
            let closed = connect(&url).await.unwrap();
            closed.close();
            assert_eq!(status(&person(&closed, 1).await.unwrap_err()), 500);
        });
    });
}
