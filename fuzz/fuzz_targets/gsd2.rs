#![no_main]

#[path = "../properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| properties::files(&afresh_formats::gsd2::FORMAT, bytes));
