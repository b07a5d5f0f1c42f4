//! What is wrong with one task, plan or file, and what only looks wrong.

use std::fmt::Write as _;

use afresh_formats::folder::MemoryFolder;
use afresh_import::detect::{ReadOptions, format_by_name};

use super::{blocked, codes, files, gsd_plan, needs, one, plan, read, task, waits};
use crate::rendered;

/// FO-11: GSD starts at 01 again with every milestone; all layouts in which the old phase may lie.
#[test]
fn two_phases_with_one_number_are_both_read() {
    let layouts = [
        ".planning/phases/01-old/01-01",
        ".planning/milestones/v7.0-abandoned/phases/01-x/01-01",
        ".planning/milestones/v1.0-phases/01-x/01-01",
        ".planning/archive/01-x/01-01",
        ".planning/phases/01-New/01-01",
    ];
    for old in layouts {
        for finished in [true, false] {
            let mut all = files(&[
                (".planning/phases/01-new/01-01-PLAN.md", gsd_plan("", "a.txt", "npm test")),
                (".planning/phases/01-new/01-02-PLAN.md", gsd_plan("01-01", "b.txt", "npm test")),
                (".planning/phases/02-b/02-01-PLAN.md", gsd_plan("", "c.txt", "npm test")),
            ]);
            all.push((format!("{old}-PLAN.md"), gsd_plan("", "old.txt", "npm test")));
            if finished {
                all.push((format!("{old}-SUMMARY.md"), "# Done\n".to_owned()));
            }
            let reading = read("gsd", &all);
            let plan = plan(&reading);
            assert_eq!(plan.len(), 4, "{old}");
            assert!(!reading.findings.iter().any(afresh_formats::Finding::is_error), "{old}");
            let new =
                plan.tasks().iter().find(|task| task.may_write("a.txt")).expect("the new one");
            let second =
                plan.tasks().iter().find(|task| task.may_write("b.txt")).expect("the second");
            assert_eq!(
                second.needs,
                std::slice::from_ref(&new.id),
                "{old}: a plan of its own phase is meant"
            );
            let last = plan.tasks().iter().find(|task| task.may_write("c.txt")).expect("the last");
            assert!(waits(plan, last, second.id.as_str()), "{old}: phase 02 waits for the new 01");
            let open = plan.tasks().iter().filter(|task| task.done_before.is_none()).count();
            let archived = old.contains("milestones") || old.contains("archive");
            assert_eq!(open, if finished || archived { 3 } else { 4 }, "{old}");
        }
    }
}

/// FO-11: a phase waits for every phase before it that is open, also behind a finished one.
#[test]
fn a_phase_waits_for_all_open_phases_with_one_number() {
    let all = files(&[
        (".planning/phases/01-a/01-01-PLAN.md", gsd_plan("", "a.txt", "npm test")),
        (".planning/phases/01-b/01-01-PLAN.md", gsd_plan("", "b.txt", "npm test")),
        (".planning/phases/01-b/01-01-SUMMARY.md", "# Done\n".to_owned()),
        (".planning/phases/02-c/02-01-PLAN.md", gsd_plan("", "c.txt", "npm test")),
    ]);
    let reading = read("gsd", &all);
    assert!(needs(plan(&reading), "02-01").contains(&"01-a.01-01".to_owned()));
    let mut stated = all.clone();
    let roadmap = "### Phase 2: C\n**Depends on**: Phase 1\n".to_owned();
    stated.push((".planning/ROADMAP.md".to_owned(), roadmap));
    let reading = read("gsd", &stated);
    assert!(needs(plan(&reading), "02-01").contains(&"01-a.01-01".to_owned()));
}

