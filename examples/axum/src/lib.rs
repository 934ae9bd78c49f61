//! A shop as an HTTP service: its routes and handlers. Errors become statuses in [`error`], and nowhere else.
//!
//! A handler holds a connection only as long as its statement or transaction takes, except for [`list_products`], which holds one while
//! its client reads.

pub mod error;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Json, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use error::AppError;
use futures_util::StreamExt as _;
use inrush::{FromRow, Inserter, IntoConfig, Pool, ResultRows, ToRow, Transaction, TransactionOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// What the handlers share. Clones are cheap and use the same pool and the same inserter.
#[derive(Clone, Debug)]
pub struct App {
    pool: Pool,
    views: Inserter,
}

impl App {
    /// Creates the pool and the inserter. Opens no connection yet.
    ///
    /// # Errors
    /// An invalid URL or configuration; outside of a runtime of tokio.
    pub fn new(config: impl IntoConfig) -> inrush::Result<Self> {
        let pool = Pool::new(config)?;
        let views = pool.inserter("views")?;
        Ok(Self { pool, views })
    }

    /// Creates the tables that do not exist yet. A larger service leaves that to its migrations.
    ///
    /// # Errors
    /// No connection, or no right to create tables.
    pub async fn create_tables(&self) -> inrush::Result<()> {
        for table in TABLES {
            self.pool.execute(table, ()).await?;
        }
        Ok(())
    }

    /// Stores the page views that are still queued and closes the pool. Waits up to `limit` for connections in use. Returns whether all
    /// were returned.
    ///
    /// # Errors
    /// Page views that could not be stored and whose requests had ended before.
    pub async fn close(&self, limit: Duration) -> inrush::Result<bool> {
        let stored = self.views.close().await;
        let all_returned = self.pool.close_and_wait(limit).await;
        stored.map(|()| all_returned)
    }
}

/// The service.
pub fn router(app: App) -> Router {
    Router::new()
        .route("/health", get(health))
        .route("/products", get(list_products).post(add_product))
        .route("/products/batch", post(add_products))
        .route("/products/{id}", get(product))
        .route("/orders", post(order))
        .route("/views", post(view))
        .with_state(app)
}

/// A row of `products`.
#[derive(Debug, Serialize, FromRow)]
struct Product {
    id: u64,
    sku: String,
    name: String,
    price_cents: u32,
    stock: u32,
    #[inrush(json)]
    details: Details,
}

/// A product to store. Which values are allowed is the table's decision: what it refuses is a 422 that names the column.
#[derive(Debug, Deserialize, ToRow)]
struct NewProduct {
    sku: String,
    name: Option<String>,
    price_cents: i64,
    stock: i64,
    #[inrush(json)]
    #[serde(default)]
    details: Details,
}

/// The JSON column.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Details {
    colour: Option<String>,
    tags: Vec<String>,
}

const INSERT_PRODUCT: &str = "INSERT INTO products (sku, name, price_cents, stock, details) \
                              VALUES (:sku, :name, :price_cents, :stock, :details)";

/// 200, or 404: `query_one` returns an error for no row.
async fn product(State(app): State<App>, Path(id): Path<u64>) -> Result<Json<Product>, AppError> {
    let sql = "SELECT id, sku, name, price_cents, stock, details FROM products WHERE id = ?";
    Ok(Json(app.pool.query_one(sql, (id,)).await?))
}

/// 200: a JSON object a line. The rows are sent as they arrive, so a table of any size takes the same memory.
///
/// The connection belongs to the response and goes back to the pool at its end, also if the client leaves early. An error after the
/// first line breaks the response off: its status was sent before.
async fn list_products(State(app): State<App>) -> Result<Response, AppError> {
    let sql = "SELECT id, sku, name, price_cents, stock, details FROM products ORDER BY id";
    let rows = ResultRows::open(app.pool.get().await?, sql, ()).await?;
    // One part of the body for all rows that have arrived, up to 256 of them.
    let parts = rows.into_stream::<Product>().ready_chunks(256).map(|products| {
        let mut lines = Vec::new();
        for product in products {
            let product = product.inspect_err(|error| tracing::error!(%error, "a list of products was broken off"));
            serde_json::to_writer(&mut lines, &product.map_err(|_| BROKEN_OFF)?).map_err(|_| BROKEN_OFF)?;
            lines.push(b'\n');
        }
        Ok::<_, &str>(Bytes::from(lines))
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::from_stream(parts)).into_response())
}

const BROKEN_OFF: &str = "the list was broken off";

/// 201 with the id, 409 if the SKU is taken, 422 if the table refuses a value.
async fn add_product(State(app): State<App>, Json(new): Json<NewProduct>) -> Result<Response, AppError> {
    let id = app.pool.execute(INSERT_PRODUCT, &new).await?.inserted_id()?;
    Ok((StatusCode::CREATED, [(header::LOCATION, format!("/products/{id}"))], Json(json!({ "id": id })))
        .into_response())
}

