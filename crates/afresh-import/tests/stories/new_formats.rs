//! `OpenSpec`, Kiro, ralph's prd.json and plain checklists (FO-08 to FO-10).

use afresh_core::Plan;
use afresh_core::plan::{CheckpointKind, Task};
use afresh_formats::folder::MemoryFolder;
use afresh_formats::reading::PlanReading;
use afresh_import::detect::{ReadOptions, detect_formats, format_by_name, formats_of_file};
use afresh_import::formats::{checklist, kiro, openspec, prd};

use crate::folders::{
    files, fixture, line_ends_make_no_difference, plan_or_located_problems, read, shown,
    survives_any_damage,
};
use crate::rendered;

fn one(format: &str, path: &str, text: &str) -> PlanReading {
    let folder = MemoryFolder::new([(path, text)]);
    (format_by_name(format).expect("a format").read)(&folder, &ReadOptions::default())
}

#[track_caller]
fn plan(reading: &PlanReading) -> &Plan {
    reading.plan.as_ref().unwrap_or_else(|| panic!("no plan:\n{}", rendered(reading)))
}

fn needs(plan: &Plan, id: &str) -> Vec<String> {
    let task: Option<&Task> = plan.tasks().iter().find(|task| task.id.as_str() == id);
    let task = task.unwrap_or_else(|| panic!("no {id}"));
    task.needs.iter().map(ToString::to_string).collect()
}

fn ids(plan: &Plan) -> Vec<&str> {
    plan.tasks().iter().map(|task| task.id.as_str()).collect()
}

/// FO-08: a change is a plan; its boxes are tasks, in their order; archived changes are not run.
#[test]
fn a_change_of_openspec_becomes_a_plan() {
    insta::assert_snapshot!(shown(&read(&openspec::FORMAT, &fixture("openspec"))));
}

