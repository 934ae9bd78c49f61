//! The replies to many commands in one flight.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::pipeline(bytes));
