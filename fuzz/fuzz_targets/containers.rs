//! gzip, Zstandard, zip -> plain bytes.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::containers(bytes));
