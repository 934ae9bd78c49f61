//! The service on every test server: each endpoint and each of its statuses. Requests go to the router in this process; what is stored is
//! read through the server's own client program.
#![allow(clippy::unwrap_used, clippy::panic)]

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode, header};
use futures_util::future::join_all;
use inrush::Pool;
use inrush_testkit::patience::Wait;
use inrush_testkit::servers::{self, Schema};
use serde_json::{Value, json};
use shop::{App, router};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;
use tower::ServiceExt as _;

/// The service over a schema of its own.
struct Service {
    app: App,
    router: Router,
    schema: Schema,
}

impl Service {
    /// `options` belong to the URL: `pool-max=2`.
    async fn open(schema: Schema, options: &str) -> Self {
        let app = App::new(&format!("{}?{options}", schema.url())).unwrap();
        app.create_tables().await.unwrap();
        Self { router: router(app.clone()), app, schema }
    }

    async fn get(&self, path: &str) -> (StatusCode, Value) {
        self.call(Request::get(path).body(Body::empty()).unwrap()).await
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
        self.call(request.body(Body::from(body.to_string())).unwrap()).await
    }

    /// The status, and the body if it is JSON.
    async fn call(&self, request: Request<Body>) -> (StatusCode, Value) {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let status = response.status();
        let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }

    /// The body of `GET /products`, or the error that broke it off.
    async fn list(&self) -> Result<Bytes, String> {
        let request = Request::get("/products").body(Body::empty()).unwrap();
        let response = self.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()[header::CONTENT_TYPE], "application/x-ndjson");
        axum::body::to_bytes(response.into_body(), usize::MAX).await.map_err(|error| error.to_string())
    }

    /// Stores products with these stocks in the empty table. Their ids are 1, 2, ..
    async fn stock(&self, stocks: &[i64]) {
        let products: Vec<Value> = stocks.iter().enumerate().map(|(i, n)| product(&format!("p{i}"), *n)).collect();
        assert_eq!(self.post("/products/batch", json!(products)).await.0, StatusCode::CREATED);
    }

    /// The first value that a query returns.
    fn sql(&self, query: &str) -> String {
        self.schema.sql(query)[0][0].clone()
    }
}

fn product(sku: &str, stock: i64) -> Value {
    json!({ "sku": sku, "name": "a nut", "price_cents": 250, "stock": stock })
}

/// Runs a test on all servers at the same time, each in a thread of its name.
#[track_caller]
fn on_each_server(options: &str, test: impl AsyncFn(Service) + Sync) {
    thread::scope(|scope| {
        for server in servers::all() {
            let test = &test;
            let name = server.instance.clone();
            let on_one = move || {
                let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
                runtime.unwrap().block_on(async { test(Service::open(server.schema("shop"), options).await).await });
            };
            thread::Builder::new().name(name).spawn_scoped(scope, on_one).unwrap();
        }
    });
}

#[test]
fn a_product_is_stored_and_read() {
    on_each_server("", async |shop| {
        let nut = json!({
            "sku": "nut-8", "name": "a nut", "price_cents": 250, "stock": 7,
            "details": { "colour": "grün", "tags": ["steel", "M8"] },
        });
        let request = Request::post("/products").header(header::CONTENT_TYPE, "application/json");
        let request = request.body(Body::from(nut.to_string())).unwrap();
        let response = shop.router.clone().oneshot(request).await.unwrap();
        assert_eq!(
            (response.status(), &response.headers()[header::LOCATION] == "/products/1"),
            (StatusCode::CREATED, true)
        );

        let (status, read) = shop.get("/products/1").await;
        assert_eq!(status, StatusCode::OK);
        let mut want = nut;
        want["id"] = json!(1);
        assert_eq!(read, want);
        let not_found = json!({ "error": "not found", "column": null, "constraint": null, "row": null });
        assert_eq!(shop.get("/products/2").await, (StatusCode::NOT_FOUND, not_found));
        assert_eq!(shop.get("/products/nut").await.0, StatusCode::BAD_REQUEST);
    });
}

