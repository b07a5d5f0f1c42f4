//! The fuzz targets by name: everything that reads untrusted bytes.
//!
//! Shared by the targets that `cargo fuzz` runs and by the ordinary tests that replay their corpora.
//! The properties to hold are in `properties`.

#![allow(unreachable_pub, reason = "a library for the targets, a module for the tests")]

#[path = "properties.rs"]
mod properties;

use afresh_import::detect::format_by_name;

/// Every target, and the file name for its bytes, unless they start with another one.
pub const TARGETS: &[(&str, &str)] = &[
    ("result", ""),
    ("proxy_head", ""),
    ("check_output", ""),
    ("checkpoint", "02-CHECKPOINT.json"),
    ("project", "package.json"),
    ("native", "p.plan.toml"),
    ("long_run", ".long-run/plans/01-PLAN.md"),
    ("ultraplan", ".planning/phases/01-a/01-01-PLAN.md"),
    ("gsd", ".planning/phases/01-a/01-01-PLAN.md"),
    ("specflow", ".specflow/specs/SPEC-001.md"),
    ("agent_os", "agent-os/specs/x/tasks.md"),
    ("spec_kit", "specs/001-x/tasks.md"),
    ("gsd2", ".gsd/milestones/M001/M001-ROADMAP.md"),
    ("tasker", ".tasker/tasks/T001.json"),
    ("task_master", ".taskmaster/tasks/tasks.json"),
    ("beads", ".beads/issues.jsonl"),
    ("openspec", "openspec/changes/add-rm/tasks.md"),
    ("kiro", ".kiro/specs/notes/tasks.md"),
    ("prd", "prd.json"),
    ("checklist", "TODO.md"),
];

/// Checks the properties of a target for these bytes.
///
/// # Panics
/// If a property does not hold.
pub fn hold(target: &str, bytes: &[u8]) {
    let first = TARGETS.iter().find(|(name, _)| *name == target).expect("a target").1;
    match target {
        "result" => properties::result(bytes),
        "proxy_head" => properties::proxy_head(bytes),
        "check_output" => properties::check_output(bytes),
        "checkpoint" => properties::checkpoint(first, bytes),
        "project" => properties::project(&files(first, bytes)),
        "native" => {
            for (path, text) in files(first, bytes) {
                properties::native(&path, &text);
            }
        }
        format => {
            let format = format_by_name(&format.replace('_', "-")).expect("a format");
            properties::plan(format, &files(first, bytes));
        }
    }
}

/// The start of a line that begins another file.
const FILE: &str = "--- ";

/// Splits bytes into files: each starts with a line `--- PATH`. Bytes before the first are `first`.
fn files(first: &str, bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let named = line.strip_prefix(FILE.as_bytes()).map(String::from_utf8_lossy);
        match (named, files.last_mut()) {
            (Some(path), _) => files.push((path.trim().to_owned(), Vec::new())),
            (None, Some((_, content))) => content.extend_from_slice(line),
            (None, None) => files.push((first.to_owned(), line.to_vec())),
        }
    }
    files
}
