//! Compressed frames: bytes in any pieces -> packets.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| inrush_testkit::fuzz_harness::compressed(bytes));
