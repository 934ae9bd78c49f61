//! What is found out of files, a line each with tabs between: the file, milliseconds, the codes of delimiter, quote and escape (`-` for none),
//! header, lines passed over, columns; or `error` and the message. For `benches/sniff/run`.

#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use inrush_files::{AutoDetect, CsvOptions, Format, open};
use std::time::Instant;

fn main() {
    let auto_detect = AutoDetect { delimiter: true, quote: true, header: true, skip: true, encoding: true };
    let options = CsvOptions::default().with_auto_detect(auto_detect);
    let code = |byte: Option<u8>| byte.map_or("-".to_owned(), |byte| byte.to_string());
    for path in std::env::args().skip(1) {
        let began = Instant::now();
        let file = open(&path, Format::Auto, &options);
        let millis = began.elapsed().as_secs_f64() * 1000.0;
        match &file {
            Err(error) => println!("{path}\t{millis:.2}\terror\t{}", error.message()),
            Ok(file) => {
                let Some(found) = file.as_csv().and_then(|csv| csv.found()) else { continue };
                let (delimiter, quote, escape) = (code(Some(found.delimiter)), code(found.quote), code(found.escape));
                let (header, skip, columns) = (found.header, found.skip, file.fields().len());
                println!("{path}\t{millis:.2}\t{delimiter}\t{quote}\t{escape}\t{header}\t{skip}\t{columns}");
            }
        }
    }
}
