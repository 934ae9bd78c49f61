//! CSV of any dialect, looked at and taken apart -> the same verdict.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::csv_pass_through(bytes));