/// FO-08: the worker gets the proposal, the design and the changed specs.
#[test]
fn a_worker_of_openspec_gets_the_change() {
    let reading = read(&openspec::FORMAT, &fixture("openspec"));
    let plan = plan(&reading);
    let text =
        &plan.tasks().iter().find(|task| task.id.as_str() == "2.1").expect("2.1").instructions;
    for part in [
        "Notes cannot be removed.",
        "Numbers stay as they are.",
        "SHALL remove a note",
        "2. Command",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// FO-08: several active changes are not mixed, a finished one is not in the way, and a schema of the
/// project may name another file.
#[test]
fn changes_of_openspec_are_told_apart() {
    let change =
        |name: &str, text: &str| (format!("openspec/changes/{name}/tasks.md"), text.to_owned());
    let read = |files: &[(String, String)]| {
        let folder = MemoryFolder::new(files.iter().cloned());
        (openspec::FORMAT.read)(&folder, &ReadOptions::default())
    };
    let open = change("a", "- [ ] 1.1 x\n");
    let reading = read(&[open.clone(), change("b", "- [ ] 1.1 y\n")]);
    assert_eq!(reading.findings[0].code, "several-plans");
    assert_eq!(plan(&read(&[open.clone(), change("b", "- [x] 1.1 y\n")])).len(), 1);
    assert_eq!(plan(&read(&[open.clone(), change("b", "only prose\n")])).len(), 1);
    let below = ("apps/x/openspec/changes/a/tasks.md".to_owned(), "- [ ] x\n".to_owned());
    assert_eq!(plan(&read(&[below])).len(), 1);
    let schema = [
        ("openspec/config.yaml".to_owned(), "schema: own\n".to_owned()),
        (
            "openspec/schemas/own/schema.yaml".to_owned(),
            "name: own\nversion: 1\napply:\n  requires: [work]\n  tracks: work.md\n".to_owned(),
        ),
        ("openspec/changes/a/work.md".to_owned(), "- [ ] 1.1 x\n- [ ] 1.2 y\n".to_owned()),
    ];
    assert_eq!(ids(plan(&read(&schema))), ["1.1", "1.2"]);
}

/// FO-09: a spec of Kiro, with its graph, checkpoints, optional tasks and requirements.
#[test]
fn a_spec_of_kiro_becomes_a_plan() {
    insta::assert_snapshot!(shown(&read(&kiro::FORMAT, &fixture("kiro"))));
}

/// FO-09: every shape of the graph means the same order.
#[test]
fn every_shape_of_kiros_graph_is_an_order() {
    let tasks = "# Implementation Plan\n- [ ] 1. A\n  - [ ] 1.1 a\n  - [ ] 1.2 b\n- [ ] 2. C\n  - [ ] 2.1 c\n  - [ ] 2.2 d\n\n## Task Dependency Graph\n";
    let graphs = [
        "```json\n{\"waves\":[{\"id\":0,\"tasks\":[\"1.1\"]},{\"id\":1,\"tasks\":[\"1.2\",\"2.1\"]},{\"id\":2,\"tasks\":[\"2.2\"]}]}\n```\n",
        "```json\n{\"waves\":[{\"wave\":1,\"tasks\":[\"1.1\"],\"description\":\"x\"},{\"wave\":2,\"tasks\":[\"1.2\",\"2.1\"]},{\"wave\":3,\"tasks\":[\"2.2\"]}]}\n```\n",
        "```json\n{\"waves\":[{\"wave\":1,\"name\":\"x\",\"tasks\":[\"1.1\"],\"parallel\":false,\"dependsOn\":[]},{\"wave\":2,\"tasks\":[\"1.2\",\"2.1\"],\"depends_on\":[1]},{\"wave\":3,\"tasks\":[\"2.2\"],\"dependsOn\":[2]}]}\n```\n",
        "```json\n[[1.1],[1.2,2.1],[2.2]]\n```\n",
        "```\n1.1 → 1.2 → 2.2\n1.1 → 2.1 → 2.2\n```\n",
        "- 1.1 -> 1.2, 2.1\n- 1.2, 2.1 -> 2.2\n",
        "```mermaid\ngraph LR\n  A[1.1 a] --> B[1.2 b]\n  A[1.1 a] --> C[2.1 c]\n  B[1.2 b] --> D[2.2 d]\n  C[2.1 c] --> D[2.2 d]\n```\n",
    ];
    for graph in graphs {
        let reading = one("kiro", ".kiro/specs/x/tasks.md", &format!("{tasks}{graph}"));
        let plan = plan(&reading);
        assert_eq!(ids(plan), ["1.1", "1.2", "2.1", "2.2"], "{graph}");
        assert!(needs(plan, "1.1").is_empty(), "{graph}");
        assert_eq!(needs(plan, "1.2"), ["1.1"], "{graph}");
        assert_eq!(needs(plan, "2.1"), ["1.1"], "{graph}");
        assert_eq!(needs(plan, "2.2"), ["1.2", "2.1"], "{graph}");
    }
    let reading = one("kiro", ".kiro/specs/x/tasks.md", tasks);
    assert_eq!(needs(plan(&reading), "2.1"), ["1.2"], "without a graph, the file orders");
}

/// FO-09: what the graph leaves out has its place in the file, and the graph wins where it reorders.
#[test]
fn checkpoints_that_the_graph_leaves_out_have_their_place() {
    let text = "- [ ] 1. A\n- [ ] 2. B\n- [ ] 3. Checkpoint - all tests pass\n- [ ] 4. C\n- [ ] 5. D\n## Task Dependency Graph\n```json\n{\"waves\":[{\"id\":0,\"tasks\":[\"1\",\"5\"]},{\"id\":1,\"tasks\":[\"2\"]},{\"id\":2,\"tasks\":[\"4\"]}]}\n```\n";
    let reading = one("kiro", ".kiro/specs/x/tasks.md", text);
    let plan = plan(&reading);
    assert_eq!(needs(plan, "3"), ["1", "2"]);
    assert!(needs(plan, "4").contains(&"3".to_owned()), "{:?}", needs(plan, "4"));
    assert!(needs(plan, "5").is_empty(), "the graph puts it first");
    let kind = plan.tasks()[2].checkpoint.as_ref().map(|point| point.kind);
    assert_eq!(kind, Some(CheckpointKind::Verify));
}

/// FO-09: sub-tasks that are not indented, parents that are headings, states, and leaves that decide.
#[test]
fn leaves_of_kiro_are_found_in_every_layout() {
    for text in [
        "- [ ] 1. A\n- [ ] 1.1 a\n- [ ] 1.2 b\n",
        "- [x] 1. A\n  - [-] 1.1 a\n  - [~] 1.2 b\n",
        "## Task 1: A\n- [ ] 1.1 a\n- [ ] 1.2 b\n",
        "### 1. A\n- [ ] 1.1 a\n  - note\n  - [ ] a step\n- [ ] 1.2 b\n",
    ] {
        let reading = one("kiro", ".kiro/specs/x/tasks.md", text);
        assert_eq!(ids(plan(&reading)), ["1.1", "1.2"], "{text}");
        assert!(plan(&reading).tasks().iter().all(|task| task.done_before.is_none()), "{text}");
    }
    let text =
        "- [x] 1. A\n- [ ]* 2. Optional tests\n- [ ] 12.7* Another\n- [ ] 3. More (Optional)\n";
    let reading = one("kiro", ".kiro/specs/x/tasks.md", text);
    assert_eq!(ids(plan(&reading)), ["1"], "only optional tasks are left: it is done");
    assert!(
        reading
            .findings
            .iter()
            .any(|found| found.code == "left-out" && found.message.contains("12.7"))
    );
}

/// FO-10: a checklist, by priority, without criteria, with steps.
#[test]
fn a_checklist_becomes_a_plan() {
    insta::assert_snapshot!(shown(&read(&checklist::FORMAT, &fixture("checklist"))));
}

/// FO-10: without boxes there are no tasks.
#[test]
fn prose_is_not_a_checklist() {
    let text = "# Plan\n1. **Done: x**\n\n| a | b |\n|-|-|\n| 1 | 2 |\n";
    assert!(detect_formats(&MemoryFolder::new([("PLAN.md", text)])).is_empty());
    let reading = one("checklist", "PLAN.md", text);
    assert!(reading.plan.is_none());
    let only = ReadOptions { only: Some("PLAN.md".to_owned()), ..ReadOptions::default() };
    let reading = (checklist::FORMAT.read)(&MemoryFolder::new([("PLAN.md", text)]), &only);
    assert_eq!(reading.findings[0].code, "empty-plan");
}

/// FO-10: user stories, of which some are done by their agent's word.
#[test]
fn stories_of_a_prd_become_a_plan() {
    insta::assert_snapshot!(shown(&read(&prd::FORMAT, &fixture("prd"))));
}

/// FO-10: without dependencies, stories are a chain by priority; the variants of the file.
#[test]
fn stories_of_a_prd_are_read_in_every_shape() {
    let story = |id: &str, priority: u32| {
        format!("{{\"id\":\"{id}\",\"title\":\"{id}\",\"passes\":false,\"priority\":{priority}}}")
    };
    let list = format!("[{},{}]", story("B", 2), story("A", 1));
    for text in [
        format!("{{\"userStories\":{list}}}"),
        format!("{{\"name\":\"x\",\"stories\":{list}}}"),
        format!("{{\"phases\":[{{\"tasks\":{list}}}]}}"),
        list.clone(),
    ] {
        let reading = one("prd", "prd.json", &text);
        assert_eq!(ids(plan(&reading)), ["A", "B"], "{text}");
        assert_eq!(needs(plan(&reading), "B"), ["A"]);
    }
    assert!(detect_formats(&MemoryFolder::new([("prd.json", "{\"title\": \"x\"}")])).is_empty());
}

/// FO-06: any damage is a plan or located problems.
#[test]
fn damaged_files_of_new_formats_are_plans_or_located_problems() {
    for (format, name) in
        [(&kiro::FORMAT, "kiro"), (&prd::FORMAT, "prd"), (&checklist::FORMAT, "checklist")]
    {
        survives_any_damage(format, name);
        line_ends_make_no_difference(format, name);
    }
    plan_or_located_problems(&openspec::FORMAT, &files("openspec"));
    line_ends_make_no_difference(&openspec::FORMAT, "openspec");
}

/// FO-08 to FO-10: each format is recognised by its files alone, from the root and from inside.
#[test]
fn new_formats_are_recognised_without_ambiguity() {
    let found = |paths: &[(&str, &str)]| -> Vec<&str> {
        detect_formats(&MemoryFolder::new(paths.iter().copied()))
            .iter()
            .map(|format| format.name)
            .collect()
    };
    let boxes = "- [ ] 1. a\n  - [ ] 1.1 b\n";
    assert_eq!(found(&[("openspec/changes/a/tasks.md", boxes)]), ["openspec"]);
    assert_eq!(
        found(&[("changes/a/tasks.md", boxes), ("changes/a/proposal.md", "")]),
        ["openspec"]
    );
    assert_eq!(found(&[("tasks.md", boxes), ("proposal.md", "")]), ["openspec"]);
    assert_eq!(found(&[("openspec/changes/archive/2025-01-01-a/tasks.md", boxes)]), [""; 0]);
    assert_eq!(found(&[(".kiro/specs/a/tasks.md", boxes)]), ["kiro"]);
    assert_eq!(found(&[("specs/a/tasks.md", boxes), ("specs/a/requirements.md", "")]), ["kiro"]);
    assert_eq!(found(&[("tasks.md", boxes), ("design.md", ""), ("requirements.md", "")]), ["kiro"]);
    assert_eq!(found(&[("agent-os/specs/a/tasks.md", boxes)]), ["agent-os"]);
    assert_eq!(
        found(&[("specs/1-a/tasks.md", "- [ ] T001 x\n"), ("specs/1-a/spec.md", "")]),
        ["spec-kit"]
    );
    assert_eq!(found(&[("specs/1-a/tasks.md", boxes), ("specs/1-a/spec.md", "")]), ["spec-kit"]);
    assert_eq!(found(&[("TODO.md", boxes)]), ["checklist"]);
    assert_eq!(found(&[("TODO.md", boxes), (".kiro/specs/a/tasks.md", boxes)]), ["kiro"]);
    let both = MemoryFolder::new([
        ("PLAN.md", boxes),
        (".kiro/specs/a/tasks.md", boxes),
        ("notes.md", boxes),
    ]);
    for (file, format) in
        [("PLAN.md", "checklist"), ("notes.md", "checklist"), (".kiro/specs/a/tasks.md", "kiro")]
    {
        let found: Vec<&str> =
            formats_of_file(&both, file).iter().map(|format| format.name).collect();
        assert_eq!(found, [format], "{file}");
    }
}
