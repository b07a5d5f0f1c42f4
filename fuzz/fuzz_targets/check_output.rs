#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| afresh_fuzz::hold("check_output", bytes));
