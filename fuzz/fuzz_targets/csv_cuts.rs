//! CSV of any dialect, cut in three ways -> the same records.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::soup::csv_cuts(bytes));
