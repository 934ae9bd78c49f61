//! CSV of any dialect, read in two ways -> the same batches.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::csv(bytes));
