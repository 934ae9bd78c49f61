//! Any bytes -> a dump in SQL: what is in it, and the rows of one table.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::dump(bytes));
