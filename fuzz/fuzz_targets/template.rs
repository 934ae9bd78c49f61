//! A statement's text, taken apart.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::template(bytes));