/// 201 if all of them are stored. Otherwise none is, and the answer has the index of the bad one (`row`).
async fn add_products(State(app): State<App>, Json(new): Json<Vec<NewProduct>>) -> Result<Response, AppError> {
    let report = app.pool.execute_batch(INSERT_PRODUCT, &new).await?;
    Ok((StatusCode::CREATED, Json(json!({ "stored": report.n_rows }))).into_response())
}

/// An order of one or more products.
#[derive(Debug, Deserialize)]
struct Order {
    customer: String,
    lines: Vec<OrderLine>,
}

#[derive(Debug, Deserialize)]
struct OrderLine {
    product: u64,
    n: u32,
}

/// 201 with the id and the total, 404 for an unknown product, 409 if one of the products is sold out.
///
/// Two orders that name the same products in another order may deadlock. The server then rolls one of them back, and the whole closure
/// runs again. It changes nothing outside of the database, so that does no harm.
async fn order(State(app): State<App>, Json(order): Json<Order>) -> Result<Response, AppError> {
    let options = TransactionOptions::new().with_retries(5).with_error::<AppError>();
    let (id, total) = app
        .pool
        .transaction_with(&options, async |tx| {
            let placed = tx.execute("INSERT INTO orders (customer) VALUES (?)", (&order.customer,)).await?;
            let id = placed.inserted_id()?;
            let mut total = 0;
            for line in &order.lines {
                total += sell(tx, id, line).await?;
            }
            Ok((id, total))
        })
        .await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": id, "total_cents": total }))).into_response())
}

/// Takes a line's pieces out of the stock. Returns their price.
async fn sell(tx: &mut Transaction<'_>, order: u64, line: &OrderLine) -> Result<u64, AppError> {
    let sql = "SELECT stock, price_cents FROM products WHERE id = ? FOR UPDATE";
    let (stock, price) = tx.query_one::<(u32, u64)>(sql, (line.product,)).await?;
    if stock < line.n {
        return Err(AppError::SoldOut { product: line.product, left: stock });
    }
    tx.execute("UPDATE products SET stock = stock - ? WHERE id = ?", (line.n, line.product)).await?;
    let sql = "INSERT INTO order_lines (order_id, product_id, n, price_cents) VALUES (?, ?, ?, ?)";
    tx.execute(sql, (order, line.product, line.n, price)).await?;
    Ok(price * u64::from(line.n))
}

/// A view of a page.
#[derive(Debug, Deserialize)]
struct View {
    path: String,
}

/// 201 once the view is committed. Views that arrive at the same time share a commit.
async fn view(State(app): State<App>, Json(view): Json<View>) -> Result<Response, AppError> {
    let inserted = app.views.insert((&view.path,)).await?;
    Ok((StatusCode::CREATED, Json(json!({ "id": inserted.id }))).into_response())
}

/// 200, or 503 if no connection can be had in time.
async fn health(State(app): State<App>) -> Result<Json<Value>, AppError> {
    app.pool.query_one::<u8>("SELECT 1", ()).await?;
    let status = app.pool.status();
    Ok(Json(json!({
        "pool": { "in_use": status.in_use, "idle": status.idle, "waiting": status.waiting, "max": status.max },
        "views": { "queued": app.views.status().queued },
    })))
}

/// The tables. Everything that a value must fulfil is here.
const TABLES: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS products (
        id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
        sku VARCHAR(20) NOT NULL,
        name VARCHAR(40) NOT NULL,
        price_cents INT UNSIGNED NOT NULL,
        stock INT UNSIGNED NOT NULL,
        details JSON NOT NULL,
        CONSTRAINT sku UNIQUE (sku),
        CONSTRAINT price_is_not_zero CHECK (price_cents > 0)
    ) ENGINE=InnoDB",
    "CREATE TABLE IF NOT EXISTS orders (
        id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
        customer VARCHAR(40) NOT NULL
    ) ENGINE=InnoDB",
    "CREATE TABLE IF NOT EXISTS order_lines (
        order_id BIGINT UNSIGNED NOT NULL,
        product_id BIGINT UNSIGNED NOT NULL,
        n INT UNSIGNED NOT NULL,
        price_cents INT UNSIGNED NOT NULL,
        PRIMARY KEY (order_id, product_id),
        FOREIGN KEY (order_id) REFERENCES orders (id),
        FOREIGN KEY (product_id) REFERENCES products (id)
    ) ENGINE=InnoDB",
    "CREATE TABLE IF NOT EXISTS views (
        id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
        path VARCHAR(200) NOT NULL
    ) ENGINE=InnoDB",
];
