//! A program with the code that `inrush tune --callers` prints: it is compiled, and a test compares it with what is printed.

#![allow(dead_code, reason = "it is compiled, and not run")]

#[rustfmt::skip]
async fn the_defaults(config: inrush::Config) -> inrush::Result<inrush::Inserted> {
    let pool = inrush::Pool::new(config.with_pool(inrush::PoolOptions::new()))?;
    let options = inrush::InserterOptions::new();
    let inserter = pool.inserter_with("visits", &options)?;
    inserter.insert(("/", 17)).await
}

#[rustfmt::skip]
async fn other_options(config: inrush::Config) -> inrush::Result<inrush::Inserted> {
    let pool = inrush::Pool::new(config.with_pool(inrush::PoolOptions::new().with_max(25)))?;
    let options = inrush::InserterOptions::new().with_lanes(4).with_batch_rows(64);
    let inserter = pool.inserter_with("shop.visits", &options)?;
    inserter.insert(("/", 17)).await
}

#[rustfmt::skip]
async fn more_lanes_than_connections(config: inrush::Config) -> inrush::Result<inrush::Inserted> {
    let pool = inrush::Pool::new(config.with_pool(inrush::PoolOptions::new().with_max(16)))?;
    let options = inrush::InserterOptions::new().with_lanes(16).with_batch_rows(64);
    let inserter = pool.inserter_with("visits", &options)?;
    inserter.insert(("/", 17)).await
}
