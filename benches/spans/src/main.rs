//! Loads a CSV file by one connection: `spans-bench FILE TABLE ROWS_OF_A_TRANSACTION none|all`. With `all` every span of level debug is
//! made and given to a subscriber, which writes nothing.

use inrush::{BatchSize, Config, LoadOptions, Loader, Source};
use inrush_files::{CsvOptions, Format};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, table, rows, spans] = &arguments[..] else {
        return Err("usage: spans-bench FILE TABLE ROWS_OF_A_TRANSACTION none|all".into());
    };
    if spans == "all" {
        subscribe()?;
    }
    let rows = rows.parse()?;
    let options = LoadOptions::default().with_lanes(1).with_batch(BatchSize::Rows(rows));
    let csv = CsvOptions::default().with_batch_rows(Some(rows)).with_batch_bytes(BatchSize::MOST_BYTES);
    let source = inrush_files::open(file, Format::Csv, &csv)?;
    let config = Config::from_url(&std::env::var("INRUSH_URL")?)?;
    let report = Loader::new(config, table.clone()).with_options(options).load(vec![source as Box<dyn Source>])?;
    println!("{} rows in {} transactions", report.stored, report.chunks);
    Ok(())
}

#[cfg(feature = "tracing")]
fn subscribe() -> Result<(), Box<dyn std::error::Error>> {
    use tracing_subscriber::filter::LevelFilter;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::util::SubscriberInitExt;
    Ok(tracing_subscriber::registry().with(LevelFilter::DEBUG).try_init()?)
}

#[cfg(not(feature = "tracing"))]
fn subscribe() -> Result<(), Box<dyn std::error::Error>> {
    Err("built without the feature `tracing`".into())
}
