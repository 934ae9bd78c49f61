//! Any bytes -> the lines of a workbook's sheet.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_files::fuzz::workbook(bytes));
