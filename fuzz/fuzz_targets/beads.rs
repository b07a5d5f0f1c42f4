#![no_main]

#[path = "../properties.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| properties::one_file(
    &afresh_formats::beads::FORMAT,
    ".beads/issues.jsonl",
    bytes
));