/// FO-11: one plan of many that cannot be run blocks itself and what depends on it.
#[test]
fn a_fault_in_one_plan_blocks_that_plan_and_its_dependents() {
    let faults: [(&str, Vec<u8>); 5] = [
        (
            "unbalanced-task",
            b"---\ndepends_on: []\n---\n<task type=\"auto\">\n<name>cut off".to_vec(),
        ),
        (
            "unclosed-fence",
            b"---\ndepends_on: []\n---\n```\n<task>\n<name>x</name>\n</task>\n".to_vec(),
        ),
        ("not-utf8", b"---\nphase: \xff\n---\n".to_vec()),
        ("bad-path", gsd_plan("", ".git/config", "npm test").into_bytes()),
        ("cycle", gsd_plan("01-02", "b.txt", "npm test").into_bytes()),
    ];
    for (code, bytes) in faults {
        let path = |number: usize| format!(".planning/phases/01-a/01-0{number}-PLAN.md");
        let folder = MemoryFolder::new([
            (path(1), gsd_plan("", "a.txt", "npm test").into_bytes()),
            (path(2), bytes),
            (path(3), gsd_plan("01-02", "c.txt", "npm test").into_bytes()),
            (path(4), gsd_plan("01-01", "d.txt", "npm test").into_bytes()),
        ]);
        let reading = (format_by_name("gsd").expect("gsd").read)(&folder, &ReadOptions::default());
        let plan = plan(&reading);
        assert_eq!(blocked(&reading), ["01-02"], "{code}: {}", rendered(&reading));
        assert!(codes(&reading).contains(&code), "{code}: {}", rendered(&reading));
        assert!(task(plan, "01-02").checkpoint.is_some(), "{code}");
        assert_eq!(needs(plan, "01-03"), ["01-02"], "{code}");
        for id in ["01-01", "01-04"] {
            assert!(task(plan, id).checkpoint.is_none(), "{code}: {id} runs");
        }
    }
}

/// FO-11: faults of finished work are no faults.
#[test]
fn finished_work_never_refuses_anything() {
    let summary = || ".planning/phases/01-a/01-01-SUMMARY.md".to_owned();
    for bad in [&b"\xff\xfe"[..], b"<task>\n<task>", b"---\na: [\n---\n```\n<task>", b""] {
        let folder = MemoryFolder::new([
            (".planning/phases/01-a/01-01-PLAN.md".to_owned(), bad.to_vec()),
            (summary(), b"---\nstatus: complete\n---\n".to_vec()),
            (
                ".planning/phases/01-a/01-02-PLAN.md".to_owned(),
                gsd_plan("01-01", "b.txt", "npm test").into_bytes(),
            ),
        ]);
        let reading = (format_by_name("gsd").expect("gsd").read)(&folder, &ReadOptions::default());
        assert_eq!(plan(&reading).len(), 2);
        assert!(!reading.findings.iter().any(afresh_formats::Finding::is_error));
    }
    let issues = [
        r#"{"id":"a","title":"a","status":"closed","dependencies":[{"depends_on_id":"b","type":"blocks"}]}"#,
        r#"{"id":"b","title":"b","status":"closed","dependencies":[{"depends_on_id":"a","type":"blocks"},{"depends_on_id":"gone","type":"blocks"}]}"#,
        r#"{"id":"c","title":7.5,"status":"closed","dependencies":{}}"#,
        r#"{"id":"d","title":"d","status":"open","dependencies":[{"depends_on_id":"a","type":"blocks"},{"depends_on_id":"","type":"blocks"}]}"#,
    ];
    let reading = one("beads", ".beads/issues.jsonl", &issues.join("\n"));
    assert_eq!((plan(&reading).len(), reading.blocked.len()), (4, 0), "{}", rendered(&reading));
    assert_eq!(needs(plan(&reading), "d"), ["a"]);
    assert!(codes(&reading).contains(&"unresolved-dependency"), "the empty dependency is reported");
    let tasks = r#"{"tasks":[{"id":1,"title":"a","status":"done","dependencies":[2,99]},{"id":2,"title":"b","status":"pending","dependencies":[1]}]}"#;
    let reading = one("task-master", ".taskmaster/tasks/tasks.json", tasks);
    assert_eq!(needs(plan(&reading), "2"), ["1"]);
}

/// FO-11: among many issues, one broken line or value concerns that issue.
#[test]
fn a_broken_issue_blocks_only_itself() {
    for bad in [
        r#"{"id":"x","title":"x","status":"open","dependencies":"a"}"#,
        r#"{"id":"x","title":["x"],"status":"open","dependencies":[{"type":"blocks"}]}"#,
        r#"{"id":"x","title":"x","status":"open","dependencies":[{"depends_on_id":"nowhere"}]}"#,
    ] {
        let issues = [
            r#"{"id":"a","title":"a","status":"open"}"#,
            bad,
            r#"{"id":"y","title":"y","status":"open","dependencies":[{"depends_on_id":"x"}]}"#,
        ];
        let reading = one("beads", ".beads/issues.jsonl", &issues.join("\n"));
        assert_eq!(blocked(&reading), ["x"], "{bad}: {}", rendered(&reading));
        assert_eq!(needs(plan(&reading), "y"), ["x"], "{bad}");
        assert!(task(plan(&reading), "a").checkpoint.is_none());
    }
    let cut = "{\"id\":\"a\",\"title\":\"a\",\"status\":\"open\"}\n{\"id\":\"b\",";
    assert_eq!(plan(&one("beads", ".beads/issues.jsonl", cut)).len(), 1);
}

