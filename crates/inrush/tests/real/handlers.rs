//! Shapes of code around transactions in services of tokio: each handler is spawned, so its future moves between threads, and borrows what
//! it is given. That it compiles is half of the test; the other half is that it stores what it says and passes on errors by type.

use crate::cases::{Case, Shell};
use crate::transactions::on_each_server;
use inrush::{Connection, Error, Isolation, Pool, Reason, Result, Transaction, TransactionOptions};
use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// The error of a service.
#[derive(Debug)]
enum ShopError {
    SoldOut { left: i64 },
    Taken(String),
    Database(Error),
}

impl From<Error> for ShopError {
    fn from(error: Error) -> Self {
        match error.reason() {
            Reason::UniqueViolation => Self::Taken(error.constraint().unwrap_or_default().to_owned()),
            _ => Self::Database(error),
        }
    }
}

impl fmt::Display for ShopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::error::Error for ShopError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Database(error) => Some(error),
            Self::SoldOut { .. } | Self::Taken(_) => None,
        }
    }
}

/// What a web framework asks of a handler: a clone of the state and of the function for each request, a future that can move.
fn serve<S, B, F, Answer, R>(state: &S, body: B, handler: F) -> tokio::task::JoinHandle<R>
where
    S: Clone + Send + Sync + 'static,
    F: Fn(S, B) -> Answer + Clone + Send + Sync + 'static,
    Answer: Future<Output = R> + Send + 'static,
    R: Send + 'static,
{
    tokio::spawn(handler.clone()(state.clone(), body))
}

#[derive(Clone)]
struct App {
    pool: Pool,
    prices: Arc<HashMap<String, i64>>,
}

struct Order {
    item: String,
    amounts: Vec<i64>,
}

fn order(item: &str, amounts: &[i64]) -> Order {
    Order { item: item.to_owned(), amounts: amounts.to_vec() }
}

const OPTIONS: TransactionOptions = TransactionOptions::new();

/// 1: borrows the request and the state, in the middle of a function with an error of its own.
async fn borrows(app: App, order: Order) -> Result<i64, ShopError> {
    let price = app.prices[&order.item];
    let total = app
        .pool
        .transaction(async |tx| {
            let mut total = 0;
            for amount in &order.amounts {
                tx.execute("INSERT INTO orders (item, n) VALUES (?, ?)", (&*order.item, amount)).await?;
                total += amount * price;
            }
            Ok(total)
        })
        .await?;
    Ok(total)
}

/// 2: an error of its own, by type, out of the closure.
async fn own_error(app: App, order: Order) -> Result<i64, ShopError> {
    let options = OPTIONS.with_retries(3).with_error::<ShopError>();
    let wanted: i64 = order.amounts.iter().sum();
    app.pool
        .transaction_with(&options, async |tx| {
            tx.execute("INSERT INTO orders (item, n) VALUES (?, ?)", (&order.item, wanted)).await?;
            let left = tx.query_one::<i64>("SELECT n FROM stock WHERE item = ? FOR UPDATE", (&*order.item,)).await?;
            if left < wanted {
                return Err(ShopError::SoldOut { left });
            }
            tx.execute("UPDATE stock SET n = n - ? WHERE item = ?", (wanted, &*order.item)).await?;
            Ok(left - wanted)
        })
        .await
}

/// 3: over a connection, run again, with captures by reference.
async fn over_a_connection(app: App, order: Order) -> Result<u64> {
    let mut connection = app.pool.get().await?;
    let options = OPTIONS.with_retries(2).with_isolation(Isolation::ReadCommitted);
    let item = order.item.as_str();
    let n = connection
        .transaction_with(&options, async |tx| {
            tx.execute("UPDATE stock SET n = n + ? WHERE item = ?", (order.amounts[0], item)).await?;
            tx.query_one::<u64>("SELECT n FROM stock WHERE item = ?", (item,)).await
        })
        .await?;
    Ok(n)
}

/// 4: once, changing what it borrows.
async fn changes_what_it_borrows(app: App, order: Order) -> Result<Vec<u64>> {
    let mut connection = app.pool.get().await?;
    let mut ids = Vec::new();
    connection
        .transaction(async |tx| {
            for amount in order.amounts {
                ids.push(tx.execute("INSERT INTO orders (item, n) VALUES ('x', ?)", (amount,)).await?.inserted_id()?);
            }
            Ok(())
        })
        .await?;
    Ok(ids)
}

trait Prices: Clone + Send + Sync + 'static {
    fn price(&self, item: &str) -> impl Future<Output = Result<i64, ShopError>> + Send;
}

#[derive(Clone)]
struct FromTable(Pool);

