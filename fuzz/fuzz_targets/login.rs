//! A login at any server.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::login(bytes));