/// FO-11: ids with suffixes, and ids that repeat, in a list of Spec Kit.
#[test]
fn every_line_of_spec_kit_is_a_task() {
    let families: [&[&str]; 6] = [
        &["T071-A", "T071-B"],
        &["T158", "T158-1"],
        &["T019A", "T019B", "T019c"],
        &["T001", "T002.1", "T002.2"],
        &["M001", "M002"],
        &["T1", "T2"],
    ];
    for ids in families {
        let mut text = "## Phase 1: All\n".to_owned();
        for id in ids {
            let _ = writeln!(text, "- [ ] {id} Do it in src/{id}.rs");
        }
        let _ = writeln!(text, "- [ ] T900 Last (depends on {})", ids[0]);
        let reading = one("spec-kit", "specs/001-x/tasks.md", &text);
        let plan = plan(&reading);
        assert_eq!(plan.len(), ids.len() + 1, "{ids:?}: {}", rendered(&reading));
        for id in ids {
            assert!(task(plan, id).may_write(&format!("src/{id}.rs")), "{id}");
        }
        if ids[0].starts_with('T') {
            assert!(needs(plan, "T900").contains(&ids[0].to_owned()), "{ids:?}");
        }
    }
    let text = "## Phase 1: A\n- [ ] T082 One in src/a.rs\n## Phase 2: Polish\n- [ ] T082 Two in src/b.rs\n- [ ] T083 Three\n";
    let reading = one("spec-kit", "specs/001-x/tasks.md", text);
    assert!(task(plan(&reading), "T082.2").may_write("src/b.rs"));
    assert_eq!(needs(plan(&reading), "T082.2"), ["T082"]);
    assert_eq!(needs(plan(&reading), "T083"), ["T082.2"]);
    assert!(codes(&reading).contains(&"duplicate-id") && reading.blocked.is_empty());
}

/// FO-10, FO-11: tasks as boxes without ids and as headings.
#[test]
fn tasks_without_ids_and_as_headings_are_tasks() {
    let spec = |text: &str| {
        read(
            "spec-kit",
            &files(&[
                ("specs/001-x/spec.md", "# Spec\n".to_owned()),
                ("specs/001-x/tasks.md", text.to_owned()),
            ]),
        )
    };
    let reading = spec("## Phase 1\n- [ ] Write src/a.rs\n- [x] Write src/b.rs\n");
    assert_eq!(plan(&reading).len(), 2);
    let reading = spec(
        "## Phase 1\n#### T001: Write src/a.rs [P]\n- [ ] part\n- [ ] other\n#### T002: Write src/b.rs [P]\n- [x] part\n",
    );
    let found = plan(&reading);
    assert_eq!((found.len(), task(found, "T001").steps.len()), (2, 2));
    assert!(task(found, "T002").done_before.is_some() && needs(found, "T002").is_empty());
    let os = |text: &str| one("agent-os", "agent-os/specs/x/tasks.md", text);
    for text in [
        "## Task Groups\n### Group 1: A\n- [ ] 1.1 a\n### Group 2: B\n**Dependencies:** Group 1\n- [ ] 2.1 b\n",
        "## Phase 1\n### Task 1: A\n- [ ] a\n### Task 2: B\n- [ ] b\n",
        "- [ ] 1. A\n  - [ ] 1.1 a\n- [ ] 2. B\n  - [ ] 2.1 b\n",
    ] {
        let reading = os(text);
        assert_eq!(needs(plan(&reading), "2"), ["1"], "{text}: {}", rendered(&reading));
    }
}