#[test]
fn what_the_table_refuses_is_a_status_of_its_own() {
    on_each_server("", async |shop| {
        assert_eq!(shop.post("/products", product("nut", 1)).await.0, StatusCode::CREATED);
        let with = |key: &str, value: Value| {
            let mut changed = product("bolt", 1);
            changed[key] = value;
            changed
        };
        let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
        for (new, want, text, column) in [
            (product("nut", 2), StatusCode::CONFLICT, "exists already", None),
            (with("price_cents", json!(0)), unprocessable, "not allowed", None),
            (with("name", Value::Null), unprocessable, "missing", Some("name")),
            (with("name", json!("x".repeat(41))), unprocessable, "too long", Some("name")),
            (with("stock", json!(-1)), unprocessable, "out of range", Some("stock")),
        ] {
            let (status, body) = shop.post("/products", new).await;
            assert_eq!((status, &body["error"], body["column"].as_str()), (want, &json!(text), column), "{body}");
        }
        let (_, taken) = shop.post("/products", product("nut", 2)).await;
        assert_eq!(taken["constraint"], "sku");
        let (_, zero) = shop.post("/products", with("price_cents", json!(0))).await;
        assert_eq!(zero["constraint"], "price_is_not_zero");
        // What is no product at all is refused before the database sees it.
        assert_eq!(shop.post("/products", json!({ "sku": 3 })).await.0, unprocessable);
        assert_eq!(shop.sql("SELECT COUNT(*) FROM products"), "1");
    });
}

#[test]
fn many_products_are_stored_together_and_listed_line_by_line() {
    on_each_server("pool-max=1", async |shop| {
        let many: Vec<Value> = (0..10_000).map(|i| product(&format!("p{i}"), i)).collect();
        let stored = shop.post("/products/batch", json!(many)).await;
        assert_eq!(stored, (StatusCode::CREATED, json!({ "stored": 10_000 })));

        let body = shop.list().await.unwrap();
        let lines: Vec<Value> =
            body.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        assert_eq!(lines.len(), 10_000);
        assert!(lines.iter().enumerate().all(|(i, line)| line["stock"] == i && line["sku"] == format!("p{i}")));

        // A client that leaves early: the only connection goes back to the pool.
        let request = Request::get("/products").body(Body::empty()).unwrap();
        drop(shop.router.clone().oneshot(request).await.unwrap());
        assert_eq!(shop.get("/health").await.0, StatusCode::OK);
    });
}

#[test]
fn a_bad_row_of_many_is_named_and_none_is_stored() {
    on_each_server("", async |shop| {
        for (bad, want, text) in [
            (product("p0", 1), StatusCode::CONFLICT, "exists already"),
            (product("p3", -1), StatusCode::UNPROCESSABLE_ENTITY, "out of range"),
        ] {
            let (status, body) = shop.post("/products/batch", json!([product("p0", 1), product("p1", 1), bad])).await;
            assert_eq!((status, &body["error"], &body["row"]), (want, &json!(text), &json!(2)), "{body}");
        }
        assert_eq!(shop.sql("SELECT COUNT(*) FROM products"), "0");
    });
}

#[test]
fn a_list_that_fails_half_way_is_broken_off() {
    on_each_server("", async |shop| {
        shop.stock(&[1, 2]).await;
        shop.schema.sql("UPDATE products SET details = '7' WHERE id = 2");
        assert_eq!(shop.list().await.unwrap_err(), "the list was broken off");
        assert_eq!(
            shop.get("/products/2").await,
            (StatusCode::INTERNAL_SERVER_ERROR, json!({ "error": "internal error" }))
        );
    });
}

