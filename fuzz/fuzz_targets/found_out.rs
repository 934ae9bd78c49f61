//! Any bytes -> what is found out of them, and the lines of a JSON document.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::found_out(bytes));
