//! Rows, text and binary, of any columns.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::arrow(bytes));
