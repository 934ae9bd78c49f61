//! A load whose spans go to an OpenTelemetry collector: `INRUSH_URL=mysql://user@host/database cargo run -- FILE TABLE`.

use inrush::{BadRows, Config, LoadOptions, Loader, Source};
use inrush_files::{CsvOptions, Format};
use opentelemetry::trace::TracerProvider;
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // OTEL_EXPORTER_OTLP_ENDPOINT names the collector; without it, it is the one at localhost:4318.
    let exporter = SpanExporter::builder().with_http().build()?;
    let resource = Resource::builder().with_service_name("nightly-load").build();
    let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("inrush"));
    // DEBUG has a span for each transaction and each statement, INFO one for the whole load.
    tracing_subscriber::registry().with(LevelFilter::DEBUG).with(layer).init();

    let end = load();
    // Sends what is still here: also if the load failed.
    provider.shutdown()?;
    end
}

fn load() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(file), Some(table)) = (arguments.next(), arguments.next()) else {
        return Err("usage: traces FILE TABLE".into());
    };
    let config = Config::from_url(&std::env::var("INRUSH_URL")?)?;
    let source = inrush_files::open(&file, Format::Auto, &CsvOptions::default())?;
    let options = LoadOptions::default().with_bad_rows(BadRows::Skip);
    let report = Loader::new(config, table).with_options(options).load(vec![source as Box<dyn Source>])?;
    println!("{} read, {} stored, {} rejected", report.read, report.stored, report.rejected);
    match report.stop {
        None => Ok(()),
        Some(stop) => Err(format!("{stop:?}").into()),
    }
}