/// FO-11: headings of Agent OS, and dependencies in words.
#[test]
fn groups_of_agent_os_keep_their_order() {
    let os = |text: &str| one("agent-os", "agent-os/specs/x/tasks.md", text);
    let group = |id: &str, needs: &str| {
        format!("#### Task Group {id}: x\n**Dependencies:** {needs}\n- [ ] {id}.1 do it\n")
    };
    let parts = [group("1.1", "None"), group("1.2", "Task Group 1.1"), group("2", "Task Group 1")];
    let reading = os(&parts.concat());
    assert_eq!(needs(plan(&reading), "1.2"), ["1.1"]);
    assert_eq!(needs(plan(&reading), "2"), ["1.1", "1.2"]);
    for all in
        ["All previous task groups", "All previous task groups (1-2)", "whatever comes first"]
    {
        let text = [group("1", "None"), group("2", "None"), group("3", all)].concat();
        assert_eq!(needs(plan(&os(&text)), "3"), ["1", "2"], "{all}");
    }
    let phases =
        format!("## Phase 1\n{}## Phase 2\n{}", group("1", "None"), group("2", "Phase 1 complete"));
    assert_eq!(needs(plan(&os(&phases)), "2"), ["1"]);
    let summary =
        format!("{}## Implementation Summary\n### Task Group 1: x\ntext\n", group("1", "None"));
    assert_eq!(plan(&os(&summary)).len(), 1);
    let removed = format!(
        "Completed: Groups 1-6\n{}{}",
        group("7", "Task Group 6"),
        group("8", "Task Group 7")
    );
    let reading = os(&removed);
    assert_eq!((plan(&reading).len(), reading.blocked.len()), (2, 0));
    assert!(codes(&reading).contains(&"unresolved-dependency"));
    let stray = format!("{}  ```\n{}", group("9", "None"), group("10", "Task Group 9"));
    assert_eq!(needs(plan(&os(&stray)), "10"), ["9"]);
}

/// FO-11: the roadmap of GSD 2 as a table, in the columns that its versions write, or none at all.
#[test]
fn roadmaps_of_gsd_2_are_read_as_tables_too() {
    let slice = |id: &str| {
        (format!(".gsd/milestones/M001/slices/{id}/{id}-PLAN.md"), "- [ ] **T01: Do** `est:5m`\n  - Files: `src/a.rs`, `.card-image`\n  - Verify: `npm test`\n".to_owned())
    };
    let tables = [
        "| ID | Slice | Risk | Depends | Done | After this |\n|---|---|---|---|---|---|\n| S01 | One | low | — | ✅ | x |\n| S02 | Two | low | S01 | ⬜ | y |\n| S03 | Three | low | S01, S02 | ⬜ | z |\n",
        "| Slice | Title | Depends on | Status |\n|--|--|--|--|\n| **S01** | One | none | done |\n| S02 | Two | `S01` | open |\n| S03 | Three | S01 + S02 | open |\n",
    ];
    for table in tables {
        let mut all = vec![slice("S02"), slice("S03")];
        all.push((".gsd/milestones/M001/M001-ROADMAP.md".to_owned(), format!("# M001\n{table}")));
        let reading = read("gsd2", &all);
        let plan = plan(&reading);
        assert_eq!(plan.len(), 3, "{table}");
        assert!(task(plan, "M001-S01").done_before.is_some());
        assert_eq!(needs(plan, "M001-S02-T01"), ["M001-S01"]);
        assert_eq!(needs(plan, "M001-S03-T01"), ["M001-S01", "M001-S02-T01"]);
        assert_eq!(task(plan, "M001-S02-T01").files.len(), 1, "a CSS class is no file");
    }
    let reading = read("gsd2", &[slice("S01"), slice("S02")]);
    assert_eq!(needs(plan(&reading), "M001-S02-T01"), ["M001-S01-T01"]);
    let unplanned =
        "- [ ] **S01: a**\n- [ ] **S02: b** `depends:[S01]`\n- [ ] **S03: c** `depends:[]`\n";
    let reading = read(
        "gsd2",
        &[
            (".gsd/milestones/M001/M001-ROADMAP.md".to_owned(), unplanned.to_owned()),
            slice("S02"),
            slice("S03"),
        ],
    );
    assert_eq!(blocked(&reading), ["M001-S01"]);
    assert!(needs(plan(&reading), "M001-S03-T01").is_empty());
}

/// FO-11: paths outside of the repository are left out with a warning, whatever the format.
#[test]
fn paths_outside_refuse_nothing() {
    for path in ["../docs/x.md", "/abs/MISSION.md", "c:/Users/x/a.ts", "~/x.md"] {
        let reading =
            one("gsd", ".planning/phases/01-a/01-01-PLAN.md", &gsd_plan("", path, "npm test"));
        assert_eq!(plan(&reading).len(), 1, "{path}: {}", rendered(&reading));
        assert!(codes(&reading).contains(&"path-outside"), "{path}: {}", rendered(&reading));
        let spec = format!(
            "---\nid: SPEC-1\n---\n# A\n## Files to Modify\n- `{path}`\n- `src/a.rs`\n- `/api/status` (no auth)\n"
        );
        let reading = one("specflow", ".specflow/specs/SPEC-1.md", &spec);
        let files = &plan(&reading).tasks()[0].files;
        assert_eq!(files.len(), 1, "{path}: {files:?}");
        assert!(codes(&reading).contains(&"path-outside"), "{path}");
    }
}

