//! A statement with a value, prepared and executed.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::cached_execute(bytes));
