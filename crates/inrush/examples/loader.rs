//! A file into a table, each row exactly once: bad rows, a second run, what a program sees of it.
//!
//! `INRUSH_URL=mysql://user@host/database cargo run --example loader`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use inrush::blocking::Connection;
use inrush::{BadRows, Config, LoadEvent, LoadOptions, Loader, Report, Source, Stop};
use inrush_files::{CsvOptions, Format};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::from_url(&std::env::var("INRUSH_URL").unwrap_or_default())?;
    let mut connection = Connection::connect(&config)?;
    connection.execute("DROP TABLE IF EXISTS newcomers", ())?;
    connection.execute("CREATE TABLE newcomers (id INT PRIMARY KEY, name VARCHAR(40), age TINYINT UNSIGNED)", ())?;
    let path = std::env::temp_dir().join(format!("inrush-newcomers-{}.csv", std::process::id()));
    std::fs::write(&path, "id,name,age\n1,Ann,40\n2,Bob,old\n3,Cy,42\n")?;

    let file = path.to_string_lossy();
    let load = |bad_rows: BadRows| -> inrush::Result<Report> {
        let source = inrush_files::open(&file, Format::Auto, &CsvOptions::default())?;
        let options = LoadOptions::default().with_bad_rows(bad_rows).with_lanes(2);
        let loader = Loader::new(config.clone(), "newcomers").with_options(options);
        let loader = loader.with_event_handler(|event| {
            if let LoadEvent::Stored(chunk) = event {
                println!("a transaction of {} rows", chunk.rows);
            }
        });
        loader.load(vec![source as Box<dyn Source>])
    };

    // A row that its column does not hold stops the load. Nothing of its chunk is stored.
    if let Some(Stop::BadData(error)) = &load(BadRows::Stop)?.stop {
        println!("{error}; hint: {}", error.hint().unwrap_or_default());
    }

    // The same load again, without that row. It would go on where the first one stopped.
    let report = load(BadRows::Skip)?;
    println!("{} read, {} stored by this run, {} rejected", report.read, report.stored_by_this_run(), report.rejected);

    // And once more: every row is there already.
    let again = load(BadRows::Skip)?;
    println!("{} are stored, {} of them by this run", again.stored, again.stored_by_this_run());

    let rows: Vec<(u32, String)> = connection.query("SELECT id, name FROM newcomers ORDER BY id", ())?;
    println!("{rows:?}");
    connection.execute("DROP TABLE newcomers", ())?;
    std::fs::remove_file(&path)?;
    Ok(())
}
