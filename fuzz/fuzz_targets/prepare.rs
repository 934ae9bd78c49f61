//! The reply to a prepare.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::soup::prepare(bytes));
