//! Replays the corpora of the fuzz targets, so that fixed bugs stay fixed.

#[path = "../../../fuzz/targets.rs"]
mod targets;

use std::fs;
use std::path::{Path, PathBuf};

use afresh_import::detect::FORMATS;
use targets::{TARGETS, hold};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn replay(target: &str) {
    let mut count = 0;
    for entry in fs::read_dir(fuzz().join("corpus").join(target)).expect("a corpus") {
        let bytes = fs::read(entry.expect("an entry").path()).expect("a file");
        // Truncated input too: a cheap way to unusual input.
        for end in [bytes.len(), bytes.len() / 2, bytes.len() / 3] {
            hold(target, &bytes[..end]);
        }
        count += 1;
    }
    assert!(count > 0, "no corpus for {target}");
}

/// B32: any text either is a result or is not.
#[test]
fn the_corpus_of_results_is_replayed() {
    replay("result");
}

/// FO-06: any bytes are a plan or located problems, and both are limited.
#[test]
fn the_corpora_of_plans_are_replayed() {
    TARGETS.iter().filter(|(target, _)| *target != "result").for_each(|(target, _)| replay(target));
}

/// FO-06: every plan format has a target, and `cargo fuzz` builds what is replayed here.
#[test]
fn every_format_has_a_fuzz_target() {
    let names: Vec<&str> = TARGETS.iter().map(|(target, _)| *target).collect();
    for format in FORMATS {
        assert!(names.contains(&format.name.replace('-', "_").as_str()), "{}", format.name);
    }
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).expect("its manifest");
    for name in &names {
        let program = fuzz().join(format!("fuzz_targets/{name}.rs"));
        let text = fs::read_to_string(&program).expect("a program");
        assert!(text.contains(&format!("hold(\"{name}\", bytes)")), "{name} runs another target");
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name} is not built");
    }
    let programs = fs::read_dir(fuzz().join("fuzz_targets")).expect("programs").count();
    assert_eq!(programs, names.len(), "a program that is replayed nowhere");
}
