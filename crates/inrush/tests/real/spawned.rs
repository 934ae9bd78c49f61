//! Futures of every verb can be given to a task of their own, also with values that they borrow: that this compiles is half of
//! the test.

use super::cases::{Case, Route, Shell};
use inrush::{Connection, Result};
use inrush_testkit::servers;

#[test]
fn tasks_may_borrow_values() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for server in servers::all() {
        let case = Case { server, route: Route::Tcp, shell: Shell::Tokio };
        let sum = runtime.block_on(async {
            let connection = Connection::connect(case.config()).await.unwrap();
            tokio::spawn(lengths(connection, vec!["a".to_owned(), "bcd".to_owned()])).await.unwrap()
        });
        assert_eq!(sum.unwrap(), 3 * (1 + 3) + 10 + 4, "{}", case.server.instance);
    }
}

async fn lengths(mut connection: Connection, words: Vec<String>) -> Result<u64> {
    let mut sum = 0;
    for word in &words {
        let (n,) = connection.query_one::<(u64,)>("SELECT LENGTH(?)", (word.as_str(),)).await?;
        sum += n;
        let mut rows = connection.query_iter("SELECT ?", (word,)).await?;
        while let Some((text,)) = rows.next_as::<(&str,)>().await? {
            sum += text.len() as u64;
        }
        let named = inrush::params! { "word" => word };
        sum += connection.query_one::<(u64,)>("SELECT LENGTH(:word)", named).await?.0;
    }
    // More values than lie in the future itself.
    let many: Vec<&str> = ["x"; 10].to_vec();
    let sql = format!("SELECT LENGTH(CONCAT({}))", ["?"; 10].join(","));
    sum += connection.query_one::<(u64,)>(&sql, many).await?.0;
    let select = connection.prepare("SELECT ?").await?;
    let mut pipeline = connection.pipeline();
    pipeline.execute(&select, (words[0].as_str(),));
    pipeline.execute(&select, (words[1].as_str(),));
    for reply in pipeline.run().await? {
        sum += reply?.rows::<(String,)>()?.iter().map(|(text,)| text.len() as u64).sum::<u64>();
    }
    let tx = connection.transaction(async |tx| tx.exec("DO LENGTH(?)", (words[0].as_str(),)).await);
    tx.await?;
    Ok(sum)
}
