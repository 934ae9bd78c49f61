//! An execution's results.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::execute(bytes));
