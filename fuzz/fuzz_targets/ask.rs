//! A statement with a value, prepared and executed.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::soup::ask(bytes));
