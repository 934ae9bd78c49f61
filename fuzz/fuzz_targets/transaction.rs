//! A transaction's beginning, its end, or the release of a savepoint.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::transaction(bytes));
