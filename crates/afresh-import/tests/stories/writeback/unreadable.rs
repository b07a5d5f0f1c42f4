//! Files that are there and cannot be read, or have no place for what is finished, keep every byte.

use super::{PlanFiles, files, finish, task};
use afresh_import::writeback::WritebackProblem;

fn unreadable(file: &str) -> Result<PlanFiles, WritebackProblem> {
    Err(WritebackProblem::Unreadable(file.to_owned()))
}

const SPEC: &str = "---\nid: SPEC-007\nstatus: audited\n---\n# Export\n\n## Files to Create\n- `src/a.rs`\n- `src/b.rs`\n\n## Implementation Tasks\n\n### Task Groups\n| Group | Wave | Tasks | Dependencies | Est. Context |\n|---|---|---|---|---|\n| G1 | 1 | Create `src/a.rs` | — | 10% |\n| G2 | 2 | Create `src/b.rs` | G1 | 10% |\n";

/// FO-07: a state of `SpecFlow` that is no JSON, or does not name the group, is not replaced by a new one.
#[test]
fn a_state_that_does_not_name_the_group_is_kept() {
    let file = ".specflow/execution/SPEC-007-state.json";
    let with = |state: &str| files(&[(".specflow/specs/SPEC-007.md", SPEC), (file, state)]);
    assert_eq!(finish("specflow", &with("{\"waves\": [,]"), &task("G1")), unreadable(file));
    let no_place = Err(WritebackProblem::NoPlace(file.to_owned()));
    for state in ["{\"mine\": 1}", "{\"waves\": [{\"groups\": [\"G9\"]}]}"] {
        assert_eq!(finish("specflow", &with(state), &task("G1")), no_place, "{state}");
    }
}

const GSD: &str = "---\nphase: 01-base\nplan: 01\n---\n<objective>Lay it</objective>\n<task type=\"auto\">\n<name>One</name>\n<files>src/a.rs</files>\n<verify>cargo test</verify>\n</task>\n";
const LONG_RUN: &str = "---\nplan: 01\n---\n<task type=\"auto\">\n<name>One</name>\n<files>src/a.rs</files>\n<verify>cargo test</verify>\n</task>\n";

/// FO-07: issues and summaries in Latin-1, or beyond the limit of a file, are not replaced by new ones.
#[test]
fn unreadable_documents_are_kept() {
    let latin = b"# Issues\n\n- Caf\xe9\n".to_vec();
    let large = vec![b'x'; 32 << 20];
    let gsd = (".planning/phases/01-base/01-01-PLAN.md", GSD);
    let long_run = ("x/.long-run/plans/01-PLAN.md", LONG_RUN);
    let cases = [
        ("gsd", gsd, "01-01", ".planning/ISSUES.md"),
        ("gsd", gsd, "01-01", ".planning/phases/01-base/01-01-SUMMARY.md"),
        ("long-run", long_run, "01", "x/.long-run/ISSUES.md"),
        ("long-run", long_run, "01", "x/.long-run/summaries/01-SUMMARY.md"),
    ];
    for (name, plan, id, file) in cases {
        for content in [&latin, &large] {
            let mut old = files(&[plan, ("x/spec.md", "# Spec\n")]);
            old.insert(file.to_owned(), content.clone());
            assert_eq!(finish(name, &old, &task(id)), unreadable(file), "{file}");
        }
    }
}

/// FO-07: a result of Tasker from an earlier execution is corrected in its status; one that is no JSON is kept.
#[test]
fn an_earlier_result_is_corrected() {
    let one = r#"{"id":"T001","name":"one","phase":1,"behaviors":["B1"],"files":[],"acceptance_criteria":[]}"#;
    let file = ".tasker/bundles/T001-result.json";
    let with = |result: &str| files(&[(".tasker/tasks/T001.json", one), (file, result)]);
    let old = with("{\n  \"status\" : \"failed\",\n  \"notes\": \"mine\"\n}\n");
    let new = finish("tasker", &old, &task("T001")).expect("written");
    assert_eq!(
        String::from_utf8_lossy(&new[file]),
        "{\n  \"status\" : \"success\",\n  \"notes\": \"mine\",\n  \"completed_at\": \"2026-11-18T20:14:59Z\"\n}\n"
    );
    assert_eq!(finish("tasker", &with("{\"status\": "), &task("T001")), unreadable(file));
}
