//! Summaries, roadmaps, states and issues.

use super::{difference, files, finish, task};

const PLAN: &str = "---\nphase: 01-base\nplan: 01\ntype: execute\nrequirements: [REQ-1]\n---\n\n<objective>Lay it</objective>\n<task type=\"auto\">\n<name>One</name>\n<files>src/a.rs</files>\n<verify>cargo test</verify>\n</task>\n";

const ROADMAP: &str = "# Roadmap\r\n\r\n- [ ] **Phase 1: Base** - first\r\n- [ ] **Phase 2: More** - next\r\n\r\n### Phase 1: Base\r\n**Plans**: 0/2 plans executed\r\n\r\nPlans:\r\n- [ ] 01-01-PLAN.md — Lay it\r\n- [ ] 01-02-PLAN.md — Build on it\r\n\r\n## Progress\r\n\r\n| Phase | Plans Complete | Status | Completed |\r\n|-------|----------------|--------|-----------|\r\n| 1. Base | 0/2 | Not started | - |\r\n| 2. More | 0/1 | Not started | - |\r\n";

const STATE: &str = "---\ngsd_state_version: 1.0\nstatus: executing\nprogress:\n  total_plans: 3\n  completed_plans: 0\n  percent: 0\n---\n# Project State\n\n## Current Position\n\nPhase: 1 of 2 (Base)\nPlan: 0 of 2 in current phase\nStatus: Ready to execute\nLast activity: 2026-11-01 — planned\n\nProgress: [░░░░░░░░░░] 0%\n\nMy own words: Status unknown.\n";

/// FO-07, FO-02: a plan of GSD has a summary; roadmap, state and issues follow; the last plan ends its phase.
#[test]
fn a_plan_of_gsd_is_shown_as_done() {
    let home = ".planning/phases/01-base";
    let old = files(&[
        (&format!("{home}/01-01-PLAN.md"), PLAN),
        (
            &format!("{home}/01-02-PLAN.md"),
            &PLAN.replace("plan: 01", "plan: 02\ndepends_on: [01-01]"),
        ),
        (".planning/phases/02-more/02-01-PLAN.md", &PLAN.replace("01-base", "02-more")),
        (".planning/ROADMAP.md", ROADMAP),
        (".planning/STATE.md", STATE),
    ]);
    let first = finish("gsd", &old, &task("01-01")).expect("written");
    insta::assert_snapshot!("gsd_first_plan", difference(&old, &first));
    // Also the issues: a second time adds nothing.
    assert_eq!(finish("gsd", &first, &task("01-01")), Ok(first.clone()));
    let second = finish("gsd", &first, &task("01-02")).expect("written");
    insta::assert_snapshot!("gsd_last_plan_of_a_phase", difference(&first, &second));
    let third = finish("gsd", &second, &task("02-01")).expect("written");
    let state = String::from_utf8_lossy(&third[".planning/STATE.md"]).into_owned();
    assert!(state.contains("Phase: 2 of 2 (more)\nPlan: 1 of 1 in current phase\n"), "{state}");
}

/// FO-07: labels and tables of the user, in other sections and in comments, stay; so does a note after a phase's name.
#[test]
fn words_of_the_user_in_a_state_are_kept() {
    let position = "<!-- \nStatus: Ready | Done\n-->\n## Current Position\nPhase: 1 of 2 (Base) - blocked on legal\nStatus: Ready <!-- mine -->\n\n## Blockers\n- Status: waiting for vendor\n";
    let table = "## Risks\n| Phase | Status |\n|---|---|\n| 2. More | waits for Ann |\n";
    let roadmap = format!("{table}\n## Progress\n{}", table.replace("waits for Ann", "Planned"));
    let old = files(&[
        (".planning/phases/02-more/02-01-PLAN.md", &PLAN.replace("01-base", "02-more")),
        (".planning/STATE.md", position),
        (".planning/ROADMAP.md", &roadmap),
    ]);
    let new = finish("gsd", &old, &task("02-01")).expect("written");
    let text = |file: &str| String::from_utf8_lossy(&new[file]).into_owned();
    let expected = position
        .replace("1 of 2 (Base)", "2 of 2 (more)")
        .replace("Status: Ready <", "Status: Phase complete <");
    assert_eq!(text(".planning/STATE.md"), expected);
    assert_eq!(text(".planning/ROADMAP.md"), roadmap.replace("Planned", "Complete"));
    let twice = "# State\nStatus: one\n\n## Blockers\nStatus: two\n";
    let mut old = old;
    old.insert(".planning/STATE.md".to_owned(), twice.into());
    let new = finish("gsd", &old, &task("02-01")).expect("written");
    assert_eq!(new[".planning/STATE.md"], twice.as_bytes());
}

