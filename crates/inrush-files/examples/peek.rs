//! Shows what is found out about a file: `cargo run -p inrush-files --example peek FILE`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use inrush_core::load::FieldUse;
use inrush_files::{CsvOptions, Format, open};

fn main() -> inrush_core::error::Result<()> {
    for path in std::env::args().skip(1) {
        let mut reader = open(&path, Format::Auto, &CsvOptions::default())?;
        match reader.as_csv() {
            Some(csv) => println!("{path}: {:?}, {}", csv.compression(), csv.encoding().name()),
            None => println!("{path}"),
        }
        for field in reader.infer_types(1 << 20)? {
            let nullable = if field.nullable { ", values missing" } else { "" };
            println!("  {:16} {}{nullable} {:?}", field.name, field.ddl_type(), field.null_texts);
        }
        let uses: Vec<_> = (0..reader.fields().len())
            .map(|index| FieldUse { index, empty_is_null: true, ..FieldUse::default() })
            .collect();
        reader.select(&uses);
        let (mut rows, mut rejects) = (0, 0);
        while let Some(batch) = reader.next()? {
            rows += batch.rows.num_rows();
            rejects += batch.rejects.len();
        }
        println!("  {rows} rows, {rejects} rejects");
    }
    Ok(())
}