impl Prices for FromTable {
    async fn price(&self, item: &str) -> Result<i64, ShopError> {
        Ok(self.0.query_one("SELECT n FROM stock WHERE item = ?", (item,)).await?)
    }
}

/// 5: generic over what the state offers, which it calls inside.
async fn generic<P: Prices>((pool, prices): (Pool, P), order: Order) -> Result<i64, ShopError> {
    let options = OPTIONS.with_error::<ShopError>();
    pool.transaction_with(&options, async |tx| {
        let price = prices.price(&order.item).await?;
        tx.execute("INSERT INTO orders (item, n) VALUES (?, ?)", (&*order.item, price)).await?;
        Ok(price)
    })
    .await
}

async fn charge(tx: &mut Transaction<'_>, item: &str, n: i64) -> Result<(), ShopError> {
    tx.execute("UPDATE stock SET n = n - ? WHERE item = ?", (n, item)).await?;
    match tx.query_one::<i64>("SELECT n FROM stock WHERE item = ?", (item,)).await? {
        left @ ..0 => Err(ShopError::SoldOut { left }),
        _ => Ok(()),
    }
}

/// 6: helpers that take the transaction, and a part that may fail.
async fn helpers(app: App, order: Order) -> Result<usize, ShopError> {
    let options = OPTIONS.with_error::<ShopError>();
    app.pool
        .transaction_with(&options, async |tx| {
            let mut n_charged = 0;
            for n in &order.amounts {
                let mut part = tx.savepoint().await?;
                part.execute("INSERT INTO orders (item, n) VALUES ('part', ?)", (n,)).await?;
                part.release().await?;
                match charge(tx, &order.item, *n).await {
                    Ok(()) => n_charged += 1,
                    Err(ShopError::SoldOut { .. }) => {
                        tx.execute("UPDATE stock SET n = 0 WHERE n < 0", ()).await.map(drop)?
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(n_charged)
        })
        .await
}

/// 7: owns what it needs.
async fn owns(app: App, order: Order) -> Result<u64> {
    let order = Arc::new(order);
    let n_runs = Arc::new(AtomicU32::new(0));
    app.pool
        .transaction(async move |tx| {
            n_runs.fetch_add(1, Ordering::Relaxed);
            tx.execute("INSERT INTO orders (item, n) VALUES (?, ?)", (&*order.item, order.amounts.len() as u64))
                .await?;
            Ok(u64::from(n_runs.load(Ordering::Relaxed)))
        })
        .await
}

/// 8: behind a trait object.
trait Store: Send + Sync {
    fn place<'a>(&'a self, order: &'a Order) -> Pin<Box<dyn Future<Output = Result<u64, ShopError>> + Send + 'a>>;
}

impl Store for App {
    fn place<'a>(&'a self, order: &'a Order) -> Pin<Box<dyn Future<Output = Result<u64, ShopError>> + Send + 'a>> {
        Box::pin(async move {
            let id = self
                .pool
                .transaction(async |tx| {
                    let placed = tx.execute("INSERT INTO orders (item, n) VALUES (?, 1)", (&*order.item,)).await?;
                    placed.inserted_id()
                })
                .await?;
            Ok(id)
        })
    }
}

async fn behind_a_trait_object(store: Arc<dyn Store>, order: Order) -> Result<u64, ShopError> {
    store.place(&order).await
}

/// 9: reads rows one by one, and writes a batch of them.
async fn rows_and_batches(app: App, order: Order) -> Result<u64> {
    app.pool
        .transaction(async |tx| {
            let mut found = Vec::new();
            let mut rows = tx.query_iter("SELECT item, n FROM stock WHERE n > ?", (order.amounts[0],)).await?;
            while let Some((item, n)) = rows.next_as::<(String, i64)>().await? {
                found.push((item, n));
            }
            let report = tx.execute_batch("INSERT INTO orders (item, n) VALUES (?, ?)", &found).await?;
            let mut pipeline = tx.pipeline();
            pipeline.query("SELECT 1").query("SELECT 2");
            for reply in pipeline.run().await? {
                reply?;
            }
            Ok(report.n_rows)
        })
        .await
}

/// 10: several at once.
async fn several_at_once(app: App, order: Order) -> Result<i64, ShopError> {
    let one = |n: i64| {
        let (pool, item) = (app.pool.clone(), order.item.clone());
        async move {
            pool.transaction(async |tx| tx.execute("UPDATE stock SET n = n + ? WHERE item = ?", (n, &*item)).await)
                .await
        }
    };
    let tasks: Vec<_> = order.amounts.iter().map(|n| tokio::spawn(one(*n))).collect();
    for task in tasks {
        task.await.unwrap()?;
    }
    tokio::try_join!(one(1), one(-1))?;
    Ok(app.pool.query_one("SELECT n FROM stock WHERE item = ?", (&*order.item,)).await?)
}

/// 11: an error that is no `std::error::Error`, as some applications have one for all.
struct Status(u16, Option<Error>);

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        let code = match error.reason() {
            Reason::RowNotFound => 404,
            Reason::UniqueViolation => 409,
            Reason::PoolExhausted | Reason::PoolTimedOut => 503,
            _ => 500,
        };
        Self(code, Some(error))
    }
}

async fn status(app: App, order: Order) -> Result<(), Status> {
    let options = OPTIONS.with_error_by(|Status(_, error): &Status| error.as_ref());
    app.pool
        .transaction_with(&options, async |tx| {
            if order.amounts.is_empty() {
                return Err(Status(400, None));
            }
            tx.query_one::<u8>("SELECT 1 FROM stock WHERE item = ?", (&*order.item,)).await?;
            tx.execute("INSERT INTO stock (item, n) VALUES (?, 1)", (&*order.item,)).await?;
            Ok(())
        })
        .await
}

/// 12: a connection that it is lent, and a closure that it is given.
async fn with_a_closure<T>(connection: &mut Connection, count: impl Fn(i64) -> T + Sync) -> Result<T> {
    let n = connection
        .transaction_with(&OPTIONS, async |tx| Ok(count(tx.query_one::<i64>("SELECT SUM(n) FROM stock", ()).await?)))
        .await?;
    Ok(n)
}

#[test]
fn they_compile_and_store_what_they_say() {
    on_each_server(|case| {
        let Case { shell: Shell::Tokio, server, .. } = case else { return };
        let schema = server.schema("handlers");
        schema.sql(
            "CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, item VARCHAR(20), n BIGINT) ENGINE=InnoDB; \
             CREATE TABLE stock (item VARCHAR(20) PRIMARY KEY, n BIGINT) ENGINE=InnoDB; INSERT INTO stock VALUES ('nut', 10)",
        );
        let orders = || schema.sql("SELECT COUNT(*) FROM orders")[0][0].clone();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let pool = Pool::new(case.config().with_database(schema.name())).unwrap();
            let app = App { pool: pool.clone(), prices: Arc::new(HashMap::from([("nut".to_owned(), 3)])) };
            assert_eq!(serve(&app, order("nut", &[1, 2]), borrows).await.unwrap().unwrap(), 9);
            assert_eq!((serve(&app, order("nut", &[4]), own_error).await.unwrap().unwrap(), &*orders()), (6, "3"));
            let sold_out = serve(&app, order("nut", &[9]), own_error).await.unwrap().unwrap_err();
            assert!(matches!(sold_out, ShopError::SoldOut { left: 6 }), "{sold_out:?}");
            assert_eq!(orders(), "3", "rolled back");
            assert_eq!(serve(&app, order("nut", &[2]), over_a_connection).await.unwrap().unwrap(), 8);
            assert_eq!(serve(&app, order("nut", &[1, 1]), changes_what_it_borrows).await.unwrap().unwrap().len(), 2);
            let generic_app = (pool.clone(), FromTable(pool.clone()));
            assert_eq!(serve(&generic_app, order("nut", &[]), generic).await.unwrap().unwrap(), 8);
            assert_eq!(serve(&app, order("nut", &[3, 30, 4]), helpers).await.unwrap().unwrap(), 1);
            assert_eq!(serve(&app, order("nut", &[3]), owns).await.unwrap().unwrap(), 1);
            let store: Arc<dyn Store> = Arc::new(app.clone());
            assert!(serve(&store, order("nut", &[]), behind_a_trait_object).await.unwrap().unwrap() > 0);
            assert_eq!(serve(&app, order("nut", &[5, 6]), several_at_once).await.unwrap().unwrap(), 11);
            assert_eq!(serve(&app, order("nut", &[0]), rows_and_batches).await.unwrap().unwrap(), 1);
            let taken: ShopError =
                app.pool.execute("INSERT INTO stock VALUES ('nut', 1)", ()).await.unwrap_err().into();
            assert!(matches!(&taken, ShopError::Taken(key) if key == "PRIMARY"), "{taken:?}");
            for (order, want) in [(order("bolt", &[1]), 404), (order("nut", &[1]), 409), (order("nut", &[]), 400)] {
                assert_eq!(serve(&app, order, status).await.unwrap().err().map(|Status(code, _)| code), Some(want));
            }
            let lent = tokio::spawn(async move {
                let word = String::from("nuts");
                let mut connection = pool.get().await?;
                with_a_closure(&mut connection, |n| format!("{n} {word}")).await
            });
            assert_eq!(lent.await.unwrap().unwrap(), "11 nuts");
        });
    });
}
