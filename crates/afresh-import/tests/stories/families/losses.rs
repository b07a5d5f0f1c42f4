//! Nothing is lost silently: a task, a dependency, a file or a check is in the plan, or a finding says
//! that it is not.

use std::fmt::Write as _;

use afresh_formats::folder::MemoryFolder;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{ReadOptions, format_by_name, formats_of_file};
use proptest::prelude::*;

use super::{blocked, codes, files, gsd_plan, needs, one, plan, read, task, waits};
use crate::rendered;

/// A line of a list, before it is written down.
#[derive(Debug, Clone)]
struct WrittenBox {
    mark: &'static str,
    section: usize,
    steps: usize,
    fence: bool,
}

fn written_box() -> impl Strategy<Value = WrittenBox> {
    let mark = prop::sample::select(vec![" ", "x", "X", "-", "~", "/"]);
    (mark, 0..4_usize, 0..3_usize, prop::bool::weighted(0.2))
        .prop_map(|(mark, section, steps, fence)| WrittenBox { mark, section, steps, fence })
}

/// The headings of a list; the last one is about criteria, in the words of each format.
fn sections(format: &str) -> [&'static str; 4] {
    match format {
        "spec-kit" => ["", "## Phase 1: Setup", "# Part", "## Validation Checklist"],
        "kiro" => ["", "## Tasks", "### 7. More", "## Notes"],
        _ => ["", "## 1. First", "### Deeper", "## Acceptance Criteria"],
    }
}

/// Writes boxes below their headings; each has a word of its own.
fn write_list(format: &str, boxes: &[WrittenBox]) -> String {
    let mut text = String::new();
    for (section, heading) in sections(format).into_iter().enumerate() {
        let _ = writeln!(text, "{heading}");
        for (at, one) in boxes.iter().enumerate().filter(|(_, one)| one.section == section) {
            let id = if format == "spec-kit" { format!("T{at:03} ") } else { String::new() };
            let _ = writeln!(text, "- [{}] {id}Make word{at}x", one.mark);
            for step in 0..one.steps {
                let _ = writeln!(text, "  - [ ] step {step} of it");
            }
            if one.fence {
                let _ = writeln!(text, "  ```\n  a fence that is never closed");
            }
        }
    }
    text
}