/// FO-11: any name of a PLAN.md in a phase is read, and dependencies on it count.
#[test]
fn every_name_of_a_plan_in_a_phase_is_read() {
    let names =
        ["10-06b", "140.3-G1", "71-FIX", "06-gap-fixes", "01", "30-slug-01", "14a-01", "131-01a"];
    for name in names {
        let all = files(&[
            (&format!(".planning/phases/10-a/{name}-PLAN.md"), gsd_plan("", "a.txt", "npm test")),
            (
                ".planning/phases/10-a/10-90-PLAN.md",
                gsd_plan(&format!("{name:?}"), "b.txt", "npm test"),
            ),
        ]);
        let reading = read("gsd", &all);
        let first = plan(&reading).tasks().iter().find(|task| task.may_write("a.txt")).expect(name);
        assert_eq!(needs(plan(&reading), "10-90"), [first.id.to_string()], "{name}");
    }
}

/// FO-11: what was named alone says what it leaves behind.
#[test]
fn a_plan_that_is_named_alone_says_what_it_needs() {
    let all = files(&[
        (".planning/phases/01-a/01-01-PLAN.md", gsd_plan("", "a.txt", "npm test")),
        (".planning/phases/01-a/01-02-PLAN.md", gsd_plan("01-01", "b.txt", "npm test")),
        (".planning/phases/02-b/02-01-PLAN.md", gsd_plan("", "c.txt", "npm test")),
    ]);
    let folder = MemoryFolder::new(all);
    let gsd = format_by_name("gsd").expect("gsd");
    for (only, tasks) in [(".planning/phases/01-a/01-02-PLAN.md", 1), (".planning/phases/02-b/", 1)]
    {
        let options = ReadOptions { only: Some(only.to_owned()), ..ReadOptions::default() };
        let reading = (gsd.read)(&folder, &options);
        assert_eq!(plan(&reading).len(), tasks, "{only}");
        assert!(codes(&reading).contains(&"needs-outside"), "{only}: {}", rendered(&reading));
    }
}

/// FO-11: statuses of a SUMMARY that say that work is left.
#[test]
fn a_summary_that_says_that_work_is_left_is_no_end() {
    for (status, done) in [
        ("complete", true),
        ("completed-with-deviations", true),
        ("partial-complete-pending-checkpoint", false),
        ("in_progress", false),
        ("needs-decision", false),
        ("blocked", false),
    ] {
        let all = files(&[
            (".planning/phases/01-a/01-01-PLAN.md", gsd_plan("", "a.txt", "npm test")),
            (".planning/phases/01-a/01-01-SUMMARY.md", format!("---\nstatus: {status}\n---\n")),
        ]);
        let reading = read("gsd", &all);
        assert_eq!(plan(&reading).tasks()[0].done_before.is_some(), done, "{status}");
    }
}

/// FO-11: the table of `SpecFlow` below a heading of its own, and one broken spec of several.
#[test]
fn specs_do_not_stop_each_other() {
    let table = "| Group | Tasks | Dependencies |\n|-|-|-|\n| G1 | a | — |\n| G2 | b | G1 |\n";
    let deeper =
        format!("---\nid: SPEC-1\n---\n# A\n## Task Groups\n### Implementation Tasks\n{table}");
    let reading = one("specflow", ".specflow/specs/SPEC-1.md", &deeper);
    assert_eq!(plan(&reading).len(), 2);
    let reading = read(
        "specflow",
        &files(&[
            (".specflow/specs/SPEC-1.md", deeper.clone()),
            (
                ".specflow/specs/SPEC-2.md",
                "---\nid: SPEC-2\n---\n# B\n### Task Groups\nnone\n".to_owned(),
            ),
            (
                ".specflow/specs/SPEC-3.md",
                "---\nid: SPEC-3\ndepends_on: [SPEC-2]\n---\n# C\n".to_owned(),
            ),
        ]),
    );
    assert_eq!(blocked(&reading), ["SPEC-2"], "{}", rendered(&reading));
    assert_eq!(plan(&reading).len(), 4);
    assert_eq!(needs(plan(&reading), "SPEC-3"), ["SPEC-2"]);
}
