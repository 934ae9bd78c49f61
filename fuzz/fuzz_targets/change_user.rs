//! A change of user.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::change_user(bytes));
