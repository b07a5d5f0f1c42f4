//! Hostile texts: one piece repeated in every place that a reader parses.
//!
//! A reader that is not linear would take minutes here, or gigabytes.

use std::collections::BTreeMap;

use afresh_import::detect::PlanFormat;
use afresh_import::formats::{agent_os, gsd2, spec_kit, specflow};

use crate::folders::plan_or_located_problems;

const BYTES: usize = 100_000;

const PIECES: &[&str] = &[
    "(",
    ")",
    "`",
    "``` ",
    "|",
    "| a ",
    "[",
    "[P] ",
    "*",
    "**S01: ",
    "#",
    "# ",
    "<br>",
    "<!--",
    "-->",
    "- [ ] ",
    "\n- [ ] ",
    "\n- [ ] T1 a",
    "\n  - [ ] 1.1 x",
    "\n\n - x",
    "\n```",
    "\n---\n",
    "\n| a | b |",
    "\n| G1 | `mod.rs` (R1-R9) | G1-G9, all |",
    "G1-G9, ",
    "G1; ",
    "R1-R9 a/mod.rs ",
    "T1 after ",
    "after; ",
    "depends on T1) ",
    "requires T1-T9 → ",
    "User Story 1 ",
    "US1: after US2 - ",
    "Task Group 1-9, ",
    "\n#### Task Group 1: x\n**Dependencies:** 1-9",
    "\n## Phase 1\n- [ ] T1 x in a.py",
    "`depends:[S01,",
    "\n> ",
    "a: b\n",
    "\u{e9}",
    "\t",
    " ",
];

/// The text around the pieces: nothing, or a place that the reader parses.
fn places(format: &str) -> &'static [(&'static str, &'static str)] {
    match format {
        "specflow" => &[
            ("", ""),
            ("---\nid: ", "\n---\n"),
            ("# T\n## Requirements\n### R1 ", "\n"),
            (
                "# T\n## Acceptance Criteria\n- ",
                "\n### Task Groups\n| Group | Tasks | Dependencies |\n|-|-|-|\n| G1 | mod.rs R1 | — |\n",
            ),
            ("### Task Groups\n| Group | Tasks | Dependencies |\n|-|-|-|\n| G1 | x | ", " |\n"),
            ("### Task Groups\n| Group | Tasks | Dependencies |\n|-|-|-|\n| G1 | ", " | — |\n"),
            ("## Files to Create\n- ", "\n"),
        ],
        "agent-os" => &[
            ("", "\n#### Task Group 1: x\n"),
            ("#### Task Group 1: ", "\n"),
            ("#### Task Group 1: x\n**Dependencies:** ", "\n- [ ] 1.1 y\n"),
            ("#### Task Group 1: x\n- [ ] 1.1 ", "\n"),
        ],
        "spec-kit" => &[
            ("", "\n- [ ] T1 x\n"),
            ("## Phase 1\n- [ ] T1 ", "\n"),
            ("## Phase 1 ", "\n- [ ] T1 x\n"),
            ("## Phase 1\n- [ ] T1 x\n## Dependencies\n- ", "\n"),
        ],
        _ => &[
            ("", ""),
            ("- [ ] **S01: x** ", "\n"),
            ("- [ ] **S01: x**\n- [ ] **T01: y**\n  - Verify: ", "\n"),
        ],
    }
}

fn hostile(format: &PlanFormat, file: &str, beside: &[(&str, &str)]) {
    for piece in PIECES {
        let many = piece.repeat(BYTES / piece.len());
        for (before, behind) in places(format.name) {
            let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
            files.insert(file.to_owned(), format!("{before}{many}{behind}").into_bytes());
            for (path, text) in beside {
                files.insert((*path).to_owned(), text.as_bytes().to_vec());
            }
            plan_or_located_problems(format, &files);
        }
    }
}

/// FO-06
#[test]
fn hostile_specs_are_read_in_linear_time() {
    hostile(&specflow::FORMAT, ".specflow/specs/SPEC-1.md", &[]);
}

/// FO-06
#[test]
fn hostile_task_groups_are_read_in_linear_time() {
    hostile(&agent_os::FORMAT, "agent-os/specs/x/tasks.md", &[]);
}

/// FO-06
#[test]
fn hostile_task_lines_are_read_in_linear_time() {
    hostile(&spec_kit::FORMAT, "specs/x/tasks.md", &[]);
}

/// FO-06: a hostile roadmap, and a hostile slice.
#[test]
fn hostile_milestones_are_read_in_linear_time() {
    hostile(&gsd2::FORMAT, ".gsd/milestones/M001/M001-ROADMAP.md", &[]);
    let roadmap = (".gsd/milestones/M001/M001-ROADMAP.md", "- [ ] **S01: x**\n");
    hostile(&gsd2::FORMAT, ".gsd/milestones/M001/slices/S01/S01-PLAN.md", &[roadmap]);
    let slice = (".gsd/milestones/M001/slices/S01/S01-PLAN.md", "- [ ] **T01: x**\n");
    hostile(&gsd2::FORMAT, ".gsd/milestones/M001/slices/S01/tasks/T01-PLAN.md", &[roadmap, slice]);
}
