//! JSON Lines, read in two ways -> the same rows.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::jsonl(bytes));
