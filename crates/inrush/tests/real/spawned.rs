//! Futures of every verb can be given to a task of their own, also with values that they borrow: that this compiles is half of
//! the test.

use super::cases::{Case, Route, Shell};
use inrush::{ArrowOptions, BatchOptions, BulkOptions, Config, Connection, Inserter, Pool, Result, TransactionOptions};
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
    let tx = connection.transaction(async |tx| tx.execute("DO LENGTH(?)", (words[0].as_str(),)).await);
    tx.await?;
    Ok(sum)
}

/// Never run: that it compiles is the test. Each future can be moved to another thread while it waits.
#[allow(dead_code)]
async fn every_future_is_send(connection: &mut Connection, pool: &Pool, inserter: &Inserter) -> Result<()> {
    fn check<T>(future: impl Future<Output = T> + Send) -> impl Future<Output = T> + Send {
        future
    }
    let config = &Config::new();
    check(Connection::connect(config)).await?;
    check(connection.max_allowed_packet()).await?;
    check(connection.ping()).await?;
    check(connection.query::<(u8,)>("", ())).await?;
    check(connection.query_one::<(String,)>("", (1, "a"))).await?;
    check(connection.query_opt::<(u8,)>("", ())).await?;
    check(connection.query_result_sets("", ())).await?;
    check(connection.query_each("", (), |_| Ok(()))).await?;
    check(connection.execute("", ())).await?;
    check(connection.warnings()).await?;
    check(connection.prepare("")).await?;
    check(connection.load_local(str::to_owned, b"")).await?;
    check(connection.reset()).await?;
    check(connection.change_user(config)).await?;
    check(connection.run(inrush::sans_io::session::simple::ping())).await?;
    check(connection.query_arrow("", ())).await?;
    let mut batches = check(connection.query_arrow_iter("", (), &ArrowOptions::default())).await?;
    check(batches.next_batch()).await?;
    let mut rows = check(connection.query_iter("", ())).await?;
    check(rows.next_row()).await?;
    check(rows.next_as::<(&str,)>()).await?;
    check(rows.next_result()).await?;
    check(connection.execute_batch("", &[(1, "a")])).await?;
    check(connection.execute_batch_with("", &[(1, "a")], &BatchOptions::new())).await?;
    check(connection.pipeline_each(|next| next.end(), |_, _| Ok(()))).await?;
    check(connection.pipeline().run()).await?;
    let mut bulk = connection.bulk_with("", &[], &BulkOptions::new())?;
    check(bulk.push((1,))).await?;
    check(bulk.flush()).await?;
    check(bulk.finish()).await?;
    let options = &TransactionOptions::new();
    check(connection.transaction(async |tx| tx.ping().await)).await?;
    check(connection.transaction_with(options, async |tx| tx.ping().await)).await?;
    check(connection.begin_with(options)).await?;
    let mut tx = check(connection.begin()).await?;
    let mut savepoint = check(tx.savepoint()).await?;
    check(check(savepoint.savepoint()).await?.rollback()).await?;
    check(savepoint.release()).await?;
    check(tx.commit()).await?;
    check(check(connection.begin()).await?.rollback()).await?;
    check(pool.get()).await?;
    check(pool.close_and_wait(std::time::Duration::ZERO)).await;
    check(inserter.insert((1, "a"))).await?;
    check(inserter.insert_many([(1, "a")])).await.into_iter().try_for_each(|one| one.map(drop))?;
    check(inserter.flush()).await?;
    check(inserter.close()).await
}