#[test]
fn an_order_takes_all_its_lines_or_none() {
    on_each_server("", async |shop| {
        shop.stock(&[5, 1]).await;
        let order = |lines: Value| json!({ "customer": "Ann", "lines": lines });
        let (status, placed) =
            shop.post("/orders", order(json!([{ "product": 1, "n": 2 }, { "product": 2, "n": 1 }]))).await;
        assert_eq!((status, &placed["total_cents"]), (StatusCode::CREATED, &json!(750)));

        let sold_out = shop.post("/orders", order(json!([{ "product": 1, "n": 1 }, { "product": 2, "n": 1 }]))).await;
        let want = json!({ "error": "sold out", "product": 2, "left": 0 });
        assert_eq!(sold_out, (StatusCode::CONFLICT, want));
        let unknown = shop.post("/orders", order(json!([{ "product": 1, "n": 1 }, { "product": 9, "n": 1 }]))).await;
        assert_eq!(unknown.0, StatusCode::NOT_FOUND);
        let twice = shop.post("/orders", order(json!([{ "product": 1, "n": 1 }, { "product": 1, "n": 1 }]))).await;
        assert_eq!((twice.0, &twice.1["constraint"]), (StatusCode::CONFLICT, &json!("PRIMARY")));
        let long = json!({ "customer": "x".repeat(41), "lines": [] });
        assert_eq!(shop.post("/orders", long).await.0, StatusCode::UNPROCESSABLE_ENTITY);

        assert_eq!(shop.sql("SELECT GROUP_CONCAT(stock ORDER BY id) FROM products"), "3,0");
        assert_eq!(shop.sql("SELECT CONCAT(COUNT(DISTINCT order_id), ' ', COUNT(*)) FROM order_lines"), "1 2");
        assert_eq!(shop.sql("SELECT COUNT(*) FROM orders"), "1");
    });
}

/// Both orders hold a product that the other one needs, and wait for a third one, which the test holds. When it is let go, one of them
/// gets it and waits for the other: a deadlock.
#[test]
fn of_two_orders_that_deadlock_one_runs_again() {
    on_each_server("", async |shop| {
        shop.stock(&[10, 10, 10]).await;
        let pool = Pool::new(&shop.schema.url()).unwrap();
        let mut connection = pool.get().await.unwrap();
        let mut held = connection.begin().await.unwrap();
        held.query_one::<u64>("SELECT id FROM products WHERE id = 3 FOR UPDATE", ()).await.unwrap();

        let order = |products: [u64; 3]| {
            let lines: Vec<Value> = products.iter().map(|id| json!({ "product": id, "n": 1 })).collect();
            shop.post("/orders", json!({ "customer": "Ann", "lines": lines }))
        };
        let release = async {
            let free = "SELECT id FROM products WHERE id IN (1, 2) FOR UPDATE SKIP LOCKED";
            let wait = Wait::begin();
            while !pool.query::<u64>(free, ()).await.unwrap().is_empty() {
                wait.check("the orders' locks");
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            held.rollback().await.unwrap();
        };
        let (one, other, ()) = tokio::join!(order([1, 3, 2]), order([2, 3, 1]), release);
        assert_eq!((one.0, other.0), (StatusCode::CREATED, StatusCode::CREATED));
        assert_eq!(shop.sql("SELECT GROUP_CONCAT(stock) FROM products"), "8,8,8");
        // The id of the run that was rolled back is missing.
        assert_eq!(shop.sql("SELECT CONCAT(COUNT(*), ' ', MAX(id)) FROM orders"), "2 3");
    });
}

#[test]
fn views_that_arrive_together_are_each_stored() {
    on_each_server("", async |shop| {
        let answers = join_all((0..200).map(|i| shop.post("/views", json!({ "path": format!("/{i}") })))).await;
        let mut ids: Vec<u64> = answers.iter().filter_map(|(_, body)| body["id"].as_u64()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert!(answers.iter().all(|(status, _)| *status == StatusCode::CREATED) && ids.len() == 200, "{answers:?}");
        assert_eq!(shop.sql("SELECT COUNT(DISTINCT path) FROM views"), "200");

        let (good, bad) = tokio::join!(
            shop.post("/views", json!({ "path": "/" })),
            shop.post("/views", json!({ "path": "x".repeat(201) })),
        );
        assert_eq!((good.0, bad.0), (StatusCode::CREATED, StatusCode::UNPROCESSABLE_ENTITY));
        assert_eq!((&bad.1["error"], &bad.1["column"]), (&json!("too long"), &json!("path")));
    });
}

#[test]
fn without_a_free_connection_requests_end_with_503() {
    on_each_server("pool-max=1&pool-acquire-timeout=2", async |shop| {
        shop.stock(&[1]).await;
        let (status, healthy) = shop.get("/health").await;
        assert_eq!((status, &healthy["pool"]["max"]), (StatusCode::OK, &json!(1)));

        // A client that reads slowly has the only connection.
        let request = Request::get("/products").body(Body::empty()).unwrap();
        let slow = shop.router.clone().oneshot(request).await.unwrap();
        let busy = (StatusCode::SERVICE_UNAVAILABLE, json!({ "error": "too busy, try again later" }));
        assert_eq!(shop.get("/health").await, busy);
        assert_eq!(shop.get("/products/1").await, busy);
        let order = json!({ "customer": "Ann", "lines": [{ "product": 1, "n": 1 }] });
        assert_eq!(shop.post("/orders", order).await, busy);
        drop(slow);
        assert_eq!(shop.get("/health").await.0, StatusCode::OK);
        assert_eq!(shop.sql("SELECT COUNT(*) FROM orders"), "0");
    });
}

#[test]
fn while_the_database_is_down_requests_end_with_503_and_when_to_come_back() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let shop = router(App::new(&format!("mysql://app@127.0.0.1:{nobody}/shop")).unwrap());
        for path in ["/health", "/products/1"] {
            let response = shop.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
            assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
            assert_eq!(response.headers()[header::RETRY_AFTER], "1");
        }
    });
}