/// Every box is a task, or left out with a finding.
fn check_list(format: &str, path: &str, boxes: &[WrittenBox]) -> Result<(), TestCaseError> {
    let text = write_list(format, boxes);
    let folder = MemoryFolder::new([(path, text.as_str())]);
    let reading = (format_by_name(format).expect(format).read)(&folder, &ReadOptions::default());
    let tasks = reading.plan.as_ref().map(afresh_core::Plan::tasks).unwrap_or_default();
    for (at, one) in boxes.iter().enumerate() {
        let word = format!("word{at}x");
        let is_done = matches!(one.mark, "x" | "X");
        if let Some(task) = tasks.iter().find(|task| task.title.contains(&word)) {
            prop_assert_eq!(task.done_before.is_some(), is_done, "{}\n{}", word, text);
            continue;
        }
        let is_reported =
            codes(&reading).iter().any(|code| ["left-out", "empty-plan"].contains(code));
        prop_assert!(
            one.section == 3 && (is_reported || is_done),
            "{} is lost: {}\n{}",
            word,
            rendered(&reading),
            text
        );
    }
    // Nothing appears that was not written.
    prop_assert!(tasks.len() <= boxes.len(), "{}", text);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// FO-08 to FO-11: boxes of every state, in every section, with steps and stray fences.
    #[test]
    fn every_box_is_a_task_or_a_finding(boxes in prop::collection::vec(written_box(), 1..8)) {
        for (format, path) in [
            ("openspec", "openspec/changes/x/tasks.md"),
            ("kiro", ".kiro/specs/x/tasks.md"),
            ("checklist", "TODO.md"),
            ("spec-kit", "specs/001-x/tasks.md"),
        ] {
            let open = |one: &WrittenBox| format == "openspec" || one.section != 3;
            let boxes: Vec<WrittenBox> = boxes.iter().filter(|one| open(one)).cloned().collect();
            check_list(format, path, &boxes)?;
        }
    }

    /// FO-11: however many tasks are broken, the others run, and each broken one is blocked.
    #[test]
    fn any_number_of_faults_is_contained(faults in prop::collection::vec(0..4_usize, 1..40)) {
        let mut lines = vec![r#"{"id":"fine","title":"fine","status":"open"}"#.to_owned()];
        let mut broken = Vec::new();
        for (at, fault) in faults.iter().enumerate() {
            let issue = |id: &str, on: &str| format!(
                r#"{{"id":"{id}","title":"t","status":"open","dependencies":[{{"depends_on_id":"{on}"}}]}}"#
            );
            match fault {
                // A cycle, a cycle of one, a dead link; and one without a fault.
                0 => lines.extend([issue(&format!("a{at}"), &format!("b{at}")), issue(&format!("b{at}"), &format!("a{at}"))]),
                1 => lines.push(issue(&format!("c{at}"), &format!("c{at}"))),
                2 => lines.push(issue(&format!("d{at}"), "nowhere")),
                _ => lines.push(issue(&format!("e{at}"), "fine")),
            }
            broken.push(match fault { 0 => format!("a{at}"), 1 => format!("c{at}"), 2 => format!("d{at}"), _ => continue });
        }
        let reading = one("beads", ".beads/issues.jsonl", &lines.join("\n"));
        prop_assert_eq!(plan(&reading).len(), lines.len());
        broken.sort();
        prop_assert_eq!(blocked(&reading), broken);
    }
}

/// FO-11: boxes of other states are open tasks in every format that has boxes.
#[test]
fn boxes_in_progress_are_tasks() {
    for mark in ["-", "~", "/", "!"] {
        let kit = format!("## Phase 1\n- [x] T001 a\n- [{mark}] T002 b\n- [ ] T003 c\n");
        let reading = one("spec-kit", "specs/001-x/tasks.md", &kit);
        assert_eq!((plan(&reading).len(), needs(plan(&reading), "T003").len()), (3, 1), "{mark}");
        let os = format!("#### Task Group 1: a\n- [x] 1.1 a\n- [{mark}] 1.2 b\n");
        let reading = one("agent-os", "agent-os/specs/x/tasks.md", &os);
        assert!(plan(&reading).tasks()[0].done_before.is_none(), "{mark}");
        let slice = format!("- [x] **T01: a**\n- [{mark}] **T02: b**\n- [ ] T03: c `est:5m`\n");
        let reading = read(
            "gsd2",
            &files(&[
                (".gsd/milestones/M001/M001-ROADMAP.md", "- [ ] **S01: a**\n".to_owned()),
                (".gsd/milestones/M001/slices/S01/S01-PLAN.md", slice),
            ]),
        );
        assert_eq!(plan(&reading).len(), 3, "{mark}");
    }
}

/// FO-11: tasks of Spec Kit outside of the usual sections.
#[test]
fn tasks_of_spec_kit_are_found_in_every_section() {
    let kit = |text: &str| one("spec-kit", "specs/001-x/tasks.md", text);
    let ids = |reading: &PlanReading| -> Vec<String> {
        plan(reading).tasks().iter().map(|task| task.id.to_string()).collect()
    };
    let text = "# Tasks\n- [ ] T001 above all\n## Phase 1\n- [ ] T002 a\n# Phase 2\n- [ ] T003 b\n### Part\n- [ ] T004 c\n## Validation & Polish\n- [ ] T005 d\n- [ ] no id\n## MVP First\n- [ ] T002 a\n## Summary\n- [x] T001\n";
    let reading = kit(text);
    assert_eq!(ids(&reading), ["T001", "T002", "T003", "T004", "T005"], "{}", rendered(&reading));
    assert!(waits(plan(&reading), task(plan(&reading), "T005"), "T001"));
    assert!(codes(&reading).contains(&"left-out") && !codes(&reading).contains(&"duplicate-id"));
}

/// FO-11: the order goes through work that is left out.
#[test]
fn cancelled_deferred_and_optional_tasks_keep_the_order() {
    let tasks = |status: &str| {
        format!(
            r#"{{"tasks":[{{"id":1,"title":"a","status":"pending"}},{{"id":2,"title":"b","status":"{status}","dependencies":[1]}},{{"id":3,"title":"c","status":"pending","dependencies":[2]}}]}}"#
        )
    };
    for status in ["cancelled", "deferred"] {
        let reading = one("task-master", ".taskmaster/tasks/tasks.json", &tasks(status));
        let plan = plan(&reading);
        assert!(waits(plan, task(plan, "3"), "1"), "{status}: {}", rendered(&reading));
    }
    let list = "- [ ] 1 a\n- [ ] ~~2 b~~\n- [ ] 3 c\n";
    for (format, path) in [("openspec", "openspec/changes/x/tasks.md"), ("checklist", "TODO.md")] {
        let reading = one(format, path, list);
        let plan = plan(&reading);
        assert!(waits(plan, task(plan, "3"), "1"), "{format}");
    }
    let reading = one("kiro", ".kiro/specs/x/tasks.md", "- [ ] 1. a\n- [ ]* 2. b\n- [ ] 3. c\n");
    assert_eq!(needs(plan(&reading), "3"), ["1"]);
}

/// FO-09: a dependency of Kiro that cannot be found is reported, and the order of the file counts.
#[test]
fn unknown_names_of_kiro_are_reported() {
    let kiro = |text: &str| one("kiro", ".kiro/specs/x/tasks.md", text);
    let reading = kiro("- [ ] 1. a\n- [ ] 2. b\n  - _Depends: 9.9, 1_\n");
    assert!(codes(&reading).contains(&"unresolved-dependency"), "{}", rendered(&reading));
    assert_eq!(needs(plan(&reading), "2"), ["1"]);
    let graph = |needs: &str| {
        kiro(&format!(
            "- [ ] 1. a\n- [ ] 2. b\n- [ ] 3. c\n## Task Dependency Graph\n```json\n{{\"waves\":[{{\"id\":0,\"tasks\":[\"1\"]}},{{\"id\":1,\"tasks\":[\"2\"],\"dependsOn\":{needs}}},{{\"id\":2,\"tasks\":[\"3\"]}}]}}\n```\n"
        ))
    };
    let reading = graph("[7]");
    assert!(codes(&reading).contains(&"unresolved-dependency"), "{}", rendered(&reading));
    assert_eq!(needs(plan(&reading), "2"), ["1"]);
    assert_eq!(needs(plan(&graph("[0]")), "2"), ["1"]);
    assert!(needs(plan(&graph("[]")), "2").is_empty());
}

/// FO-10: stories of a prd.json, wherever they are listed, and beside another file that is broken.
#[test]
fn stories_are_found_in_every_list() {
    let story = |id: &str, rest: &str| format!(r#"{{"id":"{id}","title":"t"{rest}}}"#);
    let (a, b) = (story("A", r#","passes":false"#), story("B", ""));
    for text in [
        format!("[{a},{b}]"),
        format!(
            r#"{{"userStories":[{a}],"phases":[{{"tasks":[{}]}}]}}"#,
            story("B", r#","passes":true"#)
        ),
        format!(r#"{{"stories":[{a},{b}]}}"#),
    ] {
        assert_eq!(plan(&one("prd", "prd.json", &text)).len(), 2, "{text}");
    }
    let all = files(&[
        ("prd.json", format!(r#"{{"userStories":[{a}]}}"#)),
        ("tasks/prd-other.json", format!(r#"{{"userStories":[{a}"#)),
    ]);
    let reading = read("prd", &all);
    assert_eq!(plan(&reading).len(), 1, "{}", rendered(&reading));
    assert!(codes(&reading).contains(&"syntax"), "{}", rendered(&reading));
}

/// FO-11: a task or spec that is named alone says what it needs, in every format with files of them.
#[test]
fn what_is_named_alone_says_what_it_needs() {
    let named = |format: &str, all: &[(&str, &str)], only: &str| {
        let folder = MemoryFolder::new(all.iter().copied());
        let options = ReadOptions { only: Some(only.to_owned()), ..ReadOptions::default() };
        (format_by_name(format).expect(format).read)(&folder, &options)
    };
    let tasker = |id: &str, needs: &str| {
        format!(
            r#"{{"id":"{id}","name":"n","phase":1,"behaviors":["B1"],"files":[{{"path":"a.py","action":"create"}}],"dependencies":{{"tasks":[{needs}]}},"acceptance_criteria":[{{"criterion":"it works","verification":"pytest -q"}}]}}"#
        )
    };
    let (one, two) = (tasker("T001", ""), tasker("T002", "\"T001\""));
    for (status, said) in [("pending", true), ("complete", false)] {
        let state = format!(
            r#"{{"version":"2.0","tasks":{{"T001":{{"id":"T001","status":"{status}"}}}}}}"#
        );
        let all = [
            (".tasker/tasks/T001.json", one.as_str()),
            (".tasker/tasks/T002.json", &two),
            (".tasker/state.json", &state),
        ];
        let reading = named("tasker", &all, ".tasker/tasks/T002.json");
        assert_eq!(plan(&reading).len(), 1, "{status}: {}", rendered(&reading));
        assert_eq!(codes(&reading).contains(&"needs-outside"), said, "{status}");
    }
    let spec = |id: &str, status: &str, needs: &str| {
        format!("---\nid: {id}\nstatus: {status}\ndepends_on: [{needs}]\n---\n# {id}\n")
    };
    let two = spec("SPEC-2", "audited", "SPEC-1");
    for (status, code) in
        [("audited", "needs-outside"), ("done", ""), ("none", "unresolved-dependency")]
    {
        let first = spec("SPEC-1", status, "");
        let mut all = vec![(".specflow/specs/SPEC-2.md", two.as_str())];
        if status != "none" {
            all.push((".specflow/specs/SPEC-1.md", &first));
        }
        let reading = named("specflow", &all, ".specflow/specs/SPEC-2.md");
        assert_eq!(plan(&reading).len(), 1, "{status}");
        for known in ["needs-outside", "unresolved-dependency"] {
            assert_eq!(codes(&reading).contains(&known), known == code, "{status} {known}");
        }
    }
}

/// FO-11: a name in a phase that nobody reads, and boxes in no group, are findings.
#[test]
fn what_belongs_to_nothing_is_reported() {
    for name in ["PLAN-auth.md", "01-02-plan.md", "PLAN_02.md"] {
        let all = files(&[
            (".planning/phases/01-a/01-01-PLAN.md", gsd_plan("", "a.txt", "npm test")),
            (&format!(".planning/phases/01-a/{name}"), gsd_plan("", "b.txt", "npm test")),
        ]);
        let reading = read("gsd", &all);
        assert_eq!(plan(&reading).len(), 1, "{name}");
        assert!(codes(&reading).contains(&"unread-plan"), "{name}: {}", rendered(&reading));
    }
    let os = |text: &str| one("agent-os", "agent-os/specs/x/tasks.md", text);
    let reading = os(
        "#### Task Group 1: a\n- [ ] 1.1 a\n## Rollout\n- [ ] tell people\n## Success Criteria\n- [ ] it works\n",
    );
    assert_eq!(plan(&reading).len(), 1);
    assert!(codes(&reading).contains(&"no-task-id") && codes(&reading).contains(&"left-out"));
    let reading = os("- [ ] 1. A\n  - [ ] 1.1 a\n- [ ] later\n");
    assert!(codes(&reading).contains(&"no-task-id"), "{}", rendered(&reading));
}

/// FO-10, FO-11: a file belongs to the format of its own directory, not to one elsewhere in the project.
#[test]
fn a_named_file_is_not_read_as_the_plan_of_another_directory() {
    let folder = MemoryFolder::new([
        (".beads/issues.jsonl", "{\"id\":\"a\",\"title\":\"a\",\"status\":\"open\"}\n"),
        (".taskmaster/tasks/tasks.json", "{\"tasks\":[]}"),
        ("notes/later.md", "- [ ] one\n"),
        ("openspec/tasks.md", "## 1. Setup\n- [ ] 1.1 one\n"),
    ]);
    for file in ["notes/later.md", "openspec/tasks.md"] {
        let found: Vec<&str> = formats_of_file(&folder, file).iter().map(|f| f.name).collect();
        assert_eq!(found, ["checklist"], "{file}");
    }
}

/// FO-11: in a section on dependencies, a task that is named beside others does not need itself.
#[test]
fn a_remark_about_several_tasks_is_no_dependency_on_itself() {
    let text = "## Phase 1\n- [ ] T063 a\n- [ ] T064 b\n- [ ] T065 c\n## Dependencies\n- T063 independent [P], T064-T065 sequential after T063\n";
    let reading = one("spec-kit", "specs/001-x/tasks.md", text);
    assert!(!codes(&reading).contains(&"self-dependency"), "{}", rendered(&reading));
    assert!(needs(plan(&reading), "T065").contains(&"T063".to_owned()));
}

/// FO-06, FO-10: a list of nothing but criteria has no tasks, and says where they are.
#[test]
fn a_list_of_criteria_says_where_they_are() {
    let text = "# Plan\n## Success Criteria\n- [ ] it works\n";
    let reading = one("checklist", "TODO.md", text);
    let places: Vec<(&str, usize)> =
        reading.findings.iter().map(|found| (found.code.as_str(), found.line)).collect();
    assert!(reading.plan.is_none());
    assert_eq!(places, [("empty-plan", 0), ("left-out", 3)]);
}

/// FO-11: slices of GSD 2 that only a table beside the list has.
#[test]
fn a_table_beside_a_list_loses_no_slice() {
    let roadmap = "- [x] **S01: a**\n\n| ID | Slice | Depends | Done |\n|-|-|-|-|\n| S01 | a | — | ✅ |\n| S02 | b | S01 | ⬜ |\n";
    let reading = read(
        "gsd2",
        &files(&[
            (".gsd/milestones/M001/M001-ROADMAP.md", roadmap.to_owned()),
            (".gsd/milestones/M001/slices/S02/S02-PLAN.md", "- [ ] **T01: Do**\n".to_owned()),
        ]),
    );
    assert_eq!(needs(plan(&reading), "M001-S02-T01"), ["M001-S01"]);
}

/// FO-10: tasks as headings in a PLAN.md: files with and without verbs, backticks and lists.
#[test]
fn files_below_headings_are_files() {
    for part in [
        "**Files:** Create a.gd",
        "**Files:** Create `a.gd`",
        "**Files:**\n- Create: `a.gd`",
        "**Files:**\n\n* a.gd (new)",
        "**Create:** a.gd",
        "Files: a.gd",
    ] {
        let text = format!(
            "---\nphase: a\ndepends_on: []\n---\n# Plan\n\n### Task 1: Player\n{part}\n\nDo it.\n\n**Verify:**\n- `npm test`\n\n### Task 2: Enemy\n**Files:** Modify `b.gd`, test `c.gd`\n"
        );
        let reading = one("gsd", ".planning/phases/01-a/01-01-PLAN.md", &text);
        let task = &plan(&reading).tasks()[0];
        assert_eq!(task.steps.len(), 2, "{part}");
        for file in ["a.gd", "b.gd", "c.gd"] {
            assert!(task.may_write(file), "{part}: {file}");
        }
        assert!(!task.may_write("d.gd"), "{part}");
        assert_eq!(task.all_checks().count(), 1, "{part}: {}", rendered(&reading));
    }
}

/// FO-11: paths outside of the repository are left out in every format that names files.
#[test]
fn paths_outside_are_reported_in_every_format() {
    for path in ["../docs/x.md", "/etc/app.conf", "~/x.md"] {
        let boxes = format!("- [ ] 1. Write `{path}` and `src/a.rs`\n");
        let kit = format!("## Phase 1\n- [ ] T001 Write `{path}` and `src/a.rs`\n");
        for (format, file, text) in [
            ("openspec", "openspec/changes/x/tasks.md", &boxes),
            ("kiro", ".kiro/specs/x/tasks.md", &boxes),
            ("checklist", "TODO.md", &boxes),
            ("spec-kit", "specs/001-x/tasks.md", &kit),
        ] {
            let reading = one(format, file, text);
            let task = &plan(&reading).tasks()[0];
            assert_eq!(task.files.len(), 1, "{format} {path}: {:?}", task.files);
            assert!(codes(&reading).contains(&"path-outside"), "{format} {path}");
        }
    }
}

/// FO-11: ids that repeat are two tasks, or, where ids are keys, one of them is blocked.
#[test]
fn repeated_ids_lose_no_task() {
    let boxes = "- [ ] 1.1 one `src/a.rs`\n- [ ] 1.1 two `src/b.rs`\n- [ ] 1.2 three\n";
    for (format, path, text) in [
        ("openspec", "openspec/changes/x/tasks.md", boxes),
        ("kiro", ".kiro/specs/x/tasks.md", boxes),
        ("checklist", "TODO.md", boxes),
        (
            "agent-os",
            "agent-os/specs/x/tasks.md",
            "#### Task Group 1: a\n- [ ] 1.1 a\n#### Task Group 1: b\n- [ ] 1.1 b\n#### Task Group 2: c\n**Dependencies:** Task Group 1\n- [ ] 2.1 c\n",
        ),
    ] {
        let reading = one(format, path, text);
        let plan = plan(&reading);
        assert_eq!((plan.len(), reading.blocked.len()), (3, 0), "{format}: {}", rendered(&reading));
        let last = plan.tasks().last().expect("a task");
        assert!(!last.needs.is_empty() && codes(&reading).contains(&"duplicate-id"), "{format}");
    }
    let keyed = r#"{"tasks":[{"id":1,"title":"a"},{"id":1,"title":"b"},{"id":2,"title":"c","dependencies":[1]},{"id":3,"title":"d"}]}"#;
    let reading = one("task-master", ".taskmaster/tasks/tasks.json", keyed);
    assert_eq!((plan(&reading).len(), blocked(&reading)), (4, vec!["1.2"]));
    assert_eq!(needs(plan(&reading), "2"), ["1", "1.2"]);
}
