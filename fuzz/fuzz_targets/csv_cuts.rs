//! CSV of any dialect, cut in three ways -> the same records.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::csv_cuts(bytes));