#[test]
fn a_closed_service_answers_503() {
    on_each_server("", async |shop| {
        assert_eq!(shop.post("/views", json!({ "path": "/" })).await.0, StatusCode::CREATED);
        assert!(shop.app.close(Duration::from_secs(10)).await.unwrap());
        assert_eq!(shop.get("/health").await.0, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(shop.sql("SELECT COUNT(*) FROM views"), "1");
    });
}

#[test]
fn an_internal_error_says_nothing_of_the_server() {
    on_each_server("", async |shop| {
        shop.schema.sql("DROP TABLE order_lines; DROP TABLE products");
        let internal = (StatusCode::INTERNAL_SERVER_ERROR, json!({ "error": "internal error" }));
        assert_eq!(shop.get("/products/1").await, internal);
        assert_eq!(shop.get("/products").await, internal);
        assert_eq!(shop.post("/products", product("nut", 1)).await, internal);
    });
}

/// The same time-out twice. An INSERT that commits by itself may be stored. An order is not: it was not committed.
#[test]
fn a_time_out_says_whether_the_outcome_is_known() {
    on_each_server("", async |shop| {
        shop.stock(&[1]).await;
        // From here on: what comes before need not be in time.
        let app = App::new(&format!("{}?query-timeout=2", shop.schema.url())).unwrap();
        let shop = Service { router: router(app.clone()), app, ..shop };
        let pool = Pool::new(&shop.schema.url()).unwrap();
        let mut connection = pool.get().await.unwrap();
        let mut held = connection.begin().await.unwrap();
        held.query_one::<u64>("SELECT id FROM products WHERE sku = 'p0' FOR UPDATE", ()).await.unwrap();
        let order = json!({ "customer": "Ann", "lines": [{ "product": 1, "n": 1 }] });
        let (added, ordered) = tokio::join!(shop.post("/products", product("p0", 1)), shop.post("/orders", order));
        let unknown = json!({ "error": "it is unknown whether this was stored" });
        assert_eq!(added, (StatusCode::INTERNAL_SERVER_ERROR, unknown));
        let busy = json!({ "error": "too busy, try again later" });
        assert_eq!(ordered, (StatusCode::SERVICE_UNAVAILABLE, busy));
        held.rollback().await.unwrap();
    });
}

/// The program itself: it serves over a socket, and ends well after SIGTERM.
#[test]
fn the_program_ends_well_when_it_is_terminated() {
    for server in servers::all() {
        let schema = server.schema("shop");
        let mut program = Command::new(env!("CARGO_BIN_EXE_shop"))
            .env("DATABASE_URL", schema.url())
            .env("LISTEN", "127.0.0.1:0")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut log = BufReader::new(program.stderr.take().unwrap()).lines();
        let address = loop {
            let line = log.next().expect("the program ended").unwrap();
            if let Some((_, address)) = line.split_once("listening on ") {
                break address.to_owned();
            }
        };
        let mut client = TcpStream::connect(&address).unwrap();
        let body = r#"{"path":"/"}"#;
        let head = "POST /views HTTP/1.1\r\nhost: shop\r\nconnection: close\r\ncontent-type: application/json";
        write!(client, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 201 "), "{answer}");

        let kill = Command::new("kill").arg(program.id().to_string()).status().unwrap();
        assert!(kill.success() && program.wait().unwrap().success());
        assert_eq!(schema.sql("SELECT path FROM views"), [["/"]]);
    }
}