/// FO-07: an issue with the highest number there is does not stop the writer.
#[test]
fn the_number_of_an_issue_has_an_end() {
    let old = files(&[
        (".planning/phases/01-base/01-01-PLAN.md", PLAN),
        (".planning/ISSUES.md", "- ISS-4294967295: old\n"),
    ]);
    let new = finish("gsd", &old, &task("01-01")).expect("written");
    assert!(new[".planning/ISSUES.md"].starts_with(b"- ISS-4294967295: old\n- **ISS-4294967295**"));
}

/// FO-07: a summary that says that work is left is corrected in its status alone.
#[test]
fn a_blocked_summary_is_corrected() {
    let old = files(&[
        (".planning/phases/01-base/01-01-PLAN.md", PLAN),
        (
            ".planning/phases/01-base/01-01-SUMMARY.md",
            "---\nstatus: blocked\nwho: me\n---\nWaits.\n",
        ),
    ]);
    let new = finish("gsd", &old, &task("01-01")).expect("written");
    let summary = &new[".planning/phases/01-base/01-01-SUMMARY.md"];
    assert_eq!(summary, b"---\nstatus: complete\nwho: me\n---\nWaits.\n");
}

/// FO-07, FO-01: a plan of long-run: the summary, its boxes in tasks.md, the state and the issues.
#[test]
fn a_plan_of_long_run_is_shown_as_done() {
    let plan = "---\nplan: 01\ntask_group: Data\nsource_tasks: [\"1.1\", \"1.2\"]\n---\n<task type=\"auto\">\n<name>One</name>\n<files>src/a.rs</files>\n<verify>cargo test</verify>\n</task>\n";
    let second = plan.replace("plan: 01", "plan: 02").replace("\"1.1\", \"1.2\"", "\"2.1\"");
    let old = files(&[
        ("x/.long-run/plans/01-PLAN.md", plan),
        ("x/.long-run/plans/02-PLAN.md", &second),
        (
            "x/.long-run/STATE.md",
            "# State\n\n## Current Position\n- Current plan: 01\n- Plans completed: 0/2\n- Progress: [░░░░░░░░░░] 0%\n",
        ),
        ("x/.long-run/ISSUES.md", "# Issues\n\n- **ISS-007** (me): old"),
        ("x/tasks.md", "- [ ] 1.1 Model\n- [ ] 1.2 Migration\n- [ ] 2.1 API\n"),
        ("x/spec.md", "# Spec\n"),
    ]);
    let new = finish("long-run", &old, &task("01")).expect("written");
    insta::assert_snapshot!(difference(&old, &new));
}

/// FO-07, FO-04: the state of an execution after each group; summary, status and STATE.md after the last one.
#[test]
fn a_spec_of_specflow_is_executed_and_then_waits_for_review() {
    let spec = "---\nid: SPEC-007\nstatus: audited   \npriority: high\n---\n# Export\n\n## Files to Create\n- `src/a.rs`\n- `src/b.rs`\n\n## Implementation Tasks\n\n### Task Groups\n| Group | Wave | Tasks | Dependencies | Est. Context |\n|---|---|---|---|---|\n| G1 | 1 | Create `src/a.rs` | — | 10% |\n| G2 | 2 | Create `src/b.rs` | G1 | 10% |";
    let state = "# State\n\n- **Active Specification:** SPEC-007\n- **Status:** running\n- **Next Step:** /sf:run\n\n## Queue\n\n| # | ID | Title | Status |\n|---|---|---|---|\n| 1 | SPEC-007 | Export | running |\n| 2 | SPEC-008 | Other | draft |\n\n## Audits\n\n| ID | Status |\n|---|---|\n| SPEC-007 | passed |\n";
    let old = files(&[(".specflow/specs/SPEC-007.md", spec), (".specflow/STATE.md", state)]);
    let first = finish("specflow", &old, &task("G1")).expect("written");
    insta::assert_snapshot!("specflow_first_group", difference(&old, &first));
    let mut last = task("G2");
    last.finished.insert("G1".to_owned());
    let second = finish("specflow", &first, &last).expect("written");
    insta::assert_snapshot!("specflow_last_group", difference(&first, &second));
}
